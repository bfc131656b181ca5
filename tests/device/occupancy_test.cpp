// Occupancy: published examples, what compilers write, and groups that a compiled kernel does not take.
#include "device/occupancy.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "program/program.hpp"

namespace testing::occupancy_test {
namespace {

// What the driver seems to say, for the calls of this program: 0 leaves its answer as it is.
std::atomic<std::size_t> pretended_group_limit{0};
std::atomic<cl_ulong> pretended_local_bytes{0};
std::atomic<std::size_t> largest_group{0};

template <class F>
F next_symbol(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// These stand before the loader's own in this program.
extern "C" cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                           cl_kernel_work_group_info param_name, size_t size, void* value,
                                           size_t* size_ret) {
  static const auto real = next_symbol<decltype(&clGetKernelWorkGroupInfo)>("clGetKernelWorkGroupInfo");
  const cl_int code = real(kernel, device, param_name, size, value, size_ret);
  if (code == CL_SUCCESS && value != nullptr && param_name == CL_KERNEL_WORK_GROUP_SIZE &&
      pretended_group_limit != 0)
    *static_cast<std::size_t*>(value) = pretended_group_limit;
  if (code == CL_SUCCESS && value != nullptr && param_name == CL_KERNEL_LOCAL_MEM_SIZE &&
      pretended_local_bytes != 0)
    *static_cast<cl_ulong*>(value) = pretended_local_bytes;
  return code;
}

extern "C" cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                         const size_t* offset, const size_t* global, const size_t* local,
                                         cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                                         cl_event* event) {
  static const auto real = next_symbol<decltype(&clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel");
  if (local != nullptr) largest_group = std::max<std::size_t>(largest_group, *local);
  return real(queue, kernel, work_dim, offset, global, local, num_events_in_wait_list, event_wait_list,
              event);
}

namespace {

using clwave::device_family;
using clwave::detail::find_unit;
using clwave::detail::kernel_needs;
using clwave::detail::occupancy;
using clwave::detail::occupancy_of;

// A kernel on a compute unit, and what its occupancy is: 0 and "" were not published.
struct example {
  unsigned number, lanes;
  kernel_needs needs;
  unsigned groups = 0, sets = 0;
  std::string_view limited_by = {};
};

void check_examples(device_family family, std::span<const example> all) {
  for (const example& each : all) {
    CAPTURES(each.number, each.lanes, each.needs.registers.value_or(0), each.needs.group_size);
    const auto* unit = find_unit(family, each.number, each.lanes);
    REQUIRE(unit != nullptr);
    const occupancy found = occupancy_of(*unit, each.needs);
    if (each.groups != 0) CHECK(found.groups == each.groups);
    if (each.sets != 0) CHECK(found.sets == each.sets);
    if (!each.limited_by.empty()) CHECK(found.limited_by == each.limited_by);
  }
}

// clang-format off
constexpr example of_nvidia[] = {
    // 80 registers x 32 lanes are 2560 of 65536: 24 warps in whole quarters, 3 groups of 8.
    {90, 32, {.registers = 80, .group_size = 256}, 3, 24, "registers"},
    {90, 32, {.registers = 32, .group_size = 256}, 0, 64, "lane sets per unit"},
    {90, 32, {.registers = 33, .group_size = 256}, 0, 48},  // rounded up to 40
    {90, 32, {.registers = 255, .group_size = 256}, 1},
    {90, 32, {.registers = 16, .group_size = 32}, 32, 32, "groups per unit"},
    // 48 KiB and the system's 1 KiB: 4 groups in 228 KiB.
    {90, 32, {.registers = 32, .local_bytes = 48 << 10, .group_size = 256}, 4, 0, "local memory"},
    {90, 32, {.registers = 32, .group_size = 256, .groups = 132, .compute_units = 132}, 1, 0, "launch size"},
    // The whole unit's registers would hold 13 warps, its partitions' do not.
    {70, 32, {.registers = 152, .group_size = 32}, 0, 12},
    {75, 32, {.registers = 64, .group_size = 256}, 0, 32},
    {86, 32, {.registers = 40, .group_size = 256}, 0, 48},
    {86, 32, {.registers = 48, .group_size = 256}, 0, 40},
    {60, 32, {.registers = 64, .group_size = 128}, 0, 32},
    // SOURCES: groups of 512 hold fewer warps than groups of 256 where 42 could be.
    {30, 32, {.registers = 48, .group_size = 512}, 0, 32},
    {30, 32, {.registers = 48, .group_size = 256}, 0, 40},
    {90, 32, {.group_size = 1024}, 2},  // registers not known
};

// A group of several waves takes one of 16 barriers.
constexpr example of_amd[] = {
    {0x906, 64, {.registers = 16, .group_size = 128}, 16, 0, "groups per unit"},
    {0x906, 64, {.registers = 16, .group_size = 64}, 40},
    {0x90a, 64, {.registers = 16, .local_bytes = 16 << 10, .group_size = 256}, 4},
};

// Waves of a SIMD by registers, as in tests/offline/gpucode.py. As llc says of kernels with so many: from gfx1030
// on registers are given out in steps of 16 (8 for 64 lanes).
constexpr struct {
  unsigned number, lanes, registers, waves;
} waves_of_amd[] = {
    {0x90a, 64, 64, 8},   {0x90a, 64, 65, 7},   {0x90a, 64, 128, 4},  {0x942, 64, 512, 1},  {0x906, 64, 24, 10},
    {0x906, 64, 25, 9},   {0x906, 64, 64, 4},   {0x906, 64, 129, 1},  {0x700, 64, 84, 3},   {0x1030, 32, 64, 16},
    {0x1030, 32, 68, 12}, {0x1030, 32, 72, 12}, {0x1030, 32, 84, 10}, {0x1030, 32, 100, 9}, {0x1030, 64, 64, 8},
    {0x1030, 64, 84, 5},  {0x1010, 32, 72, 14}, {0x1010, 64, 84, 6},  {0x1100, 32, 72, 12}, {0x1010, 32, 48, 20},
    {0x1100, 32, 65, 12}, {0x1200, 64, 65, 7},
};
// clang-format on

TEST_CASE("NVIDIA's occupancy is what its calculator says") {
  check_examples(device_family::nvidia, of_nvidia);
  CHECK(occupancy_of(*find_unit(device_family::nvidia, 90, 32), of_nvidia[0].needs).most_sets == 64);
  CHECK(find_unit(device_family::nvidia, 130, 32) == nullptr);
}

TEST_CASE("AMD's occupancy is what LLVM says") {
  check_examples(device_family::amd, of_amd);
  for (const auto& [number, lanes, registers, waves] : waves_of_amd) {
    const auto* unit = find_unit(device_family::amd, number, lanes);
    REQUIRE(unit != nullptr);
    const example each{number, lanes, {.registers = registers, .group_size = lanes}, 0, waves * unit->parts};
    check_examples(device_family::amd, {&each, 1});
  }
}

TEST_CASE("every profile of a card has a unit") {
  for (const clwave::profile& row : clwave::profiles()) {
    if (row.family != device_family::nvidia && row.family != device_family::amd) continue;
    CAPTURE(row.name);
    CHECK(find_unit(row.family, row.since, row.lanes) != nullptr);
  }
}

struct pretending {
  pretending(std::size_t group_limit, cl_ulong local_bytes) {
    pretended_group_limit = group_limit;
    pretended_local_bytes = local_bytes;
    largest_group = 0;
  }
  ~pretending() { pretended_group_limit = pretended_local_bytes = 0; }
};

// Calls of every primitive, on a device of its own context: programs remember their limits. What they leave
// is the same in every bit, whatever the groups. `known` has it from a call before, where that is not empty.
void call_all(std::size_t most, const std::vector<event_call>& calls,
              std::vector<std::vector<bytes>>& known) {
  fixture on(default_fixture().device());
  for (std::size_t k = 0; k < calls.size(); ++k) {
    CAPTURE(calls[k].name);
    const buffers operands = buffers_for(on, calls[k].operands, 1);
    largest_group = 0;
    calls[k].start(on.queue, operands, false, {}).wait();
    CHECK(largest_group > 0);
    CHECK(largest_group <= most);
    const auto left = contents(on, calls[k].operands, operands);
    if (known.size() == k) known.push_back(left);
    CHECK(left == known[k]);
    // Again, with what is remembered.
    largest_group = 0;
    calls[k].start(on.queue, buffers_for(on, calls[k].operands, 1), false, {}).wait();
    CHECK(largest_group <= most);
  }
}

TEST_CASE("no group is larger than the compiled kernel takes") {
  const environment no_disk("CLWAVE_CACHE_DIR", "off");
  const forced_profile row("gpu");
  std::vector<event_call> calls;
  std::vector<std::vector<bytes>> known;
  sample some(5);
  for (const event_call& each : event_calls()) {
    if (some.takes_next()) calls.push_back(each);
  }
  call_all(512, calls, known);  // the row's largest groups, those of scans
  {
    const pretending small(100, 0);  // no power of two
    call_all(64, calls, known);
  }
  {
    // Too much local memory, until groups are no larger than a set of lanes: then only an error is left.
    const pretending greedy(0, cl_ulong{1} << 40);
    fixture on(default_fixture().device());
    const cl::Buffer in = on.buffer_of(std::vector<float>(1000, 1.0f));
    CHECK_THROWS_AS(clwave::reduce(on.queue, view<float>{in, 1000}), clwave::error);
    CHECK(largest_group == 0);
  }
  const pretending tiny(16, 0);
  fixture on(default_fixture().device());
  const cl::Buffer in = on.buffer_of(std::vector<float>(1000, 1.0f));
  CHECK_THROWS_WITH_AS(clwave::reduce(on.queue, view<float>{in, 1000}),
                       doctest::Contains("takes groups of at most 16"), clwave::error);
  CHECK(largest_group == 0);
}

TEST_CASE("a limit is remembered: the second call builds nothing") {
  const environment no_disk("CLWAVE_CACHE_DIR", "off");
  const forced_profile row("gpu");
  const pretending small(64, 0);
  fixture on(default_fixture().device());
  const cl::Buffer in = on.buffer_of(std::vector<float>(1000, 1.0f));
  const auto before = clwave::detail::count_programs().built;
  CHECK(clwave::reduce(on.queue, view<float>{in, 1000}) == 1000);
  const auto first = clwave::detail::count_programs().built;
  CHECK(first == before + 2);
  CHECK(clwave::reduce(on.queue, view<float>{in, 1000}) == 1000);
  CHECK(clwave::detail::count_programs().built == first);
}

TEST_CASE("a call that was prepared finds the limit, and what is built within it") {
  const environment no_disk("CLWAVE_CACHE_DIR", "off");
  const forced_profile row("gpu");
  const pretending small(64, 0);
  fixture on(default_fixture().device());
  const cl::Buffer in = on.buffer_of(std::vector<float>(1000, 1.0f));
  const element& f32 = element_of<float>();
  const auto before = clwave::detail::count_programs().built;
  const clwave::preparation ready = clwave::prepare(
      on.context, on.device, {clwave::reduce_problem{.in = {f32, 1000}, .accumulator = &f32}});
  ready.wait();
  const auto prepared = clwave::detail::count_programs().built;
  CHECK(prepared == before + 2);
  CHECK(clwave::reduce(on.queue, view<float>{in, 1000}) == 1000);
  CHECK(clwave::detail::count_programs().built == prepared);
}

}  // namespace
}  // namespace testing::occupancy_test

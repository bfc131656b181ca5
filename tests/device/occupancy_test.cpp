// Occupancy: published examples, what compilers write, and groups that a compiled kernel does not take.
#include "device/occupancy.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
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

occupancy on_sm(unsigned sm, const kernel_needs& needs) {
  const auto* unit = find_unit(device_family::nvidia, sm, 32);
  REQUIRE(unit != nullptr);
  return occupancy_of(*unit, needs);
}

occupancy on_gfx(unsigned gfx, unsigned lanes, const kernel_needs& needs) {
  const auto* unit = find_unit(device_family::amd, gfx, lanes);
  REQUIRE(unit != nullptr);
  return occupancy_of(*unit, needs);
}

TEST_CASE("NVIDIA's occupancy is what its calculator says") {
  // 80 registers x 32 lanes are 2560 of 65536: 24 warps in whole quarters, 3 groups of 8.
  occupancy o = on_sm(90, {.registers = 80, .group_size = 256});
  CHECK(o.groups == 3);
  CHECK(o.sets == 24);
  CHECK(o.most_sets == 64);
  CHECK(o.limited_by == "registers");

  o = on_sm(90, {.registers = 32, .group_size = 256});
  CHECK(o.sets == 64);
  CHECK(o.limited_by == "lane sets per unit");
  o = on_sm(90, {.registers = 33, .group_size = 256});  // rounded up to 40
  CHECK(o.sets == 48);
  o = on_sm(90, {.registers = 255, .group_size = 256});
  CHECK(o.groups == 1);
  o = on_sm(90, {.registers = 16, .group_size = 32});
  CHECK(o.groups == 32);
  CHECK(o.sets == 32);
  CHECK(o.limited_by == "groups per unit");
  // 48 KiB and the system's 1 KiB: 4 groups in 228 KiB.
  o = on_sm(90, {.registers = 32, .local_bytes = 48 << 10, .group_size = 256});
  CHECK(o.groups == 4);
  CHECK(o.limited_by == "local memory");
  o = on_sm(90, {.registers = 32, .group_size = 256, .groups = 132, .compute_units = 132});
  CHECK(o.groups == 1);
  CHECK(o.limited_by == "launch size");
  // The whole unit's registers would hold 13 warps, its partitions' do not.
  o = on_sm(70, {.registers = 152, .group_size = 32});
  CHECK(o.sets == 12);

  CHECK(on_sm(75, {.registers = 64, .group_size = 256}).sets == 32);
  CHECK(on_sm(86, {.registers = 40, .group_size = 256}).sets == 48);
  CHECK(on_sm(86, {.registers = 48, .group_size = 256}).sets == 40);
  CHECK(on_sm(60, {.registers = 64, .group_size = 128}).sets == 32);
  // SOURCES: groups of 512 hold fewer warps than groups of 256 where 42 could be.
  CHECK(on_sm(30, {.registers = 48, .group_size = 512}).sets == 32);
  CHECK(on_sm(30, {.registers = 48, .group_size = 256}).sets == 40);
  CHECK(on_sm(90, {.group_size = 1024}).groups == 2);  // registers not known
  CHECK(find_unit(device_family::nvidia, 130, 32) == nullptr);
}

TEST_CASE("AMD's occupancy is what LLVM says") {
  // Waves of a SIMD by registers, as in tests/offline/gpucode.py.
  const auto waves = [](unsigned gfx, unsigned lanes, unsigned registers) {
    const auto* unit = find_unit(device_family::amd, gfx, lanes);
    REQUIRE(unit != nullptr);
    return on_gfx(gfx, lanes, {.registers = registers, .group_size = lanes}).sets / unit->parts;
  };
  CHECK(waves(0x90a, 64, 64) == 8);
  CHECK(waves(0x90a, 64, 65) == 7);
  CHECK(waves(0x90a, 64, 128) == 4);
  CHECK(waves(0x942, 64, 512) == 1);
  CHECK(waves(0x906, 64, 24) == 10);
  CHECK(waves(0x906, 64, 25) == 9);
  CHECK(waves(0x906, 64, 64) == 4);
  CHECK(waves(0x906, 64, 129) == 1);
  CHECK(waves(0x700, 64, 84) == 3);
  CHECK(waves(0x1030, 32, 64) == 16);
  // As llc says of kernels with so many: from gfx1030 on registers are given out in steps of 16 (8 for 64
  // lanes).
  CHECK(waves(0x1030, 32, 68) == 12);
  CHECK(waves(0x1030, 32, 72) == 12);
  CHECK(waves(0x1030, 32, 84) == 10);
  CHECK(waves(0x1030, 32, 100) == 9);
  CHECK(waves(0x1030, 64, 64) == 8);
  CHECK(waves(0x1030, 64, 84) == 5);
  CHECK(waves(0x1010, 32, 72) == 14);
  CHECK(waves(0x1010, 64, 84) == 6);
  CHECK(waves(0x1100, 32, 72) == 12);
  CHECK(waves(0x1010, 32, 48) == 20);
  CHECK(waves(0x1100, 32, 65) == 12);
  CHECK(waves(0x1200, 64, 65) == 7);

  // A group of several waves takes one of 16 barriers.
  const occupancy o = on_gfx(0x906, 64, {.registers = 16, .group_size = 128});
  CHECK(o.groups == 16);
  CHECK(o.limited_by == "groups per unit");
  CHECK(on_gfx(0x906, 64, {.registers = 16, .group_size = 64}).groups == 40);
  CHECK(on_gfx(0x90a, 64, {.registers = 16, .local_bytes = 16 << 10, .group_size = 256}).groups == 4);
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
  const clwave::element& f32 = clwave::element_of<float>();
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

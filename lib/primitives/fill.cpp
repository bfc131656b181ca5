// fill: what a call is, and the entry.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <clwave/copy.hpp>

#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "primitives/copy.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// The bytes of a store on a GPU.
constexpr unsigned store_bytes = 16;

// A value repeated until it is at least 64 bytes long, the period, and on and on through 192 bytes.
struct fill_pattern {
  std::uint32_t period = 0;
  alignas(16) std::array<unsigned char, 192> table{};
};

fill_pattern repeat(const void* value, std::size_t size) {
  fill_pattern pattern;
  pattern.period = static_cast<std::uint32_t>(size * blocks_of(64, size));
  for (std::size_t at = 0; at < pattern.table.size(); at += size)
    std::memcpy(pattern.table.data() + at, value, std::min(size, pattern.table.size() - at));
  return pattern;
}

const char* kernel_of(const fill_variant& v) { return v.streams ? "fill_streaming" : "fill"; }

}  // namespace

program_spec spec_of(const fill_variant& v) {
  program_spec spec = spec_of_bytes(fill_variant::primitive, v.numbers);
  if (v.numbers.group_size == 1) {
    add_modules(spec, {"primitives/fill_serial.cl"});
    add_word(spec, "FILL_KERNEL", kernel_of(v));
    if (v.streams) add_word(spec, "STREAMING");
  } else {
    add_modules(spec, {"primitives/fill.cl"});
    add_word(spec, "IN_FLIGHT", std::to_string(packets_in_flight(v.numbers, store_bytes)));
  }
  return spec;
}

described<fill_variant> describe(const fill_problem& q, const target& on) {
  check_typed(fill_variant::primitive, {{"the output", q.out}});
  check_copied(fill_variant::primitive, *q.out.type, *q.out.type);
  const std::uint64_t size = q.out.type->size;
  const std::uint64_t reach =
      counting{fill_variant::primitive, "the output"}.bytes(q.out.offset, q.out.n, size);
  const tuning& tuned = fill_tuning(*on.choice.profile);
  described<fill_variant> call{{copy_numbers_of(on, tuned)},
                               {.n = q.out.n, .operands = {{access::writes, reach}}}};
  const copy_numbers& numbers = call.variant.numbers;
  const std::uint64_t bytes = q.out.n * size;
  call.variant.streams = is_cpu(on) && bytes > cache_bytes(on);
  const std::uint64_t block = std::uint64_t{numbers.group_size} * packets_in_flight(numbers, store_bytes);
  const std::uint64_t groups = is_cpu(on) ? cpu_groups(bytes, on, tuned)
                                          : gpu_groups(fill_variant::primitive, bytes / store_bytes, block);
  if (q.out.n == 0) return call;
  if (q.value == nullptr) refuse(fill_variant::primitive, "there is no value to fill with");

  const fill_pattern pattern = repeat(q.value, size);
  described_launch& launch = call.work.launch(kernel_of(call.variant), groups, numbers.group_size);
  launch.buffer("out", 0).value("out_offset", q.out.offset * size).value("bytes", bytes);
  launch.value("period", pattern.period);
  constexpr const char* names[] = {"table_0", "table_1", "table_2"};
  for (std::size_t part = 0; part < std::size(names); ++part)
    launch.bits(names[part], argument_kind::u32x16, pattern.table.data() + 64 * part);
  // Of the value repeated; on a CPU it stays in registers.
  launch.local_bytes = is_cpu(on) ? 0 : pattern.table.size();
  return call;
}

told tell(const fill_problem& /*q*/, const target& on, const described<fill_variant>& call) {
  const std::string chunk = is_cpu(on) ? "a contiguous chunk per work-item" : "a contiguous block per group";
  const unsigned width = is_cpu(on) ? call.variant.numbers.vector_bytes : store_bytes;
  told people{chunk + ", stores of " + std::to_string(width) + " bytes"};
  if (call.variant.streams)
    people.variant += " past the caches";
  else if (is_cpu(on))
    people.rejected.push_back({"stores past the caches", "the caches hold the output"});
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const fill_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event fill(cl_command_queue queue, const fill_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::fill_variant::primitive);
  const detail::call_operand all[] = {
      {.view = asked.out, .use = detail::access::writes, .name = "the output", .alignment = 1}};
  // The kernel finds out where it lies: the driver need not be asked.
  return detail::carry_out({site, detail::fill_variant::primitive, options}, asked, all, {});
}

}  // namespace clwave

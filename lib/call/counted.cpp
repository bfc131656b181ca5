// Inputs whose number of elements lies on the device.
#include "call/counted.hpp"

#include <algorithm>
#include <string>

#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {

unsigned count_bytes_of(std::string_view primitive, const any_view& input, std::string_view name) {
  if (input.count == nullptr) return 0;
  const any_view& count = *input.count;
  check_typed(primitive, {{name, count}});
  const std::string& type = count.type->opencl_name;
  if (type != "uint" && type != "ulong")
    refuse(primitive, "a count of elements of " + count.type->name,
           "a count is of 32 or 64 bits, without a sign");
  if (count.n != 1)
    refuse(primitive, std::string(name) + " is a view of " + std::to_string(count.n) + " numbers",
           "it is a view of one");
  return static_cast<unsigned>(count.type->size);
}

std::uint64_t groups_of_counted(std::uint64_t groups, unsigned count_bytes, const target& on,
                                std::uint64_t of_a_unit) {
  if (count_bytes == 0 || is_cpu(on)) return groups;
  return std::min<std::uint64_t>(groups, of_a_unit * std::max(on.compute_units, 1u));
}

void add_count(program_spec& spec, unsigned count_bytes) {
  if (count_bytes != 0) add_word(spec, "COUNTED_BY", count_bytes == 8 ? "ulong" : "uint");
}

void add_elements(described_launch& launch, const any_view& input, std::size_t operand) {
  if (input.count == nullptr)
    launch.value("n", input.n);
  else
    launch.buffer("n_at", operand).value("n_offset", input.count->offset).value("n_most", input.n);
}

}  // namespace clwave::detail

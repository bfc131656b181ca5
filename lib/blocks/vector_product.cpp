// The vectors of gemv as operands and arguments.
#include "blocks/vector_product.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace clwave::detail {
namespace {

std::vector<unsigned char> bytes_of_factor(double number, const element& type) {
  std::vector<unsigned char> bytes(type.size);
  const auto rounded = static_cast<float>(number);
  std::memcpy(bytes.data(), type.size == sizeof number ? static_cast<const void*>(&number) : &rounded,
              bytes.size());
  return bytes;
}

}  // namespace

std::uint64_t reach_of_vector(const counting& count, std::uint64_t n, std::uint64_t step) {
  return n == 0 ? 0 : count.plus(count.times(n - 1, step), 1);
}

void describe_vectors(std::string_view primitive, const vector_product& times, const element& accumulator,
                      std::uint64_t of_each, std::uint64_t results, described_work& work) {
  const counting of_x{primitive, "x"}, of_y{primitive, "y"};
  work.operands[1] = {
      times.beta == 0 ? access::writes : access::reads_and_writes,
      of_y.bytes(times.y.offset, reach_of_vector(of_y, results, times.step_y), times.y.type->size)};
  const auto number = [&](std::string name, std::uint64_t n) {
    source_argument a{.name = std::move(name)};
    std::memcpy(a.number.data(), &n, sizeof n);
    work.sources.push_back(std::move(a));
  };
  const auto factor = [&](std::string name, double value) {
    work.sources.push_back({.name = std::move(name),
                            .kind = argument_kind::element,
                            .bytes = bytes_of_factor(value, accumulator)});
  };
  work.sources.reserve(6);
  work.sources.push_back({.name = "vector", .kind = argument_kind::operand, .operand = work.operands.size()});
  work.operands.push_back(
      {access::reads,
       of_x.bytes(times.x.offset, reach_of_vector(of_x, of_each, times.step_x), times.x.type->size)});
  number("vector_at", times.x.offset);
  if (times.step_x != 1) number("vector_step", times.step_x);
  number("result_step", times.step_y);
  factor("alpha", times.alpha);
  factor("beta", times.beta);
}

}  // namespace clwave::detail

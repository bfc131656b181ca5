// The vectors of gemv, which a fold of a matrix's rows or columns has beside the matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>

#include "call/description.hpp"
#include "call/planning.hpp"

namespace clwave::detail {

// The result of a row or column becomes alpha * result + beta * y.
struct vector_product {
  any_view x;
  std::size_t step_x = 1;
  any_view y;  // of its own type; the fold's output has that of accumulators
  std::size_t step_y = 1;
  double alpha = 1, beta = 0;
};

// Of n elements that lie a step apart: from the first to the last.
std::uint64_t reach_of_vector(const counting& count, std::uint64_t n, std::uint64_t step);

// Makes x, of which `of_each` elements are read, an operand more, and y the output.
void describe_vectors(std::string_view primitive, const vector_product& times, const element& accumulator,
                      std::uint64_t of_each, std::uint64_t results, described_work& work);

}  // namespace clwave::detail

// Where the rows of pitched, batched matrices lie.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/element.hpp>
#include <clwave/matrices.hpp>

namespace clwave::detail {

// Where the matrices of one side lie. In elements.
struct matrix_steps {
  std::uint64_t row = 0;     // between the starts of rows
  std::uint64_t matrix = 0;  // between the starts of matrices
  std::uint64_t extent = 0;  // from the first element to the last, both counted; 0: there are none
};

// Resolves pitches of 0. Throws bad_call for rows or matrices that overlap, and for sizes in bytes beyond 63
// bits.
matrix_steps steps_of(std::string_view primitive, const matrices& size, const pitches& given,
                      const element& type, std::string_view what);

}  // namespace clwave::detail

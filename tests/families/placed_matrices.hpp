// Pitched and batched matrices in a buffer, and folds of their rows or columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/matrices.hpp>
#include <clwave/reduce_rows.hpp>

#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

// The elements of matrices, in a buffer that ends with the last one.
template <class T>
struct placed_matrices {
  clwave::matrices size;
  clwave::pitches steps;
  std::size_t offset;
  std::vector<T> values;

  std::size_t row_pitch() const { return steps.row != 0 ? steps.row : size.columns; }
  std::size_t slice_pitch() const { return steps.slice != 0 ? steps.slice : row_pitch() * size.rows; }
  // Of the rows of all matrices.
  std::size_t first_of(std::size_t row) const {
    return offset + row / size.rows * slice_pitch() + row % size.rows * row_pitch();
  }
  std::size_t rows() const { return size.rows * size.batch; }
  std::size_t columns() const { return size.columns * size.batch; }
  std::size_t elements() const {
    return rows() * size.columns == 0 ? offset : first_of(rows() - 1) + size.columns;
  }
  // Element i of one of the columns of all matrices.
  const T& in_column(std::size_t column, std::size_t i) const {
    return values[first_of(column / size.columns * size.rows + i) + column % size.columns];
  }
};

template <class T>
placed_matrices<T> place(random_engine& random, const clwave::matrices& size, const clwave::pitches& steps,
                         std::size_t offset, spice with = spice::nans) {
  placed_matrices<T> all{size, steps, offset, {}};
  all.values = random_values<T>(random, all.elements(), with);
  return all;
}

// Matrices of random pitches and offsets, often several.
template <class T>
placed_matrices<T> random_matrices(random_engine& random, clwave::matrices size, spice with = spice::nans) {
  if (random.below(3) == 0) size.batch = 1 + random.below(3);
  clwave::pitches steps;
  // Multiples of 16 allow loads of whole packets.
  const u64 kind = random.below(4);
  if (kind == 1) steps.row = size.columns + random.below(5);
  if (kind == 2) steps.row = (size.columns + 15) / 16 * 16;
  if (kind == 3) steps = {.row = size.columns + 3, .slice = (size.columns + 3) * size.rows + random.below(9)};
  const std::size_t offset = random.below(2) == 0 ? 0 : 16 * random.below(2) + random.below(5);
  return place<T>(random, size, steps, offset, with);
}

// The results of one of the entries, which has so many.
template <class Acc, class Entry, class T>
std::vector<Acc> folded_matrices(const fixture& on, Entry entry, const placed_matrices<T>& in,
                                 std::size_t results, const clwave::op& fold,
                                 const clwave::detail::fold_sizes& sizes, const clwave::map& apply) {
  const cl::Buffer buffer = on.buffer_of(in.values);
  const guarded_buffer<Acc> out(on, results);
  const view<T> from{buffer, in.elements() - in.offset, in.offset};
  entry(on.queue(),
        {.in = clwave::detail::erase(from),
         .out = clwave::detail::erase(out.view()),
         .size = in.size,
         .steps = in.steps,
         .fold = &fold,
         .apply = &apply,
         .sizes = sizes},
        launch_options{})
      .wait();
  CHECK(out.guards_intact());
  return out.read();
}

// Whether each of what was found is the reference's fold of `length` elements, of which at(k, i) is number i
// of fold k.
template <class Acc, class T, class At, class Combine>
void check_folds(const placed_matrices<T>& in, const std::vector<Acc>& found, std::size_t results,
                 std::size_t length, At at, const clwave::op& fold, Combine combine,
                 const clwave::detail::fold_sizes& sizes) {
  CAPTURES(in.size.rows, in.size.columns, in.size.batch, in.steps.row, in.steps.slice, in.offset);
  REQUIRE(found.size() == results);
  for (std::size_t k = 0; k < results; ++k) {
    const Acc expected = reference::canonical(reference::fold_reference<Acc>(
        length, [&](std::size_t i) { return static_cast<Acc>(at(k, i)); }, combine, !fold.commutative,
        sizes));
    if (same_bits(found[k], expected)) continue;
    CAPTURE(k);
    FAIL(show_bits(found[k]) << " for " << show_bits(expected));
  }
}

}  // namespace testing

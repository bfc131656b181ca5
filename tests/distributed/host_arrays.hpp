// Arrays of the host, for the tests of what streams to devices: where they are folded, and in which pieces.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/host_array.hpp>

#include "distributed/cut_arrays.hpp"
#include "families/reductions.hpp"
#include "harness/reference.hpp"

namespace testing {

using clwave::host_array;
using clwave::queues;
using clwave::detail::stream_sizes;

// One of a list of queues that is repeatedly asked for: alone, with others of its device, with other contexts
// and devices.
inline queues some_queues(random_engine& random) {
  queues all;
  for (std::size_t k = 1 + random.below(4); k > 0; --k)
    all.add(places()[random.below(places().size())]->queue);
  return all;
}

// Pieces of one tile, of some, and as the library cuts them; few and many at once, copied on the host or not.
inline std::vector<stream_sizes> some_streams(std::size_t of_tile = tile) {
  return {{.piece = of_tile, .at_once = 1},
          {.piece = of_tile, .at_once = 3, .always_copies = true},
          {.piece = 2 * of_tile, .at_once = 2, .always_copies = true},
          {.piece = 5 * of_tile, .at_once = 4},
          {.piece = 0, .always_copies = true},
          {}};
}

inline std::string text_of(const stream_sizes& sizes) {
  return "pieces of " + std::to_string(sizes.piece) + ", " + std::to_string(sizes.at_once) + " at once" +
         (sizes.always_copies ? ", copied" : "");
}

// A reduction as the public calls make it, in such pieces.
template <class Acc, class T>
Acc fold_streamed(const queues& over, const host_array<T>& x, const std::type_identity_t<host_array<T>>* y,
                  const clwave::op& fold, const clwave::map& apply, const stream_sizes& streaming,
                  clwave::detail::fold_sizes sizes = {}) {
  Acc result;
  clwave::detail::reduce_host_array({.queues = over.handles(),
                                     .x = &x.erased(),
                                     .y = y == nullptr ? nullptr : &y->erased(),
                                     .accumulator = &element_of<Acc>(),
                                     .folded = &clwave::detail::folded_of<Acc>(),
                                     .fold = &fold,
                                     .apply = &apply,
                                     .sizes = sizes,
                                     .streaming = streaming},
                                    &result);
  return result;
}

}  // namespace testing

// What a reduction does, for whoever carries its elements (shards of devices, pieces of the host, ranks): how
// tiles are folded, how their results are, and what becomes of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <clwave/reduce.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "primitives/reduce.hpp"

namespace clwave::detail {

class fold_steps {
 public:
  // Of a call on shards or on arrays of the host. Refers to all that it points to.
  template <class Call>
  fold_steps(const Call& call, const element& value, std::size_t inputs)
      : sizes_(call.sizes),
        value_(&value),
        inputs_(inputs),
        folded_(call.folded),
        on_elements_{.in = value,
                     .accumulator = call.accumulator,
                     .fold = call.fold,
                     .apply = call.apply,
                     .sizes = call.sizes,
                     .nothing = call.nothing,
                     .counts = call.counts} {
    find_upper_map();
  }
  fold_steps(const fold_steps&) = delete;
  fold_steps& operator=(const fold_steps&) = delete;

  const element& value() const { return *value_; }
  std::size_t inputs() const { return inputs_; }
  std::uint64_t tile() const { return sizes_.tile; }
  // Of a tile.
  const element& result() const { return *folded_; }
  bool is_indexed() const;

  // Throws bad_call for an input of so many elements, wherever they are.
  void check(std::uint64_t n) const;
  // A reduction on one device; where there is one input without y.
  reduce_problem on_elements(const any_view& x, const any_view& y) const;
  // The fold of an input's tiles, the first of which has that number in its level, to results in memory of
  // the call's own from that byte on.
  ready_call<reduce_variant> fit_tiles(const call_site& site, reduce_problem problem, std::uint64_t tile,
                                       std::uint64_t result_at) const;
  // A reduction of results of the level below: of all, it is the levels above the first. Refers to this.
  reduce_problem on_results(const any_view& results) const;
  // Builds the program of that; and of the search in a tile of n elements, for results with an index, there.
  void prepare_upper(const call_site& site, const any_view& results) const;
  void prepare_search(const call_site& site, std::uint64_t n) const;

  // A result's index is that of a tile: it becomes that of the first such element, which search(tile, where
  // the tile begins) finds in it.
  template <class Search>
  void find_place(void* result, const Search& search) const {
    const std::uint64_t number = index_in(result);
    search(number, number * tile());
    add_to_index(result, number * tile());
  }
  static std::uint64_t index_in(const void* result);
  static void add_to_index(void* result, std::uint64_t first);
  // There is no such tile.
  [[noreturn]] static void refuse_index();

 private:
  void find_upper_map();

  fold_sizes sizes_;
  const element* value_;
  std::size_t inputs_;
  const element* folded_;
  reduce_problem on_elements_;
  std::optional<map> upper_map_;
};

}  // namespace clwave::detail

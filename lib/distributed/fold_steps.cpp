// The calls that a reduction of elements in many places is made of.
#include "distributed/fold_steps.hpp"

#include <cstring>
#include <string>
#include <utility>

#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "distributed/shard.hpp"

namespace clwave::detail {
namespace {

// Every indexed value is an element of at most 8 bytes, and behind it the index.
constexpr std::size_t bytes_before_index = 8;

}  // namespace

// What folds results of tiles is the operator alone, but its texts see what they see in the fold of elements,
// the type of those and what the map declares: so a map that changes nothing has the declarations
// (blocks/fold.hpp).
void fold_steps::find_upper_map() {
  const reduce_problem& below = on_elements_;
  if (below.fold->kind != op_kind::user) return;
  std::string seen;
  if (value().opencl_name != below.accumulator->opencl_name) seen = value().declaration;
  if (below.apply->kind == map_kind::user && !below.apply->declarations.empty())
    seen += between_declarations + below.apply->declarations;
  if (seen.empty()) return;
  upper_map_ = identity;
  upper_map_->name = below.apply->name;
  upper_map_->declarations = std::move(seen);
}

bool fold_steps::is_indexed() const { return detail::is_indexed(*on_elements_.fold); }

void fold_steps::check(std::uint64_t n) const {
  const any_view all(value(), n);
  check_reduce(on_elements(all, all));
}

reduce_problem fold_steps::on_elements(const any_view& x, const any_view& y) const {
  reduce_problem problem = on_elements_;
  problem.in = x;
  if (inputs_ == 2) problem.in2 = y;
  return problem;
}

ready_call<reduce_variant> fold_steps::fit_tiles(const call_site& site, reduce_problem problem,
                                                 std::uint64_t tile, std::uint64_t result_at) const {
  problem.out = any_view(result(), 0, result_at / result().size);
  problem.piece_at = tile * sizes_.tile;
  return fit(site, problem);
}

reduce_problem fold_steps::on_results(const any_view& results) const {
  return {.in = results,
          .accumulator = on_elements_.accumulator,
          .fold = on_elements_.fold,
          .apply = upper_map_ ? &*upper_map_ : &identity,
          .sizes = sizes_};
}

void fold_steps::prepare_upper(const call_site& site, const any_view& results) const {
  static_cast<void>(fit(site, problem_of_own(on_results(results))));
}

void fold_steps::prepare_search(const call_site& site, std::uint64_t n) const {
  const any_view one_tile = array_at(nullptr, 0, n, value());
  static_cast<void>(fit(site, problem_of_own(on_elements(one_tile, one_tile))));
}

std::uint64_t fold_steps::index_in(const void* result) {
  std::uint64_t index = 0;
  std::memcpy(&index, static_cast<const std::byte*>(result) + bytes_before_index, sizeof index);
  return index;
}

void fold_steps::add_to_index(void* result, std::uint64_t first) {
  const std::uint64_t index = index_in(result) + first;
  std::memcpy(static_cast<std::byte*>(result) + bytes_before_index, &index, sizeof index);
}

void fold_steps::refuse_index() {
  throw error(failure::device_lost, "a device gave the index of a tile that there is not");
}

}  // namespace clwave::detail

// Reductions over the shards of several ranks: a round that opens the call, and one in which open folds go up
// and the result comes down.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/ranks.hpp>

#include "blocks/fold.hpp"
#include "distributed/rank_fold.hpp"
#include "distributed/rank_messages.hpp"
#include "distributed/rank_opening.hpp"
#include "distributed/rank_talk.hpp"

namespace clwave::detail {
namespace {

rank_facets facets_of(const sharded_reduce_problem& call) {
  return {.call = call.counts ? "count_if" : reduce_variant::primitive,
          .order = {call.sizes.tile, call.sizes.accumulators},
          .value = call.x[0].elements.type,
          .accumulator = call.accumulator,
          .fold = call.fold,
          .apply = call.apply,
          .inputs = call.y.empty() ? 1u : 2u};
}

// Whether of two results of ranks, each an element and its index, the later rank's is the result.
using later_wins = bool (*)(const void* earlier, const void* later, bool most);

// In the order of argmin and argmax: a NaN comes before all else, and of equals the earlier one.
template <class T>
bool is_later_better(const void* earlier, const void* later, bool most) {
  T a, b;
  std::memcpy(&a, earlier, sizeof a);
  std::memcpy(&b, later, sizeof b);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
  }
  return most ? a < b : b < a;
}

later_wins later_wins_of(const element& value) {
  const auto of_size = [&](later_wins of_1, later_wins of_2, later_wins of_4, later_wins of_8) {
    return value.size == 1 ? of_1 : value.size == 2 ? of_2 : value.size == 4 ? of_4 : of_8;
  };
  if (value.kind == element_kind::floating)
    return value.size == 4 ? is_later_better<float> : is_later_better<double>;
  if (value.kind == element_kind::signed_integer)
    return of_size(is_later_better<std::int8_t>, is_later_better<std::int16_t>, is_later_better<std::int32_t>,
                   is_later_better<std::int64_t>);
  return of_size(is_later_better<std::uint8_t>, is_later_better<std::uint16_t>,
                 is_later_better<std::uint32_t>, is_later_better<std::uint64_t>);
}

class ranks_reduction {
 public:
  ranks_reduction(ranks& over, const sharded_reduce_problem& call)
      : call_(call), talk_(over, reduce_variant::primitive) {}

  void run(void* result) {
    lies_ = open_call(talk_, reduce_variant::primitive, [&] {
      if (call_.after != nullptr) call_.after->wait();
      own_.emplace(call_);
      return opening_message{own_->n(), hashes_of(facets_of(call_))};
    });
    std::vector<std::byte> answer = is_indexed(*call_.fold) ? gather_places() : gather_folds();
    talk_.hand_out(answer, result_bytes());
    std::memcpy(result, answer.data(), answer.size());
  }

 private:
  const rank_place& place() const { return talk_.place(); }
  message_bytes gather_folds();
  message_bytes gather_places();
  std::size_t result_bytes() const { return call_.accumulator->size; }

  const sharded_reduce_problem& call_;
  rank_talk talk_;
  std::optional<rank_fold> own_;
  rank_elements lies_;
};

// The second round, upwards: at rank 0 what comes back is the result.
message_bytes ranks_reduction::gather_folds() {
  std::vector<open_fold> folds;
  talk_.attempt([&] {
    own_->place_at(lies_.begin, lies_.n);
    own_->prepare(lies_.bounds());
    folds.push_back(own_->own());
  });
  const fold_levels levels(lies_.n, call_.sizes.tile);
  const node_bytes widths{call_.x[0].elements.type->size, call_.y.empty() ? std::size_t{1} : 2,
                          call_.folded->size};
  std::vector<message_bytes> taken = talk_.gather(
      [&](std::size_t k) { return open_bytes(levels, widths, lies_.begin_of(k), lies_.end_of(k)); });
  open_fold all;
  talk_.attempt([&] {
    for (std::size_t k = 0; k < taken.size(); ++k)
      folds.push_back({lies_.begin_of(k), lies_.end_of(k), std::move(taken[k])});
    all = joined(levels, widths, folds, *own_);
    // Of nothing, the identity.
    if (lies_.n == 0 && !place().parent) {
      all.bytes.resize(result_bytes());
      own_->run_alone(all.bytes.data());
    }
  });
  talk_.hand_up(all.bytes);
  return std::move(all.bytes);
}

// The same of argmin and argmax, which may be taken in any order: each subtree's first and best element.
message_bytes ranks_reduction::gather_places() {
  message_bytes best;
  const later_wins wins = later_wins_of(*call_.folded);
  const bool most = call_.fold->kind == op_kind::argmax;
  const auto take = [&](message_bytes later) {
    if (best.empty() || wins(best.data(), later.data(), most)) best = std::move(later);
  };
  talk_.attempt([&] {
    // Rank 0 is refused an empty array as one device is.
    if (own_->n() == 0 && (lies_.n > 0 || place().parent)) return;
    best.resize(result_bytes());
    own_->run_alone(best.data());
    fold_steps::add_to_index(best.data(), lies_.begin);
  });
  std::vector<message_bytes> taken =
      talk_.gather([&](std::size_t k) { return lies_.count_of(k) > 0 ? result_bytes() : std::size_t{0}; });
  talk_.attempt([&] {
    for (message_bytes& each : taken)
      if (!each.empty()) take(std::move(each));
  });
  talk_.hand_up(best);
  return best;
}

}  // namespace

void reduce_ranks(ranks& over, const sharded_reduce_problem& call, void* result) {
  if (over.size() == 1) return reduce_sharded(call, result);
  ranks_reduction(over, call).run(result);
}

}  // namespace clwave::detail

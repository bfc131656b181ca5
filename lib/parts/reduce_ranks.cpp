// Reductions over the parts of several ranks: a round in which each learns where its elements lie, and one in
// which open folds go up and the result comes down.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/ranks.hpp>

#include "blocks/fold.hpp"
#include "parts/rank_fold.hpp"
#include "parts/rank_messages.hpp"
#include "parts/rank_talk.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "reduce";

// FNV-1a: whether ranks mean the same is all it is asked.
class hash {
 public:
  hash& add(const void* bytes, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k)
      state_ = (state_ ^ static_cast<const unsigned char*>(bytes)[k]) * 0x100000001b3;
    return *this;
  }
  hash& add(std::uint64_t number) { return add(&number, sizeof number); }
  // With its length, so that two texts one after another are not two others.
  hash& add(std::string_view text) { return add(text.size()).add(text.data(), text.size()); }
  hash& add(const element& type) {
    return add(type.opencl_name).add(type.declaration).add(type.size).add(type.components);
  }
  hash& add(const std::vector<named_value>& values) {
    for (const named_value& each : values)
      add(each.name()).add(each.type()).add(each.bytes().data(), each.bytes().size());
    return add(values.size());
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// What all ranks must give alike, in this order.
constexpr std::array<const char*, n_facets> facet_names = {
    "another version of clwave or on another kind of processor",
    "elements of another type",
    "another type to accumulate in",
    "another operator",
    "another map",
    "another number of inputs"};

std::array<std::uint64_t, n_facets> facets_of(const parts_call& call) {
  const element& value = *call.x[0].elements.type;
  const op& fold = *call.fold;
  const map& apply = *call.apply;
  return {hash()
              .add(message_version)
              .add(std::endian::native == std::endian::little)
              .add(call.sizes.tile)
              .add(call.sizes.accumulators)
              .value(),
          hash().add(value).value(),
          hash().add(*call.accumulator).value(),
          hash()
              .add(static_cast<std::uint64_t>(fold.kind))
              .add(fold.source)
              .add(fold.identity)
              .add(fold.commutative)
              .add(fold.declarations)
              .add(fold.values)
              .value(),
          hash()
              .add(static_cast<std::uint64_t>(apply.kind))
              .add(apply.source)
              .add(apply.declarations)
              .add(apply.values)
              .value(),
          call.y.empty() ? std::uint64_t{1} : 2};
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

later_wins order_of(const element& value) {
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
  ranks_reduction(ranks& over, const parts_call& call) : call_(call), talk_(over) {}

  void run(void* result) {
    open();
    std::vector<std::byte> answer = is_indexed(*call_.fold) ? gather_places() : gather_folds();
    hand_out(answer);
    std::memcpy(result, answer.data(), answer.size());
  }

 private:
  const rank_place& place() const { return talk_.place(); }
  void open();
  message_bytes gather_folds();
  message_bytes gather_places();
  void hand_out(message_bytes& answer);
  std::size_t result_bytes() const { return call_.accumulator->size; }
  // Where the elements of child k's subtree begin.
  std::uint64_t begin_of(std::size_t k) const { return begins_[k]; }
  std::uint64_t count_of(std::size_t k) const { return begins_[k + 1] - begins_[k]; }

  const parts_call& call_;
  rank_talk talk_;
  std::optional<rank_fold> own_;
  std::uint64_t begin_ = 0, n_ = 0;    // of the rank's elements; of the array
  std::vector<std::uint64_t> begins_;  // of each child's subtree, and the end of the last
};

// The first round: how many elements a subtree has goes up, and where they begin comes down.
void ranks_reduction::open() {
  opening_message own{};
  talk_.attempt([&] {
    own_.emplace(call_);
    own.n = own_->n();
    own.facets = facets_of(call_);
  });
  const std::vector<message_bytes> openings =
      talk_.gather([](std::size_t) { return sizeof(opening_message); });
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < openings.size() && !talk_.failed(); ++k) {
    const auto child = from_bytes<opening_message>(openings[k]);
    counts.push_back(child.n);
    for (std::size_t f = 0; f < n_facets; ++f)
      if (child.facets[f] != own.facets[f]) talk_.differs(place().children[k].first, facet_names[f]);
  }
  opening_message all = own;
  talk_.attempt([&] {
    for (const std::uint64_t n : counts) all.n = counting{primitive, "all ranks together"}.plus(all.n, n);
  });
  talk_.hand_up(bytes_of(all));
  answer_message answer{0, all.n};
  if (place().parent) {
    const message_bytes taken = talk_.take_down(sizeof answer);
    if (!talk_.failed()) answer = from_bytes<answer_message>(taken);
  }
  begin_ = answer.begin;
  n_ = answer.n;
  begins_ = {begin_ + own.n};
  for (std::size_t k = 0; k < place().children.size(); ++k) {
    talk_.hand_down(k, bytes_of(answer_message{begins_.back(), n_}));
    begins_.push_back(begins_.back() + (k < counts.size() ? counts[k] : 0));
  }
  talk_.end_round();
}

// The second round, upwards: at rank 0 what comes back is the result.
message_bytes ranks_reduction::gather_folds() {
  std::vector<open_fold> folds;
  talk_.attempt([&] {
    own_->place_at(begin_, n_);
    folds.push_back(own_->own());
  });
  const fold_levels levels(n_, call_.sizes.tile);
  const node_bytes widths{call_.x[0].elements.type->size, call_.y.empty() ? std::size_t{1} : 2,
                          call_.folded->size};
  std::vector<message_bytes> taken = talk_.gather(
      [&](std::size_t k) { return open_bytes(levels, widths, begin_of(k), begin_of(k) + count_of(k)); });
  open_fold all;
  talk_.attempt([&] {
    for (std::size_t k = 0; k < taken.size(); ++k)
      folds.push_back({begin_of(k), begin_of(k) + count_of(k), std::move(taken[k])});
    all = joined(levels, widths, folds, *own_);
    // Of nothing, the identity.
    if (n_ == 0 && !place().parent) {
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
  const later_wins wins = order_of(*call_.folded);
  const bool most = call_.fold->kind == op_kind::argmax;
  const auto take = [&](message_bytes later) {
    if (best.empty() || wins(best.data(), later.data(), most)) best = std::move(later);
  };
  talk_.attempt([&] {
    // Rank 0 is refused an empty array as one device is.
    if (own_->n() == 0 && (n_ > 0 || place().parent)) return;
    best.resize(result_bytes());
    own_->run_alone(best.data());
    // Every indexed value is an element of at most 8 bytes, and behind it the index.
    std::uint64_t index = 0;
    std::memcpy(&index, best.data() + 8, sizeof index);
    index += begin_;
    std::memcpy(best.data() + 8, &index, sizeof index);
  });
  std::vector<message_bytes> taken =
      talk_.gather([&](std::size_t k) { return count_of(k) > 0 ? result_bytes() : std::size_t{0}; });
  talk_.attempt([&] {
    for (message_bytes& each : taken)
      if (!each.empty()) take(std::move(each));
  });
  talk_.hand_up(best);
  return best;
}

// The second round, downwards.
void ranks_reduction::hand_out(message_bytes& answer) {
  if (place().parent) answer = talk_.take_down(result_bytes());
  for (std::size_t k = 0; k < place().children.size(); ++k) talk_.hand_down(k, answer);
  talk_.end_round();
}

}  // namespace

void reduce_ranks(ranks& over, const parts_call& call, void* result) {
  if (over.size() == 1) return reduce_parts(call, result);
  ranks_reduction(over, call).run(result);
}

}  // namespace clwave::detail

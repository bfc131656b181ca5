// Sums over shards, with the host's sum of what they leave.
#include "distributed/shard_sums.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "distributed/host_sums.hpp"
#include "distributed/rank_fold.hpp"

namespace clwave::detail {
namespace {

// Each shard is what a rank has.
class summed_shards : public node_folder {
 public:
  explicit summed_shards(const sharded_reduce_problem& call);
  bool host_has_their_bits() const;
  void run(void* result);
  void fold(std::span<const whole_node> tiles, std::byte* results) override;

 private:
  // Does something for each shard; throws what went wrong first when all have done it.
  template <class Do>
  void for_each_to_its_end(const Do& what);

  const sharded_reduce_problem& call_;
  std::vector<sharded_reduce_problem> calls_;  // of each shard
  std::deque<rank_fold> shards_;
  std::vector<std::uint64_t> bounds_{0};  // where each begins, and the last ends
  std::size_t home_ = 0;                  // whose device folds tiles of elements that are cut
};

summed_shards::summed_shards(const sharded_reduce_problem& call) : call_(call) {
  calls_.assign(call.x.size(), call);
  for (std::size_t k = 0; k < calls_.size(); ++k) {
    sharded_reduce_problem& own = calls_[k];
    own.x = call.x.subspan(k, 1);
    if (!call.y.empty()) own.y = call.y.subspan(k, 1);
    if (!call.rows.empty()) own.rows = call.rows.subspan(k, 1);
    own.before = call.before + k;
    own.of = std::max(call.of, call.x.size());
    shards_.emplace_back(own);
    bounds_.push_back(bounds_.back() + shards_[k].n());
    if (shards_[k].n() > shards_[home_].n()) home_ = k;
  }
}

bool summed_shards::host_has_their_bits() const {
  return std::ranges::all_of(shards_, [&](const rank_fold& each) {
    return host_sums_are_those_of(*each.site().on.facts, *call_.folded);
  });
}

template <class Do>
void summed_shards::for_each_to_its_end(const Do& what) {
  std::optional<error> failed;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    try {
      what(k);
    } catch (const error& trouble) {
      if (!failed) failed = trouble;
    }
  }
  if (failed) throw *failed;
}

void summed_shards::run(void* result) {
  for (std::size_t k = 0; k < shards_.size(); ++k) shards_[k].place_at(bounds_[k], bounds_.back());
  // Tiles of results that are cut are the host's.
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const std::array own{bounds_[k], bounds_[k + 1]};
    shards_[k].prepare(k == home_ ? std::span<const std::uint64_t>(bounds_) : own, 1);
  }
  for (rank_fold& each : shards_) each.start();
  for (rank_fold& each : shards_) each.go_on();
  std::vector<open_fold> folds(shards_.size());
  for_each_to_its_end([&](std::size_t k) { folds[k] = shards_[k].finish(); });
  open_fold all = joined(shards_[home_].levels(), shards_[home_].widths(), folds, *this);
  make_canonical_on_host(*call_.folded, all.bytes.data());
  std::memcpy(result, all.bytes.data(), all.bytes.size());
}

void summed_shards::fold(std::span<const whole_node> tiles, std::byte* results) {
  if (tiles.front().level == 1) return shards_[home_].fold(tiles, results);
  for (const whole_node& each : tiles) {
    sum_tile_on_host(*call_.folded, call_.sizes, each.nodes.data(), each.n, results);
    results += call_.folded->size;
  }
}

}  // namespace

bool may_sum_shards(const sharded_reduce_problem& call) {
  if (!call.y.empty() && call.y.size() != call.x.size()) return false;
  const auto with_elements =
      std::ranges::count_if(call.x, [](const erased_shard& each) { return each.elements.n > 0; });
  return with_elements > 1 && host_sums_take(*call.fold, *call.folded);
}

bool sum_shards(const sharded_reduce_problem& call, void* result) {
  summed_shards all(call);
  if (!all.host_has_their_bits()) return false;
  all.run(result);
  return true;
}

}  // namespace clwave::detail

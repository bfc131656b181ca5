// Scans over the shards of several ranks.
//
// A result depends on nothing behind its element. So each rank scans an input that ends with its own last
// element, of which others have the beginning, and of that it needs no more than a prefix: of its first tile
// the elements before its own, of its first stretch the folds of the tiles before that, and one fold of all
// earlier stretches. With these it goes on as one call on one device would.
//
// The last of the three is a left fold of the folds of single stretches, which cannot be joined among
// themselves. So three rounds:
// 1. as in every call: where the elements of each rank begin (rank_opening.hpp).
// 2. Each rank folds its tiles and stretches. Up goes the open fold of each subtree (open_fold.hpp): fewer
//    elements than a tile's and fewer folds than a stretch has tiles at either end, and the fold of each
//    stretch that lies whole in it. Down goes to each subtree the prefix of its first element. Rank 0 begins
//    with none. Whoever has the prefix of its own subtree finds those of its children by joining: to it what
//    it has itself and what the children before have sent.
// 3. Each rank writes its results once it has sent its children what they wait for. Up goes whether all went
//    well, and down what did not: a device may fail here too, and then all ranks throw.
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <clwave/ranks_scan.hpp>

#include "distributed/rank_messages.hpp"
#include "distributed/rank_opening.hpp"
#include "distributed/rank_scan.hpp"
#include "distributed/rank_talk.hpp"
#include "distributed/scan_prefix.hpp"

namespace clwave::detail {
namespace {

rank_facets facets_of(const sharded_scan_problem& call, const scan_sizes& sizes) {
  return {.call = call.exclusive ? "exclusive scan" : "inclusive scan",
          .order = {sizes.run, sizes.runs, sizes.strips, sizes.blocks, sizes.tiles},
          .value = call.in[0].elements.type,
          .accumulator = call.out[0].elements.type,
          .fold = call.fold,
          .apply = call.apply,
          .start = call.start};
}

class ranks_scan {
 public:
  ranks_scan(ranks& over, const sharded_scan_problem& call)
      : call_(call), talk_(over, scan_variant::primitive) {}
  void run();

 private:
  std::size_t n_children() const { return talk_.place().children.size(); }
  void gather_folds();
  void hand_out_prefixes();
  void take_prefix();
  void end();

  const sharded_scan_problem& call_;
  rank_talk talk_;
  std::optional<rank_scan> own_;
  rank_elements lies_;
  std::vector<open_fold> folds_;  // the rank's own, and those of its children's subtrees
  scan_prefix prefix_;
};

void ranks_scan::run() {
  lies_ = open_call(talk_, scan_variant::primitive, [&] {
    if (call_.after != nullptr) call_.after->wait();
    own_.emplace(call_);
    return opening_message{own_->n(), hashes_of(facets_of(call_, own_->sizes()))};
  });
  own_->place_at(lies_.begin, lies_.n);
  gather_folds();
  take_prefix();
  hand_out_prefixes();
  talk_.attempt([&] { own_->give(prefix_); });
  end();
}

// The second round, upwards.
void ranks_scan::gather_folds() {
  const fold_levels& levels = own_->levels();
  const node_bytes widths = own_->widths();
  talk_.attempt([&] {
    if (n_children() > 0) own_->prepare_joins(lies_.bounds());
    folds_.push_back(own_->own());
  });
  std::vector<message_bytes> taken = talk_.gather(
      [&](std::size_t k) { return open_bytes(levels, widths, lies_.begin_of(k), lies_.end_of(k)); });
  open_fold all;
  talk_.attempt([&] {
    for (std::size_t k = 0; k < taken.size(); ++k)
      folds_.push_back({lies_.begin_of(k), lies_.end_of(k), std::move(taken[k])});
    // Nobody is above rank 0 to need it.
    if (talk_.place().parent) all = joined(levels, widths, folds_, *own_);
  });
  talk_.hand_up(all.bytes);
}

// And downwards.
void ranks_scan::take_prefix() {
  if (!talk_.place().parent) return;
  const std::uint64_t begin = lies_.begin;
  const fold_levels& levels = own_->levels();
  if (begin == lies_.begins.back()) {
    // There is nothing to go on with.
    talk_.take_down(0);
    return;
  }
  const auto open = static_cast<std::size_t>(stretch_bytes(levels, own_->widths(), begin));
  const auto earlier = static_cast<std::size_t>(earlier_bytes(levels, own_->widths(), begin));
  const message_bytes taken = talk_.take_down(open + earlier);
  if (talk_.failed()) return;
  const auto cut = taken.begin() + static_cast<std::ptrdiff_t>(open);
  prefix_ = {{begin_of_stretch(levels, begin), begin, {taken.begin(), cut}}, {cut, taken.end()}};
}

void ranks_scan::hand_out_prefixes() {
  std::vector<message_bytes> messages(n_children());
  talk_.attempt([&] {
    std::vector<std::uint64_t> begins;
    for (std::size_t k = 0; k < messages.size(); ++k)
      if (lies_.count_of(k) > 0) begins.push_back(lies_.begin_of(k));
    const auto prefixes = prefixes_of(begins, prefix_, folds_, own_->levels(), own_->widths(), *own_);
    auto next = prefixes.begin();
    for (std::size_t k = 0; k < messages.size(); ++k) {
      if (lies_.count_of(k) == 0) continue;
      messages[k] = next->of_stretch.bytes;
      messages[k].insert(messages[k].end(), next->of_earlier.begin(), next->of_earlier.end());
      ++next;
    }
  });
  for (std::size_t k = 0; k < messages.size(); ++k) talk_.hand_down(k, messages[k]);
}

// The third round.
void ranks_scan::end() {
  talk_.gather([](std::size_t) { return std::size_t{0}; });
  talk_.hand_up({});
  message_bytes nothing;
  talk_.hand_out(nothing, 0);
}

}  // namespace

void scan_ranks(ranks& over, const sharded_scan_problem& call) {
  if (over.size() == 1) return scan_sharded(call);
  ranks_scan(over, call).run();
}

}  // namespace clwave::detail

// Reductions of sharded: tiles are folded where they lie, cut tiles are put together, and the results of all
// tiles are folded on one device. Each step is a call that reduce describes.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/opencl.hpp"
#include "blocks/fold.hpp"
#include "call/context_entry.hpp"
#include "call/markers.hpp"
#include "call/planning.hpp"
#include "distributed/sharded_reduction.hpp"

namespace clwave::detail {
sharded_reduction::sharded_reduction(const sharded_reduce_problem& call) : call_(call) {
  check_has_shards(reduce_variant::primitive, call.x.size());
  if (!call.y.empty() && call.y.size() != call.x.size())
    refuse(reduce_variant::primitive, "the two inputs are cut into " + std::to_string(call.x.size()) +
                                          " and " + std::to_string(call.y.size()) + " shards");
  shards_.resize(call.x.size());
  for (std::size_t k = 0; k < call.x.size(); ++k) {
    own_n_ = counting{reduce_variant::primitive, "all shards together"}.plus(own_n_, call.x[k].elements.n);
    lengths_.push_back(call.x[k].elements.n);
    at_shard(k, [&] { check_shard(k); });
  }
  place_at(0, own_n_);
  choose_home();
}

void sharded_reduction::place_at(std::uint64_t begin, std::uint64_t n) {
  // Of an input of so many elements in one place.
  reduce_problem problem{.in = {value(), n},
                         .accumulator = call_.accumulator,
                         .fold = call_.fold,
                         .apply = call_.apply,
                         .sizes = call_.sizes};
  if (inputs() == 2) problem.in2 = problem.in;
  check_reduce(problem);
  cuts_ = cut_at(lengths_, call_.sizes.tile, begin, n);
}

void sharded_reduction::check_shard(std::size_t k) {
  const erased_shard& x = call_.x[k];
  shard& own = shards_[k];
  own.site = site_of(x.queue, reduce_variant::primitive);
  if (!call_.rows.empty()) own.site.on.choice = call_.rows[k];
  own.whole = {.in = x.elements,
               .accumulator = call_.accumulator,
               .fold = call_.fold,
               .apply = call_.apply,
               .sizes = call_.sizes,
               .nothing = call_.nothing};
  check_events(own.site, x.after, reduce_variant::primitive);
  if (inputs() == 2) {
    const erased_shard& y = call_.y[k];
    if (y.queue != x.queue)
      refuse(reduce_variant::primitive, "the shard of the second input has another queue");
    own.whole.in2 = y.elements;
    check_events(own.site, y.after, reduce_variant::primitive);
  }
  static_cast<void>(problem_of(own.site, own.whole));
}

// The shard of most elements has the results folded: they need not leave its device. Only shards of its queue
// write there too: what earlier commands do with the workspace is kept apart by that queue's order alone.
void sharded_reduction::choose_home() {
  const auto most =
      std::ranges::max_element(call_.x, {}, [](const erased_shard& each) { return each.elements.n; });
  home_ = static_cast<std::size_t>(most - call_.x.begin());
  for (shard& each : shards_) each.at_home = each.site.queue == home().site.queue;
}

// Where everything goes, before there is memory for it.
void sharded_reduction::make_places() {
  results_ = layout_.add(cuts_.tiles, call_.folded->size);
  for (std::size_t k = 0; k < inputs(); ++k)
    gathered_[k] = layout_.add(cuts_.cut.size() * call_.sizes.tile, value().size);
  const auto stage = [this](std::uint64_t n_bytes) {
    return std::exchange(n_staged_, round_up(n_staged_ + n_bytes, 128));
  };
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    if (own.at_home) {
      own.results = result_place(tiles.first);
    } else {
      own.results = own.layout.add(tiles.count, call_.folded->size);
      own.staged_results = stage(tiles.count * call_.folded->size);
    }
  }
  for (const fragment& each : cuts_.fragments) {
    shard& own = shards_[each.shard];
    if (own.at_home)
      fragments_.emplace_back();
    else
      fragments_.push_back(
          {own.layout.add(inputs() * each.n, value().size), stage(inputs() * each.n * value().size)});
  }
}

ready_call<reduce_variant> sharded_reduction::fit_fold(const call_site& site, reduce_problem problem,
                                                       std::uint64_t tile, std::uint64_t result_at) const {
  problem.out = any_view(*call_.folded, 0, result_at / call_.folded->size);
  problem.piece_at = tile * call_.sizes.tile;
  return fit(site, problem);
}

void sharded_reduction::make_ready() {
  make_places();
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    at_shard(k, [&] {
      const reduce_problem problem = problem_of(own.site, subcall(k, tiles.from, tiles.n));
      own.tiles = fit_fold(own.site, problem, tiles.first, own.results);
    });
  }
  reduce_problem problem{.in = value(),
                         .accumulator = call_.accumulator,
                         .fold = call_.fold,
                         .apply = call_.apply,
                         .sizes = call_.sizes};
  for (std::size_t c = 0; c < cuts_.cut.size(); ++c) {
    if (cuts_.cut[c].is_open()) continue;
    const std::uint64_t n = cuts_.cut[c].n;
    problem.in = any_view(value(), n, place_of(c, 0) / value().size);
    if (inputs() == 2) problem.in2 = any_view(value(), n, place_of(c, 1) / value().size);
    const std::uint64_t tile = cuts_.cut[c].number;
    at_shard(home_, [&] { cut_tiles_.push_back(fit_fold(home().site, problem, tile, result_place(tile))); });
  }
}

// The programs of the levels above, and of the search in a tile: they are called for as other reductions are,
// and find them built.
void sharded_reduction::make_upper_ready() {
  const auto build = [](const call_site& site, const reduce_problem& problem) {
    static_cast<void>(fit(site, problem));
  };
  at_shard(home_, [&] {
    build(home().site, problem_of_own(upper_call(results_of_tiles(nullptr))));
    if (is_indexed(*call_.fold) && !cuts_.cut.empty()) {
      reduce_problem in_cut_tile = home().whole;
      in_cut_tile.in = gathered(nullptr, 0, 0);
      build(home().site, problem_of_own(in_cut_tile));
    }
  });
  if (!is_indexed(*call_.fold)) return;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    at_shard(k, [&] {
      const auto first = std::min<std::uint64_t>(call_.sizes.tile, tiles.n);
      build(shards_[k].site, problem_of(shards_[k].site, subcall(k, tiles.from, first)));
    });
  }
}

void sharded_reduction::make_memory() {
  at_shard(home_, [&] {
    memory_.emplace(home().site, static_cast<std::size_t>(layout_.own_bytes()));
    if (n_staged_ > 0)
      staging_ = home().site.kept->take_staging(home().site.device, static_cast<std::size_t>(n_staged_));
  });
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    if (own.at_home || own.layout.own_bytes() == 0) continue;
    at_shard(k, [&] {
      own.memory = std::make_unique<workspace>(own.site, static_cast<std::size_t>(own.layout.own_bytes()));
    });
  }
}

// Enqueues all that shard `k` has to do: its tiles, and what it has of cut ones.
void sharded_reduction::start(std::size_t k) {
  shard& own = shards_[k];
  if (call_.x[k].elements.n == 0) return;
  own.commands = std::make_unique<chain>(own.site);
  chain& commands = *own.commands;
  commands.starts_after({&call_.x[k].after, waits_of_y(k)});
  const workspace& memory = own.at_home ? *memory_ : *own.memory;
  commands.starts_also_after(memory.cleared().get());
  const whole_tiles& tiles = cuts_.whole[k];
  if (tiles.count > 0) {
    fold(commands, own.site, own.tiles, own.whole.in.buffer, own.whole.in2 ? own.whole.in2->buffer : nullptr,
         memory.buffer());
    if (!own.at_home)
      commands.read(memory.buffer(), own.results, tiles.count * call_.folded->size,
                    static_cast<unsigned char*>(staging_->get()) + own.staged_results);
  }
  start_fragments(k);
  commands.flush();
}

void sharded_reduction::fold(chain& commands, const call_site& site, const ready_call<reduce_variant>& ready,
                             cl_mem x, cl_mem y, cl_mem results) const {
  std::array<cl_mem, 3> buffers{x, results};
  if (y != nullptr) buffers = {x, y, results};
  const auto all = std::span<const cl_mem>(buffers).first(y != nullptr ? 3 : 2);
  commands.goes_on_with(enqueue(site, ready, all, commands.next_after(), true));
}

// Through memory of the call's own: the host may not be allowed to read the caller's.
void sharded_reduction::start_fragments(std::size_t k) {
  shard& own = shards_[k];
  for (; next_fragment_ < cuts_.fragments.size(); ++next_fragment_) {
    const std::size_t f = next_fragment_;
    const fragment& each = cuts_.fragments[f];
    if (each.shard != k) return;
    const std::uint64_t n_bytes = each.n * value().size;
    const reduce_problem from = subcall(k, each.from, each.n);
    for (std::size_t input = 0; input < inputs(); ++input) {
      const any_view& view = input == 0 ? from.in : *from.in2;
      const std::uint64_t from_at = view.offset * value().size;
      if (own.at_home) {
        own.commands->copy(view.buffer, from_at, memory_->buffer(),
                           place_of(each.cut, input) + each.place * value().size, n_bytes);
      } else {
        const std::uint64_t at = fragments_[f].at + input * n_bytes;
        own.commands->copy(view.buffer, from_at, own.memory->buffer(), at, n_bytes);
        own.commands->read(own.memory->buffer(), at, n_bytes, staged(fragments_[f].staged + input * n_bytes));
      }
    }
  }
}

// Waits for all shards but the home's own, whichever fails first.
void sharded_reduction::wait_for_others() {
  std::optional<error> failed;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    if (k == home_ || shards_[k].commands == nullptr) continue;
    try {
      at_shard(k, [&] { shards_[k].commands->finish(); });
    } catch (const error& trouble) {
      if (!failed) failed = trouble;
    }
  }
  if (failed) throw *failed;
}

// Enqueues at home what has come from other devices.
void sharded_reduction::bring_home() {
  chain& commands = *home().commands;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (shards_[k].at_home || tiles.count == 0) continue;
    commands.write(staged(shards_[k].staged_results), memory_->buffer(), result_place(tiles.first),
                   tiles.count * call_.folded->size);
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) {
    const fragment& each = cuts_.fragments[f];
    if (shards_[each.shard].at_home) continue;
    for (std::size_t input = 0; input < inputs(); ++input)
      commands.write(staged(fragments_[f].staged + input * each.n * value().size), memory_->buffer(),
                     place_of(each.cut, input) + each.place * value().size, each.n * value().size);
  }
}

void sharded_reduction::fold_cut_tiles() {
  const cl_mem memory = memory_->buffer();
  for (const ready_call<reduce_variant>& each : cut_tiles_)
    fold(*home().commands, home().site, each, memory, inputs() == 2 ? memory : nullptr, memory);
}

reduce_problem sharded_reduction::upper_call(const any_view& results) {
  return call_on_results({&value(), call_.accumulator, call_.folded, call_.fold, call_.apply}, call_.sizes,
                         results, upper_types_);
}

// The levels above the first are a reduction of the tiles' results.
void sharded_reduction::fold_results(void* result) {
  const reduce_problem upper = upper_call(results_of_tiles(memory_->buffer()));
  reduce(home().site.queue, upper, result, {.after = home().commands->behind()});
}

// The result's index is that of a tile: it becomes that of the first such element in the tile.
void sharded_reduction::find_place(void* result) {
  // Every indexed value is an element of at most 8 bytes, and behind it the index.
  unsigned char* const index_at = static_cast<unsigned char*>(result) + 8;
  std::uint64_t tile = 0;
  std::memcpy(&tile, index_at, sizeof tile);
  const auto cut = std::ranges::find(cuts_.cut, tile, &cut_tile::number);
  std::size_t owner = home_;
  reduce_problem call = home().whole;
  if (cut != cuts_.cut.end()) {
    call.in = gathered(memory_->buffer(), static_cast<std::size_t>(cut - cuts_.cut.begin()), 0);
  } else {
    owner = static_cast<std::size_t>(std::ranges::find_if(cuts_.whole,
                                                          [tile](const whole_tiles& each) {
                                                            return tile >= each.first &&
                                                                   tile - each.first < each.count;
                                                          }) -
                                     cuts_.whole.begin());
    if (owner == cuts_.whole.size())
      throw error(failure::device_lost, "a device gave the index of a tile that there is not");
    const whole_tiles& tiles = cuts_.whole[owner];
    const std::uint64_t first = (tile - tiles.first) * call_.sizes.tile;
    call = subcall(owner, tiles.from + first, std::min<std::uint64_t>(call_.sizes.tile, tiles.n - first));
  }
  std::uint64_t place = 0;
  at_shard(owner, [&] {
    const shard& own = shards_[owner];
    // Behind commands that have ended: so an out-of-order queue need not end all else that it holds.
    reduce(own.site.queue, call, result, {.after = own.commands->behind()});
  });
  std::memcpy(&place, index_at, sizeof place);
  place += tile * call_.sizes.tile;
  std::memcpy(index_at, &place, sizeof place);
}

void sharded_reduction::fold_tiles() {
  make_memory();
  for (std::size_t k = 0; k < shards_.size(); ++k) at_shard(k, [&] { start(k); });
  wait_for_others();
  at_shard(home_, [&] {
    bring_home();
    fold_cut_tiles();
  });
}

// All commands have ended well.
void sharded_reduction::give_back() {
  memory_->not_in_use();
  for (shard& each : shards_)
    if (each.memory != nullptr) each.memory->not_in_use();
  if (staging_ != nullptr) home().site.kept->give_back_staging(std::move(staging_));
}

void sharded_reduction::prepare() {
  if (is_alone()) return;  // that one call builds its program before it enqueues anything
  make_ready();
  make_upper_ready();
}

void sharded_reduction::run(void* result) {
  if (is_alone())
    return at_shard(home_, [&] {
      const wait_list after = waits_of(home().site, {&call_.x[home_].after, waits_of_y(home_)});
      reduce(home().site.queue, home().whole, result, {.after = after});
    });
  fold_tiles();
  at_shard(home_, [&] {
    fold_results(result);
    home().commands->finish();
  });
  if (is_indexed(*call_.fold)) find_place(result);
  give_back();
}

void reduce_sharded(const sharded_reduce_problem& call, void* result) {
  if (call.after != nullptr) call.after->wait();
  sharded_reduction all(call);
  all.prepare();
  all.run(result);
}

}  // namespace clwave::detail

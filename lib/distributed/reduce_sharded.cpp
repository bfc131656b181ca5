// Reductions of sharded: tiles are folded where they lie, cut tiles are put together, and the results of all
// tiles are folded on one device. Each step is a call that reduce describes.
#include <algorithm>
#include <string>

#include "call/markers.hpp"
#include "call/planning.hpp"
#include "distributed/shard_sums.hpp"
#include "distributed/sharded_reduction.hpp"

namespace clwave::detail {

sharded_reduction::sharded_reduction(const sharded_reduce_problem& call)
    : call_(call),
      lengths_(lengths_of(reduce_variant::primitive, call.x)),
      steps_(call, *call.x[0].elements.type, call.y.empty() ? 1 : 2),
      home_(lengths_.longest()),
      shards_(call.x.size()),
      all_(call.x.size(), call.before, call.of) {
  if (!call.y.empty() && call.y.size() != call.x.size())
    refuse(reduce_variant::primitive, "the two inputs are cut into " + std::to_string(call.x.size()) +
                                          " and " + std::to_string(call.y.size()) + " shards");
  all_.for_each_shard([this](std::size_t k) { check_shard(k); });
  place_at(0, lengths_.n);
  all_.set_home(home_);
}

void sharded_reduction::place_at(std::uint64_t begin, std::uint64_t n) {
  steps_.check(n);
  cuts_ = cut_at(lengths_.each, steps_.tile(), begin, n);
}

void sharded_reduction::check_shard(std::size_t k) {
  const erased_shard& x = call_.x[k];
  all_.set_shard(k, reduce_variant::primitive, x, call_.rows);
  check_events(all_.site(k), x.after, reduce_variant::primitive);
  if (inputs() == 2) {
    if (call_.y[k].queue != x.queue)
      refuse(reduce_variant::primitive, "the shard of the second input has another queue");
    check_events(all_.site(k), call_.y[k].after, reduce_variant::primitive);
  }
  shards_[k].whole = steps_.on_elements(x.elements, inputs() == 2 ? call_.y[k].elements : x.elements);
  static_cast<void>(problem_of(all_.site(k), shards_[k].whole));
}

reduce_problem sharded_reduction::subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const {
  reduce_problem call = shards_[k].whole;
  const auto cut = [&](any_view& view) {
    view.offset += static_cast<std::size_t>(from);
    view.n = static_cast<std::size_t>(n);
  };
  cut(call.in);
  if (call.in2) cut(*call.in2);
  return call;
}

// Where everything goes, before there is memory for it.
void sharded_reduction::make_places() {
  results_ = all_.take_at_home(cuts_.tiles, steps_.result().size);
  for (std::size_t k = 0; k < inputs(); ++k)
    gathered_[k] = all_.take_at_home(cuts_.cut.size() * steps_.tile(), value().size);
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count > 0)
      shards_[k].results = all_.take(k, tiles.count, steps_.result().size, result_place(tiles.first));
  }
  all_.take_fragments(cuts_, inputs(), value().size,
                      [this](std::size_t cut, std::size_t input) { return place_of(cut, input); });
}

void sharded_reduction::make_ready() {
  make_places();
  all_.for_each_shard([this](std::size_t k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) return;
    const reduce_problem problem = problem_of(all_.site(k), subcall(k, tiles.from, tiles.n));
    shards_[k].tiles = steps_.fit_tiles(all_.site(k), problem, tiles.first, shards_[k].results.at);
  });
  all_.do_at_home([this] {
    for (std::size_t c = 0; c < cuts_.cut.size(); ++c) {
      if (cuts_.cut[c].is_open()) continue;
      // In memory of which there is none yet, nothing is known of where elements lie.
      const auto in_memory = [&](std::size_t input) {
        return any_view(value(), cuts_.cut[c].n, place_of(c, input) / value().size);
      };
      const reduce_problem problem = steps_.on_elements(in_memory(0), in_memory(inputs() - 1));
      const std::uint64_t tile = cuts_.cut[c].number;
      cut_tiles_.push_back(steps_.fit_tiles(all_.home(), problem, tile, result_place(tile)));
    }
  });
}

// The programs of the levels above, and of the search in a tile: they are called for as other reductions are,
// and find them built.
void sharded_reduction::make_upper_ready() {
  all_.do_at_home([this] {
    steps_.prepare_upper(all_.home(), results_of_tiles(nullptr));
    if (steps_.is_indexed() && !cuts_.cut.empty()) steps_.prepare_search(all_.home(), cuts_.cut[0].n);
  });
  if (!steps_.is_indexed()) return;
  all_.for_each_shard([this](std::size_t k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) return;
    const auto first = std::min<std::uint64_t>(steps_.tile(), tiles.n);
    static_cast<void>(fit(all_.site(k), problem_of(all_.site(k), subcall(k, tiles.from, first))));
  });
}

// Enqueues all that shard `k` has to do: its tiles, and what it has of cut ones.
void sharded_reduction::start(std::size_t k) {
  const shard& own = shards_[k];
  if (lengths_.each[k] == 0) return;
  chain& commands = all_.start(k, {&call_.x[k].after, waits_of_y(k)});
  const any_view* const y = own.whole.in2 ? &*own.whole.in2 : nullptr;
  if (cuts_.whole[k].count > 0) {
    commands.run(own.tiles, {own.whole.in.buffer, y != nullptr ? y->buffer : nullptr, all_.memory(k)},
                 watches_tiles_);
    all_.send(own.results);
  }
  all_.send_fragments(k, {&own.whole.in, y});
  commands.flush();
}

// The result's index is that of a tile: it becomes that of the first such element in the tile.
void sharded_reduction::find_place(void* result) {
  steps_.find_place(result, [&](std::uint64_t tile, std::uint64_t /*first*/) {
    const auto cut = std::ranges::find(cuts_.cut, tile, &cut_tile::number);
    const auto has_tile = [tile](const whole_tiles& each) { return tile - each.first < each.count; };
    const auto whole = std::ranges::find_if(cuts_.whole, has_tile);
    std::size_t owner = home_;
    reduce_problem call;
    if (cut != cuts_.cut.end()) {
      const any_view x = gathered(all_.memory(), static_cast<std::size_t>(cut - cuts_.cut.begin()), 0);
      call = steps_.on_elements(x, x);
    } else if (whole != cuts_.whole.end()) {
      owner = static_cast<std::size_t>(whole - cuts_.whole.begin());
      const std::uint64_t first = (tile - whole->first) * steps_.tile();
      call = subcall(owner, whole->from + first, std::min<std::uint64_t>(steps_.tile(), whole->n - first));
    } else {
      steps_.refuse_index();
    }
    all_.at_shard(owner, [&] {
      // Behind commands that have ended: so an out-of-order queue need not end all else that it holds.
      reduce(all_.site(owner).queue, call, result, {.after = all_.commands(owner).behind()});
    });
  });
}

void sharded_reduction::fold_tiles() {
  all_.run([this](std::size_t k) { start(k); },
           [this] {
             all_.bring_home();
             const cl_mem memory = all_.memory();
             for (const ready_call<reduce_variant>& each : cut_tiles_)
               all_.commands().run(each, {memory, inputs() == 2 ? memory : nullptr, memory});
           });
}

void sharded_reduction::prepare() {
  if (is_alone()) return;  // that one call builds its program before it enqueues anything
  make_ready();
  make_upper_ready();
}

void sharded_reduction::run(void* result) {
  if (is_alone())
    return all_.do_at_home([&] {
      const wait_list after = waits_of(all_.home(), {&call_.x[home_].after, waits_of_y(home_)});
      reduce(all_.home().queue, shards_[home_].whole, result, {.after = after});
    });
  fold_tiles();
  all_.do_at_home([&] {
    reduce(all_.home().queue, steps_.on_results(results_of_tiles(all_.memory())), result,
           {.after = all_.commands().behind()});
    all_.commands().finish();
  });
  if (steps_.is_indexed()) find_place(result);
  all_.give_back();
}

void reduce_sharded(const sharded_reduce_problem& call, void* result) {
  if (call.after != nullptr) call.after->wait();
  if (may_sum_shards(call) && sum_shards(call, result)) return;
  sharded_reduction all(call);
  all.prepare();
  all.run(result);
}

}  // namespace clwave::detail

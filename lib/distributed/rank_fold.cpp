// Folds what one rank has of an array that lies with many.
#include "distributed/rank_fold.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "blocks/fold.hpp"
#include "call/context_entry.hpp"

namespace clwave::detail {

void rank_fold::place_at(std::uint64_t begin, std::uint64_t n) {
  sharded_reduction::place_at(begin, n);
  begin_ = begin;
  levels_.emplace(n, call_.sizes.tile);
}

node_bytes rank_fold::widths() const { return {value().size, inputs(), call_.folded->size}; }

// ------------------------------------------------------------------------------------------ what is prepared

void rank_fold::prepare(std::span<const std::uint64_t> bounds) {
  if (own_n_ > 0 && has_all()) return sharded_reduction::prepare();
  if (own_n_ > 0) {
    make_ready();
    at_shard(home_, [&] { prepare_upper_levels(); });
  }
  // The tiles that become whole with what the children send.
  for (std::size_t level = 1; level <= levels_->top(); ++level) {
    for (const whole_node& each : nodes_at_cuts(*levels_, level, bounds)) {
      at_shard(home_, [&] {
        const std::array<std::uint64_t, 2> places{};
        reduce_problem problem = problem_of_own(call_of_tile(level, nullptr, places, each.n));
        if (widths().arrays(level - 1) == 2) problem.in2 = problem.in;
        if (level == levels_->top())
          static_cast<void>(fit(home().site, problem));
        else
          static_cast<void>(fit_fold(home().site, problem, each.number, 0));
      });
    }
  }
}

// All tiles of results that lie whole in the rank. The top level's does not, for others have elements too.
void rank_fold::prepare_upper_levels() {
  for (std::size_t level = 2; level < levels_->top(); ++level) {
    const node_run nodes = levels_->complete(level, begin_, begin_ + own_n_);
    if (nodes.count == 0) return;
    const std::uint64_t first = nodes.first * levels_->tile(level - 1);
    const std::uint64_t last = std::min(nodes.end() * levels_->tile(level - 1), levels_->count(level - 1));
    const std::uint64_t from =
        place_of_level(level - 1) + (first - nodes_of(level - 1).first) * call_.folded->size;
    const std::uint64_t at = upper_layout_.add(nodes.count, call_.folded->size);
    const reduce_problem upper = upper_call(array_at(nullptr, from, last - first, *call_.folded));
    upper_levels_.push_back({at, nodes, fit_fold(home().site, problem_of_own(upper), nodes.first, at)});
  }
}

reduce_problem rank_fold::call_of_tile(std::size_t level, cl_mem memory,
                                       std::span<const std::uint64_t> places, std::uint64_t n) {
  if (level > 1) return upper_call(array_at(memory, places[0], n, *call_.folded));
  reduce_problem call = home().whole;
  call.in = array_at(memory, places[0], n, value());
  if (call.in2) call.in2 = array_at(memory, places[1], n, value());
  return call;
}

// ------------------------------------------------------------------------------------------ what is enqueued

open_fold rank_fold::own() {
  open_fold all{begin_, begin_ + own_n_};
  all.bytes.resize(static_cast<std::size_t>(open_bytes(*levels_, widths(), all.begin, all.end)));
  if (own_n_ == 0) return all;
  if (has_all()) {
    run(all.bytes.data());
    return all;
  }
  fold_tiles();
  try {
    at_shard(home_, [&] {
      fold_upper_levels();
      read_open(all);
      home().commands->finish();
    });
  } catch (...) {
    // What was enqueued writes to the bytes that go now.
    home().commands.reset();
    throw;
  }
  give_back();
  if (upper_) upper_->not_in_use();
  return all;
}

void rank_fold::fold_upper_levels() {
  if (upper_levels_.empty()) return;
  upper_.emplace(home().site, static_cast<std::size_t>(upper_layout_.own_bytes()));
  chain& commands = *home().commands;
  commands.starts_also_after(upper_->cleared().get());
  for (std::size_t level = 2; level < 2 + upper_levels_.size(); ++level)
    sharded_reduction::fold(commands, home().site, upper_levels_[level - 2].fold, buffer_of(level - 1),
                            nullptr, upper_->buffer());
}

// Enqueues the reads of what is open.
void rank_fold::read_open(open_fold& to) {
  chain& commands = *home().commands;
  const auto read_elements = [&](std::size_t input, const node_run& run, std::byte* bytes) {
    for_each_open(cuts_, levels_->tile(), run.first, run.end(), [&](std::size_t c, std::uint64_t first) {
      const cut_tile& tile = cuts_.cut[c];
      commands.read(memory_->buffer(), place_of(c, input) + tile.place * value().size,
                    tile.here * value().size, bytes + (first - run.first) * value().size);
    });
  };
  for_each_run(*levels_, widths(), to.begin, to.end,
               [&](std::size_t level, std::size_t input, const node_run& run, std::uint64_t at) {
                 std::byte* const bytes = to.bytes.data() + at;
                 if (level == 0) return read_elements(input, run, bytes);
                 const std::uint64_t first = run.first - nodes_of(level).first;
                 commands.read(buffer_of(level), place_of_level(level) + first * call_.folded->size,
                               run.count * call_.folded->size, bytes);
               });
}

void rank_fold::fold(std::span<const whole_node> tiles, std::byte* results) {
  at_shard(home_, [&] {
    const call_site& site = home().site;
    const std::size_t level = tiles.front().level;
    const std::size_t arrays = widths().arrays(level - 1), size = widths().of(level - 1);
    layout_of_arrays layout;
    std::vector<std::uint64_t> places;  // of each tile's arrays
    for (const whole_node& each : tiles)
      for (std::size_t k = 0; k < arrays; ++k) places.push_back(layout.add(each.n, size));
    const std::uint64_t results_at = layout.add(tiles.size(), call_.folded->size);
    workspace memory(site, static_cast<std::size_t>(layout.own_bytes()));
    chain commands(site);
    commands.starts_also_after(memory.cleared().get());
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const std::uint64_t n_bytes = tiles[t].n * size;
      for (std::size_t k = 0; k < arrays; ++k)
        commands.write(tiles[t].nodes.data() + k * n_bytes, memory.buffer(), places[t * arrays + k], n_bytes);
    }
    const auto call_of = [&](std::size_t t) {
      return call_of_tile(level, memory.buffer(), std::span(places).subspan(t * arrays, arrays), tiles[t].n);
    };
    if (level == levels_->top()) {
      reduce(site.queue, call_of(0), results, {.after = commands.behind()});
    } else {
      for (std::size_t t = 0; t < tiles.size(); ++t) {
        const auto ready = fit_fold(site, problem_of(site, call_of(t)), tiles[t].number,
                                    results_at + t * call_.folded->size);
        sharded_reduction::fold(commands, site, ready, memory.buffer(),
                                arrays == 2 ? memory.buffer() : nullptr, memory.buffer());
      }
      commands.read(memory.buffer(), results_at, tiles.size() * call_.folded->size, results);
    }
    commands.finish();
    memory.not_in_use();
  });
}

}  // namespace clwave::detail

// Folds what one rank has of an array that lies with many.
#include "parts/rank_fold.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "blocks/fold.hpp"
#include "call/context_entry.hpp"

namespace clwave::detail {

void rank_fold::place_at(std::uint64_t begin, std::uint64_t n) {
  parts_reduction::place_at(begin, n);
  begin_ = begin;
  levels_.emplace(n, call_.sizes.tile);
}

node_bytes rank_fold::widths() const { return {value().size, inputs(), call_.folded->size}; }

open_fold rank_fold::own() {
  open_fold all{begin_, begin_ + own_n_};
  all.bytes.resize(static_cast<std::size_t>(open_bytes(*levels_, widths(), all.begin, all.end)));
  if (own_n_ == 0) return all;
  if (own_n_ == levels_->n()) {
    run(all.bytes.data());
    return all;
  }
  fold_tiles();
  try {
    at_piece(home_, [&] {
      read_open(fold_upper_levels(), all);
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

// Enqueues the folds of all tiles of results that lie whole in the rank. The top level's does not, for others
// have elements too.
std::vector<rank_fold::level_results> rank_fold::fold_upper_levels() {
  const std::uint64_t end = begin_ + own_n_;
  std::vector<level_results> all{{memory_->buffer(), results_, {cuts_.first_tile, cuts_.tiles}}};
  layout_of_arrays layout;
  for (std::size_t level = 2; level < levels_->top(); ++level) {
    const node_run nodes = levels_->complete(level, begin_, end);
    if (nodes.count == 0) break;
    all.push_back({nullptr, layout.add(nodes.count, call_.folded->size), nodes});
  }
  if (all.size() == 1) return all;
  upper_.emplace(home().site, static_cast<std::size_t>(layout.own_bytes()));
  chain& commands = *home().commands;
  commands.starts_also_after(upper_->cleared());
  for (std::size_t k = 1; k < all.size(); ++k) {
    const level_results& below = all[k - 1];
    all[k].buffer = upper_->buffer();
    const std::uint64_t first = all[k].nodes.first * levels_->tile();
    const std::uint64_t last = std::min(all[k].nodes.end() * levels_->tile(), levels_->count(k));
    const reduce_call upper =
        upper_call(array_at(below.buffer, below.at + (first - below.nodes.first) * call_.folded->size,
                            last - first, *call_.folded));
    const auto ready = fit_fold(home().site, question_of(home().site, upper), all[k].nodes.first, all[k].at);
    parts_reduction::fold(commands, home().site, ready, below.buffer, nullptr, upper_->buffer());
  }
  return all;
}

// Enqueues the reads of what is open.
void rank_fold::read_open(std::span<const level_results> results, open_fold& to) {
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
                 const level_results& from = results[level - 1];
                 commands.read(from.buffer, from.at + (run.first - from.nodes.first) * call_.folded->size,
                               run.count * call_.folded->size, bytes);
               });
}

void rank_fold::fold(std::span<const whole_node> tiles, std::byte* results) {
  at_piece(home_, [&] {
    const call_site& site = home().site;
    const std::size_t level = tiles.front().level;
    const element& type = level == 1 ? value() : *call_.folded;
    const std::size_t arrays = widths().arrays(level - 1);
    layout_of_arrays layout;
    std::vector<std::uint64_t> places;  // of each tile's arrays
    for (const whole_node& each : tiles)
      for (std::size_t k = 0; k < arrays; ++k) places.push_back(layout.add(each.n, type.size));
    const std::uint64_t results_at = layout.add(tiles.size(), call_.folded->size);
    workspace memory(site, static_cast<std::size_t>(layout.own_bytes()));
    chain commands(site);
    commands.starts_after({});
    commands.starts_also_after(memory.cleared());
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const std::uint64_t n_bytes = tiles[t].n * type.size;
      for (std::size_t k = 0; k < arrays; ++k)
        commands.write(tiles[t].nodes.data() + k * n_bytes, memory.buffer(), places[t * arrays + k], n_bytes);
    }
    const auto call_of = [&](std::size_t t) {
      const operand nodes = array_at(memory.buffer(), places[t * arrays], tiles[t].n, type);
      if (level > 1) return upper_call(nodes);
      reduce_call call = home().whole;
      call.in = nodes;
      if (call.in2) call.in2 = array_at(memory.buffer(), places[t * arrays + 1], tiles[t].n, type);
      return call;
    };
    if (level == levels_->top()) {
      wait_list after;
      for (const cl_event e : commands.next_after()) after.add(e);
      reduce_to_host(site.queue, call_of(0), results, {.after = after});
    } else {
      for (std::size_t t = 0; t < tiles.size(); ++t) {
        const auto ready = fit_fold(site, question_of(site, call_of(t)), tiles[t].number,
                                    results_at + t * call_.folded->size);
        parts_reduction::fold(commands, site, ready, memory.buffer(), arrays == 2 ? memory.buffer() : nullptr,
                              memory.buffer());
      }
      commands.read(memory.buffer(), results_at, tiles.size() * call_.folded->size, results);
    }
    commands.finish();
    memory.not_in_use();
  });
}

}  // namespace clwave::detail

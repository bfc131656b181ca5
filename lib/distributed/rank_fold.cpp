// Folds what one rank has of an array that lies with many.
#include "distributed/rank_fold.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "blocks/fold.hpp"
#include "call/context_entry.hpp"

namespace clwave::detail {

void rank_fold::place_at(std::uint64_t begin, std::uint64_t n) {
  sharded_reduction::place_at(begin, n);
  begin_ = begin;
  levels_.emplace(n, steps_.tile());
}

node_bytes rank_fold::widths() const { return {value().size, inputs(), steps_.result().size}; }

// ------------------------------------------------------------------------------------------ what is prepared

void rank_fold::prepare(std::span<const std::uint64_t> bounds, std::size_t last_level) {
  if (lengths_.n > 0 && has_all()) return sharded_reduction::prepare();
  if (lengths_.n > 0) {
    make_ready();
    all_.do_at_home([&] { prepare_upper_levels(); });
  }
  // The tiles that become whole with what the children send.
  for (std::size_t level = 1; level <= std::min(levels_->top(), last_level); ++level) {
    for (const whole_node& each : nodes_at_cuts(*levels_, level, bounds)) {
      all_.do_at_home([&] {
        const std::array<std::uint64_t, 2> places{};
        reduce_problem problem = problem_of_own(call_of_tile(level, nullptr, places, each.n));
        if (widths().arrays(level - 1) == 2) problem.in2 = problem.in;
        if (level == levels_->top())
          static_cast<void>(fit(all_.home(), problem));
        else
          static_cast<void>(steps_.fit_tiles(all_.home(), problem, each.number, 0));
      });
    }
  }
}

// All tiles of results that lie whole in the rank. The top level's does not, because others have elements
// too.
void rank_fold::prepare_upper_levels() {
  for (std::size_t level = 2; level < levels_->top(); ++level) {
    const node_run nodes = levels_->complete(level, begin_, begin_ + lengths_.n);
    if (nodes.count == 0) return;
    const std::uint64_t first = nodes.first * levels_->tile(level - 1);
    const std::uint64_t last = std::min(nodes.end() * levels_->tile(level - 1), levels_->count(level - 1));
    const std::uint64_t from =
        place_of_level(level - 1) + (first - nodes_of(level - 1).first) * steps_.result().size;
    const std::uint64_t at = upper_layout_.add(nodes.count, steps_.result().size);
    const reduce_problem upper = steps_.on_results(array_at(nullptr, from, last - first, steps_.result()));
    upper_levels_.push_back(
        {at, nodes, steps_.fit_tiles(all_.home(), problem_of_own(upper), nodes.first, at)});
  }
}

reduce_problem rank_fold::call_of_tile(std::size_t level, cl_mem memory,
                                       std::span<const std::uint64_t> places, std::uint64_t n) {
  if (level > 1) return steps_.on_results(array_at(memory, places[0], n, steps_.result()));
  return steps_.on_elements(array_at(memory, places[0], n, value()),
                            array_at(memory, places[inputs() - 1], n, value()));
}

// ------------------------------------------------------------------------------------------ what is enqueued

// What a kernel is to overwrite.
namespace {
constexpr unsigned char not_written = 0xa7;
}

void rank_fold::start() {
  if (lengths_.n == 0 || has_all()) return;
  all_.do_at_home([&] {
    const std::uint64_t n_bytes = open_bytes(*levels_, widths(), begin_, begin_ + lengths_.n);
    if (open_ == nullptr)
      open_ = all_.home().kept->take_staging(all_.home().device,
                                             static_cast<std::size_t>(n_bytes) + steps_.result().size);
    send_straight();
  });
  fold_tiles();
}

void rank_fold::go_on() {
  if (lengths_.n == 0 || has_all()) return;
  all_.do_at_home([&] {
    fold_upper_levels();
    read_open();
    all_.commands().flush();
  });
}

open_fold rank_fold::finish() {
  open_fold all{begin_, begin_ + lengths_.n};
  all.bytes.resize(static_cast<std::size_t>(open_bytes(*levels_, widths(), all.begin, all.end)));
  if (lengths_.n == 0) return all;
  if (has_all()) {
    run(all.bytes.data());
    return all;
  }
  all_.do_at_home([&] { all_.commands().finish(); });
  if (is_not_written()) {
    // Where it was only assumed that the kernel reaches the host's memory, later calls will know.
    all_.home().kept->device(all_.home().device).facts();
    writes_straight_ = false;
    start();
    go_on();
    all_.do_at_home([&] { all_.commands().finish(); });
  }
  std::memcpy(all.bytes.data(), open_bytes_here(), all.bytes.size());
  all_.give_back();
  if (upper_) upper_->not_in_use();
  all_.home().kept->give_back_staging(std::move(open_));
  return all;
}

void rank_fold::send_straight() {
  straight_ = {};
  shift_ = 0;
  watches_tiles_ = true;
  if (shards_.size() > 1 || cuts_.tiles == 0) return;
  ready_call<reduce_variant>& last = last_fold();
  if (!last.call.variant.fold.to_host) return;
  const std::size_t its_level = 1 + upper_levels_.size();
  if (writes_straight_)
    for_each_run(*levels_, widths(), begin_, begin_ + lengths_.n,
                 [&](std::size_t level, std::size_t, const node_run& run, std::uint64_t at) {
                   if (level == its_level) straight_ = {at, run.count * steps_.result().size};
                 });
  const std::size_t past = static_cast<std::size_t>(straight_.first % steps_.result().size);
  if (past > 0) shift_ = steps_.result().size - past;
  std::byte* const to = open_bytes_here() + straight_.first;
  std::memset(to, not_written, static_cast<std::size_t>(straight_.count));
  // If no upper level and no read follows the folds of tiles, these need no event: is_not_written() sees in
  // the host's memory whether they have run.
  watches_tiles_ =
      straight_.count < open_bytes(*levels_, widths(), begin_, begin_ + lengths_.n) || its_level > 1;
  last.call.work.launches.front().set_host_address("host", straight_.count > 0 ? to : nullptr);
}

bool rank_fold::is_not_written() const {
  const std::byte* const to = open_bytes_here() + straight_.first;
  return straight_.count > 0 &&
         std::all_of(to, to + straight_.count, [](std::byte each) { return each == std::byte{not_written}; });
}

void rank_fold::fold_upper_levels() {
  if (upper_levels_.empty()) return;
  upper_.emplace(all_.home(), static_cast<std::size_t>(upper_layout_.own_bytes()));
  chain& commands = all_.commands();
  commands.starts_also_after(upper_->cleared().get());
  for (std::size_t level = 2; level < 2 + upper_levels_.size(); ++level)
    commands.run(upper_levels_[level - 2].fold, {buffer_of(level - 1), upper_->buffer()});
}

// Enqueues the reads of what is open.
void rank_fold::read_open() {
  chain& commands = all_.commands();
  const auto read_elements = [&](std::size_t input, const node_run& run, std::byte* bytes) {
    for_each_open(cuts_, levels_->tile(), run.first, run.end(), [&](std::size_t c, std::uint64_t first) {
      const cut_tile& tile = cuts_.cut[c];
      commands.read(all_.memory(), place_of(c, input) + tile.place * value().size, tile.here * value().size,
                    bytes + (first - run.first) * value().size);
    });
  };
  for_each_run(*levels_, widths(), begin_, begin_ + lengths_.n,
               [&](std::size_t level, std::size_t input, const node_run& run, std::uint64_t at) {
                 std::byte* const bytes = open_bytes_here() + at;
                 if (straight_.count > 0 && at == straight_.first) return;
                 if (level == 0) return read_elements(input, run, bytes);
                 const std::uint64_t first = run.first - nodes_of(level).first;
                 commands.read(buffer_of(level), place_of_level(level) + first * steps_.result().size,
                               run.count * steps_.result().size, bytes);
               });
}

void rank_fold::fold(std::span<const whole_node> tiles, std::byte* results) {
  all_.do_at_home([&] {
    const call_site& site = all_.home();
    const std::size_t level = tiles.front().level;
    const std::size_t arrays = widths().arrays(level - 1), size = widths().of(level - 1);
    layout_of_arrays layout;
    std::vector<std::uint64_t> places;  // of each tile's arrays
    for (const whole_node& each : tiles)
      for (std::size_t k = 0; k < arrays; ++k) places.push_back(layout.add(each.n, size));
    const std::uint64_t results_at = layout.add(tiles.size(), steps_.result().size);
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
        const auto ready = steps_.fit_tiles(site, problem_of(site, call_of(t)), tiles[t].number,
                                            results_at + t * steps_.result().size);
        commands.run(ready, {memory.buffer(), arrays == 2 ? memory.buffer() : nullptr, memory.buffer()});
      }
      commands.read(memory.buffer(), results_at, tiles.size() * steps_.result().size, results);
    }
    commands.finish();
    memory.not_in_use();
  });
}

}  // namespace clwave::detail

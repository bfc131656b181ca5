// Scans what one rank has of an array that lies with many.
#include "distributed/rank_scan.hpp"

#include <algorithm>

#include "call/planning.hpp"

namespace clwave::detail {

void rank_scan::place_at(std::uint64_t begin, std::uint64_t n) {
  sharded_scan::place_at(begin, n);
  levels_.emplace(n, std::initializer_list<std::uint64_t>{tile(), steps_.sizes().tiles});
}

void rank_scan::prepare_joins(std::vector<std::uint64_t> bounds) {
  const auto stretch_of_element = [this](std::uint64_t i) { return levels().node_of(levels().top(), i); };
  const std::uint64_t begin = bounds.front(), end = bounds.back();
  // What a prefix has of the first stretch joins, too.
  bounds.insert(bounds.begin(), begin_of_stretch(levels(), begin));
  bool joins = std::ranges::any_of(bounds, [&](std::uint64_t each) {
    return each < end && stretch_of_element(each) > stretch_of_element(begin);
  });
  for (std::size_t level = 1; level <= levels().top(); ++level)
    joins = joins || !nodes_at_cuts(levels(), level, bounds).empty();
  if (!joins) return;
  // One program has all steps, of arrays that begin where packets do.
  all_.do_at_home([&] {
    steps_.fit_step(all_.home(), at_places(0, 0, tile()), {.step = scan_step::folds, .whole = tile()});
  });
}

// ------------------------------------------------------------------------------------ what others need of it

open_fold rank_scan::own() {
  open_fold all{begin_, end()};
  all.bytes.resize(static_cast<std::size_t>(open_bytes(levels(), widths(), all.begin, all.end)));
  if (lengths_.n == 0) return all;
  make_places();
  make_ready();
  const std::uint64_t first = blocks_of(begin_, stretch());
  all_.do_at_home([&] {
    if (first < end_of_stretches()) own_tiles_ = fit_at_home(scan_step::tiles, first, end());
    if (first > first_stretch())
      head_tiles_ = fit_at_home(scan_step::tiles, first_stretch(), std::min(end(), first * stretch()));
    stretches_ = fit_at_home(scan_step::stretches, first_stretch(), end());
  });
  try {
    all_.run([this](std::size_t k) { start(k); },
             [&] {
               read_open(all);
               all_.commands().finish();
             });
  } catch (...) {
    // What was enqueued writes to the bytes that go now.
    all_.abandon_home();
    throw;
  }
  return all;
}

// Enqueues at home the folds of cut tiles that begin in the rank and of its stretches, and the reads of what
// is open. That of a tile is read before it becomes what stands before the tile.
void rank_scan::read_open(open_fold& to) {
  chain& commands = all_.commands();
  const cl_mem memory = all_.memory();
  all_.bring_home();
  for (std::size_t c = 0; c < gathered_.size(); ++c)
    if (cuts_.cut[c].place == 0) commands.run(gathered_[c].fold, {memory, memory});
  const auto read_elements = [&](const node_run& run, std::byte* bytes) {
    for_each_open(cuts_, tile(), run.first, run.end(), [&](std::size_t c, std::uint64_t first) {
      const cut_tile& tile = cuts_.cut[c];
      commands.read(memory, gathered_[c].elements + tile.place * value().size, tile.here * value().size,
                    bytes + (first - run.first) * value().size);
    });
  };
  const auto read_level = [&](std::size_t wanted) {
    for_each_run(levels(), widths(), to.begin, to.end,
                 [&](std::size_t level, std::size_t /*array*/, const node_run& run, std::uint64_t at) {
                   std::byte* const bytes = to.bytes.data() + at;
                   if (level != wanted) return;
                   if (level == 0) return read_elements(run, bytes);
                   const std::uint64_t first =
                       level == 1 ? place_of_tile(run.first) : place_of_stretch(run.first);
                   commands.read(memory, first, run.count * result().size, bytes);
                 });
  };
  read_level(0);
  read_level(1);
  if (own_tiles_) commands.run(*own_tiles_, {memory});
  read_level(2);
}

void rank_scan::fold(std::span<const whole_node> nodes, std::byte* results) {
  all_.do_at_home([&] {
    const call_site& site = all_.home();
    const bool are_tiles = nodes.front().level == 1;
    const std::size_t size = result().size;
    layout_of_arrays layout;
    std::vector<std::uint64_t> places;
    for (const whole_node& each : nodes) places.push_back(layout.add(each.n, widths().of(each.level - 1)));
    const std::uint64_t results_at = layout.add(nodes.size(), size);
    workspace memory(site, static_cast<std::size_t>(layout.own_bytes()));
    chain commands(site);
    commands.starts_also_after(memory.cleared().get());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::uint64_t n = nodes[k].n, at = nodes[k].number * tile(), result_at = results_at / size + k;
      commands.write(nodes[k].nodes.data(), memory.buffer(), places[k], nodes[k].nodes.size());
      if (are_tiles) {
        const auto ready = steps_.fit_step(site, at_places(places[k], 0, n),
                                           {.at = at, .whole = at + n, .tiles_at = result_at});
        commands.run(ready, {memory.buffer(), memory.buffer()});
      } else {
        // As if it were an input's first.
        const auto ready = steps_.fit_step(site, at_places(0, 0, n * tile()),
                                           {.step = scan_step::tiles,
                                            .whole = n * tile(),
                                            .tiles_at = places[k] / size,
                                            .stretches_at = result_at});
        commands.run(ready, {memory.buffer()});
      }
    }
    commands.read(memory.buffer(), results_at, nodes.size() * size, results);
    commands.finish();
    memory.not_in_use();
  });
}

std::vector<std::byte> rank_scan::folds_before(std::span<const std::uint64_t> stretches, std::uint64_t first,
                                               std::span<const std::byte> earlier,
                                               std::span<const std::byte> folds) {
  const std::size_t size = result().size;
  std::vector<std::byte> all(stretches.size() * size);
  all_.do_at_home([&] {
    const call_site& site = all_.home();
    layout_of_arrays layout;
    // Behind them `earlier`, and then the fold of all.
    const std::uint64_t count = folds.size() / size, at = layout.add(count + 1, size);
    workspace memory(site, static_cast<std::size_t>(layout.own_bytes()));
    chain commands(site);
    commands.starts_also_after(memory.cleared().get());
    commands.write(folds.data(), memory.buffer(), at, folds.size());
    if (!earlier.empty()) commands.write(earlier.data(), memory.buffer(), at + folds.size(), size);
    const auto ready = steps_.fit_step(site, at_places(0, 0, count * stretch()),
                                       {.step = scan_step::stretches,
                                        .at = first * stretch(),
                                        .whole = (first + count) * stretch(),
                                        .stretches_at = at / size});
    commands.run(ready, {memory.buffer()});
    for (std::size_t k = 0; k < stretches.size(); ++k)
      commands.read(memory.buffer(), at + (stretches[k] - first) * size, size, all.data() + k * size);
    commands.finish();
    memory.not_in_use();
  });
  return all;
}

// ---------------------------------------------------------------------------------------------- the results

void rank_scan::give(const scan_prefix& before) {
  if (lengths_.n == 0) return;
  try {
    all_.do_at_home([&] {
      take(before);
      scan_cut_tiles();
    });
    give_all_results();
  } catch (...) {
    // What was enqueued reads the bytes that may go now.
    all_.abandon_home();
    throw;
  }
}

// Enqueues what stands before the rank's tiles and stretches.
void rank_scan::take(const scan_prefix& before) {
  chain& commands = all_.commands();
  const cl_mem memory = all_.memory();
  for_each_run(levels(), widths(), before.of_stretch.begin, before.of_stretch.end,
               [&](std::size_t level, std::size_t /*array*/, const node_run& run, std::uint64_t at) {
                 const std::byte* const bytes = before.of_stretch.bytes.data() + at;
                 if (level == 0)
                   commands.write(bytes, memory, gathered_.front().elements, run.count * value().size);
                 else
                   commands.write(bytes, memory, place_of_tile(run.first), run.count * result().size);
               });
  if (!before.of_earlier.empty())
    commands.write(before.of_earlier.data(), memory, place_of_stretch(end_of_stretches()), result().size);
  for (std::size_t c = 0; c < gathered_.size(); ++c)
    if (cuts_.cut[c].place > 0) commands.run(gathered_[c].fold, {memory, memory});
  if (head_tiles_) commands.run(*head_tiles_, {memory});
  commands.run(*stretches_, {memory});
}

}  // namespace clwave::detail

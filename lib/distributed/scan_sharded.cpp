// Scans of sharded: tiles are folded where they lie, cut tiles are put together, on one device it is found
// what stands before each tile, and each device writes its results. Each step is a call that scan describes.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "call/markers.hpp"
#include "call/planning.hpp"
#include "distributed/scan_sharded.hpp"

namespace clwave::detail {
// ----------------------------------------------------------------------------------------- what is checked

sharded_scan::sharded_scan(const sharded_scan_problem& call) : call_(call) {
  check_has_shards(scan_variant::primitive, call.in.size());
  if (call.out.size() != call.in.size())
    refuse(scan_variant::primitive, "the input is cut into " + std::to_string(call.in.size()) +
                                        " shards, the output into " + std::to_string(call.out.size()));
  sizes_ = call.sizes.value_or(scan_sizes::of_results_of(result().size));
  shards_.resize(call.in.size());
  std::vector<operand_bytes> in, out;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    n_ = counting{scan_variant::primitive, "all shards together"}.plus(n_, call.in[k].elements.n);
    lengths_.push_back(call.in[k].elements.n);
    at_shard(k, [&] {
      check_shard(k);
      const checked_scan checked(shards_[k].site, shards_[k].whole);
      // What takes its elements' place overlaps nothing that these do not.
      in.push_back(checked.problem().in_place ? operand_bytes{} : checked.operands().bytes(0));
      out.push_back(checked.operands().bytes(1));
    });
  }
  check_overlaps(in, out);
  cuts_ = cut_at(lengths_, tile());
  choose_home();
}

void sharded_scan::place_at(std::uint64_t begin, std::uint64_t n) {
  begin_ = begin;
  cuts_ = cut_at(lengths_, tile(), begin, n);
}

void sharded_scan::check_shard(std::size_t k) {
  const erased_shard &in = call_.in[k], &out = call_.out[k];
  shard& own = shards_[k];
  own.site = site_of(in.queue, scan_variant::primitive);
  if (!call_.rows.empty()) own.site.on.choice = call_.rows[k];
  if (out.queue != in.queue) refuse(scan_variant::primitive, "the shard of the output has another queue");
  if (out.is_const)
    refuse(scan_variant::primitive, "the elements of the output are const",
           "give sharded<T> views of T for an output");
  own.whole = {.in = in.elements,
               .out = out.elements,
               .fold = call_.fold,
               .apply = call_.apply,
               .exclusive = call_.exclusive,
               .start = call_.start,
               .sizes = sizes_};
  check_typed(scan_variant::primitive, {{"the input", in.elements}, {"the output", out.elements}});
  check_scan(scan_variant::primitive, {in.elements.type, out.elements.type, call_.fold, call_.apply},
             own.site.on);
  for (const erased_shard* const each : {&in, &out})
    check_events(own.site, each->after, scan_variant::primitive);
}

// No shard's results may lie where another shard has elements or results; what a shard's own may do has been
// checked.
void sharded_scan::check_overlaps(const std::vector<operand_bytes>& in,
                                  const std::vector<operand_bytes>& out) {
  struct range {
    operand_bytes bytes;
    std::size_t shard;
    bool is_output;
  };
  std::vector<range> all;
  const auto add = [&all](const std::vector<operand_bytes>& ranges, bool is_output) {
    for (std::size_t k = 0; k < ranges.size(); ++k)
      if (ranges[k].whole != nullptr) all.push_back({ranges[k], k, is_output});
  };
  add(in, false);
  add(out, true);
  std::ranges::sort(all, [](const range& a, const range& b) {
    return std::pair(a.bytes.whole, a.bytes.first) < std::pair(b.bytes.whole, b.bytes.first);
  });
  // Of those of a buffer that begin before, the one that ends last: of inputs, and of outputs.
  std::array<const range*, 2> last{};
  for (const range& each : all) {
    for (const range*& before : last) {
      if (before == nullptr) continue;
      if (before->bytes.whole != each.bytes.whole) {
        before = nullptr;
      } else if (each.bytes.first < before->bytes.end && (before->is_output || each.is_output)) {
        const auto name = [](const range& of) {
          return std::string(of.is_output ? "the output" : "the input");
        };
        at_shard(each.shard, [&] {
          refuse(scan_variant::primitive, name(each) + " and " + name(*before) + " of shard " +
                                              std::to_string(before->shard + 1) + " overlap");
        });
      }
    }
    const range*& of_kind = last[each.is_output ? 1 : 0];
    if (of_kind == nullptr || of_kind->bytes.end < each.bytes.end) of_kind = &each;
  }
}

// The shard of most elements has what stands before tiles found: its values need not leave its device. Only
// shards of its queue write there too: what earlier commands do with the workspace is kept apart by that
// queue's order alone.
void sharded_scan::choose_home() {
  const auto most = std::ranges::max_element(lengths_);
  home_ = static_cast<std::size_t>(most - lengths_.begin());
  for (shard& each : shards_) each.at_home = each.site.queue == home().site.queue;
}

// An array in one shard is any other input.
bool sharded_scan::is_alone() {
  if (n_ != lengths_[home_]) return false;
  at_shard(home_, [&] {
    const wait_list after = waits_of(home().site, {&call_.in[home_].after, &call_.out[home_].after});
    scan(home().site.queue, home().whole, launch_options{.after = after}).wait();
  });
  return true;
}

// ----------------------------------------------------------------------------------------- what is prepared

// Where everything goes, before there is memory for it.
void sharded_scan::make_places() {
  const std::size_t size = result().size;
  tiles_ = layout_.add(blocks_of(end(), tile()) - first_stretch() * sizes_.tiles, size);
  // Behind the last stretch's what stands before the first.
  stretches_ = layout_.add(end_of_stretches() - first_stretch() + 1, size);
  const auto stage = [this](std::uint64_t n_bytes) {
    return std::exchange(n_staged_, round_up(n_staged_ + n_bytes, 128));
  };
  gathered_.resize(cuts_.cut.size());
  for (gathered_tile& each : gathered_) each.elements = layout_.add(tile(), value().size);
  for (gathered_tile& each : gathered_) each.results = layout_.add(tile(), size);
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    own.n_stretches = stretch_of(tiles.first + tiles.count - 1) - stretch_of(tiles.first) + 1;
    if (own.at_home) {
      own.tiles = place_of_tile(tiles.first);
      own.stretches = place_of_stretch(stretch_of(tiles.first));
    } else {
      own.tiles = own.layout.add(tiles.count, size);
      own.stretches = own.layout.add(own.n_stretches, size);
      own.staged = stage((tiles.count + own.n_stretches) * size);
    }
  }
  for (const fragment& each : cuts_.fragments) {
    shard& own = shards_[each.shard];
    if (own.at_home) {
      fragments_.emplace_back();
      continue;
    }
    const std::size_t larger = std::max(value().size, size);
    fragments_.push_back({own.layout.add(each.n, larger), stage(each.n * larger)});
  }
}

scan_problem sharded_scan::subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const {
  scan_problem part = shards_[k].whole;
  for (any_view* const view : {&part.in, &part.out}) {
    view->offset += static_cast<std::size_t>(from);
    view->n = static_cast<std::size_t>(n);
  }
  return part;
}

ready_call<scan_variant> sharded_scan::fit_step(const call_site& site, scan_problem problem,
                                                const scan_piece& step) {
  problem.piece = step;
  auto ready = fit(site, problem);
  set_start(scan_variant::primitive, ready.call.work, *call_.fold, result(), call_.exclusive, call_.start);
  return ready;
}

ready_call<scan_variant> sharded_scan::fit_at_home(scan_step step, std::uint64_t first, std::uint64_t end) {
  const std::size_t size = result().size;
  scan_problem problem = *at_home_;
  problem.in.n = end - first * stretch();
  return fit_step(home().site, problem,
                  {.step = step,
                   .at = first * stretch(),
                   .whole = end,
                   .tiles_at = place_of_tile(first * sizes_.tiles) / size,
                   .stretches_at = place_of_stretch(first) / size});
}

scan_problem sharded_scan::problem_of(std::uint64_t elements_at, std::uint64_t results_at,
                                      std::uint64_t n) const {
  return detail::problem_of(call_, {value(), n, elements_at / value().size},
                            {result(), n, results_at / result().size}, n, sizes_);
}

// Describes the steps of shards and of cut tiles, and gets their programs.
void sharded_scan::make_ready() {
  const std::size_t size = result().size;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    at_shard(k, [&] {
      const checked_scan checked(own.site, subcall(k, tiles.from, tiles.n));
      const scan_problem& problem = checked.problem();
      scan_piece step{.at = tiles.first * tile(), .whole = end(), .tiles_at = own.tiles / size};
      own.folds = fit_step(own.site, problem, step);
      step.step = scan_step::results;
      step.stretches_at = own.stretches / size;
      own.results = fit_step(own.site, problem, step);
      if (own.at_home) at_home_ = problem;
    });
  }
  for (std::size_t c = 0; c < gathered_.size(); ++c) {
    gathered_tile& each = gathered_[c];
    const std::uint64_t number = cuts_.cut[c].number, n = cuts_.cut[c].place + cuts_.cut[c].here;
    const scan_problem problem = problem_of(each.elements, each.results, n);
    at_shard(home_, [&] {
      scan_piece step{
          .at = number * tile(), .whole = number * tile() + n, .tiles_at = place_of_tile(number) / size};
      each.fold = fit_step(home().site, problem, step);
      step.step = scan_step::results;
      step.stretches_at = place_of_stretch(stretch_of(number)) / size;
      each.scan = fit_step(home().site, problem, step);
    });
    if (!at_home_) at_home_ = problem;
  }
}

void sharded_scan::make_memory() {
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

// ------------------------------------------------------------------------------------------ what is enqueued

void sharded_scan::enqueue_step(chain& commands, const call_site& site, const ready_call<scan_variant>& ready,
                                std::initializer_list<cl_mem> buffers) {
  commands.goes_on_with(enqueue(site, ready, {buffers.begin(), buffers.size()}, commands.next_after(), true));
}

// The folds of a shard's tiles, and what it has of cut ones.
void sharded_scan::start(std::size_t k) {
  shard& own = shards_[k];
  if (own.whole.in.n == 0) return;
  own.commands = std::make_unique<chain>(own.site);
  chain& commands = *own.commands;
  commands.starts_after({&call_.in[k].after, &call_.out[k].after});
  commands.starts_also_after((own.at_home ? *memory_ : *own.memory).cleared().get());
  const whole_tiles& tiles = cuts_.whole[k];
  if (tiles.count > 0) {
    enqueue_step(commands, own.site, own.folds, {own.whole.in.buffer, memory_of(k)});
    if (!own.at_home) commands.read(memory_of(k), own.tiles, tiles.count * result().size, staged(own.staged));
  }
  start_fragments(k);
  commands.flush();
}

// Through memory of the call's own: the host may not be allowed to read the caller's.
void sharded_scan::start_fragments(std::size_t k) {
  shard& own = shards_[k];
  const std::size_t size = value().size;
  const auto [first, end] = cuts_.fragments_of(k);
  for (std::size_t f = first; f < end; ++f) {
    const fragment& each = cuts_.fragments[f];
    const std::uint64_t from = (own.whole.in.offset + each.from) * size, n_bytes = each.n * size;
    const std::uint64_t at =
        own.at_home ? gathered_[each.cut].elements + each.place * size : fragments_[f].at;
    own.commands->copy(own.whole.in.buffer, from, memory_of(k), at, n_bytes);
    if (!own.at_home) own.commands->read(memory_of(k), at, n_bytes, staged(fragments_[f].staged));
  }
}

void sharded_scan::wait_for(std::unique_ptr<chain> shard::*commands, std::optional<std::size_t> except) {
  std::optional<error> failed;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    if (k == except || shards_[k].*commands == nullptr) continue;
    try {
      at_shard(k, [&] { (shards_[k].*commands)->finish(); });
    } catch (const error& trouble) {
      if (!failed) failed = trouble;
    }
  }
  if (failed) throw *failed;
}

// Enqueues at home what has come from other devices.
void sharded_scan::bring_home() {
  chain& commands = *home().commands;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (shards_[k].at_home || tiles.count == 0) continue;
    commands.write(staged(shards_[k].staged), memory_->buffer(), place_of_tile(tiles.first),
                   tiles.count * result().size);
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) {
    const fragment& each = cuts_.fragments[f];
    if (!shards_[each.shard].at_home)
      commands.write(staged(fragments_[f].staged), memory_->buffer(),
                     gathered_[each.cut].elements + each.place * value().size, each.n * value().size);
  }
}

// Enqueues at home the reads of what goes back to other devices.
void sharded_scan::send_back() {
  chain& commands = *home().commands;
  const std::size_t size = result().size;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const shard& own = shards_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (own.at_home || tiles.count == 0) continue;
    commands.read(memory_->buffer(), place_of_tile(tiles.first), tiles.count * size, staged(own.staged));
    commands.read(memory_->buffer(), place_of_stretch(stretch_of(tiles.first)), own.n_stretches * size,
                  staged(own.staged + tiles.count * size));
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) {
    const fragment& each = cuts_.fragments[f];
    if (!shards_[each.shard].at_home)
      commands.read(memory_->buffer(), gathered_[each.cut].results + each.place * size, each.n * size,
                    staged(fragments_[f].staged));
  }
}

// All folds of whole tiles have ended, but for those of the home's own shard.
void sharded_scan::find_what_stands_before() {
  chain& commands = *home().commands;
  const cl_mem memory = memory_->buffer();
  bring_home();
  for (const gathered_tile& each : gathered_)
    enqueue_step(commands, home().site, each.fold, {memory, memory});
  for (const ready_call<scan_variant>* const each : {&tiles_before_, &stretches_before_})
    enqueue_step(commands, home().site, *each, {memory});
  scan_cut_tiles();
}

void sharded_scan::scan_cut_tiles() {
  chain& commands = *home().commands;
  const cl_mem memory = memory_->buffer();
  for (const gathered_tile& each : gathered_)
    enqueue_step(commands, home().site, each.scan, {memory, memory, memory});
  send_back();
  commands.flush();
}

// The home goes on while the others are waited for.
void sharded_scan::give_all_results() {
  for (std::size_t k = 0; k < shards_.size(); ++k)
    if (shards_[k].at_home) at_shard(k, [&] { give_results(k); });
  at_shard(home_, [&] { home().commands->finish(); });
  for (std::size_t k = 0; k < shards_.size(); ++k)
    if (!shards_[k].at_home) at_shard(k, [&] { give_results(k); });
  wait_for(&shard::last_commands, std::nullopt);
  give_back();
}

// The results of a shard, for which all that it needs is at home or in the host's memory.
void sharded_scan::give_results(std::size_t k) {
  shard& own = shards_[k];
  if (own.whole.in.n == 0) return;
  own.last_commands = std::make_unique<chain>(own.site);
  chain& commands = *own.last_commands;
  const wait_list before = (own.at_home ? *home().commands : *own.commands).behind();
  commands.starts_after({&before});
  const whole_tiles& tiles = cuts_.whole[k];
  if (tiles.count > 0) {
    const std::size_t size = result().size;
    if (!own.at_home) {
      commands.write(staged(own.staged), memory_of(k), own.tiles, tiles.count * size);
      commands.write(staged(own.staged + tiles.count * size), memory_of(k), own.stretches,
                     own.n_stretches * size);
    }
    enqueue_step(commands, own.site, own.results, {own.whole.in.buffer, own.whole.out.buffer, memory_of(k)});
  }
  give_fragments(k);
  commands.flush();
}

void sharded_scan::give_fragments(std::size_t k) {
  shard& own = shards_[k];
  const std::size_t size = result().size;
  const auto [first, end] = cuts_.fragments_of(k);
  for (std::size_t f = first; f < end; ++f) {
    const fragment& each = cuts_.fragments[f];
    const std::uint64_t to = (own.whole.out.offset + each.from) * size, n_bytes = each.n * size;
    const std::uint64_t at = own.at_home ? gathered_[each.cut].results + each.place * size : fragments_[f].at;
    if (!own.at_home) own.last_commands->write(staged(fragments_[f].staged), memory_of(k), at, n_bytes);
    own.last_commands->copy(memory_of(k), at, own.whole.out.buffer, to, n_bytes);
  }
}

// All commands have ended well.
void sharded_scan::give_back() {
  memory_->not_in_use();
  for (shard& each : shards_)
    if (each.memory != nullptr) each.memory->not_in_use();
  if (staging_ != nullptr) home().site.kept->give_back_staging(std::move(staging_));
}

void sharded_scan::run() {
  if (is_alone()) return;
  make_places();
  make_ready();
  at_shard(home_, [&] {
    tiles_before_ = fit_at_home(scan_step::tiles, 0, n_);
    stretches_before_ = fit_at_home(scan_step::stretches, 0, n_);
  });
  make_memory();
  for (std::size_t k = 0; k < shards_.size(); ++k) at_shard(k, [&] { start(k); });
  wait_for(&shard::commands, home_);
  at_shard(home_, [&] { find_what_stands_before(); });
  give_all_results();
}

void scan_sharded(const sharded_scan_problem& call) {
  if (call.after != nullptr) call.after->wait();
  sharded_scan(call).run();
}

}  // namespace clwave::detail

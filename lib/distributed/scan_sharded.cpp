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
namespace {

scan_steps scan_steps_of(const sharded_scan_problem& call) {
  if (call.out.size() != call.in.size())
    refuse(scan_variant::primitive, "the input is cut into " + std::to_string(call.in.size()) +
                                        " shards, the output into " + std::to_string(call.out.size()));
  return {call, *call.in[0].elements.type, *call.out[0].elements.type};
}

}  // namespace

// ----------------------------------------------------------------------------------------- what is checked

sharded_scan::sharded_scan(const sharded_scan_problem& call)
    : call_(call),
      lengths_(lengths_of(scan_variant::primitive, call.in)),
      steps_(scan_steps_of(call)),
      home_(lengths_.longest()),
      shards_(call.in.size()),
      all_(call.in.size()) {
  std::vector<operand_bytes> in, out;
  all_.for_each_shard([&](std::size_t k) {
    check_shard(k);
    const checked_scan checked(all_.site(k), shards_[k].whole);
    // What takes its elements' place overlaps nothing that these do not.
    in.push_back(checked.problem().in_place ? operand_bytes{} : checked.operands().bytes(0));
    out.push_back(checked.operands().bytes(1));
  });
  check_overlaps(in, out);
  cuts_ = cut_at(lengths_.each, tile());
  all_.set_home(home_);
}

void sharded_scan::place_at(std::uint64_t begin, std::uint64_t n) {
  begin_ = begin;
  cuts_ = cut_at(lengths_.each, tile(), begin, n);
}

void sharded_scan::check_shard(std::size_t k) {
  const erased_shard &in = call_.in[k], &out = call_.out[k];
  all_.set_shard(k, scan_variant::primitive, in, call_.rows);
  if (out.queue != in.queue) refuse(scan_variant::primitive, "the shard of the output has another queue");
  if (out.is_const)
    refuse(scan_variant::primitive, "the elements of the output are const",
           "give sharded<T> views of T for an output");
  shards_[k].whole = steps_.on_elements(in.elements, out.elements);
  check_typed(scan_variant::primitive, {{"the input", in.elements}, {"the output", out.elements}});
  check_scan(scan_variant::primitive, {in.elements.type, out.elements.type, call_.fold, call_.apply},
             all_.site(k).on);
  for (const erased_shard* const each : {&in, &out})
    check_events(all_.site(k), each->after, scan_variant::primitive);
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
        all_.at_shard(each.shard, [&] {
          refuse(scan_variant::primitive, name(each) + " and " + name(*before) + " of shard " +
                                              std::to_string(before->shard + 1) + " overlap");
        });
      }
    }
    const range*& of_kind = last[each.is_output ? 1 : 0];
    if (of_kind == nullptr || of_kind->bytes.end < each.bytes.end) of_kind = &each;
  }
}

// An array in one shard is any other input.
bool sharded_scan::is_alone() {
  if (!lengths_.in_one()) return false;
  all_.do_at_home([this] {
    const wait_list after = waits_of(all_.home(), {&call_.in[home_].after, &call_.out[home_].after});
    scan(all_.home().queue, shards_[home_].whole, launch_options{.after = after}).wait();
  });
  return true;
}

// ----------------------------------------------------------------------------------------- what is prepared

// Where everything goes, before there is memory for it.
void sharded_scan::make_places() {
  const std::size_t size = result().size;
  tiles_ = all_.take_at_home(blocks_of(end(), tile()) - first_stretch() * steps_.sizes().tiles, size);
  // Behind the last stretch's what stands before the first.
  stretches_ = all_.take_at_home(end_of_stretches() - first_stretch() + 1, size);
  gathered_.resize(cuts_.cut.size());
  for (gathered_tile& each : gathered_) each.elements = all_.take_at_home(tile(), value().size);
  for (gathered_tile& each : gathered_) each.results = all_.take_at_home(tile(), size);
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    const std::uint64_t first = stretch_of(tiles.first), last = stretch_of(tiles.first + tiles.count - 1);
    own.tiles = all_.take(k, tiles.count, size, place_of_tile(tiles.first));
    own.stretches = all_.take(k, last - first + 1, size, place_of_stretch(first));
  }
  all_.take_fragments(
      cuts_, 1, value().size,
      [this](std::size_t cut, std::size_t /*input*/) { return gathered_[cut].elements; }, size);
}

parcel sharded_scan::results_of_fragment(std::size_t f) const {
  const fragment& each = cuts_.fragments[f];
  parcel results = all_.fragment_of(f);
  results.home = gathered_[each.cut].results + each.place * result().size;
  if (all_.at_home(each.shard)) results.at = results.home;
  results.n_bytes = each.n * result().size;
  return results;
}

scan_problem sharded_scan::subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const {
  scan_problem part = shards_[k].whole;
  for (any_view* const view : {&part.in, &part.out}) {
    view->offset += static_cast<std::size_t>(from);
    view->n = static_cast<std::size_t>(n);
  }
  return part;
}

ready_call<scan_variant> sharded_scan::fit_at_home(scan_step step, std::uint64_t first, std::uint64_t end) {
  const std::size_t size = result().size;
  scan_problem problem = *at_home_;
  problem.in.n = end - first * stretch();
  return steps_.fit_step(all_.home(), problem,
                         {.step = step,
                          .at = first * stretch(),
                          .whole = end,
                          .tiles_at = place_of_tile(first * steps_.sizes().tiles) / size,
                          .stretches_at = place_of_stretch(first) / size});
}

scan_problem sharded_scan::at_places(std::uint64_t elements_at, std::uint64_t results_at,
                                     std::uint64_t n) const {
  return steps_.on_elements({value(), n, elements_at / value().size},
                            {result(), n, results_at / result().size});
}

// Describes the steps of shards and of cut tiles, and gets their programs.
void sharded_scan::make_ready() {
  const std::size_t size = result().size;
  all_.for_each_shard([&](std::size_t k) {
    shard& own = shards_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) return;
    const checked_scan checked(all_.site(k), subcall(k, tiles.from, tiles.n));
    const scan_problem& problem = checked.problem();
    scan_piece step{.at = tiles.first * tile(), .whole = end(), .tiles_at = own.tiles.at / size};
    own.folds = steps_.fit_step(all_.site(k), problem, step);
    step.step = scan_step::results;
    step.stretches_at = own.stretches.at / size;
    own.results = steps_.fit_step(all_.site(k), problem, step);
    if (all_.at_home(k)) at_home_ = problem;
  });
  for (std::size_t c = 0; c < gathered_.size(); ++c) {
    gathered_tile& each = gathered_[c];
    const std::uint64_t number = cuts_.cut[c].number, n = cuts_.cut[c].place + cuts_.cut[c].here;
    const scan_problem problem = at_places(each.elements, each.results, n);
    all_.do_at_home([&] {
      scan_piece step{
          .at = number * tile(), .whole = number * tile() + n, .tiles_at = place_of_tile(number) / size};
      each.fold = steps_.fit_step(all_.home(), problem, step);
      step.step = scan_step::results;
      step.stretches_at = place_of_stretch(stretch_of(number)) / size;
      each.scan = steps_.fit_step(all_.home(), problem, step);
    });
    if (!at_home_) at_home_ = problem;
  }
}

// ------------------------------------------------------------------------------------------ what is enqueued

// The folds of a shard's tiles, and what it has of cut ones.
void sharded_scan::start(std::size_t k) {
  const shard& own = shards_[k];
  if (own.whole.in.n == 0) return;
  chain& commands = all_.start(k, {&call_.in[k].after, &call_.out[k].after});
  if (cuts_.whole[k].count > 0) {
    commands.run(own.folds, {own.whole.in.buffer, all_.memory(k)});
    all_.send(own.tiles);
  }
  all_.send_fragments(k, {&own.whole.in});
  commands.flush();
}

// Enqueues at home the reads of what goes back to other devices.
void sharded_scan::send_back() {
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    if (cuts_.whole[k].count == 0) continue;
    all_.send_back(shards_[k].tiles);
    all_.send_back(shards_[k].stretches);
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) all_.send_back(results_of_fragment(f));
}

// All folds of whole tiles have ended, but for those of the home's own shard.
void sharded_scan::find_what_stands_before() {
  chain& commands = all_.commands();
  const cl_mem memory = all_.memory();
  all_.bring_home();
  for (const gathered_tile& each : gathered_) commands.run(each.fold, {memory, memory});
  for (const ready_call<scan_variant>* const each : {&tiles_before_, &stretches_before_})
    commands.run(*each, {memory});
  scan_cut_tiles();
}

void sharded_scan::scan_cut_tiles() {
  const cl_mem memory = all_.memory();
  for (const gathered_tile& each : gathered_) all_.commands().run(each.scan, {memory, memory, memory});
  send_back();
  all_.commands().flush();
}

// The home goes on while the others are waited for.
void sharded_scan::give_all_results() {
  all_.for_each_shard([this](std::size_t k) {
    if (all_.at_home(k)) give_results(k);
  });
  all_.do_at_home([this] { all_.commands().finish(); });
  all_.for_each_shard([this](std::size_t k) {
    if (!all_.at_home(k)) give_results(k);
  });
  all_.wait_for_last();
  all_.give_back();
}

// The results of a shard, for which all that it needs is at home or in the host's memory.
void sharded_scan::give_results(std::size_t k) {
  const shard& own = shards_[k];
  if (own.whole.in.n == 0) return;
  chain& commands = all_.go_on(k);
  if (cuts_.whole[k].count > 0) {
    all_.take_back(commands, own.tiles);
    all_.take_back(commands, own.stretches);
    commands.run(own.results, {own.whole.in.buffer, own.whole.out.buffer, all_.memory(k)});
  }
  give_fragments(commands, k);
  commands.flush();
}

void sharded_scan::give_fragments(chain& commands, std::size_t k) {
  const auto [first, end] = cuts_.fragments_of(k);
  for (std::size_t f = first; f < end; ++f) {
    const parcel results = results_of_fragment(f);
    const std::uint64_t to = (shards_[k].whole.out.offset + cuts_.fragments[f].from) * result().size;
    all_.take_back(commands, results);
    commands.copy(all_.memory(k), results.at, shards_[k].whole.out.buffer, to, results.n_bytes);
  }
}

void sharded_scan::run() {
  if (is_alone()) return;
  make_places();
  make_ready();
  all_.do_at_home([this] {
    tiles_before_ = fit_at_home(scan_step::tiles, 0, lengths_.n);
    stretches_before_ = fit_at_home(scan_step::stretches, 0, lengths_.n);
  });
  all_.run([this](std::size_t k) { start(k); }, [this] { find_what_stands_before(); });
  give_all_results();
}

void scan_sharded(const sharded_scan_problem& call) {
  if (call.after != nullptr) call.after->wait();
  sharded_scan(call).run();
}

}  // namespace clwave::detail

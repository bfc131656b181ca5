// Reductions of parts: tiles are folded where they lie, cut tiles are put together, and the results of all
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
#include "call/planning.hpp"
#include "parts/parts_reduction.hpp"

namespace clwave::detail {
parts_reduction::parts_reduction(const parts_call& call) : call_(call) {
  check_has_parts(reduce_variant::primitive, call.x.size());
  if (!call.y.empty() && call.y.size() != call.x.size())
    refuse(reduce_variant::primitive, "the two inputs are cut into " + std::to_string(call.x.size()) +
                                          " and " + std::to_string(call.y.size()) + " parts");
  pieces_.resize(call.x.size());
  for (std::size_t k = 0; k < call.x.size(); ++k) {
    own_n_ = counting{reduce_variant::primitive, "all parts together"}.plus(own_n_, call.x[k].elements.n);
    lengths_.push_back(call.x[k].elements.n);
    at_piece(k, [&] { check_piece(k); });
  }
  place_at(0, own_n_);
  choose_home();
}

void parts_reduction::place_at(std::uint64_t begin, std::uint64_t n) {
  // Of an input of so many elements in one place.
  reduce_question question{.in = value(),
                           .accumulator = call_.accumulator,
                           .n = n,
                           .fold = call_.fold,
                           .apply = call_.apply,
                           .sizes = call_.sizes};
  if (inputs() == 2) question.in2 = question.in;
  check_reduce(question);
  cuts_ = cut_at(lengths_, call_.sizes.tile, begin, n);
}

void parts_reduction::check_piece(std::size_t k) {
  const part& x = call_.x[k];
  piece& own = pieces_[k];
  own.site = site_of(x.queue, reduce_variant::primitive);
  if (!call_.rows.empty()) own.site.on.choice = call_.rows[k];
  own.whole = {.in = x.elements,
               .in2 = {},
               .accumulator = call_.accumulator,
               .fold = call_.fold,
               .apply = call_.apply,
               .sizes = call_.sizes};
  own.after = x.after;
  if (inputs() == 2) {
    const part& y = call_.y[k];
    if (y.queue != x.queue)
      refuse(reduce_variant::primitive, "the part of the second input has another queue");
    own.whole.in2 = y.elements;
    for (const cl_event e : y.after.handles()) own.after.add(e);
  }
  static_cast<void>(question_of(own.site, own.whole));
  check_events(own.site, own.after, reduce_variant::primitive);
}

// The piece of most elements has the results folded: they need not leave its device. Only pieces of its queue
// write there too: what earlier commands do with the workspace is kept apart by that queue's order alone.
void parts_reduction::choose_home() {
  const auto most = std::ranges::max_element(call_.x, {}, [](const part& each) { return each.elements.n; });
  home_ = static_cast<std::size_t>(most - call_.x.begin());
  for (piece& each : pieces_) each.at_home = each.site.queue == home().site.queue;
}

// An array in one piece is any other input.
bool parts_reduction::is_alone(void* result) {
  if (cuts_.n != call_.x[home_].elements.n) return false;
  at_piece(home_, [&] { reduce_to_host(home().site.queue, home().whole, result, {.after = home().after}); });
  return true;
}

// Where everything goes, before there is memory for it.
void parts_reduction::make_places() {
  results_ = layout_.add(cuts_.tiles, call_.folded->size);
  for (std::size_t k = 0; k < inputs(); ++k)
    gathered_[k] = layout_.add(cuts_.cut.size() * call_.sizes.tile, value().size);
  const auto stage = [this](std::uint64_t n_bytes) {
    return std::exchange(n_staged_, round_up(n_staged_ + n_bytes, 128));
  };
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    piece& own = pieces_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    if (own.at_home) {
      own.results = result_place(tiles.first);
    } else {
      own.results = own.layout.add(tiles.count, call_.folded->size);
      own.staged_results = stage(tiles.count * call_.folded->size);
    }
  }
  for (const fragment& each : cuts_.fragments)
    staged_.push_back(pieces_[each.piece].at_home ? 0 : stage(inputs() * each.n * value().size));
}

ready_call<reduce_variant> parts_reduction::fit_fold(const call_site& site, reduce_question question,
                                                     std::uint64_t tile, std::uint64_t result_at) const {
  question.out = asked_operand(*call_.folded, result_at / call_.folded->size);
  question.piece_at = tile * call_.sizes.tile;
  return fit(site, question);
}

// Describes the folds of tiles, and gets their programs.
void parts_reduction::make_ready() {
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    piece& own = pieces_[k];
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    at_piece(k, [&] {
      const reduce_question question = question_of(own.site, subcall(k, tiles.from, tiles.n));
      own.tiles = fit_fold(own.site, question, tiles.first, own.results);
    });
  }
  reduce_question question{.in = value(),
                           .accumulator = call_.accumulator,
                           .fold = call_.fold,
                           .apply = call_.apply,
                           .sizes = call_.sizes};
  for (std::size_t c = 0; c < cuts_.cut.size(); ++c) {
    if (cuts_.cut[c].is_open()) continue;
    question.n = cuts_.cut[c].n;
    question.in = asked_operand(value(), place_of(c, 0) / value().size);
    if (inputs() == 2) question.in2 = asked_operand(value(), place_of(c, 1) / value().size);
    const std::uint64_t tile = cuts_.cut[c].number;
    at_piece(home_, [&] { cut_tiles_.push_back(fit_fold(home().site, question, tile, result_place(tile))); });
  }
}

void parts_reduction::make_memory() {
  at_piece(home_, [&] {
    memory_.emplace(home().site, static_cast<std::size_t>(layout_.own_bytes()));
    if (n_staged_ > 0)
      staging_ = home().site.kept->take_staging(home().site.device, static_cast<std::size_t>(n_staged_));
  });
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    piece& own = pieces_[k];
    if (own.at_home || cuts_.whole[k].count == 0) continue;
    at_piece(k, [&] {
      own.memory = std::make_unique<workspace>(own.site, static_cast<std::size_t>(own.layout.own_bytes()));
    });
  }
}

// Enqueues all that piece `k` has to do: its tiles, and what it has of cut ones.
void parts_reduction::start(std::size_t k) {
  piece& own = pieces_[k];
  if (call_.x[k].elements.n == 0) return;
  own.commands = std::make_unique<chain>(own.site);
  chain& commands = *own.commands;
  commands.starts_after(own.after);
  const workspace* const memory = own.at_home ? &*memory_ : own.memory.get();
  if (memory != nullptr) commands.starts_also_after(memory->cleared());
  const whole_tiles& tiles = cuts_.whole[k];
  if (tiles.count > 0) {
    fold(commands, own.site, own.tiles, own.whole.in.buffer, own.whole.in2 ? own.whole.in2->buffer : nullptr,
         memory->buffer());
    if (!own.at_home)
      commands.read(memory->buffer(), own.results, tiles.count * call_.folded->size,
                    static_cast<unsigned char*>(staging_->get()) + own.staged_results);
  }
  start_fragments(k);
  commands.flush();
}

void parts_reduction::fold(chain& commands, const call_site& site, const ready_call<reduce_variant>& ready,
                           cl_mem x, cl_mem y, cl_mem results) const {
  std::array<cl_mem, 3> buffers{x, results};
  if (y != nullptr) buffers = {x, y, results};
  const auto all = std::span<const cl_mem>(buffers).first(y != nullptr ? 3 : 2);
  commands.goes_on_with(enqueue(site, ready, all, commands.next_after(), true));
}

void parts_reduction::start_fragments(std::size_t k) {
  piece& own = pieces_[k];
  for (; next_fragment_ < cuts_.fragments.size(); ++next_fragment_) {
    const std::size_t f = next_fragment_;
    const fragment& each = cuts_.fragments[f];
    if (each.piece != k) return;
    const std::uint64_t n_bytes = each.n * value().size;
    const reduce_call from = subcall(k, each.from, each.n);
    for (std::size_t input = 0; input < inputs(); ++input) {
      const operand& view = input == 0 ? from.in : *from.in2;
      const std::uint64_t at = view.offset * value().size;
      if (own.at_home)
        own.commands->copy(view.buffer, at, memory_->buffer(),
                           place_of(each.cut, input) + each.place * value().size, n_bytes);
      else
        own.commands->read(view.buffer, at, n_bytes,
                           static_cast<unsigned char*>(staging_->get()) + staged_[f] + input * n_bytes);
    }
  }
}

// Waits for all pieces but the home's own, whichever fails first.
void parts_reduction::wait_for_others() {
  std::optional<error> failed;
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    if (k == home_ || pieces_[k].commands == nullptr) continue;
    try {
      at_piece(k, [&] { pieces_[k].commands->finish(); });
    } catch (const error& trouble) {
      if (!failed) failed = trouble;
    }
  }
  if (failed) throw *failed;
}

// Enqueues at home what has come from other devices.
void parts_reduction::bring_home() {
  chain& commands = *home().commands;
  const auto* const staged = staging_ == nullptr ? nullptr : static_cast<unsigned char*>(staging_->get());
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (pieces_[k].at_home || tiles.count == 0) continue;
    commands.write(staged + pieces_[k].staged_results, memory_->buffer(), result_place(tiles.first),
                   tiles.count * call_.folded->size);
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) {
    const fragment& each = cuts_.fragments[f];
    if (pieces_[each.piece].at_home) continue;
    for (std::size_t input = 0; input < inputs(); ++input)
      commands.write(staged + staged_[f] + input * each.n * value().size, memory_->buffer(),
                     place_of(each.cut, input) + each.place * value().size, each.n * value().size);
  }
}

void parts_reduction::fold_cut_tiles() {
  const cl_mem memory = memory_->buffer();
  for (const ready_call<reduce_variant>& each : cut_tiles_)
    fold(*home().commands, home().site, each, memory, inputs() == 2 ? memory : nullptr, memory);
}

reduce_call parts_reduction::upper_call(const operand& results) {
  return call_on_results({&value(), call_.accumulator, call_.folded, call_.fold, call_.apply}, call_.sizes,
                         results, upper_types_);
}

// The levels above the first are a reduction of the tiles' results.
void parts_reduction::fold_results(void* result) {
  const reduce_call upper = upper_call(array_at(memory_->buffer(), results_, cuts_.tiles, *call_.folded));
  wait_list after;
  for (const cl_event e : home().commands->next_after()) after.add(e);
  reduce_to_host(home().site.queue, upper, result, {.after = after});
}

// The result's index is that of a tile: it becomes that of the first such element in the tile.
void parts_reduction::find_place(void* result) {
  // Every indexed value is an element of at most 8 bytes, and behind it the index.
  unsigned char* const index_at = static_cast<unsigned char*>(result) + 8;
  std::uint64_t tile = 0;
  std::memcpy(&tile, index_at, sizeof tile);
  const auto cut = std::ranges::find(cuts_.cut, tile, &cut_tile::number);
  std::size_t owner = home_;
  reduce_call call = home().whole;
  if (cut != cuts_.cut.end()) {
    call.in = gathered(static_cast<std::size_t>(cut - cuts_.cut.begin()), 0);
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
  at_piece(owner, [&] {
    wait_list after;  // which has ended
    for (const cl_event e : pieces_[owner].commands->next_after()) after.add(e);
    reduce_to_host(pieces_[owner].site.queue, call, result, {.after = after});
  });
  std::memcpy(&place, index_at, sizeof place);
  place += tile * call_.sizes.tile;
  std::memcpy(index_at, &place, sizeof place);
}

void parts_reduction::fold_tiles() {
  make_places();
  make_ready();
  make_memory();
  for (std::size_t k = 0; k < pieces_.size(); ++k) at_piece(k, [&] { start(k); });
  wait_for_others();
  at_piece(home_, [&] {
    bring_home();
    fold_cut_tiles();
  });
}

// All commands have ended well.
void parts_reduction::give_back() {
  memory_->not_in_use();
  for (piece& each : pieces_)
    if (each.memory != nullptr) each.memory->not_in_use();
  if (staging_ != nullptr) home().site.kept->give_back_staging(std::move(staging_));
}

void parts_reduction::run(void* result) {
  if (is_alone(result)) return;
  fold_tiles();
  at_piece(home_, [&] {
    fold_results(result);
    home().commands->finish();
  });
  if (is_indexed(*call_.fold)) find_place(result);
  give_back();
}

void reduce_parts(const parts_call& call, void* result) { parts_reduction(call).run(result); }

}  // namespace clwave::detail

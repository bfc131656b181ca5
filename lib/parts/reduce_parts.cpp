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
#include "call/markers.hpp"
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
               .sizes = call_.sizes,
               .nothing = call_.nothing};
  check_events(own.site, x.after, reduce_variant::primitive);
  if (inputs() == 2) {
    const part& y = call_.y[k];
    if (y.queue != x.queue)
      refuse(reduce_variant::primitive, "the part of the second input has another queue");
    own.whole.in2 = y.elements;
    check_events(own.site, y.after, reduce_variant::primitive);
  }
  static_cast<void>(question_of(own.site, own.whole));
}

// The piece of most elements has the results folded: they need not leave its device. Only pieces of its queue
// write there too: what earlier commands do with the workspace is kept apart by that queue's order alone.
void parts_reduction::choose_home() {
  const auto most = std::ranges::max_element(call_.x, {}, [](const part& each) { return each.elements.n; });
  home_ = static_cast<std::size_t>(most - call_.x.begin());
  for (piece& each : pieces_) each.at_home = each.site.queue == home().site.queue;
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
  for (const fragment& each : cuts_.fragments) {
    piece& own = pieces_[each.piece];
    if (own.at_home)
      fragments_.emplace_back();
    else
      fragments_.push_back(
          {own.layout.add(inputs() * each.n, value().size), stage(inputs() * each.n * value().size)});
  }
}

ready_call<reduce_variant> parts_reduction::fit_fold(const call_site& site, reduce_question question,
                                                     std::uint64_t tile, std::uint64_t result_at) const {
  question.out = asked_operand(*call_.folded, result_at / call_.folded->size);
  question.piece_at = tile * call_.sizes.tile;
  return fit(site, question);
}

void parts_reduction::make_ready() {
  make_places();
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

// The programs of the levels above, and of the search in a tile: they are called for as other reductions are,
// and find them built.
void parts_reduction::make_upper_ready() {
  const auto build = [](const call_site& site, const reduce_question& question) {
    static_cast<void>(fit(site, question));
  };
  at_piece(home_, [&] {
    build(home().site, question_of_own(upper_call(results_of_tiles(nullptr))));
    if (is_indexed(*call_.fold) && !cuts_.cut.empty()) {
      reduce_call in_cut_tile = home().whole;
      in_cut_tile.in = gathered(nullptr, 0, 0);
      build(home().site, question_of_own(in_cut_tile));
    }
  });
  if (!is_indexed(*call_.fold)) return;
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (tiles.count == 0) continue;
    at_piece(k, [&] {
      const auto first = std::min<std::uint64_t>(call_.sizes.tile, tiles.n);
      build(pieces_[k].site, question_of(pieces_[k].site, subcall(k, tiles.from, first)));
    });
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
    if (own.at_home || own.layout.own_bytes() == 0) continue;
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

void parts_reduction::fold(chain& commands, const call_site& site, const ready_call<reduce_variant>& ready,
                           cl_mem x, cl_mem y, cl_mem results) const {
  std::array<cl_mem, 3> buffers{x, results};
  if (y != nullptr) buffers = {x, y, results};
  const auto all = std::span<const cl_mem>(buffers).first(y != nullptr ? 3 : 2);
  commands.goes_on_with(enqueue(site, ready, all, commands.next_after(), true));
}

// Through memory of the call's own: the host may not be allowed to read the caller's.
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
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const whole_tiles& tiles = cuts_.whole[k];
    if (pieces_[k].at_home || tiles.count == 0) continue;
    commands.write(staged(pieces_[k].staged_results), memory_->buffer(), result_place(tiles.first),
                   tiles.count * call_.folded->size);
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) {
    const fragment& each = cuts_.fragments[f];
    if (pieces_[each.piece].at_home) continue;
    for (std::size_t input = 0; input < inputs(); ++input)
      commands.write(staged(fragments_[f].staged + input * each.n * value().size), memory_->buffer(),
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
  const reduce_call upper = upper_call(results_of_tiles(memory_->buffer()));
  reduce_to_host(home().site.queue, upper, result, {.after = home().commands->behind()});
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
  at_piece(owner, [&] {
    const piece& own = pieces_[owner];
    // Behind commands that have ended: so an out-of-order queue need not end all else that it holds.
    reduce_to_host(own.site.queue, call, result, {.after = own.commands->behind()});
  });
  std::memcpy(&place, index_at, sizeof place);
  place += tile * call_.sizes.tile;
  std::memcpy(index_at, &place, sizeof place);
}

void parts_reduction::fold_tiles() {
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

void parts_reduction::prepare() {
  if (is_alone()) return;  // that one call builds its program before it enqueues anything
  make_ready();
  make_upper_ready();
}

void parts_reduction::run(void* result) {
  if (is_alone())
    return at_piece(home_, [&] {
      const wait_list after = waits_of(home().site, {&call_.x[home_].after, waits_of_y(home_)});
      reduce_to_host(home().site.queue, home().whole, result, {.after = after});
    });
  fold_tiles();
  at_piece(home_, [&] {
    fold_results(result);
    home().commands->finish();
  });
  if (is_indexed(*call_.fold)) find_place(result);
  give_back();
}

void reduce_parts(const parts_call& call, void* result) {
  if (call.after != nullptr) call.after->wait();
  parts_reduction all(call);
  all.prepare();
  all.run(result);
}

}  // namespace clwave::detail

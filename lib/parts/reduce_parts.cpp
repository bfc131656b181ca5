// Reductions of parts: tiles are folded where they lie, cut tiles are put together, and the results of all
// tiles are folded on one device. Each step is a call that reduce describes.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clwave/parts.hpp>

#include "base/opencl.hpp"
#include "blocks/fold.hpp"
#include "call/call.hpp"
#include "call/context_entry.hpp"
#include "call/execute.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "parts/chain.hpp"
#include "parts/cuts.hpp"
#include "primitives/reduce.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "reduce";

// What went wrong with one piece, told with its number and device.
error of_piece(const error& trouble, std::size_t k, std::size_t count, const std::string& device) {
  const std::string_view all = trouble.what();
  error_details details = trouble.details();
  if (details.device.empty()) details.device = device;
  return {trouble.kind(),
          "part " + std::to_string(k + 1) + " of " + std::to_string(count) + ": " +
              std::string(all.substr(0, all.find('\n'))),
          trouble.code(), std::move(details)};
}

// Arrays that lie one behind another in a block of workspace, each from a multiple of its elements and of 128
// bytes on.
class layout_of_arrays {
 public:
  std::uint64_t add(std::uint64_t n, std::size_t element_bytes) {
    const std::uint64_t first = round_up(end_, std::lcm<std::uint64_t>(128, element_bytes));
    end_ = first + n * element_bytes;
    return first;
  }
  std::uint64_t own_bytes() const { return end_ - workspace::own_at; }

 private:
  std::uint64_t end_ = workspace::own_at;
};

operand array_at(cl_mem buffer, std::uint64_t first_byte, std::uint64_t n, const element& type) {
  return {buffer, static_cast<std::size_t>(n), static_cast<std::size_t>(first_byte / type.size), &type};
}

// What folds results of tiles is the operator alone, but its texts see what they see in the fold of elements.
struct upper_types {
  element accumulator, folded;
  op fold;
};

bool takes_declarations(const parts_call& call) {
  return call.fold->kind == op_kind::user &&
         (!call.apply->declarations.empty() ||
          (!call.x[0].elements.type->declaration.empty() &&
           call.x[0].elements.type->opencl_name != call.accumulator->opencl_name));
}

upper_types with_declarations(const parts_call& call) {
  upper_types all{*call.accumulator, *call.folded, *call.fold};
  const element& value = *call.x[0].elements.type;
  std::string before;
  if (value.opencl_name != call.accumulator->opencl_name && !value.declaration.empty())
    before = value.declaration + "\n";
  if (!all.accumulator.declaration.empty()) {
    all.accumulator.declaration = before + all.accumulator.declaration;
    all.folded = all.accumulator;
    before.clear();
  }
  if (!call.apply->declarations.empty()) before += call.apply->declarations + "\n";
  all.fold.declarations = before + all.fold.declarations;
  return all;
}

class parts_reduction {
 public:
  // Checks all pieces. Nothing is enqueued.
  explicit parts_reduction(const parts_call& call);
  // Waits for all commands first: what they read and write goes with this.
  ~parts_reduction() {
    for (piece& each : pieces_) each.commands.reset();
  }
  parts_reduction(const parts_reduction&) = delete;
  parts_reduction& operator=(const parts_reduction&) = delete;
  void run(void* result);

 private:
  // One piece of the array, of x and where there are two inputs of y.
  struct piece {
    call_site site;
    reduce_call whole;  // a reduction of the piece alone
    wait_list after;
    bool at_home = false;                    // on the queue that folds the results
    ready_call<reduce_variant> tiles = {};   // the fold of its tiles
    layout_of_arrays layout = {};            // of the memory for their results, where it is not at home
    std::uint64_t results = 0;               // where in memory they go, in bytes
    std::uint64_t staged_results = 0;        // and then in the host's
    std::unique_ptr<workspace> memory = {};  // its own, where it is not at home
    std::unique_ptr<chain> commands = {};
  };

  template <class Do>
  auto at_piece(std::size_t k, const Do& what) {
    try {
      return what();
    } catch (const error& trouble) {
      const device_facts* facts = pieces_[k].site.on.facts;
      throw of_piece(trouble, k, call_.x.size(), facts != nullptr ? facts->name.value_or("") : "");
    }
  }

  void check_piece(std::size_t k);
  void choose_home();
  bool is_alone(void* result);
  void make_places();
  void make_ready();
  void make_memory();
  void start(std::size_t k);
  void fold(chain& commands, const call_site& site, const ready_call<reduce_variant>& ready, cl_mem x,
            cl_mem y, cl_mem results) const;
  void start_fragments(std::size_t k);
  void wait_for_others();
  void bring_home();
  void fold_cut_tiles();
  void fold_results(void* result);
  void find_place(void* result);

  reduce_call subcall(std::size_t k, std::uint64_t from, std::uint64_t n) const {
    reduce_call call = pieces_[k].whole;
    const auto cut = [&](operand& view) {
      view.offset += static_cast<std::size_t>(from);
      view.n = static_cast<std::size_t>(n);
    };
    cut(call.in);
    if (call.in2) cut(*call.in2);
    return call;
  }
  // The elements of a cut tile, put together at home.
  operand gathered(std::size_t cut, std::size_t input) const {
    return array_at(memory_->buffer(), place_of(cut, input), cuts_.cut[cut].n, value());
  }
  std::uint64_t place_of(std::size_t cut, std::size_t input) const {
    return gathered_[input] + cut * call_.sizes.tile * value().size;
  }
  std::uint64_t result_place(std::uint64_t tile) const { return results_ + tile * call_.folded->size; }
  const element& value() const { return *call_.x[0].elements.type; }
  std::size_t inputs() const { return call_.y.empty() ? 1 : 2; }
  piece& home() { return pieces_[home_]; }

  const parts_call& call_;
  cuts cuts_;
  std::size_t home_ = 0;
  std::size_t next_fragment_ = 0;  // the first that no piece has taken up
  std::vector<piece> pieces_;      // before all that refers to where they lie
  std::unique_ptr<host_memory> staging_;
  std::uint64_t n_staged_ = 0;                         // bytes of it
  std::vector<std::uint64_t> staged_;                  // where in it each fragment goes that is not at home
  std::optional<workspace> memory_;                    // at home
  layout_of_arrays layout_;                            // of it
  std::uint64_t results_ = 0;                          // where in it the results of all tiles begin, in bytes
  std::array<std::uint64_t, 2> gathered_ = {};         // and the cut tiles of x and y
  std::vector<ready_call<reduce_variant>> cut_tiles_;  // the fold of each
};

parts_reduction::parts_reduction(const parts_call& call) : call_(call) {
  if (call.x.empty())
    refuse(primitive, "there are no parts", "add one piece at least, if it is an empty one");
  if (!call.y.empty() && call.y.size() != call.x.size())
    refuse(primitive, "the two inputs are cut into " + std::to_string(call.x.size()) + " and " +
                          std::to_string(call.y.size()) + " parts");
  std::vector<std::uint64_t> lengths;
  std::uint64_t n = 0;
  pieces_.resize(call.x.size());
  for (std::size_t k = 0; k < call.x.size(); ++k) {
    n = counting{primitive, "all parts together"}.plus(n, call.x[k].elements.n);
    lengths.push_back(call.x[k].elements.n);
    at_piece(k, [&] { check_piece(k); });
  }
  cuts_ = cut_at(lengths, call.sizes.tile);
  // Of an input of so many elements in one place.
  reduce_question question{.in = value(),
                           .accumulator = call.accumulator,
                           .n = n,
                           .fold = call.fold,
                           .apply = call.apply,
                           .sizes = call.sizes};
  if (inputs() == 2) question.in2 = question.in;
  check_reduce(question);
  choose_home();
}

void parts_reduction::check_piece(std::size_t k) {
  const part& x = call_.x[k];
  piece& own = pieces_[k];
  own.site = site_of(x.queue, primitive);
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
    if (y.queue != x.queue) refuse(primitive, "the part of the second input has another queue");
    own.whole.in2 = y.elements;
    for (const cl_event e : y.after.handles()) own.after.add(e);
  }
  static_cast<void>(question_of(own.site, own.whole));
  check_events(own.site, own.after, primitive);
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

// Describes the folds of tiles, and gets their programs.
void parts_reduction::make_ready() {
  const auto fit_fold = [this](const call_site& site, reduce_question question, std::uint64_t tile,
                               std::uint64_t result_at) {
    question.out = asked_operand(*call_.folded, result_at / call_.folded->size);
    question.piece_at = tile * call_.sizes.tile;
    return fit(site, question);
  };
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
  if (inputs() == 2) buffers = {x, y, results};
  const auto all = std::span<const cl_mem>(buffers).first(inputs() + 1);
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
    fold(*home().commands, home().site, each, memory, memory, memory);
}

// The levels above the first are a reduction of the tiles' results.
void parts_reduction::fold_results(void* result) {
  reduce_call upper{.in = array_at(memory_->buffer(), results_, cuts_.tiles, *call_.folded),
                    .in2 = {},
                    .accumulator = call_.accumulator,
                    .fold = call_.fold,
                    .apply = &identity,
                    .sizes = call_.sizes};
  std::optional<upper_types> types;
  if (takes_declarations(call_)) {
    types = with_declarations(call_);
    upper.in.type = &types->folded;
    upper.accumulator = &types->accumulator;
    upper.fold = &types->fold;
  }
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

void parts_reduction::run(void* result) {
  if (is_alone(result)) return;
  make_places();
  make_ready();
  make_memory();
  for (std::size_t k = 0; k < pieces_.size(); ++k) at_piece(k, [&] { start(k); });
  wait_for_others();
  at_piece(home_, [&] {
    bring_home();
    fold_cut_tiles();
    fold_results(result);
    home().commands->finish();
  });
  if (is_indexed(*call_.fold)) find_place(result);
  // All commands have ended well.
  memory_->not_in_use();
  for (piece& each : pieces_)
    if (each.memory != nullptr) each.memory->not_in_use();
  if (staging_ != nullptr) home().site.kept->give_back_staging(std::move(staging_));
}

}  // namespace

void reduce_parts(const parts_call& call, void* result) { parts_reduction(call).run(result); }

}  // namespace clwave::detail

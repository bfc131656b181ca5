// Histograms of parts: each piece's elements are counted where they lie, pixels that a cut goes through are
// put together where the counts are to be, and there the counts of all are added up.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <clwave/matrices.hpp>
#include <clwave/op.hpp>
#include <clwave/parts_histogram.hpp>

#include "call/call.hpp"
#include "call/context_entry.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "parts/chain.hpp"
#include "parts/cuts.hpp"
#include "parts/piece.hpp"
#include "primitives/histogram.hpp"
#include "primitives/reduce_columns.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "histogram";

class parts_histogram {
 public:
  // Checks all pieces and the counts. Nothing is enqueued.
  explicit parts_histogram(const parts_histogram_call& call);
  // Waits for all commands first: what they read and write goes with this.
  ~parts_histogram() {
    sum_.reset();
    for (piece& each : pieces_) each.commands.reset();
  }
  parts_histogram(const parts_histogram&) = delete;
  parts_histogram& operator=(const parts_histogram&) = delete;
  void run();

 private:
  struct piece {
    call_site site;
    std::optional<asked_operand> in = {};       // where its first whole pixel begins
    bool at_home = false;                       // on the queue of the counts
    cl::Buffer edges = {};                      // the host's
    ready_call<histogram_variant> counts = {};  // of its whole pixels
    layout_of_arrays layout = {};               // of its memory, where it is not at home
    std::uint64_t row = 0;                      // where in memory its counts lie, in bytes
    std::uint64_t staged = 0;                   // and then in the host's
    std::uint64_t home_row = 0;                 // and then at home
    std::unique_ptr<workspace> memory = {};     // its own, where it is not at home
    std::unique_ptr<chain> commands = {};
  };

  template <class Do>
  auto at_piece(std::size_t k, const Do& what) {
    return for_piece(k, pieces_.size(), pieces_[k].site, what);
  }

  void check_home();
  void check_piece(std::size_t k);
  bool is_alone();
  void make_places();
  histogram_question question_of(const asked_operand& in, std::uint64_t n, std::uint64_t row) const;
  ready_call<histogram_variant> fit_counts(const call_site& site, cl::Buffer& edges,
                                           const histogram_question& question) const;
  void make_ready();
  void make_sum_ready();
  void make_memory();
  void start(std::size_t k);
  void count(chain& commands, const call_site& site, const ready_call<histogram_variant>& ready, cl_mem in,
             cl_mem memory, cl_mem edges) const;
  void wait_for_pieces();
  void sum();
  void give_back();

  cl_mem memory_of(std::size_t k) const {
    return pieces_[k].at_home ? memory_->buffer() : pieces_[k].memory->buffer();
  }
  unsigned char* staged(std::uint64_t at) const { return static_cast<unsigned char*>(staging_->get()) + at; }
  std::uint64_t place_of(const fragment& of) const {
    return gathered_ + (of.cut * channels() + of.place) * value().size;
  }
  const element& value() const { return *call_.whole.in.type; }
  const element& count_type() const { return *call_.whole.counts.type; }
  std::uint64_t channels() const { return call_.whole.shape.channels; }
  std::uint64_t counts() const { return bins_.bins * channels(); }
  std::uint64_t row_bytes() const { return counts() * count_type().size; }

  const parts_histogram_call& call_;
  call_site site_;  // of the counts
  asked_bins bins_;
  std::optional<asked_operand> out_;  // the counts
  operand_bytes out_bytes_ = {};
  std::vector<std::uint64_t> lengths_;  // of the pieces
  std::uint64_t n_ = 0;                 // their sum
  cuts cuts_;                           // into pixels
  std::vector<piece> pieces_;           // before all that refers to where they lie
  std::unique_ptr<host_memory> staging_;
  std::uint64_t n_staged_ = 0;  // bytes of it
  std::vector<fragment_place> fragments_;
  std::optional<workspace> memory_;  // where the counts are to be
  layout_of_arrays layout_;          // of it
  std::uint64_t rows_ = 0;           // where in it the counts of all pieces begin, a row each
  std::uint64_t n_rows_ = 0;
  std::uint64_t gathered_ = 0;  // and the cut pixels
  cl::Buffer edges_;            // the host's
  ready_call<histogram_variant> gathered_counts_ = {};
  ready_call<reduce_columns_variant> sum_of_rows_ = {};
  std::unique_ptr<chain> sum_;
};

// ----------------------------------------------------------------------------------------- what is checked

parts_histogram::parts_histogram(const parts_histogram_call& call) : call_(call) {
  check_has_parts(primitive, call.in.size());
  pieces_.resize(call.in.size());
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    n_ = counting{primitive, "all parts together"}.plus(n_, call.in[k].elements.n);
    lengths_.push_back(call.in[k].elements.n);
  }
  for_site(site_, [&] { check_home(); });
  cuts_ = cut_at(lengths_, channels());
  for (std::size_t k = 0; k < pieces_.size(); ++k) at_piece(k, [&] { check_piece(k); });
}

void parts_histogram::check_home() {
  site_ = site_of(call_.queue, primitive);
  bins_ = bins_of(call_.whole);
  check_histogram(question_of(value(), n_, 0));
  const call_operand out[] = {
      {.view = call_.whole.counts, .use = access::reads_and_writes, .name = "the counts", .reach = counts()}};
  const checked_operands checked = check_operands(site_, primitive, out);
  out_ = checked[0];
  out_bytes_ = checked.bytes(0);
  out_bytes_.end = out_bytes_.first + row_bytes();
  check_events(site_, call_.after, primitive);
}

void parts_histogram::check_piece(std::size_t k) {
  const part& in = call_.in[k];
  piece& own = pieces_[k];
  own.site = site_of(in.queue, primitive);
  if (!call_.rows.empty()) own.site.on.choice = call_.rows[k];
  own.at_home = own.site.queue == site_.queue;
  const auto check = [&](const operand& view) {
    const call_operand all[] = {{.view = as_bits(view), .name = "the input"}};
    const checked_operands checked = check_operands(own.site, primitive, all);
    const operand_bytes bytes = checked.bytes(0);
    if (view.n > 0 && bytes.whole == out_bytes_.whole && bytes.first < out_bytes_.end &&
        out_bytes_.first < bytes.end)
      refuse(primitive, "the input and the counts overlap");
    return checked[0];
  };
  check(in.elements);
  check_events(own.site, in.after, primitive);
  operand pixels = in.elements;
  pixels.offset += static_cast<std::size_t>(cuts_.whole[k].from);
  pixels.n = static_cast<std::size_t>(cuts_.whole[k].n);
  own.in = check(pixels);
  own.in->type = in.elements.type;
}

histogram_question parts_histogram::question_of(const asked_operand& in, std::uint64_t n,
                                                std::uint64_t row) const {
  histogram_question question{.in = in,
                              .counts = asked_operand(count_type(), row / count_type().size),
                              .n = n,
                              .bins = bins_.bins,
                              .bounds = call_.whole.bins,
                              .shape = call_.whole.shape,
                              .reached = bins_.reached};
  if (call_.whole.host) question.edges = asked_operand(value());
  return question;
}

// An array that lies in one piece where the counts are to be is any other input; so is one without elements.
bool parts_histogram::is_alone() {
  histogram_call whole = call_.whole;
  wait_list after = call_.after;
  if (n_ > 0) {
    const auto most = std::ranges::max_element(lengths_);
    const auto k = static_cast<std::size_t>(most - lengths_.begin());
    if (lengths_[k] != n_ || !pieces_[k].at_home) return false;
    whole.in = call_.in[k].elements;
    for (const cl_event e : call_.in[k].after.handles()) after.add(e);
    at_piece(k, [&] { histogram(call_.queue, whole, {.after = after}).wait(); });
  } else {
    for_site(site_, [&] { histogram(call_.queue, whole, {.after = after}).wait(); });
  }
  return true;
}

// ----------------------------------------------------------------------------------------- what is prepared

// Where everything goes, before there is memory for it.
void parts_histogram::make_places() {
  const auto stage = [this](std::uint64_t n_bytes) {
    return std::exchange(n_staged_, round_up(n_staged_ + n_bytes, 128));
  };
  for (const whole_tiles& each : cuts_.whole) n_rows_ += each.count > 0 ? 1 : 0;
  const std::uint64_t all_rows = n_rows_ + (cuts_.cut.empty() ? 0 : 1);
  rows_ = layout_.add(counting{primitive, "the counts of all parts"}.times(all_rows, counts()),
                      count_type().size);
  gathered_ = layout_.add(cuts_.cut.size() * channels(), value().size);
  std::uint64_t row = rows_;
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    piece& own = pieces_[k];
    if (cuts_.whole[k].count == 0) continue;
    own.home_row = std::exchange(row, row + row_bytes());
    own.row = own.at_home ? own.home_row : own.layout.add(counts(), count_type().size);
    if (!own.at_home) own.staged = stage(row_bytes());
  }
  for (const fragment& each : cuts_.fragments) {
    piece& own = pieces_[each.piece];
    if (own.at_home)
      fragments_.emplace_back();
    else
      fragments_.push_back({own.layout.add(each.n, value().size), stage(each.n * value().size)});
  }
}

ready_call<histogram_variant> parts_histogram::fit_counts(const call_site& site, cl::Buffer& edges,
                                                          const histogram_question& question) const {
  if (call_.whole.host) edges = buffer_of_edges(site, bins_);
  return fit(site, question);
}

void parts_histogram::make_ready() {
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    piece& own = pieces_[k];
    if (cuts_.whole[k].count == 0) continue;
    at_piece(k, [&] {
      own.counts = fit_counts(own.site, own.edges, question_of(*own.in, cuts_.whole[k].n, own.row));
    });
  }
  for_site(site_, [&] { make_sum_ready(); });
}

void parts_histogram::make_sum_ready() {
  std::uint64_t rows = n_rows_;
  if (!cuts_.cut.empty()) {
    const asked_operand pixels(value(), gathered_ / value().size);
    gathered_counts_ = fit_counts(
        site_, edges_, question_of(pixels, cuts_.cut.size() * channels(), rows_ + rows * row_bytes()));
    ++rows;
  }
  sum_of_rows_ =
      fit(site_, reduce_columns_question{.in = asked_operand(count_type(), rows_ / count_type().size),
                                         .out = *out_,
                                         .size = {.rows = static_cast<std::size_t>(rows),
                                                  .columns = static_cast<std::size_t>(counts())}});
}

void parts_histogram::make_memory() {
  for_site(site_, [&] {
    memory_.emplace(site_, static_cast<std::size_t>(layout_.own_bytes()));
    if (n_staged_ > 0) staging_ = site_.kept->take_staging(site_.device, static_cast<std::size_t>(n_staged_));
  });
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    piece& own = pieces_[k];
    if (own.at_home || own.layout.own_bytes() == 0) continue;
    at_piece(k, [&] {
      own.memory = std::make_unique<workspace>(own.site, static_cast<std::size_t>(own.layout.own_bytes()));
    });
  }
}

// ------------------------------------------------------------------------------------------ what is enqueued

void parts_histogram::count(chain& commands, const call_site& site,
                            const ready_call<histogram_variant>& ready, cl_mem in, cl_mem memory,
                            cl_mem edges) const {
  const std::array<cl_mem, 3> buffers{in, memory, edges};
  const auto all = std::span<const cl_mem>(buffers).first(edges != nullptr ? 3 : 2);
  commands.goes_on_with(enqueue(site, ready, all, commands.next_after(), true));
}

// The counts of a piece, and what it has of cut pixels: through memory of the call's own, since the host may
// not be allowed to read the caller's.
void parts_histogram::start(std::size_t k) {
  piece& own = pieces_[k];
  const part& in = call_.in[k];
  if (in.elements.n == 0) return;
  own.commands = std::make_unique<chain>(own.site);
  chain& commands = *own.commands;
  commands.starts_after(in.after);
  commands.starts_also_after((own.at_home ? *memory_ : *own.memory).cleared());
  if (cuts_.whole[k].count > 0) {
    count(commands, own.site, own.counts, in.elements.buffer, memory_of(k), own.edges());
    if (!own.at_home) commands.read(memory_of(k), own.row, row_bytes(), staged(own.staged));
  }
  const std::size_t size = value().size;
  const auto [first, end] = cuts_.fragments_of(k);
  for (std::size_t f = first; f < end; ++f) {
    const fragment& each = cuts_.fragments[f];
    const fragment_place& place = fragments_[f];
    const std::uint64_t from = (in.elements.offset + each.from) * size, n_bytes = each.n * size;
    const std::uint64_t at = own.at_home ? place_of(each) : place.at;
    commands.copy(in.elements.buffer, from, memory_of(k), at, n_bytes);
    if (!own.at_home) commands.read(memory_of(k), at, n_bytes, staged(place.staged));
  }
  commands.flush();
}

// Whichever fails first.
void parts_histogram::wait_for_pieces() {
  std::optional<error> failed;
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    if (pieces_[k].commands == nullptr) continue;
    try {
      at_piece(k, [&] { pieces_[k].commands->finish(); });
    } catch (const error& trouble) {
      if (!failed) failed = trouble;
    }
  }
  if (failed) throw *failed;
}

// What all pieces have counted has come to an end.
void parts_histogram::sum() {
  sum_ = std::make_unique<chain>(site_);
  sum_->starts_after(call_.after);
  sum_->starts_also_after(memory_->cleared());
  const cl_mem memory = memory_->buffer();
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const piece& own = pieces_[k];
    if (!own.at_home && cuts_.whole[k].count > 0)
      sum_->write(staged(own.staged), memory, own.home_row, row_bytes());
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) {
    const fragment& each = cuts_.fragments[f];
    if (!pieces_[each.piece].at_home)
      sum_->write(staged(fragments_[f].staged), memory, place_of(each), each.n * value().size);
  }
  if (!cuts_.cut.empty()) count(*sum_, site_, gathered_counts_, memory, memory, edges_());
  const std::array<cl_mem, 2> buffers{memory, call_.whole.counts.buffer};
  sum_->goes_on_with(enqueue(site_, sum_of_rows_, buffers, sum_->next_after(), true));
  sum_->flush();
  sum_->finish();
}

// All commands have ended well.
void parts_histogram::give_back() {
  memory_->not_in_use();
  for (piece& each : pieces_)
    if (each.memory != nullptr) each.memory->not_in_use();
  if (staging_ != nullptr) site_.kept->give_back_staging(std::move(staging_));
}

void parts_histogram::run() {
  if (is_alone()) return;
  make_places();
  make_ready();
  make_memory();
  for (std::size_t k = 0; k < pieces_.size(); ++k) at_piece(k, [&] { start(k); });
  wait_for_pieces();
  for_site(site_, [&] { sum(); });
  give_back();
}

}  // namespace

void histogram_parts(const parts_histogram_call& call) { parts_histogram(call).run(); }

}  // namespace clwave::detail

// Histograms of sharded: each shard's elements are counted where they lie, pixels that a cut goes through are
// put together where the counts are to be, and there the counts of all are added up.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <clwave/matrices.hpp>
#include <clwave/op.hpp>
#include <clwave/sharded_histogram.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "call/markers.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "distributed/chain.hpp"
#include "distributed/cuts.hpp"
#include "distributed/gathering.hpp"
#include "distributed/shard.hpp"
#include "primitives/histogram.hpp"
#include "primitives/reduce_columns.hpp"

namespace clwave::detail {
namespace {

class sharded_histogram {
 public:
  // Checks all shards and the counts. Nothing is enqueued.
  explicit sharded_histogram(const sharded_histogram_problem& call);
  void run();

 private:
  struct shard {
    std::optional<any_view> in = {};            // where its first whole pixel begins
    cl::Buffer edges = {};                      // the host's
    ready_call<histogram_variant> counts = {};  // of its whole pixels
    std::uint64_t row = 0;                      // where in memory its counts lie, in bytes
    std::uint64_t staged = 0;                   // and then in the host's
    std::uint64_t home_row = 0;                 // and then at home
  };

  void check_home();
  void check_shard(std::size_t k);
  bool is_alone();
  void make_places();
  histogram_problem problem_of(const any_view& in, std::uint64_t n, std::uint64_t row) const;
  ready_call<histogram_variant> fit_counts(const call_site& site, cl::Buffer& edges,
                                           const histogram_problem& problem) const;
  void make_ready();
  void make_sum_ready();
  void start(std::size_t k);
  void count(chain& commands, const call_site& site, const ready_call<histogram_variant>& ready, cl_mem in,
             cl_mem memory, cl_mem edges) const;
  void sum();

  std::uint64_t place_of(const fragment& of) const {
    return gathered_ + (of.cut * channels() + of.place) * value().size;
  }
  const element& value() const { return *call_.whole.in.type; }
  const element& count_type() const { return *call_.whole.counts.type; }
  std::uint64_t channels() const { return call_.whole.channels; }
  std::uint64_t counts() const { return bins_.bins * channels(); }
  std::uint64_t row_bytes() const { return counts() * count_type().size; }

  const sharded_histogram_problem& call_;
  asked_bins bins_;
  std::optional<any_view> out_;  // the counts
  operand_bytes out_bytes_ = {};
  std::vector<std::uint64_t> lengths_;  // of the shards
  std::uint64_t n_ = 0;                 // their sum
  cuts cuts_;                           // into pixels
  std::vector<shard> shards_;
  std::vector<fragment_place> fragments_;
  std::uint64_t rows_ = 0;  // where at home the counts of all shards begin, a row each
  std::uint64_t n_rows_ = 0;
  std::uint64_t gathered_ = 0;  // and the cut pixels
  cl::Buffer edges_;            // the host's
  ready_call<histogram_variant> gathered_counts_ = {};
  ready_call<reduce_columns_variant> sum_of_rows_ = {};
  gathering all_;  // goes first: it waits for what the others are read by
};

// ----------------------------------------------------------------------------------------- what is checked

sharded_histogram::sharded_histogram(const sharded_histogram_problem& call)
    : call_(call), shards_(call.in.size()), all_(call.in.size()) {
  check_has_shards(histogram_variant::primitive, call.in.size());
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    n_ = counting{histogram_variant::primitive, "all shards together"}.plus(n_, call.in[k].elements.n);
    lengths_.push_back(call.in[k].elements.n);
  }
  all_.do_at_home([&] { check_home(); });
  cuts_ = cut_at(lengths_, channels());
  for (std::size_t k = 0; k < shards_.size(); ++k) all_.at_shard(k, [&] { check_shard(k); });
}

void sharded_histogram::check_home() {
  all_.set_home(site_of(call_.queue, histogram_variant::primitive));
  bins_ = bins_of(call_.whole);
  check_histogram(problem_of(value(), n_, 0));
  const call_operand out[] = {
      {.view = call_.whole.counts, .use = access::reads_and_writes, .name = "the counts", .reach = counts()}};
  const checked_operands checked = check_operands(all_.home(), histogram_variant::primitive, out);
  out_ = checked[0];
  out_bytes_ = checked.bytes(0);
  out_bytes_.end = out_bytes_.first + row_bytes();
  check_events(all_.home(), call_.after, histogram_variant::primitive);
}

void sharded_histogram::check_shard(std::size_t k) {
  const erased_shard& in = call_.in[k];
  shard& own = shards_[k];
  call_site site = site_of(in.queue, histogram_variant::primitive);
  if (!call_.rows.empty()) site.on.choice = call_.rows[k];
  all_.set_shard(k, site);
  const auto check = [&](const any_view& view) {
    return all_.check_input(histogram_variant::primitive, k, {.view = as_bits(view), .name = "the input"},
                            out_bytes_, "the counts");
  };
  check(in.elements);
  check_events(site, in.after, histogram_variant::primitive);
  any_view pixels = in.elements;
  pixels.offset += static_cast<std::size_t>(cuts_.whole[k].from);
  pixels.n = static_cast<std::size_t>(cuts_.whole[k].n);
  own.in = check(pixels);
  own.in->type = in.elements.type;
}

histogram_problem sharded_histogram::problem_of(const any_view& in, std::uint64_t n,
                                                std::uint64_t row) const {
  histogram_problem problem{.in = in,
                            .counts = any_view(count_type(), counts(), row / count_type().size),
                            .bounds = call_.whole.bounds,
                            .channels = call_.whole.channels,
                            .reached = bins_.reached};
  problem.in.n = n;
  if (call_.whole.host) problem.edges = any_view(value(), bins_.bins + 1);
  return problem;
}

// An array that lies in one shard where the counts are to be is any other input; so is one without elements.
bool sharded_histogram::is_alone() {
  histogram_problem whole = call_.whole;
  const auto count_all = [&](const wait_list* given) {
    histogram(call_.queue, whole, launch_options{.after = waits_of(all_.home(), {given, &call_.after})})
        .wait();
  };
  if (n_ > 0) {
    const auto most = std::ranges::max_element(lengths_);
    const auto k = static_cast<std::size_t>(most - lengths_.begin());
    if (lengths_[k] != n_ || !all_.at_home(k)) return false;
    whole.in = call_.in[k].elements;
    all_.at_shard(k, [&] { count_all(&call_.in[k].after); });
  } else {
    all_.do_at_home([&] { count_all(nullptr); });
  }
  return true;
}

// ----------------------------------------------------------------------------------------- what is prepared

// Where everything goes, before there is memory for it.
void sharded_histogram::make_places() {
  for (const whole_tiles& each : cuts_.whole) n_rows_ += each.count > 0 ? 1 : 0;
  const std::uint64_t all_rows = n_rows_ + (cuts_.cut.empty() ? 0 : 1);
  rows_ = all_.take_at_home(
      counting{histogram_variant::primitive, "the counts of all shards"}.times(all_rows, counts()),
      count_type().size);
  gathered_ = all_.take_at_home(cuts_.cut.size() * channels(), value().size);
  std::uint64_t row = rows_;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    if (cuts_.whole[k].count == 0) continue;
    own.home_row = std::exchange(row, row + row_bytes());
    own.row = all_.at_home(k) ? own.home_row : all_.take(k, counts(), count_type().size);
    if (!all_.at_home(k)) own.staged = all_.stage(row_bytes());
  }
  for (const fragment& each : cuts_.fragments) {
    if (all_.at_home(each.shard))
      fragments_.emplace_back();
    else
      fragments_.push_back({all_.take(each.shard, each.n, value().size), all_.stage(each.n * value().size)});
  }
}

ready_call<histogram_variant> sharded_histogram::fit_counts(const call_site& site, cl::Buffer& edges,
                                                            const histogram_problem& problem) const {
  if (call_.whole.host) edges = buffer_of_edges(site, bins_);
  return fit(site, problem);
}

void sharded_histogram::make_ready() {
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    shard& own = shards_[k];
    if (cuts_.whole[k].count == 0) continue;
    all_.at_shard(k, [&] {
      own.counts = fit_counts(all_.site(k), own.edges, problem_of(*own.in, cuts_.whole[k].n, own.row));
    });
  }
  all_.do_at_home([&] { make_sum_ready(); });
}

void sharded_histogram::make_sum_ready() {
  std::uint64_t rows = n_rows_;
  if (!cuts_.cut.empty()) {
    const any_view pixels(value(), cuts_.cut.size() * channels(), gathered_ / value().size);
    gathered_counts_ = fit_counts(
        all_.home(), edges_, problem_of(pixels, cuts_.cut.size() * channels(), rows_ + rows * row_bytes()));
    ++rows;
  }
  sum_of_rows_ =
      fit(all_.home(), reduce_columns_problem{.in = any_view(count_type(), 0, rows_ / count_type().size),
                                              .out = *out_,
                                              .size = {.rows = static_cast<std::size_t>(rows),
                                                       .columns = static_cast<std::size_t>(counts())}});
}

// ------------------------------------------------------------------------------------------ what is enqueued

void sharded_histogram::count(chain& commands, const call_site& site,
                              const ready_call<histogram_variant>& ready, cl_mem in, cl_mem memory,
                              cl_mem edges) const {
  const std::array<cl_mem, 3> buffers{in, memory, edges};
  const auto all = std::span<const cl_mem>(buffers).first(edges != nullptr ? 3 : 2);
  commands.goes_on_with(enqueue(site, ready, all, commands.next_after(), true));
}

// The counts of a shard, and what it has of cut pixels: through memory of the call's own, since the host may
// not be allowed to read the caller's.
void sharded_histogram::start(std::size_t k) {
  const shard& own = shards_[k];
  const erased_shard& in = call_.in[k];
  if (in.elements.n == 0) return;
  chain& commands = all_.start(k, {&in.after});
  const cl_mem memory = all_.memory(k);
  if (cuts_.whole[k].count > 0) {
    count(commands, all_.site(k), own.counts, in.elements.buffer, memory, own.edges());
    if (!all_.at_home(k)) commands.read(memory, own.row, row_bytes(), all_.staged(own.staged));
  }
  const std::size_t size = value().size;
  const auto [first, end] = cuts_.fragments_of(k);
  for (std::size_t f = first; f < end; ++f) {
    const fragment& each = cuts_.fragments[f];
    const fragment_place& place = fragments_[f];
    const std::uint64_t from = (in.elements.offset + each.from) * size, n_bytes = each.n * size;
    const std::uint64_t at = all_.at_home(k) ? place_of(each) : place.at;
    commands.copy(in.elements.buffer, from, memory, at, n_bytes);
    if (!all_.at_home(k)) commands.read(memory, at, n_bytes, all_.staged(place.staged));
  }
  commands.flush();
}

// What all shards have counted has come to an end.
void sharded_histogram::sum() {
  chain& commands = all_.start_at_home(call_.after);
  const cl_mem memory = all_.memory();
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    const shard& own = shards_[k];
    if (!all_.at_home(k) && cuts_.whole[k].count > 0)
      commands.write(all_.staged(own.staged), memory, own.home_row, row_bytes());
  }
  for (std::size_t f = 0; f < cuts_.fragments.size(); ++f) {
    const fragment& each = cuts_.fragments[f];
    if (!all_.at_home(each.shard))
      commands.write(all_.staged(fragments_[f].staged), memory, place_of(each), each.n * value().size);
  }
  if (!cuts_.cut.empty()) count(commands, all_.home(), gathered_counts_, memory, memory, edges_());
  const std::array<cl_mem, 2> buffers{memory, call_.whole.counts.buffer};
  commands.goes_on_with(enqueue(all_.home(), sum_of_rows_, buffers, commands.next_after(), true));
  all_.finish_at_home();
}

void sharded_histogram::run() {
  if (is_alone()) return;
  make_places();
  make_ready();
  all_.make_memory();
  for (std::size_t k = 0; k < shards_.size(); ++k) all_.at_shard(k, [&] { start(k); });
  all_.wait_for_shards();
  all_.do_at_home([&] { sum(); });
}

}  // namespace

void histogram_sharded(const sharded_histogram_problem& call) { sharded_histogram(call).run(); }

}  // namespace clwave::detail

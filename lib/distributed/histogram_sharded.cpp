// Histograms of sharded: each shard's elements are counted where they lie, pixels that a cut goes through are
// put together where the counts are to be, and there the counts of all are added up.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clwave/matrices.hpp>
#include <clwave/op.hpp>
#include <clwave/sharded_histogram.hpp>

#include "call/call.hpp"
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
    parcel row = {};                            // of those counts
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
  void sum();

  const element& value() const { return *call_.whole.in.type; }
  const element& count_type() const { return *call_.whole.counts.type; }
  std::uint64_t channels() const { return call_.whole.channels; }
  std::uint64_t counts() const { return bins_.bins * channels(); }
  std::uint64_t row_bytes() const { return counts() * count_type().size; }

  const sharded_histogram_problem& call_;
  asked_bins bins_;
  std::optional<any_view> out_;  // the counts
  operand_bytes out_bytes_ = {};
  const shard_lengths lengths_;
  cuts cuts_;  // into pixels
  std::vector<shard> shards_;
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
    : call_(call),
      lengths_(lengths_of(histogram_variant::primitive, call.in)),
      shards_(call.in.size()),
      all_(call.in.size()) {
  all_.do_at_home([this] { check_home(); });
  cuts_ = cut_at(lengths_.each, channels());
  all_.for_each_shard([this](std::size_t k) { check_shard(k); });
}

void sharded_histogram::check_home() {
  all_.set_home(site_of(call_.queue, histogram_variant::primitive));
  bins_ = bins_of(call_.whole);
  check_histogram(problem_of(value(), lengths_.n, 0));
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
  all_.set_shard(k, histogram_variant::primitive, in, call_.rows);
  const auto check = [&](const any_view& view) {
    return all_.check_input(histogram_variant::primitive, k, {.view = as_bits(view), .name = "the input"},
                            out_bytes_, "the counts");
  };
  check(in.elements);
  check_events(all_.site(k), in.after, histogram_variant::primitive);
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
  if (lengths_.n > 0) {
    const std::size_t k = lengths_.longest();
    if (!lengths_.in_one() || !all_.at_home(k)) return false;
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
  for (std::size_t k = 0; k < shards_.size(); ++k)
    if (cuts_.whole[k].count > 0)
      shards_[k].row = all_.take(k, counts(), count_type().size, std::exchange(row, row + row_bytes()));
  all_.take_fragments(cuts_, 1, value().size, [this](std::size_t cut, std::size_t /*input*/) {
    return gathered_ + cut * channels() * value().size;
  });
}

ready_call<histogram_variant> sharded_histogram::fit_counts(const call_site& site, cl::Buffer& edges,
                                                            const histogram_problem& problem) const {
  if (call_.whole.host) edges = buffer_of_edges(site, bins_);
  return fit(site, problem);
}

void sharded_histogram::make_ready() {
  all_.for_each_shard([this](std::size_t k) {
    shard& own = shards_[k];
    const std::uint64_t n = cuts_.whole[k].n;
    if (n > 0) own.counts = fit_counts(all_.site(k), own.edges, problem_of(*own.in, n, own.row.at));
  });
  all_.do_at_home([this] { make_sum_ready(); });
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

// The counts of a shard, and what it has of cut pixels.
void sharded_histogram::start(std::size_t k) {
  const shard& own = shards_[k];
  const erased_shard& in = call_.in[k];
  if (in.elements.n == 0) return;
  chain& commands = all_.start(k, {&in.after});
  if (cuts_.whole[k].count > 0) {
    commands.run(own.counts, {in.elements.buffer, all_.memory(k), own.edges()});
    all_.send(own.row);
  }
  all_.send_fragments(k, {&in.elements});
  commands.flush();
}

// What all shards have counted has come to an end.
void sharded_histogram::sum() {
  chain& commands = all_.start_at_home(call_.after);
  const cl_mem memory = all_.memory();
  all_.bring_home();
  if (!cuts_.cut.empty()) commands.run(gathered_counts_, {memory, memory, edges_()});
  commands.run(sum_of_rows_, {memory, call_.whole.counts.buffer});
  all_.finish_at_home();
}

void sharded_histogram::run() {
  if (is_alone()) return;
  make_places();
  make_ready();
  all_.make_memory();
  all_.for_each_shard([this](std::size_t k) { start(k); });
  all_.wait_for_shards();
  all_.do_at_home([this] { sum(); });
}

}  // namespace

void histogram_sharded(const sharded_histogram_problem& call) { sharded_histogram(call).run(); }

}  // namespace clwave::detail

// Histograms of sharded: each shard's elements are counted where they lie, pixels that a cut goes through are
// put together where the counts are to be, and there the counts of all are added up.
#include "distributed/histogram_sharded.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
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

template <class Count>
void add_all(const void* counts, void* to, std::uint64_t n) {
  auto* const sums = static_cast<Count*>(to);
  for (std::uint64_t i = 0; i < n; ++i) {
    Count count = 0;
    std::memcpy(&count, static_cast<const std::byte*>(counts) + i * sizeof count, sizeof count);
    sums[i] += count;
  }
}

}  // namespace

histogram_steps::histogram_steps(const histogram_problem& whole) : whole_(whole), bins_(bins_of(whole)) {}

std::vector<std::byte> histogram_steps::bins_as_bytes() const {
  std::vector<std::byte> bytes;
  const auto add = [&bytes](const auto& number) {
    const auto* const first = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), first, first + sizeof number);
  };
  add(channels());
  add(bins_.bins);
  if (whole_.bounds) {
    for (const bound* const end : {&whole_.bounds->lo, &whole_.bounds->hi}) {
      add(end->is_negative());
      add(end->exponent());
      add(end->digits());
    }
  }
  for (const unsigned char each : bins_.edges.bytes) add(each);
  return bytes;
}

histogram_problem histogram_steps::count(const any_view& in, std::uint64_t n, std::uint64_t to) const {
  histogram_problem problem{.in = in,
                            .counts = counts_at(to),
                            .bounds = whole_.bounds,
                            .channels = whole_.channels,
                            .reached = bins_.reached};
  problem.in.n = n;
  if (whole_.host) problem.edges = any_view(value(), bins_.bins + 1);
  return problem;
}

void histogram_steps::check_room(const void* to, std::uint64_t n) const {
  if (n < counts())
    refuse(histogram_variant::primitive, "there is room for " + std::to_string(n) + " counts, where " +
                                             std::to_string(counts()) + " are needed");
  if (to == nullptr) refuse(histogram_variant::primitive, "the counts are null");
}

cl::Buffer histogram_steps::edges_on(const call_site& site) const {
  return whole_.host ? buffer_of_edges(site, bins_) : cl::Buffer();
}

void histogram_steps::add(const void* counts, void* to) const {
  if (count_type().size == sizeof(std::uint64_t))
    add_all<std::uint64_t>(counts, to, this->counts());
  else
    add_all<std::uint32_t>(counts, to, this->counts());
}

// ----------------------------------------------------------------------------------------- what is checked

sharded_histogram::sharded_histogram(const sharded_histogram_problem& call)
    : call_(call),
      lengths_(lengths_of(histogram_variant::primitive, call.in)),
      shards_(call.in.size()),
      all_(call.in.size()) {
  all_.do_at_home([this] { check_home(); });
  cuts_ = cut_at(lengths_.each, steps_->channels());
  all_.for_each_shard([this](std::size_t k) { check_shard(k); });
}

void sharded_histogram::check_home() {
  all_.set_home(site_of(call_.queue, histogram_variant::primitive));
  steps_.emplace(call_.whole);
  steps_->check(lengths_.n);
  const call_operand out[] = {{.view = call_.whole.counts,
                               .use = access::reads_and_writes,
                               .name = "the counts",
                               .reach = steps_->counts()}};
  const checked_operands checked = check_operands(all_.home(), histogram_variant::primitive, out);
  out_ = checked[0];
  out_bytes_ = checked.bytes(0);
  out_bytes_.end = out_bytes_.first + steps_->row_bytes();
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
      counting{histogram_variant::primitive, "the counts of all shards"}.times(all_rows, steps_->counts()),
      steps_->count_type().size);
  gathered_ = all_.take_at_home(cuts_.cut.size() * steps_->channels(), steps_->value().size);
  std::uint64_t row = rows_;
  for (std::size_t k = 0; k < shards_.size(); ++k)
    if (cuts_.whole[k].count > 0)
      shards_[k].row = all_.take(k, steps_->counts(), steps_->count_type().size,
                                 std::exchange(row, row + steps_->row_bytes()));
  all_.take_fragments(cuts_, 1, steps_->value().size, [this](std::size_t cut, std::size_t /*input*/) {
    return gathered_ + cut * steps_->channels() * steps_->value().size;
  });
}

void sharded_histogram::make_ready() {
  all_.for_each_shard([this](std::size_t k) {
    shard& own = shards_[k];
    const std::uint64_t n = cuts_.whole[k].n;
    if (n == 0) return;
    own.edges = steps_->edges_on(all_.site(k));
    own.counts = fit(all_.site(k), steps_->count(*own.in, n, own.row.at));
  });
  all_.do_at_home([this] { make_sum_ready(); });
}

void sharded_histogram::make_sum_ready() {
  std::uint64_t rows = n_rows_;
  if (!cuts_.cut.empty()) {
    const std::uint64_t n = cuts_.cut.size() * steps_->channels(), to = rows_ + rows * steps_->row_bytes();
    const any_view pixels(steps_->value(), n, gathered_ / steps_->value().size);
    edges_ = steps_->edges_on(all_.home());
    gathered_counts_ = fit(all_.home(), steps_->count(pixels, n, to));
    ++rows;
  }
  any_view all_rows = steps_->counts_at(rows_);
  all_rows.n = 0;
  sum_of_rows_ = fit(all_.home(),
                     reduce_columns_problem{.in = all_rows,
                                            .out = *out_,
                                            .size = {.rows = static_cast<std::size_t>(rows),
                                                     .columns = static_cast<std::size_t>(steps_->counts())}});
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
  all_.run([this](std::size_t k) { start(k); }, [this] { sum(); });
}

void histogram_sharded(const sharded_histogram_problem& call) { sharded_histogram(call).run(); }

}  // namespace clwave::detail

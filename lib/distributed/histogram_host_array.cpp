// Histograms of arrays of the host: pieces of whole pixels stream to the devices, which count their elements
// and add up the counts; those of all are added up on the host.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/host_array_histogram.hpp>
#include <clwave/op.hpp>
#include <clwave/transform.hpp>

#include "base/opencl.hpp"
#include "call/planning.hpp"
#include "distributed/chain.hpp"
#include "distributed/host_pieces.hpp"
#include "primitives/histogram.hpp"
#include "primitives/transform.hpp"

namespace clwave::detail {
namespace {

// Never destroyed: calls may be made while a process ends.
const map& added = *new map{.name = "added", .source = "x + y"};

class host_histogram {
 public:
  // Checks all, and builds the programs. Nothing is enqueued.
  explicit host_histogram(const host_histogram_problem& call);
  void run();

 private:
  // What a queue has for its pieces: where in a slot's memory lie the counts of all of the slot's pieces, and
  // those of one, in bytes.
  struct places {
    std::uint64_t sums = 0, counts = 0;
    cl::Buffer edges = {};  // the host's
  };

  void check_counts() const;
  histogram_problem problem_of(const any_view& in, std::uint64_t n, std::uint64_t counts) const;
  transform_problem sum_of(const places& at) const;
  void count_piece(std::size_t k, host_stream::slot& with, const host_piece& piece) const;
  void add_sums(std::size_t k, host_stream::slot& with);
  template <class Count>
  void add(const std::vector<std::byte>& sums) const;

  any_view counts_at(std::uint64_t place) const {
    return {count_type(), n_counts(), place / count_type().size};
  }
  const element& value() const { return arrays_.value(); }
  const element& count_type() const { return *call_.count_type; }
  std::uint64_t n_counts() const { return bins_.bins * call_.channels; }
  std::uint64_t row_bytes() const { return n_counts() * count_type().size; }

  const host_histogram_problem& call_;
  const streamed_arrays arrays_;
  host_pieces pieces_;
  const asked_bins bins_;
  std::vector<places> places_;  // on each queue
  std::mutex adding_;           // to the caller's counts
};

host_histogram::host_histogram(const host_histogram_problem& call)
    : call_(call),
      arrays_{.primitive = histogram_variant::primitive, .x = call.in, .sizes = call.streaming},
      pieces_(arrays_, call.queues, [](const call_site&) {}),
      bins_(bins_of({.in = {nullptr, static_cast<std::size_t>(arrays_.n()), 0, &value()},
                     .counts = {nullptr, static_cast<std::size_t>(call.n_counts), 0, &count_type()},
                     .bounds = call.bins,
                     .host = call.edges,
                     .channels = call.channels})) {
  check_histogram(problem_of(value(), arrays_.n(), 0));
  check_counts();
  if (arrays_.n() == 0) return;
  places_.resize(call.queues.size());
  const std::uint64_t pixel = call.channels;
  pieces_.cut(pixel, pixel * value().size, [&](std::size_t k) {
    host_stream& on = pieces_.stream(k);
    places& at = places_[k];
    at.sums = on.add(n_counts(), count_type());
    at.counts = on.add(n_counts(), count_type());
    if (call_.edges) at.edges = buffer_of_edges(on.site(), bins_);
    for (const std::uint64_t n : {pieces_.first().n, pieces_.last().n})
      static_cast<void>(fit(on.site(), problem_of(on.elements(0), n, at.sums)));
    static_cast<void>(fit(on.site(), sum_of(at)));
  });
}

void host_histogram::check_counts() const {
  if (call_.n_counts < n_counts())
    refuse(histogram_variant::primitive, "there is room for " + std::to_string(call_.n_counts) +
                                             " counts, where " + std::to_string(n_counts()) + " are needed");
  if (call_.counts == nullptr) refuse(histogram_variant::primitive, "the counts are null");
  const host_elements& in = *call_.in;
  if (in.memory != nullptr && overlap(in.memory, in.n * value().size, call_.counts, row_bytes()))
    refuse(histogram_variant::primitive, "the input and the counts overlap");
}

histogram_problem host_histogram::problem_of(const any_view& in, std::uint64_t n,
                                             std::uint64_t counts) const {
  histogram_problem problem{.in = in,
                            .counts = counts_at(counts),
                            .bounds = call_.bins,
                            .channels = call_.channels,
                            .reached = bins_.reached};
  problem.in.n = n;
  if (call_.edges) problem.edges = any_view(value(), bins_.bins + 1);
  return problem;
}

// The counts of a piece added to those of the pieces before it.
transform_problem host_histogram::sum_of(const places& at) const {
  return {.in = {counts_at(at.sums), counts_at(at.counts)}, .out = counts_at(at.sums), .apply = &added};
}

void host_histogram::count_piece(std::size_t k, host_stream::slot& with, const host_piece& piece) const {
  host_stream& on = pieces_.stream(k);
  const places& at = places_[k];
  const bool is_first = with.is_new();
  const cl_mem memory = with.buffer();
  const auto ready = fit(on.site(), problem_of(on.elements(0), piece.n, is_first ? at.sums : at.counts));
  const auto sum = fit(on.site(), sum_of(at));
  // Whichever fails, both have ended before the memory goes.
  chain copying(on.copying_site()), counting(on.site());
  {
    const std::lock_guard lock(on.enqueueing());
    with.send(piece, copying);
    counting.starts_also_after(copying.last());
    counting.run(ready, {memory, memory, at.edges()});
    if (!is_first) counting.run(sum, {memory, memory, memory});
    counting.flush();
  }
  copying.finish();
  counting.finish();
}

template <class Count>
void host_histogram::add(const std::vector<std::byte>& sums) const {
  auto* const counts = static_cast<Count*>(call_.counts);
  for (std::uint64_t i = 0; i < n_counts(); ++i) {
    Count sum = 0;
    std::memcpy(&sum, sums.data() + i * sizeof sum, sizeof sum);
    counts[i] += sum;
  }
}

// The counts of all pieces that went through a slot.
void host_histogram::add_sums(std::size_t k, host_stream::slot& with) {
  std::vector<std::byte> sums(static_cast<std::size_t>(row_bytes()));
  chain reading(pieces_.stream(k).copying_site());
  reading.read(with.buffer(), places_[k].sums, sums.size(), sums.data(), "read the counts");
  reading.flush();
  reading.finish();
  const std::lock_guard lock(adding_);
  if (count_type().size == sizeof(std::uint64_t))
    add<std::uint64_t>(sums);
  else
    add<std::uint32_t>(sums);
}

void host_histogram::run() {
  std::memset(call_.counts, 0, static_cast<std::size_t>(row_bytes()));
  if (arrays_.n() == 0) return;
  pieces_.run(
      [this](std::size_t k, host_stream::slot& with, const host_piece& piece) {
        pieces_.at_queue(k, [&] { count_piece(k, with, piece); });
      },
      [this](std::size_t k, host_stream::slot& with) { pieces_.at_queue(k, [&] { add_sums(k, with); }); });
  pieces_.give_back();
}

}  // namespace

void histogram_host_array(const host_histogram_problem& call) { host_histogram(call).run(); }

}  // namespace clwave::detail

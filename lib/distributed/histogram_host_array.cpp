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
#include "distributed/histogram_sharded.hpp"
#include "distributed/host_pieces.hpp"
#include "primitives/histogram.hpp"
#include "primitives/transform.hpp"

namespace clwave::detail {
namespace {

// Never destroyed: calls may be made while a process ends.
const map& added = *new map{.name = "added", .source = "x + y"};

// The call on one device.
histogram_problem whole_of(const host_histogram_problem& call) {
  return {.in = {nullptr, call.in->n, 0, call.in->type},
          .counts = {nullptr, call.n_counts, 0, call.count_type},
          .bounds = call.bins,
          .host = call.edges,
          .channels = call.channels};
}

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

  transform_problem sum_of(const places& at) const;
  void count_piece(std::size_t k, host_stream::slot& with, const host_piece& piece) const;
  void add_sums(std::size_t k, host_stream::slot& with);

  const host_histogram_problem& call_;
  const streamed_arrays arrays_;
  host_pieces pieces_;
  const histogram_steps steps_;
  std::vector<places> places_;  // on each queue
  std::mutex adding_;           // to the caller's counts
};

host_histogram::host_histogram(const host_histogram_problem& call)
    : call_(call),
      arrays_{.primitive = histogram_variant::primitive, .x = call.in, .sizes = call.streaming},
      pieces_(arrays_, call.queues, [](const call_site&) {}),
      steps_(whole_of(call)) {
  steps_.check(arrays_.n());
  steps_.check_room(call.counts, call.n_counts);
  const host_elements& in = *call_.in;
  if (in.memory != nullptr && overlap(in.memory, in.n * in.type->size, call.counts, steps_.row_bytes()))
    refuse(histogram_variant::primitive, "the input and the counts overlap");
  if (arrays_.n() == 0) return;
  places_.resize(call.queues.size());
  const std::uint64_t pixel = call.channels;
  pieces_.cut(pixel, pixel * arrays_.value().size, [&](std::size_t k) {
    host_stream& on = pieces_.stream(k);
    places& at = places_[k];
    at.sums = on.add(steps_.counts(), steps_.count_type());
    at.counts = on.add(steps_.counts(), steps_.count_type());
    at.edges = steps_.edges_on(on.site());
    for (const std::uint64_t n : {pieces_.first().n, pieces_.last().n})
      static_cast<void>(fit(on.site(), steps_.count(on.elements(0), n, at.sums)));
    static_cast<void>(fit(on.site(), sum_of(at)));
  });
}

// The counts of a piece added to those of the pieces before it.
transform_problem host_histogram::sum_of(const places& at) const {
  return {.in = {steps_.counts_at(at.sums), steps_.counts_at(at.counts)},
          .out = steps_.counts_at(at.sums),
          .apply = &added};
}

void host_histogram::count_piece(std::size_t k, host_stream::slot& with, const host_piece& piece) const {
  host_stream& on = pieces_.stream(k);
  const places& at = places_[k];
  const bool is_first = with.is_new();
  const cl_mem memory = with.buffer();
  const auto ready = fit(on.site(), steps_.count(on.elements(0), piece.n, is_first ? at.sums : at.counts));
  const auto sum = fit(on.site(), sum_of(at));
  with.work_on(piece, [&](chain& counting) {
    counting.run(ready, {memory, memory, at.edges()});
    if (!is_first) counting.run(sum, {memory, memory, memory});
  });
}

// The counts of all pieces that went through a slot.
void host_histogram::add_sums(std::size_t k, host_stream::slot& with) {
  std::vector<std::byte> sums(static_cast<std::size_t>(steps_.row_bytes()));
  chain reading(pieces_.stream(k).copying_site());
  reading.read(with.buffer(), places_[k].sums, sums.size(), sums.data(), "read the counts");
  reading.flush();
  reading.finish();
  const std::lock_guard lock(adding_);
  steps_.add(sums.data(), call_.counts);
}

void host_histogram::run() {
  std::memset(call_.counts, 0, static_cast<std::size_t>(steps_.row_bytes()));
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

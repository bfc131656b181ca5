// Histograms over the shards of several ranks: a round that opens the call, and one in which counts go up,
// are added up on the way, and those of all come down.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include <clwave/op.hpp>
#include <clwave/ranks_histogram.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "distributed/chain.hpp"
#include "distributed/histogram_sharded.hpp"
#include "distributed/rank_messages.hpp"
#include "distributed/rank_opening.hpp"
#include "distributed/rank_talk.hpp"
#include "distributed/shard.hpp"

namespace clwave::detail {
namespace {

class ranks_histogram {
 public:
  ranks_histogram(ranks& over, const ranks_histogram_problem& call)
      : call_(call), talk_(over, histogram_variant::primitive) {}
  void run();

 private:
  opening_message open();
  message_bytes count_own();

  const ranks_histogram_problem& call_;
  rank_talk talk_;
  std::optional<histogram_steps> steps_;
  call_site site_;     // of the rank's longest shard
  cl::Buffer memory_;  // for its counts, there
  sharded_histogram_problem own_ = {};
  std::optional<sharded_histogram> counting_;
};

// Checks all that the rank has been given, and makes room for its counts. Nothing is enqueued.
opening_message ranks_histogram::open() {
  if (call_.after != nullptr) call_.after->wait();
  const shard_lengths lengths = lengths_of(histogram_variant::primitive, call_.in);
  const erased_shard& home = call_.in[lengths.longest()];
  site_ = site_of(home.queue, histogram_variant::primitive);
  steps_.emplace(call_.whole);
  steps_->check(lengths.n);
  steps_->check_room(call_.counts, call_.whole.counts.n);
  // Not workspace, which may begin with a command: programs are built first.
  cl_int code = CL_SUCCESS;
  const auto n_bytes = static_cast<std::size_t>(steps_->row_bytes());
  memory_ = cl::Buffer(clCreateBuffer(site_.context, CL_MEM_READ_WRITE, n_bytes, nullptr, &code));
  check(code, "make a buffer for the counts of a rank");
  own_ = {.in = call_.in, .queue = site_.queue, .whole = call_.whole, .after = home.after};
  own_.whole.counts = array_at(memory_(), 0, steps_->counts(), steps_->count_type());
  counting_.emplace(own_);
  return {lengths.n, hashes_of({.call = histogram_variant::primitive,
                                .order = {},
                                .value = &steps_->value(),
                                .accumulator = &steps_->count_type(),
                                .fold = &plus,
                                .apply = &identity,
                                .bins = steps_->bins_as_bytes()})};
}

message_bytes ranks_histogram::count_own() {
  counting_->run();
  message_bytes counts(static_cast<std::size_t>(steps_->row_bytes()));
  for_site(site_, [&] {
    chain reading(site_);
    reading.read(memory_(), 0, counts.size(), counts.data(), "read the counts");
    reading.flush();
    reading.finish();
  });
  return counts;
}

void ranks_histogram::run() {
  const rank_elements lies = open_call(talk_, histogram_variant::primitive, [this] { return open(); });
  const auto n_bytes = static_cast<std::size_t>(steps_->row_bytes());
  message_bytes counts;
  talk_.attempt([&] {
    steps_->check(lies.n);
    counts = count_own();
  });
  const auto taken = talk_.gather([n_bytes](std::size_t) { return n_bytes; });
  talk_.attempt([&] {
    for (const message_bytes& each : taken) steps_->add(each.data(), counts.data());
  });
  talk_.hand_up(counts);
  talk_.hand_out(counts, n_bytes);
  std::memcpy(call_.counts, counts.data(), n_bytes);
}

}  // namespace

void histogram_ranks(ranks& over, const ranks_histogram_problem& call) { ranks_histogram(over, call).run(); }

}  // namespace clwave::detail

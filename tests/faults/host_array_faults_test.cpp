// Streams of an array of the host whose driver fails: every entry point of OpenCL once at each of its first
// calls, in whichever thread makes it. The error names a queue and has the code, no command of the call is
// left in any queue, every reference is given back, and the next call is right.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "sweep.hpp"

namespace {

using clwave::host_array;
using testing::fixture;

using two_queues = std::array<cl::CommandQueue, 2>;

// Two contexts, and an array for both.
class two_devices {
 public:
  two_devices() : values_(50'001) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<std::uint32_t>(i * 7) % 1000;
      sum_ += values_[i];
    }
    sum_ += 77'777 - values_[12'345];
    values_[12'345] = 77'777;
  }
  two_queues queues() const { return {places[0].new_queue(), places[1].new_queue()}; }

  bool sum_is_right(const two_queues& on) const { return fold<std::uint32_t>(on, clwave::plus) == sum_; }
  bool most_is_right(const two_queues& on) const {
    const auto got = fold<clwave::indexed<std::uint32_t>>(on, clwave::detail::argmax_op);
    return got.value == 77'777 && got.index == 12'345;
  }

  // A running sum, of which each piece waits for the one before it; with small tiles.
  bool running_sums_are_right(const two_queues& on) const {
    const clwave::queues over{on[0], on[1]};
    const std::span<const std::uint32_t> some = std::span(values_).first(700);
    std::vector<std::uint32_t> sums(some.size());
    const host_array array(some);
    const clwave::host_output output(sums);
    const clwave::detail::scan_sizes small{.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4};
    clwave::detail::scan_host_array({.queues = over.handles(),
                                     .in = &array.erased(),
                                     .out = &output.erased(),
                                     .fold = &clwave::plus,
                                     .apply = &clwave::identity,
                                     .exclusive = false,
                                     .start = nullptr,
                                     .sizes = small,
                                     .streaming = {.piece = 128, .at_once = 2, .always_copies = true}});
    std::uint32_t sum = 0;
    return std::ranges::equal(sums, some, {}, {}, [&](std::uint32_t each) { return sum += each; });
  }
  bool counts_are_right(const two_queues& on) const {
    const clwave::queues over{on[0], on[1]};
    const host_array array(values_);
    std::vector<std::uint32_t> counts(2), expected(2);
    for (const std::uint32_t each : values_)
      if (each < 1000) ++expected[each / 500];
    const std::array<std::uint32_t, 3> edges{0, 500, 1000};
    auto call = clwave::detail::streamed_histogram(over, array, counts, {});
    call.edges = clwave::host_edges{edges.data(), edges.size(), &clwave::element_of<std::uint32_t>()};
    call.streaming = {.piece = 8000, .at_once = 2, .always_copies = true};
    clwave::detail::histogram_host_array(call);
    return counts == expected;
  }

  std::array<fixture, 2> places;

 private:
  // Seven pieces, by four threads.
  template <class Acc>
  Acc fold(const two_queues& on, const clwave::op& by) const {
    const clwave::queues over{on[0], on[1]};
    const host_array array(values_);
    Acc result;
    clwave::detail::reduce_host_array(
        {.queues = over.handles(),
         .x = &array.erased(),
         .y = nullptr,
         .accumulator = &clwave::element_of<Acc>(),
         .folded = &clwave::detail::folded_of<Acc>(),
         .fold = &by,
         .apply = &clwave::identity,
         .streaming = {.piece = clwave::fold_tile, .at_once = 2, .always_copies = true}},
        &result);
    return result;
  }

  std::vector<std::uint32_t> values_;
  std::uint32_t sum_ = 0;
};

// Memory of the host is unmapped, and that waited for, when all is done. What is made for a thread depends on
// whether it found a piece left.
const faults::expectations of_streams{
    .member = "queue", .members = 2, .also = {"clEnqueueUnmapMemObject", "clFinish"}, .chance = {"*"}};

TEST_CASE("a device that fails in a stream is named") {
  const two_devices on;
  faults::tally total;
  faults::check_references(on, [&] {
    const auto sum = [&](const two_queues& queues) { return on.sum_is_right(queues); };
    const auto most = [&](const two_queues& queues) { return on.most_is_right(queues); };
    CHECK(sum(on.queues()));
    CHECK(most(on.queues()));
    faults::sweep(
        on, "sum", [] {}, sum, total, of_streams);
    faults::sweep(
        on, "argmax", [] {}, most, total, of_streams);
    // With nothing kept: programs come from the cache on disk, and all memory is new.
    faults::sweep(
        on, "first sum", [&] { faults::let_go(on); }, sum, total, of_streams);
  });
  faults::print("streams", "queue", total);
  CHECK(total.thrown > (testing::quick() ? 100 : 200));
}

TEST_CASE("a device that fails in a streamed scan or histogram is named") {
  const two_devices on;
  faults::tally total;
  faults::check_references(on, [&] {
    const auto scan = [&](const two_queues& queues) { return on.running_sums_are_right(queues); };
    const auto count = [&](const two_queues& queues) { return on.counts_are_right(queues); };
    faults::sweep(
        on, "running sums", [] {}, scan, total, of_streams);
    faults::sweep(
        on, "first running sums", [&] { faults::let_go(on); }, scan, total, of_streams);
    faults::sweep(
        on, "counts", [] {}, count, total, of_streams);
    faults::sweep(
        on, "first counts", [&] { faults::let_go(on); }, count, total, of_streams);
  });
  faults::print("streamed scans and histograms", "queue", total);
  CHECK(total.thrown > (testing::quick() ? 100 : 200));
}

}  // namespace

// Histograms of arrays of the host: an array that streams to devices of every kind in pieces of any size has
// the counts of one call on one device.
#include <clwave/host_array_histogram.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/histogram.hpp>

#include "distributed/host_arrays.hpp"
#include "families/reductions.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::host_array_histogram_test {
namespace {

const doctest::test_suite lanes("lanes");

// A histogram as the public calls make it, of even bins, in such pieces.
template <class T, class Count>
std::vector<Count> counts_of(const queues& over, const host_array<T>& in, std::size_t n_counts,
                             const clwave::even& bins, unsigned channels, const stream_sizes& streaming) {
  std::vector<Count> counts(n_counts, 77);
  auto call = clwave::detail::streamed_histogram(over, in, counts, {.channels = channels});
  call.bins = bins;
  call.streaming = streaming;
  clwave::detail::histogram_host_array(call);
  return counts;
}

// Streamed counts against those of one call.
template <class Count, class T>
void check_counts(random_engine& random, const std::vector<T>& values, std::size_t n_counts,
                  const clwave::even& bins, unsigned channels = 1) {
  const fixture& on = *places()[0];
  const cl::Buffer whole = on.buffer_of(values);
  const guarded_buffer<Count> one(on, n_counts);
  clwave::histogram(on.queue, view<T>{whole, values.size()}, one.view(), bins, {.channels = channels}).wait();
  const std::vector<Count> expected = one.read();
  // 1000 is no multiple of 3: a piece has the whole pixels of so many elements.
  for (const stream_sizes& streaming : some_streams(1000)) {
    CAPTURE(text_of(streaming));
    CHECK(counts_of<T, Count>(some_queues(random), host_array(values), n_counts, bins, channels, streaming) ==
          expected);
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_places, "counts of streamed bytes in one to four channels, whose pixels no piece cuts") {
  for (const unsigned channels : {1u, 2u, 3u, 4u}) {
    CAPTURE(channels);
    for (const std::size_t pixels : {1u, 333u, 10'007u})
      check_counts<u32>(random, random_values<std::uint8_t>(random, pixels * channels), 256 * channels,
                        {0, 256}, channels);
  }
  // By a plain loop.
  const auto values = random_values<std::uint8_t>(random, 3 * 5000);
  std::vector<u64> expected(3 * 256);
  for (std::size_t i = 0; i < values.size(); ++i) ++expected[i % 3 * 256 + values[i]];
  CHECK(counts_of<std::uint8_t, u64>(some_queues(random), host_array(values), expected.size(), {0, 256}, 3,
                                     {.piece = 100}) == expected);
  std::array<u32, 3 * 256> counts;
  clwave::histogram(some_queues(random), host_array(values), counts, clwave::even{0, 256}, {.channels = 3});
  CHECK(std::ranges::equal(counts, expected));
}

TEST_CASE_FIXTURE(on_places, "counts of streamed floats, in few bins and in many, of 32 and of 64 bits") {
  const auto values = random_values<float>(random, 20'003, spice::nans);
  check_counts<u32>(random, values, 100, {-1.0, 1.0});
  check_counts<u64>(random, values, 100'000, {-1.0, 0.1f});
}

TEST_CASE_FIXTURE(on_places, "streamed counts between the host's edges") {
  const std::array edges{-1e9, -0.5, 0.5, 100.0, 40'000.0};
  const auto values = random_values<std::int16_t>(random, 2 * 5'001);
  const cl::Buffer whole = on.buffer_of(values);
  const guarded_buffer<u32> one(on, 2 * 4);
  clwave::histogram(on.queue, view<std::int16_t>{whole, values.size()}, one.view(), edges, {.channels = 2})
      .wait();
  std::vector<u32> counts(2 * 4 + 3, 7);  // some more than are needed
  clwave::histogram(some_queues(random), host_array(values), counts, edges, {.channels = 2});
  CHECK(std::ranges::equal(std::span(counts).first(8), one.read()));
  CHECK(std::vector(counts.begin() + 8, counts.end()) == std::vector<u32>{7, 7, 7});
  // No device need have doubles to count them.
  const std::vector<double> doubles{-2.0, -0.5, 0.0, 0.1, 0.125, 5.0};
  std::vector<u64> few(3);
  clwave::histogram(some_queues(random), host_array(doubles), few, std::array{-1.0f, 0.0f, 0.125f, 1.0f});
  CHECK(few == std::vector<u64>{1, 2, 1});
}

TEST_CASE_FIXTURE(on_places, "every row counts a stream" * lanes) {
  const auto values = random_values<std::uint8_t>(random, 40'000);
  std::vector<u32> expected(256);
  for (const std::uint8_t value : values) ++expected[value];
  for_each_profile([&](const clwave::profile& row) {
    CAPTURE(std::string(row.name));
    if (!takes_row(default_fixture(), random, std::string(row.name))) return;
    CHECK(counts_of<std::uint8_t, u32>(default_fixture().queue, host_array(values), 256, {0, 256}, 1,
                                       {.piece = 3000, .at_once = 2}) == expected);
  });
}

TEST_CASE_FIXTURE(on_places, "each element is read once to be counted") {
  const std::size_t n = 50'001;
  std::atomic<u64> read{0};
  const host_array<std::int32_t> array(n, [&](u64 first, std::span<std::int32_t> into) {
    CHECK(first % 3 == 0);
    CHECK(into.size() % 3 == 0);
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<std::int32_t>((first + i) % 3);
    read += into.size();
  });
  CHECK(
      counts_of<std::int32_t, u64>(some_queues(random), array, 9, {0, 3}, 3, {.piece = 1000, .at_once = 3}) ==
      std::vector<u64>{n / 3, 0, 0, 0, n / 3, 0, 0, 0, n / 3});
  CHECK(read == n);
}

TEST_CASE_FIXTURE(
    on_places,
    "wrong streamed histograms are refused before anything is read, and nothing is counted of nothing") {
  std::vector<u32> counts(4, 9);
  const clwave::even bins{0, 4};
  const auto untouchable = [](u64, auto) { throw std::logic_error("asked all the same"); };
  const host_array<std::uint8_t> in(3000, untouchable);
  refuses("there are no queues", [&] { clwave::histogram(queues{}, in, counts, bins); });
  refuses("queue 1 of 2: the queue is null", [&] {
    clwave::histogram({cl_command_queue{nullptr}, on.queue}, in, counts, bins);
  });
  refuses("not above the lower", [&] { clwave::histogram(on.queue, in, counts, clwave::even{4, 4}); });
  refuses("5 channels", [&] { clwave::histogram(on.queue, in, counts, bins, {.channels = 5}); });
  refuses("3001 elements are not as many for each of 4 channels", [&] {
    clwave::histogram(on.queue, host_array<std::uint8_t>(3001, untouchable), counts, bins, {.channels = 4});
  });
  refuses("no bin between them", [&] { clwave::histogram(on.queue, in, counts, std::array{1}); });
  refuses("room for 4 counts, where 5 are needed", [&] {
    clwave::histogram(on.queue, in, counts, std::array{1, 2, 3, 4, 5, 6});
  });
  refuses("more than counts of 32 bits hold", [&] {
    clwave::histogram(on.queue, host_array<std::uint8_t>(u64{1} << 32, untouchable), counts, bins);
  });
  refuses("the counts are null",
          [&] { clwave::histogram(on.queue, in, std::span(static_cast<u32*>(nullptr), 4), bins); });
  refuses("the input and the counts overlap",
          [&] { clwave::histogram(on.queue, host_array(counts), std::span(counts).subspan(3), bins); });
  CHECK(counts == std::vector<u32>(4, 9));
  clwave::histogram({on.queue, far.queue}, host_array<std::uint8_t>(0, untouchable), counts, bins);
  CHECK(counts == std::vector<u32>(4, 0));
  CHECK_THROWS_AS(clwave::histogram({on.queue, far.queue}, in, counts, bins), std::logic_error);
}

}  // namespace testing::host_array_histogram_test

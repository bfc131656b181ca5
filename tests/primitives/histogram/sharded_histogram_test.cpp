// Histograms of sharded: an array cut anywhere, on devices of every kind, has the counts of one call on one
// device.
#include <clwave/sharded_histogram.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/histogram.hpp>

#include "distributed/cut_arrays.hpp"
#include "distributed/gated_shards.hpp"
#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::sharded_histogram_test {
namespace {

const doctest::test_suite lanes("lanes");

// Cuts of an array of pixels: between them and through them, also more than once.
std::vector<lengths> pixel_cuts(random_engine& random, u64 n, int random_ones) {
  std::vector<lengths> all = {{n}};
  for (const u64 end : {1, 2, 3, 4, 5, 12})
    if (end < n) all.push_back({end, n - end});
  if (n >= 12) {
    all.push_back({0, n - 1, 0, 1, 0});
    all.push_back({1, 1, 1, 1, 1, n - 5});
    all.push_back({n / 2 + 1, 1, n - n / 2 - 2});
  }
  for (int k = 0; k < random_ones; ++k) all.push_back(random_cut(random, n, 12));
  return all;
}

// `count(in, counts, queue)` over the whole, and over shards, for every cut; the counts come from one place,
// where none, some or all of the shards lie.
template <class Count, class T, class Call>
void check_counts(random_engine& random, const std::vector<T>& values, std::size_t n_counts, const T& poison,
                  const Call& call, int random_cuts) {
  const fixture& on = *places()[0];
  const cl::Buffer whole = on.buffer_of(values);
  const guarded_buffer<Count> one(on, n_counts);
  call(on.queue, view<T>{whole, values.size()}, one.view());
  on.queue.finish();
  const std::vector<Count> expected = one.read();
  for (const lengths& cut : pixel_cuts(random, values.size(), random_cuts)) {
    CAPTURE(text_of(cut));
    const cut_array<T> in(random, values, cut, poison);
    const fixture& there = *places()[random.below(places().size())];
    const guarded_buffer<Count> counts(there, n_counts);
    call(there.queue, in.array(), counts.view());
    CHECK(counts.read_guarded() == expected);
    CHECK(in.intact());
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_places, "counts of bytes in one to four channels, cut anywhere") {
  for (const unsigned channels : {1u, 2u, 3u, 4u}) {
    CAPTURE(channels);
    for (const std::size_t pixels : {1u, 5u, 10'007u}) {
      const auto values = random_values<std::uint8_t>(random, pixels * channels);
      check_counts<u32>(
          random, values, 256 * channels, std::uint8_t{77},
          [channels](const auto& queue, const auto& in, const auto& counts) {
            clwave::histogram(queue, in, counts, clwave::even{0, 256}, {.channels = channels});
          },
          quick() ? 3 : 10);
    }
  }
  // By a plain loop.
  const auto values = random_values<std::uint8_t>(random, 3 * 1000);
  std::vector<u32> expected(3 * 256);
  for (std::size_t i = 0; i < values.size(); ++i) ++expected[i % 3 * 256 + values[i]];
  const cut_array<std::uint8_t> in(random, values, {100, 1, 2000, 899}, 9);
  const guarded_buffer<u32> counts(*places()[1], expected.size());
  clwave::histogram(places()[1]->queue, in.array(), counts.view(), clwave::even{0, 256}, {.channels = 3});
  CHECK(counts.read() == expected);
}

TEST_CASE_FIXTURE(on_places, "counts of floats, in few bins and in many, of 32 and of 64 bits") {
  auto values = random_values<float>(random, 20'003, spice::nans);
  check_counts<u32>(
      random, values, 100, 0.0f,
      [](const auto& queue, const auto& in, const auto& counts) {
        clwave::histogram(queue, in, counts, clwave::even{-1.0, 1.0});
      },
      quick() ? 3 : 10);
  check_counts<u64>(
      random, values, 100'000, 0.0f,
      [](const auto& queue, const auto& in, const auto& counts) {
        clwave::histogram(queue, in, counts, clwave::even{-1.0, 0.1f});
      },
      3);
}

TEST_CASE_FIXTURE(on_places, "counts between the host's edges") {
  const auto values = random_values<std::int16_t>(random, 2 * 5'001);
  check_counts<u32>(
      random, values, 2 * 4, std::int16_t{3},
      [](const auto& queue, const auto& in, const auto& counts) {
        clwave::histogram(queue, in, counts, std::array{-1e9, -0.5, 0.5, 100.0, 40'000.0}, {.channels = 2});
      },
      quick() ? 3 : 10);
  const auto doubles = random_values<double>(random, 5'001);  // no device need have them
  check_counts<u32>(
      random, doubles, 3, 0.25,
      [](const auto& queue, const auto& in, const auto& counts) {
        clwave::histogram(queue, in, counts, std::array{-1.0f, 0.0f, 0.125f, 1.0f});
      },
      3);
}

TEST_CASE_FIXTURE(on_places, "every row counts a shard" * lanes) {
  const auto values = random_values<std::uint8_t>(random, 40'000);
  std::vector<u32> expected(256);
  for (const std::uint8_t value : values) ++expected[value];
  for_each_profile([&](const clwave::profile& row) {
    CAPTURE(std::string(row.name));
    if (!takes_row(default_fixture(), random, std::string(row.name))) return;
    const cut_array<std::uint8_t> in(random, values, {17'000, 20'003, 2'997}, 5);
    const guarded_buffer<u32> counts(*places()[2], 256);
    clwave::histogram(places()[2]->queue, in.array(), counts.view(), clwave::even{0, 256});
    CHECK(counts.read() == expected);
  });
}

TEST_CASE_FIXTURE(on_places, "counts of no elements are 0, and those of one shard are of any call") {
  const cl::Buffer x = on.buffer_of(std::vector<std::uint8_t>(100, 3));
  const guarded_buffer<u32> here(on, 4), there(far, 4);
  using bytes = sharded<std::uint8_t>;
  const bytes none{{on.queue, view<std::uint8_t>{x, 0}}, {far.queue, view<std::uint8_t>{x, 0}}};
  clwave::histogram(far.queue, none, there.view(), clwave::even{0, 4});
  CHECK(there.read() == std::vector<u32>{0, 0, 0, 0});
  const bytes one{{far.queue, view<std::uint8_t>{x, 0}}, {on.queue, view<std::uint8_t>{x, 100}}};
  clwave::histogram(on.queue, one, here.view(), clwave::even{0, 4});
  CHECK(here.read() == std::vector<u32>{0, 0, 0, 100});
  clwave::histogram(far.queue, one, there.view(), clwave::even{0, 4});
  CHECK(there.read() == std::vector<u32>{0, 0, 0, 100});
}

TEST_CASE("what a histogram of shards waits for, on queues of every kind") {
  const std::vector<std::uint8_t> values(30'000, 1);
  for (const auto kind : kinds_of_queue(*places()[0])) {
    const auto counts = results_behind_gates<u64>(
        kind, /*alone=*/false, values,
        [](const auto& queue, const auto& in, const auto& out, const cl::Event& cleared) {
          clwave::histogram(queue, in, out, clwave::even{0, 3}, {.after = {cleared}});
        });
    CHECK(counts == std::vector<u64>{0, 60'000, 0});
  }
}

TEST_CASE_FIXTURE(on_places, "wrong histograms of shards are refused, by number and device") {
  const cl::Buffer x = on.buffer_of(std::vector<u32>(100, 1)), y = far.buffer_of(std::vector<u32>(100, 1));
  const guarded_buffer<u32> counts(on, 8);
  using words = sharded<std::uint32_t>;
  using of = view<std::uint32_t>;
  const words good{{on.queue, of{x, 100}}, {far.queue, of{y, 100}}};
  const clwave::even bins{0, 8};
  const auto count = [&](const words& in) { clwave::histogram(on.queue, in, counts.view(), bins); };
  count(good);
  const std::vector<u32> before = counts.read();
  CHECK(before[1] == 200);

  check_refused_shards(x, y, count);
  refuses("the counts belongs to another context",
          [&] { clwave::histogram(far.queue, good, counts.view(), bins); });
  refuses("the queue is null",
          [&] { clwave::histogram(cl_command_queue{nullptr}, good, counts.view(), bins); });
  refuses("200 elements are not as many for each of 3 channels",
          [&] { clwave::histogram(on.queue, good, counts.view().subview(0, 6), bins, {.channels = 3}); });
  refuses("0 channels", [&] { clwave::histogram(on.queue, good, counts.view(), bins, {.channels = 0}); });
  refuses("8 counts are not as many for each of 3 channels",
          [&] { clwave::histogram(on.queue, good, counts.view(), bins, {.channels = 3}); });
  refuses("the upper bound of the bins is not above the lower", [&] {
    clwave::histogram(on.queue, good, counts.view(), clwave::even{3, 3});
  });
  refuses("1 edges have no bin between them",
          [&] { clwave::histogram(on.queue, good, counts.view(), std::array{1}); });
  CHECK(refused([&] { clwave::histogram(on.queue, good, counts.view(), std::array{2, 1}); }));
  CHECK(refused([&] {
    clwave::histogram(on.queue, good, counts.view(),
                      std::array{1.0, std::numeric_limits<double>::quiet_NaN()});
  }));
  refuses("the call needs", [&] {
    clwave::histogram(on.queue, good, counts.view(), std::array{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  });
  refuses("shard 1 of 2: the input and the counts overlap", [&] {
    clwave::histogram(on.queue, good, of{x, 8, 92}, bins);
  });
  cl::UserEvent foreign(far.context);
  foreign.setStatus(CL_COMPLETE);
  refuses("an event to wait for belongs to another context",
          [&] { clwave::histogram(on.queue, good, counts.view(), bins, {.after = {foreign}}); });
  refuses("fall into no bins", [&] {
    const sharded<affine> structures{{on.queue, view<affine>{x, 10}}, {far.queue, view<affine>{y, 10}}};
    clwave::histogram(on.queue, structures, counts.view(), bins);
  });
  CHECK(counts.read() == before);
}

}  // namespace testing::sharded_histogram_test

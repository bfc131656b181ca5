// Scans of arrays of the host: an array that streams to devices of every kind in pieces of any size has the
// results of one call on one device.
#include <clwave/host_array_scan.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/scan.hpp>

#include "distributed/host_arrays.hpp"
#include "families/reductions.hpp"
#include "families/scans.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "streamed_scans.hpp"

namespace testing::host_array_scan_test {
namespace {

const doctest::test_suite lanes("lanes");

// Results in the host's memory, between others that must stay as they are.
template <class Acc>
class guarded_results {
 public:
  guarded_results(std::size_t n, Acc poison) : n_(n), poison_(poison), all_(n + 2 * around, poison) {}
  std::span<Acc> span() { return std::span(all_).subspan(around, n_); }
  std::vector<Acc> read() const { return {all_.begin() + around, all_.end() - around}; }
  bool intact() const {
    const auto is_poison = [&](const Acc& each) { return same_bits(each, poison_); };
    return std::all_of(all_.begin(), all_.begin() + around, is_poison) &&
           std::all_of(all_.end() - around, all_.end(), is_poison);
  }

 private:
  static constexpr std::ptrdiff_t around = 5;
  std::size_t n_;
  Acc poison_;
  std::vector<Acc> all_;
};

template <class T>
host_array<T> read_from(const std::vector<T>& values) {
  return {values.size(), [&values](std::uint64_t first, std::span<T> into) {
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
          }};
}

template <class Acc>
host_output<Acc> written_to(std::span<Acc> results) {
  return {results.size(), [results](std::uint64_t first, std::span<const Acc> piece) {
            std::ranges::copy(piece, results.begin() + static_cast<std::ptrdiff_t>(first));
          }};
}

// Streamed scans against the call on one device and against the host.
template <class Acc, class T, class Lift, class Combine>
void check_streamed(random_engine& random, const scanned<Acc, T>& of, Lift lift, Combine combine,
                    const std::vector<std::size_t>& counts, const scan_sizes& sizes) {
  const fixture& on = *places()[0];
  // Each kind takes a program of its own: a quick run has one of them, another one each time.
  const bool only_exclusive = random.below(2) == 0;
  for (const std::size_t n : counts) {
    CAPTURE(n);
    const std::vector<T> some(of.values.begin(), of.values.begin() + static_cast<std::ptrdiff_t>(n));
    const cl::Buffer buffer = on.buffer_of(some);
    for (const bool exclusive : {false, true}) {
      if (quick() && exclusive != only_exclusive) continue;
      for (const bool started : {false, true}) {
        if (quick() && started != exclusive) continue;
        CAPTURE(exclusive);
        CAPTURE(started);
        const Acc* const start = started ? &of.start : nullptr;
        const auto expected = made_canonical(reference::scan_reference<Acc>(
            n, [&](std::size_t i) { return lift(some[i], i); }, combine, exclusive,
            started ? std::optional<Acc>(of.start) : std::nullopt, of.nothing, sizes));
        const guarded_buffer<Acc> one(on, n);
        scan_by<Acc>(on, view<T>{buffer, n}, one.view(), of.fold, exclusive, start, sizes, of.apply);
        check_same(one.read(), expected);
        for (const stream_sizes& streaming : some_streams(sizes.tile() * sizes.tiles)) {
          CAPTURE(text_of(streaming));
          guarded_results<Acc> out(n, of.out_poison);
          const bool reads = random.below(2) == 0, writes = random.below(2) == 0;
          CAPTURE(reads);
          CAPTURE(writes);
          scan_streamed<T, Acc>(some_queues(random), reads ? read_from(some) : host_array(some),
                                writes ? written_to(out.span()) : host_output(out.span()), of.fold, of.apply,
                                exclusive, start, sizes, streaming);
          check_same(out.read(), expected);
          CHECK(out.intact());
          if constexpr (std::is_same_v<Acc, T>) {
            std::vector<T> in_place = some;
            scan_streamed<T, Acc>(some_queues(random), host_array(in_place), host_output(in_place), of.fold,
                                  of.apply, exclusive, start, sizes, streaming);
            check_same(in_place, expected);
          }
        }
      }
    }
  }
}

const auto as_it_is = [](auto x, std::size_t) { return x; };

// Around tiles and stretches of `small` and of `of_held_runs`, and more stretches than a piece has.
const std::vector<std::size_t> few = {1, 31, 32, 33, 127, 128, 129, 517, 1301};
const std::vector<std::size_t> of_runs = {255, 257, 511, 513, 2311, 6007};

}  // namespace

TEST_CASE("streamed running sums of floats, in pieces of any size") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_values<float>(random, 6100);
  const scanned<float, float> of{.values = values,
                                 .fold = clwave::plus,
                                 .nothing = 0.0f,
                                 .start = 0.3f,
                                 .poison = quiet_nan<float>(1),
                                 .out_poison = quiet_nan<float>(7)};
  check_streamed(random, of, as_it_is, wrapping_plus<float>, few, small);
  check_streamed(random, of, as_it_is, wrapping_plus<float>, of_runs, of_held_runs);
}

TEST_CASE("streamed running sums of floats in the order of public calls") {
  random_engine random;
  CAPTURE(random.note());
  const std::size_t stretch = std::size_t{1} << 20;
  const auto values = random_values<float>(random, 3 * stretch + 20'011);
  const fixture& on = *places()[0];
  std::vector<std::size_t> counts = {1, 16'383, 16'384, 16'385, stretch + 1, 2 * stretch};
  if (!quick()) counts.push_back(values.size());
  for (const std::size_t n : counts) {
    CAPTURE(n);
    const std::vector<float> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    const cl::Buffer whole = on.buffer_of(some);
    const guarded_buffer<float> one(on, n);
    guarded_results<float> out(n, quiet_nan<float>(3));
    clwave::inclusive_scan(on.queue, view<float>{whole, n}, one.view()).wait();
    clwave::inclusive_scan(some_queues(random), host_array(some), host_output(out.span()));
    check_same(out.read(), one.read());
    const clwave::map doubled{.name = "doubled", .source = "x + x"};
    clwave::transform_exclusive_scan(on.queue, view<float>{whole, n}, one.view(), clwave::plus, doubled,
                                     {.start = 0.7f})
        .wait();
    clwave::transform_exclusive_scan(some_queues(random), host_array(some), host_output(out.span()),
                                     clwave::plus, doubled, {.start = 0.7f});
    check_same(out.read(), one.read());
    CHECK(out.intact());
  }
}

TEST_CASE("streamed running sums with infinities and NaNs give the one NaN") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_values<float>(random, 1400, spice::nans);
  check_streamed<float, float>(random,
                               {.values = values,
                                .fold = clwave::plus,
                                .nothing = 0.0f,
                                .start = -2.0f,
                                .poison = 0.0f,
                                .out_poison = 1.0f},
                               as_it_is, wrapping_plus<float>, {1301}, small);
}

TEST_CASE("streamed running sums of doubles, of bytes in 64 bits, of halves in floats, and the greatest") {
  random_engine random;
  CAPTURE(random.note());
  if (places()[0]->has_doubles()) {
    const scan_sizes of_doubles{.run = 2, .runs = 4, .strips = 4, .blocks = 2, .tiles = 4};
    const auto floats = random_values<float>(random, 1400);
    check_streamed<double, float>(
        random,
        {.values = floats,
         .fold = clwave::plus,
         .apply = clwave::square,
         .nothing = 0.0,
         .start = 0.1,
         .poison = quiet_nan<float>(1),
         .out_poison = 3.0},
        [](float x, std::size_t) { return double{x} * double{x}; }, wrapping_plus<double>, {63, 1301},
        of_doubles);
  }
  const auto bytes = random_values<std::uint8_t>(random, 1400);
  check_streamed<std::uint64_t, std::uint8_t>(
      random,
      {.values = bytes,
       .fold = clwave::plus,
       .nothing = 0,
       .start = 1ull << 40,
       .poison = 255,
       .out_poison = 9},
      [](std::uint8_t x, std::size_t) { return std::uint64_t{x}; }, wrapping_plus<std::uint64_t>, {1, 1301},
      small);
  const auto halves = random_values<clwave::half>(random, 700);
  check_streamed<float, clwave::half>(
      random,
      {.values = halves,
       .fold = clwave::plus,
       .nothing = 0.0f,
       .start = 0.5f,
       .poison = clwave::half(1000.0f),
       .out_poison = 9.0f},
      [](clwave::half x, std::size_t) { return static_cast<float>(x); }, wrapping_plus<float>, {600}, small);
  const auto words = random_values<std::int32_t>(random, 700);
  check_streamed<std::int32_t, std::int32_t>(
      random,
      {.values = words,
       .fold = clwave::max,
       .nothing = std::numeric_limits<std::int32_t>::min(),
       .start = -5,
       .poison = std::numeric_limits<std::int32_t>::max(),
       .out_poison = 9},
      as_it_is, [](std::int32_t a, std::int32_t b) { return std::max(a, b); }, {129, 600}, small);
}

TEST_CASE("a streamed scan by an operator that does not commute sees the array in order") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_affines(random, 2400);
  const scanned<affine, affine> of{.values = values,
                                   .fold = then,
                                   .nothing = {1, 0},
                                   .start = {3, 5},
                                   .poison = {2, 9},
                                   .out_poison = {4, 4}};
  check_streamed(random, of, as_it_is, compose, few, small);
  check_streamed(random, of, as_it_is, compose, {2311}, of_held_runs);
}

TEST_CASE("a map of a streamed scan sees the index in the whole array, and its value at run time") {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_values<float>(random, 1400);
  const clwave::map weighted{
      .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
  check_streamed<float, float>(
      random,
      {.values = values,
       .fold = clwave::plus,
       .apply = weighted,
       .nothing = 0.0f,
       .start = 0.5f,
       .poison = quiet_nan<float>(1),
       .out_poison = 1.0f},
      [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); }, wrapping_plus<float>,
      {517, 1301}, small);
}

TEST_CASE("every row scans a stream" * lanes) {
  random_engine random;
  CAPTURE(random.note());
  const auto values = random_values<float>(random, 2311);
  const auto expected = reference::scan_reference<float>(
      values.size(), [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, true,
      std::optional(0.25f), 0.0f, of_held_runs);
  const float start = 0.25f;
  for_each_profile([&](const clwave::profile& row) {
    CAPTURE(std::string(row.name));
    if (!takes_row(default_fixture(), random, std::string(row.name))) return;
    std::vector<float> got(values.size());
    scan_streamed<float, float>(default_fixture().queue, host_array(values), host_output(got), clwave::plus,
                                clwave::identity, true, &start, of_held_runs, {.piece = 512, .at_once = 3});
    check_same(got, expected);
  });
}

TEST_CASE("page-locked memory is scanned from where it lies, and written there") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  const std::size_t n = 1301;
  const auto values = random_values<float>(random, n);
  const auto expected = reference::scan_reference<float>(
      n, [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, false, {}, 0.0f, small);
  const clwave::detail::host_memory memory(on.context(), on.device(), n * sizeof(float));
  const std::span<float> floats(static_cast<float*>(memory.get()), n);
  std::ranges::copy(values, floats.begin());
  scan_streamed<float, float>({on.queue, on.queue}, host_array(floats, clwave::host_pages::page_locked),
                              host_output(floats, clwave::host_pages::page_locked), clwave::plus,
                              clwave::identity, false, nullptr, small, {.piece = 256});
  check_same(std::vector<float>(floats.begin(), floats.end()), expected);
}

TEST_CASE("each element is read once and each result written once, in pieces") {
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = 5003;
  const std::vector<std::uint32_t> values(n, 1);
  std::vector<std::atomic<int>> read(n), written(n);
  std::atomic<int> wrong{0};
  const host_array<std::uint32_t> in(n, [&](std::uint64_t first, std::span<std::uint32_t> into) {
    for (std::size_t i = 0; i < into.size(); ++i) ++read[static_cast<std::size_t>(first) + i];
    std::ranges::fill(into, 1u);
  });
  const host_output<std::uint32_t> out(n, [&](std::uint64_t first, std::span<const std::uint32_t> results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      ++written[static_cast<std::size_t>(first) + i];
      if (results[i] != first + i + 1) ++wrong;
    }
  });
  CHECK(out.size() == n);
  int times = 0;
  for (const stream_sizes& streaming : some_streams(128)) {
    CAPTURE(text_of(streaming));
    scan_streamed<std::uint32_t, std::uint32_t>(some_queues(random), in, out, clwave::plus, clwave::identity,
                                                false, nullptr, small, streaming);
    ++times;
    CHECK(std::ranges::all_of(read, [&](const auto& each) { return each == times; }));
    CHECK(std::ranges::all_of(written, [&](const auto& each) { return each == times; }));
  }
  CHECK(wrong == 0);
}

TEST_CASE("queues of every kind scan a streamed array, whatever they hold before") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  const fixture& far = *places()[1];
  const std::vector<float> values = random_values<float>(random, 3000);
  const auto expected = reference::scan_reference<float>(
      values.size(), [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, false, {}, 0.0f, small);
  for (const auto first_kind : kinds_of_queue(on)) {
    for (const auto second_kind : kinds_of_queue(on)) {
      const cl::CommandQueue a = on.new_queue(first_kind), b = far.new_queue(second_kind);
      gate here(on);
      const std::vector<cl::Event> until{here.event()};
      cl::Event waiting;
      a.enqueueMarkerWithWaitList(&until, &waiting);
      a.flush();
      std::jthread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        here.open();
      });
      std::vector<float> got(values.size());
      scan_streamed<float, float>({a, b, a}, host_array(values), host_output(got), clwave::plus,
                                  clwave::identity, false, nullptr, small, {.piece = 128});
      check_same(got, expected);
    }
  }
}

TEST_CASE("threads scan streams at the same time") {
  const std::vector<std::uint32_t> values(3000, 3);
  const queues over{places()[0]->queue, places()[1]->queue};
  std::vector<int> right(3);
  {
    std::vector<std::jthread> threads;
    threads.reserve(right.size());
    for (int& count : right)
      threads.emplace_back([&] {
        for (int k = 0; k < 8; ++k) {
          std::vector<std::uint32_t> got(values.size());
          scan_streamed<std::uint32_t, std::uint32_t>(over, host_array(values), host_output(got),
                                                      clwave::plus, clwave::identity, true, nullptr, small,
                                                      {.piece = 128, .always_copies = true});
          bool all = true;
          for (std::size_t i = 0; i < got.size(); ++i) all &= got[i] == 3 * i;
          count += all ? 1 : 0;
        }
      });
  }
  for (const int count : right) CHECK(count == 8);
}

}  // namespace testing::host_array_scan_test

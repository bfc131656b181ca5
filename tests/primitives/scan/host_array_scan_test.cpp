// Scans of arrays of the host: an array that streams to devices of every kind in pieces of any size has the
// results of one call on one device.
#include <clwave/host_array_scan.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/scan.hpp>

#include "distributed/gated_shards.hpp"
#include "distributed/host_arrays.hpp"
#include "families/reductions.hpp"
#include "families/scans.hpp"
#include "harness/captures.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "primitives/scan/array_scan_cases.hpp"
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
  return {values.size(), [&values](u64 first, std::span<T> into) {
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
          }};
}

template <class Acc>
host_output<Acc> written_to(std::span<Acc> results) {
  return {results.size(), [results](u64 first, std::span<const Acc> piece) {
            std::ranges::copy(piece, results.begin() + static_cast<std::ptrdiff_t>(first));
          }};
}

struct streams {
  template <class Acc, class T>
  void scan(random_engine& random, const std::vector<T>& values, const scanned<Acc, T>& of, bool exclusive,
            const Acc* start, const scan_sizes& sizes, int /*cuts*/, const std::vector<Acc>& expected) const {
    for (const stream_sizes& streaming : some_streams(sizes.tile() * sizes.tiles)) {
      CAPTURE(text_of(streaming));
      guarded_results<Acc> out(values.size(), of.out_poison);
      const bool reads = random.below(2) == 0, writes = random.below(2) == 0;
      CAPTURES(reads, writes);
      scan_streamed<T, Acc>(some_queues(random), reads ? read_from(values) : host_array(values),
                            writes ? written_to(out.span()) : host_output(out.span()), of.fold, of.apply,
                            exclusive, start, sizes, streaming);
      check_same(out.read(), expected);
      CHECK(out.intact());
      if constexpr (std::is_same_v<Acc, T>) {
        std::vector<T> in_place = values;
        scan_streamed<T, Acc>(some_queues(random), host_array(in_place), host_output(in_place), of.fold,
                              of.apply, exclusive, start, sizes, streaming);
        check_same(in_place, expected);
      }
    }
  }
};

}  // namespace

TEST_CASE("an array that streams is scanned as on one device") { check_array_scan_cases<streams>(); }

TEST_CASE_FIXTURE(on_places, "streamed running sums of floats in the order of public calls") {
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

TEST_CASE_FIXTURE(on_places, "every row scans a stream" * lanes) {
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

TEST_CASE_FIXTURE(on_places, "page-locked memory is scanned from where it lies, and written there") {
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

TEST_CASE_FIXTURE(on_places, "each element is read once and each result written once, in pieces") {
  const std::size_t n = 5003;
  const std::vector<u32> values(n, 1);
  std::vector<std::atomic<int>> read(n), written(n);
  std::atomic<int> wrong{0};
  const host_array<u32> in(n, [&](u64 first, std::span<u32> into) {
    for (std::size_t i = 0; i < into.size(); ++i) ++read[static_cast<std::size_t>(first) + i];
    std::ranges::fill(into, 1u);
  });
  const host_output<u32> out(n, [&](u64 first, std::span<const u32> results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      ++written[static_cast<std::size_t>(first) + i];
      if (results[i] != first + i + 1) ++wrong;
    }
  });
  CHECK(out.size() == n);
  int times = 0;
  for (const stream_sizes& streaming : some_streams(128)) {
    CAPTURE(text_of(streaming));
    scan_streamed<u32, u32>(some_queues(random), in, out, clwave::plus, clwave::identity, false, nullptr,
                            small, streaming);
    ++times;
    CHECK(std::ranges::all_of(read, [&](const auto& each) { return each == times; }));
    CHECK(std::ranges::all_of(written, [&](const auto& each) { return each == times; }));
  }
  CHECK(wrong == 0);
}

TEST_CASE_FIXTURE(on_places, "queues of every kind scan a streamed array, whatever they hold before") {
  const std::vector<float> values = random_values<float>(random, 3000);
  const auto expected = reference::scan_reference<float>(
      values.size(), [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, false, {}, 0.0f, small);
  for (const auto first_kind : kinds_of_queue(on)) {
    for (const auto second_kind : kinds_of_queue(on)) {
      const cl::CommandQueue a = on.new_queue(first_kind), b = far.new_queue(second_kind);
      gate here(on);
      const std::vector<cl::Event> until{here.event()};
      marker_of(a, &until);
      const std::jthread opener = open_later({{&here}});
      std::vector<float> got(values.size());
      scan_streamed<float, float>({a, b, a}, host_array(values), host_output(got), clwave::plus,
                                  clwave::identity, false, nullptr, small, {.piece = 128});
      check_same(got, expected);
    }
  }
}

TEST_CASE("threads scan streams at the same time") {
  const std::vector<u32> values(3000, 3);
  const queues over{places()[0]->queue, places()[1]->queue};
  std::vector<int> right(3);
  {
    std::vector<std::jthread> threads;
    threads.reserve(right.size());
    for (int& count : right)
      threads.emplace_back([&] {
        for (int k = 0; k < 8; ++k) {
          std::vector<u32> got(values.size());
          scan_streamed<u32, u32>(over, host_array(values), host_output(got), clwave::plus, clwave::identity,
                                  true, nullptr, small, {.piece = 128, .always_copies = true});
          bool all = true;
          for (std::size_t i = 0; i < got.size(); ++i) all &= got[i] == 3 * i;
          count += all ? 1 : 0;
        }
      });
  }
  for (const int count : right) CHECK(count == 8);
}

}  // namespace testing::host_array_scan_test

// host_array: an array that streams to devices of every kind in pieces of any size has the bits of one call
// on one device.
#include <clwave/host_array.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "distributed/array_cases.hpp"
#include "distributed/host_arrays.hpp"

namespace testing::host_array_test {

using clwave::indexed;

namespace {

struct streams {
  template <class Acc, class T, class Take>
  void reduce(random_engine& random, const std::vector<T>& values, const clwave::op& fold,
              const clwave::map& apply, const T& /*poison*/, int /*cuts*/, const Take& take) const {
    for (const stream_sizes& streaming : some_streams()) {
      CAPTURE(text_of(streaming));
      take(fold_streamed<Acc>(some_queues(random), host_array(values), nullptr, fold, apply, streaming));
    }
    if constexpr (std::is_same_v<Acc, indexed<float>>)
      take(&fold == &clwave::detail::argmin_op ? clwave::argmin(some_queues(random), host_array(values))
                                               : clwave::argmax(some_queues(random), host_array(values)));
    else
      take(clwave::transform_reduce<Acc>(some_queues(random), host_array(values), fold, apply));
  }
};

}  // namespace

TEST_CASE("an array that streams is reduced as on one device") { check_array_cases<streams>(); }

TEST_CASE_FIXTURE(on_places, "streamed bools are found") {
  std::array<bool, 20'001> truths;
  truths.fill(true);
  truths[8192] = false;
  CHECK_FALSE(clwave::reduce(some_queues(random), host_array(truths), clwave::logical_and));
  CHECK(clwave::reduce(some_queues(random), host_array(truths), clwave::logical_or));
  CHECK(clwave::reduce<u64>(some_queues(random), host_array(truths)) == 20'000);
}

TEST_CASE_FIXTURE(on_places, "texts see each other's declarations on every level of a streamed array") {
  // The operator uses a function that only the map declares.
  const clwave::map lifted{.name = "lifted",
                           .source = "scaled(x.scale, 3u)",
                           .declarations = "uint scaled(uint s, uint c) { return s * c; }"};
  const clwave::op joined{
      .name = "joined", .source = "scaled(a, 1u) + scaled(b, 1u)", .identity = "scaled(0u, 1u)"};
  const std::vector<affine> values = random_affines(random, 20'001);
  u32 sum = 0;
  for (const affine& each : values) sum += 3 * each.scale;
  for (const stream_sizes& streaming : some_streams())
    CHECK(fold_streamed<u32>(some_queues(random), host_array(values), nullptr, joined, lifted, streaming) ==
          sum);
  // Of nothing, the identity.
  CHECK(clwave::transform_reduce<u32>(places()[0]->queue, host_array(std::span<const affine>()), joined,
                                      lifted) == 0);
}

TEST_CASE_FIXTURE(on_places, "two streamed inputs") {
  const clwave::map gap{.name = "gap", .source = "fabs(x - y) + (float)i"};
  for (const std::size_t n : {1u, 8193u, 50'021u}) {
    CAPTURE(n);
    const auto xs = random_values<float>(random, n), ys = random_values<float>(random, n);
    const cl::Buffer x = on.buffer_of(xs), y = on.buffer_of(ys);
    const float product = clwave::dot(on.queue, view<float>{x, n}, view<float>{y, n});
    const float worst = clwave::transform_reduce(on.queue, clwave::zip(view<float>{x, n}, view<float>{y, n}),
                                                 clwave::max, gap);
    // One in memory, and one that is read.
    const host_array a(xs);
    const host_array<float> b(n, [&](u64 first, std::span<float> into) {
      std::copy_n(ys.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
    });
    for (const stream_sizes& streaming : some_streams()) {
      CAPTURE(text_of(streaming));
      CHECK(same_bits(
          fold_streamed<float>(some_queues(random), a, &b, clwave::plus, clwave::product, streaming),
          product));
      CHECK(same_bits(fold_streamed<float>(some_queues(random), b, &a, clwave::max, gap, streaming), worst));
    }
    CHECK(same_bits(clwave::dot(on.queue, a, host_array(ys)), product));
    CHECK(same_bits(clwave::transform_reduce(on.queue, clwave::zip(a, b), clwave::max, gap), worst));
  }
}

TEST_CASE_FIXTURE(on_places, "argmax of streamed halves, bytes and doubles") {
  const auto check = [&]<class T>(const std::vector<T>& values) {
    const cl::Buffer buffer = on.buffer_of(values);
    const auto one = clwave::argmax(on.queue, view<T>{buffer, values.size()});
    const auto got = clwave::argmax(some_queues(random), host_array(values));
    CHECK(got.value == one.value);
    CHECK(got.index == one.index);
  };
  check(random_values<half>(random, 20'000));
  check(random_values<std::uint8_t>(random, 20'000));
  check(random_values<std::int64_t>(random, 20'000));
  if (on.has_doubles()) check(random_values<double>(random, 20'000));
}

TEST_CASE_FIXTURE(on_places, "many levels of results: small tiles") {
  const clwave::detail::fold_sizes sizes{.tile = 128, .accumulators = 64};
  const std::size_t n = 40'007;
  const auto floats = random_values<float>(random, n);
  const auto affines = random_affines(random, n);
  const auto sum = reference::fold_reference<float>(
      n, [&](std::size_t i) { return floats[i]; }, wrapping_plus<float>, false, sizes);
  const auto all = reference::fold_reference<affine>(
      n, [&](std::size_t i) { return affines[i]; }, compose, true, sizes);
  for (const stream_sizes& streaming : some_streams(sizes.tile)) {
    CAPTURE(text_of(streaming));
    CHECK(same_bits(fold_streamed<float>(some_queues(random), host_array(floats), nullptr, clwave::plus,
                                         clwave::identity, streaming, sizes),
                    sum));
    CHECK(fold_streamed<affine>(some_queues(random), host_array(affines), nullptr, then, clwave::identity,
                                streaming, sizes) == all);
  }
}

TEST_CASE_FIXTURE(on_places,
                  "a function is asked for each element once, in pieces, and argmax for one tile again") {
  const std::size_t n = 100'003;
  std::vector<u32> values = random_values<u32>(random, n);
  for (u32& each : values) each %= 1'000'000;
  values[70'001] = 2'000'000;
  u32 sum = 0;
  for (const u32 each : values) sum += each;
  std::mutex mutex;
  std::vector<std::pair<u64, std::size_t>> asked;
  const host_array<u32> array(n, [&](u64 first, std::span<u32> into) {
    {
      const std::lock_guard lock(mutex);
      asked.emplace_back(first, into.size());
    }
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
  });
  CHECK(array.size() == n);
  const auto covers = [&] {
    std::ranges::sort(asked);
    u64 end = 0;
    for (const auto& [first, count] : asked) {
      if (first != end) return false;
      end += count;
    }
    return end == n;
  };
  for (const stream_sizes& streaming : some_streams()) {
    CAPTURE(text_of(streaming));
    asked.clear();
    CHECK(fold_streamed<u32>(some_queues(random), array, nullptr, clwave::plus, clwave::identity,
                             streaming) == sum);
    CHECK(covers());
    if (streaming.piece != 0) CHECK(asked.size() == (n + streaming.piece - 1) / streaming.piece);
  }
  asked.clear();
  const auto most = clwave::argmax(some_queues(random), array);
  CHECK(most.value == 2'000'000);
  CHECK(most.index == 70'001);
  REQUIRE(asked.size() > 1);
  CHECK(asked.back() == std::pair<u64, std::size_t>{70'001 / tile * tile, tile});
  asked.pop_back();
  CHECK(covers());
}

TEST_CASE("more than 2^32 streamed elements, and an index beyond them") {
  const u64 n = (u64{1} << 32) + 70'003;
  const u64 last = n - 12'345;
  std::atomic<u64> read{0};
  const host_array<std::uint8_t> array(n, [&](u64 first, std::span<std::uint8_t> into) {
    std::memset(into.data(), 3, into.size());
    if (last >= first && last - first < into.size()) into[static_cast<std::size_t>(last - first)] = 254;
    read += into.size();
  });
  const queues over{places()[0]->queue, places()[1]->queue};
  CHECK(clwave::reduce<u64>(over, array) == 3 * (n - 1) + 254);
  CHECK(read == n);
  const auto most = clwave::argmax(over, array);
  CHECK(most.value == 254);
  CHECK(most.index == last);
}

}  // namespace testing::host_array_test

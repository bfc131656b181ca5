// host_array: an array that streams to devices of every kind in pieces of any size has the bits of one call
// on one device.
#include <clwave/host_array.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "distributed/host_arrays.hpp"
#include "harness/quick.hpp"

namespace testing::host_array_test {

// Five words: no packet of a load has a whole number of them.
struct five_words {
  std::uint32_t w[5];
};

}  // namespace testing::host_array_test

CLWAVE_STRUCTURE(testing::host_array_test::five_words, "five_words",
                 "typedef struct { uint w[5]; } five_words;")

namespace testing::host_array_test {

using clwave::indexed;

namespace {

// A streamed reduction against the call on one device and against the host.
template <class Acc, class T, class Lift, class Combine>
void check_bits(const std::vector<T>& values, const clwave::op& fold, const clwave::map& apply, Lift lift,
                Combine combine, random_engine& random, const std::vector<std::size_t>& sizes = some_sizes) {
  const fixture& on = *places()[0];
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::vector<T> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    const cl::Buffer buffer = on.buffer_of(some);
    const Acc one = clwave::transform_reduce<Acc>(on.queue, view<T>{buffer, n}, fold, apply);
    const Acc host = reference::canonical(reference::fold_reference<Acc>(
        n, [&](std::size_t i) { return lift(some[i], i); }, combine, !fold.commutative));
    CHECK(same_bits(one, host));
    for (const stream_sizes& streaming : some_streams()) {
      CAPTURE(text_of(streaming));
      const queues over = some_queues(random);
      const Acc got = fold_streamed<Acc>(over, host_array(some), nullptr, fold, apply, streaming);
      CAPTURE(show_bits(got));
      CAPTURE(show_bits(one));
      CHECK(same_bits(got, one));
    }
    const Acc got = clwave::transform_reduce<Acc>(some_queues(random), host_array(some), fold, apply);
    CHECK(same_bits(got, one));
  }
}

}  // namespace

TEST_CASE("streamed sums of floats, in pieces of any size") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<float>(
      random_values<float>(random, 100'003), clwave::plus, clwave::identity,
      [](float x, std::size_t) { return x; }, wrapping_plus<float>, random,
      {1, 33, 8191, 8192, 8193, 16'384, 16'385, 24'575, 24'576, 24'577, 40'960, 65'536, 100'003});
}

TEST_CASE("streamed sums with infinities and NaNs give the one NaN") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<float>(random_values<float>(random, 30'000, spice::nans), clwave::plus, clwave::identity,
                    [](float x, std::size_t) { return x; }, wrapping_plus<float>, random, {1, 8193, 30'000});
}

TEST_CASE("streamed sums of doubles, and of floats in doubles") {
  random_engine random;
  CAPTURE(random.note());
  if (!places()[0]->has_doubles()) return;
  check_bits<double>(
      random_values<double>(random, 100'003), clwave::plus, clwave::identity,
      [](double x, std::size_t) { return x; }, wrapping_plus<double>, random);
  check_bits<double>(
      random_values<float>(random, 100'003), clwave::plus, clwave::square,
      [](float x, std::size_t) { return double{x} * double{x}; }, wrapping_plus<double>, random);
}

TEST_CASE("streamed whole numbers: sums that wrap, and bytes in 64 bits") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<std::int32_t>(
      random_values<std::int32_t>(random, 100'003), clwave::plus, clwave::identity,
      [](std::int32_t x, std::size_t) { return x; }, wrapping_plus<std::int32_t>, random);
  check_bits<std::uint64_t>(
      random_values<std::uint8_t>(random, 100'003), clwave::plus, clwave::identity,
      [](std::uint8_t x, std::size_t) { return std::uint64_t{x}; }, wrapping_plus<std::uint64_t>, random);
}

TEST_CASE("streamed halves are summed in float, and bools are found") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<float>(random_values<clwave::half>(random, 24'581), clwave::plus, clwave::abs,
                    [](clwave::half x, std::size_t) { return std::fabs(static_cast<float>(x)); },
                    wrapping_plus<float>, random, {1, 8192, 24'581});
  std::array<bool, 20'001> truths;
  truths.fill(true);
  truths[8192] = false;
  CHECK_FALSE(clwave::reduce(some_queues(random), host_array(truths), clwave::logical_and));
  CHECK(clwave::reduce(some_queues(random), host_array(truths), clwave::logical_or));
  CHECK(clwave::reduce<std::uint64_t>(some_queues(random), host_array(truths)) == 20'000);
}

TEST_CASE("an operator that does not commute sees a streamed array in order") {
  random_engine random;
  CAPTURE(random.note());
  check_bits<affine>(
      random_affines(random, 100'003), then, clwave::identity, [](affine x, std::size_t) { return x; },
      compose, random);
}

TEST_CASE("streamed structures of 20 bytes, whose places are no multiples of 256") {
  random_engine random;
  CAPTURE(random.note());
  const clwave::op joined{.name = "joined",
                          .source = "joined_of(a, b)",
                          .identity = "(five_words){{0, 0, 0, 0, 0}}",
                          .declarations =
                              "five_words joined_of(five_words a, five_words b) {\n"
                              "  five_words r = {{a.w[0] + b.w[0], max(a.w[1], b.w[1]), a.w[2] ^ b.w[2],\n"
                              "                   a.w[3] | b.w[3], a.w[4] * b.w[4] + a.w[4] + b.w[4]}};\n"
                              "  return r;\n}"};
  std::vector<five_words> values(50'003);
  for (five_words& each : values)
    for (std::uint32_t& word : each.w) word = static_cast<std::uint32_t>(random());
  check_bits<five_words>(
      values, joined, clwave::identity, [](five_words x, std::size_t) { return x; },
      [](five_words a, five_words b) {
        return five_words{{a.w[0] + b.w[0], std::max(a.w[1], b.w[1]), a.w[2] ^ b.w[2], a.w[3] | b.w[3],
                           a.w[4] * b.w[4] + a.w[4] + b.w[4]}};
      },
      random, {1, 8193, 50'003});
}

TEST_CASE("a map sees the index in the whole streamed array, and its value at run time") {
  random_engine random;
  CAPTURE(random.note());
  const clwave::map weighted{
      .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
  check_bits<float>(
      random_values<float>(random, 100'003), clwave::plus, weighted,
      [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); }, wrapping_plus<float>,
      random);
}

TEST_CASE("texts see each other's declarations on every level of a streamed array") {
  random_engine random;
  CAPTURE(random.note());
  // The operator uses a function that only the map declares.
  const clwave::map lifted{.name = "lifted",
                           .source = "scaled(x.scale, 3u)",
                           .declarations = "uint scaled(uint s, uint c) { return s * c; }"};
  const clwave::op joined{
      .name = "joined", .source = "scaled(a, 1u) + scaled(b, 1u)", .identity = "scaled(0u, 1u)"};
  const std::vector<affine> values = random_affines(random, 20'001);
  std::uint32_t sum = 0;
  for (const affine& each : values) sum += 3 * each.scale;
  for (const stream_sizes& streaming : some_streams())
    CHECK(fold_streamed<std::uint32_t>(some_queues(random), host_array(values), nullptr, joined, lifted,
                                       streaming) == sum);
  // Of nothing, the identity.
  CHECK(clwave::transform_reduce<std::uint32_t>(places()[0]->queue, host_array(std::span<const affine>()),
                                                joined, lifted) == 0);
}

TEST_CASE("two streamed inputs") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  const clwave::map gap{.name = "gap", .source = "fabs(x - y) + (float)i"};
  for (const std::size_t n : {std::size_t{1}, std::size_t{8193}, std::size_t{50'021}}) {
    CAPTURE(n);
    const auto xs = random_values<float>(random, n), ys = random_values<float>(random, n);
    const cl::Buffer x = on.buffer_of(xs), y = on.buffer_of(ys);
    const float product = clwave::dot(on.queue, view<float>{x, n}, view<float>{y, n});
    const float worst = clwave::transform_reduce(on.queue, clwave::zip(view<float>{x, n}, view<float>{y, n}),
                                                 clwave::max, gap);
    // One in memory, and one that is read.
    const host_array a(xs);
    const host_array<float> b(n, [&](std::uint64_t first, std::span<float> into) {
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

TEST_CASE("argmin and argmax give the first place in the whole streamed array") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  for (int turn = 0; turn < (quick() ? 8 : 30); ++turn) {
    const std::vector<float> values =
        values_with_ties(random, some_sizes[random.below(some_sizes.size())], turn);
    const std::size_t n = values.size();
    const cl::Buffer buffer = on.buffer_of(values);
    const indexed<float> least = clwave::argmin(on.queue, view<float>{buffer, n});
    const indexed<float> most = clwave::argmax(on.queue, view<float>{buffer, n});
    for (const stream_sizes& streaming : some_streams()) {
      CAPTURE(text_of(streaming));
      const queues over = some_queues(random);
      const auto got_least = fold_streamed<indexed<float>>(
          over, host_array(values), nullptr, clwave::detail::argmin_op, clwave::identity, streaming);
      const auto got_most = fold_streamed<indexed<float>>(
          over, host_array(values), nullptr, clwave::detail::argmax_op, clwave::identity, streaming);
      CHECK(same_bits(got_least, least));
      CHECK(same_bits(got_most, most));
    }
    CHECK(same_bits(clwave::argmin(on.queue, host_array(values)), least));
    CHECK(same_bits(clwave::argmax(on.queue, host_array(values)), most));
  }
}

TEST_CASE("argmax of streamed halves, bytes and doubles") {
  random_engine random;
  CAPTURE(random.note());
  const fixture& on = *places()[0];
  const auto check = [&]<class T>(const std::vector<T>& values) {
    const cl::Buffer buffer = on.buffer_of(values);
    const auto one = clwave::argmax(on.queue, view<T>{buffer, values.size()});
    const auto got = clwave::argmax(some_queues(random), host_array(values));
    CHECK(got.value == one.value);
    CHECK(got.index == one.index);
  };
  check(random_values<clwave::half>(random, 20'000));
  check(random_values<std::uint8_t>(random, 20'000));
  check(random_values<std::int64_t>(random, 20'000));
  if (on.has_doubles()) check(random_values<double>(random, 20'000));
}

TEST_CASE("many levels of results: small tiles") {
  random_engine random;
  CAPTURE(random.note());
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

TEST_CASE("a function is asked for each element once, in pieces, and argmax for one tile again") {
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = 100'003;
  std::vector<std::uint32_t> values = random_values<std::uint32_t>(random, n);
  for (std::uint32_t& each : values) each %= 1'000'000;
  values[70'001] = 2'000'000;
  std::uint32_t sum = 0;
  for (const std::uint32_t each : values) sum += each;
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, std::size_t>> asked;
  const host_array<std::uint32_t> array(n, [&](std::uint64_t first, std::span<std::uint32_t> into) {
    {
      const std::lock_guard lock(mutex);
      asked.emplace_back(first, into.size());
    }
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
  });
  CHECK(array.size() == n);
  const auto covers = [&] {
    std::ranges::sort(asked);
    std::uint64_t end = 0;
    for (const auto& [first, count] : asked) {
      if (first != end) return false;
      end += count;
    }
    return end == n;
  };
  for (const stream_sizes& streaming : some_streams()) {
    CAPTURE(text_of(streaming));
    asked.clear();
    CHECK(fold_streamed<std::uint32_t>(some_queues(random), array, nullptr, clwave::plus, clwave::identity,
                                       streaming) == sum);
    CHECK(covers());
    if (streaming.piece != 0) CHECK(asked.size() == (n + streaming.piece - 1) / streaming.piece);
  }
  asked.clear();
  const auto most = clwave::argmax(some_queues(random), array);
  CHECK(most.value == 2'000'000);
  CHECK(most.index == 70'001);
  REQUIRE(asked.size() > 1);
  CHECK(asked.back() == std::pair<std::uint64_t, std::size_t>{70'001 / tile * tile, tile});
  asked.pop_back();
  CHECK(covers());
}

TEST_CASE("more than 2^32 streamed elements, and an index beyond them") {
  const std::uint64_t n = (std::uint64_t{1} << 32) + 70'003;
  const std::uint64_t last = n - 12'345;
  std::atomic<std::uint64_t> read{0};
  const host_array<std::uint8_t> array(n, [&](std::uint64_t first, std::span<std::uint8_t> into) {
    std::memset(into.data(), 3, into.size());
    if (last >= first && last - first < into.size()) into[static_cast<std::size_t>(last - first)] = 254;
    read += into.size();
  });
  const queues over{places()[0]->queue, places()[1]->queue};
  CHECK(clwave::reduce<std::uint64_t>(over, array) == 3 * (n - 1) + 254);
  CHECK(read == n);
  const auto most = clwave::argmax(over, array);
  CHECK(most.value == 254);
  CHECK(most.index == last);
}

}  // namespace testing::host_array_test

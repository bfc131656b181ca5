// Random reductions over the shards of several ranks: what each rank has, and what all shall get. All ranks
// make the same cases of the same seed. Does not need doctest: the test with MPI has none.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <clwave/ranks.hpp>

#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

// Small tiles: many levels of few elements.
inline constexpr clwave::detail::fold_sizes rank_sizes{.tile = 64, .accumulators = 32};

// How an array lies: for each rank the lengths of its shards.
using rank_cut = std::vector<std::vector<std::uint64_t>>;

inline std::string text_of(const rank_cut& cut) {
  std::string text;
  for (const auto& rank : cut) {
    for (const u64 n : rank) text += std::to_string(n) + " ";
    text += "| ";
  }
  return text;
}

// Cuts anywhere, at the ends of tiles of each level and beside them, ranks with nothing, and many ranks in
// one tile.
inline rank_cut random_rank_cut(random_engine& random, u64 n, std::size_t ranks, u64 of_tile) {
  std::vector<u64> ends;
  const bool crowded = random.below(4) == 0;
  const u64 crowd = random.below(n + 1);
  for (std::size_t k = 1; k < ranks; ++k) {
    u64 end = random.below(n + 1);
    const u64 unit = random.below(3) == 0 ? of_tile * of_tile : of_tile;
    if (random.below(3) == 0) end = end / unit * unit;
    if (random.below(4) == 0) end = end / unit * unit + random.below(3);
    if (random.below(6) == 0) end = end > 0 ? end - 1 : 0;
    if (crowded) end = crowd + random.below(of_tile);
    if (random.below(5) == 0 && !ends.empty()) end = ends.back();
    ends.push_back(std::min(n, end));
  }
  std::ranges::sort(ends);
  ends.push_back(n);
  rank_cut cut;
  u64 begin = 0;
  for (const u64 end : ends) {
    u64 left = end - begin;
    auto& shards = cut.emplace_back();
    while (random.below(3) == 0) {
      shards.push_back(random.below(left + 1));
      left -= shards.back();
    }
    shards.push_back(left);
    begin = end;
  }
  return cut;
}

// Where each rank's elements begin, and the end.
inline std::vector<u64> begins_of(const rank_cut& cut) {
  std::vector<u64> begins{0};
  for (const auto& shards : cut) {
    begins.push_back(begins.back());
    for (const u64 n : shards) begins.back() += n;
  }
  return begins;
}

// One reduction.
struct rank_case {
  enum kind { sum, product, chain, weighted, bytes, squares, least, most, n_kinds };
  kind what;
  u64 n;
  rank_cut cut;
  u64 seed;  // of the elements
};

inline rank_case random_rank_case(random_engine& random, std::size_t ranks) {
  rank_case one{};
  one.what = static_cast<rank_case::kind>(random.below(rank_case::n_kinds));
  constexpr u64 tile = rank_sizes.tile;
  const u64 most = std::array<u64, 4>{2 * tile, 8 * tile, tile * tile + 300,
                                      5 * tile * tile}[random.below(16) == 0 ? 3 : random.below(3)];
  one.n = random.below(20) == 0 ? tile * (1 + random.below(2 * tile)) : 1 + random.below(most);
  if (random.below(40) == 0 && one.what < rank_case::least) one.n = 0;
  one.cut = random_rank_cut(random, one.n, ranks, tile);
  one.seed = random();
  return one;
}

// The bytes of a result, so that cases of all types are compared alike. No result has padding.
template <class A>
std::vector<std::byte> result_bytes(const A& result) {
  std::vector<std::byte> bytes(sizeof result);
  std::memcpy(bytes.data(), &result, sizeof result);
  return bytes;
}
template <class T>
std::vector<std::byte> result_bytes(const indexed<T>& result) {
  auto bytes = result_bytes(result.value);
  const auto index = result_bytes(result.index);
  bytes.insert(bytes.end(), index.begin(), index.end());
  return bytes;
}

// The shards of one rank, on two contexts in turn.
template <class T>
class rank_shards {
 public:
  rank_shards(const std::vector<T>& values, const rank_cut& cut, std::size_t rank,
              const std::array<const fixture*, 2>& on)
      : on_(on), lengths_(cut[rank]) {
    std::size_t begin = 0;
    for (std::size_t r = 0; r < rank; ++r)
      for (const u64 n : cut[r]) begin += n;
    for (std::size_t k = 0; k < cut[rank].size(); ++k) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto n = static_cast<std::ptrdiff_t>(cut[rank][k]);
      buffers_.push_back(on[k % 2]->buffer_of(std::vector<T>(first, first + n)));
      array_.add({on[k % 2]->queue, view<T>{buffers_.back(), cut[rank][k]}});
      begin += cut[rank][k];
    }
  }
  const clwave::sharded<T>& array() const { return array_; }
  // What they hold now, one behind the other.
  std::vector<T> read() const {
    std::vector<T> all;
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const auto own = on_[k % 2]->read<T>(buffers_[k], lengths_[k]);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

 private:
  std::array<const fixture*, 2> on_;
  std::vector<u64> lengths_;
  std::deque<cl::Buffer> buffers_;
  clwave::sharded<T> array_;
};

// Carries out a case on a rank, or says what all shall get.
class rank_runner {
 public:
  // `over` is null where the answer is asked for.
  rank_runner(clwave::ranks* over, const std::array<const fixture*, 2>& on) : over_(over), on_(on) {}

  std::vector<std::byte> operator()(const rank_case& one) const {
    random_engine random(one.seed);
    const auto n = static_cast<std::size_t>(one.n);
    const auto x_of = [](float x, std::size_t /*i*/) { return x; };
    switch (one.what) {
      case rank_case::sum:
        return fold<float>(one, random_values<float>(random, n), clwave::plus, clwave::identity, x_of,
                           wrapping_plus<float>, 0.0f);
      case rank_case::product: {
        const auto xs = random_values<float>(random, n), ys = random_values<float>(random, n);
        return fold<float>(
            one, xs, clwave::plus, clwave::product, [&](float x, std::size_t i) { return x * ys[i]; },
            wrapping_plus<float>, 0.0f, &ys);
      }
      case rank_case::chain:
        return fold<affine>(
            one, random_affines(random, n), then, clwave::identity,
            [](affine x, std::size_t /*i*/) { return x; }, compose, affine{1, 0});
      case rank_case::weighted: {
        const clwave::map weighted{
            .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
        return fold<float>(
            one, random_values<float>(random, n), clwave::plus, weighted,
            [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); },
            wrapping_plus<float>, 0.0f);
      }
      case rank_case::bytes:
        return fold<u64>(
            one, random_values<std::uint8_t>(random, n), clwave::plus, clwave::identity,
            [](std::uint8_t x, std::size_t /*i*/) { return u64{x}; }, wrapping_plus<u64>, u64{0});
      case rank_case::squares: {
        const clwave::op larger{
            .name = "larger", .source = "larger_of(a, b)", .identity = "larger_of(0.0f, 0.0f)"};
        const clwave::map squared{
            .name = "squared",
            .source = "larger_of(x * x, 0.0f)",
            .declarations = "float larger_of(float a, float b) { return a > b ? a : b; }"};
        return fold<float>(
            one, random_values<float>(random, n), larger, squared,
            [](float x, std::size_t /*i*/) { return x * x > 0.0f ? x * x : 0.0f; },
            [](float a, float b) { return a > b ? a : b; }, 0.0f);
      }
      default:
        return place(one, random);
    }
  }

 private:
  template <class A, class T, class Lift, class Combine>
  std::vector<std::byte> fold(const rank_case& one, const std::vector<T>& values, const clwave::op& op,
                              const clwave::map& map, const Lift& lift, const Combine& combine,
                              const A& of_nothing, const std::vector<T>* second = nullptr) const {
    if (over_ == nullptr) {
      if (one.n == 0) return result_bytes(of_nothing);
      return result_bytes(reference::canonical(reference::fold_reference<A>(
          values.size(), [&](std::size_t i) { return lift(values[i], i); }, combine, !op.commutative,
          rank_sizes)));
    }
    return reduce<A>(one, values, op, map, second);
  }

  std::vector<std::byte> place(const rank_case& one, random_engine& random) const {
    // Few values, so that there are ties; zeros of both signs, and sometimes a NaN.
    std::vector<float> values(static_cast<std::size_t>(one.n));
    for (float& value : values) value = std::array{-0.0f, 0.0f, 1.0f, 2.0f}[random.below(4)];
    if (random.below(2) == 0) values[random.below(values.size())] = random.below(2) == 0 ? -7.0f : 9.0f;
    if (random.below(5) == 0) values[random.below(values.size())] = quiet_nan<float>(1 + random.below(100));
    const bool most = one.what == rank_case::most;
    if (over_ != nullptr)
      return reduce<indexed<float>>(one, values, most ? clwave::detail::argmax_op : clwave::detail::argmin_op,
                                    clwave::identity);
    std::size_t first = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[first] != values[first]) break;
      if (values[i] != values[i] || (most ? values[i] > values[first] : values[i] < values[first])) first = i;
    }
    return result_bytes(indexed<float>{reference::canonical(values[first]), first});
  }

  template <class A, class T>
  std::vector<std::byte> reduce(const rank_case& one, const std::vector<T>& values, const clwave::op& op,
                                const clwave::map& map, const std::vector<T>* second = nullptr) const {
    const rank_shards<T> x(values, one.cut, over_->rank(), on_);
    const rank_shards<T> y(second != nullptr ? *second : values, one.cut, over_->rank(), on_);
    A result;
    clwave::detail::reduce_ranks(
        *over_,
        {.x = x.array().erased(),
         .y = second != nullptr ? y.array().erased() : std::span<const clwave::detail::erased_shard>(),
         .accumulator = &element_of<A>(),
         .folded = &clwave::detail::folded_of<A>(),
         .fold = &op,
         .apply = &map,
         .sizes = rank_sizes},
        &result);
    return result_bytes(result);
  }

  clwave::ranks* over_;
  std::array<const fixture*, 2> on_;
};

}  // namespace testing

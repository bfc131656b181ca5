// Random scans over the shards of several ranks: what each rank has, and what it shall get. All ranks make
// the same cases of the same seed. Does not need doctest: the test with MPI has none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <clwave/ranks_scan.hpp>

#include "distributed/rank_cases.hpp"
#include "families/reductions.hpp"
#include "families/scan_reference.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

// One scan.
struct rank_scan_case {
  enum kind { sum, held, from_start, chain, chain_before, weighted, bytes, greatest, n_kinds };
  kind what;
  u64 n;
  rank_cut cut;
  bool in_place;  // where types allow it
  u64 seed;       // of the elements

  const scan_sizes& sizes() const { return what == held ? of_held_runs : small; }
};

inline rank_scan_case random_rank_scan_case(random_engine& random, std::size_t ranks) {
  rank_scan_case one{};
  one.what = static_cast<rank_scan_case::kind>(random.below(rank_scan_case::n_kinds));
  const u64 tile = one.sizes().tile(), stretch = tile * one.sizes().tiles;
  const u64 most = std::array{2 * tile, stretch + 3, 4 * stretch, 20 * stretch}[random.below(4)];
  one.n = random.below(20) == 0 ? stretch * (1 + random.below(9)) : random.below(most + 1);
  one.cut = random_rank_cut(random, one.n, ranks, tile);
  one.in_place = random.below(3) == 0;
  one.seed = random();
  return one;
}

// Carries out a case on a rank, or says what all ranks together shall get.
class rank_scan_runner {
 public:
  // `over` is null where the answer is asked for.
  rank_scan_runner(clwave::ranks* over, const std::array<const fixture*, 2>& on) : over_(over), on_(on) {}

  std::vector<std::byte> operator()(const rank_scan_case& one) const {
    random_engine random(one.seed);
    const auto n = static_cast<std::size_t>(one.n);
    const auto as_it_is = [](auto x, std::size_t /*i*/) { return x; };
    switch (one.what) {
      case rank_scan_case::sum:
      case rank_scan_case::held:
        return scan<float>(one, random_values<float>(random, n), {clwave::plus, clwave::identity}, as_it_is,
                           wrapping_plus<float>);
      case rank_scan_case::from_start:
        return scan<float>(one, random_values<float>(random, n),
                           {.fold = clwave::plus, .exclusive = true, .start = 0.1f}, as_it_is,
                           wrapping_plus<float>);
      case rank_scan_case::chain:
        return scan<affine>(one, random_affines(random, n), {.fold = then, .start = affine{3, 5}}, as_it_is,
                            compose);
      case rank_scan_case::chain_before:
        return scan<affine>(one, random_affines(random, n),
                            {.fold = then, .exclusive = true, .nothing = affine{1, 0}}, as_it_is, compose);
      case rank_scan_case::weighted: {
        const clwave::map weighted{
            .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
        return scan<float>(
            one, random_values<float>(random, n), {.fold = clwave::plus, .apply = weighted},
            [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); },
            wrapping_plus<float>);
      }
      case rank_scan_case::bytes:
        return scan<u64>(
            one, random_values<std::uint8_t>(random, n), {.fold = clwave::plus, .exclusive = true},
            [](std::uint8_t x, std::size_t /*i*/) { return u64{x}; }, wrapping_plus<u64>);
      default:
        return scan<std::int32_t>(one, random_values<std::int32_t>(random, n), {.fold = clwave::max},
                                  as_it_is, [](std::int32_t a, std::int32_t b) { return std::max(a, b); });
    }
  }

 private:
  template <class Acc>
  struct asked {
    clwave::op fold;
    clwave::map apply = clwave::identity;
    bool exclusive = false;
    std::optional<Acc> start = {};
    Acc nothing = {};  // the identity
  };

  template <class Acc, class T, class Lift, class Combine>
  std::vector<std::byte> scan(const rank_scan_case& one, const std::vector<T>& values,
                              const std::type_identity_t<asked<Acc>>& what, const Lift& lift,
                              const Combine& combine) const {
    if (over_ == nullptr)
      return bytes_of(reference::scan_reference<Acc>(
          values.size(), [&](std::size_t i) { return lift(values[i], i); }, combine, what.exclusive,
          what.start, what.nothing, one.sizes()));
    const rank_shards<T> in(values, one.cut, over_->rank(), on_);
    const auto into = [&](const rank_shards<Acc>& out) {
      clwave::detail::scan_ranks(*over_, {.in = in.array().erased(),
                                          .out = out.array().erased(),
                                          .fold = &what.fold,
                                          .apply = &what.apply,
                                          .exclusive = what.exclusive,
                                          .start = what.start ? &*what.start : nullptr,
                                          .sizes = one.sizes()});
      return bytes_of(out.read());
    };
    if constexpr (std::is_same_v<T, Acc>) {
      if (one.in_place) return into(in);
    }
    return into(rank_shards<Acc>(std::vector<Acc>(values.size()), one.cut, over_->rank(), on_));
  }

  // A NaN is the canonical one.
  template <class Acc>
  static std::vector<std::byte> bytes_of(const std::vector<Acc>& results) {
    std::vector<std::byte> all;
    for (const Acc& each : results) {
      const auto bytes = result_bytes(reference::canonical(each));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

  clwave::ranks* over_;
  std::array<const fixture*, 2> on_;
};

}  // namespace testing

// What the tests of scans by key share: calls held against the scan order's reference of each run alone.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/scan_by_key.hpp>

#include "families/runs.hpp"
#include "families/scans.hpp"
#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "primitives/scan_by_key.hpp"

namespace testing {

inline constexpr start_values<float> zero_and_more = {.nothing = 0, .start = 0.1f};

struct of_call {
  bool exclusive = false, started = false, in_place = false;
};

// What a call of runs between `borders` is to give.
template <class Acc, class Key, class T, class Combine>
std::vector<Acc> results_of(const keyed_values<Key, T>& in, const std::vector<std::size_t>& borders,
                            Combine combine, const start_values<Acc>& with,
                            const std::optional<scan_sizes>& sizes, const of_call& how) {
  const std::optional<Acc> start = how.started ? std::optional(with.start) : std::nullopt;
  std::vector<Acc> all;
  for (std::size_t r = 0; r + 1 < borders.size(); ++r) {
    const T* const values = in.value(borders[r]);
    const auto results = made_canonical(reference::scan_reference<Acc>(
        borders[r + 1] - borders[r], [&](std::size_t i) { return static_cast<Acc>(values[i]); }, combine,
        how.exclusive, start, with.nothing, sizes));
    all.insert(all.end(), results.begin(), results.end());
  }
  return all;
}

template <class Acc, class Key, class T, class Combine>
void check_call(const fixture& on, const keyed_values<Key, T>& in, const std::vector<std::size_t>& borders,
                const clwave::op& fold, Combine combine, const start_values<Acc>& with,
                const std::optional<scan_sizes>& sizes, const of_call& how, const clwave::op* same) {
  CAPTURES(in.n(), in.first_key, in.first_value, how.exclusive, how.started, how.in_place);
  const auto expected = results_of<Acc>(in, borders, combine, with, sizes, how);
  const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
  const guarded_buffer<Acc> out(on, in.n());
  const view<T> from{values, in.n(), in.first_value};
  const clwave::scan_by_key_problem problem{
      .keys = clwave::detail::erase(view<Key>{keys, in.n(), in.first_key}),
      .values = clwave::detail::erase(from),
      .out = how.in_place ? clwave::detail::erase(from) : clwave::detail::erase(out.view()),
      .fold = &fold,
      .apply = &clwave::identity,
      .same = same,
      .exclusive = how.exclusive,
      .start = how.started ? &with.start : nullptr,
      .sizes = sizes};
  clwave::scan_by_key(on.queue(), problem).wait();
  CHECK(out.guards_intact());
  CHECK(bytes_of(on.read<Key>(keys, in.keys.size())) == bytes_of(in.keys));
  if constexpr (std::is_same_v<T, Acc>) {
    if (how.in_place) {
      CHECK(out.intact());
      check_same(on.read<T>(values, in.n(), in.first_value * sizeof(T)), expected);
      check_same(on.read<T>(values, in.first_value), {in.values.data(), in.value(0)});
      return;
    }
  }
  CHECK(bytes_of(on.read<T>(values, in.values.size())) == bytes_of(in.values));
  check_same(out.read(), expected);
}

// Inclusive and in place, or exclusive with a start value, or both, or all other ways, too. Compilers take up
// to a minute over each program of emulated lanes.
enum class ways_by_key { inclusive, exclusive, two, all };

template <class Acc, class Key, class T, class Combine>
void check_runs(const fixture& on, const keyed_values<Key, T>& in, const std::vector<std::size_t>& borders,
                const clwave::op& fold, Combine combine, const start_values<Acc>& with,
                const std::optional<scan_sizes>& sizes, ways_by_key which, const clwave::op* same = nullptr) {
  constexpr bool in_place = std::is_same_v<T, Acc>;
  const auto check = [&](const of_call& how) {
    check_call<Acc>(on, in, borders, fold, combine, with, sizes, how, same);
  };
  if (which != ways_by_key::exclusive) check({.in_place = in_place});
  if (which != ways_by_key::inclusive) check({.exclusive = true, .started = true});
  if (which != ways_by_key::all) return;
  check({.started = true});
  check({.exclusive = true, .in_place = in_place});
}

// The same by ==.
template <class Acc, class Key, class T, class Combine>
void check_runs(const fixture& on, const keyed_values<Key, T>& in, const clwave::op& fold, Combine combine,
                const start_values<Acc>& with, const std::optional<scan_sizes>& sizes,
                ways_by_key which = ways_by_key::two) {
  check_runs<Acc>(on, in, borders_of(in.keys.data() + in.first_key, in.n()), fold, combine, with, sizes,
                  which);
}

}  // namespace testing

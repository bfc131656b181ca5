// Set operations by operators that contradict themselves, and of ranges that are not sorted: no element comes
// twice, and the count is how many were written or would have been.
#include <clwave/set_operations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>

#include "families/contradictions.hpp"
#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/given.hpp"
#include "set_calls.hpp"

namespace testing::set_operations_no_order_test {
namespace {

const doctest::test_suite lanes("lanes");

template <class T>
auto bytes_of_each(const T& each) {
  std::array<unsigned char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), static_cast<const void*>(&each), sizeof(T));
  return bytes;
}

// The elements of both ranges are all different, though the order may not tell.
template <class T, class How>
void check_set(const fixture& on, random_engine& random, const std::vector<T>& a, const std::vector<T>& b,
               const How& how) {
  CAPTURES(a.size(), b.size());
  const std::size_t n = a.size() + b.size();
  const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(b);
  const view<T> first{x, a.size()}, second{y, b.size()};
  std::set<std::array<unsigned char, sizeof(T)>> of_a, of_both;
  for (const T& each : a) of_a.insert(bytes_of_each(each));
  for (const T& each : b) of_both.insert(bytes_of_each(each));
  of_both.insert(of_a.begin(), of_a.end());
  REQUIRE(of_both.size() == n);
  for (const set_kind kind : some_of({set_kind::set_union, set_kind::intersection, set_kind::difference,
                                      set_kind::symmetric_difference})) {
    CAPTURE(static_cast<int>(kind));
    const bool from_a = kind == set_kind::intersection || kind == set_kind::difference;
    const guarded_buffer<T> out(on, n);
    const guarded_buffer<u64> count(on, 1);
    const auto before = out.read();
    call_set(on, kind, first, second, out.view(), count.view(), how);
    const std::size_t found = count.read_guarded().at(0);
    REQUIRE(found <= (from_a ? a.size() : n));
    if (kind == set_kind::set_union) CHECK(found >= a.size());
    const auto results = out.read_guarded();
    std::set<std::array<unsigned char, sizeof(T)>> seen;
    bool all_there = true;
    for (std::size_t i = 0; i < found; ++i) {
      all_there = all_there && (from_a ? of_a : of_both).count(bytes_of_each(results[i])) == 1;
      seen.insert(bytes_of_each(results[i]));
    }
    CHECK(all_there);
    CHECK(seen.size() == found);
    // Nothing is written behind the results.
    CHECK(std::equal(results.begin() + static_cast<std::ptrdiff_t>(found), results.end(),
                     before.begin() + static_cast<std::ptrdiff_t>(found),
                     [](const T& p, const T& q) { return bytes_of_each(p) == bytes_of_each(q); }));
    // With less room, the same of them that fit, and the same count.
    const std::size_t room = random.below(found + 1);
    const guarded_buffer<T> fewer(on, room);
    call_set(on, kind, first, second, fewer.view(), count.view(), how);
    CHECK(count.read_guarded().at(0) == found);
    const auto these = fewer.read_guarded();
    CHECK(std::equal(these.begin(), these.end(), results.begin(),
                     [](const T& p, const T& q) { return bytes_of_each(p) == bytes_of_each(q); }));
  }
}

// Structures tell by their words which they are.
template <class T>
void check_contradiction(const fixture& on, random_engine& random, std::size_t a_n, std::size_t b_n,
                         u32 which) {
  CAPTURE(std::string(contradictions[which]));
  auto a = contradicted_keys<T>(random, a_n), b = contradicted_keys<T>(random, b_n);
  for (auto& each : b) each.words[1] = 1;
  check_set(on, random, a, b, contradiction(which, ".key"));
}

// Numbers of which the order sees the higher half alone; the lower one tells which they are.
void check_numbers(const fixture& on, random_engine& random, std::size_t a_n, std::size_t b_n) {
  const auto numbers = [&](std::size_t n, u64 first) {
    auto all = contradicted_keys<u64>(random, n);
    for (std::size_t i = 0; i < n; ++i) all[i] = all[i] << 32 | (first + i);
    return all;
  };
  check_set(on, random, numbers(a_n, 0), numbers(b_n, a_n),
            sort_order{.descending = random.below(2) == 0, .first_bit = 32});
}

template <class T>
std::size_t tile_of(const fixture& on, const clwave::op* less) {
  const clwave::plan_target target = on.target();
  const element& type = element_of<T>();
  constexpr u64 many = 1 << 20;
  return many / plan(clwave::set_problem{.a = {type, many}, .b = type, .out = type, .less = less}, target)
                    .kernels.back()
                    .groups;
}

}  // namespace

TEST_CASE_FIXTURE(on_device,
                  "set operations by operators that contradict themselves take no element twice" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const clwave::op any = contradiction(0, ".key");
    for (const auto& [a_n, b_n] : lengths_around(tile_of<person>(on, &any)))
      for (const u32 which : some_contradictions(random, a_n + b_n))
        check_contradiction<person>(on, random, a_n, b_n, which);
  });
}

TEST_CASE_FIXTURE(on_device,
                  "set operations by numbers of ranges that are not sorted take no element twice" * lanes) {
  on_contradicted_rows(on, random, [&] {
    for (const auto& [a_n, b_n] : lengths_around(tile_of<u64>(on, nullptr)))
      for (int round = 0; round < 3; ++round) check_numbers(on, random, a_n, b_n);
  });
}

// A group searches 32 tiles' ends. An order right behind a contradiction finds the workspace as it needs it.
TEST_CASE_FIXTURE(on_device,
                  "set operations without an order, of tiles whose ends several groups search" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const clwave::op any = contradiction(0, ".key"), order = contradiction(order_of_all, ".key");
    const std::size_t n = 40 * tile_of<wide_key>(on, &any);
    if (n > 100000) return;
    for (const u32 which : some_contradictions(random, n)) {
      check_contradiction<wide_key>(on, random, n, n / 2, which);
      const auto a = sorted(contradicted_keys<wide_key>(random, n), by_key);
      const cl::Buffer x = on.buffer_of(a);
      const guarded_buffer<wide_key> out(on, 2 * n);
      const guarded_buffer<u64> count(on, 1);
      const view<wide_key> both{x, n};
      call_set(on, set_kind::set_union, both, both, out.view(), count.view(), order);
      CHECK(count.first() == n);
      auto results = out.read_guarded();
      results.resize(n);
      CHECK(bytes_of(results) == bytes_of(a));
    }
  });
}

}  // namespace testing::set_operations_no_order_test

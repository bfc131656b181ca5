// merge and merge_by_key by operators that contradict themselves, and of ranges that are not sorted: every
// element of both comes out once, with its value.
#include <clwave/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "families/contradictions.hpp"
#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/given.hpp"
#include "merges.hpp"

namespace testing::merge_no_order_test {
namespace {

const doctest::test_suite lanes("lanes");

template <class T>
std::vector<T> both(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class T, class How>
void check_keys(const fixture& on, random_engine& random, std::size_t a_n, std::size_t b_n, const How& how) {
  CAPTURES(a_n, b_n);
  const auto a = contradicted_keys<T>(random, a_n), b = contradicted_keys<T>(random, b_n);
  const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(b);
  const guarded_buffer<T> out(on, a_n + b_n);
  clwave::merge(on.queue, view<const T>{x, a_n}, view<const T>{y, b_n}, out.view(), given(how)).wait();
  CHECK(all_keys(out.read_guarded()) == all_keys(both(a, b)));
}

template <class T, class V, class How>
void check_pairs(const fixture& on, random_engine& random, std::size_t a_n, std::size_t b_n, const How& how) {
  CAPTURES(a_n, b_n, sizeof(V));
  const std::size_t n = a_n + b_n;
  const auto a = contradicted_keys<T>(random, a_n), b = contradicted_keys<T>(random, b_n);
  const auto values = different_values<V>(random, n);
  const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(b), of_both = on.buffer_of(values);
  const guarded_buffer<T> out(on, n);
  const guarded_buffer<V> values_out(on, n);
  clwave::merge_by_key(on.queue, view<T>{x, a_n}, view<V>{of_both, a_n}, view<T>{y, b_n},
                       view<V>{of_both, b_n, a_n}, out.view(), values_out.view(), given(how))
      .wait();
  CHECK(all_pairs(out.read_guarded(), values_out.read_guarded()) == all_pairs(both(a, b), values));
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "merges by operators that contradict themselves lose nothing" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const clwave::op any = contradiction(0);
    for (const auto& [a_n, b_n] : lengths_around(tile_of_merge(on, element_of<u32>(), &any)))
      for (const u32 which : some_contradictions(random, a_n + b_n)) {
        CAPTURE(std::string(contradictions[which]));
        check_keys<u32>(on, random, a_n, b_n, contradiction(which));
        check_pairs<u32, u64>(on, random, a_n, b_n, contradiction(which));
      }
    const clwave::op of_people = contradiction(0, ".key");
    const std::size_t tile = tile_of_merge(on, element_of<person>(), &of_people);
    for (const std::size_t n : {std::size_t{20}, tile, 2 * tile + 9})
      for (const u32 which : some_contradictions(random, n, 30)) {
        CAPTURE(std::string(contradictions[which]));
        check_keys<person>(on, random, n, n / 2 + 1, contradiction(which, ".key"));
        check_pairs<person, u16>(on, random, n / 3, n, contradiction(which, ".key"));
      }
  });
}

TEST_CASE_FIXTURE(on_device, "merges by numbers of ranges that are not sorted lose nothing" * lanes) {
  on_contradicted_rows(on, random, [&] {
    for (const auto& [a_n, b_n] : lengths_around(tile_of_merge(on, element_of<u32>()))) {
      const sort_order order{.descending = random.below(2) == 0};
      for (int round = 0; round < 3; ++round) check_keys<u32>(on, random, a_n, b_n, order);
      check_keys<u64>(on, random, a_n, b_n, order);
      check_pairs<u32, u32>(on, random, a_n, b_n, order);
      check_pairs<u16, parcel>(on, random, a_n, b_n, sort_order{.first_bit = 3, .last_bit = 9});
    }
  });
}

// A group searches 32 tiles' ends. An order right behind a contradiction finds the workspace as it needs it.
TEST_CASE_FIXTURE(on_device, "merges without an order, of tiles whose ends several groups search" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const clwave::op any = contradiction(0, ".key"), order = contradiction(order_of_all, ".key");
    const std::size_t tile = tile_of_merge(on, element_of<wide_key>(), &any), n = 40 * tile;
    if (n > 100000) return;  // a CPU has no such searches
    for (const u32 which : some_contradictions(random, n)) {
      CAPTURE(std::string(contradictions[which]));
      check_keys<wide_key>(on, random, n, n / 2, contradiction(which, ".key"));
      check_pairs<wide_key, u32>(on, random, n / 3, n, contradiction(which, ".key"));
      const auto a = sorted(contradicted_keys<wide_key>(random, n), by_key);
      check_merge(on, a, a, by_key,
                  [&](auto x, auto y, auto out) { clwave::merge(on.queue, x, y, out, given(order)).wait(); });
    }
  });
}

}  // namespace testing::merge_no_order_test

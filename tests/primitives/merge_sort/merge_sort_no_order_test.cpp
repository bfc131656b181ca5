// sort, sort_by_key and argsort by operators that contradict themselves: every key comes out once, with its
// value.
#include <clwave/sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "families/contradictions.hpp"
#include "families/selections.hpp"
#include "families/sorts.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/given.hpp"

namespace testing::merge_sort_no_order_test {
namespace {

const doctest::test_suite lanes("lanes");

// What the first launch sorts at a time.
template <class T>
std::size_t tile_of(const fixture& on) {
  const clwave::plan_target target = on.target();
  const element& key = element_of<T>();
  const clwave::op less = contradiction(0, name_of_contradicted_key<T>());
  constexpr u64 many = 1 << 24;
  return many / plan(clwave::sort_problem{.keys = {key, many}, .keys_out = key, .less = &less}, target)
                    .kernels[0]
                    .groups;
}

template <class T>
void check_keys(const fixture& on, random_engine& random, std::size_t n, u32 which) {
  CAPTURES(n, std::string(contradictions[which]));
  const clwave::op less = contradiction(which, name_of_contradicted_key<T>());
  const auto keys = contradicted_keys<T>(random, n);
  const guarded_buffer<T> in(on, n), out(on, n);
  if (n > 0)
    on.queue.enqueueWriteBuffer(in.buffer(), CL_TRUE, guarded_buffer<T>::guard * sizeof(T), n * sizeof(T),
                                keys.data());
  clwave::sort(on.queue, in.view(), out.view(), {.less = less}).wait();
  const auto sorted = out.read_guarded();
  CHECK(all_keys(sorted) == all_keys(keys));
  clwave::sort(on.queue, in.view(), in.view(), {.less = less}).wait();
  CHECK(bytes_of(in.read_guarded()) == bytes_of(sorted));
  if constexpr (std::is_integral_v<T>)
    CHECK((which != order_of_all || std::is_sorted(sorted.begin(), sorted.end())));
}

template <class T, class V>
void check_pairs(const fixture& on, random_engine& random, std::size_t n, u32 which) {
  CAPTURES(n, sizeof(V), std::string(contradictions[which]));
  const clwave::op less = contradiction(which, name_of_contradicted_key<T>());
  const auto keys = contradicted_keys<T>(random, n);
  const auto values = different_values<V>(random, n);
  const auto right = all_pairs(keys, values);
  const cl::Buffer in = on.buffer_of(keys), values_in = on.buffer_of(values);
  const guarded_buffer<T> out(on, n);
  const guarded_buffer<V> values_out(on, n);
  const view<T> k{in, n};
  const view<V> x{values_in, n};
  clwave::sort_by_key(on.queue, k, x, out.view(), values_out.view(), {.less = less}).wait();
  CHECK(all_pairs(out.read_guarded(), values_out.read_guarded()) == right);
  clwave::sort_by_key(on.queue, k, x, out.view(), x, {.less = less}).wait();
  CHECK(all_pairs(out.read_guarded(), on.read<V>(values_in, n)) == right);
  on.queue.enqueueCopyBuffer(values_out.buffer(), values_in, guarded_buffer<V>::guard * sizeof(V), 0,
                             std::max<std::size_t>(n, 1) * sizeof(V) * (n > 0));
  clwave::sort_by_key(on.queue, k, x, k, x, {.less = less}).wait();
  CHECK(all_pairs(on.read<T>(in, n), std::vector<unsigned char>(n)) == all_keys(keys));
  CHECK(all_pairs(on.read<V>(values_in, n), std::vector<unsigned char>(n)) == all_keys(values));
}

void check_indices(const fixture& on, random_engine& random, std::size_t n, u32 which) {
  CAPTURES(n, std::string(contradictions[which]));
  const auto keys = contradicted_keys<u32>(random, n);
  const cl::Buffer in = on.buffer_of(keys);
  const guarded_buffer<u32> indices(on, n);
  clwave::argsort(on.queue, view<const u32>{in, n}, indices.view(), given(contradiction(which))).wait();
  std::vector<u32> found = indices.read_guarded(), all(n);
  std::sort(found.begin(), found.end());
  std::iota(all.begin(), all.end(), 0u);
  CHECK(found == all);
}

}  // namespace

TEST_CASE_FIXTURE(on_device,
                  "sorts by operators that contradict themselves lose no key and no value" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const std::size_t tile = tile_of<u32>(on), of_people = tile_of<person>(on);
    for (const std::size_t n :
         std::vector<std::size_t>{0, 1, 2, 3, 31, 33, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 17}) {
      for (const u32 which : some_contradictions(random, n)) {
        check_keys<u32>(on, random, n, which);
        check_pairs<u32, u32>(on, random, n, which);
        check_indices(on, random, n, which);
      }
    }
    for (const std::size_t n : {std::size_t{33}, of_people + 1, 3 * of_people + 17})
      for (const u32 which : some_contradictions(random, n, 40)) {
        check_keys<person>(on, random, n, which);
        check_pairs<person, parcel>(on, random, n, which);
      }
  });
}

TEST_CASE_FIXTURE(on_device,
                  "sorts by operators that contradict themselves, of keys and values of other sizes") {
  on_contradicted_rows(on, random, [&] {
    for (const std::size_t n : {std::size_t{33}, std::size_t{1000}, 2 * tile_of<u64>(on) + 5})
      for (const u32 which : some_contradictions(random, n, 40)) {
        check_keys<u64>(on, random, n, which);
        check_pairs<u16, unsigned char>(on, random, n, which);
      }
  });
}

// A group searches 32 tiles' ends.
TEST_CASE_FIXTURE(on_device,
                  "sorts by operators that contradict themselves, of tiles whose ends several groups search" *
                      lanes) {
  on_contradicted_rows(on, random, [&] {
    const std::size_t n = 70 * tile_of<wide_key>(on) + 5;
    if (n > 100000) return;  // a CPU has no such searches
    for (const u32 which : some_contradictions(random, n)) {
      check_keys<wide_key>(on, random, n, which);
      check_pairs<wide_key, u32>(on, random, n, which);
    }
  });
}

// The workspace's counters are left as the next call needs them: an order right behind a contradiction.
TEST_CASE_FIXTURE(on_device, "a sort by an order behind one by a contradiction is right" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const std::size_t n = 2 * tile_of<u32>(on) + 99;
    auto keys = shaped_keys(random, n, 7);
    const cl::Buffer in = on.buffer_of(keys), out = on.buffer_of(keys);
    const view<u32> x{in, n}, y{out, n};
    std::sort(keys.begin(), keys.end());
    for (const u32 which : {3u, 5u, 6u, 7u}) {
      CAPTURE(std::string(contradictions[which]));
      clwave::sort(on.queue, x, y, given(contradiction(which)));
      clwave::sort(on.queue, x, y, given(contradiction(order_of_all))).wait();
      CHECK(on.read<u32>(out, n) == keys);
    }
  });
}

}  // namespace testing::merge_sort_no_order_test

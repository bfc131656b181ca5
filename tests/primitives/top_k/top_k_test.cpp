// top_k against a sort of the host's: all types, inputs of many shapes, one sample and two, lists that are
// too short or too long, large k, rows of the table; and as a call.
#include <clwave/top_k.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>

#include "families/selections.hpp"
#include "families/sorts.hpp"
#include "harness/captures.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "primitives/top_k.hpp"

namespace testing::top_k_test {
namespace {

const doctest::test_suite lanes("lanes");

// Numbers of a call by which few elements are many.
constexpr clwave::detail::top_k_sizes few{.most_of_one_group = 500,
                                          .most_of_one_core = 500,
                                          .most_sorted = 0,
                                          .first_sample = 256,
                                          .elements_of_sample = 16};

// Where the k best ones lie.
template <class T>
std::vector<u32> best_places(const std::vector<T>& keys, std::size_t k, bool descending) {
  std::vector<std::pair<u64, u32>> all(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    all[i] = {ordered<T>(keys[i], descending), static_cast<u32>(i)};
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end());
  std::vector<u32> places(k);
  for (std::size_t i = 0; i < k; ++i) places[i] = all[i].second;
  return places;
}

// Of the keys from `offset` on; `call` is given the input, the outputs' views, and the outputs' buffers.
template <class Index, class T, class Call>
void check_best(const fixture& on, const std::vector<T>& keys, std::size_t k, bool descending,
                std::size_t offset, const Call& call) {
  const std::vector<T> asked(keys.begin() + static_cast<std::ptrdiff_t>(offset), keys.end());
  CAPTURES(element_of<T>().name, asked.size(), offset, k, descending, sizeof(Index));
  const std::vector<u32> places = best_places(asked, k, descending);
  const cl::Buffer in = on.buffer_of(keys);
  const guarded_buffer<T> values(on, k);
  const guarded_buffer<Index> indices(on, k);
  call(view<const T>{in, asked.size(), offset}, values, indices);
  CHECK(indices.read_guarded() == std::vector<Index>(places.begin(), places.end()));
  CHECK(bytes_of(values.read_guarded()) == bytes_of(taken(asked, places)));
}

template <class Index = u32, class T>
void check_top_k(const fixture& on, const std::vector<T>& keys, std::size_t k, bool descending = true,
                 std::size_t offset = 0) {
  check_best<Index>(
      on, keys, k, descending, offset, [&](const auto& in, const auto& values, const auto& indices) {
        clwave::top_k(on.queue, in, values.view(), indices.view(), k, {.descending = descending}).wait();
      });
}

// The same with numbers of the test's own.
template <class Index = u32, class T>
void check_top_k_of_few(const fixture& on, const std::vector<T>& keys, std::size_t k, bool descending = true,
                        std::size_t offset = 0, const clwave::detail::top_k_sizes& sizes = few) {
  check_best<Index>(
      on, keys, k, descending, offset, [&](const auto& in, const auto& values, const auto& indices) {
        const element& key = element_of<T>();
        const own_site site(on.queue(), "top_k");
        const clwave::top_k_problem problem{.in = {key, in.size(), offset},
                                            .values = {key, k, values.view().offset()},
                                            .indices = {element_of<Index>(), k, indices.view().offset()},
                                            .k = k,
                                            .descending = descending,
                                            .sizes = sizes};
        site.run(problem, {in.buffer(), values.buffer()(), indices.buffer()()});
      });
}

// What a sample sees little of: rows of equal numbers, a few large ones that lie together, and none twice.
std::vector<u32> more_shapes(random_engine& random, std::size_t n, unsigned shape) {
  std::vector<u32> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<u32>(i);
    const auto r = static_cast<u32>(random());
    const u32 all[] = {k % 16 == 3 ? r : r % 1000, i > n - 300 ? r : r / 2, k * 2654435761u};
    keys[i] = all[shape];
  }
  return keys;
}

template <int Case>
bool takes_type(std::size_t one_of) {
  static sample types(one_of);
  return types.takes_next();
}

}  // namespace

TEST_CASE_TEMPLATE("the best elements of every type", T, std::int8_t, std::uint8_t, std::int16_t, u16,
                   std::int32_t, u32, std::int64_t, u64, half, bfloat16, float, double) {
  if (!takes_type<0>(12)) return;
  const fixture& on = default_fixture();
  random_engine random;
  for (const bool descending : some_of({false, true})) {
    for (const std::size_t n : {1000 + random.below(1000), 100000 + random.below(50000)}) {
      check_top_k(on, any_keys<T>(random, n), 1 + random.below(200), descending, random.below(20));
      check_top_k(on, any_keys<T>(random, n), 1, descending);
    }
    check_top_k_of_few(on, any_keys<T>(random, 60000 + random.below(9000)), 1 + random.below(100), descending,
                       3);
  }
  if constexpr (std::is_same_v<T, float>)
    check_top_k<u64>(on, any_keys<T>(random, 50000), 77, random.below(2) == 0, 1);
}

TEST_CASE_FIXTURE(on_device, "truth values keep their bytes") {
  const std::vector<std::uint8_t> bytes{0, 3, 0, 1, 255, 0};
  const cl::Buffer in = on.buffer_of(bytes);
  const guarded_buffer<std::uint8_t> values(on, 4);
  const guarded_buffer<u32> indices(on, 4);
  clwave::top_k(on.queue, view<bool>{in, 6},
                view<bool>{values.buffer(), 4, guarded_buffer<std::uint8_t>::guard}, indices.view(), 4)
      .wait();
  CHECK(values.read() == std::vector<std::uint8_t>{3, 1, 255, 0});
  CHECK(indices.read() == std::vector<u32>{1, 3, 4, 0});
}

TEST_CASE_FIXTURE(on_device, "inputs of all shapes, and k from 0 to all") {
  const auto check_shapes = [&](std::size_t n, std::size_t k) {
    for (unsigned shape = 0; shape < shapes + 3; ++shape) {
      CAPTURE(shape);
      const auto keys =
          shape < shapes ? shaped_keys(random, n, shape) : more_shapes(random, n, shape - shapes);
      check_top_k(on, keys, k);
      check_top_k_of_few(on, keys, k);
    }
  };
  check_shapes(40000 + random.below(30000), 100);
  check_shapes(3000 + random.below(3000), 1 + random.below(700));
  for (const std::size_t n : {1u, 2u, 3u, 255u, 257u, 2048u, 3000u}) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 2, n - 1, n})
      check_top_k(on, shaped_keys(random, n, 6), k);
  }
  // One sample of an input, and two.
  check_top_k(on, any_keys<float>(random, (1u << 20) + 12345), 2048);
  const std::vector<float> many = any_keys<float>(random, 4'400'000);
  check_top_k(on, many, 1000);
}

// The samples and the list are the fast way of nearly all inputs: here there is no other.
TEST_CASE("the list has the best elements, whatever shape the input has") {
  random_engine random;
  with_changed_kernels(
      "primitives/top_k.cl", "const bool of_list = listed != 0 && found >= k && found <= capacity;",
      "const bool of_list = listed != 0 && found >= k && found <= capacity; "
      "if (listed != 0 && !of_list) return;",
      [&] {
        const fixture on;
        for (unsigned turn = 0; turn < 3; ++turn) {
          for (unsigned shape = 0; shape < shapes + 3; ++shape) {
            CAPTURE(shape);
            const std::size_t n = 20000 + random.below(50000), k = 1 + random.below(turn == 0 ? 2000 : 100);
            const auto keys =
                shape < shapes ? shaped_keys(random, n, shape) : more_shapes(random, n, shape - shapes);
            check_top_k_of_few(on, keys, k);
          }
        }
      });
}

TEST_CASE("lists that are too long or too short, and counts past what a counter holds") {
  random_engine random;
  const std::vector<u32> keys = shaped_keys(random, 20000 + random.below(9000), 6);
  const auto check = [&](const clwave::detail::top_k_sizes& sizes) {
    const fixture on;
    check_top_k_of_few(on, keys, 300, true, 0, sizes);
    check_top_k_of_few(on, shaped_keys(random, 9000, 7), 50, true, 0, sizes);
  };
  clwave::detail::top_k_sizes short_list = few;
  short_list.capacity_factor = 0;
  check(short_list);
  struct change {
    const char *part, *from, *to;
  };
  constexpr const char* bound = "if (count >= rank && count <= capacity) {";
  for (const change& each :
       some_of<change>({{"primitives/top_k.cl", bound, "if (count >= rank && count <= capacity) { rank = 1;"},
                        {"primitives/top_k.cl", bound, "if (false) {"},
                        {"primitives/top_k_bound.cl", "#define BEST_AT_ONCE ((ulong)1 << 31)",
                         "#define BEST_AT_ONCE 1000"}})) {
    CAPTURE(each.to);
    with_changed_kernels(each.part, each.from, each.to, [&] { check(few); });
  }
}

TEST_CASE_FIXTURE(on_device, "large k") {
  const std::vector<float> keys = any_keys<float>(random, 50000 + random.below(20000));
  const bool descending = random.below(2) == 0;
  for (const std::size_t k : {std::size_t{2049}, 20000 + random.below(9000), keys.size() - 5})
    check_top_k(on, keys, k, descending, 5);
  check_top_k<u64>(on, any_keys<double>(random, 3000), 2900);
}

TEST_CASE_FIXTURE(on_device, "top_k in every way to run on a GPU, and on a CPU" * lanes) {
  for (const std::string name :
       forced_rows(some_of({"sm_90", "gfx90a", "gfx1030", "gpu", "cpu", "subgroup-8"}))) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    check_top_k(on, any_keys<float>(random, 5000 + random.below(5000)), 100, true, 1);
    check_top_k_of_few(on, any_keys<float>(random, 30000 + random.below(9000)), 1 + random.below(300), true,
                       1);
    for (unsigned shape = 0; shape < shapes; ++shape)
      check_top_k_of_few(on, shaped_keys(random, 9000 + random.below(9000), shape), 1 + random.below(300));
    check_top_k(on, shaped_keys(random, 9000, 6), 5000);
    // All of which are sorted where that is sooner.
    for (const bool descending : {false, true})
      check_top_k(on, shaped_keys(random, 1000 + random.below(5000), 3), 1 + random.below(900), descending,
                  1);
    check_top_k(on, any_keys<half>(random, 20000 + random.below(9000)), 1025 + random.below(1000));
  }
}

// -------------------------------------------------------------------------------------------- as a call

TEST_CASE_FIXTURE(on_device, "what top_k refuses, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(400)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<u32>(256));
  const view<const float> x{a, 200};
  const view<float> values{b, 100};
  const view<u32> indices{c, 100};
  const auto& q = on.queue;
  refuses("the 201 best of 200 elements",
          [&] { clwave::top_k(q, x, view<float>(b, 256), view<u32>(c, 256), 201); });
  refuses("which has 100", [&] { clwave::top_k(q, x, values, view<u32>{c, 200}, 101); });
  refuses("which has 100", [&] { clwave::top_k(q, x, view<float>{b, 200}, indices, 101); });
  refuses("overlap", [&] { clwave::top_k(q, x, view<float>{a, 100, 199}, indices, 100); });
  refuses("overlap", [&] { clwave::top_k(q, x, values, view<u32>{b, 100, 99}, 100); });
  refuses("overlap", [&] { clwave::top_k(q, x, values, view<u32>{a, 100, 100}, 100); });
  refuses("ends past its buffer", [&] { clwave::top_k(q, view<float>{a, 401}, values, indices, 10); });
  refuses("have no order",
          [&] { clwave::top_k(q, view<cl_float4>(a, 10), view<cl_float4>(b, 10), indices, 5); });
  refuses("have no order",
          [&] { clwave::top_k(q, view<std::byte>(a, 10), view<std::byte>(b, 10), indices, 5); });
  refuses("the workspace has", [&] {
    const cl::Buffer large = on.buffer_of(std::vector<float>(70000));
    clwave::top_k(q, view<float>{large, 70000}, values, indices, 10, {.workspace = view<float>{a, 256}});
  });
  const clwave::plan_target target = on.target();
  const element& key = element_of<float>();
  refuses("32 bits do not hold", [&] {
    plan(
        clwave::top_k_problem{
            .in = {key, (u64{1} << 32) + 1}, .values = key, .indices = element_of<u32>(), .k = 1},
        target);
  });
  const clwave::event nothing = clwave::top_k(q, view<float>{cl::Buffer(), 0}, values, indices, 0);
  nothing.wait();
  CHECK(nothing.done());
}

TEST_CASE_FIXTURE(on_device,
                  "top_k with a workspace of the caller's, in queues of both kinds, behind an event") {
  const std::size_t n = 50000 + random.below(20000), k = 100;
  const std::vector<float> keys = any_keys<float>(random, n);
  const std::vector<u32> right = best_places(keys, k, true);
  const clwave::plan_target target = on.target();
  const element& key = element_of<float>();
  const u64 bytes =
      plan(clwave::top_k_problem{.in = {key, n}, .values = key, .indices = element_of<u32>(), .k = k}, target)
          .workspace_bytes;
  REQUIRE(bytes > 1000);
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer in = on.buffer_of(std::vector<float>(n));
    const guarded_buffer<float> values(on, k);
    const guarded_buffer<u32> indices(on, k), room(on, (bytes + 3) / 4);
    gate held(on);
    const cl::Event written = on.write_after(queue, in, keys.data(), n * 4, {held.event()});
    const clwave::event end = clwave::top_k(queue, view<float>{in, n}, values.view(), indices.view(), k,
                                            {.after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(indices.read_guarded() == right);
    CHECK(values.guards_intact());
    CHECK(room.guards_intact());
  }
}

}  // namespace testing::top_k_test

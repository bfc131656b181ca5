// Set operations against the standard library's: all types of numbers, structures, ranges full of equals,
// around the bounds of tiles on rows of the table; groups that keep silent; several launches; outputs that
// are too short; what is refused.
#include <clwave/set_operations.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/given.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "primitives/set_operations.hpp"
#include "set_calls.hpp"

namespace testing::set_operations_test {
namespace {

const doctest::test_suite lanes("lanes");

constexpr std::array<set_kind, 4> kinds{set_kind::set_union, set_kind::intersection, set_kind::difference,
                                        set_kind::symmetric_difference};

template <class T, class Less>
std::vector<T> right_of(set_kind kind, const std::vector<T>& a, const std::vector<T>& b, const Less& less) {
  std::vector<T> all;
  const auto to = std::back_inserter(all);
  if (kind == set_kind::set_union) std::set_union(a.begin(), a.end(), b.begin(), b.end(), to, less);
  if (kind == set_kind::intersection) std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to, less);
  if (kind == set_kind::difference) std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to, less);
  if (kind == set_kind::symmetric_difference)
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), to, less);
  return all;
}

// One kind on two ranges, with room for `room` results: the first ones are there, and nothing else is
// written. Calls call(a, b, out, count).
template <class T, class Less, class Call>
void check_set(const fixture& on, set_kind kind, const std::vector<T>& a, const std::vector<T>& b,
               const Less& less, std::size_t room, const Call& call) {
  CAPTURES(static_cast<int>(kind), a.size(), b.size(), room, element_of<T>().name);
  const std::vector<T> all = right_of(kind, a, b, less);
  std::vector<T> shifted(3);
  shifted.insert(shifted.end(), b.begin(), b.end());
  const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(shifted);
  const guarded_buffer<T> out(on, room);
  const guarded_buffer<u64> count(on, 1);
  std::vector<T> right = out.read();
  std::copy_n(all.begin(), std::min(room, all.size()), right.begin());
  call(view<const T>{x, a.size()}, view<const T>{y, b.size(), 3}, out.view(), count.view());
  CHECK(count.first() == all.size());
  CHECK(bytes_of(out.read_guarded()) == bytes_of(right));
  CHECK(count.guards_intact());
}

// All kinds, or one of them; numbers are sorted here.
template <class T>
void check_numbers(const fixture& on, random_engine& random, std::vector<T> a, std::vector<T> b,
                   const sort_order& order = {}, bool one = false) {
  CAPTURE(order.descending);
  const auto less = by_order<T>(order);
  a = sorted(std::move(a), less);
  b = sorted(std::move(b), less);
  const std::size_t only = random.below(4);
  for (std::size_t k = 0; k < 4; ++k) {
    if ((one || quick()) && k != only) continue;
    check_set(on, kinds[k], a, b, less, a.size() + b.size() + 5,
              [&](auto x, auto y, auto out, auto count) { call_set(on, kinds[k], x, y, out, count, order); });
  }
}

template <class T>
void check_structures(const fixture& on, random_engine& random, std::size_t a_n, std::size_t b_n) {
  const std::size_t keys = 1 + random.below(a_n + 2);
  const auto a = keyed_ones<T>(random, a_n, keys), b = keyed_ones<T>(random, b_n, keys);
  for (const set_kind kind : some_of({kinds[0], kinds[1], kinds[2], kinds[3]})) {
    check_set(on, kind, a, b, by_key, a_n + b_n, [&](auto x, auto y, auto out, auto count) {
      call_set(on, kind, x, y, out, count, by_key_text);
    });
  }
}

using words = std::vector<std::uint32_t>;

// Numbers of which each is there `times` times, or up to so many.
words few_numbers(random_engine& random, std::size_t n, std::size_t numbers) {
  words all(n);
  for (auto& each : all) each = static_cast<std::uint32_t>(random.below(numbers));
  return all;
}

// Elements of a tile.
std::size_t tile_of(const fixture& on) {
  const clwave::plan_target target = on.target();
  const element& u32 = element_of<std::uint32_t>();
  constexpr u64 many = 1 << 24;
  const auto kernels = plan(clwave::set_problem{.a = {u32, many}, .b = u32, .out = u32}, target).kernels;
  return many / kernels.back().groups;
}

}  // namespace

TEST_CASE_TEMPLATE("set operations of every type", T, std::int8_t, u16, std::int32_t, u64, half, bfloat16,
                   float, double) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  const sort_order order{.descending = random.below(2) == 0};
  std::vector<T> a = any_keys<T>(random, 500 + random.below(500)), b = any_keys<T>(random, 300);
  b.insert(b.end(), a.begin(), a.begin() + 400);
  a.insert(a.end(), a.begin(), a.begin() + 100);
  check_numbers(on, random, a, b, order, true);
}

// Runs of equals that are longer than a tile, those of one range or of both; ranges without a common number,
// and alike ones; empty ones.
TEST_CASE_FIXTURE(on_device, "set operations around the bounds of tiles, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = tile_of(on);
    CHECK(tile >= 256);
    const words none, one{7},
        many = few_numbers(random, 3 * tile, 5 * tile), dense = few_numbers(random, 2 * tile + 3, tile / 2),
        few = few_numbers(random, 2 * tile, 3), equal(2 * tile + 9, 7), more(3 * tile, 7);
    check_numbers(on, random, none, one);
    check_numbers(on, random, one, none, {}, true);
    check_numbers(on, random, one, equal, {}, true);
    check_numbers(on, random, equal, more);
    check_numbers(on, random, more, equal);
    check_numbers(on, random, many, dense);
    check_numbers(on, random, few, dense, {}, true);
    check_numbers(on, random, dense, few, {.descending = true}, true);
    check_numbers(on, random, few, few, {}, true);
    check_numbers(on, random, many, many, {}, true);
    check_numbers(on, random, few_numbers(random, tile / 2, 1000),
                  few_numbers(random, tile - tile / 2, 1000));
    words apart = many;
    for (auto& each : apart) each += 1u << 28;
    check_numbers(on, random, many, apart, {}, true);
    check_structures<person>(on, random, tile, tile + 9);
  }
}

TEST_CASE_FIXTURE(on_device, "set operations of structures, of vectors and by values") {
  check_structures<parcel>(on, random, 900, 700);
  std::vector<cl_int2> a(500), b(700);
  for (cl_int2& each : a) each = {{static_cast<cl_int>(random.below(99)), 1}};
  for (cl_int2& each : b) each = {{static_cast<cl_int>(random.below(99)), 2}};
  const clwave::op text{
      .name = "by first", .source = "a.x * sign < b.x * sign", .identity = {}, .values = {{"sign", -1}}};
  const auto less = [](cl_int2 x, cl_int2 y) { return x.s[0] > y.s[0]; };
  const set_kind kind = kinds[random.below(4)];
  check_set(on, kind, sorted(a, less), sorted(b, less), less, 1200,
            [&](auto x, auto y, auto out, auto count) { call_set(on, kind, x, y, out, count, text); });
}

TEST_CASE_FIXTURE(on_device, "outputs that are too short, and counts on the host") {
  const auto less = by_order<std::uint32_t>({});
  const words a = sorted(few_numbers(random, 9000, 3000), less),
              b = sorted(few_numbers(random, 8000, 3000), less);
  for (const set_kind kind : some_of({kinds[0], kinds[1], kinds[2], kinds[3]})) {
    const std::size_t n = right_of(kind, a, b, less).size();
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, n / 2, n - 1, n}) {
      check_set(on, kind, a, b, less, room, [&](auto x, auto y, auto out, auto count) {
        call_set(on, kind, x, y, out, count, sort_order{});
      });
    }
  }
  const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(b), z = on.buffer_of(words(17000));
  const view<std::uint32_t> first{x, 9000}, second{y, 8000}, out{z, 17000};
  const clwave::op text{.name = "less", .source = "a < b", .identity = {}};
  sample some(2);
  if (some.takes_next())
    CHECK(clwave::set_union(on.queue, first, second, out) == right_of(kinds[0], a, b, less).size());
  if (some.takes_next())
    CHECK(clwave::set_intersection(on.queue, first, second, out) == right_of(kinds[1], a, b, less).size());
  if (some.takes_next())
    CHECK(clwave::set_difference(on.queue, first, second, out, given(text)) ==
          right_of(kinds[2], a, b, less).size());
  if (some.takes_next())
    CHECK(clwave::set_symmetric_difference(on.queue, first, second, out, given(text)) ==
          right_of(kinds[3], a, b, less).size());
  const view<std::uint32_t> none{cl::Buffer(), 0};
  CHECK(clwave::set_union(on.queue, none, none, out) == 0);
}

// OpenCL promises no progress between groups. Here some never say how many elements they keep, or the last
// group is the first to start.
TEST_CASE("a set operation ends with the right results whoever keeps silent") {
  random_engine random;
  const words a = few_numbers(random, 5 * 3840, 9000), b = few_numbers(random, 3 * 3840 + 17, 9000);
  const std::string part = "primitives/set_operations.cl";
  const auto check = [&](const std::string& name) {
    const fixture fresh;
    const forced_profile forced(name);
    check_numbers(fresh, random, a, b, {}, true);
  };
  const std::string post = "if (id == 0 && wanted + 1 < tiles) post_count",
                    then = "if (id == 0 && tile + 1 < tiles) post_count";
  for (const std::string silent : some_of({"tile % 2 == 0", "tile + 1 < tiles"})) {
    CAPTURE(silent);
    with_changed_kernels(
        part,
        {{post, "if (id == 0 && !(wanted == tile && " + silent + ") && wanted + 1 < tiles) post_count"},
         {then, "if (id == 0 && !(" + silent + ") && tile + 1 < tiles) post_count"}},
        [&] {
          for (const char* name : some_of({"sm_90", "cpu"})) check(name);
        });
  }
  const std::string turned = "return tiles - 1 - ";
  with_changed_kernels(part, "return get_group_id(0)", turned + "get_group_id(0)", [&] { check("sm_90"); });
  with_changed_kernels(part, "return *number", turned + "*number", [&] { check("cpu"); });
}

TEST_CASE("counts, sums and results where groups cannot send messages") {
  random_engine random;
  const auto less = by_order<std::uint32_t>({});
  const words a = sorted(few_numbers(random, 70000, 50000), less),
              b = sorted(few_numbers(random, 50000, 50000), less);
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    own_site site(fresh.queue(), "set_operations");
    site.on.choice.order = clwave::group_order::two_launches;
    const set_kind kind = kinds[random.below(4)];
    check_set(fresh, kind, a, b, less, 120000, [&](auto x, auto y, auto out, auto count) {
      const element& u32 = element_of<std::uint32_t>();
      const clwave::set_problem problem{.kind = kind,
                                        .a = {u32, x.size()},
                                        .b = {u32, y.size(), y.offset()},
                                        .out = {u32, out.size(), out.offset()},
                                        .count = count};
      site.run(problem, {x.buffer(), y.buffer(), out.buffer(), count.buffer()});
    });
  }
}

TEST_CASE_FIXTURE(on_device, "set operations on ranges that are not sorted do no harm") {
  for (const set_kind kind : some_of({kinds[0], kinds[1], kinds[2], kinds[3]})) {
    words all = few_numbers(random, 20000, 100000);
    const cl::Buffer x = on.buffer_of(words(all.begin(), all.begin() + 12000)),
                     y = on.buffer_of(words(all.begin() + 12000, all.end()));
    const guarded_buffer<std::uint32_t> out(on, 20000);
    const guarded_buffer<u64> count(on, 1);
    call_set(on, kind, view<std::uint32_t>{x, 12000}, view<std::uint32_t>{y, 8000}, out.view(), count.view(),
             sort_order{});
    REQUIRE(count.first() <= 20000);
    words results = out.read();
    results.resize(count.first());
    std::sort(all.begin(), all.end());
    CHECK(std::all_of(results.begin(), results.end(),
                      [&](std::uint32_t each) { return std::binary_search(all.begin(), all.end(), each); }));
    CHECK(out.guards_intact());
  }
}

TEST_CASE_FIXTURE(on_device, "what set operations refuse, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<float>(512));
  const view<float> x{a, 100}, y{b, 90}, out{c, 200};
  const view<u64> count{c, 1, 200};
  const auto& q = on.queue;
  refuses("overlap", [&] { clwave::set_union(q, x, y, view<float>{a, 200, 50}, count); });
  refuses("overlap", [&] { clwave::set_union(q, x, y, out, view<u64>{c, 1, 50}); });
  refuses("overlap", [&] { clwave::set_difference(q, x, y, view<float>{b, 100, 80}, count); });
  refuses("ends past its buffer", [&] { clwave::set_union(q, view<float>{a, 300}, y, out, count); });
  refuses("no element", [&] { clwave::set_union(q, x, y, out, view<u64>{c, 0}); });
  refuses("of a key of 32 bits", [&] { clwave::set_union(q, x, y, out, count, {.last_bit = 33}); });
  refuses("structures are no keys",
          [&] { clwave::set_union(q, view<person>(a, 9), view<person>(b, 9), view<person>(c, 18), count); });
  refuses("with a name and a source", [&] { clwave::set_union(q, x, y, out, count, {.less = clwave::min}); });
  const clwave::plan_target target = on.target();
  const element &f32 = element_of<float>(), &i32 = element_of<std::int32_t>();
  refuses("the second range is of i32",
          [&] { plan(clwave::set_problem{.a = f32, .b = i32, .out = f32}, target); });
  refuses("the output is of i32", [&] { plan(clwave::set_problem{.a = f32, .b = f32, .out = i32}, target); });
}

TEST_CASE_FIXTURE(on_device, "set operations of types that are said at run time") {
  const cl::Buffer a = on.buffer_of(std::vector<float>{9, 1, 2, 2, 5}),
                   b = on.buffer_of(std::vector<float>{2, 3});
  const cl::Buffer out = on.buffer_of(std::vector<float>(5, 9)), count = on.buffer_of(std::vector<u64>(1));
  const element& f32 = element_of<float>();
  clwave::set_problem problem{.kind = set_kind::difference,
                              .a = {a(), 4, 1, &f32},
                              .b = {b(), 2, 0, &f32},
                              .out = {out(), 5, 0, &f32}};
  CHECK(clwave::set_operation_to_host(on.queue(), problem) == 3);
  CHECK(on.read<float>(out, 5) == std::vector<float>{1, 2, 5, 9, 9});
  problem.kind = set_kind::set_union;
  problem.count = {count(), 1, 0, &element_of<u64>()};
  clwave::set_operation(on.queue(), problem).wait();
  CHECK(on.read<u64>(count, 1) == std::vector<u64>{5});
  CHECK(on.read<float>(out, 5) == std::vector<float>{1, 2, 2, 3, 5});
  problem.count.type = &f32;
  CHECK_THROWS_WITH_AS(clwave::set_operation(on.queue(), problem), doctest::Contains("a count of f32"),
                       clwave::error);
  problem.count = {};
  CHECK_THROWS_WITH_AS(clwave::set_operation(on.queue(), problem), doctest::Contains("has no element"),
                       clwave::error);
}

}  // namespace testing::set_operations_test

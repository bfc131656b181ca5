// partition_copy by two predicates against a plain loop, in several rows of the table, around the bounds of
// tiles; outputs that are too short; what never says what it has found; what is refused.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/lazy_view.hpp>
#include <clwave/plan.hpp>
#include <clwave/select.hpp>

#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "primitives/select.hpp"

namespace testing::partition_three_test {
namespace {

using clwave::select_kind;

// Of 256 indices, at random, so many go first, and so many second of those that are left.
struct shares {
  std::uint32_t first, second;
};
constexpr std::size_t ways = 3;

std::size_t way_of(std::size_t i, const shares& share) {
  const std::uint32_t bits = static_cast<std::uint32_t>(i) * 2654435761u;
  return bits >> 24 < share.first ? 0 : (bits >> 16 & 255u) < share.second ? 1 : 2;
}
clwave::map is_first(const shares& share) {
  return {
      .name = "first", .source = "(uint)i * 2654435761u >> 24 < share", .values = {{"share", share.first}}};
}
clwave::map is_second(const shares& share) {
  return {.name = "second",
          .source = "((uint)i * 2654435761u >> 16 & 255u) < share",
          .values = {{"share", share.second}}};
}

template <class T>
using outputs = std::array<std::vector<T>, ways>;
using rooms = std::array<std::size_t, ways>;

template <class T, class Way>
outputs<T> outputs_of(const std::vector<T>& values, std::size_t offset, const Way& way) {
  outputs<T> all;
  for (std::size_t i = offset; i < values.size(); ++i) all[way(i - offset)].push_back(values[i]);
  return all;
}

// Calls with outputs of so much room each, and checks all bytes of them.
template <class T, class Call>
void check_call(const fixture& on, const outputs<T>& right, const rooms& room, const Call& call) {
  CAPTURES(room[0], room[1], room[2]);
  const guarded_buffer<T> first(on, room[0]), second(on, room[1]), rest(on, room[2]);
  const guarded_buffer<u64> counts(on, 2);
  const std::array<const guarded_buffer<T>*, ways> all = {&first, &second, &rest};
  std::array<std::vector<T>, ways> wanted = {first.read(), second.read(), rest.read()};
  call(first.view(), second.view(), rest.view(), counts.view());
  on.queue.finish();
  for (std::size_t k = 0; k < ways; ++k) {
    CAPTURE(k);
    const std::size_t stored = std::min(room[k], right[k].size());
    std::copy(right[k].begin(), right[k].begin() + static_cast<std::ptrdiff_t>(stored), wanted[k].begin());
    CHECK(bytes_of(all[k]->read_guarded()) == bytes_of(wanted[k]));
  }
  CHECK(counts.read_guarded() == std::vector<u64>{right[0].size(), right[1].size()});
}

// Elements from number `offset` on.
template <class T>
void check_three(const fixture& on, const std::vector<T>& values, std::size_t offset, const shares& share,
                 const rooms& room) {
  CAPTURES(values.size(), offset, share.first, share.second);
  const cl::Buffer in = on.buffer_of(values);
  const view<const T> x{in, values.size() - offset, offset};
  const auto right = outputs_of(values, offset, [&](std::size_t i) { return way_of(i, share); });
  check_call<T>(on, right, room, [&](auto first, auto second, auto rest, auto counts) {
    clwave::partition_copy(on.queue, x, first, second, rest, counts, is_first(share), is_second(share));
  });
  CHECK(bytes_of(on.read<T>(in, values.size())) == bytes_of(values));
}
template <class T>
void check_three(const fixture& on, const std::vector<T>& values, std::size_t offset, const shares& share) {
  const std::size_t n = values.size() - offset;
  check_three(on, values, offset, share, {n, n, n});
}

const doctest::test_suite lanes("lanes");

shares any_shares(random_engine& random) {
  return {static_cast<std::uint32_t>(random.below(257)), static_cast<std::uint32_t>(random.below(257))};
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "partitions into three in several rows, around the bounds of tiles" * lanes) {
  for (const std::string name :
       forced_rows({"sm_90", random.below(2) == 0 ? "gfx906" : "subgroup-8", "cpu"})) {
    const std::size_t tile = name == "cpu" ? 16384 : 4096;
    for (const std::size_t n :
         std::vector<std::size_t>{0, 1, 31, tile - 1, tile, tile + 1, 3 * tile + 1000}) {
      for (const std::size_t offset : {0u, 3u}) {
        const auto values = random_bits<std::uint32_t>(random, n + offset);
        check_three(on, values, offset, {85, 128});
        check_three(on, values, offset, any_shares(random));
      }
    }
    const auto values = random_bits<std::uint32_t>(random, 2 * tile + 5);
    for (const std::uint32_t first : {0u, 256u}) {
      for (const std::uint32_t second : {0u, 256u}) check_three(on, values, 1, {first, second});
    }
    // More tiles than a group looks at at once.
    check_three(on, random_bits<std::uint32_t>(random, 300 * tile + 7), 0, {99, 100});
  }
}

TEST_CASE_FIXTURE(on_device, "partitions into three on every row" * lanes) {
  for_each_profile([&](const clwave::profile& row) {
    const std::string name(row.name);
    const std::size_t offset = random.below(5);
    check_three(on, random_bits<std::uint32_t>(random, 30000 + offset), offset, any_shares(random));
  });
}

TEST_CASE_FIXTURE(on_device, "partitions into three: types of elements") {
  const std::size_t n = 40000;
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    check_three(on, random_bits<std::uint8_t>(random, n + 5), 5, any_shares(random));
    check_three(on, random_bits<u64>(random, n + 1), 1, any_shares(random));
    check_three(on, random_bits<person>(random, n + 1), 1, any_shares(random));
    check_three(on, random_bits<parcel>(random, n), 0, any_shares(random));
    if (name == "sm_90") continue;
    check_three(on, random_bits<half>(random, n), 0, any_shares(random));
    check_three(on, random_bits<double>(random, n), 0, any_shares(random));
    check_three(on, random_bits<cl_int4>(random, n + 1), 1, any_shares(random));
  }
}

TEST_CASE_FIXTURE(on_device, "partitions into three by the element, each predicate with values of one name") {
  const auto values = runs_of<float>(random, 20000, 3);
  const cl::Buffer in = on.buffer_of(values);
  const view<float> x{in, values.size()};
  const clwave::map small{.name = "small", .source = "x < most", .values = {{"most", 2.0f}}};
  const clwave::map middle{.name = "middle", .source = "x < most", .values = {{"most", 5.0f}}};
  for (const std::string name : forced_rows(some_of({"gfx90a", "cpu"}))) {
    const auto right = outputs_of(values, 0, [&](std::size_t i) {
      return std::size_t{values[i] < 2.0f ? 0u : values[i] < 5.0f ? 1u : 2u};
    });
    check_call<float>(on, right, {values.size(), values.size(), values.size()},
                      [&](auto first, auto second, auto rest, auto counts) {
                        clwave::partition_copy(on.queue, x, first, second, rest, counts, small, middle);
                      });
    // Not 0, and the others of which nothing is.
    const auto two =
        outputs_of(values, 0, [&](std::size_t i) { return std::size_t{values[i] != 0 ? 0u : 2u}; });
    check_call<float>(on, two, {values.size(), 0, values.size()},
                      [&](auto first, auto second, auto rest, auto counts) {
                        clwave::partition_copy(on.queue, x, first, second, rest, counts, clwave::identity,
                                               {.name = "none", .source = "x"});
                      });
  }
}

TEST_CASE_FIXTURE(on_device, "partitions into three: outputs that are too short") {
  constexpr std::size_t n = 20000;
  const shares share{90, 120};
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const auto values = random_bits<std::uint32_t>(random, n);
    const auto right = outputs_of(values, 0, [&](std::size_t i) { return way_of(i, share); });
    const std::size_t a = right[0].size(), b = right[1].size(), c = right[2].size();
    for (const rooms& room : {rooms{a, b, c}, rooms{a - 1, b, c}, rooms{a, b - 1, c}, rooms{a, b, c - 1},
                              rooms{0, n, 100}, rooms{4096, 1, n}, rooms{0, 0, 0}, rooms{2 * n, n, n + 1}})
      check_three(on, values, 0, share, room);
  }
}

TEST_CASE("partitions into three end with the right results whoever keeps silent") {
  random_engine random;
  const auto values = random_bits<std::uint32_t>(random, 9 * 16384 + 17);
  whoever_keeps_silent([&](const fixture& fresh) { check_three(fresh, values, 3, {77, 99}); });
}

// Counts from 2^31 on take two words. Here such of more than 15 bits do, and lie in the first word, too.
TEST_CASE("partitions into three: counts that take two words") {
  random_engine random;
  const auto values = random_bits<std::uint32_t>(random, 60 * 4096 + 5);
  with_changed_kernels("blocks/look_back_counts.cl",
                       "COUNT_BITS = 31 };\n#define COUNTS_ALL (1u << COUNT_BITS)",
                       "COUNT_BITS = 15 };\n#undef COUNT_WORDS\n#define COUNT_WORDS 2\n"
                       "#define COUNTS_ALL (1u << 31)",
                       [&] {
                         for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
                           const fixture fresh;
                           check_three(fresh, values, 0, {130, 200});
                         }
                       });
}

TEST_CASE("partitions into three in three launches where groups cannot send messages") {
  random_engine random;
  const element& u32 = element_of<std::uint32_t>();
  const shares share{60, 140};
  const clwave::map first_one = is_first(share), second_one = is_second(share);
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    const auto values = random_bits<std::uint32_t>(random, 70 * 4096 + 5);
    const auto right = outputs_of(values, 0, [&](std::size_t i) { return way_of(i, share); });
    const cl::Buffer there = fresh.buffer_of(values);
    own_site site(fresh.queue(), "select");
    site.on.choice.order = clwave::group_order::two_launches;
    for (const rooms& room : {rooms{values.size(), values.size(), values.size()},
                              rooms{right[0].size() - 1, right[1].size() - 4097, right[2].size() - 1}})
      check_call<std::uint32_t>(fresh, right, room, [&](auto first, auto second, auto rest, auto counts) {
        const clwave::select_problem problem{.kind = select_kind::partition_three,
                                             .in = {u32, values.size()},
                                             .out = first,
                                             .predicate = &first_one,
                                             .second_out = second,
                                             .count = counts,
                                             .third_out = rest,
                                             .second_predicate = &second_one};
        site.run(problem, {there(), first.buffer(), second.buffer(), rest.buffer(), counts.buffer()});
      });
  }
}

TEST_CASE_FIXTURE(on_device, "partitions into three of counted elements, and of a lazy input") {
  constexpr std::size_t n = 30000;
  const auto values = random_bits<std::uint32_t>(random, n);
  const shares share = any_shares(random);
  const cl::Buffer in = on.buffer_of(values);
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    for (const u64 there : {u64{0}, u64{1}, 1 + random.below(n), u64{2 * n}}) {
      const cl::Buffer number = on.buffer_of(std::vector<u64>{there});
      const auto counted = view<std::uint32_t>{in, n}.first(view<u64>{number, 1});
      auto some = values;
      some.resize(std::min<std::size_t>(n, there));
      const auto right = outputs_of(some, 0, [&](std::size_t i) { return way_of(i, share); });
      check_call<std::uint32_t>(on, right, {n, n, n}, [&](auto first, auto second, auto rest, auto counts) {
        clwave::partition_copy(on.queue, counted, first, second, rest, counts, is_first(share),
                               is_second(share));
      });
    }
    std::vector<std::uint32_t> squares(n);
    for (std::size_t i = 0; i < n; ++i) squares[i] = static_cast<std::uint32_t>(i * i);
    const auto right = outputs_of(squares, 0, [&](std::size_t i) { return way_of(i, share); });
    const auto lazy = clwave::generate<std::uint32_t>(n, {.name = "square", .source = "i * i"});
    check_call<std::uint32_t>(on, right, {n, n, n}, [&](auto first, auto second, auto rest, auto counts) {
      clwave::partition_copy(on.queue, lazy, first, second, rest, counts, is_first(share), is_second(share));
    });
  }
}

TEST_CASE_FIXTURE(on_device, "partitions into three: plans, and what is refused") {
  const element &f32 = element_of<float>(), &wide = element_of<u64>();
  const clwave::map one{.name = "one", .source = "1"};
  for (const char* name : some_of({"sm_90", "gfx90a", "cpu"})) {
    CAPTURE(name);
    for (const u64 n : {u64{1}, u64{1} << 20, u64{1} << 34}) {
      const clwave::plan_target target{
          .choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false};
      const auto plan = clwave::plan(clwave::select_problem{.kind = select_kind::partition_three,
                                                            .in = {f32, n},
                                                            .out = {f32, n},
                                                            .second_out = any_view{f32, n},
                                                            .third_out = any_view{f32, n},
                                                            .second_predicate = &one},
                                     target);
      REQUIRE(plan.kernels.size() == 1);
      CHECK(plan.kernels[0].name == "select_kept");
    }
  }
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f)),
                   out = on.buffer_of(std::vector<float>(300, 1.0f)),
                   count = on.buffer_of(std::vector<u64>(2));
  const view<float> x{in, 100}, a{out, 100}, b{out, 100, 100}, c{out, 100, 200};
  const view<u64> counts{count, 2};
  const auto& q = on.queue;
  refuses("the input and the third output overlap",
          [&] { clwave::partition_copy(q, x, a, b, x, counts, one, one); });
  refuses("the second output and the third output overlap",
          [&] { clwave::partition_copy(q, x, a, b, b, counts, one, one); });
  refuses("the third output and the count overlap",
          [&] { clwave::partition_copy(q, x, a, b, c, view<u64>(out, 2, 148), one, one); });
  refuses("has two counts", [&] { clwave::partition_copy(q, x, a, b, c, view<u64>{count, 1}, one, one); });
  refuses("the second predicate is a map of your own",
          [&] { clwave::partition_copy(q, x, a, b, c, counts, one, clwave::identity); });
  const clwave::plan_target target = on.target(/*with_source=*/true);
  clwave::select_problem problem{.kind = select_kind::partition_three, .in = f32, .out = f32};
  problem.second_predicate = &one;
  refuses("no second output", [&] { clwave::plan(problem, target); });
  problem.second_out = any_view(f32, 1);
  refuses("no third one", [&] { clwave::plan(problem, target); });
  problem.third_out = any_view(wide, 1);
  refuses("the third output is of u64", [&] { clwave::plan(problem, target); });
  // Two structures of one name, of which the output's is smaller.
  const auto structure = [](std::size_t size, const char* text) {
    return clwave::detail::make_element("of_one_name", "of_one_name", size, clwave::element_kind::structure,
                                        1, text);
  };
  const element large = structure(12, "typedef struct { int x[3]; } of_one_name;");
  const element small = structure(4, "typedef struct { int x; } of_one_name;");
  problem.in = problem.out = large;
  problem.second_out = problem.third_out = any_view(large, 1);
  problem.predicate = &one;
  clwave::plan(problem, target);
  problem.third_out = any_view(small, 1);
  refuses("the third output is of of_one_name", [&] { clwave::plan(problem, target); });
  problem.kind = select_kind::copy_if;
  problem.out = small;
  refuses("the output is of of_one_name", [&] { clwave::plan(problem, target); });
  problem.predicate = nullptr;
  refuses("no predicate", [&] { clwave::plan(problem, target); });
}

}  // namespace testing::partition_three_test

// partition_copy against a plain loop, in several rows of the table, around the bounds of tiles; outputs that
// are too short; what never says what it has found; what is refused.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/select.hpp>

#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "primitives/select.hpp"

namespace testing::partition_copy_test {
namespace {

using clwave::select_kind;

// A predicate that is true for so many of 256 indices, at random: those for which `share` is greater than the
// upper bits of a product.
bool is_true(std::size_t i, std::uint32_t share) {
  return static_cast<std::uint32_t>(i) * 2654435761u >> 24 < share;
}
clwave::map predicate_of(std::uint32_t share) {
  return {.name = "some", .source = "(uint)i * 2654435761u >> 24 < share", .values = {{"share", share}}};
}

template <class T>
struct two_sides {
  std::vector<T> kept, others;
};

template <class T, class Keeps>
two_sides<T> sides_of(const std::vector<T>& values, std::size_t offset, const Keeps& keeps) {
  two_sides<T> sides;
  for (std::size_t i = offset; i < values.size(); ++i)
    (keeps(i) ? sides.kept : sides.others).push_back(values[i]);
  return sides;
}

using rooms = std::pair<std::size_t, std::size_t>;

// Elements from number `offset` on, into outputs with room for so many of each side.
template <class T>
void check_sides(const fixture& on, const std::vector<T>& values, std::size_t offset, std::uint32_t share,
                 rooms room) {
  CAPTURES(values.size(), offset, share);
  const cl::Buffer in = on.buffer_of(values);
  const view<const T> x{in, values.size() - offset, offset};
  const two_sides<T> right =
      sides_of(values, offset, [&](std::size_t i) { return is_true(i - offset, share); });
  check_outputs(on, right.kept, right.others, room, right.kept.size(),
                [&](auto out, auto others, auto count) {
                  clwave::partition_copy(on.queue, x, out, others, count, predicate_of(share)).wait();
                });
}
template <class T>
void check_sides(const fixture& on, const std::vector<T>& values, std::size_t offset, std::uint32_t share) {
  const std::size_t n = values.size() - offset;
  check_sides(on, values, offset, share, {n, n});
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "partition_copy in several rows, around the bounds of tiles" * lanes) {
  for (const std::string name :
       forced_rows({"sm_90", random.below(2) == 0 ? "gfx906" : "subgroup-8", "cpu"})) {
    const element& u32 = element_of<std::uint32_t>();
    constexpr u64 many = 1 << 20;
    const call_plan planned = clwave::plan(clwave::select_problem{.kind = select_kind::partition_copy,
                                                                  .in = {u32, many},
                                                                  .out = {u32, many},
                                                                  .second_out = any_view{u32, many}},
                                           on.target());
    const std::size_t tile = many / planned.kernels[0].groups;
    REQUIRE(tile >= 1024);
    for (const std::size_t n :
         std::vector<std::size_t>{0, 1, 31, tile - 1, tile, tile + 1, 3 * tile + 1000}) {
      for (const std::size_t offset : {0u, 3u}) {
        const auto values = random_bits<std::uint32_t>(random, n + offset);
        for (const std::uint32_t share : {0u, 256u, 1 + static_cast<std::uint32_t>(random.below(255))})
          check_sides(on, values, offset, share);
      }
    }
    // More tiles than a group looks at at once.
    check_sides(on, random_bits<std::uint32_t>(random, 300 * tile + 7), 0, 99);
  }
}

TEST_CASE_FIXTURE(on_device, "partition_copy: types of elements") {
  const std::size_t n = 9000;
  const auto share = static_cast<std::uint32_t>(random.below(257));
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    check_sides(on, random_bits<std::uint8_t>(random, n + 5), 5, share);
    check_sides(on, random_bits<u64>(random, n + 1), 1, share);
    check_sides(on, random_bits<person>(random, n + 1), 1, share);
    if (name == "sm_90") continue;
    check_sides(on, random_bits<std::int16_t>(random, n), 0, share);
    check_sides(on, random_bits<clwave::half>(random, n), 0, share);
    check_sides(on, random_bits<double>(random, n), 0, share);
    check_sides(on, random_bits<cl_int4>(random, n + 1), 1, share);
    check_sides(on, random_bits<parcel>(random, n), 0, share);
  }
}

TEST_CASE_FIXTURE(on_device, "partition_copy: by the element, and what is not 0") {
  const auto values = runs_of<float>(random, 20000, 3);
  const cl::Buffer in = on.buffer_of(values);
  const view<float> x{in, values.size()};
  const clwave::map above{.name = "above", .source = "x > least", .values = {{"least", 2.5f}}};
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const auto check = [&](const clwave::map& text, const auto& keeps) {
      const auto right = sides_of(values, 0, [&](std::size_t i) { return keeps(values[i]); });
      check_outputs(on, right.kept, right.others, {values.size(), values.size()}, right.kept.size(),
                    [&](auto out, auto others, auto count) {
                      clwave::partition_copy(on.queue, x, out, others, count, text).wait();
                    });
    };
    check(above, [](float value) { return value > 2.5f; });
    check(clwave::identity, [](float value) { return value != 0; });
  }
}

TEST_CASE_FIXTURE(on_device, "partition_copy: outputs that are too short, and the count on the host") {
  constexpr std::size_t n = 20000;
  constexpr std::uint32_t share = 100;
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const auto values = random_bits<std::uint32_t>(random, n);
    const auto right = sides_of(values, 0, [&](std::size_t i) { return is_true(i, share); });
    const std::size_t kept = right.kept.size(), others = right.others.size();
    for (const rooms& room : {rooms{kept, others},
                              {kept - 1, others},
                              {kept, others - 1},
                              {n, 4096},
                              {4096, n},
                              {1, 2},
                              {n, 1},
                              {1, n},
                              {2 * n, 3 * n}})
      check_sides(on, values, 0, share, room);
    // As many as the first tile has, one less and one more.
    const auto in_tile = static_cast<std::size_t>(
        std::count_if(values.begin(), values.begin() + 4096,
                      [&, i = std::size_t{0}](std::uint32_t) mutable { return is_true(i++, share); }));
    for (const std::size_t more : {0, 1, 2})
      check_sides(on, values, 0, share, {in_tile - 1 + more, 4096 - in_tile - 1 + more});

    // One behind the other in one buffer they are what partition gives.
    const cl::Buffer in = on.buffer_of(values);
    const view<std::uint32_t> x{in, n};
    const guarded_buffer<std::uint32_t> both(on, n + 5), once(on, n);
    const auto before = both.read();
    CHECK(clwave::partition_copy(on.queue, x, both.view().subview(5, kept),
                                 both.view().subview(5 + kept, others), predicate_of(share)) == kept);
    CHECK(clwave::partition(on.queue, x, once.view(), predicate_of(share)) == kept);
    const auto after = both.read_guarded();
    CHECK(std::equal(after.begin(), after.begin() + 5, before.begin()));
    CHECK(std::vector<std::uint32_t>(after.begin() + 5, after.end()) == once.read());

    // Outputs of no elements: the other side alone, and only the count.
    const guarded_buffer<std::uint32_t> one(on, n);
    const view<std::uint32_t> none{in, 0};
    CHECK(clwave::partition_copy(on.queue, x, none, none, predicate_of(share)) == kept);
    CHECK(clwave::partition_copy(on.queue, x, none, one.view(), predicate_of(share)) == kept);
    const auto alone = one.read_guarded();
    CHECK(std::equal(right.others.begin(), right.others.end(), alone.begin()));
    CHECK(clwave::partition_copy(on.queue, x, one.view(), none, predicate_of(share)) == kept);
    const auto others_left = one.read();
    CHECK(std::equal(right.kept.begin(), right.kept.end(), others_left.begin()));
    CHECK(std::equal(alone.begin() + kept, alone.end(), others_left.begin() + kept));
    CHECK(on.read<std::uint32_t>(in, n) == values);
  }
}

TEST_CASE("partition_copy ends with the right results whoever keeps silent") {
  random_engine random;
  const auto values = random_bits<std::uint32_t>(random, 9 * 4096 + 17);
  whoever_keeps_silent([&](const fixture& fresh) { check_sides(fresh, values, 3, 77); });
}

// Counts from 2^31 on take two words. Here such of more than 15 bits do, which a tile's own, of up to 16384,
// have not.
TEST_CASE("partition_copy: counts that take two words") {
  random_engine random;
  const auto values = random_bits<std::uint32_t>(random, 40 * 4096 + 5);
  with_changed_kernels("blocks/look_back_counts.cl", "COUNT_BITS = 31 };",
                       "COUNT_BITS = 15 };\n#undef COUNT_WORDS\n#define COUNT_WORDS 2", [&] {
                         for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
                           const fixture fresh;
                           check_sides(fresh, values, 0, 130);
                         }
                       });
}

TEST_CASE("partition_copy in three launches where groups cannot send messages") {
  random_engine random;
  const element& u32 = element_of<std::uint32_t>();
  constexpr std::uint32_t share = 60;
  const clwave::map predicate = predicate_of(share);
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    const auto values = random_bits<std::uint32_t>(random, 70 * 4096 + 5);
    const auto right = sides_of(values, 0, [&](std::size_t i) { return is_true(i, share); });
    const cl::Buffer there = fresh.buffer_of(values);
    own_site site(fresh.queue(), "select");
    site.on.choice.order = clwave::group_order::two_launches;
    for (const rooms& room : {rooms{values.size(), values.size()},
                              {right.kept.size() - 1, values.size()},
                              {values.size(), right.others.size() - 4097}})
      check_outputs(fresh, right.kept, right.others, room, right.kept.size(),
                    [&](auto out, auto others, auto count) {
                      const clwave::select_problem problem{.kind = select_kind::partition_copy,
                                                           .in = {u32, values.size()},
                                                           .out = out,
                                                           .predicate = &predicate,
                                                           .second_out = others,
                                                           .count = count};
                      site.run(problem, {there(), out.buffer(), others.buffer(), count.buffer()});
                    });
  }
}

TEST_CASE("partition_copy: plans as copy_if's, in one launch where groups can send messages") {
  const element& f32 = element_of<float>();
  for (const char* name : some_of({"sm_90", "gfx90a", "cpu"})) {
    CAPTURE(name);
    for (const u64 n : {u64{1}, u64{1} << 20, u64{1} << 34}) {
      const clwave::plan_target target{
          .choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false};
      const clwave::select_problem problem{.kind = select_kind::partition_copy,
                                           .in = {f32, n},
                                           .out = {f32, n},
                                           .second_out = any_view{f32, n}};
      const auto plan = clwave::plan(problem, target);
      const auto copies = clwave::plan(clwave::select_problem{.in = {f32, n}, .out = {f32, n}}, target);
      REQUIRE(plan.kernels.size() == 1);
      CHECK(plan.kernels[0].name == "select_kept");
      CHECK(plan.kernels[0].groups == copies.kernels[0].groups);
      CHECK(plan.rejected.empty());
      CHECK(plan.variant == copies.variant);
      CHECK(plan.workspace_bytes == copies.workspace_bytes);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "partition_copy: what is refused") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  const cl::Buffer out = on.buffer_of(std::vector<float>(300, 1.0f));
  const cl::Buffer count = on.buffer_of(std::vector<u64>(2));
  const view<float> x{in, 100}, kept{out, 100}, others{out, 100, 100};
  const view<u64> c{count, 1};
  const clwave::map one{.name = "one", .source = "1"};
  refuses("the input and the output overlap",
          [&] { clwave::partition_copy(on.queue, x, x, others, c, one); });
  refuses("the input and the second output overlap",
          [&] { clwave::partition_copy(on.queue, x, kept, x, c, one); });
  refuses("the output and the second output overlap",
          [&] { clwave::partition_copy(on.queue, x, kept, kept, c, one); });
  refuses("the output and the second output overlap",
          [&] { clwave::partition_copy(on.queue, x, kept, view<float>(out, 100, 99), c, one); });
  refuses("the output and the count overlap",
          [&] { clwave::partition_copy(on.queue, x, kept, others, view<u64>(out, 1, 49), one); });
  refuses("the second output and the count overlap",
          [&] { clwave::partition_copy(on.queue, x, kept, others, view<u64>(out, 1, 99), one); });
  refuses("has no element",
          [&] { clwave::partition_copy(on.queue, x, kept, others, view<u64>(count, 0), one); });
  refuses("needs a name and a source",
          [&] { clwave::partition_copy(on.queue, x, kept, others, {.name = "", .source = ""}); });
  CHECK_THROWS_AS(clwave::partition_copy(on.queue, x, kept, view<float>{out, 101, 200}, c, one),
                  clwave::error);
  const clwave::plan_target target = on.target(/*with_source=*/true);
  const element& f32 = element_of<float>();
  clwave::select_problem problem{.kind = select_kind::partition_copy, .in = {f32, 5}, .out = {f32, 5}};
  refuses("no output for the others", [&] { clwave::plan(problem, target); });
  problem.second_out = element_of<std::int32_t>();
  refuses("the second output is of", [&] { clwave::plan(problem, target); });
  CHECK(on.read<float>(out, 300) == std::vector<float>(300, 1.0f));

  // Of longer outputs only as many elements are looked at as the input has.
  const view<float> half = x.subview(0, 50), whole{out, 300}, middle{out, 250, 50};
  CHECK(clwave::partition_copy(on.queue, half, whole, middle, one) == 50);
  CHECK(clwave::partition_copy(on.queue, half, middle, whole, one) == 50);
}

}  // namespace testing::partition_copy_test

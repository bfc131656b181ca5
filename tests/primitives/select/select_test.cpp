// copy_if, copy_flagged, partition and unique against the standard library's, on every row, around the bounds
// of tiles; what never says what it has found; what is refused.
#include <clwave/select.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/workspace.hpp"
#include "families/selections.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "primitives/select.hpp"

namespace testing::select_test {
namespace {

using clwave::select_kind;

constexpr auto odd = [](auto x) { return (static_cast<u64>(x) & 1) != 0; };

u64 count_of(const fixture& on, const view<u64>& count) {
  return on.read<u64>(cl::Buffer(count.buffer(), true), 1, count.offset() * 8).front();
}

// copy_if and partition, by a predicate and its text.
template <class T, class Keeps>
void check_predicate(const fixture& on, const std::vector<T>& values, std::size_t offset, const Keeps& keeps,
                     const clwave::map& text) {
  const std::size_t n = values.size() - offset;
  const auto keeps_at = [&](std::size_t i) { return keeps(values[i]); };
  check_results(
      on, values, offset, selected(values, offset, keeps_at, false), n,
      [&](auto in, auto out, auto count) { clwave::copy_if(on.queue, in, out, count, text).wait(); });
  check_results(
      on, values, offset, selected(values, offset, keeps_at, true), n,
      [&](auto in, auto out, auto count) { clwave::partition(on.queue, in, out, count, text).wait(); });
}

// All kinds.
template <class T, class Keeps>
void check_kinds(const fixture& on, const std::vector<T>& values, std::size_t offset, const Keeps& keeps,
                 const clwave::map& text, const clwave::op* same = nullptr) {
  check_predicate(on, values, offset, keeps, text);
  const std::size_t n = values.size() - offset;
  const auto keeps_at = [&](std::size_t i) { return keeps(values[i]); };
  std::vector<std::uint8_t> flags(values.size() + 1);
  for (std::size_t i = offset; i < values.size(); ++i) flags[i + 1] = keeps(values[i]) ? i % 255 + 1 : 0;
  // Flags that lie as the elements do, and others.
  for (const std::size_t shift : {0, 1}) {
    const std::vector<std::uint8_t> shifted(flags.begin() + 1, flags.end());
    const cl::Buffer there = on.buffer_of(shift == 1 ? flags : shifted);
    check_results(on, values, offset, selected(values, offset, keeps_at, false), n,
                  [&](auto in, auto out, auto count) {
                    const view<std::uint8_t> f{there, n, offset + shift};
                    clwave::copy_flagged(on.queue, in, f, out, count).wait();
                  });
  }
  const auto first_of_run = [&](std::size_t i) { return i == offset || !(values[i - 1] == values[i]); };
  check_results(on, values, offset, selected(values, offset, first_of_run, false), n,
                [&](auto in, auto out, auto count) {
                  if (same != nullptr)
                    clwave::unique(on.queue, in, out, count, *same).wait();
                  else
                    clwave::unique(on.queue, in, out, count).wait();
                });
}

const clwave::map odd_text{.name = "odd", .source = "x & 1"};

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "selections of every row, around the bounds of tiles" * lanes) {
  // Lanes are emulated: 32, 64 or 8 of them. Programs take a compiler a while.
  for (const std::string name :
       forced_rows({"sm_90", random.below(2) == 0 ? "gfx906" : "subgroup-8", "cpu"})) {
    const element& u32 = element_of<std::uint32_t>();
    constexpr std::uint32_t many = 1 << 20;
    const call_plan planned =
        clwave::plan(clwave::select_problem{.in = {u32, many}, .out = {u32, many}}, on.target());
    const auto tile = static_cast<std::uint32_t>(many / planned.kernels[0].groups);
    CAPTURE(tile);
    REQUIRE(tile >= 1024);
    for (const std::uint32_t n : {1u, 31u, tile - 1, tile, tile + 1, 3 * tile + 1000}) {
      for (const std::size_t offset : {0u, 3u}) {
        const auto values = runs_of<std::uint32_t>(random, n + offset, 4);
        if (name == "sm_90" || name == "cpu")
          check_kinds(on, values, offset, odd, odd_text);
        else
          check_predicate(on, values, offset, odd, odd_text);
      }
    }
  }
}

// Stencils of one type: what is kept by them and by the element, and what they say alone.
template <class S, class Keeps>
void check_stencil(const fixture& on, random_engine& random, const std::vector<S>& stencil, std::size_t at,
                   const Keeps& keeps, const std::string& text) {
  const std::size_t offset = random.below(4), n = stencil.size() - at;
  const auto values = runs_of<std::uint32_t>(random, static_cast<std::uint32_t>(n + offset), 4);
  const cl::Buffer there = on.buffer_of(stencil);
  const view<S> beside{there, n, at};
  for (const bool alone : {true, false}) {
    const clwave::map predicate{
        .name = "by stencil",
        .source = alone ? text : "(" + text + ") && x % k != 1 || i == 7",
        .values = alone ? std::vector<clwave::named_value>() : std::vector<clwave::named_value>{{"k", 3u}}};
    const auto keeps_at = [&](std::size_t i) {
      const bool said = keeps(stencil[i - offset + at]);
      return alone ? said : (said && values[i] % 3 != 1) || i - offset == 7;
    };
    check_results(on, values, offset, selected(values, offset, keeps_at, false), n,
                  [&](auto in, auto out, auto count) {
                    clwave::copy_flagged(on.queue, in, beside, out, count, predicate).wait();
                  });
  }
}

TEST_CASE_FIXTURE(on_device, "stencils") {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "cpu"}))) {
    const std::size_t n = 1 + random.below(12000);
    CAPTURE(n);
    check_stencil(
        on, random, reference::random_values<float>(random, n + 3), 3, [](float y) { return y > 0.25f; },
        "y > 0.25f");
    std::vector<std::uint8_t> bytes(n + 1);
    std::vector<half> halves;
    std::vector<person> people(n + 1);
    for (std::size_t i = 0; i <= n; ++i) {
      bytes[i] = static_cast<std::uint8_t>(random());
      halves.emplace_back(static_cast<float>(bytes[i]));
      people[i] = {static_cast<std::uint32_t>(random()), {0, 0}};
    }
    check_stencil(
        on, random, bytes, random.below(2), [](std::uint8_t y) { return y > 100; }, "y > 100");
    check_stencil(
        on, random, halves, random.below(2), [](half y) { return static_cast<float>(y) < 50; }, "y < 50");
    check_stencil(
        on, random, people, random.below(2), [](const person& y) { return y.key % 2 == 1; }, "y.key & 1");
  }
  const cl::Buffer x = on.buffer_of(std::vector<float>{1, 2, 3, 4}),
                   out = on.buffer_of(std::vector<float>(4));
  const view<float> in{x, 4}, kept{out, 4};
  CHECK(clwave::copy_flagged(on.queue, in, view<std::int32_t>{x, 4}, kept,
                             {.name = "all", .source = "y != 0"}) == 4);
  CHECK(refusal([&] {
          clwave::copy_flagged(on.queue, in, view<std::int32_t>(x, 3), kept, {.name = "all", .source = "y"});
        }).find("the flags 3") != std::string::npos);
}

TEST_CASE_FIXTURE(on_device, "types of elements") {
  const std::size_t n = 9000;
  const clwave::op same_key{.name = "same_key", .source = "a.key == b.key", .identity = {}};
  const clwave::map odd_key{.name = "odd_key", .source = "x.key & 1"};
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    if (name == "cpu")
      check_kinds(on, runs_of<std::uint8_t>(random, n + 5, 9), 5, odd, odd_text);
    else
      check_predicate(on, runs_of<std::uint8_t>(random, n + 5, 9), 5, odd, odd_text);
    if (name == "cpu") check_kinds(on, runs_of<std::int16_t>(random, n, 3), 0, odd, odd_text);
    check_predicate(on, runs_of<u64>(random, n + 1, 3), 1, odd, odd_text);
    check_predicate(on, runs_of<float>(random, n + 2, 2), 2, [](float x) { return x > 2.5f; },
                    {.name = "above", .source = "x > least", .values = {{"least", 2.5f}}});
    std::vector<person> people(n);
    std::vector<parcel> parcels(n);
    for (std::size_t i = 0; i < n; ++i) {
      people[i] = {static_cast<std::uint32_t>(i / 2), {static_cast<std::uint32_t>(random()), 0}};
      parcels[i] = {i / 3, {random(), 1, 2, random()}};
    }
    // Neighbours of one key are one: then all of their bytes are.
    for (std::size_t i = 1; i < n; ++i) {
      if (people[i].key == people[i - 1].key) people[i] = people[i - 1];
      if (parcels[i].key == parcels[i - 1].key) parcels[i] = parcels[i - 1];
    }
    const auto odd_keyed = [](const auto& x) { return x.key % 2 == 1; };
    if (name == "cpu")
      check_kinds(on, people, 1, odd_keyed, odd_key, &same_key);
    else
      check_predicate(on, people, 1, odd_keyed, odd_key);
    if (name == "cpu") check_kinds(on, parcels, 0, odd_keyed, odd_key, &same_key);
  }
  // Halves are floats in texts, and their bits are copied: here NaNs with payloads, which are not equal to
  // themselves.
  const std::vector<half> halves = reference::random_values<half>(random, 5000, spice::nans);
  const auto is_nan = [](half h) { return (h.bits & 0x7fff) > 0x7c00; };
  check_results(on, halves, 0,
                selected(
                    halves, 0, [&](std::size_t i) { return is_nan(halves[i]); }, false),
                halves.size(), [&](auto in, auto out, auto count) {
                  clwave::copy_if(on.queue, in, out, count, {.name = "nan", .source = "isnan(x)"}).wait();
                });
  check_results(on, halves, 0,
                selected(
                    halves, 0,
                    [&](std::size_t i) {
                      return i == 0 || is_nan(halves[i]) || is_nan(halves[i - 1]) ||
                             (halves[i].bits != halves[i - 1].bits &&
                              ((halves[i].bits | halves[i - 1].bits) & 0x7fff) != 0);
                    },
                    false),
                halves.size(),
                [&](auto in, auto out, auto count) { clwave::unique(on.queue, in, out, count).wait(); });
  // Vectors are equal in all components.
  std::vector<cl_int4> vectors;
  for (int i = 0; i < 5000; ++i) vectors.push_back({{i / 4, i / 3, 0, 1}});
  const auto changes = [&](std::size_t i) {
    return i == 0 || vectors[i].s[0] != vectors[i - 1].s[0] || vectors[i].s[1] != vectors[i - 1].s[1];
  };
  check_results(on, vectors, 0, selected(vectors, 0, changes, false), vectors.size(),
                [&](auto in, auto out, auto count) { clwave::unique(on.queue, in, out, count).wait(); });
}

TEST_CASE_FIXTURE(on_device, "all, none, by index, what is not 0, and outputs that are too short") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    std::vector<std::int32_t> values(20000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 7 % 13) - 6;
    const auto check = [&](const clwave::map& text, std::size_t capacity, const auto& keeps) {
      check_results(on, values, 3, selected(values, 3, keeps, false), capacity,
                    [&](auto in, auto out, auto count) {
                      clwave::copy_if(on.queue, in, out, count, text).wait();
                      CHECK(clwave::copy_if(on.queue, in, out, text) == count_of(on, count));
                    });
    };
    check({.name = "all", .source = "1"}, values.size(), [](std::size_t) { return true; });
    check({.name = "none", .source = "0"}, values.size(), [](std::size_t) { return false; });
    const auto third = [](std::size_t i) { return (i - 3) % 3 == 0; };
    for (const std::size_t capacity : std::vector<std::size_t>{values.size(), 5000, 4096, 1})
      check({.name = "third", .source = "i % 3 == 0"}, capacity, third);
    check(clwave::identity, values.size(), [&](std::size_t i) { return values[i] != 0; });
    // Half a number is not 0.
    check({.name = "half", .source = "x == 1 ? 0.5f : 0.0f"}, 777,
          [&](std::size_t i) { return values[i] == 1; });
    // An output of no elements: only the count.
    const cl::Buffer in = on.buffer_of(values);
    CHECK(clwave::copy_if(on.queue, view<std::int32_t>{in, 100}, view<std::int32_t>{in, 0},
                          {.name = "third", .source = "i % 3 == 0"}) == 34);
  }
}

TEST_CASE("a selection ends with the right results whoever keeps silent") {
  random_engine random;
  const auto values = runs_of<std::uint32_t>(random, 9 * 4096 + 17, 4);
  const std::string part = "primitives/select_one_pass.cl";
  const auto check = [&](const std::string& name) {
    const fixture fresh;
    const forced_profile forced(name);
    check_predicate(fresh, values, 3, odd, odd_text);
  };
  for (const std::string silent : {"tile % 2 == 0", "tile + 1 < tiles"}) {
    CAPTURE(silent);
    with_silent_tiles(silent, true, [&] { check("sm_90"); });
    with_silent_tiles(silent, false, [&] { check("cpu"); });
  }
  with_changed_kernels(part, "return get_group_id(0);", "return tiles - 1 - get_group_id(0);",
                       [&] { check("sm_90"); });
  with_changed_kernels(part, "return *number;", "return tiles - 1 - *number;", [&] { check("cpu"); });
}

// Nobody says what all tiles up to his keep: groups add the counts of more tiles than a lane set has lanes.
TEST_CASE("counts of many tiles are added where no sum is there") {
  random_engine random;
  const auto values = runs_of<std::uint32_t>(random, 70 * 8192 + 17, 4);
  with_changed_kernels("primitives/select_one_pass.cl",
                       "tile + 1 < tiles) post_count(messages, tile, call, kept_together",
                       "false) post_count(messages, tile, call, kept_together", [&] {
                         const fixture fresh;
                         const forced_profile forced("sm_90");
                         check_predicate(fresh, values, 3, odd, odd_text);
                       });
}

// Counts from 2^31 on take two words. Here such of more than 15 bits do, which a tile's own, of up to 16384,
// have not.
TEST_CASE("counts that take two words") {
  random_engine random;
  const auto values = runs_of<std::uint32_t>(random, 40 * 4096 + 5, 4);
  with_changed_kernels("blocks/look_back_counts.cl", "COUNT_BITS = 31 };",
                       "COUNT_BITS = 15 };\n#undef COUNT_WORDS\n#define COUNT_WORDS 2", [&] {
                         for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
                           const fixture fresh;
                           check_predicate(fresh, values, 0, odd, odd_text);
                         }
                       });
}

TEST_CASE("several launches where groups cannot send messages") {
  random_engine random;
  const auto values = runs_of<std::uint32_t>(random, 70 * 4096 + 5, 4);
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    for (const select_kind kind : {select_kind::copy_if, select_kind::partition}) {
      own_site site(fresh.queue(), "select");
      site.on.choice.order = clwave::group_order::two_launches;
      const auto keeps = [&](std::size_t i) { return odd(values[i]); };
      check_results(fresh, values, 0, selected(values, 0, keeps, kind == select_kind::partition),
                    values.size(), [&](auto in, auto out, auto count) {
                      const element& u32 = element_of<std::uint32_t>();
                      const clwave::select_problem problem{.kind = kind,
                                                           .in = {u32, in.size()},
                                                           .out = {u32, in.size(), out.offset()},
                                                           .predicate = &odd_text,
                                                           .count = count};
                      site.run(problem, {in.buffer(), out.buffer(), count.buffer()});
                    });
    }
  }
}

TEST_CASE("plans: launches, and what the workspace takes") {
  const element& f32 = element_of<float>();
  for (const std::string name : some_of({"sm_90", "gfx90a", "cpu"})) {
    for (const u64 n : {u64{1}, u64{1} << 26, u64{1} << 34}) {
      for (const select_kind kind : {select_kind::copy_if, select_kind::partition}) {
        const auto plan = clwave::plan(
            clwave::select_problem{.kind = kind, .in = {f32, n}, .out = {f32, n}},
            {.choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false});
        const bool counts_first = kind == select_kind::partition && n > 1;
        CHECK(plan.kernels.size() == (counts_first ? 2 : 1));
        CHECK(plan.rejected.size() == (counts_first ? 1 : 0));
        CHECK(plan.workspace_bytes <= 64 * ((n + 16383) / 16384) + 4096);
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "no elements, events, queues, and the caller's workspace") {
  std::vector<std::uint32_t> values(10000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i);
  const cl::Buffer in = on.buffer_of(values);
  const view<std::uint32_t> x{in, values.size()};
  const guarded_buffer<std::uint32_t> out(on, values.size());
  const guarded_buffer<u64> count(on, 1);
  clwave::copy_if(on.queue, x.subview(0, 0), out.view(), count.view(), odd_text).wait();
  CHECK(count.first() == 0);
  CHECK(clwave::partition(on.queue, x.subview(0, 0), out.view(), odd_text) == 0);
  CHECK(out.intact());

  gate gate(on);
  const clwave::event done =
      clwave::copy_if(on.queue, x, out.view(), count.view(), odd_text, {.after = {gate.event()}});
  on.queue.flush();
  CHECK(!done.done());
  gate.open();
  done.wait();
  CHECK(count.first() == 5000);

  // A count that blocks waits for all that an out-of-order queue holds.
  const cl::CommandQueue loose = on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  testing::gate second(on);
  const cl::Buffer late = on.buffer_of(std::vector<std::uint32_t>(values.size()));
  on.write_after(loose, late, values.data(), values.size() * 4, {second.event()});
  second.open();
  CHECK(clwave::copy_if(loose, view<std::uint32_t>{late, values.size()}, out.view(), odd_text) == 5000);

  // Two queues at a time.
  const cl::CommandQueue other = on.new_queue();
  const guarded_buffer<std::uint32_t> outs[] = {{on, values.size()}, {on, values.size()}};
  for (int turn = 0; turn < 20; ++turn) {
    const guarded_buffer<u64> counts[] = {{on, 1}, {on, 1}};
    const clwave::event first = clwave::copy_if(on.queue, x, outs[0].view(), counts[0].view(), odd_text);
    const clwave::event last = clwave::unique(other, x, outs[1].view(), counts[1].view());
    other.flush();
    last.wait();
    first.wait();
    CHECK(counts[0].first() == 5000);
    CHECK(counts[1].first() == 10000);
    CHECK(outs[1].read() == values);
  }

  const element& u32 = element_of<std::uint32_t>();
  const clwave::plan_target target = on.target(/*with_source=*/true);
  const clwave::select_problem problem{
      .in = {u32, values.size()}, .out = {u32, values.size()}, .predicate = &odd_text};
  // From a multiple of what devices ask of a workspace's place.
  constexpr std::size_t edge = 4096;
  const std::size_t n_bytes = clwave::plan(problem, target).workspace_bytes;
  const std::vector<unsigned char> before(edge + n_bytes + edge, 0x5a);
  const cl::Buffer bytes = on.buffer_of(before);
  const view<unsigned char> work{bytes, n_bytes, edge};
  for (int turn = 0; turn < 2; ++turn) {
    clwave::copy_if(on.queue, x, out.view(), count.view(), odd_text, {.workspace = work}).wait();
    CHECK(count.first() == 5000);
    const auto after = on.read<unsigned char>(bytes, before.size());
    CHECK(std::equal(before.begin(), before.begin() + edge, after.begin()));
    CHECK(std::equal(before.end() - edge, before.end(), after.end() - edge));
  }
}

TEST_CASE("numbers of calls begin anew when all have been used") {
  fixture on;
  random_engine random;
  const auto values = runs_of<std::uint32_t>(random, 70000, 3);
  check_predicate(on, values, 0, odd, odd_text);
  own_site site(on.queue(), "select");
  {
    clwave::detail::workspace work(site, 1 << 10, clwave::detail::workspace::kept_for::messages);
    work.set_call(0xffffffffu - 6);
    work.not_in_use();
  }
  for (int call = 0; call < 3; ++call) check_predicate(on, values, 0, odd, odd_text);
}

TEST_CASE_FIXTURE(on_device, "what is refused") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  const cl::Buffer out = on.buffer_of(std::vector<float>(100, 1.0f));
  const cl::Buffer count = on.buffer_of(std::vector<u64>(2));
  const view<float> x{in, 100}, y{out, 100};
  const view<u64> c{count, 1};
  const clwave::map one{.name = "one", .source = "1"};
  refuses("the input and the output overlap", [&] { clwave::copy_if(on.queue, x, x, c, one); });
  refuses("overlap", [&] { clwave::copy_if(on.queue, x.subview(0, 50), x.subview(49, 50), c, one); });
  refuses("the output and the count overlap",
          [&] { clwave::copy_if(on.queue, x, y, view<u64>(out, 1, 3), one); });
  refuses("has no element", [&] { clwave::copy_if(on.queue, x, y, view<u64>{count, 0}, one); });
  refuses("the output of a partition has 99",
          [&] { clwave::partition(on.queue, x, y.subview(0, 99), c, one); });
  refuses("the flags 99", [&] { clwave::copy_flagged(on.queue, x, view<std::int32_t>{in, 99}, y, c); });
  refuses("integers or bool", [&] { clwave::copy_flagged(on.queue, x, x, y, c); });
  refuses("structures have no ==",
          [&] { clwave::unique(on.queue, view<person>(in, 5), view<person>(out, 5), c); });
  refuses("an operator of your own", [&] { clwave::unique(on.queue, x, y, c, clwave::plus); });
  refuses("needs a name and a source",
          [&] { clwave::copy_if(on.queue, x, y, c, {.name = "", .source = ""}); });
  CHECK(on.read<float>(out, 100) == std::vector<float>(100, 1.0f));
}

TEST_CASE_FIXTURE(on_device, "selections of types that are said at run time") {
  const std::vector<std::uint32_t> values{5, 0, 7, 7, 0, 2};
  const cl::Buffer in = on.buffer_of(values), out = on.buffer_of(std::vector<std::uint32_t>(6, 9));
  const cl::Buffer count = on.buffer_of(std::vector<u64>(2, 9));
  const element& u32 = element_of<std::uint32_t>();
  clwave::select_problem problem{.in = {in(), 6, 0, &u32}, .out = {out(), 4, 1, &u32}};
  CHECK(clwave::select_to_host(on.queue(), problem) == 4);
  CHECK(on.read<std::uint32_t>(out, 6) == std::vector<std::uint32_t>{9, 5, 7, 7, 2, 9});
  problem.kind = select_kind::unique;
  problem.count = {count(), 1, 1, &element_of<u64>()};
  clwave::select(on.queue(), problem).wait();
  CHECK(on.read<u64>(count, 2) == std::vector<u64>{9, 5});
  CHECK(on.read<std::uint32_t>(out, 6) == std::vector<std::uint32_t>{9, 5, 0, 7, 0, 9});
  const auto refuses = [&](const char* words) {
    CHECK_THROWS_WITH_AS(clwave::select(on.queue(), problem), doctest::Contains(words), clwave::error);
  };
  problem.count.type = &u32;
  refuses("a count of u32");
  problem.count = {};
  refuses("has no element");
  const std::pair<select_kind, const char*> lacking[] = {
      {select_kind::copy_flagged, "no flags"},
      {select_kind::unique_by_key, "no values"},
      {select_kind::run_lengths, "no output for the lengths"},
      {select_kind::partition_copy, "no output for the others"}};
  for (const auto& each : lacking) {
    problem.kind = each.first;
    CHECK_THROWS_WITH_AS(clwave::select_to_host(on.queue(), problem), doctest::Contains(each.second),
                         clwave::error);
  }
}

}  // namespace testing::select_test

// gather_if and scatter_if against plain loops: flags of all kinds, predicates over flags of any type,
// elements of all sizes at odd places, on rows of the table; maps beside; counts of indices outside; what is
// refused.
#include <clwave/gather.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "harness/devices.hpp"
#include "harness/elements.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/refusals.hpp"
#include "moved_elements.hpp"

namespace testing::gather_if_test {
namespace {

using clwave::gather_problem;
using bytes = std::vector<unsigned char>;

const doctest::test_suite lanes("lanes");

struct rated {
  std::uint8_t rate;
  std::uint8_t beside[2];
};

}  // namespace
}  // namespace testing::gather_if_test

CLWAVE_STRUCTURE(testing::gather_if_test::rated, "rated_flag",
                 "typedef struct { uchar rate; uchar beside[2]; } rated_flag;")

namespace testing::gather_if_test {
namespace {

// Flags as they lie in memory, from element `first` on, and which of them are set.
struct some_flags {
  const element* type = nullptr;
  std::size_t first = 0;
  bytes stored;
  const clwave::map* predicate = nullptr;
  std::vector<bool> set;
};

enum class flag_kind { bytes, words, truths, floats, halves, structures, by_index, none, all, kinds };

const clwave::map above{.name = "above", .source = "x > limit", .values = {{"limit", 0.25f}}};
const clwave::map rated_high{.name = "rated high", .source = "x.rate >= 100"};
const clwave::map third{.name = "third", .source = "i % 3 == 1 && x != 7"};

template <class T, class IsSet>
void store_flags(some_flags& flags, const std::vector<T>& all, std::size_t first, const IsSet& is_set) {
  flags.type = &element_of<T>();
  flags.first = first;
  flags.stored.resize(all.size() * sizeof(T));
  if constexpr (std::is_same_v<T, bool>) {
    std::copy(all.begin(), all.end(), flags.stored.begin());
  } else {
    std::memcpy(flags.stored.data(), all.data(), flags.stored.size());
  }
  for (std::size_t i = first; i < all.size(); ++i) flags.set.push_back(is_set(all[i], i - first));
}

some_flags make_flags(random_engine& random, std::size_t n, flag_kind of) {
  some_flags flags;
  const std::size_t first = random.below(6);
  const auto filled = [&](auto make) {
    std::vector<decltype(make())> all;
    for (std::size_t i = 0; i < first + n; ++i) all.push_back(make());
    return all;
  };
  const auto is_set = [](auto flag, std::size_t) { return flag != 0; };
  const auto is_above = [](float flag, std::size_t) { return flag > 0.25f; };
  switch (of) {
    case flag_kind::words:  // of which only the upper half may be set
      store_flags(
          flags, filled([&] { return static_cast<std::int64_t>(random.below(2) << (random.below(2) * 63)); }),
          first, is_set);
      break;
    case flag_kind::truths:
      store_flags(flags, filled([&] { return random.below(2) == 0; }), first,
                  [](bool flag, std::size_t) { return flag; });
      break;
    case flag_kind::floats:
      flags.predicate = &above;
      store_flags(flags, filled([&] { return static_cast<float>(random.below(5)) * 0.25f - 0.5f; }), first,
                  is_above);
      break;
    case flag_kind::halves: {
      flags.predicate = &above;
      constexpr std::uint16_t values[] = {0xb800, 0,      0x3400,
                                          0x3401, 0x7c00, 0x7e00};  // of which 0.2502 and infinity are above
      store_flags(flags, filled([&] {
                    half flag;
                    flag.bits = values[random.below(std::size(values))];
                    return flag;
                  }),
                  first,
                  [](const half& flag, std::size_t) { return flag.bits == 0x3401 || flag.bits == 0x7c00; });
      break;
    }
    case flag_kind::structures:
      flags.predicate = &rated_high;
      store_flags(flags, filled([&] {
                    return rated{static_cast<std::uint8_t>(random.below(200)), {1, 2}};
                  }),
                  first, [](const rated& flag, std::size_t) { return flag.rate >= 100; });
      break;
    case flag_kind::by_index:
      flags.predicate = &third;
      store_flags(flags, filled([&] { return static_cast<std::int16_t>(random.below(9)); }), first,
                  [](std::int16_t flag, std::size_t i) { return i % 3 == 1 && flag != 7; });
      break;
    case flag_kind::none:
    case flag_kind::all:
      store_flags(flags, filled([&] { return u32{of == flag_kind::all ? 256u : 0u}; }), first, is_set);
      break;
    default:
      store_flags(flags, filled([&] { return static_cast<std::uint8_t>(random.below(3) * 128 % 255); }),
                  first, is_set);
  }
  return flags;
}

// A gather or a scatter of elements of `size` bytes, whose operands begin at odd places. `few`: indices are
// less than 3 where they are not outside.
struct moved_case {
  std::size_t size = 1, n = 0, reach = 0;
  flag_kind of = flag_kind::bytes;
  bool scatter = false, few = false, outside = false, counts = false;
};

template <class Index>
void check_moved(const fixture& on, random_engine& random, const moved_case& c) {
  CAPTURE(static_cast<int>(c.of));
  const some_flags flags = make_flags(random, c.n, c.of);
  // Indices outside, of set flags and of others; those of others may be anything.
  std::vector<Index> indices(c.n);
  for (std::size_t i = 0; i < c.n; ++i) {
    const std::size_t below = c.few ? std::min<std::size_t>(3, c.reach) : c.reach;
    indices[i] = static_cast<Index>(random.below(9) == 0 || below == 0 ? c.reach + random.below(3)
                                                                       : random.below(below));
    if (!flags.set[i] && random.below(2) == 0) indices[i] = static_cast<Index>(random());
  }
  const cl::Buffer flagged = on.buffer_of(flags.stored.empty() ? bytes(1) : flags.stored);
  check_moved_elements(
      on, random, {c.size, c.n, c.reach, c.scatter, c.outside, c.counts}, indices,
      [&](std::size_t i) { return flags.set[i]; },
      [&](gather_problem& problem) {
        problem.flags = any_view(flagged(), c.n, flags.first, flags.type);
        problem.predicate = flags.predicate;
      });
}

void check_any(const fixture& on, random_engine& random, const moved_case& c) {
  if (random.below(2) == 0)
    check_moved<u32>(on, random, c);
  else
    check_moved<u64>(on, random, c);
}

flag_kind any_flags(random_engine& random) {
  return static_cast<flag_kind>(random.below(static_cast<u64>(flag_kind::kinds)));
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "gather_if and scatter_if of elements of every size") {
  sample some(4);
  for (const std::size_t size : {1, 2, 3, 4, 8, 12, 16, 20, 40, 127, 128}) {
    if (!some.takes_next()) continue;
    for (const bool scatter : {false, true})
      check_any(on, random,
                {.size = size,
                 .n = 1 + random.below(3000),
                 .reach = 1 + random.below(2000),
                 .of = random.below(2) == 0 ? flag_kind::bytes : any_flags(random),
                 .scatter = scatter,
                 .few = random.below(2) == 0,
                 .outside = random.below(2) == 0,
                 .counts = random.below(2) == 0});
  }
}

TEST_CASE_FIXTURE(on_device, "gather_if and scatter_if by flags of every kind") {
  sample some(3);
  for (int k = 0; k < static_cast<int>(flag_kind::kinds); ++k) {
    if (!some.takes_next()) continue;
    for (const bool scatter : {false, true})
      check_any(on, random,
                {.size = random.below(2) == 0 ? 4u : 12u,
                 .n = random.below(2000),
                 .reach = 3 + random.below(2000),
                 .of = static_cast<flag_kind>(k),
                 .scatter = scatter,
                 .few = random.below(2) == 0,
                 .outside = random.below(2) == 0,
                 .counts = random.below(2) == 0});
  }
}

TEST_CASE_FIXTURE(on_device, "gather_if and scatter_if on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    const std::size_t sizes[] = {1, 2, 4, 8, 12, 16, 40, 128};
    for (const bool scatter : {false, true})
      check_any(on, random,
                {.size = sizes[random.below(std::size(sizes))],
                 .n = random.below(30000),
                 .reach = 3 + random.below(5000),
                 .of = any_flags(random),
                 .scatter = scatter,
                 .few = random.below(2) == 0,
                 .outside = random.below(2) == 0,
                 .counts = random.below(2) == 0});
  }
}

TEST_CASE_FIXTURE(on_device, "gather_if and scatter_if of nothing, of one element, and into nothing") {
  for (const std::size_t size : {4, 12}) {
    for (const bool scatter : {false, true}) {
      for (const std::size_t n : {0, 1, 255, 256, 257}) {
        for (const std::size_t reach : {0, 1, 300})
          check_moved<u32>(on, random,
                           {.size = size,
                            .n = n,
                            .reach = reach,
                            .scatter = scatter,
                            .outside = true,
                            .counts = n % 2 == 0});
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "of equal indices only those whose flag is set are claimed") {
  for (const std::size_t size : some_of<std::size_t>({4, 20, 64}))
    check_moved<u32>(on, random,
                     {.size = size,
                      .n = 40000,
                      .reach = 3,
                      .of = flag_kind::by_index,
                      .scatter = true,
                      .few = true,
                      .counts = true});
}

TEST_CASE_FIXTURE(on_device, "typed calls, maps, and counted indices") {
  const std::size_t n = 1000 + random.below(1000), reach = 500, there = random.below(n);
  const std::vector<float> x = random_elements<float>(random, reach);
  std::vector<u32> at(n);
  for (u32& index : at) index = static_cast<u32>(random.below(reach + 20));
  std::vector<std::int16_t> ages(n);
  for (std::int16_t& age : ages) age = static_cast<std::int16_t>(random.below(40) - 3);
  const cl::Buffer xs = on.buffer_of(x), indices = on.buffer_of(at), flags = on.buffer_of(ages),
                   counts = on.buffer_of(std::vector<u32>{static_cast<u32>(there)});
  const view<float> in{xs, reach};
  const view<u32> where{indices, n};
  const view<std::int16_t> beside{flags, n};
  const auto bits = [](const std::vector<float>& all) {
    std::vector<u32> words(all.size());
    std::memcpy(words.data(), all.data(), all.size() * 4);
    return words;
  };
  // What is in `out` after a gather of the first `count` indices.
  const auto expected = [&](const guarded_buffer<float>& out, std::size_t count, auto is_set, auto make) {
    std::vector<float> all = out.read();
    for (std::size_t i = 0; i < count; ++i) {
      if (is_set(ages[i], i)) all[i] = at[i] < reach ? make(x[at[i]], i) : -2.0f;
    }
    return bits(all);
  };
  const auto itself = [](float value, std::size_t) { return value; };
  const guarded_buffer<float> out(on, n);
  auto wanted = expected(
      out, n, [](int age, std::size_t) { return age != 0; }, itself);
  clwave::gather_if(on.queue, in, where, beside, out.view(), {.outside = -2.0f}).wait();
  CHECK(bits(out.read_guarded()) == wanted);

  const guarded_buffer<float> grown(on, n);
  wanted = expected(
      grown, n, [](int age, std::size_t) { return age >= 18; }, itself);
  clwave::gather_if(on.queue, in, where, beside, grown.view(), {.name = "grown", .source = "x >= 18"},
                    {.outside = -2.0f})
      .wait();
  CHECK(bits(grown.read_guarded()) == wanted);

  // A map, a predicate with a value of the same name, as many indices as the device says.
  const guarded_buffer<float> mapped(on, n);
  const clwave::map negated{.name = "signs", .source = "limit ? -x : x", .values = {{"limit", 1}}};
  const clwave::map young{.name = "young", .source = "x < limit", .values = {{"limit", 5}}};
  const float outside = -2.0f;
  const auto counted = where.first(view<u32>{counts, 1});
  wanted = expected(
      mapped, there, [](int age, std::size_t) { return age < 5; },
      [](float value, std::size_t) { return -value; });
  const guarded_buffer<u64> bad(on, 1);
  clwave::gather(on.queue(), {.in = in,
                              .indices = counted,
                              .out = any_view(mapped.view()),
                              .apply = &negated,
                              .outside = &outside,
                              .bad = any_view(bad.view()),
                              .flags = any_view(beside),
                              .predicate = &young})
      .wait();
  CHECK(bits(mapped.read_guarded()) == wanted);
  u64 are_bad = 0;
  for (std::size_t i = 0; i < there; ++i) are_bad += ages[i] < 5 && at[i] >= reach ? 1 : 0;
  CHECK(bad.first() == are_bad);

  // Indices without equals: each result has one element that it can be.
  std::vector<u32> order(reach);
  for (std::size_t k = 0; k < reach; ++k) order[k] = static_cast<u32>(reach - 1 - k);
  const cl::Buffer orders = on.buffer_of(order);
  const view<u32> to{orders, reach};
  for (const bool decides : {false, true}) {
    const guarded_buffer<float> back(on, reach);
    std::vector<float> all = back.read();
    for (std::size_t i = 0; i < reach; ++i) {
      if (decides ? ages[i] % 2 == 0 : ages[i] != 0) all[reach - 1 - i] = x[i];
    }
    const auto first = beside.subview(0, reach);
    if (decides)
      clwave::scatter_if(on.queue, in, to, first, back.view(), {.name = "even", .source = "x % 2 == 0"});
    else
      clwave::scatter_if(on.queue, in, to, first, back.view(), {.distinct = true});
    on.queue.finish();
    CHECK(bits(back.read_guarded()) == bits(all));
  }
}

TEST_CASE_FIXTURE(on_device, "indices that are checked are those whose flag is set") {
  const cl::Buffer xs = on.buffer_of(std::vector<float>{1, 2, 3}),
                   indices = on.buffer_of(std::vector<u32>{9, 1, 7, 2});
  const guarded_buffer<float> out(on, 4);
  gather_problem problem{.in = any_view(view<float>{xs, 3}),
                         .indices = any_view(view<u32>{indices, 4}),
                         .out = any_view(out.view())};
  const cl::Buffer inside = on.buffer_of(std::vector<std::uint8_t>{0, 1, 0, 5});
  problem.flags = any_view(view<std::uint8_t>{inside, 4});
  clwave::checked_gather(on.queue(), problem);
  CHECK(out.read_guarded()[1] == 2);
  CHECK(out.read_guarded()[3] == 3);
  const cl::Buffer all = on.buffer_of(std::vector<std::uint8_t>{0, 1, 1, 1});
  problem.flags = any_view(view<std::uint8_t>{all, 4});
  refuses("1 indices are outside", [&] { clwave::checked_gather(on.queue(), problem); });
}

TEST_CASE_FIXTURE(on_device, "what gather_if and scatter_if refuse, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<float>(256));
  const view<float> x{a, 100}, out{b, 90};
  const view<u32> indices{c, 90};
  const view<std::uint8_t> flags{c, 90, 5};
  const auto& q = on.queue;
  refuses("there are 89 flags and 90 indices",
          [&] { clwave::gather_if(q, x, indices, view<std::uint8_t>(c, 89), out); });
  refuses("overlap", [&] { clwave::gather_if(q, x, indices, view<std::uint8_t>{b, 90}, out); });
  refuses("overlap", [&] { clwave::scatter_if(q, out, indices, view<std::uint8_t>{a, 90}, x); });
  refuses("ends past its buffer",
          [&] { clwave::gather_if(q, x, indices, view<std::uint8_t>(c, 90, 1000), out); });
  refuses("integers or bool", [&] { clwave::gather_if(q, x, indices, x.subview(0, 90), out); });
  refuses("a predicate is a map of your own",
          [&] { clwave::gather_if(q, x, indices, flags, out, clwave::square); });
  refuses("the flags", [&] {
    gather_problem problem{.in = x, .indices = indices, .out = out};
    problem.flags = any_view(view<std::uint8_t>{c, 90});
    problem.flags->count = &problem.indices;
    clwave::gather(q(), problem);
  });
  const clwave::plan_target target{
      .facts = &on.facts, .choice = clwave::choose_profile(on.facts), .with_source = true};
  const element &f32 = element_of<float>(), &u32 = element_of<std::uint32_t>();
  const element moved = moved_element(4);
  refuses("a predicate and no flags",
          [&] { plan(gather_problem{.in = f32, .indices = u32, .out = f32, .predicate = &third}, target); });
  refuses("the flags has no type",
          [&] { plan(gather_problem{.in = f32, .indices = u32, .out = f32, .flags = any_view()}, target); });
  refuses("has no type on the device", [&] {
    plan(gather_problem{.in = f32, .indices = u32, .out = f32, .flags = any_view(moved), .predicate = &third},
         target);
  });
  // Two structures of one name.
  element other = clwave::detail::make_element("other", "rated_flag", 4, clwave::element_kind::structure, 1);
  other.declaration = "typedef struct { float rate; } rated_flag;";
  const clwave::map rate{.name = "rate", .source = "x.rate"};
  gather_problem typed{.in = other,
                       .indices = u32,
                       .out = f32,
                       .apply = &rate,
                       .flags = any_view(element_of<rated>()),
                       .predicate = &rated_high};
  refuses("two types of one call are both called rated_flag", [&] { plan(typed, target); });
  // One structure as element and as flag is declared once.
  typed.in = element_of<rated>();
  plan(typed, target);
}

}  // namespace testing::gather_if_test

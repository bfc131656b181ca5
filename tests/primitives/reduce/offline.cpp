// reduce: sums, places, operators of the user and structures, around the boundaries of lane sets, tiles and
// levels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <clwave/reduce.hpp>

#include "device/tuning.hpp"
#include "harness/operators.hpp"
#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/reduce.hpp"

struct many {
  std::uint32_t words[9];
};
CLWAVE_STRUCTURE(many, "many", "typedef struct { uint words[9]; } many;")

struct pair {
  float low, high;
};
CLWAVE_STRUCTURE(pair, "pair", "typedef struct { float low, high; } pair;")

namespace races::runs_of_reduce {
namespace {

template <class T, class Acc>
void sum(const char* what) {
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<T> in = numbers<T>(n + 1);
    Acc expected = 0;
    for (std::size_t i = 1; i <= n; ++i) expected = static_cast<Acc>(expected + static_cast<Acc>(in[i]));
    const cl::Buffer buffer = on.buffer(in);
    // From element 1: below a packet's alignment.
    check(clwave::reduce<Acc>(on.queue, clwave::view<T>{buffer, n, 1}) == expected, what, n);
  }
}

void sum_aligned() {
  machine on;
  for (const std::size_t n : sizes) {
    std::vector<float> in = numbers<float>(n);
    float expected = 0;
    for (const float x : in) expected += x;
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::reduce(on.queue, clwave::view<float>{buffer, n}) == expected, "sum f32", n);
  }
}

void argmax() {
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<float> in = numbers<float>(n);
    in[n / 2] = 9;
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::argmax(on.queue, clwave::view<float>{buffer, n}).index == n / 2, "argmax f32", n);
  }
}

void last() {
  const clwave::op take{.name = "last", .source = "b", .identity = "", .commutative = false};
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<std::int32_t> in(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<std::int32_t>(i);
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::reduce(on.queue, clwave::view<std::int32_t>{buffer, n}, take) == in.back(),
          "non-commutative", n);
  }
}

// An operator that branches on what it is given, so that a value that is no element is seen wherever a lane
// has one, also where nobody takes the result: oclgrind tells of branches on what was never written. On 0 the
// loop would go on for ever; it needs 10 turns for elements, and ends after 99.
void divisor(bool commutative) {
  const clwave::op common{.name = "divisor",
                          .source = "common_divisor(a, b, most)",
                          .identity = "",
                          .commutative = commutative,
                          .declarations =
                              "uint common_divisor(uint a, uint b, int most) {\n"
                              "  for (int turns = 0; a != b && turns < most; ++turns) {\n"
                              "    if (a > b) a -= b; else b -= a;\n"
                              "  }\n"
                              "  return a;\n"
                              "}",
                          .values = {{"most", 99}}};
  machine on;
  for (const std::size_t n : few_sizes) {
    std::vector<std::uint32_t> in(n);
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = 6 * static_cast<std::uint32_t>(1 + i * 7 % 5);
      expected = std::gcd(expected, in[i]);
    }
    const cl::Buffer buffer = on.buffer(in);
    check(clwave::reduce(on.queue, clwave::view<std::uint32_t>{buffer, n}, common) == expected,
          "greatest common divisor", n);
  }
}

// All levels in one launch, with tiles so small that groups share the second; oclgrind would get two. Bytes
// come in wide packets, so that a group has many teams.
template <class T>
void levels(const char* what) {
  machine on;
  testing::own_site site(on.queue(), "reduce");
  site.on.choice.order = clwave::group_order::amd_fence;
  const std::size_t tile = std::max(16u, site.on.choice.lanes), second = tile * tile;
  for (const std::size_t n : {second + 1, second + tile - 1, 2 * second + tile + 3}) {
    std::vector<T> in = numbers<T>(n), out(1);
    T expected = 0;
    for (const T x : in) expected = static_cast<T>(expected + x);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    const clwave::element& value = clwave::element_of<T>();
    const clwave::reduce_problem problem{
        .in = {value, n}, .accumulator = &value, .out = value, .sizes = {.tile = tile, .accumulators = tile}};
    site.run(problem, {from(), to()});
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, sizeof(T), out.data());
    check(out[0] == expected, what, n);
  }
}

// The levels above the first in a launch of their own, three of them. A work-item of 32 lanes has two
// columns, and so reads results that another one wrote.
void levels_apart() {
  machine on;
  const testing::own_site site(on.queue(), "reduce");
  const std::size_t tile = std::max(32u, 2 * site.on.choice.lanes), n = tile * tile + 3 * tile;
  std::vector<float> in = numbers<float>(n), out(1);
  float expected = 0;
  for (const float x : in) expected += x;
  const cl::Buffer from = on.buffer(in), to = on.buffer(out);
  const clwave::element& value = clwave::element_of<float>();
  const clwave::reduce_problem problem{
      .in = {value, n}, .accumulator = &value, .out = value, .sizes = {.tile = tile, .accumulators = tile}};
  site.run(problem, {from(), to()});
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, sizeof(float), out.data());
  check(out[0] == expected, "sum f32 of levels in two launches", n);
}

// So large that the parts of one tile fill the local memory they have, and a group folds two.
void structures() {
  const clwave::op add = testing::function_op("added", "",
                                              "many added(many a, many b) {\n"
                                              "  for (int k = 0; k < 9; ++k) a.words[k] += b.words[k];\n"
                                              "  return a;\n}");
  machine on;
  const std::size_t n = 3 * 8192 + 5;
  std::vector<many> in(n);
  many expected{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 9; ++k)
      expected.words[k] += in[i].words[k] = static_cast<std::uint32_t>(i * 9 + k);
  }
  const cl::Buffer buffer = on.buffer(in);
  const many sum = clwave::reduce(on.queue, clwave::view<many>{buffer, n}, add);
  check(std::memcmp(&sum, &expected, sizeof sum) == 0, "structures", n);
}

// A piece of a longer input up to the results of its tiles, whose map sees where the piece lies. (Not by a
// call on parts: oclgrind takes what a host's write or copy brings for memory that nobody wrote.)
void piece() {
  const clwave::map placed{.name = "placed", .source = "x + (i >= 40u ? 1 : 0)"};
  machine on;
  const testing::own_site site(on.queue(), "reduce");
  const std::size_t tile = std::max(32u, 2 * site.on.choice.lanes);
  for (const std::size_t n : {tile, 2 * tile + 3, 9 * tile - 1}) {
    const std::size_t tiles = (n + tile - 1) / tile;
    std::vector<float> in = numbers<float>(n), out(tiles + 1, 7.0f), expected(tiles);
    for (std::size_t i = 0; i < n; ++i) expected[i / tile] += in[i] + (i + tile >= 40 ? 1.0f : 0.0f);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    const clwave::element& value = clwave::element_of<float>();
    const clwave::reduce_problem problem{.in = {value, n},
                                         .accumulator = &value,
                                         .apply = &placed,
                                         .out = clwave::any_view(value, 0, 1),
                                         .sizes = {.tile = tile, .accumulators = tile},
                                         .piece_at = tile};
    site.run(problem, {from(), to()});
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    check(out[0] == 7.0f && std::equal(expected.begin(), expected.end(), out.begin() + 1), "tiles of a piece",
          n);
  }
}

// ------------------------------------------------------------------------- programs that are compiled

constexpr std::uint64_t n = many_elements;

const clwave::op interval = testing::function_op("interval_of", "",
                                                 "pair interval_of(pair a, pair b) {\n"
                                                 "  pair r = {fmin(a.low, b.low), fmax(a.high, b.high)};\n"
                                                 "  return r;\n}");
// A product that must not be fused into the sum, in a function of the user's.
clwave::op with_helper(const std::string& type) {
  return {.name = "mul-add",
          .source = "mul_add(a, a, b)",
          .identity = "0",
          .declarations =
              type + " mul_add(" + type + " p, " + type + " q, " + type + " r) { return p * q + r; }"};
}
// Values that come as arguments, in both texts.
const clwave::op by_values{
    .name = "by values", .source = "a * k + b * l", .identity = "0", .values = {{"k", 0.5f}, {"l", 2.0f}}};

// A reduction of one type into itself, from clwave::element `offset` on.
clwave::call_plan of_reduce(const clwave::plan_target& on, const clwave::element& type,
                            const clwave::op& fold = clwave::plus,
                            const clwave::map& apply = clwave::identity, bool two_inputs = false,
                            std::uint64_t offset = 0) {
  const clwave::any_view in(type, n, offset);
  clwave::reduce_problem problem{in, &type, &fold, &apply};
  if (two_inputs) problem.in2 = in;
  problem.out = type;
  return clwave::plan(problem, on);
}

// The sum (or another fold) of T with groups of a size that tuning accepts and the row may not have.
template <class T>
clwave::call_plan reduce_in_groups(const clwave::plan_target& on, unsigned group_size,
                                   const clwave::op& fold) {
  clwave::detail::tunable_numbers numbers = clwave::detail::tuning_of(*on.choice.profile, "reduce");
  numbers["group_size"] = group_size;
  const clwave::profile row = clwave::detail::with_tuning(*on.choice.profile, "reduce", numbers);
  if (const std::string fault = clwave::detail::fault_of(row, "reduce", numbers); !fault.empty())
    throw std::runtime_error(fault);
  clwave::plan_target other = on;
  other.choice.profile = &row;
  clwave::call_plan plan = clwave::plan(
      clwave::reduce_problem{{clwave::element_of<T>(), n}, &clwave::element_of<T>(), &fold}, other);
  plan.choice.profile = on.choice.profile;
  return plan;
}

const registered listed(
    "reduce",
    {{.parts =
          {
              {"sum", sum_aligned},
              {"sum-wide", [] { sum<float, double>("sum f32 in f64 from element 1"); }},
              {"sum-shorts", [] { sum<std::int16_t, std::int32_t>("sum i16 in i32 from element 1"); }},
              {"sum-bytes", [] { sum<std::uint8_t, std::uint64_t>("sum u8 from element 1"); }},
              {"argmax", argmax},
              {"last", last},
              {"divisor", [] { divisor(true); }},
              {"divisor-in-order", [] { divisor(false); }},
              {"levels",
               [] {
                 levels<float>("sum f32 of all levels in one launch");
                 levels<std::uint8_t>("sum u8 of all levels in one launch");
               }},
              {"levels-apart", levels_apart},
              {"structures", structures},
              {"piece", piece},
          },
      .programs = {
          {"reduce dot f32",
           [](auto& on) {
             return of_reduce(on, clwave::element_of<float>(), clwave::plus, clwave::product, true);
           }},
          {"reduce sum f32 misaligned",
           [](auto& on) {
             return of_reduce(on, clwave::element_of<float>(), clwave::plus, clwave::identity, false, 1);
           }},
          {"reduce piece f32",
           [](auto& on) {
             clwave::reduce_problem problem{{clwave::element_of<float>(), n}, &clwave::element_of<float>()};
             problem.out = clwave::element_of<float>();
             problem.piece_at = 0;
             return clwave::plan(problem, on);
           }},
          {"reduce sum f32x4", [](auto& on) { return of_reduce(on, clwave::element_of<cl_float4>()); }},
          {"reduce structure of 8 bytes",
           [](auto& on) { return of_reduce(on, clwave::element_of<pair>(), interval); }},
          {"reduce structure of 12 bytes",
           [](auto& on) { return of_reduce(on, clwave::element_of<triple>(), componentwise); }},
          {"reduce non-commutative f32",
           [](auto& on) { return of_reduce(on, clwave::element_of<float>(), last_of_two); }},
          {"reduce sum u8 in groups of 64",
           [](auto& on) { return reduce_in_groups<std::uint8_t>(on, 64, clwave::plus); }},
          {"reduce sum u8 in groups of 512",
           [](auto& on) { return reduce_in_groups<std::uint8_t>(on, 512, clwave::plus); }},
          {"reduce sum u8 in groups of 1024",
           [](auto& on) { return reduce_in_groups<std::uint8_t>(on, 1024, clwave::plus); }},
          {"reduce max u8 in groups of 512",
           [](auto& on) { return reduce_in_groups<std::uint8_t>(on, 512, clwave::max); }},
          {"reduce sum f32 in groups of 64",
           [](auto& on) { return reduce_in_groups<float>(on, 64, clwave::plus); }},
          {"reduce sum f32 in groups of 128",
           [](auto& on) { return reduce_in_groups<float>(on, 128, clwave::plus); }},
          {"reduce sum f32 in groups of 512",
           [](auto& on) { return reduce_in_groups<float>(on, 512, clwave::plus); }},
          {"reduce sum f32 in groups of 1024",
           [](auto& on) { return reduce_in_groups<float>(on, 1024, clwave::plus); }},
          {"reduce sum f64 in groups of 1024",
           [](auto& on) { return reduce_in_groups<double>(on, 1024, clwave::plus); }},
          {"reduce mul-add f32",
           [](auto& on) { return of_reduce(on, clwave::element_of<float>(), with_helper("float")); }},
          {"reduce mul-add f64",
           [](auto& on) { return of_reduce(on, clwave::element_of<double>(), with_helper("double")); }},
          {"reduce values f32",
           [](auto& on) { return of_reduce(on, clwave::element_of<float>(), by_values, scaled); }},
      }}});

}  // namespace
}  // namespace races::runs_of_reduce

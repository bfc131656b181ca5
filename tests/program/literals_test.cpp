// Literals without a suffix: doubles or floats by the types and the text that an expression has itself,
// whatever else the program has that it lands in.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "distributed/cut_arrays.hpp"
#include "distributed/thread_ranks.hpp"
#include "harness/refusals.hpp"
#include "program/user_text.hpp"

namespace testing::literals_test {

struct mixed_widths {
  float narrow;
  double wide;
};

}  // namespace testing::literals_test

CLWAVE_STRUCTURE(testing::literals_test::mixed_widths, "mixed_widths",
                 "typedef struct { float narrow; double wide; } mixed_widths;")

namespace testing::literals_test {
namespace {

using clwave::sharded;

TEST_CASE("literals: an f goes behind floating ones that have no suffix, and behind nothing else") {
  const auto fitted = [](const std::string& text) {
    return clwave::detail::fit_declarations("a text", text, {},
                                            std::array{clwave::detail::own_text{"a text", text}});
  };
  for (const char* literal :
       {"0.7", ".5", "1.", "1e3", "1e-3", "1E+3", "1.5e10", "0x1p3", "0x1.8p-3", "0x.8P0", "010.0", "09e1"}) {
    CAPTURE(literal);
    const std::string text(literal);
    CHECK(fitted("float own(void) { return " + text + "; }") == "float own(void) { return " + text + "f; }");
    CHECK(fitted("#define OWN_LITERAL (" + text + ")") == "#define OWN_LITERAL (" + text + "f)");
    CHECK(fitted("double own(void) { return " + text + "; }") == "double own(void) { return " + text + "; }");
  }
  for (const char* other :
       {"7",   "0x1f", "0x1e3", "0.7f", "0.7F",  "1e3f", "1.0h", "1.0L",    "0x1.8p3f", "1u",
        "017", "1e",   "1.x",   "1..2", "0x1.8", "v1.x", "q.s0", "\"0.7\"", "e1",       "_1e3"}) {
    CAPTURE(other);
    const std::string text = "constant int own = " + std::string(other) + ";";
    CHECK(fitted(text) == text);
  }
  CHECK(fitted("float own = 0.7 /* not 0.7 */;") == "float own = 0.7f  ;");
  // A double that the language has a name for, which has another name as a float.
  CHECK(fitted("float own(void) { return M_PI; }") == "float own(void) { return M_PI_F; }");
  CHECK(fitted("double own(void) { return M_PI; }") == "double own(void) { return M_PI; }");
  // What ## joins with a suffix is none.
  for (const std::string text : {"#define OWN(q) q##f\nfloat own(void) { return OWN(0.7); }",
                                 "#define JOINS(q) q##f\n#define OWN(q, r) ((r) * JOINS(q))\nfloat own(void) "
                                 "{ return OWN(0.7, 0.5f); }",
                                 "#define OWN 1.5 ## f\n"}) {
    CAPTURE(text);
    CHECK(fitted(text) == text);
  }
}

#if __has_include(<clwave/transform.hpp>) && __has_include(<clwave/scan.hpp>) && \
    __has_include(<clwave/scan_by_key.hpp>) && __has_include(<clwave/reduce_by_key.hpp>) && \
    __has_include(<clwave/reduce_rows.hpp>)
TEST_CASE("literals: an expression's own operands, values, result and text decide") {
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const element &f32 = element_of<float>(), &f64 = element_of<double>(), &i32 = element_of<std::int32_t>();
  const auto transformed = [&](const element& x, const element& out, const map& own) {
    return plan(clwave::transform_problem{{{x, 100}}, out, &own}, on).source;
  };
  const auto is_float = [](const std::string& source) { return contains(source, "0.1875f"); };
  const map plain{.name = "own", .source = "(int)x * 0.1875"};
  CHECK(is_float(transformed(f32, f32, plain)));
  CHECK(is_float(transformed(i32, i32, plain)));
  CHECK_FALSE(is_float(transformed(f64, f32, plain)));
  CHECK_FALSE(is_float(transformed(f32, f64, plain)));
  CHECK_FALSE(is_float(transformed(f32, f32, {.name = "own", .source = "(double)x * 0.1875"})));
  CHECK_FALSE(is_float(transformed(f32, f32, {.name = "own", .source = "convert_double_rte(x) * 0.1875"})));
  CHECK_FALSE(
      is_float(transformed(element_of<mixed_widths>(), f32, {.name = "own", .source = "x.narrow * 0.1875"})));
  CHECK_FALSE(
      is_float(transformed(f32, f32, {.name = "own", .source = "x * 0.1875 * k", .values = {{"k", 2.0}}})));
  CHECK(
      is_float(transformed(f32, f32, {.name = "own", .source = "x * 0.1875 * k", .values = {{"k", 2.0f}}})));
  // Declarations are a text of their own.
  const std::string helper = "float helper(float v) { return v * 0.1875; }";
  CHECK(is_float(transformed(f64, f64, {.name = "own", .source = "helper(x)", .declarations = helper})));
  const map by_double{.name = "own",
                      .source = "wide(x) * 0.1875",
                      .declarations = "double wide(double v) { return v * 0.3125; }"};
  CHECK(is_float(transformed(f32, f32, by_double)));
  CHECK_FALSE(contains(transformed(f32, f32, by_double), "0.3125f"));
  // An operator has none of the operands that the map has.
  const op scaled{.name = "scaled", .source = "a + b * 0.1875", .identity = "0"};
  const map wide{.name = "wide", .source = "(double)x * 0.3125"};
  const std::string reduced = plan(clwave::reduce_problem{{f64, 100}, &f32, &scaled, &wide}, on).source;
  CHECK(is_float(reduced));
  CHECK_FALSE(contains(reduced, "0.3125f"));
}

// ------------------------------------------------------------------------------- one meaning in all programs

struct literal_case {
  const char* name;
  map apply;
};

const op scaled{.name = "scaled", .source = "a * 0.7 + b * 0.9", .identity = "0"};

template <class T>
void check_in_pieces(const literal_case& one) {
  random_engine random;
  CAPTURE(one.name);
  const fixture& on = *places()[0];
  std::size_t differ = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const std::size_t n = 3 * tile + 17 + random.below(tile);
    std::vector<T> values(n);
    for (T& each : values) each = static_cast<T>(random.below(100'000)) / T(7);
    const cl::Buffer whole = on.buffer_of(values), row = on.buffer_of(std::vector<float>(1));
    const float expected = clwave::transform_reduce<float>(on.queue, view<T>{whole, n}, scaled, one.apply);
    // As it would be if the operator's literals were doubles: the values tell the two apart.
    const op of_doubles{.name = "of doubles", .source = "a * (double)0.7 + b * (double)0.9", .identity = "0"};
    if (!same_bits(clwave::transform_reduce<float>(on.queue, view<T>{whole, n}, of_doubles, one.apply),
                   expected))
      ++differ;

    const cut_array<T> cut(random, values, random_cut_into(random, n, 3), T(-1));
    CHECK(same_bits(clwave::transform_reduce<float>(cut.array(), scaled, one.apply), expected));
    CHECK(
        same_bits(clwave::transform_reduce<float>({on.queue}, clwave::host_array(values), scaled, one.apply),
                  expected));
    const std::size_t half = n / 2;
    const sharded<T> halves{{on.queue, view<T>{whole, half}}, {on.queue, view<T>{whole, n - half, half}}};
    clwave::transform_reduce_rows(on.queue, halves, view<float>{row, 1}, {.rows = 1, .columns = n}, scaled,
                                  one.apply);
    CHECK(same_bits(on.read<float>(row, 1)[0], expected));

    mailbox box(2);
    std::array<float, 2> sums{};
    const auto thrown = on_ranks(box, [&](clwave::ranks& all) {
      const cl::CommandQueue queue = on.new_queue();
      const bool first = all.rank() == 0;
      const sharded<T> own{{queue, view<T>{whole, first ? half : n - half, first ? 0 : half}}};
      sums[all.rank()] = clwave::transform_reduce<float>(all, own, scaled, one.apply);
    });
    for (std::size_t r = 0; r < 2; ++r) {
      CHECK(thrown[r] == "");
      CHECK(same_bits(sums[r], expected));
    }
  }
  CHECK(differ > 0);
}

TEST_CASE("a plan remarks on divisions of whole numbers whose result is a float") {
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const auto remarks = [&](const char* text, const element& in, const element& out) {
    const clwave::map mean{.name = "mean", .source = text, .values = {{"n", 1000}, {"f", 2.0f}}};
    return plan(clwave::reduce_problem{.in = {in, 10}, .accumulator = &out, .apply = &mean}, on).remarks;
  };
  const element &f32 = element_of<float>(), &i32 = element_of<std::int32_t>();
  for (const char* text : {"x * (1 / n)", "i / n", "x + (i / 10)", "x * (n / 3)", "0x10 / n * x"}) {
    CAPTURE(text);
    const std::vector<std::string> all = remarks(text, f32, f32);
    REQUIRE(all.size() == 1);
    CHECK(contains(all[0], "divides whole numbers"));
    CHECK(contains(all[0], "mean"));
  }
  CHECK(remarks("x / 3", i32, f32).size() == 1);
  for (const char* text : {"x / n", "x * (1.0f / n)", "x * (1 / f)", "(float)i / n", "i / (float)n",
                           "x * 1e3 / n", "x * i / n"}) {
    CAPTURE(text);
    CHECK(remarks(text, f32, f32).empty());
  }
  CHECK(remarks("x / 3", i32, i32).empty());
}

TEST_CASE("literals: parts, host arrays, rows that are cut and ranks have the bits of one call") {
  if (!default_fixture().has_doubles()) return;
  check_in_pieces<float>({"no double", {.name = "same", .source = "x"}});
  check_in_pieces<float>(
      {"a map that names double", {.name = "by double", .source = "(float)((double)x * 1.5)"}});
  check_in_pieces<float>({"a map whose declarations name double",
                          {.name = "helped",
                           .source = "longer(x)",
                           .declarations = "float longer(float v) { return (float)((double)v * 1.5); }"}});
  check_in_pieces<double>({"elements that are doubles", {.name = "same", .source = "(float)x"}});
}

TEST_CASE_FIXTURE(on_device, "literals: by keys that are doubles a run has the bits of the run alone") {
  if (!on.has_doubles()) return;
  std::vector<double> keys;
  std::vector<float> values;
  std::vector<std::size_t> begins;
  for (int run = 0; run < 12; ++run) {
    begins.push_back(keys.size());
    for (std::size_t k = 1 + random.below(run < 8 ? 40 : 3000); k > 0; --k) {
      keys.push_back(run + 0.5);
      values.push_back(static_cast<float>(random.below(100'000)) / 7.0f);
    }
  }
  const std::size_t n = keys.size();
  begins.push_back(n);
  const cl::Buffer k = on.buffer_of(keys), x = on.buffer_of(values);
  const cl::Buffer keys_out = on.buffer_of(std::vector<double>(12)),
                   sums = on.buffer_of(std::vector<float>(12)), scanned = on.buffer_of(std::vector<float>(n)),
                   alone = on.buffer_of(std::vector<float>(n));
  CHECK(clwave::reduce_by_key(on.queue, view<double>{k, n}, view<float>{x, n}, view<double>{keys_out, 12},
                              view<float>{sums, 12}, scaled) == 12);
  clwave::inclusive_scan_by_key(on.queue, view<double>{k, n}, view<float>{x, n}, view<float>{scanned, n},
                                scaled)
      .wait();
  const std::vector<float> all = on.read<float>(sums, 12);
  for (std::size_t run = 0; run < 12; ++run) {
    const std::size_t begin = begins[run], count = begins[run + 1] - begin;
    CAPTURE(run);
    CHECK(same_bits(clwave::reduce(on.queue, view<float>{x, count, begin}, scaled), all[run]));
    clwave::inclusive_scan(on.queue, view<float>{x, count, begin}, view<float>{alone, count, begin}, scaled)
        .wait();
  }
  CHECK(on.read<float>(scanned, n) == on.read<float>(alone, n));
}
#endif

}  // namespace
}  // namespace testing::literals_test

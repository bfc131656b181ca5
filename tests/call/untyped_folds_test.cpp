// Reductions, scans, products and histograms whose types are said at run time: they do what the typed calls
// do, and refuse operands that have no type, or a wrong one, before anything is written. What no primitive's
// files are there for is left out.
#include <cstddef>
#include <initializer_list>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "call/untyped_calls.hpp"

namespace testing::untyped_folds_test {
namespace {

using namespace untyped_calls;

const any_view made_before_main;

TEST_CASE("a view without a type has one that is named so") {
  CHECK(made_before_main.type == &clwave::no_type());
  CHECK_FALSE(made_before_main.has_type());
  CHECK(any_view(nullptr, 3, 5, nullptr).type == &clwave::no_type());
  CHECK(any_view(element_of<float>()).has_type());
  CHECK(clwave::no_type().name == "no type");
  CHECK(clwave::no_type().size == 0);
  CHECK(clwave::find_element("no type") == nullptr);
}

TEST_CASE("untyped reductions") {
  scene s;
  using problem = clwave::reduce_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 1000), y = s.numbers<float>(n, 1000);
  const auto out = s.output<double>(1);
  const problem square{.in = x, .accumulator = &element_of<double>(), .apply = &clwave::square, .out = out};
  check_of<problem>{s, clwave::reduce}(
      "transform_reduce", square, {{"the input", &problem::in}, {"the output", &problem::out}},
      [&] { return clwave::transform_reduce(s.on.queue, x, out, clwave::plus, clwave::square); });
  const problem dot{.in = x, .accumulator = &element_of<float>(), .apply = &clwave::product, .in2 = y};
  const auto to_host = [](cl_command_queue q, const problem& p) {
    float result = 0;
    clwave::reduce(q, p, &result);
    return result;
  };
  check_of<problem>{s, to_host}("dot", dot,
                                {{"the input", &problem::in}, {"the second input", &problem::in2}},
                                [&] { return clwave::dot(s.on.queue, x, y); });
  const clwave::plan_target target{.facts = &s.on.facts, .choice = clwave::choose_profile(s.on.facts)};
  for (problem wrong : {square, dot}) {
    wrong.accumulator = nullptr;
    float result = 0;
    refuses("the accumulator has no type", [&] { plan(wrong, target); });
    refuses("the accumulator has no type", [&] { clwave::reduce(s.on.queue(), wrong, &result); });
    refuses("the accumulator has no type", [&] { clwave::reduce(s.on.queue(), wrong); });
  }
}

#if __has_include(<clwave/reduce_rows.hpp>)
TEST_CASE("untyped reductions of rows and columns") {
  scene s;
  const clwave::matrices size{.rows = 37, .columns = 53, .batch = 3};
  const auto x = s.numbers<float>(37 * 61 * 3, 1000);
  const auto rows = s.output<float>(37 * 3), columns = s.output<float>(53 * 3);
  using of_rows = clwave::reduce_rows_problem;
  check_of<of_rows>{s, clwave::reduce_rows}(
      "reduce_rows", {.in = x, .out = rows, .size = size, .steps = {.row = 61}, .fold = &clwave::max},
      {{"the input", &of_rows::in}, {"the output", &of_rows::out}},
      [&] { return clwave::reduce_rows(s.on.queue, x, rows, size, clwave::max, {.row = 61}); });
  using of_columns = clwave::reduce_columns_problem;
  check_of<of_columns>{s, clwave::reduce_columns}(
      "reduce_columns", {.in = x, .out = columns, .size = size, .steps = {.row = 61}},
      {{"the input", &of_columns::in}, {"the output", &of_columns::out}},
      [&] { return clwave::reduce_columns(s.on.queue, x, columns, size, {.row = 61}); });
}
#endif

#if __has_include(<clwave/segmented_reduce.hpp>)
TEST_CASE("untyped reductions of segments") {
  scene s;
  using problem = clwave::segmented_reduce_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 1000);
  const auto at = s.offsets(77, n);
  const auto out = s.output<float>(77);
  const auto bad = s.output<u64>(1);
  problem asked{.in = x, .offsets = at, .out = out, .bad = bad, .segments = 77};
  check_of<problem>{s, clwave::segmented_reduce}(
      "segmented_reduce", asked,
      {{"the input", &problem::in},
       {"the offsets", &problem::offsets},
       {"the output", &problem::out},
       {"the number of bad segments", &problem::bad}},
      [&] { return clwave::segmented_reduce(s.on.queue, x, at, out, bad); });
  asked.bad.reset();
  check_of<problem>{s, clwave::checked_segmented_reduce}(
      "checked_segmented_reduce", asked,
      {{"the input", &problem::in}, {"the offsets", &problem::offsets}, {"the output", &problem::out}},
      [&] { clwave::checked_segmented_reduce(s.on.queue, x, at, out); });
}
#endif

#if __has_include(<clwave/reduce_by_key.hpp>)
TEST_CASE("untyped reductions by key") {
  scene s;
  using problem = clwave::reduce_by_key_problem;
  const std::size_t n = s.odd();
  const auto keys = s.numbers<u32>(n, 3);
  const auto x = s.numbers<float>(n, 1000);
  const auto keys_out = s.output<u32>(n);
  const auto out = s.output<float>(n);
  const auto count = s.output<u64>(1);
  problem asked{.keys = keys, .values = x, .keys_out = keys_out, .values_out = out, .count = count};
  check_of<problem>{s, clwave::reduce_by_key}(
      "reduce_by_key", asked,
      {{"the keys", &problem::keys},
       {"the values", &problem::values},
       {"the output of the keys", &problem::keys_out},
       {"the output of the values", &problem::values_out},
       {"the count", &problem::count}},
      [&] { return clwave::reduce_by_key(s.on.queue, keys, x, keys_out, out, count); });
  asked.count.reset();
  check_of<problem>{s, clwave::reduce_by_key_to_host}(
      "reduce_by_key_to_host", asked,
      {{"the keys", &problem::keys},
       {"the values", &problem::values},
       {"the output of the keys", &problem::keys_out},
       {"the output of the values", &problem::values_out}},
      [&] { return clwave::reduce_by_key(s.on.queue, keys, x, keys_out, out); });
}
#endif

#if __has_include(<clwave/scan.hpp>)
TEST_CASE("untyped scans") {
  scene s;
  using problem = clwave::scan_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 1000);
  const auto out = s.output<float>(n);
  const float start = 5;
  const std::initializer_list<operand<problem>> operands = {{"the input", &problem::in},
                                                            {"the output", &problem::out}};
  const check_of<problem> check{s, clwave::scan};
  check("inclusive_scan", {.in = x, .out = out, .fold = &clwave::max}, operands,
        [&] { return clwave::inclusive_scan(s.on.queue, x, out, clwave::max); });
  check("exclusive_scan", {.in = x, .out = out, .exclusive = true, .start = &start}, operands,
        [&] { return clwave::exclusive_scan(s.on.queue, x, out, {.start = start}); });
}
#endif

#if __has_include(<clwave/segmented_scan.hpp>)
TEST_CASE("untyped scans of segments") {
  scene s;
  using problem = clwave::segmented_scan_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 1000);
  const auto at = s.offsets(77, n);
  const auto out = s.output<float>(n);
  const auto bad = s.output<u64>(1);
  check_of<problem>{s, clwave::segmented_scan}(
      "segmented_inclusive_scan", {.in = x, .offsets = at, .out = out, .bad = bad, .segments = 77},
      {{"the input", &problem::in},
       {"the offsets", &problem::offsets},
       {"the output", &problem::out},
       {"the number of bad segments", &problem::bad}},
      [&] { return clwave::segmented_inclusive_scan(s.on.queue, x, at, out, bad); });
}
#endif

#if __has_include(<clwave/scan_by_key.hpp>)
TEST_CASE("untyped scans by key") {
  scene s;
  using problem = clwave::scan_by_key_problem;
  const std::size_t n = s.odd();
  const auto keys = s.numbers<u32>(n, 3);
  const auto x = s.numbers<float>(n, 1000);
  const auto out = s.output<float>(n);
  check_of<problem>{s, clwave::scan_by_key}(
      "exclusive_scan_by_key", {.keys = keys, .values = x, .out = out, .exclusive = true},
      {{"the keys", &problem::keys}, {"the values", &problem::values}, {"the output", &problem::out}},
      [&] { return clwave::exclusive_scan_by_key(s.on.queue, keys, x, out); });
}
#endif

#if __has_include(<clwave/gemm.hpp>)
TEST_CASE("untyped products") {
  scene s;
  using problem = clwave::gemm_problem;
  const clwave::gemm_size size{.m = 37, .n = 29, .k = 53};
  const auto a = s.numbers<float>(37 * 53, 1000), b = s.numbers<float>(53 * 29, 1000),
             c = s.numbers<float>(37 * 29, 1000);
  check_of<problem>{s, clwave::gemm}(
      "gemm", {.a = a, .b = b, .c = c, .size = size, .options = {.alpha = 2, .beta = 1}},
      {{"A", &problem::a}, {"B", &problem::b}, {"C", &problem::c}},
      [&] { return clwave::gemm(s.on.queue, size, a, b, c, {.alpha = 2, .beta = 1}); });
}
#endif

#if __has_include(<clwave/histogram.hpp>)
TEST_CASE("untyped histograms") {
  scene s;
  using problem = clwave::histogram_problem;
  const auto x = s.numbers<float>(s.odd(), 1000);
  const auto counts = s.output<u32>(17);
  const std::vector<float> rising{0,   1,   5,   30,  31,  90,  100, 101, 102,
                                  200, 220, 240, 300, 310, 400, 450, 460, 500};
  const auto edges = s.of(rising);
  const operand<problem> in{"the input", &problem::in}, counted{"the counts", &problem::counts};
  const check_of<problem> check{s, clwave::histogram};
  check("even bins", {.in = x, .counts = counts, .bounds = clwave::even{0, 500}}, {in, counted}, [&] {
    return clwave::histogram(s.on.queue, x, counts, clwave::even{0, 500});
  });
  check("edges on the device", {.in = x, .counts = counts, .edges = edges},
        {in, counted, {"the edges", &problem::edges}},
        [&] { return clwave::histogram(s.on.queue, x, counts, edges); });
  problem asked{.in = x,
                .counts = counts,
                .host = clwave::host_edges{rising.data(), rising.size(), &element_of<float>()}};
  check("edges on the host", asked, {in, counted},
        [&] { return clwave::histogram(s.on.queue, x, counts, rising); });
  asked.host->type = nullptr;
  refuses("the edges have no type", [&] { clwave::histogram(s.on.queue(), asked); });
}
#endif

}  // namespace
}  // namespace testing::untyped_folds_test

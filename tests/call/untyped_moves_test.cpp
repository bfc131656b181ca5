// Selections, sorts, searches, transforms and moves whose types are said at run time: they do what the typed
// calls do, and refuse operands that have no type, or a wrong one, before anything is written. What no
// primitive's files are there for is left out.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "call/untyped_calls.hpp"

namespace testing::untyped_moves_test {
namespace {

using namespace untyped_calls;

#if __has_include(<clwave/select.hpp>)
TEST_CASE("untyped selections") {
  scene s;
  using problem = clwave::select_problem;
  using kind = clwave::select_kind;
  const std::size_t n = s.odd();
  const auto x = s.numbers<u32>(n, 3), flags = s.numbers<u32>(n, 2);
  const auto values = s.numbers<float>(n, 1000);
  const auto out = s.output<u32>(n), second = s.output<u32>(n), third = s.output<u32>(n);
  const auto values_out = s.output<float>(n);
  const auto places = s.output<u64>(n + 1), count = s.output<u64>(1), counts = s.output<u64>(2);
  const auto& q = s.on.queue;
  const operand<problem> in{"the input", &problem::in}, first_out{"the output", &problem::out},
      second_out{"the second output", &problem::second_out},
      counted{"the count", &problem::count, asks::no_plan};

  const check_of<problem> check{s, clwave::select};
  check("copy_if", {.kind = kind::copy_if, .in = x, .out = out, .count = count}, {in, first_out, counted},
        [&] { return clwave::copy_if(q, x, out, count, clwave::identity); });
  check_of<problem>{s, clwave::select_to_host}("copy_if to the host",
                                               {.kind = kind::copy_if, .in = x, .out = out}, {in, first_out},
                                               [&] { return clwave::copy_if(q, x, out, clwave::identity); });
  check("copy_flagged", {.kind = kind::copy_flagged, .in = x, .out = out, .flags = flags, .count = count},
        {in, first_out, {"the flags", &problem::flags}, counted},
        [&] { return clwave::copy_flagged(q, x, flags, out, count); });
  check("partition", {.kind = kind::partition, .in = x, .out = out, .count = count}, {in, first_out, counted},
        [&] { return clwave::partition(q, x, out, count, clwave::identity); });
  check("partition_copy",
        {.kind = kind::partition_copy, .in = x, .out = out, .second_out = second, .count = count},
        {in, first_out, second_out, counted},
        [&] { return clwave::partition_copy(q, x, out, second, count, clwave::identity); });
  static const clwave::map is_second{.name = "second", .source = "i & 1"};
  check("partition_copy of three",
        {.kind = kind::partition_three,
         .in = x,
         .out = out,
         .second_out = second,
         .count = counts,
         .third_out = third,
         .second_predicate = &is_second},
        {in, first_out, second_out, {"the third output", &problem::third_out}, counted}, [&] {
          return clwave::partition_copy(q, x, out, second, third, counts, clwave::identity, is_second);
        });
  check("unique", {.kind = kind::unique, .in = x, .out = out, .count = count}, {in, first_out, counted},
        [&] { return clwave::unique(q, x, out, count); });
  check("unique_by_key",
        {.kind = kind::unique_by_key,
         .in = x,
         .out = out,
         .values = values,
         .second_out = values_out,
         .count = count},
        {in, first_out, {"the values", &problem::values}, second_out, counted},
        [&] { return clwave::unique_by_key(q, x, values, out, values_out, count); });
  check("run_lengths", {.kind = kind::run_lengths, .in = x, .out = out, .second_out = second, .count = count},
        {in, first_out, second_out, counted}, [&] { return clwave::run_lengths(q, x, out, second, count); });
  check("run_offsets", {.kind = kind::run_offsets, .in = x, .out = places, .count = count},
        {in, first_out, counted}, [&] { return clwave::run_offsets(q, x, places, count); });
}
#endif

#if __has_include(<clwave/set_operations.hpp>)
TEST_CASE("untyped set operations") {
  scene s;
  using problem = clwave::set_problem;
  using kind = clwave::set_kind;
  const std::size_t n = s.odd(), m = s.odd();
  const auto a = s.sorted(n, 5000), b = s.sorted(m, 5000);
  const auto out = s.output<u32>(n + m);
  const auto count = s.output<u64>(1);
  const auto& q = s.on.queue;
  const operand<problem> first{"the first range", &problem::a}, second{"the second range", &problem::b},
      result{"the output", &problem::out}, counted{"the count", &problem::count, asks::no_plan};
  const auto check_kind = [&](const char* name, kind which, const auto& typed) {
    check_of<problem>{s, clwave::set_operation}(name,
                                                {.kind = which, .a = a, .b = b, .out = out, .count = count},
                                                {first, second, result, counted}, typed);
  };
  check_kind("set_union", kind::set_union, [&] { return clwave::set_union(q, a, b, out, count); });
  check_kind("set_intersection", kind::intersection,
             [&] { return clwave::set_intersection(q, a, b, out, count); });
  check_kind("set_difference", kind::difference, [&] { return clwave::set_difference(q, a, b, out, count); });
  check_kind("set_symmetric_difference", kind::symmetric_difference,
             [&] { return clwave::set_symmetric_difference(q, a, b, out, count); });
  check_of<problem>{s, clwave::set_operation_to_host}("set_union to the host", {.a = a, .b = b, .out = out},
                                                      {first, second, result},
                                                      [&] { return clwave::set_union(q, a, b, out); });
}
#endif

#if __has_include(<clwave/merge.hpp>)
TEST_CASE("untyped merges") {
  scene s;
  using problem = clwave::merge_problem;
  const std::size_t n = s.odd(), m = s.odd();
  const auto a = s.sorted(n, 5000), b = s.sorted(m, 5000);
  const auto out = s.output<u32>(n + m);
  const auto a_values = s.numbers<float>(n, 1000), b_values = s.numbers<float>(m, 1000);
  const auto values_out = s.output<float>(n + m);
  const auto descents = s.output<u64>(1);
  const auto& q = s.on.queue;
  const operand<problem> first{"the first range", &problem::a}, second{"the second range", &problem::b},
      result{"the output", &problem::out};
  check_of<problem>{s, clwave::merge}(
      "merge_by_key",
      {.a = a,
       .b = b,
       .out = out,
       .a_values = a_values,
       .b_values = b_values,
       .values_out = values_out,
       .descents = descents},
      {first,
       second,
       result,
       {"the values of the first range", &problem::a_values},
       {"the values of the second range", &problem::b_values},
       {"the output of the values", &problem::values_out},
       {"the number of descents", &problem::descents}},
      [&] { return clwave::merge_by_key(q, a, a_values, b, b_values, out, values_out, descents); });
  check_of<problem>{s, clwave::checked_merge}("checked_merge", {.a = a, .b = b, .out = out},
                                              {first, second, result},
                                              [&] { clwave::checked_merge(q, a, b, out); });
}
#endif

#if __has_include(<clwave/bounds.hpp>)
TEST_CASE("untyped bounds") {
  scene s;
  using problem = clwave::bounds_problem;
  const std::size_t n = s.odd(), m = s.odd();
  const auto x = s.sorted(n, 5000), needles = s.numbers<u32>(m, 5000);
  const auto out = s.output<u32>(m);
  const operand<problem> range{"the range", &problem::in}, sought{"the needles", &problem::needles},
      result{"the output", &problem::out};
  const check_of<problem> check{s, clwave::bounds};
  check("lower_bound", {.in = x, .needles = needles, .out = out}, {range, sought, result},
        [&] { return clwave::lower_bound(s.on.queue, x, needles, out); });
  check("upper_bound", {.in = x, .needles = needles, .out = out, .upper = true}, {range, sought, result},
        [&] { return clwave::upper_bound(s.on.queue, x, needles, out); });
}
#endif

#if __has_include(<clwave/top_k.hpp>)
TEST_CASE("untyped top_k") {
  scene s;
  using problem = clwave::top_k_problem;
  const auto x = s.numbers<float>(s.odd(), 100000);
  const auto values = s.output<float>(33);
  const auto places = s.output<u32>(33);
  check_of<problem>{s, clwave::top_k}(
      "top_k", {.in = x, .values = values, .indices = places, .k = 33, .descending = false},
      {{"the input", &problem::in},
       {"the output of the values", &problem::values},
       {"the output of the indices", &problem::indices}},
      [&] { return clwave::top_k(s.on.queue, x, values, places, 33, {.descending = false}); });
}

TEST_CASE("untyped segmented_top_k") {
  scene s;
  using problem = clwave::segmented_top_k_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 100000);
  const auto offsets = s.offsets(40, n);
  const auto values = s.output<float>(200);
  const auto places = s.output<u32>(200);
  const auto bad = s.output<u64>(1);
  const operand<problem> in{"the input", &problem::in}, begins{"the offsets", &problem::offsets},
      best{"the output of the values", &problem::values},
      where{"the output of the indices", &problem::indices},
      counted{"the number of bad segments", &problem::bad};
  problem asked{.in = x, .offsets = offsets, .values = values, .indices = places, .k = 5};
  check_of<problem>{s, clwave::checked_segmented_top_k}(
      "checked_segmented_top_k", asked, {in, begins, best, where},
      [&] { clwave::checked_segmented_top_k(s.on.queue, x, offsets, values, places, 5); });
  asked.bad = bad;
  check_of<problem>{s, clwave::segmented_top_k}(
      "segmented_top_k", asked, {in, begins, best, where, counted},
      [&] { return clwave::segmented_top_k(s.on.queue, x, offsets, values, places, 5, bad); });
}
#endif

#if __has_include(<clwave/segmented_sort.hpp>)
TEST_CASE("untyped sorts") {
  scene s;
  using problem = clwave::sort_problem;
  const std::size_t n = s.odd();
  const auto keys = s.numbers<u32>(n, 5000), keys_out = s.output<u32>(n), indices = s.output<u32>(n);
  const auto values = s.numbers<float>(n, 1000), values_out = s.output<float>(n);
  const auto offsets = s.offsets(40, n);
  const auto bad = s.output<u64>(1);
  const auto& q = s.on.queue;
  const operand<problem> first{"the keys", &problem::keys},
      sorted{"the output of the keys", &problem::keys_out}, carried{"the values", &problem::values},
      with_them{"the output of the values", &problem::values_out}, begins{"the offsets", &problem::offsets},
      counted{"the number of bad segments", &problem::bad};
  const problem by_key{.keys = keys, .keys_out = keys_out, .values = values, .values_out = values_out};
  const check_of<problem> check{s, clwave::sort};
  check("sort_by_key", by_key, {first, sorted, carried, with_them},
        [&] { return clwave::sort_by_key(q, keys, values, keys_out, values_out); });
  check("argsort", {.keys = keys, .values_out = indices, .order = {.descending = true}}, {first, with_them},
        [&] { return clwave::argsort(q, keys, indices, {.descending = true}); });
  problem segments = by_key;
  segments.offsets = offsets;
  segments.bad = bad;
  check("segmented_sort_by_key", segments, {first, sorted, carried, with_them, begins, counted},
        [&] { return clwave::segmented_sort_by_key(q, keys, values, offsets, keys_out, values_out, bad); });
  check_of<problem>{s, clwave::checked_segmented_sort}(
      "checked_segmented_sort", {.keys = keys, .keys_out = keys_out, .offsets = offsets},
      {first, sorted, begins}, [&] { clwave::checked_segmented_sort(q, keys, offsets, keys_out); });
  // By an operator and by keys of texts any types are sorted that go together.
  const clwave::op less{.name = "less", .source = "a % 100 < b % 100"};
  problem by_text = by_key;
  by_text.less = &less;
  check("sort_by_key by an operator", by_text, {sorted, carried, with_them},
        [&] { return clwave::sort_by_key(q, keys, values, keys_out, values_out, {.less = less}); });
  const std::vector<clwave::sort_key> texts{
      clwave::by<std::uint8_t>({.name = "low", .source = "x & 15"}),
      clwave::by<u32>({.name = "all", .source = "x"}, {.descending = true})};
  problem by_keys = by_key;
  by_keys.by = texts;
  check("sort_by_key by keys of texts", by_keys, {sorted, carried, with_them}, [&] {
    return clwave::sort_by_key(q, keys, values, keys_out, values_out, {.keys = clwave::key_list(texts)});
  });
  by_keys.less = &less;
  refuses("keys and another order are given", [&] { clwave::sort(q(), by_keys); });
  const auto wide = s.numbers<u64>(2 * 50, 9), wide_out = s.output<u64>(2 * 50);
  const view<clwave::i128> with_sign{wide.buffer(), 50, 0}, with_sign_out{wide_out.buffer(), 50, 0};
  check("sort of numbers of 128 bits", {.keys = with_sign, .keys_out = with_sign_out}, {},
        [&] { return clwave::sort(q, with_sign, with_sign_out); });
}
#endif

#if __has_include(<clwave/transform.hpp>)
TEST_CASE("untyped transforms and broadcasts") {
  scene s;
  using of_elements = clwave::transform_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 1000), y = s.numbers<float>(n, 1000);
  const auto out = s.output<float>(n);
  check_of<of_elements>{s, clwave::transform}(
      "transform", {.in = {x, y}, .out = out, .apply = &clwave::product},
      {{"the first input", [](of_elements& p) -> any_view& { return p.in[0]; }},
       {"the second input", [](of_elements& p) -> any_view& { return p.in[1]; }},
       {"the output", &of_elements::out}},
      [&] { return clwave::transform(s.on.queue, x, y, out, clwave::product); });

  using of_matrix = clwave::broadcast_problem;
  const clwave::broadcast_shape size{.rows = 37, .columns = 53, .in_row = 61};
  const auto matrix = s.numbers<float>(37 * 61, 1000), bias = s.numbers<float>(53, 1000);
  const auto result = s.output<float>(37 * 53);
  const clwave::map add{.name = "add", .source = "x + b"};
  check_of<of_matrix>{s, clwave::broadcast}(
      "broadcast", {.in = matrix, .vector = bias, .out = result, .size = size, .apply = &add},
      {{"the input", &of_matrix::in, asks::any_type},
       {"the vector", &of_matrix::vector, asks::any_type},
       {"the output", &of_matrix::out, asks::any_type}},
      [&] { return clwave::broadcast(s.on.queue, matrix, bias, result, size, clwave::per::column, add); });
  const clwave::plan_target target{.facts = &s.on.facts, .choice = clwave::choose_profile(s.on.facts)};
  const of_elements without{.in = {x}, .out = out};
  refuses("no function", [&] { plan(without, target); });
  refuses("no function", [&] { clwave::transform(s.on.queue(), without); });
  const of_matrix without_one{.in = matrix, .vector = bias, .out = result, .size = size};
  refuses("no function", [&] { plan(without_one, target); });
  refuses("no function", [&] { clwave::broadcast(s.on.queue(), without_one); });
}
#endif

#if __has_include(<clwave/transpose.hpp>)
TEST_CASE("untyped transposes") {
  scene s;
  using problem = clwave::transpose_problem;
  const clwave::matrices size{.rows = 37, .columns = 53, .batch = 3};
  const auto x = s.numbers<float>(37 * 61 * 3, 1000), out = s.output<float>(37 * 53 * 3);
  check_of<problem>{s, clwave::transpose}(
      "transpose", {.in = x, .out = out, .size = size, .in_pitches = {.row = 61}},
      {{"the input", &problem::in}, {"the output", &problem::out}},
      [&] { return clwave::transpose(s.on.queue, x, out, size, {.in = {.row = 61}}); });
  using in_place = clwave::transpose_in_place_problem;
  const clwave::matrices square{.rows = 37, .columns = 37, .batch = 3};
  check_of<in_place>{s, clwave::transpose_in_place}(
      "transpose_in_place", {.squares = x, .size = square, .steps = {.row = 61}},
      {{"the input", &in_place::squares, asks::any_type}},
      [&] { return clwave::transpose_in_place(s.on.queue, x, square, {.row = 61}); });
}
#endif

TEST_CASE("untyped copies and fills") {
  scene s;
  using of_elements = clwave::copy_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 100000);
  const auto out = s.output<std::int16_t>(n);
  check_of<of_elements>{s, clwave::copy}(
      "copy", {.in = x, .out = out, .round = clwave::rounding::nearest_even},
      {{"the input", &of_elements::in}, {"the output", &of_elements::out}},
      [&] { return clwave::copy(s.on.queue, x, out, {.round = clwave::rounding::nearest_even}); });

  using of_box = clwave::box_problem;
  const clwave::box size{.width = 31, .height = 7, .depth = 3};
  const auto from = s.numbers<float>(37 * 7 * 3, 1000), to = s.output<float>(31 * 7 * 3);
  check_of<of_box>{s, clwave::copy}(
      "copy of a box", {.in = from, .out = to, .size = size, .in_pitches = {.row = 37}},
      {{"the input", &of_box::in}, {"the output", &of_box::out}},
      [&] { return clwave::copy(s.on.queue, from, to, size, {.in = {.row = 37}}); });

  using of_value = clwave::fill_problem;
  const float value = 7.25f;
  check_of<of_value>{s, clwave::fill}("fill", {.out = to, .value = &value},
                                      {{"the output", &of_value::out, asks::any_type}},
                                      [&] { return clwave::fill(s.on.queue, to, value); });
}

TEST_CASE("untyped copies of ranges") {
  scene s;
  using problem = clwave::copy_ranges_problem;
  const std::size_t n = s.odd(), ranges = 40, longest = n / ranges;
  const auto x = s.numbers<float>(n, 100000);
  std::vector<u32> from(ranges), sizes(ranges), to(ranges);
  for (std::size_t k = 0; k < ranges; ++k) {
    from[k] = static_cast<u32>(s.random.below(n - longest));
    sizes[k] = static_cast<u32>(s.random.below(longest + 1));
    to[k] = static_cast<u32>(k * longest);
  }
  sizes[0] = static_cast<u32>(longest);
  const auto starts = s.of(from), lengths = s.of(sizes), out_starts = s.of(to);
  const auto out = s.output<float>(n);
  const auto bad = s.output<u64>(1);
  const operand<problem> in{"the input", &problem::in}, first{"the starts", &problem::starts},
      size{"the lengths", &problem::lengths}, copied{"the output", &problem::out},
      where{"the starts in the output", &problem::out_starts},
      counted{"the number of bad ranges", &problem::bad};
  problem asked{.in = x, .starts = starts, .lengths = lengths, .out = out, .out_starts = out_starts};
  check_of<problem>{s, clwave::checked_copy_ranges}(
      "checked_copy_ranges", asked, {in, first, size, copied, where},
      [&] { clwave::checked_copy_ranges(s.on.queue, x, starts, lengths, out, out_starts); });
  asked.bad = bad;
  check_of<problem>{s, clwave::copy_ranges}(
      "copy_ranges", asked, {in, first, size, copied, where, counted},
      [&] { return clwave::copy_ranges(s.on.queue, x, starts, lengths, out, out_starts, bad); });
}

#if __has_include(<clwave/layout.hpp>)
TEST_CASE("untyped layouts") {
  scene s;
  using of_arrays = clwave::layout_problem;
  using of_blocks = clwave::layout_blocks_problem;
  struct pair {
    u32 x;
    float y;
  };
  const clwave::layout fields = clwave::layout_of(&pair::x, &pair::y);
  const std::size_t n = s.odd();
  const auto words = s.numbers<u32>(2 * n, 1000), xs = s.output<u32>(n);
  const auto ys = s.output<float>(n);
  const auto bytes = s.output<std::uint8_t>(clwave::aosoa_bytes(fields, n, 32));
  const view<pair> structures{words.buffer(), n, 0};
  const any_view of_bytes(words.buffer(), n * sizeof(pair), 0, &element_of<std::uint8_t>());
  const auto& q = s.on.queue;
  check_of<of_arrays>{s, clwave::move_fields}(
      "aos_to_soa", {.fields = &fields, .structures = of_bytes, .arrays = {xs, ys}},
      {{"the view of the structures", &of_arrays::structures, asks::any_type},
       {"array 0", [](of_arrays& p) -> any_view& { return p.arrays[0]; }, asks::any_type}},
      [&] {
        return clwave::aos_to_soa(q, structures, fields, {xs, ys});
      });
  check_of<of_blocks>{s, clwave::move_blocks}(
      "aos_to_aosoa", {.fields = &fields, .structures = of_bytes, .blocks = bytes, .block = 32},
      {{"the view of the structures", &of_blocks::structures, asks::any_type},
       {"the view of the blocks", &of_blocks::blocks, asks::any_type}},
      [&] { return clwave::aos_to_aosoa(q, structures, fields, bytes, 32); });
  refuses("there is no layout", [&] { clwave::move_fields(q(), of_arrays{.structures = of_bytes}); });
  refuses("arrays were given", [&] {
    clwave::move_fields(q(), of_arrays{.fields = &fields, .structures = of_bytes, .arrays = {xs}});
  });
  refuses("2 bytes", [&] {
    clwave::move_fields(q(), of_arrays{.fields = &fields,
                                       .structures = of_bytes,
                                       .arrays = {xs, any_view(ys.buffer(), n, 0, &element_of<u16>())}});
  });
}
#endif

}  // namespace
}  // namespace testing::untyped_moves_test

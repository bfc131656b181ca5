// Every call whose types are said at run time: it does what the typed call does, and
// refuses operands that have no type, or a wrong one, before anything is written. What no primitive's files
// are there for is left out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::untyped_calls_test {
namespace {

const any_view made_before_main;

// The buffers of one case, and what they held at first: every element lies between random ones, at an odd
// offset, and outputs hold random bytes.
class scene {
 public:
  fixture& on = default_fixture();
  reference::random_engine random;

  template <class T>
  view<T> of(const std::vector<T>& values) {
    const std::size_t before = 2 * random.below(8) + 1, behind = random.below(8);
    std::vector<T> all = some_bits<T>(before + values.size() + behind);
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(before));
    const auto* bytes = reinterpret_cast<const unsigned char*>(all.data());
    first_.emplace_back(bytes, bytes + all.size() * sizeof(T));
    buffers_.push_back(on.buffer_of(first_.back()));
    return {buffers_.back(), values.size(), before};
  }
  // Whole numbers below `end`, and floats that are sums of halves of them.
  template <class T>
  view<T> numbers(std::size_t n, std::size_t end) {
    std::vector<T> values(n);
    for (T& each : values) each = static_cast<T>(random.below(end)) / T{std::is_floating_point_v<T> ? 2 : 1};
    return of(values);
  }
  // Sorted ones.
  view<u32> sorted(std::size_t n, std::size_t end) {
    std::vector<u32> values(n);
    for (u32& each : values) each = static_cast<u32>(random.below(end));
    std::sort(values.begin(), values.end());
    return of(values);
  }
  // Offsets of some segments of n elements, empty ones among them.
  view<u32> offsets(std::size_t segments, std::size_t n) {
    std::vector<u32> at{0};
    for (std::size_t k = 1; k < segments; ++k) at.push_back(static_cast<u32>(random.below(n + 1)));
    at.push_back(static_cast<u32>(n));
    std::sort(at.begin(), at.end());
    return of(at);
  }
  template <class T>
  view<T> output(std::size_t n) {
    return of(some_bits<T>(n));
  }
  // An odd number of elements.
  std::size_t odd() { return 2 * random.below(10000) + 101; }

  std::vector<std::vector<unsigned char>> contents() const {
    std::vector<std::vector<unsigned char>> now;
    for (std::size_t k = 0; k < first_.size(); ++k)
      now.push_back(on.read<unsigned char>(buffers_[k], first_[k].size()));
    return now;
  }
  bool intact() const { return contents() == first_; }
  void restore() const {
    for (std::size_t k = 0; k < first_.size(); ++k)
      on.queue.enqueueWriteBuffer(buffers_[k], CL_TRUE, 0, first_[k].size(), first_[k].data());
  }

 private:
  template <class T>
  std::vector<T> some_bits(std::size_t n) {
    std::vector<T> all(n);
    auto* const bytes = reinterpret_cast<unsigned char*>(all.data());
    for (std::size_t k = 0; k < n * sizeof(T); ++k) bytes[k] = static_cast<unsigned char>(random());
    return all;
  }

  std::vector<cl::Buffer> buffers_;
  std::vector<std::vector<unsigned char>> first_;
};

// What is asked of an operand beside a type.
enum class asks {
  one_type,  // to go together with the others
  any_type,  // nothing: a text of the user's, or bytes
  no_plan    // one type, of calls alone: plans do without it
};

// Where a problem has an operand, and how errors name that.
template <class Problem>
struct operand {
  operand(std::string called, any_view Problem::*at, asks wanted = asks::one_type)
      : name(std::move(called)), in([at](Problem& q) -> any_view& { return q.*at; }), what(wanted) {}
  operand(std::string called, std::optional<any_view> Problem::*at, asks wanted = asks::one_type)
      : name(std::move(called)), in([at](Problem& q) -> any_view& { return *(q.*at); }), what(wanted) {}
  operand(std::string called, std::function<any_view&(Problem&)> at, asks wanted = asks::one_type)
      : name(std::move(called)), in(std::move(at)), what(wanted) {}

  std::string name;
  std::function<any_view&(Problem&)> in;
  asks what = asks::one_type;
};

// What a call returns to the host, as one number: the bits of a value; of an event nothing, once it is done.
template <class Call>
u64 returned_by(const Call& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return 0;
  } else if constexpr (std::is_same_v<decltype(call()), clwave::event>) {
    call().wait();
    return 0;
  } else {
    const auto value = call();
    u64 all = 0;
    std::memcpy(&all, &value, sizeof value);
    return all;
  }
}

// Checks one untyped call: `call` takes a queue and a problem, `typed` does the same without one, and both
// return the same to the host.
template <class Problem, class Call, class Typed>
void check(scene& s, const char* name, const Problem& problem,
           std::initializer_list<operand<Problem>> operands, const Call& call, const Typed& typed) {
  CAPTURE(std::string(name));
  CAPTURE(s.random.note());
  const cl_command_queue queue = s.on.queue();
  const clwave::plan_target target{.facts = &s.on.facts, .choice = clwave::choose_profile(s.on.facts)};

  const u64 returned = returned_by([&] { return call(queue, problem); });
  const auto written = s.contents();
  s.restore();
  CHECK(returned == returned_by(typed));
  CHECK(written == s.contents());
  if (returned == 0) CHECK_FALSE(s.intact());
  s.restore();

  const auto refused_by_both = [&](const operand<Problem>& each, const any_view& given,
                                   const std::string& words) {
    CAPTURE(each.name);
    Problem wrong = problem;
    each.in(wrong) = given;
    refuses(words.c_str(), [&] { call(queue, wrong); });
    if (each.what != asks::no_plan) refuses(words.c_str(), [&] { plan(wrong, target); });
    CHECK(s.intact());
  };
  for (const operand<Problem>& each : operands) {
    Problem right = problem;
    const any_view& good = each.in(right);
    refused_by_both(each, {good.buffer, good.n, good.offset, nullptr}, each.name + " has no type");
    refused_by_both(each, any_view{}, " has no ");
    any_view counted = good;
    counted.count = &good;
    // Where a count is taken, this one is of another type or has more than one number.
    refused_by_both(each, counted, " count ");
    if (each.what == asks::any_type) continue;
    const clwave::element stranger{
        .name = "stranger",
        .opencl_name = "stranger",
        .size = good.type->size,
        .kind = clwave::element_kind::structure,
        .declaration = "typedef struct { uchar bytes[" + std::to_string(good.type->size) + "]; } stranger;"};
    refused_by_both(each, {good.buffer, good.n, good.offset, &stranger}, "");
  }
}

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
  const auto into_buffer = [](cl_command_queue q, const problem& p) { return clwave::reduce(q, p); };
  const problem square{.in = x, .accumulator = &element_of<double>(), .apply = &clwave::square, .out = out};
  check<problem>(s, "transform_reduce", square, {{"the input", &problem::in}, {"the output", &problem::out}},
                 into_buffer,
                 [&] { return clwave::transform_reduce(s.on.queue, x, out, clwave::plus, clwave::square); });
  const problem dot{.in = x, .accumulator = &element_of<float>(), .apply = &clwave::product, .in2 = y};
  check<problem>(
      s, "dot", dot, {{"the input", &problem::in}, {"the second input", &problem::in2}},
      [](cl_command_queue q, const problem& p) {
        float result = 0;
        clwave::reduce(q, p, &result);
        return result;
      },
      [&] { return clwave::dot(s.on.queue, x, y); });
  const clwave::plan_target target{.facts = &s.on.facts, .choice = clwave::choose_profile(s.on.facts)};
  for (problem wrong : {square, dot}) {
    wrong.accumulator = nullptr;
    float result = 0;
    refuses("the accumulator has no type", [&] { plan(wrong, target); });
    refuses("the accumulator has no type", [&] { clwave::reduce(s.on.queue(), wrong, &result); });
    refuses("the accumulator has no type", [&] { into_buffer(s.on.queue(), wrong); });
  }
}

#if __has_include(<clwave/reduce_rows.hpp>)
TEST_CASE("untyped reductions of rows and columns") {
  scene s;
  const clwave::matrices size{.rows = 37, .columns = 53, .batch = 3};
  const auto x = s.numbers<float>(37 * 61 * 3, 1000);
  const auto rows = s.output<float>(37 * 3), columns = s.output<float>(53 * 3);
  using of_rows = clwave::reduce_rows_problem;
  check<of_rows>(
      s, "reduce_rows", {.in = x, .out = rows, .size = size, .steps = {.row = 61}, .fold = &clwave::max},
      {{"the input", &of_rows::in}, {"the output", &of_rows::out}},
      [](cl_command_queue q, const of_rows& p) { return clwave::reduce_rows(q, p); },
      [&] { return clwave::reduce_rows(s.on.queue, x, rows, size, clwave::max, {.row = 61}); });
  using of_columns = clwave::reduce_columns_problem;
  check<of_columns>(
      s, "reduce_columns", {.in = x, .out = columns, .size = size, .steps = {.row = 61}},
      {{"the input", &of_columns::in}, {"the output", &of_columns::out}},
      [](cl_command_queue q, const of_columns& p) { return clwave::reduce_columns(q, p); },
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
  check<problem>(
      s, "segmented_reduce", asked,
      {{"the input", &problem::in},
       {"the offsets", &problem::offsets},
       {"the output", &problem::out},
       {"the number of bad segments", &problem::bad}},
      [](cl_command_queue q, const problem& p) { return clwave::segmented_reduce(q, p); },
      [&] { return clwave::segmented_reduce(s.on.queue, x, at, out, bad); });
  asked.bad.reset();
  check<problem>(
      s, "checked_segmented_reduce", asked,
      {{"the input", &problem::in}, {"the offsets", &problem::offsets}, {"the output", &problem::out}},
      [](cl_command_queue q, const problem& p) { clwave::checked_segmented_reduce(q, p); },
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
  check<problem>(
      s, "reduce_by_key", asked,
      {{"the keys", &problem::keys},
       {"the values", &problem::values},
       {"the output of the keys", &problem::keys_out},
       {"the output of the values", &problem::values_out},
       {"the count", &problem::count}},
      [](cl_command_queue q, const problem& p) { return clwave::reduce_by_key(q, p); },
      [&] { return clwave::reduce_by_key(s.on.queue, keys, x, keys_out, out, count); });
  asked.count.reset();
  check<problem>(
      s, "reduce_by_key_to_host", asked,
      {{"the keys", &problem::keys},
       {"the values", &problem::values},
       {"the output of the keys", &problem::keys_out},
       {"the output of the values", &problem::values_out}},
      [](cl_command_queue q, const problem& p) { return clwave::reduce_by_key_to_host(q, p); },
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
  const auto call = [](cl_command_queue q, const problem& p) { return clwave::scan(q, p); };
  const std::initializer_list<operand<problem>> operands = {{"the input", &problem::in},
                                                            {"the output", &problem::out}};
  check<problem>(s, "inclusive_scan", {.in = x, .out = out, .fold = &clwave::max}, operands, call,
                 [&] { return clwave::inclusive_scan(s.on.queue, x, out, clwave::max); });
  check<problem>(s, "exclusive_scan", {.in = x, .out = out, .exclusive = true, .start = &start}, operands,
                 call, [&] { return clwave::exclusive_scan(s.on.queue, x, out, {.start = start}); });
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
  check<problem>(
      s, "segmented_inclusive_scan", {.in = x, .offsets = at, .out = out, .bad = bad, .segments = 77},
      {{"the input", &problem::in},
       {"the offsets", &problem::offsets},
       {"the output", &problem::out},
       {"the number of bad segments", &problem::bad}},
      [](cl_command_queue q, const problem& p) { return clwave::segmented_scan(q, p); },
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
  check<problem>(
      s, "exclusive_scan_by_key", {.keys = keys, .values = x, .out = out, .exclusive = true},
      {{"the keys", &problem::keys}, {"the values", &problem::values}, {"the output", &problem::out}},
      [](cl_command_queue q, const problem& p) { return clwave::scan_by_key(q, p); },
      [&] { return clwave::exclusive_scan_by_key(s.on.queue, keys, x, out); });
}
#endif

#if __has_include(<clwave/select.hpp>)
TEST_CASE("untyped selections") {
  scene s;
  using problem = clwave::select_problem;
  using kind = clwave::select_kind;
  using operands = std::initializer_list<operand<problem>>;
  const std::size_t n = s.odd();
  const auto x = s.numbers<u32>(n, 3), flags = s.numbers<u32>(n, 2);
  const auto values = s.numbers<float>(n, 1000);
  const auto out = s.output<u32>(n), second = s.output<u32>(n), third = s.output<u32>(n);
  const auto values_out = s.output<float>(n);
  const auto places = s.output<u64>(n + 1), count = s.output<u64>(1), counts = s.output<u64>(2);
  const auto& q = s.on.queue;
  const auto to_buffer = [](cl_command_queue queue, const problem& p) { return clwave::select(queue, p); };
  const auto to_host = [](cl_command_queue queue, const problem& p) {
    return clwave::select_to_host(queue, p);
  };
  const operand<problem> in{"the input", &problem::in}, first_out{"the output", &problem::out},
      second_out{"the second output", &problem::second_out},
      counted{"the count", &problem::count, asks::no_plan};

  check<problem>(s, "copy_if", {.kind = kind::copy_if, .in = x, .out = out, .count = count},
                 operands{in, first_out, counted}, to_buffer,
                 [&] { return clwave::copy_if(q, x, out, count, clwave::identity); });
  check<problem>(s, "copy_if to the host", {.kind = kind::copy_if, .in = x, .out = out},
                 operands{in, first_out}, to_host,
                 [&] { return clwave::copy_if(q, x, out, clwave::identity); });
  check<problem>(s, "copy_flagged",
                 {.kind = kind::copy_flagged, .in = x, .out = out, .flags = flags, .count = count},
                 operands{in, first_out, {"the flags", &problem::flags}, counted}, to_buffer,
                 [&] { return clwave::copy_flagged(q, x, flags, out, count); });
  check<problem>(s, "partition", {.kind = kind::partition, .in = x, .out = out, .count = count},
                 operands{in, first_out, counted}, to_buffer,
                 [&] { return clwave::partition(q, x, out, count, clwave::identity); });
  check<problem>(s, "partition_copy",
                 {.kind = kind::partition_copy, .in = x, .out = out, .second_out = second, .count = count},
                 operands{in, first_out, second_out, counted}, to_buffer,
                 [&] { return clwave::partition_copy(q, x, out, second, count, clwave::identity); });
  static const clwave::map is_second{.name = "second", .source = "i & 1"};
  check<problem>(
      s, "partition_copy of three",
      {.kind = kind::partition_three,
       .in = x,
       .out = out,
       .second_out = second,
       .count = counts,
       .third_out = third,
       .second_predicate = &is_second},
      operands{in, first_out, second_out, {"the third output", &problem::third_out}, counted}, to_buffer,
      [&] { return clwave::partition_copy(q, x, out, second, third, counts, clwave::identity, is_second); });
  check<problem>(s, "unique", {.kind = kind::unique, .in = x, .out = out, .count = count},
                 operands{in, first_out, counted}, to_buffer,
                 [&] { return clwave::unique(q, x, out, count); });
  check<problem>(s, "unique_by_key",
                 {.kind = kind::unique_by_key,
                  .in = x,
                  .out = out,
                  .values = values,
                  .second_out = values_out,
                  .count = count},
                 operands{in, first_out, {"the values", &problem::values}, second_out, counted}, to_buffer,
                 [&] { return clwave::unique_by_key(q, x, values, out, values_out, count); });
  check<problem>(s, "run_lengths",
                 {.kind = kind::run_lengths, .in = x, .out = out, .second_out = second, .count = count},
                 operands{in, first_out, second_out, counted}, to_buffer,
                 [&] { return clwave::run_lengths(q, x, out, second, count); });
  check<problem>(s, "run_offsets", {.kind = kind::run_offsets, .in = x, .out = places, .count = count},
                 operands{in, first_out, counted}, to_buffer,
                 [&] { return clwave::run_offsets(q, x, places, count); });
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
    check<problem>(
        s, name, {.kind = which, .a = a, .b = b, .out = out, .count = count},
        {first, second, result, counted},
        [](cl_command_queue queue, const problem& p) { return clwave::set_operation(queue, p); }, typed);
  };
  check_kind("set_union", kind::set_union, [&] { return clwave::set_union(q, a, b, out, count); });
  check_kind("set_intersection", kind::intersection,
             [&] { return clwave::set_intersection(q, a, b, out, count); });
  check_kind("set_difference", kind::difference, [&] { return clwave::set_difference(q, a, b, out, count); });
  check_kind("set_symmetric_difference", kind::symmetric_difference,
             [&] { return clwave::set_symmetric_difference(q, a, b, out, count); });
  check<problem>(
      s, "set_union to the host", {.a = a, .b = b, .out = out}, {first, second, result},
      [](cl_command_queue queue, const problem& p) { return clwave::set_operation_to_host(queue, p); },
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
  check<problem>(
      s, "merge_by_key",
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
      [](cl_command_queue queue, const problem& p) { return clwave::merge(queue, p); },
      [&] { return clwave::merge_by_key(q, a, a_values, b, b_values, out, values_out, descents); });
  check<problem>(
      s, "checked_merge", {.a = a, .b = b, .out = out}, {first, second, result},
      [](cl_command_queue queue, const problem& p) { clwave::checked_merge(queue, p); },
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
  const auto call = [](cl_command_queue q, const problem& p) { return clwave::bounds(q, p); };
  const operand<problem> range{"the range", &problem::in}, sought{"the needles", &problem::needles},
      result{"the output", &problem::out};
  check<problem>(s, "lower_bound", {.in = x, .needles = needles, .out = out}, {range, sought, result}, call,
                 [&] { return clwave::lower_bound(s.on.queue, x, needles, out); });
  check<problem>(s, "upper_bound", {.in = x, .needles = needles, .out = out, .upper = true},
                 {range, sought, result}, call,
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
  check<problem>(
      s, "top_k", {.in = x, .values = values, .indices = places, .k = 33, .descending = false},
      {{"the input", &problem::in},
       {"the output of the values", &problem::values},
       {"the output of the indices", &problem::indices}},
      [](cl_command_queue q, const problem& p) { return clwave::top_k(q, p); },
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
  check<problem>(
      s, "checked_segmented_top_k", asked, {in, begins, best, where},
      [](cl_command_queue q, const problem& p) { clwave::checked_segmented_top_k(q, p); },
      [&] { clwave::checked_segmented_top_k(s.on.queue, x, offsets, values, places, 5); });
  asked.bad = bad;
  check<problem>(
      s, "segmented_top_k", asked, {in, begins, best, where, counted},
      [](cl_command_queue q, const problem& p) { return clwave::segmented_top_k(q, p); },
      [&] { return clwave::segmented_top_k(s.on.queue, x, offsets, values, places, 5, bad); });
}
#endif

#if __has_include(<clwave/transform.hpp>)
TEST_CASE("untyped transforms and broadcasts") {
  scene s;
  using of_elements = clwave::transform_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 1000), y = s.numbers<float>(n, 1000);
  const auto out = s.output<float>(n);
  check<of_elements>(
      s, "transform", {.in = {x, y}, .out = out, .apply = &clwave::product},
      {{"the first input", [](of_elements& p) -> any_view& { return p.in[0]; }},
       {"the second input", [](of_elements& p) -> any_view& { return p.in[1]; }},
       {"the output", &of_elements::out}},
      [](cl_command_queue q, const of_elements& p) { return clwave::transform(q, p); },
      [&] { return clwave::transform(s.on.queue, x, y, out, clwave::product); });

  using of_matrix = clwave::broadcast_problem;
  const clwave::broadcast_shape size{.rows = 37, .columns = 53, .in_row = 61};
  const auto matrix = s.numbers<float>(37 * 61, 1000), bias = s.numbers<float>(53, 1000);
  const auto result = s.output<float>(37 * 53);
  const clwave::map add{.name = "add", .source = "x + b"};
  check<of_matrix>(
      s, "broadcast", {.in = matrix, .vector = bias, .out = result, .size = size, .apply = &add},
      {{"the input", &of_matrix::in, asks::any_type},
       {"the vector", &of_matrix::vector, asks::any_type},
       {"the output", &of_matrix::out, asks::any_type}},
      [](cl_command_queue q, const of_matrix& p) { return clwave::broadcast(q, p); },
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
  check<problem>(
      s, "transpose", {.in = x, .out = out, .size = size, .in_pitches = {.row = 61}},
      {{"the input", &problem::in}, {"the output", &problem::out}},
      [](cl_command_queue q, const problem& p) { return clwave::transpose(q, p); },
      [&] { return clwave::transpose(s.on.queue, x, out, size, {.in = {.row = 61}}); });
  using in_place = clwave::transpose_in_place_problem;
  const clwave::matrices square{.rows = 37, .columns = 37, .batch = 3};
  check<in_place>(
      s, "transpose_in_place", {.squares = x, .size = square, .steps = {.row = 61}},
      {{"the input", &in_place::squares, asks::any_type}},
      [](cl_command_queue q, const in_place& p) { return clwave::transpose_in_place(q, p); },
      [&] { return clwave::transpose_in_place(s.on.queue, x, square, {.row = 61}); });
}
#endif

TEST_CASE("untyped copies and fills") {
  scene s;
  using of_elements = clwave::copy_problem;
  const std::size_t n = s.odd();
  const auto x = s.numbers<float>(n, 100000);
  const auto out = s.output<std::int16_t>(n);
  check<of_elements>(
      s, "copy", {.in = x, .out = out, .round = clwave::rounding::nearest_even},
      {{"the input", &of_elements::in}, {"the output", &of_elements::out}},
      [](cl_command_queue q, const of_elements& p) { return clwave::copy(q, p); },
      [&] { return clwave::copy(s.on.queue, x, out, {.round = clwave::rounding::nearest_even}); });

  using of_box = clwave::box_problem;
  const clwave::box size{.width = 31, .height = 7, .depth = 3};
  const auto from = s.numbers<float>(37 * 7 * 3, 1000), to = s.output<float>(31 * 7 * 3);
  check<of_box>(
      s, "copy of a box", {.in = from, .out = to, .size = size, .in_pitches = {.row = 37}},
      {{"the input", &of_box::in}, {"the output", &of_box::out}},
      [](cl_command_queue q, const of_box& p) { return clwave::copy(q, p); },
      [&] { return clwave::copy(s.on.queue, from, to, size, {.in = {.row = 37}}); });

  using of_value = clwave::fill_problem;
  const float value = 7.25f;
  check<of_value>(
      s, "fill", {.out = to, .value = &value}, {{"the output", &of_value::out, asks::any_type}},
      [](cl_command_queue q, const of_value& p) { return clwave::fill(q, p); },
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
  check<problem>(
      s, "checked_copy_ranges", asked, {in, first, size, copied, where},
      [](cl_command_queue q, const problem& p) { clwave::checked_copy_ranges(q, p); },
      [&] { clwave::checked_copy_ranges(s.on.queue, x, starts, lengths, out, out_starts); });
  asked.bad = bad;
  check<problem>(
      s, "copy_ranges", asked, {in, first, size, copied, where, counted},
      [](cl_command_queue q, const problem& p) { return clwave::copy_ranges(q, p); },
      [&] { return clwave::copy_ranges(s.on.queue, x, starts, lengths, out, out_starts, bad); });
}

#if __has_include(<clwave/gemm.hpp>)
TEST_CASE("untyped products") {
  scene s;
  using problem = clwave::gemm_problem;
  const clwave::gemm_size size{.m = 37, .n = 29, .k = 53};
  const auto a = s.numbers<float>(37 * 53, 1000), b = s.numbers<float>(53 * 29, 1000),
             c = s.numbers<float>(37 * 29, 1000);
  check<problem>(
      s, "gemm", {.a = a, .b = b, .c = c, .size = size, .options = {.alpha = 2, .beta = 1}},
      {{"A", &problem::a}, {"B", &problem::b}, {"C", &problem::c}},
      [](cl_command_queue q, const problem& p) { return clwave::gemm(q, p); },
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
  const auto call = [](cl_command_queue q, const problem& p) { return clwave::histogram(q, p); };
  const operand<problem> in{"the input", &problem::in}, counted{"the counts", &problem::counts};
  check<problem>(s, "even bins", {.in = x, .counts = counts, .bounds = clwave::even{0, 500}}, {in, counted},
                 call, [&] {
                   return clwave::histogram(s.on.queue, x, counts, clwave::even{0, 500});
                 });
  check<problem>(s, "edges on the device", {.in = x, .counts = counts, .edges = edges},
                 {in, counted, {"the edges", &problem::edges}}, call,
                 [&] { return clwave::histogram(s.on.queue, x, counts, edges); });
  problem asked{.in = x,
                .counts = counts,
                .host = clwave::host_edges{rising.data(), rising.size(), &element_of<float>()}};
  check<problem>(s, "edges on the host", asked, {in, counted}, call,
                 [&] { return clwave::histogram(s.on.queue, x, counts, rising); });
  asked.host->type = nullptr;
  refuses("the edges have no type", [&] { call(s.on.queue(), asked); });
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
  const auto call = [](cl_command_queue queue, const problem& p) { return clwave::sort(queue, p); };
  const operand<problem> first{"the keys", &problem::keys},
      sorted{"the output of the keys", &problem::keys_out}, carried{"the values", &problem::values},
      with_them{"the output of the values", &problem::values_out}, begins{"the offsets", &problem::offsets},
      counted{"the number of bad segments", &problem::bad};
  const problem by_key{.keys = keys, .keys_out = keys_out, .values = values, .values_out = values_out};
  check<problem>(s, "sort_by_key", by_key, {first, sorted, carried, with_them}, call,
                 [&] { return clwave::sort_by_key(q, keys, values, keys_out, values_out); });
  check<problem>(s, "argsort", {.keys = keys, .values_out = indices, .order = {.descending = true}},
                 {first, with_them}, call,
                 [&] { return clwave::argsort(q, keys, indices, {.descending = true}); });
  problem segments = by_key;
  segments.offsets = offsets;
  segments.bad = bad;
  check<problem>(
      s, "segmented_sort_by_key", segments, {first, sorted, carried, with_them, begins, counted}, call,
      [&] { return clwave::segmented_sort_by_key(q, keys, values, offsets, keys_out, values_out, bad); });
  check<problem>(
      s, "checked_segmented_sort", {.keys = keys, .keys_out = keys_out, .offsets = offsets},
      {first, sorted, begins},
      [](cl_command_queue queue, const problem& p) { clwave::checked_segmented_sort(queue, p); },
      [&] { clwave::checked_segmented_sort(q, keys, offsets, keys_out); });
  // By an operator and by keys of texts any types are sorted that go together.
  const clwave::op less{.name = "less", .source = "a % 100 < b % 100"};
  problem by_text = by_key;
  by_text.less = &less;
  check<problem>(s, "sort_by_key by an operator", by_text, {sorted, carried, with_them}, call,
                 [&] { return clwave::sort_by_key(q, keys, values, keys_out, values_out, {.less = less}); });
  const std::vector<clwave::sort_key> texts{
      clwave::by<std::uint8_t>({.name = "low", .source = "x & 15"}),
      clwave::by<u32>({.name = "all", .source = "x"}, {.descending = true})};
  problem by_keys = by_key;
  by_keys.by = texts;
  check<problem>(s, "sort_by_key by keys of texts", by_keys, {sorted, carried, with_them}, call, [&] {
    return clwave::sort_by_key(q, keys, values, keys_out, values_out, {.keys = clwave::key_list(texts)});
  });
  by_keys.less = &less;
  refuses("keys and another order are given", [&] { call(q(), by_keys); });
  const auto wide = s.numbers<u64>(2 * 50, 9), wide_out = s.output<u64>(2 * 50);
  const view<clwave::i128> with_sign{wide.buffer(), 50, 0}, with_sign_out{wide_out.buffer(), 50, 0};
  check<problem>(s, "sort of numbers of 128 bits", {.keys = with_sign, .keys_out = with_sign_out}, {}, call,
                 [&] { return clwave::sort(q, with_sign, with_sign_out); });
}
#endif

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
  check<of_arrays>(
      s, "aos_to_soa", {.fields = &fields, .structures = of_bytes, .arrays = {xs, ys}},
      {{"the view of the structures", &of_arrays::structures, asks::any_type},
       {"array 0", [](of_arrays& p) -> any_view& { return p.arrays[0]; }, asks::any_type}},
      [](cl_command_queue queue, const of_arrays& p) { return clwave::move_fields(queue, p); },
      [&] {
        return clwave::aos_to_soa(q, structures, fields, {xs, ys});
      });
  check<of_blocks>(
      s, "aos_to_aosoa", {.fields = &fields, .structures = of_bytes, .blocks = bytes, .block = 32},
      {{"the view of the structures", &of_blocks::structures, asks::any_type},
       {"the view of the blocks", &of_blocks::blocks, asks::any_type}},
      [](cl_command_queue queue, const of_blocks& p) { return clwave::move_blocks(queue, p); },
      [&] { return clwave::aos_to_aosoa(q, structures, fields, bytes, 32); });
  refuses("there is no layout", [&] { clwave::move_fields(q(), of_arrays{.structures = of_bytes}); });
  refuses("arrays were given", [&] {
    clwave::move_fields(q(), of_arrays{.fields = &fields, .structures = of_bytes, .arrays = {xs}});
  });
  refuses("2 bytes", [&] {
    clwave::move_fields(q(),
                        of_arrays{.fields = &fields,
                                  .structures = of_bytes,
                                  .arrays = {xs, any_view(ys.buffer(), n, 0, &element_of<clwave::u16>())}});
  });
}
#endif

}  // namespace
}  // namespace testing::untyped_calls_test

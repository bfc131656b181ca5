// Merges and set operations of ranges whose number of elements lies on the device, as counted_test.cpp has
// other calls.
#include <clwave/any_view.hpp>

#if __has_include(<clwave/merge.hpp>) && __has_include(<clwave/set_operations.hpp>)

#include <clwave/error.hpp>
#include <clwave/merge.hpp>
#include <clwave/set_operations.hpp>

#include "call/counted_calls.hpp"
#include "harness/refusals.hpp"

namespace testing::counted_ranges_test {
namespace {

const doctest::test_suite lanes("lanes");

const clwave::op by_pairs{.name = "by pairs", .source = "a / 2 < b / 2"};

// Which of the ranges are counted: of the other one there are always as many.
enum class counts { first, second, both };

struct two_ranges {
  any_view a, b;
};

// The second one has room for half as many elements.
two_ranges ranges_of(const arrays& a, const length& l, counts which) {
  two_ranges all{a.of(a.rising, element_of<u32>()), a.of(a.rising_further, element_of<u32>())};
  all.b.n -= all.b.n / 2;
  const u64 room = all.b.n;
  if (which != counts::second) all.a = l.first(all.a);
  if (which != counts::first) all.b = l.first(all.b);
  all.b.n = std::min(all.b.n, room);
  return all;
}

counted_call merge_of(std::string name, counts which, const clwave::op* less, bool values, bool descents) {
  return {std::move(name),
          [=](cl_command_queue queue, const arrays& a, const length& l, const any_view& kept) {
            const auto [first, second] = ranges_of(a, l, which);
            clwave::merge_problem problem{.a = first,
                                          .b = second,
                                          .out = any_view(a.out(), 2 * a.n, a.at, &element_of<u32>()),
                                          .less = less};
            if (values) {
              problem.a_values = a.of(a.x, element_of<float>());
              problem.b_values = a.of(a.wide, element_of<float>());
              problem.a_values->n = first.n;
              problem.b_values->n = second.n;
              problem.values_out = any_view(a.second(), 2 * a.n, a.at, &element_of<float>());
            }
            if (descents) problem.descents = kept;
            clwave::merge(queue, problem);
          }};
}

counted_call set_of(std::string name, clwave::set_kind kind, counts which, const clwave::op* less,
                    std::size_t room = 0) {
  return {std::move(name),
          [=](cl_command_queue queue, const arrays& a, const length& l, const any_view& kept) {
            const auto [first, second] = ranges_of(a, l, which);
            clwave::set_problem problem{.kind = kind,
                                        .a = first,
                                        .b = second,
                                        .out = any_view(a.out(), 2 * a.n, a.at, &element_of<u32>()),
                                        .less = less,
                                        .count = kept};
            if (room != 0) problem.out.n = std::min<u64>(room, a.n);
            clwave::set_operation(queue, problem);
          }};
}

std::vector<counted_call> counted_calls() {
  using enum clwave::set_kind;
  return {
      merge_of("merge", counts::both, nullptr, false, false),
      merge_of("merge with a counted first range, by an operator", counts::first, &by_pairs, false, false),
      merge_of("merge with a counted second range that counts", counts::second, nullptr, false, true),
      merge_of("merge_by_key", counts::both, nullptr, true, false),
      merge_of("merge_by_key by an operator that counts", counts::both, &by_pairs, true, true),
      set_of("set_union", set_union, counts::both, nullptr),
      set_of("set_union by an operator", set_union, counts::first, &by_pairs),
      set_of("set_intersection", intersection, counts::second, nullptr),
      set_of("set_difference without room for all", difference, counts::both, nullptr, 700),
      set_of("set_symmetric_difference", symmetric_difference, counts::both, &by_pairs)};
}

}  // namespace

TEST_CASE("merges and set operations with counts on the device give the bytes of the host's counts") {
  check_counts_of(counted_calls());
}

TEST_CASE("merges and set operations with counts on the device give the host's bytes on rows of the table") {
  check_counts_on_rows(counted_calls(), [](const counted_call&) { return false; });
}

TEST_CASE_FIXTURE(
    on_device,
    "counted ranges are refused where the count is no number of one element, or lies in an output") {
  const cl::Buffer keys = on.buffer_of(std::vector<u32>(100)), out = on.buffer_of(std::vector<u32>(300));
  const cl::Buffer floats = on.buffer_of(std::vector<float>(4)), total = on.buffer_of(std::vector<u64>(2));
  const any_view range(keys(), 50, 0, &element_of<u32>()), result(out(), 100, 0, &element_of<u32>());
  const auto check = [&](const any_view& count, const char* why) {
    any_view counted = range;
    counted.count = &count;
    clwave::merge_problem merge{.a = range, .b = counted, .out = result};
    refuses(why, [&] { clwave::merge(on.queue(), merge); });
    clwave::set_problem set{
        .a = counted, .b = range, .out = result, .count = any_view(total(), 1, 0, &element_of<u64>())};
    refuses(why, [&] { clwave::set_operation(on.queue(), set); });
  };
  check(any_view(floats(), 1, 0, &element_of<float>()), "a count of elements of f32");
  check(any_view(keys(), 2, 0, &element_of<u32>()), "a view of 2 numbers");
  check(any_view(out(), 1, 99, &element_of<u32>()), "overlap");
}

}  // namespace testing::counted_ranges_test

#endif

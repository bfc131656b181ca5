// transform_to, a transform of several outputs, against plain loops: types, places, in place, named values,
// zips and counts, on rows of the table; what is refused.
#include <clwave/transform.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"

namespace testing::transform_outputs_test {
namespace {

const doctest::test_suite lanes("lanes");
const std::size_t sizes[] = {0, 1, 3, 5, 255, 257, 4099, 70001};

std::vector<int> random_numbers(random_engine& random, std::size_t n) {
  std::vector<int> made(n);
  for (int& each : made) each = static_cast<int>(random.below(2000)) - 1000;
  return made;
}

// What an output has from `first` on is what `right` gives, and all else what it had.
template <class Out, class Right>
void check_output(const guarded_buffer<Out>& out, const std::vector<Out>& before, std::size_t first,
                  std::size_t n, const Right& right) {
  CAPTURE(element_of<Out>().name);
  const std::vector<Out> now = out.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool inside = i >= first && i < first + n;
    wrong += same_bits(now[i], inside ? static_cast<Out>(right(i - first)) : before[i]) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(out.guards_intact());
}

const map added{.name = "added", .source = "x + y + more", .values = {{"more", 5}}};
const map product{.name = "product", .source = "(long)x * y + i * more", .values = {{"more", u64{3}}}};
const map half{.name = "half", .source = "x * 0.5f"};
const map smaller{.name = "smaller", .source = "x < y"};

// Two inputs into four outputs of other types, each at a place of its own.
void check_apart(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURE(n);
  const std::vector<int> x = random_numbers(random, n + 5), y = random_numbers(random, n + 5);
  const cl::Buffer xs = on.buffer_of(x), ys = on.buffer_of(y);
  const std::size_t at_x = random.below(5), at_y = random.below(5);
  // Now and then all begin where packets can.
  const std::size_t most = random.below(3) == 0 ? 1 : 5;
  const std::size_t a = random.below(most), b = random.below(most), c = random.below(most),
                    d = random.below(most);
  const guarded_buffer<int> sums(on, n + 5);
  const guarded_buffer<u64> products(on, n + 5);
  const guarded_buffer<float> halves(on, n + 5);
  const guarded_buffer<unsigned char> marks(on, n + 5);
  const auto sums_before = sums.read();
  const auto products_before = products.read();
  const auto halves_before = halves.read();
  const auto marks_before = marks.read();
  clwave::transform_to(on.queue, view<const int>{xs, n, at_x}, view<const int>{ys, n, at_y},
                       {{sums.view().subview(a, n), added},
                        {products.view().subview(b, n), product},
                        {halves.view().subview(c, n), half},
                        {marks.view().subview(d, n), smaller}})
      .wait();
  const auto of_x = [&](std::size_t i) { return x[at_x + i]; };
  const auto of_y = [&](std::size_t i) { return y[at_y + i]; };
  check_output(sums, sums_before, a, n, [&](std::size_t i) { return of_x(i) + of_y(i) + 5; });
  check_output(products, products_before, b, n,
               [&](std::size_t i) { return static_cast<u64>(std::int64_t{of_x(i)} * of_y(i)) + u64{i} * 3; });
  check_output(halves, halves_before, c, n,
               [&](std::size_t i) { return static_cast<float>(of_x(i)) * 0.5f; });
  check_output(marks, marks_before, d, n, [&](std::size_t i) { return of_x(i) < of_y(i) ? 1 : 0; });
}

// Three arrays that change places: each output lies where an input does that the others read.
void check_in_place(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURE(n);
  const std::vector<int> x = random_numbers(random, n + 1), y = random_numbers(random, n + 1),
                         z = random_numbers(random, n + 1);
  const cl::Buffer xs = on.buffer_of(x), ys = on.buffer_of(y), zs = on.buffer_of(z);
  const view<int> first{xs, n, 1}, second{ys, n, 1}, third{zs, n, 1};
  const map to_x{.name = "to x", .source = "y"}, to_y{.name = "to y", .source = "z - x"},
      to_z{.name = "to z", .source = "x + y"};
  const auto event =
      clwave::transform_to(on.queue, first, second, third, {{first, to_x}, {second, to_y}, {third, to_z}});
  event.wait();
  const auto now_x = on.read<int>(xs, n + 1), now_y = on.read<int>(ys, n + 1),
             now_z = on.read<int>(zs, n + 1);
  std::size_t wrong = now_x[0] != x[0] || now_y[0] != y[0] || now_z[0] != z[0] ? 1 : 0;
  for (std::size_t i = 1; i <= n; ++i)
    wrong += now_x[i] != y[i] || now_y[i] != z[i] - x[i] || now_z[i] != x[i] + y[i] ? 1 : 0;
  CHECK(wrong == 0);
}

// Five views of two types side by side.
void check_zip(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURE(n);
  const std::vector<int> x = random_numbers(random, 5 * n + 1);
  std::vector<unsigned char> marks(n + 1);
  for (unsigned char& each : marks) each = static_cast<unsigned char>(random.below(200));
  const cl::Buffer xs = on.buffer_of(x), bytes = on.buffer_of(marks);
  const guarded_buffer<int> sums(on, n);
  const guarded_buffer<u32> last(on, n);
  const auto sums_before = sums.read();
  const auto last_before = last.read();
  const auto part = [&](std::size_t k) { return view<const int>{xs, n, k * n}; };
  clwave::transform_to(
      on.queue, clwave::zip(part(0), part(1), part(2), part(3), view<const unsigned char>{bytes, n, 1}),
      {{sums.view(), {.name = "sum", .source = "x0 + x1 * scale", .values = {{"scale", 3}}}},
       {last.view(), {.name = "last", .source = "x2 - x3 + x4 * scale", .values = {{"scale", 7}}}}})
      .wait();
  check_output(sums, sums_before, 0, n, [&](std::size_t i) { return x[i] + x[n + i] * 3; });
  check_output(last, last_before, 0, n, [&](std::size_t i) {
    return static_cast<u32>(x[2 * n + i] - x[3 * n + i] + marks[1 + i] * 7);
  });
}

void check_counted(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURE(n);
  const std::vector<int> x = random_numbers(random, n);
  const u64 count = random.below(n + 1);
  const cl::Buffer xs = on.buffer_of(x), number = on.buffer_of(std::vector<u64>{count});
  const guarded_buffer<int> twice(on, n);
  const guarded_buffer<u32> places(on, n);
  const auto twice_before = twice.read();
  const auto places_before = places.read();
  const view<int> all{xs, n};
  clwave::transform_to(on.queue, all.first(view<const u64>{number, 1}),
                       {{twice.view(), {.name = "twice", .source = "2 * x"}},
                        {places.view(), {.name = "place", .source = "i"}}})
      .wait();
  check_output(twice, twice_before, 0, count, [&](std::size_t i) { return 2 * x[i]; });
  check_output(places, places_before, 0, count, [](std::size_t i) { return static_cast<u32>(i); });
}

// Of every kind of number, as a transform for each gives them.
void check_kinds(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURE(n);
  std::vector<float> x(n);
  for (float& each : x) each = (static_cast<float>(random.below(200'000)) - 100'000) / 300;
  const cl::Buffer xs = on.buffer_of(x);
  const map third{.name = "third", .source = "x / 3"}, more{.name = "more", .source = "x * 1.01f"},
      positive{.name = "positive", .source = "x > 0"}, whole{.name = "whole", .source = "x"};
  const guarded_buffer<clwave::half> halves(on, n), expected_halves(on, n);
  const guarded_buffer<bfloat16> brains(on, n), expected_brains(on, n);
  const guarded_buffer<unsigned char> truths(on, n), expected_truths(on, n);
  const guarded_buffer<std::int8_t> bytes(on, n), expected_bytes(on, n);
  const view<const float> in{xs, n};
  const auto as_bools = [](const guarded_buffer<unsigned char>& held) {
    return view<bool>{held.buffer(), held.view().size(), held.view().offset()};
  };
  clwave::transform_to(
      on.queue, in,
      {{halves.view(), third}, {brains.view(), more}, {as_bools(truths), positive}, {bytes.view(), whole}})
      .wait();
  clwave::transform(on.queue, in, expected_halves.view(), third).wait();
  clwave::transform(on.queue, in, expected_brains.view(), more).wait();
  clwave::transform(on.queue, in, as_bools(expected_truths), positive).wait();
  clwave::transform(on.queue, in, expected_bytes.view(), whole).wait();
  const auto same = [](const auto& one, const auto& other) {
    const auto a = one.read(), b = other.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i) wrong += same_bits(a[i], b[i]) ? 0 : 1;
    return wrong == 0 && one.guards_intact();
  };
  CHECK(same(halves, expected_halves));
  CHECK(same(brains, expected_brains));
  CHECK(same(truths, expected_truths));
  CHECK(same(bytes, expected_bytes));
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "a transform of several outputs gives what loops give") {
  for (const std::size_t n : sizes) {
    check_apart(on, random, n);
    check_in_place(on, random, n);
    check_zip(on, random, n);
    check_kinds(on, random, n);
    if (n > 0) check_counted(on, random, n);
  }
}

TEST_CASE_FIXTURE(on_device, "a transform of several outputs gives what loops give on rows of the table") {
  for_each_profile([&](const clwave::profile& row) {
    if (!takes_row(on, random, std::string(row.name))) return;
    const fixture fresh(on.device());
    sample some(2);
    for (const std::size_t n : {std::size_t{4099}, std::size_t{70001}}) {
      if (!some.takes_next()) continue;
      check_apart(fresh, random, n);
      check_in_place(fresh, random, n);
      check_zip(fresh, random, n);
      check_kinds(fresh, random, n);
      check_counted(fresh, random, n);
    }
  });
}

TEST_CASE_FIXTURE(on_device, "what a transform of several outputs refuses") {
  const cl::Buffer x = on.buffer_of(std::vector<int>(100)), a = on.buffer_of(std::vector<int>(100)),
                   b = on.buffer_of(std::vector<int>(100));
  const view<int> in{x, 50}, first{a, 50}, second{b, 50};
  refuses("1 to 4 outputs", [&] { clwave::transform_to(on.queue, in, {}); });
  refuses("1 to 4 outputs", [&] {
    clwave::transform_to(on.queue, in,
                         {{first, half}, {second, half}, {second, half}, {second, half}, {second, half}});
  });
  refuses("the second output has 49 elements", [&] {
    clwave::transform_to(on.queue, in, {{first, half}, {view<int>(b, 49), half}});
  });
  refuses("overlap", [&] { clwave::transform_to(on.queue, in, {{first, half}, {first, half}}); });
  refuses("overlap", [&] {
    clwave::transform_to(on.queue, in, {{first, half}, {view<int>(x, 50, 1), half}});
  });
  refuses("a map of your own", [&] {
    clwave::transform_to(on.queue, in, {{first, half}, {second, clwave::identity}});
  });
  refuses("takes arrays, or a zip", [&] {
    clwave::transform_to(on.queue, clwave::reversed(in), {{first, half}, {second, half}});
  });
  refuses("has the name of an element", [&] {
    const map named{.name = "named", .source = "x0 + x4", .values = {{"x0", 1}}};
    clwave::transform_to(on.queue, clwave::zip(in, in, in, in, in),
                         {{first, {.name = "x1", .source = "x1"}}, {second, named}});
  });
  const clwave::transform_outputs two{{first, half}, {second, half}};
  clwave::transform_to(on.queue, in, two, {}).wait();
  const map positive{.name = "positive", .source = "x > 0"};
  clwave::transform_problem kept{
      .in = {in}, .out = first, .apply = &half, .only_if = &positive, .further = {{second, half}}};
  refuses("one output", [&] { clwave::transform(on.queue(), kept); });
}

}  // namespace testing::transform_outputs_test

// gather and scatter against plain loops: elements of all sizes at odd places, indices of all kinds, on rows
// of the table; equal indices; maps; counts of indices outside; queues; what is refused.
#include <clwave/gather.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "harness/devices.hpp"
#include "harness/elements.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"
#include "moved_elements.hpp"

namespace testing::gather_test {
namespace {

using clwave::gather_problem;
using bytes = std::vector<unsigned char>;

const doctest::test_suite lanes("lanes");

struct point {
  float x, y, z;
};

enum class kind { inside, rising, permuted, some_outside, garbage, few, kinds };

// So many indices into `reach` elements.
template <class Index>
std::vector<Index> some_indices(random_engine& random, std::size_t n, std::size_t reach, kind of) {
  std::vector<Index> all(n);
  const auto inside = [&] { return static_cast<Index>(reach == 0 ? 0 : random.below(reach)); };
  std::generate(all.begin(), all.end(), inside);
  switch (of) {
    case kind::rising:
      std::sort(all.begin(), all.end());
      break;
    case kind::permuted:
      std::iota(all.begin(), all.end(), Index{0});
      for (std::size_t k = n; k > 1; --k) std::swap(all[k - 1], all[random.below(k)]);
      break;
    case kind::some_outside:
      for (Index& each : all) {
        const u64 choice = random.below(9);
        if (choice == 0) each = static_cast<Index>(reach);
        if (choice == 1) each = static_cast<Index>(reach + random.below(100));
        if (choice == 2) each = static_cast<Index>(~u64{0} - random.below(3));
      }
      break;
    case kind::garbage:
      for (Index& each : all) each = static_cast<Index>(random());
      break;
    case kind::few:
      for (Index& each : all) each = static_cast<Index>(random.below(3));
      break;
    default:
      break;
  }
  return all;
}

// A gather or a scatter of elements of `size` bytes, whose operands begin at odd places.
struct moved_case {
  std::size_t size = 1, n = 0, reach = 0;
  kind of = kind::inside;
  bool scatter = false, outside = false, counts = false, distinct = false;
};

template <class Index>
void check_moved(const fixture& on, random_engine& random, const moved_case& c) {
  CAPTURE(static_cast<int>(c.of));
  check_moved_elements(
      on, random, {c.size, c.n, c.reach, c.scatter, c.outside, c.counts},
      some_indices<Index>(random, c.n, c.reach, c.of), [](std::size_t) { return true; },
      [&](gather_problem& problem) { problem.distinct = c.distinct; });
}

void check_any(const fixture& on, random_engine& random, const moved_case& c) {
  if (random.below(2) == 0)
    check_moved<u32>(on, random, c);
  else
    check_moved<u64>(on, random, c);
}

}  // namespace
}  // namespace testing::gather_test

CLWAVE_STRUCTURE(testing::gather_test::point, "gathered_point",
                 "typedef struct { float x, y, z; } gathered_point;")

namespace testing::gather_test {

TEST_CASE_FIXTURE(on_device, "gathers and scatters of elements of every size") {
  for (const std::size_t size : {1, 2, 3, 4, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64, 96, 127, 128}) {
    moved_case c{.size = size, .n = 1 + random.below(3000), .reach = 1 + random.below(2000)};
    for (const bool scatter : {false, true}) {
      c.scatter = scatter;
      c.of = kind::some_outside;
      c.outside = random.below(2) == 0;
      c.counts = random.below(2) == 0;
      check_any(on, random, c);
      c.of = kind::few;
      check_any(on, random, c);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "gathers and scatters by indices of all kinds, on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    const std::size_t sizes[] = {1, 2, 4, 8, 12, 16, 40, 128};
    for (int k = 0; k < static_cast<int>(kind::kinds); ++k) {
      moved_case c{.size = sizes[random.below(std::size(sizes))], .of = static_cast<kind>(k)};
      // Few elements have other numbers than many.
      c.n = random.below(3) == 0 ? random.below(20) : random.below(30000);
      c.reach = c.of == kind::permuted ? c.n + random.below(5) : 3 + random.below(5000);
      c.scatter = random.below(2) == 0;
      c.distinct = c.scatter && c.of == kind::permuted && random.below(2) == 0;
      c.outside = random.below(2) == 0;
      c.counts = random.below(2) == 0;
      check_any(on, random, c);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "gathers and scatters of many elements") {
  for (const std::size_t size : {1, 4, 8, 24}) {
    for (const bool scatter : {false, true})
      check_any(on, random,
                {.size = size, .n = 600000, .reach = 70000, .of = kind::some_outside, .scatter = scatter});
  }
}

TEST_CASE_FIXTURE(on_device, "gathers and scatters of nothing, of one element, and into nothing") {
  for (const std::size_t size : {4, 12}) {
    for (const bool scatter : {false, true}) {
      for (const std::size_t n : {0, 1, 2, 255, 256, 257, 1023, 1025}) {
        for (const std::size_t reach : {0, 1, 300}) {
          if (size == 12 && n > 2 && n != 257) continue;
          check_any(on, random,
                    {.size = size,
                     .n = n,
                     .reach = reach,
                     .of = kind::some_outside,
                     .scatter = scatter,
                     .outside = true,
                     .counts = n % 2 == 0});
        }
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "an element of equal indices stands whole") {
  for (const std::size_t size : {1, 2, 4, 8, 16, 20, 64, 128})
    check_any(on, random,
              {.size = size, .n = 60000, .reach = 3, .of = kind::few, .scatter = true, .counts = true});
}

TEST_CASE_FIXTURE(on_device, "typed calls: values outside, maps, counts") {
  const std::size_t n = 1000 + random.below(1000), reach = 500;
  const std::vector<float> x = random_elements<float>(random, reach);
  const std::vector<u32> at = some_indices<u32>(random, n, reach, kind::some_outside);
  const cl::Buffer xs = on.buffer_of(x), indices = on.buffer_of(at);
  const view<float> in{xs, reach};
  const view<u32> where{indices, n};
  const auto expected = [&](auto of, auto outside) {
    std::vector<decltype(outside)> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(at[i] < reach ? of(x[at[i]], i) : outside);
    return all;
  };
  const guarded_buffer<float> out(on, n);
  clwave::gather(on.queue, in, where, out.view(), {.outside = -1.5f}).wait();
  CHECK(out.read_guarded() == expected([](float v, std::size_t) { return v; }, -1.5f));

  const guarded_buffer<u64> numbers(on, n);
  clwave::transform_gather(
      on.queue, in, where, numbers.view(),
      {.name = "numbered", .source = "(x < limit ? 1 : 0) + 2 * i", .values = {{"limit", 0.0f}}},
      {.outside = u64{7}})
      .wait();
  CHECK(numbers.read_guarded() ==
        expected([](float v, std::size_t i) { return u64{v < 0 ? 1u : 0u} + 2 * i; }, u64{7}));

  // A half on either side, and a structure made by a map.
  const std::vector<half> halves = random_elements<half>(random, reach);
  const cl::Buffer hs = on.buffer_of(halves);
  const guarded_buffer<half> half_out(on, n);
  clwave::transform_gather(on.queue, view<half>{hs, reach}, where, half_out.view(),
                           {.name = "negative", .source = "-x"})
      .wait();
  const auto half_now = half_out.read_guarded();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = [](const half& v) {
      std::uint16_t b = 0;
      std::memcpy(&b, &v, 2);
      return b;
    };
    const unsigned from = at[i] < reach ? bits(halves[at[i]]) : 0u;
    const bool is_nan = (from & 0x7fffu) > 0x7c00u;
    const unsigned right = at[i] < reach ? from ^ 0x8000u : 0u;
    if (!is_nan && bits(half_now[i]) != right) ++wrong;
  }
  CHECK(wrong == 0);

  std::vector<u32> order(reach);
  std::iota(order.begin(), order.end(), 0u);
  std::reverse(order.begin(), order.end());
  const cl::Buffer orders = on.buffer_of(order);
  const guarded_buffer<point> points(on, reach + 3);
  clwave::transform_scatter(on.queue, in, view<u32>{orders, reach}, points.view(),
                            {.name = "point",
                             .source = "make_point(x, i)",
                             .declarations = "gathered_point make_point(float x, ulong i) {\n"
                                             "  gathered_point p = {x, (float)i, 2.0f};\n  return p;\n}"})
      .wait();
  const std::vector<point> all = points.read_guarded();
  for (std::size_t k = 0; k < reach; ++k) {
    const std::size_t i = reach - 1 - k;
    if (reference::same_bits(all[k].x, x[i]) && all[k].y == static_cast<float>(i) && all[k].z == 2.0f)
      continue;
    CHECK(k == reach);
    break;
  }

  const auto bad_ones =
      static_cast<u64>(std::count_if(at.begin(), at.end(), [&](auto i) { return i >= reach; }));
  const guarded_buffer<u64> bad(on, 1);
  clwave::gather(on.queue, in, where, out.view(), bad.view()).wait();
  CHECK(bad.first() == bad_ones);
  refuses((std::to_string(bad_ones) + " of " + std::to_string(n) + " indices are outside").c_str(),
          [&] { clwave::checked_gather(on.queue, in, where, out.view()); });
  CHECK(out.read_guarded() == expected([](float v, std::size_t) { return v; }, 0.0f));
  clwave::checked_scatter(on.queue, in, view<u32>{orders, reach}, out.view());
  const std::vector<float> scattered = out.read_guarded();
  CHECK(std::equal(x.rbegin(), x.rend(), scattered.begin(),
                   [](float a, float b) { return reference::same_bits(a, b); }));
  refuses("indices are outside",
          [&] { clwave::checked_scatter(on.queue, view<float>(out.buffer(), n), where, in); });
}

TEST_CASE_FIXTURE(on_device, "gathers behind one another on a queue without order") {
  if ((on.device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0) return;
  const std::size_t n = 5000;
  const auto order = some_indices<u64>(random, n, n, kind::permuted);
  const bytes x = reference::random_bytes(n * sizeof(cl_float4));
  const cl::Buffer xs = on.buffer_of(x), first = on.buffer_of(bytes(x.size())),
                   indices = on.buffer_of(std::vector<u64>(n));
  const guarded_buffer<cl_float4> back(on, n);
  const cl::CommandQueue queue = on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  gate held(on);
  const cl::Event written = on.write_after(queue, indices, order.data(), n * 8, {held.event()});
  const view<u64> at{indices, n};
  const clwave::event gathered =
      clwave::gather(queue, view<cl_float4>{xs, n}, at, view<cl_float4>{first, n}, {.after = {written}});
  const clwave::event scattered =
      clwave::scatter(queue, view<cl_float4>{first, n}, at, back.view(), {.after = {gathered}});
  held.open();
  scattered.wait();
  queue.finish();
  const std::vector<cl_float4> now = back.read_guarded();
  CHECK(std::memcmp(now.data(), x.data(), x.size()) == 0);
}

TEST_CASE_FIXTURE(on_device, "what gathers and scatters refuse, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<float>(256));
  const view<float> x{a, 100}, out{b, 90};
  const view<u32> indices{c, 90};
  const auto& q = on.queue;
  refuses("overlap", [&] { clwave::gather(q, x, indices, view<float>{a, 90, 50}); });
  refuses("overlap", [&] { clwave::gather(q, x, indices, view<float>{c, 90, 89}); });
  refuses("overlap", [&] { clwave::scatter(q, out, indices, view<float>{b, 200, 50}); });
  refuses("overlap", [&] { clwave::gather(q, x, indices, out, view<u64>{b, 1}); });
  refuses("the output has 89 elements, and there are 90 indices",
          [&] { clwave::gather(q, x, indices, view<float>(b, 89)); });
  refuses("the input has 100 elements, and there are 90 indices",
          [&] { clwave::scatter(q, x, indices, view<float>(b, 5)); });
  refuses("ends past its buffer", [&] { clwave::gather(q, view<float>{a, 300}, indices, out); });
  refuses("ends past its buffer", [&] { clwave::scatter(q, out, indices, view<float>{a, 257}); });
  refuses("a map of your own", [&] { clwave::transform_gather(q, x, indices, out, clwave::square); });
  const clwave::plan_target target = on.target();
  const element &f32 = element_of<float>(), &u32 = element_of<std::uint32_t>(),
                &i32 = element_of<std::int32_t>();
  refuses("indices of i32", [&] { plan(gather_problem{.in = f32, .indices = i32, .out = f32}, target); });
  refuses("of different types", [&] { plan(gather_problem{.in = f32, .indices = u32, .out = u32}, target); });
  refuses("a number of bad indices of u32", [&] {
    plan(gather_problem{.in = f32, .indices = u32, .out = f32, .bad = any_view(u32, 1)}, target);
  });
  const clwave::map twice{.name = "twice", .source = "2 * x"};
  const element moved = moved_element(4);
  refuses("has no type on the device",
          [&] { plan(gather_problem{.in = moved, .indices = u32, .out = f32, .apply = &twice}, target); });
}

}  // namespace testing::gather_test

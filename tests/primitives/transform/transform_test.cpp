// transform and broadcast against plain loops on the host, in double, on every profile, with guard elements
// around every output.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/large.hpp"
#include "harness/past_caches.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "primitives/transform.hpp"

namespace testing::transform_test {
namespace {

struct pair {
  float low, high;
};
struct three_floats {
  float x, y, z;
};

}  // namespace
}  // namespace testing::transform_test

CLWAVE_STRUCTURE(testing::transform_test::pair, "pair", "typedef struct { float low, high; } pair;")
CLWAVE_STRUCTURE(testing::transform_test::three_floats, "three_floats",
                 "typedef struct { float x, y, z; } three_floats;")

namespace testing::transform_test {
namespace {

// Small whole numbers and eighths: what the texts below make of them is exact in every type they use.
template <class T>
std::vector<T> random_values(std::size_t n) {
  static std::mt19937_64 generator(11);
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) {
    const int whole = static_cast<int>(generator() % 100);
    if constexpr (std::is_same_v<T, half>) {
      values.push_back(half(static_cast<float>(whole) / 8));
    } else if constexpr (std::is_integral_v<T>) {
      values.push_back(static_cast<T>(whole));
    } else {
      values.push_back(static_cast<T>(whole) / 8);
    }
  }
  return values;
}

template <class T>
double number(T value) {
  if constexpr (std::is_same_v<T, half>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

// The sizes: nothing, round a packet, a lane set, a group, a block, and a prime of many groups.
const std::size_t sizes[] = {0, 1, 3, 4, 5, 31, 64, 255, 257, 1024, 4099, 70'001};

template <class X, class Y, class Out>
using binary_call = void (*)(fixture& on, const view<X>& x, const view<Y>& y, const view<Out>& out,
                             const map& apply);

template <class X, class Y, class Out>
void call_public(fixture& on, const view<X>& x, const view<Y>& y, const view<Out>& out, const map& apply) {
  clwave::transform(on.queue, x, y, out, apply).wait();
}

template <class X, class Y, class Out>
void call_streaming(fixture& on, const view<X>& x, const view<Y>& y, const view<Out>& out, const map& apply) {
  const clwave::transform_problem problem{
      {{element_of<X>(), out.size(), x.offset()}, {element_of<Y>(), out.size(), y.offset()}},
      {element_of<Out>(), out.size(), out.offset()},
      &apply};
  const std::array<cl_mem, 3> buffers{x.buffer(), y.buffer(), out.buffer()};
  CHECK(call_past_caches(on, "transform", problem, buffers).variant.streaming);
}

template <class X, class Y, class Out>
int wrong_binary(fixture& on, std::size_t n, std::size_t x_offset, std::size_t y_offset,
                 std::size_t out_offset, binary_call<X, Y, Out> transforms = call_public<X, Y, Out>) {
  const auto x = random_values<X>(n + x_offset);
  const auto y = random_values<Y>(n + y_offset);
  const cl::Buffer x_buffer = on.buffer_of(x);
  const cl::Buffer y_buffer = on.buffer_of(y);
  guarded_buffer<Out> out(on, n + out_offset);
  const map twice{.name = "twice and", .source = "x * 2 + y + (i & 3)"};
  const auto before = out.read();
  transforms(on, view<X>(x_buffer, n, x_offset), view<Y>(y_buffer, n, y_offset),
             out.view().subview(out_offset, n), twice);
  const auto got = out.read();
  int wrong = out.guards_intact() ? 0 : 1;
  for (std::size_t i = 0; i < out_offset; ++i) wrong += same_bits(got[i], before[i]) ? 0 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double right = number(x[x_offset + i]) * 2 + number(y[y_offset + i]) + static_cast<double>(i & 3);
    const double expected = reference::is_whole<Out> ? std::trunc(right) : right;
    wrong += number(got[out_offset + i]) == expected ? 0 : 1;
  }
  if (wrong != 0) MESSAGE("n " << n << ", from " << x_offset << " and " << y_offset << " to " << out_offset);
  return wrong;
}

template <class X, class B, class Out>
int wrong_broadcast(fixture& on, clwave::broadcast_shape size, clwave::per which, std::size_t offset) {
  const std::size_t in_row = size.in_row != 0 ? size.in_row : size.columns;
  const std::size_t out_row = size.out_row != 0 ? size.out_row : size.columns;
  const auto x = random_values<X>(size.rows * in_row + offset);
  const std::size_t values = which == clwave::per::row ? size.rows : size.columns;
  const auto b = random_values<B>(values + offset);
  const cl::Buffer x_buffer = on.buffer_of(x);
  const cl::Buffer b_buffer = on.buffer_of(b);
  guarded_buffer<Out> out(on, size.rows * out_row + offset);
  const auto before = out.read();
  clwave::broadcast(on.queue, view<X>(x_buffer, size.rows * in_row, offset),
                    view<B>(b_buffer, values, offset), out.view().subview(offset, size.rows * out_row), size,
                    which, {.name = "scale", .source = "x * 4 + b"})
      .wait();
  const auto got = out.read();
  int wrong = out.guards_intact() ? 0 : 1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool inside = i >= offset && (i - offset) % out_row < size.columns;
    if (!inside) {
      wrong += same_bits(got[i], before[i]) ? 0 : 1;
      continue;
    }
    const std::size_t row = (i - offset) / out_row;
    const std::size_t column = (i - offset) % out_row;
    const double right = number(x[offset + row * in_row + column]) * 4 +
                         number(b[offset + (which == clwave::per::row ? row : column)]);
    wrong += number(got[i]) == right ? 0 : 1;
  }
  if (wrong != 0)
    MESSAGE(size.rows << " x " << size.columns << " of " << in_row << " to " << out_row << " at " << offset);
  return wrong;
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "transform of two floats, at every size and place, on every profile") {
  for_each_profile([&](const clwave::profile& /*row*/) {
    int wrong = 0;
    for (const std::size_t n : sizes) {
      wrong += wrong_binary<float, float, float>(on, n, 0, 0, 0);
      wrong += wrong_binary<float, float, float>(on, n, 3, 7, 11);  // the same place between packets
    }
    wrong += wrong_binary<float, float, float>(on, 4099, 0, 1, 2);
    wrong += wrong_binary<float, float, float>(on, 257, 1, 0, 0);
    CHECK(wrong == 0);
  });
}

// A work-item's share is pages in turn, what is left behind them, and what lies before the first line.
TEST_CASE_FIXTURE(on_device, "transforms past the caches have the results of others") {
  int wrong = 0;
  for (const std::size_t n : {1u, 63u, 4096u, 33'000u, 70'001u}) {
    for (const std::size_t place : {0u, 1u, 5u, 16u}) {
      wrong += wrong_binary<float, float, float>(on, n, 1, 0, place, call_streaming);
      wrong += wrong_binary<float, std::int32_t, std::uint8_t>(on, n, 0, place, place, call_streaming);
      wrong += wrong_binary<std::uint8_t, half, half>(on, n, place, 3, 3, call_streaming);
      if (on.has_doubles()) wrong += wrong_binary<float, half, double>(on, n, 0, 0, place, call_streaming);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("which transforms on a CPU store past its caches") {
  const forced_profile forced("cpu");
  const auto& on = default_fixture().facts;
  const auto streams = [&](const element& in, const element& out, u64 n, bool in_place) {
    const clwave::transform_problem problem{{{in, n}}, {out, n}, &clwave::identity, in_place};
    return clwave::plan(problem, {.facts = &on, .choice = clwave::choose_profile(on)})
               .options.find("-Dclwave_STREAMING") != std::string::npos;
  };
  const element& f32 = element_of<float>();
  const element& triple = element_of<three_floats>();
  constexpr u64 large = u64{1} << 32;
  CHECK(streams(f32, f32, large, false));
  CHECK_FALSE(streams(f32, f32, large, true));
  CHECK_FALSE(streams(f32, f32, 1000, false));
  CHECK_FALSE(streams(triple, triple, large, false));
}

TEST_CASE_FIXTURE(on_device, "transform between types of different sizes") {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "gpu", "cpu"}))) {
    int wrong = 0;
    for (const std::size_t n : {std::size_t{5}, std::size_t{4099}}) {
      wrong += wrong_binary<std::uint8_t, float, float>(on, n, 4, 8, 0);
      wrong += wrong_binary<half, float, half>(on, n, 1, 1, 1);
      wrong += wrong_binary<half, half, float>(on, n, 0, 0, 1);
      wrong += wrong_binary<float, std::int16_t, std::int32_t>(on, n, 2, 2, 2);
      wrong += wrong_binary<std::uint8_t, std::uint8_t, u16>(on, n, 0, 0, 0);
      wrong += wrong_binary<std::int64_t, std::int8_t, std::int64_t>(on, n, 1, 1, 1);
      if (on.has_doubles()) wrong += wrong_binary<double, float, double>(on, n, 0, 0, 0);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE_FIXTURE(on_device, "transform of one and three inputs, structures and vectors") {
  for (const std::string name : forced_rows(some_of({"sm_90", "gpu", "cpu"}))) {
    const std::size_t n = 1031;
    const auto a = random_values<float>(3 * n);
    const auto b = random_values<float>(n);
    const cl::Buffer a_buffer = on.buffer_of(a);
    const cl::Buffer b_buffer = on.buffer_of(b);
    const view<float> x(a_buffer, n), y(b_buffer, n), z(a_buffer, n, n);

    guarded_buffer<float> out(on, n);
    clwave::transform(on.queue, x, y, z, out.view(),
                      {.name = "mad",
                       .source = "helped(x, y) + z",
                       .declarations = "float helped(float a, float b) { return a * b; }"})
        .wait();
    auto got = out.read();
    int wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += got[i] == a[i] * b[i] + a[n + i] ? 0 : 1;
    clwave::transform(on.queue, x, out.view(), clwave::square).wait();
    got = out.read();
    for (std::size_t i = 0; i < n; ++i) wrong += got[i] == a[i] * a[i] ? 0 : 1;
    CHECK(wrong == 0);
    CHECK(out.guards_intact());

    // 12 bytes in, 8 bytes out.
    guarded_buffer<pair> pairs(on, n);
    clwave::transform(on.queue, view<three_floats>(a_buffer, n), pairs.view(),
                      {.name = "range",
                       .source = "range_of(x)",
                       .declarations = "pair range_of(three_floats t) {\n"
                                       "  pair p = {fmin(t.x, fmin(t.y, t.z)), fmax(t.x, fmax(t.y, t.z))};\n"
                                       "  return p;\n}"})
        .wait();
    const auto got_pairs = pairs.read();
    for (std::size_t i = 0; i < n; ++i) {
      const auto [low, high] = std::minmax({a[3 * i], a[3 * i + 1], a[3 * i + 2]});
      wrong += got_pairs[i].low == low && got_pairs[i].high == high ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(pairs.guards_intact());

    guarded_buffer<cl_float4> vectors(on, n / 4);
    clwave::transform(on.queue, view<cl_float4>(a_buffer, n / 4), vectors.view(),
                      {.name = "reversed", .source = "x.wzyx"})
        .wait();
    const auto got_vectors = vectors.read();
    for (std::size_t i = 0; i < n / 4; ++i) wrong += got_vectors[i].s[0] == a[4 * i + 3] ? 0 : 1;
    CHECK(wrong == 0);
    CHECK(vectors.guards_intact());
  }
}

TEST_CASE_FIXTURE(on_device, "transform in place, and what is refused") {
  const map add{.name = "add", .source = "x + y"};
  const map twice{.name = "double", .source = "2 * x"};
  for_each_profile([&](const clwave::profile& /*row*/) {
    const std::size_t n = 5003;
    const auto a = random_values<float>(n);
    const auto b = random_values<float>(n);
    const cl::Buffer a_buffer = on.buffer_of(a);
    const cl::Buffer b_buffer = on.buffer_of(b);
    clwave::transform(on.queue, view<float>(a_buffer, n - 1, 1), view<float>(b_buffer, n - 1, 1),
                      view<float>(b_buffer, n - 1, 1), add)
        .wait();
    const auto got = on.read<float>(b_buffer, n);
    int wrong = got[0] == b[0] ? 0 : 1;
    for (std::size_t i = 1; i < n; ++i) wrong += got[i] == a[i] + b[i] ? 0 : 1;
    CHECK(wrong == 0);
  });
  const std::vector<float> a = random_values<float>(100);
  const cl::Buffer buffer = on.buffer_of(a);
  const cl::Buffer other = on.buffer_of(a);
  const view<float> x(buffer, 50);
  CHECK(refused([&] { clwave::transform(on.queue, x, view<float>(buffer, 50, 1), twice); }));
  CHECK(refused([&] { clwave::transform(on.queue, x, view<half>(buffer, 50), twice); }));
  CHECK(refused([&] { clwave::transform(on.queue, x, view<float>(other, 51), twice); }));
  CHECK(refused([&] { clwave::transform(on.queue, x, view<float>(other, 50, 51), twice); }));
  CHECK(refused([&] { clwave::transform(on.queue, x, view<float>(other, 50), clwave::product); }));
  CHECK(refused(
      [&] { clwave::transform(on.queue, x, view<float>(other, 50), map{.name = "none", .source = ""}); }));
  const view<float> vector(other, 5);
  const map bias{.name = "bias", .source = "x + b"};
  using clwave::per;
  CHECK(refused(
      [&] { clwave::broadcast(on.queue, x, vector, x, {.rows = 10, .columns = 5}, per::row, bias); }));
  CHECK(refused(
      [&] { clwave::broadcast(on.queue, x, vector, x, {.rows = 5, .columns = 11}, per::row, bias); }));
  CHECK(refused([&] {
    clwave::broadcast(on.queue, x, vector, x, {.rows = 5, .columns = 5, .in_row = 6}, per::row, bias);
  }));
  CHECK(refused([&] {
    clwave::broadcast(on.queue, x, vector, x, {.rows = 5, .columns = 5, .in_row = 4}, per::row, bias);
  }));
  CHECK(refused([&] {
    clwave::broadcast(on.queue, x, vector, view<float>(other, 50), {.rows = 5, .columns = 10}, per::row,
                      bias);
  }));
  CHECK(on.read<float>(buffer, 100) == a);
  CHECK(on.read<float>(other, 100) == a);
  // A text that does not compile is a build error with the compiler's lines.
  try {
    clwave::transform(on.queue, x, view<float>(other, 50), map{.name = "broken", .source = "x + nothing"});
    FAIL("a broken text was built");
  } catch (const clwave::error& e) {
    CHECK(e.kind() == clwave::failure::build);
  }
}

TEST_CASE_FIXTURE(on_device, "broadcast per row and per column, on every profile") {
  using clwave::per;
  for_each_profile([&](const clwave::profile& /*row*/) {
    int wrong = 0;
    for (const per which : {per::row, per::column}) {
      for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                          {1, 5000},
                                          {3000, 1},
                                          {7, 33},
                                          {129, 64},
                                          {65, 1027},
                                          {3, 20'000}}) {
        // Rows of whole packets, the last one of each short, and between them room.
        const std::size_t pitch = (columns + 3) / 4 * 4 + 8;
        wrong += wrong_broadcast<float, float, float>(on, {rows, columns, pitch, pitch + 4}, which, 0);
      }
      wrong += wrong_broadcast<float, float, float>(on, {41, 513, 0, 515}, which, 1);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE_FIXTURE(on_device, "broadcast between types, and in place") {
  using clwave::per;
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx906", "cpu"}))) {
    int wrong = 0;
    for (const per which : {per::row, per::column}) {
      wrong += wrong_broadcast<half, float, half>(on, {33, 136, 0, 0}, which, 0);
      wrong += wrong_broadcast<std::uint8_t, float, float>(on, {9, 1000, 1004, 0}, which, 0);
    }
    CHECK(wrong == 0);
    const std::size_t rows = 37, columns = 203;
    const auto x = random_values<float>(rows * columns);
    const auto b = random_values<float>(columns);
    const cl::Buffer x_buffer = on.buffer_of(x);
    const cl::Buffer b_buffer = on.buffer_of(b);
    const view<float> all(x_buffer, rows * columns);
    clwave::broadcast(on.queue, all, view<float>(b_buffer, columns), all, {rows, columns, 0, 0}, per::column,
                      {.name = "bias", .source = "x + b"})
        .wait();
    const auto got = on.read<float>(x_buffer, x.size());
    for (std::size_t i = 0; i < x.size(); ++i) wrong += got[i] == x[i] + b[i % columns] ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("transform: past 2^32 elements") {
  using namespace testing;
  const fixture on;
  const large_buffers large(on);
  const clwave::map next{.name = "next", .source = "(uchar)(x + (i >> 32) + 1)"};
  clwave::transform(on.queue, large.x(), large.y(), next).wait();
  check_bytes(on, large.out, large.n, [](u64 i) { return static_cast<u8>(byte_at(i) + (i >> 32) + 1); });
}

}  // namespace testing::transform_test

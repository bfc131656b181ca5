// Named values of maps in transform and broadcast: texts see the numbers of their own call, bit by bit, and
// new numbers build nothing.
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>
#include <clwave/transform.hpp>

#include "harness/values.hpp"

namespace testing::transform_values_test {
namespace {

const map axpy{.name = "axpy", .source = "alpha * x + y", .values = {{"alpha", 2.5f}}};

map axpy_by(float alpha) {
  map apply = axpy;
  apply.values[0] = {"alpha", alpha};
  return apply;
}

TEST_CASE_FIXTURE(on_device, "values: a transform of one to three inputs, in every kind of row") {
  constexpr std::size_t n = 4099;
  const std::vector<float> x = random_floats(n + 1), y = random_floats(n + 1), z = random_floats(n + 1);
  const cl::Buffer x_buffer = on.buffer_of(x), y_buffer = on.buffer_of(y), z_buffer = on.buffer_of(z);
  under_rows(rows, [&] {
    // By packets, and from element 1 by elements.
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      CAPTURE(first);
      const view<float> in_x{x_buffer, n, first}, in_y{y_buffer, n, first}, in_z{z_buffer, n, first};
      for (const float alpha : {2.5f, -0.3f}) {
        CAPTURE(alpha);
        guarded_buffer<float> out(on, n);
        const auto wrong = [&](auto expected) {
          const std::vector<float> got = out.read();
          std::size_t count = 0;
          for (std::size_t i = 0; i < n; ++i) count += same_bits(got[i], expected(first + i)) ? 0u : 1u;
          return count + (out.guards_intact() ? 0u : 1u);
        };
        clwave::transform(on.queue, in_x, out.view(),
                          map{.name = "shifted",
                              .source = "(x - middle) * scale",
                              .values = {{"middle", 0.5f}, {"scale", alpha}}})
            .wait();
        CHECK(wrong([&](std::size_t i) { return product(x[i] - 0.5f, alpha); }) == 0);
        clwave::transform(on.queue, in_x, in_y, out.view(), axpy_by(alpha)).wait();
        CHECK(wrong([&](std::size_t i) { return product(alpha, x[i]) + y[i]; }) == 0);
        clwave::transform(on.queue, in_x, in_y, in_z, out.view(),
                          map{.name = "three",
                              .source = "x * alpha + y * beta + z",
                              .values = {{"alpha", alpha}, {"beta", 3}}})
            .wait();
        CHECK(wrong([&](std::size_t i) { return product(x[i], alpha) + product(y[i], 3.0f) + z[i]; }) == 0);
      }
    }
  });
}

TEST_CASE_FIXTURE(on_device, "values: a broadcast over rows and columns") {
  constexpr std::size_t height = 37, width = 203;
  const std::vector<float> x = random_floats(height * width), b = random_floats(width);
  const cl::Buffer x_buffer = on.buffer_of(x), b_buffer = on.buffer_of(b);
  under_rows(rows, [&] {
    for (const clwave::per which : {clwave::per::row, clwave::per::column}) {
      CAPTURE(static_cast<int>(which));
      for (const float alpha : {2.5f, -0.3f}) {
        guarded_buffer<float> out(on, x.size());
        clwave::broadcast(on.queue, view<float>{x_buffer, x.size()},
                          view<float>{b_buffer, which == clwave::per::row ? height : width}, out.view(),
                          {.rows = height, .columns = width}, which,
                          map{.name = "decayed",
                              .source = "x * alpha + b * beta",
                              .values = {{"alpha", alpha}, {"beta", 0.7f}}})
            .wait();
        const std::vector<float> got = out.read();
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
          const float value = b[which == clwave::per::row ? k / width : k % width];
          wrong += same_bits(got[k], product(x[k], alpha) + product(value, 0.7f)) ? 0u : 1u;
        }
        CHECK(wrong == 0);
        CHECK(out.guards_intact());
      }
    }
  });
}

TEST_CASE_FIXTURE(on_device, "values: two hundred numbers take one build") {
  const std::vector<float> x = random_floats(3000), y = random_floats(3000);
  const cl::Buffer x_buffer = on.buffer_of(x), y_buffer = on.buffer_of(y);
  const view<float> in_x{x_buffer, x.size()}, in_y{y_buffer, y.size()};
  guarded_buffer<float> out(on, x.size());
  const auto check = [&](float alpha) {
    clwave::transform(on.queue, in_x, in_y, out.view(), axpy_by(alpha));
    const std::vector<float> got = out.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      wrong += same_bits(got[i], product(alpha, x[i]) + y[i]) ? 0u : 1u;
    CHECK(wrong == 0);
    const op fold{
        .name = "by alpha", .source = "a + alpha * b", .identity = "0", .values = {{"alpha", alpha}}};
    const float expected =
        reference::host_fold<float>(x, 0, x.size(), [&](float a, float b) { return a + product(alpha, b); });
    CHECK(same_bits(clwave::reduce(on.queue, in_x, fold), expected));
  };
  check(0.5f);
  const std::size_t made = programs_made();
  for (int k = 0; k < 200; ++k) check(static_cast<float>(k - 100) / 99);
  CHECK(programs_made() == made);
  // Another type or name is another program.
  map other = axpy;
  other.values[0] = {"alpha", 2};
  clwave::transform(on.queue, in_x, in_y, out.view(), other).wait();
  CHECK(programs_made() == made + 1);
  other = {.name = "axpy", .source = "alpha * x + y", .values = {{"alpha", 2}, {"beta", 2}}};
  clwave::transform(on.queue, in_x, in_y, out.view(), other).wait();
  CHECK(programs_made() == made + 2);
}

TEST_CASE_FIXTURE(on_device, "values: they may change as soon as the call has returned") {
  const std::vector<float> x = random_floats(100);
  const cl::Buffer buffer = on.buffer_of(x);
  guarded_buffer<float> out(on, x.size());
  gate held(on);
  map apply{.name = "times", .source = "x * alpha", .values = {{"alpha", 2.0f}}};
  const clwave::event done = clwave::transform(on.queue, view<float>{buffer, x.size()}, out.view(), apply,
                                               {.after = {held.event()}});
  apply.values[0] = {"alpha", 5.0f};
  apply.values.clear();
  held.open();
  done.wait();
  CHECK(out.read()[7] == x[7] * 2);
}

// ---------------------------------------------------------------------------------------------- bits

// The value as a kernel sees it, by a text in `v`.
template <class Out, class T>
Out seen(const T& number, const std::string& text = "v") {
  const fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<std::uint8_t>(1));
  guarded_buffer<Out> out(on, 1);
  clwave::transform(on.queue, view<std::uint8_t>{in, 1}, out.view(),
                    map{.name = "seen", .source = text, .values = {{"v", number}}})
      .wait();
  return out.first();
}

template <class T>
void check_whole_numbers() {
  using limits = std::numeric_limits<T>;
  for (const T number :
       {limits::min(), limits::max(), T(0), T(1), static_cast<T>(limits::max() / 3), T(-1)}) {
    CAPTURE(number);
    CHECK(seen<T>(number) == number);
  }
}

TEST_CASE("values: whole numbers of every type") {
  check_whole_numbers<std::int8_t>();
  check_whole_numbers<std::uint8_t>();
  check_whole_numbers<std::int16_t>();
  check_whole_numbers<std::int32_t>();
  check_whole_numbers<u32>();
  check_whole_numbers<std::int64_t>();
  check_whole_numbers<u64>();
  CHECK(seen<u64>(0x8000000000000001ULL) == 0x8000000000000001ULL);
  CHECK(seen<u16>(u16(65'535)) == 65'535);
  CHECK(seen<std::int32_t>(true) == 1);
  CHECK(seen<std::int64_t>(-5LL) == -5);
}

TEST_CASE("values: floats with all their bits: zeros, denormals, infinities, NaNs") {
  for (const u32 bits : {0u, 0x80000000u, 1u, 0x807fffffu, 0x3f800001u, 0x7f800000u, 0xff800000u, 0x7fc00000u,
                         0xffc12345u, 0x7f7fffffu}) {
    CAPTURE(bits);
    CHECK(seen<u32>(std::bit_cast<float>(bits), "as_uint(v)") == bits);
  }
  // A half is the float that it is worth.
  CHECK(seen<float>(half(-0.333f)) == static_cast<float>(half(-0.333f)));
  CHECK(seen<u32>(half(-0.0f), "as_uint(v)") == 0x80000000u);
  if (!default_fixture().has_doubles()) return;
  for (const u64 bits :
       {u64{0}, 0x8000000000000000u, u64{1}, 0x3ff0000000000001u, 0x7ff0000000000000u, 0x7ff8000000000000u,
        0xfff8000000012345u, 0x400921fb54442d18u, 0x7fefffffffffffffu}) {
    CAPTURE(bits);
    CHECK(seen<u64>(std::bit_cast<double>(bits), "as_ulong(v)") == bits);
  }
}

TEST_CASE_FIXTURE(on_device, "values: a double is one, and literals beside it are") {
  if (!on.has_doubles()) return;
  CHECK(seen<double>(0.1, "v + 0.1") == 0.2);
  const cl::Buffer in = on.buffer_of(std::vector<float>{3.0f});
  guarded_buffer<double> out(on, 1);
  clwave::transform(on.queue, view<float>{in, 1}, out.view(),
                    map{.name = "thirds", .source = "x * third", .values = {{"third", 1.0 / 3}}})
      .wait();
  CHECK(out.first() == 3.0 * (1.0 / 3));
}

TEST_CASE_FIXTURE(on_device, "values: as many as there may be, in their order, of mixed types and of one") {
  map mixed{.name = "mixed", .source = "0"}, same{.name = "same", .source = "0"};
  for (int k = 0; k < 16; ++k) {
    const std::string name = "v" + std::to_string(k);
    // Types of other sizes side by side.
    switch (k % 5) {
      case 0:
        mixed.values.emplace_back(name, static_cast<std::int8_t>(k));
        break;
      case 1:
        mixed.values.emplace_back(name, static_cast<u64>(k));
        break;
      case 2:
        mixed.values.emplace_back(name, static_cast<float>(k));
        break;
      case 3:
        mixed.values.emplace_back(name, static_cast<std::int16_t>(k));
        break;
      default:
        mixed.values.emplace_back(name, k);
    }
    same.values.emplace_back(name, k);
    for (map* const each : {&mixed, &same})
      each->source = "i == " + std::to_string(k) + " ? (int)" + name + " : " + each->source;
  }
  const cl::Buffer in = on.buffer_of(std::vector<std::uint8_t>(16));
  for (const map& apply : {mixed, same}) {
    CAPTURE(apply.name);
    guarded_buffer<std::int32_t> out(on, 16);
    clwave::transform(on.queue, view<std::uint8_t>{in, 16}, out.view(), apply).wait();
    const auto got = out.read();
    for (int k = 0; k < 16; ++k) CHECK(got[static_cast<std::size_t>(k)] == k);
  }
}

TEST_CASE("values: vectors") {
  const cl_float4 weights{{1.5f, -2, 3, 0.25f}};
  CHECK(seen<float>(weights, "v.x * 2 + v.w") == 3.25f);
  const cl_float4 same = seen<cl_float4>(weights);
  CHECK(same_bits(same, weights));
  CHECK(seen<std::int32_t>(cl_int2{{7, -9}}, "v.y") == -9);
  if (!default_fixture().has_doubles()) return;
  CHECK(seen<double>(cl_double4{{0.1, 0.2, 0.3, 0.4}}, "v.w") == 0.4);
}

}  // namespace
}  // namespace testing::transform_values_test

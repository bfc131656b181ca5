// Element types through transform and broadcast, and what is said where they do not take one.
#include <complex>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/transform.hpp>

#include "harness/elements.hpp"
#include "harness/refusals.hpp"

namespace testing::transform_types_test {
namespace {

using complex_float = std::complex<float>;

// Squares of vectors, component by component.
template <class V, class T, std::size_t N>
void check_vector() {
  const fixture& on = default_fixture();
  random_engine random;
  for (const std::size_t n : {1u, 37u, 8195u}) {
    CAPTURE(n);
    const std::vector<T> x = random_elements<T>(random, n * N);
    const cl::Buffer in = on.buffer_of(x);
    const view<const V> values(in, n);
    const guarded_buffer<V> out(on, n);
    clwave::transform(on.queue, values, out.view(), clwave::square).wait();
    const std::vector<V> squares = out.read_guarded();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n * N; ++i)
      wrong += !same_bits(squares[i / N].s[i % N], reference::wrapping_times(x[i], x[i])) ? 1 : 0;
    CHECK(wrong == 0);
  }
}

TEST_CASE("vectors of 2 to 16 components are transformed") {
  check_vector<cl_float8, float, 8>();
  check_vector<cl_float16, float, 16>();
  check_vector<cl_short2, std::int16_t, 2>();
  check_vector<cl_uchar16, std::uint8_t, 16>();
  if (default_fixture().has_doubles()) check_vector<cl_double16, double, 16>();
}

TEST_CASE_FIXTURE(on_device, "transform and broadcast take bfloat16, bool, bytes and complex numbers") {
  constexpr std::size_t n = 5003;
  const auto x = random_elements<bfloat16>(random, n), y = random_elements<bfloat16>(random, n);
  const auto z = random_elements<complex_float>(random, n), w = random_elements<complex_float>(random, n);
  const auto bytes = random_elements<std::byte>(random, n);
  const cl::Buffer xs = on.buffer_of(x), ys = on.buffer_of(y), zs = on.buffer_of(z), ws = on.buffer_of(w);
  const cl::Buffer bs = on.buffer_of(bytes);
  in_rows([&](bool) {
    const guarded_buffer<bfloat16> out(on, n);
    clwave::transform(on.queue, view<const bfloat16>(xs, n), view<const bfloat16>(ys, n), out.view(),
                      {.name = "axpy", .source = "2.5f * x + y"})
        .wait();
    const auto got = out.read_guarded();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const volatile float scaled = 2.5f * static_cast<float>(x[i]);
      wrong += got[i].bits != bfloat16(scaled + static_cast<float>(y[i])).bits ? 1 : 0;
    }
    CHECK(wrong == 0);

    const guarded_buffer<std::uint8_t> flags(on, n);
    const view<bool> positive(flags.buffer(), n, flags.guard);
    clwave::transform(on.queue, view<bfloat16>(xs, n), positive,
                      {.name = "positive", .source = "4 * (x > 0)"})
        .wait();
    const auto flag = flags.read_guarded();
    wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += flag[i] != (static_cast<float>(x[i]) > 0 ? 1 : 0) ? 1 : 0;
    CHECK(wrong == 0);
    const guarded_buffer<float> chosen(on, n);
    clwave::transform(on.queue, view<const bool>(positive), view<bfloat16>(xs, n), chosen.view(),
                      {.name = "choose", .source = "x ? y : -1"})
        .wait();
    const auto choice = chosen.read();
    wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      wrong += choice[i] != (flag[i] != 0 ? static_cast<float>(x[i]) : -1) ? 1 : 0;
    CHECK(wrong == 0);

    const guarded_buffer<complex_float> products(on, n);
    clwave::transform(on.queue, view<complex_float>(zs, n), view<complex_float>(ws, n), products.view(),
                      clwave::product)
        .wait();
    const auto product = products.read_guarded();
    wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += !same_bits(product[i], times(z[i], w[i])) ? 1 : 0;
    CHECK(wrong == 0);

    const guarded_buffer<std::byte> flipped(on, n);
    clwave::transform(on.queue, view<std::byte>(bs, n), flipped.view(), {.name = "not", .source = "~x"})
        .wait();
    const auto turned = flipped.read();
    wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += turned[i] != ~bytes[i] ? 1 : 0;
    CHECK(wrong == 0);

    constexpr std::size_t rows = 41, columns = 117;
    for (const clwave::per which : {clwave::per::row, clwave::per::column}) {
      const guarded_buffer<bfloat16> sums(on, rows * columns);
      clwave::broadcast(on.queue, view<const bfloat16>(xs, rows * columns),
                        view<const bfloat16>(ys, which == clwave::per::row ? rows : columns), sums.view(),
                        {.rows = rows, .columns = columns}, which, {.name = "add", .source = "x + b"})
          .wait();
      const auto sum = sums.read_guarded();
      wrong = 0;
      for (std::size_t i = 0; i < rows * columns; ++i) {
        const bfloat16 b = y[which == clwave::per::row ? i / columns : i % columns];
        wrong += sum[i].bits != bfloat16(static_cast<float>(x[i]) + static_cast<float>(b)).bits ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  });
  if (!on.has_doubles()) return;
  // A double is rounded once.
  const std::vector<double> ties = {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8 - 0x1p-40, 1 + 0x1p-8,
                                    -1 - 0x1p-8 - 0x1p-45};
  const guarded_buffer<bfloat16> out(on, 4);
  clwave::transform(on.queue, view<double>(on.buffer_of(ties), 4), out.view(), clwave::identity).wait();
  const auto got = out.read();
  CHECK(got[0].bits == 0x3f81);
  CHECK(got[1].bits == 0x3f80);
  CHECK(got[2].bits == 0x3f80);
  CHECK(got[3].bits == 0xbf81);
}

TEST_CASE_FIXTURE(on_device,
                  "a map that a type does not have says what to do, and inputs of a transform may be const") {
  const cl::Buffer buffer = on.buffer_of(std::vector<double>(100));
  const view<complex_float> complex(buffer, 10);
  const view<std::byte> bytes(buffer, 10);
  refuses("hypot(x.x, x.y)",
          [&] { clwave::transform(on.queue, complex, view<complex_float>(buffer, 10, 20), clwave::abs); });
  refuses("std::byte",
          [&] { clwave::transform(on.queue, bytes, view<std::byte>(buffer, 10, 300), clwave::square); });
  const cl::Buffer numbers = on.buffer_of(std::vector<float>{1, 2, 3, 4});
  const view<float> plain(numbers, 4);
  const view<const float> fixed = plain;
  const guarded_buffer<float> out(on, 4);
  clwave::transform(on.queue, fixed, fixed, plain, out.view(), {.name = "fma", .source = "x * y + z"}).wait();
  CHECK(out.read() == std::vector<float>{2, 6, 12, 20});
}

}  // namespace
}  // namespace testing::transform_types_test

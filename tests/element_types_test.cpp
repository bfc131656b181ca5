// Element types through copy, fill, transpose, layout, transform and gemm, where each takes them; and what is
// said where one does not.
#include <algorithm>
#include <complex>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/gemm.hpp>
#include <clwave/layout.hpp>
#include <clwave/reduce.hpp>
#include <clwave/transform.hpp>
#include <clwave/transpose.hpp>

#include "elements.hpp"
#include "refusals.hpp"

namespace testing {
namespace {

using complex_float = std::complex<float>;
using complex_double = std::complex<double>;

TEST_CASE("names of element types") {
  for (const auto& known :
       std::vector<std::pair<const char*, const clwave::element*>>{{"bf16", &element_of<bfloat16>()},
                                                                   {"bfloat16", &element_of<bfloat16>()},
                                                                   {"cf32", &element_of<complex_float>()},
                                                                   {"cf64", &element_of<complex_double>()},
                                                                   {"bool", &element_of<bool>()},
                                                                   {"byte", &element_of<std::byte>()},
                                                                   {"f32x16", &element_of<cl_float16>()},
                                                                   {"float16", &element_of<cl_float16>()},
                                                                   {"u16x8", &element_of<cl_ushort8>()},
                                                                   {"char2", &element_of<cl_char2>()},
                                                                   {"f32x4", &element_of<cl_float3>()},
                                                                   {"u64x16", &element_of<cl_ulong16>()}}) {
    CAPTURE(known.first);
    CHECK(clwave::find_element(known.first) == known.second);
  }
  CHECK(clwave::find_element("complex") == nullptr);
  CHECK(clwave::find_element("float3") == nullptr);
}

// Vectors, component by component.
template <class V, class T, std::size_t N>
void check_vector() {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::size_t n : {std::size_t{1}, std::size_t{37}, std::size_t{8195}}) {
    CAPTURE(n);
    const std::vector<T> x = random_elements<T>(random, n * N);
    const cl::Buffer in = on.buffer_of(x);
    const view<const V> values(in, n);
    const auto check = [&](const V& got, auto combine) {
      for (std::size_t c = 0; c < N; ++c)
        CHECK(same_bits(got.s[c], reference::fold_reference<T>(
                                      n, [&](std::size_t i) { return x[i * N + c]; }, combine, false)));
    };
    check(clwave::reduce(on.queue, values), reference::wrapping_plus<T>);
    check(clwave::reduce(on.queue, values, clwave::max), reference::maximum<T>);
    const guarded_buffer<V> out(on, n);
    clwave::transform(on.queue, values, out.view(), clwave::square).wait();
    CHECK(out.guards_intact());
    const std::vector<V> squares = out.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n * N; ++i)
      wrong += !same_bits(squares[i / N].s[i % N], reference::wrapping_times(x[i], x[i])) ? 1 : 0;
    CHECK(wrong == 0);
  }
}

TEST_CASE("vectors of 2 to 16 components") {
  check_vector<cl_float8, float, 8>();
  check_vector<cl_float16, float, 16>();
  check_vector<cl_short2, std::int16_t, 2>();
  check_vector<cl_uchar16, std::uint8_t, 16>();
  if (default_fixture().has_doubles()) check_vector<cl_double16, double, 16>();
  const fixture& on = default_fixture();
  random_engine random;
  const std::vector<float> x = random_elements<float>(random, 8 * 101);
  const guarded_buffer<cl_int8> out(on, 101);
  clwave::copy(on.queue, view<cl_float8>(on.buffer_of(x), 101), out.view()).wait();
  for (const cl_int8& each : out.read()) CHECK(each.s[7] == 0);  // all are below 1
}

// What moves bytes: copy, fill, transpose and layout.
template <class T>
void check_moves() {
  CAPTURE(element_of<T>().name);
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  constexpr std::size_t rows = 33, columns = 65, n = rows * columns;
  const std::vector<T> x = random_elements<T>(random, n);
  const cl::Buffer in = on.buffer_of(x);
  const auto same = [&](const guarded_buffer<T>& out, auto right) {
    CHECK(out.guards_intact());
    const std::vector<T> got = out.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += !same_bits(got[i], right(i)) ? 1 : 0;
    CHECK(wrong == 0);
  };
  const guarded_buffer<T> copied(on, n - 1);
  clwave::copy(on.queue, view<const T>(in, n - 1, 1), copied.view()).wait();
  same(copied, [&](std::size_t i) { return x[1 + i]; });
  const guarded_buffer<T> filled(on, n);
  clwave::fill(on.queue, filled.view(), x[0]).wait();
  same(filled, [&](std::size_t) { return x[0]; });
  if (sizeof(T) <= 32) {
    const guarded_buffer<T> turned(on, n);
    clwave::transpose(on.queue, view<const T>(in, n), turned.view(), {.rows = rows, .columns = columns})
        .wait();
    same(turned, [&](std::size_t i) { return x[i % rows * columns + i / rows]; });
  }
}

struct pair_of_fields {
  complex_float z;
  bool is_set;
  bfloat16 weight;
};

TEST_CASE("every element type is copied, filled, transposed and laid out") {
  in_rows([](bool) {
    check_moves<bfloat16>();
    check_moves<complex_float>();
    check_moves<std::byte>();
  });
  check_moves<complex_double>();
  check_moves<char>();
  check_moves<long long>();
  check_moves<cl_float8>();
  check_moves<cl_ulong16>();
  check_moves<cl_ushort4>();

  const fixture& on = default_fixture();
  random_engine random;
  std::vector<pair_of_fields> structures(1001);
  for (pair_of_fields& each : structures)
    each = {random_elements<complex_float>(random, 1)[0], random.below(2) == 0,
            random_elements<bfloat16>(random, 1)[0]};
  const cl::Buffer in = on.buffer_of(structures);
  const guarded_buffer<complex_float> zs(on, 1001);
  const guarded_buffer<std::uint8_t> flags(on, 1001);
  const guarded_buffer<bfloat16> weights(on, 1001);
  const view<bool> set(flags.buffer(), 1001, flags.guard);
  const auto fields = clwave::layout_of(&pair_of_fields::z, &pair_of_fields::is_set, &pair_of_fields::weight);
  const view<const pair_of_fields> from(in, 1001);
  clwave::aos_to_soa(on.queue, from, fields, {zs.view(), set, weights.view()}).wait();
  const auto z = zs.read();
  const auto flag = flags.read();
  const auto weight = weights.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < 1001; ++i)
    wrong += !same_bits(z[i], structures[i].z) || flag[i] != (structures[i].is_set ? 1 : 0) ||
                     weight[i].bits != structures[i].weight.bits
                 ? 1
                 : 0;
  CHECK(wrong == 0);
  // Inputs of the way back may be const, its output may not be, and outputs of this one neither.
  const cl::Buffer back = on.buffer_of(std::vector<pair_of_fields>(1001));
  clwave::soa_to_aos(on.queue,
                     {view<const complex_float>(zs.view()), set, view<const bfloat16>(weights.view())},
                     view<pair_of_fields>(back, 1001), fields)
      .wait();
  CHECK(on.read<pair_of_fields>(back, 1001)[1000].z == structures[1000].z);
  CHECK_THROWS_WITH_AS(
      clwave::aos_to_soa(on.queue, from, fields, {view<const complex_float>(zs.view()), set, weights.view()}),
      doctest::Contains("const"), clwave::error);
}

TEST_CASE("transform and broadcast take bfloat16, bool, bytes and complex numbers") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
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
    CHECK(out.guards_intact());
    const auto got = out.read();
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
    CHECK(flags.guards_intact());
    const auto flag = flags.read();
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
    CHECK(products.guards_intact());
    const auto product = products.read();
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
      CHECK(sums.guards_intact());
      const auto sum = sums.read();
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

TEST_CASE("a matrix product of bfloat16 adds in float, as that of the widened numbers does") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  in_rows([&](bool) {
    for (const auto& shape : {std::array<std::size_t, 3>{65, 33, 129}, {64, 64, 64}, {5, 1, 700}}) {
      const std::size_t m = shape[0], n = shape[1], k = shape[2];
      CAPTURE(m);
      const auto a = random_elements<bfloat16>(random, m * k), b = random_elements<bfloat16>(random, k * n);
      std::vector<float> a_wide(a.size()), b_wide(b.size());
      std::transform(a.begin(), a.end(), a_wide.begin(), [](bfloat16 x) { return static_cast<float>(x); });
      std::transform(b.begin(), b.end(), b_wide.begin(), [](bfloat16 x) { return static_cast<float>(x); });
      const guarded_buffer<float> right(on, m * n), got(on, m * n);
      const guarded_buffer<bfloat16> narrow(on, m * n);
      const cl::Buffer as = on.buffer_of(a), bs = on.buffer_of(b);
      const clwave::gemm_size size{.m = m, .n = n, .k = k};
      clwave::gemm(on.queue, size, view<float>(on.buffer_of(a_wide), m * k),
                   view<float>(on.buffer_of(b_wide), k * n), right.view())
          .wait();
      const view<const bfloat16> av(as, m * k), bv(bs, k * n);
      clwave::gemm(on.queue, size, av, bv, got.view()).wait();
      clwave::gemm(on.queue, size, av, bv, narrow.view()).wait();
      CHECK(got.guards_intact());
      CHECK(narrow.guards_intact());
      const auto wide = right.read(), same = got.read();
      const auto rounded = narrow.read();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < wide.size(); ++i)
        wrong += !same_bits(wide[i], same[i]) || rounded[i].bits != bfloat16(wide[i]).bits ? 1 : 0;
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("an operator or a conversion that a type does not have says what to do") {
  const fixture& on = default_fixture();
  const cl::Buffer buffer = on.buffer_of(std::vector<double>(100));
  const view<complex_float> complex(buffer, 10);
  const view<bool> bools(buffer, 10);
  const view<std::byte> bytes(buffer, 10);
  const view<float> floats(buffer, 10), elsewhere(buffer, 10, 50);
  for (const clwave::op* fold : {&clwave::min, &clwave::max, &clwave::bit_and, &clwave::logical_or})
    refuses("no order, no bits", [&] { clwave::reduce(on.queue, complex, *fold); });
  refuses("map of your own", [&] { clwave::reduce(on.queue, complex, clwave::min); });
  refuses("no order", [&] { clwave::argmin(on.queue, complex); });
  refuses("hypot(x.x, x.y)", [&] { clwave::transform_reduce(on.queue, complex, clwave::plus, clwave::abs); });
  refuses("complex numbers convert to complex numbers only",
          [&] { clwave::reduce<float>(on.queue, complex); });
  refuses("(float2)(x, 0)", [&] { clwave::reduce<complex_float>(on.queue, floats); });
  refuses("complex numbers", [&] { clwave::reduce<complex_float>(on.queue, view<cl_float2>(buffer, 10)); });
  refuses("accumulate in std::uint64_t", [&] { clwave::reduce(on.queue, bools); });
  refuses("std::uint8_t", [&] { clwave::reduce(on.queue, bytes); });
  refuses("std::byte is no number", [&] { clwave::reduce<std::uint32_t>(on.queue, bytes); });
  refuses("no order", [&] { clwave::argmax(on.queue, bytes); });
  refuses("accumulate in float", [&] { clwave::reduce<bfloat16>(on.queue, view<bfloat16>(buffer, 10)); });
  refuses("(float2)(x, 0)", [&] { clwave::copy(on.queue, floats, view<complex_float>(buffer, 10, 20)); });
  refuses("std::uint8_t", [&] { clwave::copy(on.queue, floats, view<std::byte>(buffer, 10, 300)); });
  refuses("complex numbers", [&] { clwave::copy(on.queue, complex, view<cl_float2>(buffer, 10, 20)); });
  refuses("hypot(x.x, x.y)",
          [&] { clwave::transform(on.queue, complex, view<complex_float>(buffer, 10, 20), clwave::abs); });
  refuses("std::byte",
          [&] { clwave::transform(on.queue, bytes, view<std::byte>(buffer, 10, 300), clwave::square); });
  refuses("f32, f64, f16 or bf16", [&] {
    const clwave::gemm_size size{.m = 2, .n = 2, .k = 2};
    clwave::gemm(on.queue, size, complex, complex, view<complex_float>(buffer, 4, 20));
  });
}

// Boost.Compute's vector of const elements, and the like.
struct const_range {
  using value_type = const float;
  cl_mem get_buffer() const { return buffer; }
  std::size_t size() const { return n; }
  cl_mem buffer;
  std::size_t n;
};

TEST_CASE("inputs may be of const elements") {
  const fixture& on = default_fixture();
  const cl::Buffer buffer = on.buffer_of(std::vector<float>{1, 2, 3, 4});
  const view<float> plain(buffer, 4);
  const view<const float> fixed = plain;
  const const_range range{buffer(), 4};
  static_assert(std::is_same_v<decltype(clwave::view(range)), view<const float>>);
  static_assert(!std::is_convertible_v<view<const float>, view<float>>);
  static_assert(!std::is_convertible_v<const_range, view<float>>);
  static_assert(std::is_same_v<decltype(clwave::reduce(on.queue, fixed)), float>);
  CHECK(clwave::reduce(on.queue, fixed) == 10);
  CHECK(clwave::reduce(on.queue, range) == 10);
  CHECK(clwave::reduce<double>(on.queue, fixed.subview(1, 2)) == 5);
  CHECK(clwave::dot(on.queue, fixed, plain) == 30);
  CHECK(clwave::argmax(on.queue, range).index == 3);
  const guarded_buffer<float> out(on, 4);
  clwave::copy(on.queue, range, out.view()).wait();
  CHECK(out.read() == std::vector<float>{1, 2, 3, 4});
  clwave::transform(on.queue, fixed, range, plain, out.view(), {.name = "fma", .source = "x * y + z"}).wait();
  CHECK(out.read() == std::vector<float>{2, 6, 12, 20});
}

}  // namespace
}  // namespace testing

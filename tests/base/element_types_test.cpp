// Element types through reduce, copy and fill, where each takes them; and what is said where one does not.
#include <algorithm>
#include <complex>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "harness/elements.hpp"
#include "harness/refusals.hpp"

namespace testing::element_types_test {
namespace {

using complex_float = std::complex<float>;
using complex_double = std::complex<double>;

TEST_CASE("names of element types") {
  for (const auto& known :
       std::vector<std::pair<const char*, const element*>>{{"bf16", &element_of<bfloat16>()},
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
  for (const std::size_t n : {1u, 37u, 8195u}) {
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
  }
}

TEST_CASE_FIXTURE(on_device, "vectors of 2 to 16 components") {
  check_vector<cl_float8, float, 8>();
  check_vector<cl_float16, float, 16>();
  check_vector<cl_short2, std::int16_t, 2>();
  check_vector<cl_uchar16, std::uint8_t, 16>();
  if (default_fixture().has_doubles()) check_vector<cl_double16, double, 16>();
  const std::vector<float> x = random_elements<float>(random, 8 * 101);
  const guarded_buffer<cl_int8> out(on, 101);
  clwave::copy(on.queue, view<cl_float8>(on.buffer_of(x), 101), out.view()).wait();
  for (const cl_int8& each : out.read()) CHECK(each.s[7] == 0);  // all are below 1
}

// What moves bytes: copy and fill.
template <class T>
void check_moves() {
  CAPTURE(element_of<T>().name);
  const fixture& on = default_fixture();
  random_engine random;
  constexpr std::size_t n = 2145;
  const std::vector<T> x = random_elements<T>(random, n);
  const cl::Buffer in = on.buffer_of(x);
  const auto same = [&](const guarded_buffer<T>& out, auto right) {
    const std::vector<T> got = out.read_guarded();
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
}

TEST_CASE("every element type is copied and filled") {
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
}

TEST_CASE_FIXTURE(on_device, "an operator or a conversion that a type does not have says what to do") {
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
  refuses("std::byte is no number", [&] { clwave::reduce<u32>(on.queue, bytes); });
  refuses("no order", [&] { clwave::argmax(on.queue, bytes); });
  refuses("accumulate in float", [&] { clwave::reduce<bfloat16>(on.queue, view<bfloat16>(buffer, 10)); });
  refuses("(float2)(x, 0)", [&] { clwave::copy(on.queue, floats, view<complex_float>(buffer, 10, 20)); });
  refuses("std::uint8_t", [&] { clwave::copy(on.queue, floats, view<std::byte>(buffer, 10, 300)); });
  refuses("complex numbers", [&] { clwave::copy(on.queue, complex, view<cl_float2>(buffer, 10, 20)); });
}

// Boost.Compute's vector of const elements, and the like.
struct const_range {
  using value_type = const float;
  cl_mem get_buffer() const { return buffer; }
  std::size_t size() const { return n; }
  cl_mem buffer;
  std::size_t n;
};

TEST_CASE_FIXTURE(on_device, "inputs may be of const elements") {
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
}

}  // namespace
}  // namespace testing::element_types_test

// Reductions of the element types that are not simply numbers: complex numbers, bfloat16, bools, bytes, and
// whole numbers of other names.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "harness/elements.hpp"

namespace testing::element_reduce_test {
namespace {

const std::size_t sizes[] = {1, 2, 33, 8193, 20011};

template <class P>
void check_complex(bool own) {
  using C = std::complex<P>;
  using wide = std::complex<long double>;
  const fixture& on = default_fixture();
  random_engine random;
  const std::vector<C> x = random_elements<C>(random, sizes[4] + 1), y = random_elements<C>(random, x.size());
  const cl::Buffer xs = on.buffer_of(x), ys = on.buffer_of(y);
  const auto plus = [](C a, C b) { return a + b; };
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    // Packets of 16 bytes are for what starts at a multiple of them.
    const std::size_t first = own ? 1 : 0;
    const view<const C> in(xs, n, first), in2(ys, n, first);
    const auto x_at = [&](std::size_t i) { return x[first + i]; };
    const auto product_at = [&](std::size_t i) { return times(x[first + i], y[first + i]); };
    const C dot = clwave::dot(on.queue, in, in2);
    CHECK(same_bits(dot, reference::fold_reference<C>(n, product_at, plus, false)));
    const C product = clwave::reduce(on.queue, in, clwave::multiplies);
    CHECK(same_bits(product, reference::fold_reference<C>(n, x_at, times<P>, false)));
    if (!own) continue;
    const C sum = clwave::reduce(on.queue, in);
    CHECK(same_bits(sum, reference::fold_reference<C>(n, x_at, plus, false)));
    // Against the numbers themselves.
    wide exact = 0;
    long double size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const wide term = wide(x[1 + i].real(), x[1 + i].imag()) * wide(y[1 + i].real(), y[1 + i].imag());
      exact += term;
      size += std::abs(term);
    }
    CHECK(std::abs(wide(dot.real(), dot.imag()) - exact) <=
          32 * static_cast<long double>(std::numeric_limits<P>::epsilon()) * size);
  }
  if (!own) return;
  CHECK(clwave::reduce(on.queue, view<const C>(xs, 0)) == C(0));
  CHECK(clwave::reduce(on.queue, view<const C>(xs, 0), clwave::multiplies) == C(1));
  const clwave::map norm{.name = "norm", .source = "x.x * x.x + x.y * x.y"};
  const P got = clwave::transform_reduce<P>(on.queue, view<const C>(xs, 999), clwave::max, norm);
  P right = 0;
  for (std::size_t i = 0; i < 999; ++i) {
    const volatile P re = x[i].real() * x[i].real(), im = x[i].imag() * x[i].imag();
    right = std::max(right, re + im);
  }
  CHECK(got == right);
  // A NaN of one part is the canonical one, and leaves the other part alone.
  std::vector<C> spoiled(300, C(1, 2));
  spoiled[200] = C(-std::numeric_limits<P>::quiet_NaN(), 3);
  const C nan = clwave::reduce(on.queue, view<const C>(on.buffer_of(spoiled), spoiled.size()));
  CHECK(same_bits(nan.real(), reference::canonical(std::numeric_limits<P>::quiet_NaN())));
  CHECK(nan.imag() == 601);
}

TEST_CASE("complex numbers: sums, products, dots, in the promised bits") {
  in_rows([](bool own) { check_complex<float>(own); });
  if (default_fixture().has_doubles()) check_complex<double>(true);
}

TEST_CASE_FIXTURE(on_device, "a sum of bfloat16 is a float's, in the same bits") {
  const std::vector<bfloat16> x = random_elements<bfloat16>(random, sizes[4] + 1);
  const cl::Buffer in = on.buffer_of(x);
  in_rows([&](bool own) {
    const std::size_t first = own ? 1 : 0;
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      const view<const bfloat16> values(in, n, first);
      const auto right = reference::host_fold<float>(x, first, n, reference::wrapping_plus<float>);
      CHECK(same_bits(clwave::reduce(on.queue, values), right));
      if (!own) continue;
      CHECK(clwave::reduce(on.queue, values, clwave::max) ==
            reference::host_fold<float>(x, first, n, reference::maximum<float>));
      const indexed<float> least = clwave::argmin(on.queue, values);
      CHECK(least.value == reference::host_fold<float>(x, first, n, reference::minimum<float>));
      CHECK(static_cast<float>(x[first + least.index]) == least.value);
    }
  });
}

TEST_CASE_FIXTURE(on_device, "bools: counted, combined, and found") {
  std::vector<std::uint8_t> x(sizes[4] + 1);
  for (std::uint8_t& each : x) each = random.below(3) == 0 ? 1 : 0;
  const cl::Buffer in = on.buffer_of(x);
  in_rows([&](bool own) {
    const std::size_t first_place = own ? 1 : 0;
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      const view<bool> values(in, n, first_place);
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first_place),
                 end = begin + static_cast<std::ptrdiff_t>(n);
      const auto count = static_cast<u64>(std::count(begin, end, 1));
      CHECK(clwave::reduce<u64>(on.queue, values) == count);
      CHECK(clwave::reduce(on.queue, values, clwave::bit_xor) == (count % 2 == 1));
      if (!own) continue;
      CHECK(clwave::reduce<float>(on.queue, values) == static_cast<float>(count));
      CHECK(clwave::reduce(on.queue, values, clwave::logical_and) == (count == n));
      CHECK(clwave::reduce(on.queue, values, clwave::logical_or) == (count > 0));
      CHECK(clwave::reduce(on.queue, values, clwave::max) == (count > 0));
      const auto first = clwave::argmax(on.queue, values);
      CHECK(first.value == (count > 0));
      CHECK(first.index == (count > 0 ? static_cast<u64>(std::find(begin, end, 1) - begin) : 0));
    }
  });
  const std::vector<float> floats = {1, 0.5f, NAN, -3, 1e-30f};
  CHECK(clwave::reduce<bool>(on.queue, view<float>(on.buffer_of(floats), 5), clwave::logical_and));
  CHECK(clwave::reduce<bool>(on.queue, view<float>(on.buffer_of(floats), 5), clwave::min));
  CHECK(clwave::reduce(on.queue, view<bool>(in, 0), clwave::logical_and));
  CHECK(clwave::reduce(on.queue, view<bool>(in, 0), clwave::min));
  CHECK(!clwave::reduce(on.queue, view<bool>(in, 0), clwave::bit_xor));
  const clwave::op both{.name = "both", .source = "a && b", .identity = "7"};
  CHECK(clwave::reduce(on.queue, view<bool>(in, 100), both) ==
        (std::count(x.begin(), x.begin() + 100, 1) == 100));
  CHECK(reference::show_bits(clwave::reduce(on.queue, view<bool>(in, 0), both)) == "0x01 (1)");
}

TEST_CASE_FIXTURE(on_device, "bytes are combined by bit operators") {
  const auto x = random_elements<std::byte>(random, sizes[4] + 1);
  const cl::Buffer in = on.buffer_of(x);
  in_rows([&](bool own) {
    const std::size_t first = own ? 1 : 0;
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      const view<const std::byte> values(in, n, first);
      std::byte all{0xff}, any{0}, odd{0};
      for (std::size_t i = first; i < first + n; ++i) all &= x[i], any |= x[i], odd ^= x[i];
      CHECK(clwave::reduce(on.queue, values, clwave::bit_xor) == odd);
      if (!own) continue;
      CHECK(clwave::reduce(on.queue, values, clwave::bit_and) == all);
      CHECK(clwave::reduce(on.queue, values, clwave::bit_or) == any);
    }
  });
  CHECK(clwave::reduce(on.queue, view<std::byte>(in, 0), clwave::bit_and) == std::byte{0xff});
}

TEST_CASE_FIXTURE(on_device, "whole numbers of any name are those of their size") {
  CHECK(&element_of<long long>() == &element_of<std::int64_t>());
  CHECK(&element_of<unsigned long long>() == &element_of<u64>());
  CHECK(element_of<long>().size == sizeof(long));
  CHECK(element_of<unsigned long>().name == (sizeof(long) == 8 ? "u64" : "u32"));
  CHECK(&element_of<char>() ==
        (std::is_signed_v<char> ? &element_of<std::int8_t>() : &element_of<std::uint8_t>()));
  CHECK(&element_of<signed char>() == &element_of<std::int8_t>());
  CHECK(&element_of<const volatile float>() == &element_of<float>());
  const auto check = [&]<class T>(T) {
    const std::vector<T> x = random_elements<T>(random, 9001);
    const cl::Buffer buffer = on.buffer_of(x);
    const view<const T> in(buffer, x.size());
    // Those of 8 and 16 bits are summed in 32.
    decltype(clwave::reduce(on.queue, in)) sum = 0;
    T least = x[0];
    for (const T each : x)
      sum = reference::wrapping_plus(sum, static_cast<decltype(sum)>(each)), least = std::min(least, each);
    CHECK(clwave::reduce(on.queue, in) == sum);
    CHECK(clwave::reduce(on.queue, in, clwave::min) == least);
    CHECK(clwave::argmin(on.queue, in).value == least);
  };
  check('a');
  check(0LL);
  check(0ULL);
  check(0L);
  check(0UL);
}

}  // namespace
}  // namespace testing::element_reduce_test

// Element types through transpose, and sizes that wrap.
#include <complex>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/transpose.hpp>

#include "harness/elements.hpp"
#include "harness/refusals.hpp"

namespace testing::transpose_types_test {
namespace {

template <class T>
void check_type() {
  CAPTURE(element_of<T>().name);
  const fixture& on = default_fixture();
  random_engine random;
  constexpr std::size_t rows = 33, columns = 65, n = rows * columns;
  const std::vector<T> x = random_elements<T>(random, n);
  const cl::Buffer in = on.buffer_of(x);
  const guarded_buffer<T> turned(on, n);
  clwave::transpose(on.queue, view<const T>(in, n), turned.view(), {.rows = rows, .columns = columns}).wait();
  const std::vector<T> got = turned.read_guarded();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += !same_bits(got[i], x[i % rows * columns + i / rows]) ? 1 : 0;
  CHECK(wrong == 0);
}

TEST_CASE("elements of every type are transposed") {
  in_rows([](bool) {
    check_type<bfloat16>();
    check_type<std::complex<float>>();
    check_type<std::byte>();
  });
  check_type<std::complex<double>>();
  check_type<char>();
  check_type<long long>();
  check_type<cl_float8>();
  check_type<cl_ushort4>();
}

TEST_CASE_FIXTURE(on_device, "matrices whose elements no number counts are refused") {
  const view<float> all(on.buffer_of(std::vector<float>(100)), 100);
  constexpr std::size_t many = std::size_t{1} << 32;
  CHECK(refused([&] { clwave::transpose(on.queue, all, all, {.rows = many, .columns = many}); }));
}

}  // namespace
}  // namespace testing::transpose_types_test

// reduce: what elements are accumulated in: vectors, halves in floats, integers that wrap.
#include <clwave/host_array.hpp>
#include <clwave/reduce.hpp>
#include <clwave/sharded.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing::reduce_accumulators_test {
namespace {

TEST_CASE_FIXTURE(on_device, "vectors fold component by component") {
  const auto add4 = [](cl_float4 a, cl_float4 b) {
    for (int k = 0; k < 4; ++k) a.s[k] += b.s[k];
    return a;
  };
  std::vector<cl_float4> fours(9001);
  for (cl_float4& v : fours) {
    for (float& s : v.s) s = random_value<float>(random);
  }
  const cl::Buffer b4 = on.buffer_of(fours);
  CHECK(same_bits(clwave::reduce(on.queue, view<cl_float4>{b4, 9000, 1}),
                  host_fold<cl_float4>(fours, 1, 9000, add4)));
  // A float2 of the same memory: offsets of 8 bytes.
  const std::size_t n2 = 2 * fours.size() - 3;
  const auto least = clwave::reduce(on.queue, view<cl_float2>{b4, n2, 3}, clwave::min);
  cl_float2 expected{{2, 2}};
  for (std::size_t i = 3; i < n2 + 3; ++i) {
    for (std::size_t k = 0; k < 2; ++k)
      expected.s[k] = std::min(expected.s[k], fours[i / 2].s[2 * (i % 2) + k]);
  }
  CHECK(same_bits(least, expected));
  const std::vector<cl_int4> ints(10, cl_int4{{1, 0, -5, std::numeric_limits<int>::max()}});
  const cl::Buffer bi = on.buffer_of(ints);
  CHECK(same_bits(clwave::reduce(on.queue, view<cl_int4>{bi, 10}), cl_int4{{10, 0, -50, -10}}));  // it wraps
  CHECK(
      same_bits(clwave::reduce(on.queue, view<cl_int4>{bi, 10}, clwave::logical_and), cl_int4{{1, 0, 1, 1}}));
}

TEST_CASE_FIXTURE(on_device, "halves are stored, floats accumulate") {
  std::vector<half> values = random_values<half>(random, 20005, spice::finite);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::size_t offset : {0, 1, 4}) {
    const float sum = clwave::reduce(on.queue, view<half>{buffer, 20000, offset});
    const auto expected = host_fold<float>(values, offset, 20000, wrapping_plus<float>);
    CHECK_MESSAGE(same_bits(sum, expected), show_bits(sum), " is not ", show_bits(expected));
  }
  // Every half there is: the conversion is exact, NaNs included.
  std::vector<half> all(65536);
  for (u32 bits = 0; bits < 65536; ++bits) all[bits].bits = static_cast<std::uint16_t>(bits);
  CHECK(same_bits(clwave::reduce(on.queue, view<half>{on.buffer_of(all), all.size()}),
                  reference::canonical(quiet_nan<float>(0))));
  const clwave::map finite{.name = "finite", .source = "isfinite(x) ? fabs(x) : 0.0f"};
  const float sizes =
      clwave::transform_reduce(on.queue, view<half>{on.buffer_of(all), all.size()}, clwave::max, finite);
  CHECK(sizes == 65504.0f);
  if (on.has_doubles()) {
    const double total = clwave::reduce<double>(on.queue, view<half>{buffer, 20000});
    CHECK(same_bits(total, reference::fold_reference<double>(
                               20000, [&](std::size_t i) { return double{float(values[i])}; },
                               wrapping_plus<double>, false)));
  }
}

TEST_CASE_FIXTURE(on_device, "16 bits are whole numbers or floats, as their type says") {
  const std::vector<cl_half> ones(4, half(1.0f).bits);
  const cl::Buffer buffer = on.buffer_of(ones);
  const view<half> floats{buffer, ones.size()};
  const view<u16> numbers{buffer, ones.size()};
  CHECK(clwave::reduce(on.queue, floats) == 4.0f);
  CHECK(clwave::reduce(on.queue, numbers) == 0xf000);
  CHECK(clwave::reduce<u32>(on.queue, numbers) == 4 * 0x3c00);

  const std::vector<u16> values = {3, 65535, 7, 65535, 2, 2};
  const cl::Buffer values_buffer = on.buffer_of(values);
  const view<u16> some{values_buffer, values.size()};
  const u16 sum = clwave::reduce(on.queue, some);
  CHECK(sum == 12);
  CHECK(sum == u16(12));
  const indexed<u16> greatest = clwave::argmax(on.queue, some);
  CHECK(greatest.value == 65535);
  CHECK(greatest.index == 1);
  const indexed<u16> least = clwave::argmin(on.queue, some);
  CHECK(least.value == 2);
  CHECK(least.index == 4);
  for (const char* name : {"u16", "ushort"}) CHECK(clwave::find_element(name) == &element_of<u16>());
}

TEST_CASE_FIXTURE(on_device, "the accumulator is of the caller's choice, and integers wrap") {
  const std::size_t n = 50003;
  const std::vector<std::uint8_t> bytes = random_values<std::uint8_t>(random, n);
  u64 total = 0;
  u64 product = 1;
  for (const std::uint8_t b : bytes) {
    total += b;
    product *= b | 1u;
  }
  const cl::Buffer buffer = on.buffer_of(bytes);
  for (const std::size_t offset : {0, 1, 3}) {
    const view<std::uint8_t> in{buffer, n - offset, offset};
    u64 sum = total;
    for (std::size_t i = 0; i < offset; ++i) sum -= bytes[i];
    CHECK(clwave::reduce<u64>(on.queue, in) == sum);
    CHECK(clwave::reduce<u32>(on.queue, in) == static_cast<u32>(sum));
    CHECK(clwave::reduce<std::uint8_t>(on.queue, in) == static_cast<std::uint8_t>(sum));
  }
  const clwave::map odd{.name = "odd", .source = "x | 1"};
  CHECK(clwave::transform_reduce<u64>(on.queue, view<std::uint8_t>{buffer, n}, clwave::multiplies, odd) ==
        product);

  const std::vector<std::int32_t> most(3, std::numeric_limits<std::int32_t>::max());
  const cl::Buffer bm = on.buffer_of(most);
  CHECK(clwave::reduce(on.queue, view<std::int32_t>{bm, 2}) == -2);
  CHECK(clwave::reduce<std::int64_t>(on.queue, view<std::int32_t>{bm, 3}) == 3ll * most[0]);
  CHECK(clwave::reduce(on.queue, view<std::int32_t>{bm, 3}, clwave::multiplies) ==
        most[0]);  // (-1)^3 * 2^... wraps
  const std::vector<std::int16_t> shorts(4, std::numeric_limits<std::int16_t>::min());
  CHECK(clwave::reduce<std::int16_t>(on.queue, view<std::int16_t>{on.buffer_of(shorts), 2},
                                     clwave::multiplies) == 0);

  if (on.has_doubles()) {
    const std::vector<float> floats = random_values<float>(random, n);
    CHECK(same_bits(clwave::reduce<double>(on.queue, view<float>{on.buffer_of(floats), n}),
                    host_fold<double>(floats, 0, n, wrapping_plus<double>)));
  }
}

// 1000 of them can be added up, and none of them give what their own type's identity is.
template <class T, class Acc>
void check_promoted(T each, T least, T most) {
  fixture& on = default_fixture();
  CAPTURE(element_of<T>().name);
  const cl::Buffer buffer = on.buffer_of(std::vector<T>(1000, each));
  const view<T> x{buffer, 1000}, none{buffer, 0};
  const Acc value = static_cast<Acc>(each);
  static_assert(std::is_same_v<decltype(clwave::reduce(on.queue, x)), Acc>);
  CHECK(clwave::reduce(on.queue, x) == 1000 * value);
  CHECK(clwave::reduce_async(on.queue, x).get() == 1000 * value);
  CHECK(clwave::dot(on.queue, x, x) == 1000 * value * value);
  CHECK(clwave::dot_async(on.queue, x, x).get() == 1000 * value * value);
  CHECK(clwave::transform_reduce(on.queue, x, clwave::plus, {.name = "twice", .source = "2 * x"}) ==
        2000 * value);
  CHECK(clwave::reduce(on.queue, x, {.name = "sum", .source = "a + b"}) == 1000 * value);
  CHECK(clwave::reduce(on.queue, x, clwave::max) == value);
  CHECK(clwave::reduce(on.queue, none) == 0);
  CHECK(clwave::reduce(on.queue, none, clwave::min) == static_cast<Acc>(most));
  CHECK(clwave::reduce_async(on.queue, none, clwave::min).get() == static_cast<Acc>(most));
  CHECK(clwave::reduce(on.queue, none, clwave::max) == static_cast<Acc>(least));
  const clwave::op own{.name = "own", .source = "a + b", .identity = "-(1 + 0)"};
  CHECK(clwave::reduce(on.queue, none, own) == static_cast<Acc>(static_cast<T>(-1)));
  CHECK(clwave::reduce_async(on.queue, none, own).get() == static_cast<Acc>(static_cast<T>(-1)));
  const clwave::sharded<T> cut{{on.queue, x.subview(0, 300)}, {on.queue, x.subview(300, 700)}};
  const clwave::sharded<T> empty{{on.queue, none}};
  CHECK(clwave::reduce(cut) == 1000 * value);
  CHECK(clwave::reduce(empty, clwave::min) == static_cast<Acc>(most));
  const std::vector<T> numbers(1000, each), no_numbers;
  CHECK(clwave::reduce(on.queue, clwave::host_array(numbers)) == 1000 * value);
  CHECK(clwave::reduce(on.queue, clwave::host_array(no_numbers), clwave::min) == static_cast<Acc>(most));
  // A type that is named, and a result on the device, stay.
  CHECK(clwave::reduce<T>(on.queue, x) == static_cast<T>(1000 * value));
  const guarded_buffer<T> out(on, 1);
  clwave::reduce(on.queue, x, out.view()).wait();
  CHECK(out.read()[0] == static_cast<T>(1000 * value));
}

TEST_CASE("integers of 8 and 16 bits accumulate in 32 where nothing else is named") {
  check_promoted<std::uint8_t, u32>(200, 0, 255);
  check_promoted<std::int8_t, std::int32_t>(-100, -128, 127);
  check_promoted<std::int16_t, std::int32_t>(-2000, -32768, 32767);
}

}  // namespace
}  // namespace testing::reduce_accumulators_test

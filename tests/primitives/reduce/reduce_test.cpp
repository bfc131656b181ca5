// reduce: what a call gives, whatever the device: its two forms, empty inputs, operators and maps. Other
// subjects have files of their own, reduce_*_test.cpp; the grid of types, operators and sizes is grid.cpp.
#include <clwave/reduce.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::reduce_test {
namespace {

// Those that lanes and groups decide, and that run once more where sub-groups are real.
const doctest::test_suite lanes("lanes");

// --------------------------------------------------------------------------------------- the two forms

TEST_CASE_FIXTURE(on_device, "a sum has the bits of the fold order, as a value and in a buffer" * lanes) {
  const std::size_t most = 100003;
  const std::vector<float> values = random_values<float>(random, most + 8, spice::finite);
  const cl::Buffer buffer = on.buffer_of(values);
  const std::vector<u32> words = on.read<u32>(buffer, values.size());
  for (const std::size_t n : {1,    2,    3,    7,    28,   31,   33,   63,    124,   127,   252,
                              1023, 1024, 1025, 2048, 8191, 8192, 8193, 16383, 16385, 100003}) {
    for (const std::size_t offset : {0, 1, 4, 7}) {
      CAPTURES(n, offset);
      const float expected = reference::canonical(host_fold<float>(values, offset, n, wrapping_plus<float>));
      const view<float> in{buffer, n, offset};
      const float value = clwave::reduce(on.queue, in);
      CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
      // Whole numbers miss no element, however small: the same bytes once more.
      CHECK(clwave::reduce(on.queue, view<u32>{buffer, n, offset}) ==
            std::accumulate(words.begin() + offset, words.begin() + offset + n, u32{0}));

      guarded_buffer<float> out(on, 1);
      clwave::reduce(on.queue, in, out.view()).wait();
      CHECK_MESSAGE(same_bits(out.first(), expected), show_bits(out.first()), " is not ",
                    show_bits(expected));
      CHECK(out.guards_intact());
    }
  }
  CHECK(on.read<float>(buffer, values.size()) == values);  // nothing wrote to the input
}

TEST_CASE_FIXTURE(on_device, "lanes that hold nothing add nothing" * lanes) {
  const cl::Buffer high = on.buffer_of(std::vector<float>(300, 5));
  const cl::Buffer low = on.buffer_of(std::vector<float>(300, -5));
  // Zeros are what an empty lane most likely holds. The sizes lack a lane or two of a set, of any number of
  // lanes.
  for (const std::size_t n : {3, 7, 12, 15, 28, 31, 60, 63, 124, 127, 248, 252, 299}) {
    CAPTURE(n);
    for (const std::size_t offset : {0, 1}) {
      CHECK(clwave::reduce(on.queue, view<float>{high, n, offset}, clwave::min) == 5);
      CHECK(clwave::reduce(on.queue, view<float>{low, n, offset}, clwave::max) == -5);
    }
  }
}

TEST_CASE("every device of the machine gives the same bits") {
  random_engine random;
  const std::vector<float> values = random_values<float>(random, 50021);
  const auto expected = host_fold<float>(values, 0, values.size(), wrapping_plus<float>);
  for_each_device([&](fixture& on) {
    CAPTURE(on.facts.name.value_or("?"));
    const float sum = clwave::reduce(on.queue, view<float>{on.buffer_of(values), values.size()});
    CHECK_MESSAGE(same_bits(sum, expected), show_bits(sum), " is not ", show_bits(expected));
  });
}

TEST_CASE_FIXTURE(on_device, "only the first element of a longer output is written") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(9000, 1.0f));
  guarded_buffer<float> out(on, 5);
  const std::vector<float> before = out.read();
  clwave::reduce(on.queue, view<float>{in, 9000}, out.view().subview(2, 3)).wait();
  std::vector<float> expected = before;
  expected[2] = 9000.0f;
  const std::vector<float> after = out.read_guarded();
  CHECK(std::memcmp(after.data(), expected.data(), after.size() * sizeof(float)) == 0);
}

// ---------------------------------------------------------------------------------------- empty inputs

template <class T>
void check_identity(const clwave::op& fold, T expected) {
  fixture& on = default_fixture();
  CAPTURES(fold.name, element_of<T>().name);
  const cl::Buffer some = on.buffer_of(std::vector<T>(1));
  for (const view<T>& nothing : {view<T>{some, 0}, view<T>{some, 0, 1}, view<T>{cl_mem{nullptr}, 0}}) {
    const T value = clwave::reduce(on.queue, nothing, fold);
    CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
    guarded_buffer<T> out(on, 1);
    clwave::reduce(on.queue, nothing, out.view(), fold).wait();
    CHECK_MESSAGE(same_bits(out.first(), expected), show_bits(out.first()), " is not ", show_bits(expected));
    CHECK(out.guards_intact());
  }
}

TEST_CASE_TEMPLATE("no elements give the identity", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, u16, u32, u64, float, double) {
  if (std::is_same_v<T, double> && !default_fixture().has_doubles()) return;
  using number = reference::host_of<T>;
  using limits = std::numeric_limits<number>;
  check_identity<T>(clwave::plus, T(0));
  const auto before = clwave::detail::count_programs();  // of one fill, which all operators share
  check_identity<T>(clwave::multiplies, T(1));
  check_identity<T>(clwave::min, limits::has_infinity ? limits::infinity() : limits::max());
  check_identity<T>(clwave::max, limits::has_infinity ? -limits::infinity() : limits::min());
  check_identity<T>(clwave::logical_and, T(1));
  check_identity<T>(clwave::logical_or, T(0));
  if constexpr (reference::is_whole<T>) {
    check_identity<T>(clwave::bit_and, static_cast<number>(-1));
    check_identity<T>(clwave::bit_or, T(0));
    check_identity<T>(clwave::bit_xor, T(0));
  }
  CHECK(clwave::detail::count_programs().built == before.built);
  CHECK(clwave::detail::count_programs().from_disk == before.from_disk);
}

TEST_CASE_FIXTURE(on_device, "no elements of other types give the identity") {
  check_identity<cl_float2>(clwave::multiplies, {{1, 1}});
  check_identity<cl_float4>(clwave::plus, {{0, 0, 0, 0}});
  check_identity<cl_int4>(clwave::bit_and, {{-1, -1, -1, -1}});
  const float inf = std::numeric_limits<float>::infinity();
  check_identity<cl_float4>(clwave::max, {{-inf, -inf, -inf, -inf}});
  const view<half> halves{cl_mem{nullptr}, 0};
  CHECK(clwave::reduce(on.queue, halves) == 0.0f);
  CHECK(clwave::dot(on.queue, view<float>{cl_mem{nullptr}, 0}, view<float>{cl_mem{nullptr}, 0}) == 0.0f);
  CHECK(clwave::reduce<u64>(on.queue, view<std::uint8_t>{cl_mem{nullptr}, 0}, clwave::min) == UINT64_MAX);
}

TEST_CASE("no elements give the identity of a user's operator, read as OpenCL C") {
  const auto with = [](const char* identity) {
    return clwave::op{.name = "last", .source = "b", .identity = identity, .commutative = false};
  };
  const auto before = clwave::detail::count_programs();
  check_identity<float>(with("0"), 0.0f);
  check_identity<float>(with("-2.5"), -2.5f);
  check_identity<std::uint8_t>(with("17"), 17);
  check_identity<std::int64_t>(with("-9223372036854775807"), -9223372036854775807);
  CHECK(clwave::detail::count_programs().built == before.built);
  CHECK(clwave::detail::count_programs().from_disk == before.from_disk);

  // What a C compiler reads differently from a plain number, or not at all.
  check_identity<float>(with("1.0f / 4"), 0.25f);
  check_identity<float>(with("-2.5f"), -2.5f);
  check_identity<u32>(with("0xffu"), 255);
  check_identity<std::int32_t>(with("(1 << 4) | 3"), 19);
  check_identity<std::int32_t>(with("010"), 8);
  check_identity<std::uint8_t>(with("256 + 3"), 3);
  check_identity<u32>(with(" 5 "), 5);
  check_identity<cl_float4>(with("(float4)(1, 2, 3, 4)"), {{1, 2, 3, 4}});
  check_identity<affine>(then, {1, 0});
  if (default_fixture().has_doubles()) check_identity<double>(with("0.1f"), static_cast<double>(0.1f));
}

TEST_CASE_FIXTURE(on_device, "no elements of an operator without identity are refused") {
  const clwave::op first{.name = "first_of", .source = "a", .identity = "", .commutative = false};
  const view<float> nothing{cl_mem{nullptr}, 0};
  guarded_buffer<float> out(on, 1);
  refuses("first_of", [&] { clwave::reduce(on.queue, nothing, first); });
  refuses("first_of", [&] { clwave::reduce(on.queue, nothing, out.view(), first); });
  refuses("argmin", [&] { clwave::argmin(on.queue, nothing); });
  refuses("argmax", [&] { clwave::argmax(on.queue, nothing); });
  CHECK(out.intact());
}

TEST_CASE_FIXTURE(on_device, "the identity of no elements also waits for its events") {
  guarded_buffer<float> out(on, 1);
  gate held(on);
  const clwave::event done = clwave::reduce(on.queue, view<float>{cl_mem{nullptr}, 0}, out.view(),
                                            clwave::multiplies, {.after = {held.event()}});
  on.queue.flush();
  CHECK_FALSE(done.done());
  held.open();
  done.wait();
  CHECK(out.first() == 1.0f);
}

// ------------------------------------------------------------------------ operators, maps, conversions

TEST_CASE_FIXTURE(on_device, "logical operators take an element as different from zero") {
  const auto both = [&]<class T>(std::vector<T> values) {
    const cl::Buffer buffer = on.buffer_of(values);
    const view<T> in{buffer, values.size()};
    return std::pair<T, T>{clwave::reduce(on.queue, in, clwave::logical_and),
                           clwave::reduce(on.queue, in, clwave::logical_or)};
  };
  CHECK(both(std::vector<std::uint8_t>{2, 4}) == std::pair<std::uint8_t, std::uint8_t>{1, 1});
  CHECK(both(std::vector<std::uint8_t>{0, 4}) == std::pair<std::uint8_t, std::uint8_t>{0, 1});
  CHECK(both(std::vector<std::uint8_t>(9000, 0)) == std::pair<std::uint8_t, std::uint8_t>{0, 0});
  std::vector<std::uint8_t> many(20000, 255);
  CHECK(both(many) == std::pair<std::uint8_t, std::uint8_t>{1, 1});
  many[17000] = 0;
  CHECK(both(many) == std::pair<std::uint8_t, std::uint8_t>{0, 1});
  CHECK(both(std::vector<float>{0.25f, quiet_nan<float>(1)}) == std::pair<float, float>{1, 1});  // NaN != 0
  CHECK(both(std::vector<float>{-0.0f, 0.0f}) == std::pair<float, float>{0, 0});
  CHECK(both(std::vector<float>{5.0f}) == std::pair<float, float>{1, 1});  // one element is made 0 or 1 too
  CHECK(clwave::reduce<u64>(on.queue, view<float>{on.buffer_of(std::vector<float>{0.5f, 0.25f}), 2},
                            clwave::logical_and) == 1);
}

TEST_CASE_FIXTURE(on_device, "dot multiplies and adds in the accumulator's type") {
  const std::size_t n = 30011;
  const std::vector<float> x = random_values<float>(random, n + 3, spice::finite);
  const std::vector<float> y = random_values<float>(random, n + 3);
  const cl::Buffer bx = on.buffer_of(x);
  const cl::Buffer by = on.buffer_of(y);
  for (const auto& offsets : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {3, 2}}) {
    const std::size_t ox = offsets.first;
    const std::size_t oy = offsets.second;
    const float expected = reference::canonical(reference::fold_reference<float>(
        n,
        [&](std::size_t i) {
          const volatile float rounded = x[i + ox] * y[i + oy];  // no fused multiply-add on this host either
          return rounded;
        },
        wrapping_plus<float>, false));
    const float value = clwave::dot(on.queue, view<float>{bx, n, ox}, view<float>{by, n, oy});
    CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
  }
  if (on.has_doubles()) {
    const auto expected = reference::fold_reference<double>(
        n, [&](std::size_t i) { return double{x[i]} * double{y[i]}; }, wrapping_plus<double>, false);
    CHECK(same_bits(clwave::dot<double>(on.queue, view<float>{bx, n}, view<float>{by, n}), expected));
  }
  // 65535 * 65535 overflows the int that C promotes two 16-bit factors to.
  const std::vector<std::uint16_t> ones(20000, 65535);
  const cl::Buffer b1 = on.buffer_of(ones);
  const view<u16> v1{b1, ones.size()};
  CHECK(clwave::dot<u64>(on.queue, v1, v1) == 20000ull * 65535 * 65535);
  CHECK(clwave::dot(on.queue, v1, v1) == static_cast<u32>(20000ull * 65535 * 65535));
  CHECK(clwave::dot<u16>(on.queue, v1, v1) == 20000);
}

TEST_CASE_FIXTURE(on_device, "a user's map sees the element's index in the view") {
  const clwave::map weigh{.name = "weigh", .source = "x * (i + 1)"};
  const std::vector<u64> values = random_values<u64>(random, 40009);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::size_t n : {1, 1025, 8192, 8193, 40000}) {
    for (const std::size_t offset : {0, 9}) {
      u64 expected = 0;
      for (std::size_t i = 0; i < n; ++i) expected += values[offset + i] * (i + 1);
      const view<u64> in{buffer, n, offset};
      CAPTURES(n, offset);
      CHECK(clwave::transform_reduce(on.queue, in, clwave::plus, weigh) == expected);
    }
  }
  const clwave::map mixed{.name = "mixed",
                          .source = "step_by(x, y) + i",
                          .declarations = "ulong step_by(ulong x, ulong y) {\n  return 3 * x - y;\n}"};
  u64 expected = 0;
  for (std::size_t i = 0; i < 20000; ++i) expected += 3 * values[i] - values[i + 5] + i;
  guarded_buffer<u64> out(on, 1);
  clwave::transform_reduce(on.queue, clwave::zip(view<u64>{buffer, 20000}, view<u64>{buffer, 20000, 5}),
                           out.view(), clwave::plus, mixed)
      .wait();
  CHECK(out.first() == expected);
}

TEST_CASE_FIXTURE(on_device, "the maps of clwave convert first") {
  const std::vector<std::int8_t> bytes = random_values<std::int8_t>(random, 9001);
  const cl::Buffer buffer = on.buffer_of(bytes);
  const view<std::int8_t> in{buffer, bytes.size()};
  std::int32_t squares = 0;
  std::int32_t sizes = 0;
  for (const std::int8_t b : bytes) {
    squares += b * b;
    sizes += std::abs(int{b});  // 128 of -128: abs of a char is a uchar
  }
  CHECK(clwave::transform_reduce<std::int32_t>(on.queue, in, clwave::plus, clwave::square) == squares);
  CHECK(clwave::transform_reduce<std::int32_t>(on.queue, in, clwave::plus, clwave::abs) == sizes);

  const std::vector<std::int32_t> least{std::numeric_limits<std::int32_t>::min()};
  CHECK(clwave::transform_reduce<u64>(on.queue, view<std::int32_t>{on.buffer_of(least), 1}, clwave::plus,
                                      clwave::abs) == u64{1} << 31);
  // (2^53 - 1)^2 as a long is not the double's square: a u64 squared in u64 wraps.
  const std::vector<u32> big{0xffffffffu, 0xffffffffu};
  CHECK(clwave::transform_reduce<u64>(on.queue, view<u32>{on.buffer_of(big), 2}, clwave::plus,
                                      clwave::square) == 2 * 0xffffffffull * 0xffffffffull);
}

TEST_CASE_FIXTURE(on_device, "a user's commutative operator keeps the fold order") {
  const clwave::op hypotenuse{
      .name = "hypotenuse",
      .source = "sqrt_of(a * a\n + b * b)",
      .identity = "0",
      .declarations = "float sqrt_of(float x) {\n  return 0.5f * x;\n}"};  // exact everywhere
  const auto combine = [](float a, float b) {
    const volatile float aa = a * a;
    const volatile float bb = b * b;
    return 0.5f * (aa + bb);
  };
  const std::vector<float> values = random_values<float>(random, 30000);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::size_t n : {1, 2, 1023, 8192, 8193, 29999}) {
    const auto expected = host_fold<float>(values, 1, n, combine);
    const float value = clwave::reduce(on.queue, view<float>{buffer, n, 1}, hypotenuse);
    CAPTURE(n);
    CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
  }
}

TEST_CASE_FIXTURE(on_device, "operators of the same text but different identities are different programs") {
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>{2, 2});
  const view<u32> in{buffer, 2};
  const view<u32> nothing{buffer, 0};
  // Their texts joined by | are the same.
  const clwave::op first{.name = "first", .source = "a", .identity = "1 |0"};
  const clwave::op odd{.name = "odd", .source = "a|1 ", .identity = "0"};
  CHECK(clwave::reduce(on.queue, in, first) == 2);
  CHECK(clwave::reduce(on.queue, in, odd) == 3);
  CHECK(clwave::reduce(on.queue, nothing, first) == 1);
  CHECK(clwave::reduce(on.queue, nothing, odd) == 0);

  const clwave::op left{.name = "left", .source = "a", .identity = "1|0"};
  const clwave::op either{.name = "either", .source = "a|1", .identity = "0"};
  CHECK(clwave::reduce(on.queue, in, left) == 2);
  CHECK(clwave::reduce(on.queue, in, either) == 3);
}

TEST_CASE_FIXTURE(on_device, "two operators of one text, commutative and not, fold in different orders") {
  clwave::op decay{.name = "decay", .source = "a * 0.5f + b", .identity = "0", .commutative = true};
  const auto combine = [](float a, float b) {
    return a * 0.5f + b;
  };  // exact product: contraction is harmless
  const std::vector<float> values = random_values<float>(random, 20001);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const bool commutative : {true, false}) {
    decay.commutative = commutative;
    for (const std::size_t n : {1, 2, 7, 8, 9, 1023, 1025, 8191, 8192, 8193, 20000}) {
      CAPTURES(commutative, n);
      const auto expected = host_fold<float>(values, 1, n, combine, !commutative);
      const float value = clwave::reduce(on.queue, view<float>{buffer, n, 1}, decay);
      CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
    }
  }
}

}  // namespace
}  // namespace testing::reduce_test

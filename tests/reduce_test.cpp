// reduce: what a call gives, whatever the device. The grid of types, operators and sizes is grid.cpp; queues,
// events and threads are in reduce_queues_test.cpp.
#include <clwave/reduce.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>

#include "devices.hpp"
#include "reference.hpp"

// Structures of a user. What matters of a fold's order is visible in each.
struct affine {  // x -> scale * x + shift, and a before b: composition does not commute
  std::uint32_t scale, shift;
  bool operator==(const affine&) const = default;
};
CLWAVE_STRUCTURE(affine, "affine", "typedef struct { uint scale, shift; } affine;")

struct span_of_text {  // the first and the last character of a run, its length, and whether it was in order
  std::uint32_t first, last, length, whole;
  bool operator==(const span_of_text&) const = default;
};
CLWAVE_STRUCTURE(span_of_text, "span_of_text",
                 "typedef struct { uint first, last, length, whole; } span_of_text;")

struct matrix {
  std::uint32_t a, b, c, d;
  bool operator==(const matrix&) const = default;
};
CLWAVE_STRUCTURE(matrix, "matrix", "typedef struct { uint a, b, c, d; } matrix;")

struct triple {  // 12 bytes: no load has this width
  float x, y, z;
};
CLWAVE_STRUCTURE(triple, "triple", "typedef struct {\n  float x, y, z;\n} triple;")

struct four_floats {  // 16 bytes, aligned to 4
  float x, y, z, w;
};
CLWAVE_STRUCTURE(four_floats, "four_floats", "typedef struct { float x, y, z, w; } four_floats;")

struct large {  // the largest there may be
  std::uint32_t words[32];
};
CLWAVE_STRUCTURE(large, "large", "typedef struct { uint words[32]; } large;")

struct misdeclared {
  float x, y;
};
CLWAVE_STRUCTURE(misdeclared, "misdeclared", "typedef struct { float x, y, z; } misdeclared;")

namespace {

using clwave::failure;
using clwave::indexed;
using clwave::view;
using reference::host_fold;
using reference::random_engine;
using reference::random_value;
using reference::random_values;
using reference::same_bits;
using reference::show_bits;
using reference::spice;
using testing::default_fixture;
using testing::environment;
using testing::fixture;
using testing::gate;
using testing::guarded_buffer;

// The error that f throws. Fails if it throws none.
template <class F>
clwave::error error_of(const F& f) {
  try {
    f();
  } catch (const clwave::error& thrown) {
    return thrown;
  }
  FAIL("no error was thrown");
  return clwave::error(failure::internal, "");
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Fails unless f throws bad_call with `words` in its message.
template <class F>
void refuses(const char* words, const F& f) {
  CAPTURE(std::string(words));
  const clwave::error thrown = error_of(f);
  CAPTURE(std::string(thrown.what()));
  CHECK(thrown.kind() == failure::bad_call);
  CHECK(contains(thrown.what(), words));
}

template <class T>
T plus(T a, T b) {
  return reference::wrapping_plus(a, b);
}

const clwave::op then{.name = "then",  // a first, then b
                      .source = "(affine){a.scale * b.scale, a.shift * b.scale + b.shift}",
                      .identity = "(affine){1, 0}",
                      .commutative = false};

affine compose(affine a, affine b) { return {a.scale * b.scale, a.shift * b.scale + b.shift}; }

std::vector<affine> random_affines(random_engine& random, std::size_t n) {
  std::vector<affine> values(n);
  for (affine& value : values)
    value = {static_cast<std::uint32_t>(random()) | 1u, static_cast<std::uint32_t>(random())};
  return values;
}

// Those that lanes and groups decide, and that run once more where sub-groups are real.
const doctest::test_suite lanes("lanes");

// ------------------------------------------------------------------------------------- the two forms

TEST_CASE("a sum has the bits of the fold order, as a value and in a buffer" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const std::size_t most = 100003;
  const std::vector<float> values = random_values<float>(random, most + 8, spice::finite);
  const cl::Buffer buffer = on.buffer_of(values);
  const std::vector<std::uint32_t> words = on.read<std::uint32_t>(buffer, values.size());
  for (const std::size_t n : {1,    2,    3,    7,    28,   31,   33,   63,    124,   127,   252,
                              1023, 1024, 1025, 2048, 8191, 8192, 8193, 16383, 16385, 100003}) {
    for (const std::size_t offset : {0, 1, 4, 7}) {
      CAPTURE(n);
      CAPTURE(offset);
      const float expected = reference::canonical(host_fold<float>(values, offset, n, plus<float>));
      const view<float> in{buffer, n, offset};
      const float value = clwave::reduce(on.queue, in);
      CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
      // Whole numbers miss no element, however small: the same bytes once more.
      CHECK(clwave::reduce(on.queue, view<std::uint32_t>{buffer, n, offset}) ==
            std::accumulate(words.begin() + offset, words.begin() + offset + n, std::uint32_t{0}));

      guarded_buffer<float> out(on, 1);
      clwave::reduce(on.queue, in, out.view()).wait();
      CHECK_MESSAGE(same_bits(out.first(), expected), show_bits(out.first()), " is not ",
                    show_bits(expected));
      CHECK(out.guards_intact());
    }
  }
  CHECK(on.read<float>(buffer, values.size()) == values);  // nothing wrote to the input
}

TEST_CASE("lanes that hold nothing add nothing" * lanes) {
  fixture& on = default_fixture();
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
  INFO(random.note());
  const std::vector<float> values = random_values<float>(random, 50021);
  const auto expected = host_fold<float>(values, 0, values.size(), plus<float>);
  testing::for_each_device([&](fixture& on) {
    CAPTURE(on.facts.name.value_or("?"));
    const float sum = clwave::reduce(on.queue, view<float>{on.buffer_of(values), values.size()});
    CHECK_MESSAGE(same_bits(sum, expected), show_bits(sum), " is not ", show_bits(expected));
  });
}

TEST_CASE("only the first element of a longer output is written") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(9000, 1.0f));
  guarded_buffer<float> out(on, 5);
  const std::vector<float> before = out.read();
  clwave::reduce(on.queue, view<float>{in, 9000}, out.view().subview(2, 3)).wait();
  std::vector<float> expected = before;
  expected[2] = 9000.0f;
  const std::vector<float> after = out.read();
  CHECK(std::memcmp(after.data(), expected.data(), after.size() * sizeof(float)) == 0);
  CHECK(out.guards_intact());
}

// --------------------------------------------------------------------------------------- empty inputs

template <class T>
void check_identity(const clwave::op& fold, T expected) {
  fixture& on = default_fixture();
  CAPTURE(fold.name);
  CAPTURE(clwave::element_of<T>().name);
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
                   std::uint8_t, clwave::u16, std::uint32_t, std::uint64_t, float, double) {
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

TEST_CASE("no elements of other types give the identity") {
  fixture& on = default_fixture();
  check_identity<cl_float2>(clwave::multiplies, {{1, 1}});
  check_identity<cl_float4>(clwave::plus, {{0, 0, 0, 0}});
  check_identity<cl_int4>(clwave::bit_and, {{-1, -1, -1, -1}});
  const float inf = std::numeric_limits<float>::infinity();
  check_identity<cl_float4>(clwave::max, {{-inf, -inf, -inf, -inf}});
  const view<clwave::half> halves{cl_mem{nullptr}, 0};
  CHECK(clwave::reduce(on.queue, halves) == 0.0f);
  CHECK(clwave::dot(on.queue, view<float>{cl_mem{nullptr}, 0}, view<float>{cl_mem{nullptr}, 0}) == 0.0f);
  CHECK(clwave::reduce<std::uint64_t>(on.queue, view<std::uint8_t>{cl_mem{nullptr}, 0}, clwave::min) ==
        UINT64_MAX);
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
  check_identity<std::uint32_t>(with("0xffu"), 255);
  check_identity<std::int32_t>(with("(1 << 4) | 3"), 19);
  check_identity<std::int32_t>(with("010"), 8);
  check_identity<std::uint8_t>(with("256 + 3"), 3);
  check_identity<std::uint32_t>(with(" 5 "), 5);
  check_identity<cl_float4>(with("(float4)(1, 2, 3, 4)"), {{1, 2, 3, 4}});
  check_identity<affine>(then, {1, 0});
  if (default_fixture().has_doubles()) check_identity<double>(with("0.1f"), static_cast<double>(0.1f));
}

TEST_CASE("no elements of an operator without identity are refused") {
  fixture& on = default_fixture();
  const clwave::op first{.name = "first_of", .source = "a", .identity = "", .commutative = false};
  const view<float> nothing{cl_mem{nullptr}, 0};
  guarded_buffer<float> out(on, 1);
  refuses("first_of", [&] { clwave::reduce(on.queue, nothing, first); });
  refuses("first_of", [&] { clwave::reduce(on.queue, nothing, out.view(), first); });
  refuses("argmin", [&] { clwave::argmin(on.queue, nothing); });
  refuses("argmax", [&] { clwave::argmax(on.queue, nothing); });
  CHECK(out.intact());
}

TEST_CASE("the identity of no elements also waits for its events") {
  fixture& on = default_fixture();
  guarded_buffer<float> out(on, 1);
  gate held(on);
  const clwave::event done = clwave::reduce(on.queue, view<float>{cl_mem{nullptr}, 0}, out.view(),
                                            clwave::multiplies, {.after = {held.event()}});
  on.queue.flush();
  CHECK_FALSE(done.done());
  held.open();
  done.wait();
  CHECK(out.first() == 1.0f);
  CHECK(out.guards_intact());
}

// ---------------------------------------------------------------------------------------- float rules

template <class T>
T quiet_nan(std::uint64_t payload, bool negative = false) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(0x7fc00000u | payload | (negative ? 1u << 31 : 0u)));
  } else {
    return std::bit_cast<double>(std::uint64_t{0x7ff8} << 48 | payload | std::uint64_t{negative} << 63);
  }
}

template <class T>
void check_float_rules() {
  fixture& on = default_fixture();
  const T inf = std::numeric_limits<T>::infinity();
  const auto of = [&](std::vector<T> values, const clwave::op& fold) {
    return clwave::reduce(on.queue, view<T>{on.buffer_of(values), values.size()}, fold);
  };
  const T nan = reference::canonical(quiet_nan<T>(1));
  for (const clwave::op* fold : {&clwave::min, &clwave::max, &clwave::plus, &clwave::multiplies}) {
    CAPTURE(fold->name);
    for (const T bad : {quiet_nan<T>(0x1234), quiet_nan<T>(0x1234, true)}) {
      // At either side, alone, and far inside of many.
      CHECK(same_bits(of({bad, T(1)}, *fold), nan));
      CHECK(same_bits(of({T(1), bad}, *fold), nan));
      CHECK(same_bits(of({bad}, *fold), nan));
      std::vector<T> many(20000, T(1));
      many[8191] = bad;
      CHECK(same_bits(of(many, *fold), nan));
    }
  }
  CHECK(same_bits(of({inf, -inf}, clwave::plus), nan));
  CHECK(same_bits(of({inf, T(0)}, clwave::multiplies), nan));
  // Zeros: -0 is below +0, at whichever side it stands, in each place of a tree.
  for (std::size_t n : {2, 3, 17, 1025, 8193}) {
    for (std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      CAPTURE(n);
      CAPTURE(place);
      std::vector<T> zeros(n, T(0));
      zeros[place] = -T(0);
      CHECK(same_bits(of(zeros, clwave::min), -T(0)));
      CHECK(same_bits(of(zeros, clwave::max), T(0)));
      std::vector<T> negative(n, -T(0));
      negative[place] = T(0);
      CHECK(same_bits(of(negative, clwave::min), -T(0)));
      CHECK(same_bits(of(negative, clwave::max), T(0)));
    }
  }
  CHECK(same_bits(of(std::vector<T>(9000, -T(0)), clwave::plus), -T(0)));  // no identity is folded in
  CHECK(same_bits(of({-T(0)}, clwave::plus), -T(0)));
  CHECK(same_bits(of({-inf, inf, T(1)}, clwave::min), -inf));
  CHECK(same_bits(of({-inf, inf, T(1)}, clwave::max), inf));
}

TEST_CASE("NaNs, zeros and infinities of floats") { check_float_rules<float>(); }

TEST_CASE("NaNs, zeros and infinities of doubles") {
  if (default_fixture().has_doubles()) check_float_rules<double>();
  CHECK(true);
}

TEST_CASE("a NaN in a vector becomes canonical in its own component only") {
  fixture& on = default_fixture();
  std::vector<cl_float4> values(3000, cl_float4{{1, 2, 3, 4}});
  values[1700].s[2] = quiet_nan<float>(0x77, true);
  const cl_float4 sum = clwave::reduce(on.queue, view<cl_float4>{on.buffer_of(values), values.size()});
  CHECK(sum.s[0] == 3000);
  CHECK(sum.s[1] == 6000);
  CHECK(same_bits(sum.s[2], reference::canonical(quiet_nan<float>(1))));
  CHECK(sum.s[3] == 12000);
}

TEST_CASE("denormals are kept where the device keeps them") {
  fixture& on = default_fixture();
  if (!on.facts.f32_denormals.value_or(false)) {
    MESSAGE("skipped: the device flushes denormals of floats");
    CHECK(true);
    return;
  }
  random_engine random;
  INFO(random.note());
  std::vector<float> values(9001);
  for (float& value : values)
    value = std::bit_cast<float>(static_cast<std::uint32_t>(random() & 0x800007ffu));
  const cl::Buffer buffer = on.buffer_of(values);
  const view<float> in{buffer, values.size()};
  const float sum = clwave::reduce(on.queue, in);
  const auto expected = host_fold<float>(values, 0, values.size(), plus<float>);
  CHECK_MESSAGE(same_bits(sum, expected), show_bits(sum), " is not ", show_bits(expected));
  const float least = clwave::reduce(on.queue, in, clwave::min);
  CHECK(same_bits(least, host_fold<float>(values, 0, values.size(), reference::minimum<float>)));
  const auto place = clwave::argmax(on.queue, in);
  CHECK(same_bits(place.value, host_fold<float>(values, 0, values.size(), reference::maximum<float>)));
}

// ----------------------------------------------------------------------------------- argmin and argmax

template <class T>
void check_argument(random_engine& random, std::size_t n, bool few_values) {
  fixture& on = default_fixture();
  std::vector<T> values(n);
  for (T& value : values) value = few_values ? static_cast<T>(random.below(3)) : random_value<T>(random);
  std::size_t least = 0;
  std::size_t greatest = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (values[i] < values[least]) least = i;
    if (values[i] > values[greatest]) greatest = i;
  }
  CAPTURE(n);
  CAPTURE(clwave::element_of<T>().name);
  const cl::Buffer buffer = on.buffer_of(values);
  const indexed<T> low = clwave::argmin(on.queue, view<T>{buffer, n});
  CHECK(low.index == least);
  CHECK(low.value == values[least]);
  const indexed<T> high = clwave::argmax(on.queue, view<T>{buffer, n});
  CHECK(high.index == greatest);
  CHECK(high.value == values[greatest]);
}

TEST_CASE_TEMPLATE("argmin and argmax give the first of equals", T, std::int8_t, std::uint64_t, float) {
  random_engine random;
  INFO(random.note());
  for (const std::size_t n : {1, 2, 5, 1024, 1025, 8193, 70001}) {
    check_argument<T>(random, n, true);
    check_argument<T>(random, n, false);
  }
}

TEST_CASE("argmin and argmax of NaNs, zeros and infinities") {
  fixture& on = default_fixture();
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = reference::canonical(quiet_nan<float>(1));
  const auto low = [&](const std::vector<float>& v) {
    return clwave::argmin(on.queue, view<float>{on.buffer_of(v), v.size()});
  };
  const auto high = [&](const std::vector<float>& v) {
    return clwave::argmax(on.queue, view<float>{on.buffer_of(v), v.size()});
  };

  std::vector<float> values(20000, 1.0f);
  values[5000] = -inf;
  values[6000] = inf;
  CHECK(same_bits(low(values), indexed<float>{-inf, 5000}));
  CHECK(same_bits(high(values), indexed<float>{inf, 6000}));
  values[19999] = quiet_nan<float>(3);
  values[8192] = quiet_nan<float>(7, true);
  CHECK(same_bits(low(values), indexed<float>{nan, 8192}));  // the first, and canonical
  CHECK(same_bits(high(values), indexed<float>{nan, 8192}));
  // Equal zeros: the first, with its own sign.
  CHECK(same_bits(low({0.0f, -0.0f}), indexed<float>{0.0f, 0}));
  CHECK(same_bits(high({-0.0f, 0.0f}), indexed<float>{-0.0f, 0}));

  // Two indices that differ by the number of accumulators, by a tile, and by one.
  for (const std::size_t distance : {1, 1024, 8192}) {
    std::vector<float> pair(10000, 0.0f);
    pair[700] = pair[700 + distance] = 9.0f;
    CHECK(high(pair).index == 700);
    for (float& value : pair) value = -value;
    CHECK(low(pair).index == 700);
  }
}

TEST_CASE("argmax of halves compares floats") {
  fixture& on = default_fixture();
  std::vector<clwave::half> values(5000, clwave::half(-2.0f));
  values[4321] = clwave::half(1.5f);
  const indexed<float> high =
      clwave::argmax(on.queue, view<clwave::half>{on.buffer_of(values), values.size()});
  CHECK(high.value == 1.5f);
  CHECK(high.index == 4321);
}

TEST_CASE("argmax looks an index up through all levels of results" * lanes) {
  fixture& on = default_fixture();
  const std::size_t n = (std::size_t{1} << 26) + 3 * 8192 + 77;  // more tiles than a tile of results has
  std::vector<std::uint8_t> values(n, 3);
  const std::size_t first = (std::size_t{1} << 26) + 100;
  values[first] = values[n - 1] = 200;
  const cl::Buffer buffer = on.buffer_of(values);
  for (const char* name : {"sm_90", "gpu"}) {
    const environment forced("CLWAVE_PROFILE", name);
    const auto high = clwave::argmax(on.queue, view<std::uint8_t>{buffer, n});
    CHECK(high.value == 200);
    CHECK(high.index == first);
    const auto low = clwave::argmin(on.queue, view<std::uint8_t>{buffer, n - 5, 5});
    CHECK(low.value == 3);
    CHECK(low.index == 0);
  }
}

// ------------------------------------------------------------------------- operators, maps, conversions

TEST_CASE("logical operators take an element as different from zero") {
  fixture& on = default_fixture();
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
  CHECK(clwave::reduce<std::uint64_t>(on.queue, view<float>{on.buffer_of(std::vector<float>{0.5f, 0.25f}), 2},
                                      clwave::logical_and) == 1);
}

TEST_CASE("dot multiplies and adds in the accumulator's type") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
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
        plus<float>, false));
    const float value = clwave::dot(on.queue, view<float>{bx, n, ox}, view<float>{by, n, oy});
    CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
  }
  if (on.has_doubles()) {
    const auto expected = reference::fold_reference<double>(
        n, [&](std::size_t i) { return double{x[i]} * double{y[i]}; }, plus<double>, false);
    CHECK(same_bits(clwave::dot<double>(on.queue, view<float>{bx, n}, view<float>{by, n}), expected));
  }
  // 65535 * 65535 overflows the int that C promotes two 16-bit factors to.
  const std::vector<std::uint16_t> ones(20000, 65535);
  const cl::Buffer b1 = on.buffer_of(ones);
  const view<clwave::u16> v1{b1, ones.size()};
  CHECK(clwave::dot<std::uint64_t>(on.queue, v1, v1) == 20000ull * 65535 * 65535);
  CHECK(clwave::dot(on.queue, v1, v1) == 20000);
}

TEST_CASE("a user's map sees the element's index in the view") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const clwave::map weigh{.name = "weigh", .source = "x * (i + 1)"};
  const std::vector<std::uint64_t> values = random_values<std::uint64_t>(random, 40009);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::size_t n : {1, 1025, 8192, 8193, 40000}) {
    for (const std::size_t offset : {0, 9}) {
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < n; ++i) expected += values[offset + i] * (i + 1);
      const view<std::uint64_t> in{buffer, n, offset};
      CAPTURE(n);
      CAPTURE(offset);
      CHECK(clwave::transform_reduce(on.queue, in, clwave::plus, weigh) == expected);
    }
  }
  const clwave::map mixed{.name = "mixed",
                          .source = "step_by(x, y) + i",
                          .declarations = "ulong step_by(ulong x, ulong y) {\n  return 3 * x - y;\n}"};
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < 20000; ++i) expected += 3 * values[i] - values[i + 5] + i;
  guarded_buffer<std::uint64_t> out(on, 1);
  clwave::transform_reduce(
      on.queue, clwave::zip(view<std::uint64_t>{buffer, 20000}, view<std::uint64_t>{buffer, 20000, 5}),
      out.view(), clwave::plus, mixed)
      .wait();
  CHECK(out.first() == expected);
  CHECK(out.guards_intact());
}

TEST_CASE("the maps of clwave convert first") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
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
  CHECK(clwave::transform_reduce<std::uint64_t>(on.queue, view<std::int32_t>{on.buffer_of(least), 1},
                                                clwave::plus, clwave::abs) == std::uint64_t{1} << 31);
  // (2^53 - 1)^2 as a long is not the double's square: a u64 squared in u64 wraps.
  const std::vector<std::uint32_t> big{0xffffffffu, 0xffffffffu};
  CHECK(clwave::transform_reduce<std::uint64_t>(on.queue, view<std::uint32_t>{on.buffer_of(big), 2},
                                                clwave::plus,
                                                clwave::square) == 2 * 0xffffffffull * 0xffffffffull);
}

TEST_CASE("a user's commutative operator keeps the fold order") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
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

TEST_CASE("operators of the same text but different identities are different programs") {
  fixture& on = default_fixture();
  const cl::Buffer buffer = on.buffer_of(std::vector<std::uint32_t>{2, 2});
  const view<std::uint32_t> in{buffer, 2};
  const view<std::uint32_t> nothing{buffer, 0};
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

TEST_CASE("two operators of one text, commutative and not, fold in different orders") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  clwave::op decay{.name = "decay", .source = "a * 0.5f + b", .identity = "0", .commutative = true};
  const auto combine = [](float a, float b) {
    return a * 0.5f + b;
  };  // exact product: contraction is harmless
  const std::vector<float> values = random_values<float>(random, 20001);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const bool commutative : {true, false}) {
    decay.commutative = commutative;
    for (const std::size_t n : {1, 2, 7, 8, 9, 1023, 1025, 8191, 8192, 8193, 20000}) {
      CAPTURE(commutative);
      CAPTURE(n);
      const auto expected = host_fold<float>(values, 1, n, combine, !commutative);
      const float value = clwave::reduce(on.queue, view<float>{buffer, n, 1}, decay);
      CHECK_MESSAGE(same_bits(value, expected), show_bits(value), " is not ", show_bits(expected));
    }
  }
}

// ------------------------------------------------------------------------------------ structures, order

TEST_CASE("a non-commutative operator sees its elements in order, on every profile" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const std::vector<affine> values = random_affines(random, 20011);
  const cl::Buffer buffer = on.buffer_of(values);
  testing::for_each_profile([&](const clwave::profile& row) {
    CAPTURE(row.name);
    for (const std::size_t n : {1, 2, 8, 9, 1000, 8192, 8193, 20000}) {
      CAPTURE(n);
      affine expected = values[3];
      for (std::size_t i = 1; i < n; ++i) expected = compose(expected, values[3 + i]);
      CHECK(clwave::reduce(on.queue, view<affine>{buffer, n, 3}, then) == expected);
    }
  });
}

TEST_CASE("a run of text is put together in order") {
  fixture& on = default_fixture();
  const clwave::op join{.name = "join",
                        .source =
                            "(span_of_text){a.first, b.last, a.length + b.length,"
                            " a.whole & b.whole & (uint)(b.first == a.last + 1)}",
                        .identity = "",
                        .commutative = false};
  std::vector<span_of_text> values(300000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = {i, i, 1, 1};
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::uint32_t n : {1u, 2u, 1024u, 8193u, 100000u, 299999u}) {
    CAPTURE(n);
    CHECK(clwave::reduce(on.queue, view<span_of_text>{buffer, n, 1}, join) == span_of_text{1, n, n, 1});
    guarded_buffer<span_of_text> out(on, 1);
    clwave::reduce(on.queue, view<span_of_text>{buffer, n, 1}, out.view(), join).wait();
    CHECK(out.first() == span_of_text{1, n, n, 1});
    CHECK(out.guards_intact());
  }
}

TEST_CASE("matrices multiply in order, from values of another type") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const clwave::op times{.name = "times",
                         .source =
                             "(matrix){a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,"
                             " a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d}",
                         .identity = "(matrix){1, 0, 0, 1}",
                         .commutative = false};
  const clwave::map shear{.name = "shear", .source = "(i & 1) ? (matrix){1, x, 0, 1} : (matrix){1, 0, x, 1}"};
  const std::vector<std::uint16_t> values = random_values<std::uint16_t>(random, 20003);
  matrix expected{1, 0, 0, 1};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t x = values[i];
    const matrix m = i % 2 != 0 ? matrix{1, x, 0, 1} : matrix{1, 0, x, 1};
    expected = {expected.a * m.a + expected.b * m.c, expected.a * m.b + expected.b * m.d,
                expected.c * m.a + expected.d * m.c, expected.c * m.b + expected.d * m.d};
  }
  const cl::Buffer buffer = on.buffer_of(values);
  const view<clwave::u16> in{buffer, values.size()};
  CHECK(clwave::transform_reduce<matrix>(on.queue, in, times, shear) == expected);
  CHECK(clwave::transform_reduce<matrix>(on.queue, in.subview(0, 0), times, shear) == matrix{1, 0, 0, 1});
}

TEST_CASE("structures of any size" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const clwave::op add{
      .name = "add", .source = "(triple){a.x + b.x, a.y + b.y, a.z + b.z}", .identity = "(triple){0}"};
  std::vector<triple> values(10007);
  for (triple& t : values)
    t = {random_value<float>(random), random_value<float>(random), random_value<float>(random)};
  const cl::Buffer buffer = on.buffer_of(values);
  const triple sum = clwave::reduce(on.queue, view<triple>{buffer, 10000, 7}, add);
  const auto expected = host_fold<triple>(values, 7, 10000, [](triple a, triple b) {
    return triple{a.x + b.x, a.y + b.y, a.z + b.z};
  });
  CHECK(same_bits(sum, expected));

  const clwave::op add_large{.name = "add_large",
                             .source = "add_words(a, b)",
                             .identity = "",
                             .declarations =
                                 "large add_words(large a, large b) {\n"
                                 "  for (int k = 0; k < 32; ++k) a.words[k] += b.words[k];\n"
                                 "  return a;\n}"};
  std::vector<large> larges(9001);
  large total{};
  for (large& l : larges) {
    for (std::size_t k = 0; k < 32; ++k) total.words[k] += l.words[k] = static_cast<std::uint32_t>(random());
  }
  CHECK(same_bits(clwave::reduce(on.queue, view<large>{on.buffer_of(larges), larges.size()}, add_large),
                  total));
}

TEST_CASE("a structure whose size differs on the device is an error that names it") {
  fixture& on = default_fixture();
  const clwave::op add{.name = "add", .source = "(misdeclared){a.x + b.x, a.y + b.y}", .identity = ""};
  const cl::Buffer buffer = on.buffer_of(std::vector<misdeclared>(4));
  const clwave::error thrown = error_of([&] { clwave::reduce(on.queue, view<misdeclared>{buffer, 4}, add); });
  CAPTURE(std::string(thrown.what()));
  CHECK(thrown.kind() == failure::build);
  CHECK(contains(thrown.details().types, "misdeclared"));
  CHECK(contains(thrown.what(), "size_the_host_says"));
}

TEST_CASE("vectors fold component by component") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
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

TEST_CASE("halves are stored, floats accumulate") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  std::vector<clwave::half> values = random_values<clwave::half>(random, 20005, spice::finite);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::size_t offset : {0, 1, 4}) {
    const float sum = clwave::reduce(on.queue, view<clwave::half>{buffer, 20000, offset});
    const auto expected = host_fold<float>(values, offset, 20000, plus<float>);
    CHECK_MESSAGE(same_bits(sum, expected), show_bits(sum), " is not ", show_bits(expected));
  }
  // Every half there is: the conversion is exact, NaNs included.
  std::vector<clwave::half> all(65536);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) all[bits].bits = static_cast<std::uint16_t>(bits);
  CHECK(same_bits(clwave::reduce(on.queue, view<clwave::half>{on.buffer_of(all), all.size()}),
                  reference::canonical(quiet_nan<float>(0))));
  const clwave::map finite{.name = "finite", .source = "isfinite(x) ? fabs(x) : 0.0f"};
  const float sizes = clwave::transform_reduce(on.queue, view<clwave::half>{on.buffer_of(all), all.size()},
                                               clwave::max, finite);
  CHECK(sizes == 65504.0f);
  if (on.has_doubles()) {
    const double total = clwave::reduce<double>(on.queue, view<clwave::half>{buffer, 20000});
    CHECK(same_bits(
        total, reference::fold_reference<double>(
                   20000, [&](std::size_t i) { return double{float(values[i])}; }, plus<double>, false)));
  }
}

TEST_CASE("16 bits are whole numbers or floats, as their type says") {
  fixture& on = default_fixture();
  const std::vector<cl_half> ones(4, clwave::half(1.0f).bits);
  const cl::Buffer buffer = on.buffer_of(ones);
  const view<clwave::half> floats{buffer, ones.size()};
  const view<clwave::u16> numbers{buffer, ones.size()};
  CHECK(clwave::reduce(on.queue, floats) == 4.0f);
  CHECK(clwave::reduce(on.queue, numbers) == 0xf000);
  CHECK(clwave::reduce<std::uint32_t>(on.queue, numbers) == 4 * 0x3c00);

  const std::vector<clwave::u16> values = {3, 65535, 7, 65535, 2, 2};
  const cl::Buffer values_buffer = on.buffer_of(values);
  const view<clwave::u16> some{values_buffer, values.size()};
  const clwave::u16 sum = clwave::reduce(on.queue, some);
  CHECK(sum == 12);
  CHECK(sum == clwave::u16(12));
  const clwave::indexed<clwave::u16> greatest = clwave::argmax(on.queue, some);
  CHECK(greatest.value == 65535);
  CHECK(greatest.index == 1);
  const clwave::indexed<clwave::u16> least = clwave::argmin(on.queue, some);
  CHECK(least.value == 2);
  CHECK(least.index == 4);
  for (const char* name : {"u16", "ushort"})
    CHECK(clwave::find_element(name) == &clwave::element_of<clwave::u16>());
}

TEST_CASE("the accumulator is of the caller's choice, and integers wrap") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const std::size_t n = 50003;
  const std::vector<std::uint8_t> bytes = random_values<std::uint8_t>(random, n);
  std::uint64_t total = 0;
  std::uint64_t product = 1;
  for (const std::uint8_t b : bytes) {
    total += b;
    product *= b | 1u;
  }
  const cl::Buffer buffer = on.buffer_of(bytes);
  for (const std::size_t offset : {0, 1, 3}) {
    const view<std::uint8_t> in{buffer, n - offset, offset};
    std::uint64_t sum = total;
    for (std::size_t i = 0; i < offset; ++i) sum -= bytes[i];
    CHECK(clwave::reduce<std::uint64_t>(on.queue, in) == sum);
    CHECK(clwave::reduce<std::uint32_t>(on.queue, in) == static_cast<std::uint32_t>(sum));
    CHECK(clwave::reduce(on.queue, in) == static_cast<std::uint8_t>(sum));
  }
  const clwave::map odd{.name = "odd", .source = "x | 1"};
  CHECK(clwave::transform_reduce<std::uint64_t>(on.queue, view<std::uint8_t>{buffer, n}, clwave::multiplies,
                                                odd) == product);

  const std::vector<std::int32_t> most(3, std::numeric_limits<std::int32_t>::max());
  const cl::Buffer bm = on.buffer_of(most);
  CHECK(clwave::reduce(on.queue, view<std::int32_t>{bm, 2}) == -2);
  CHECK(clwave::reduce<std::int64_t>(on.queue, view<std::int32_t>{bm, 3}) == 3ll * most[0]);
  CHECK(clwave::reduce(on.queue, view<std::int32_t>{bm, 3}, clwave::multiplies) ==
        most[0]);  // (-1)^3 * 2^... wraps
  const std::vector<std::int16_t> shorts(4, std::numeric_limits<std::int16_t>::min());
  CHECK(clwave::reduce(on.queue, view<std::int16_t>{on.buffer_of(shorts), 2}, clwave::multiplies) == 0);

  if (on.has_doubles()) {
    const std::vector<float> floats = random_values<float>(random, n);
    CHECK(same_bits(clwave::reduce<double>(on.queue, view<float>{on.buffer_of(floats), n}),
                    host_fold<double>(floats, 0, n, plus<double>)));
  }
}

// ------------------------------------------------------------------------------------------ where it lies

TEST_CASE("sub-buffers are read where they begin") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const std::size_t unit = std::max<std::size_t>(on.facts.base_address_align.value_or(128), 128);
  const std::vector<float> values = random_values<float>(random, 40000);
  const cl::Buffer whole = on.buffer_of(values);
  cl_buffer_region region{3 * unit, 30000 * sizeof(float)};
  cl_int code = CL_SUCCESS;
  const cl::Buffer part(
      clCreateSubBuffer(whole(), CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  REQUIRE(code == CL_SUCCESS);
  for (const std::size_t offset : {0, 1}) {
    const auto expected = host_fold<float>(values, 3 * unit / sizeof(float) + offset, 29000, plus<float>);
    CHECK(same_bits(clwave::reduce(on.queue, view<float>{part, 29000, offset}), expected));
  }
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{part, 30001}); });

  guarded_buffer<float> out(on, 1024);
  region = {unit * ((guarded_buffer<float>::guard * sizeof(float) + unit - 1) / unit), 64};
  const cl::Buffer small(
      clCreateSubBuffer(out.buffer()(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  REQUIRE(code == CL_SUCCESS);
  clwave::reduce(on.queue, view<float>{part, 100}, view<float>{small, 1, 2}).wait();
  const std::size_t place = region.origin / sizeof(float) + 2 - guarded_buffer<float>::guard;
  CHECK(
      same_bits(out.read().at(place), host_fold<float>(values, 3 * unit / sizeof(float), 100, plus<float>)));
  CHECK(out.guards_intact());
}

// Runs f in a child process, for what may crash a driver; true if it returned true. The child opens its
// own device: a forked driver is not to be trusted.
// Khronos's loader cuts this variable up where it stands at its first call.
const std::string driver_files = [] {
  const char* value = std::getenv("OCL_ICD_FILENAMES");
  return std::string(value != nullptr ? value : "");
}();

bool survives(const char* test_case) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const environment mark("CLWAVE_TEST_CHILD", "1");
    if (!driver_files.empty()) setenv("OCL_ICD_FILENAMES", driver_files.c_str(), 1);
    execl("/proc/self/exe", "clwave_tests", "--no-skip", test_case, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Memory of the host, whose elements begin `shift` bytes after a multiple of 128.
template <class T>
struct host_memory {
  host_memory(const fixture& on, const std::vector<T>& values, std::size_t shift)
      : bytes(values.size() * sizeof(T) + 256) {
    const auto start = reinterpret_cast<std::uintptr_t>(bytes.data());
    unsigned char* place = bytes.data() + (128 - start % 128) % 128 + shift;
    std::memcpy(place, values.data(), values.size() * sizeof(T));
    cl_int code = CL_SUCCESS;
    buffer = cl::Buffer(clCreateBuffer(on.context(), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                       values.size() * sizeof(T), place, &code));
    REQUIRE(code == CL_SUCCESS);
  }
  std::vector<unsigned char> bytes;
  cl::Buffer buffer;
};

TEST_CASE("memory of the host at any alignment of its type") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const std::vector<std::uint8_t> bytes = random_values<std::uint8_t>(random, 20003);
  const std::vector<float> floats = random_values<float>(random, 20003);
  for (const char* name : {"", "gpu", "cpu"}) {
    const environment forced("CLWAVE_PROFILE",
                             *name != '\0' ? std::optional<std::string>(name) : std::nullopt);
    CAPTURE(std::string(name));
    for (const std::size_t shift : {0, 1, 2, 8, 17}) {
      const host_memory<std::uint8_t> memory(on, bytes, shift);
      for (const std::size_t offset : {0, 1}) {
        CAPTURE(shift);
        CHECK(clwave::reduce<std::uint64_t>(on.queue, view<std::uint8_t>{memory.buffer, 20000, offset}) ==
              host_fold<std::uint64_t>(bytes, offset, 20000, plus<std::uint64_t>));
      }
    }
    for (const std::size_t shift : {0, 4, 8, 12}) {
      const host_memory<float> memory(on, floats, shift);
      for (const std::size_t offset : {0, 1, 3}) {
        CAPTURE(shift);
        CHECK(same_bits(clwave::reduce(on.queue, view<float>{memory.buffer, 20000, offset}),
                        host_fold<float>(floats, offset, 20000, plus<float>)));
      }
    }
  }
}

// A structure of four floats needs no more than their alignment, though it has the size of a wide load.
TEST_CASE("child: structures of host memory at their own alignment" * doctest::skip()) {
  fixture& on = default_fixture();
  const clwave::op add{.name = "add4", .source = "(four_floats){a.x + b.x, a.y, a.z, b.w}", .identity = ""};
  const std::vector<four_floats> values(9001, four_floats{1, 2, 3, 4});
  for (const char* name : {"", "cpu", "gpu"}) {
    const environment forced("CLWAVE_PROFILE",
                             *name != '\0' ? std::optional<std::string>(name) : std::nullopt);
    for (const std::size_t shift : {4, 8, 12}) {
      const host_memory<four_floats> memory(on, values, shift);
      const four_floats sum = clwave::reduce(on.queue, view<four_floats>{memory.buffer, values.size()}, add);
      CHECK(sum.x == 9001);
      CHECK(sum.w == 4);
    }
  }
}

TEST_CASE("structures of host memory at their own alignment") {
  CHECK(survives("--test-case=child: structures of host memory at their own alignment"));
}

// Vectors below their alignment crash CPU drivers: right results or a refusal, nothing else.
TEST_CASE("child: misaligned elements of host memory" * doctest::skip()) {
  fixture& on = default_fixture();
  const auto right_or_refused = [&](const auto& call) {
    bool right = false;
    try {
      right = call();
    } catch (const clwave::error& thrown) {
      CHECK(thrown.kind() == failure::bad_call);
      return;
    }
    CHECK(right);
  };
  for (const char* name : {"", "cpu", "gpu"}) {
    const environment forced("CLWAVE_PROFILE",
                             *name != '\0' ? std::optional<std::string>(name) : std::nullopt);
    CAPTURE(std::string(name));
    for (const std::size_t shift : {4, 8}) {
      const host_memory<cl_float4> memory(on, std::vector<cl_float4>(9001, cl_float4{{1, 2, 3, 4}}), shift);
      right_or_refused([&] {
        return clwave::reduce(on.queue, view<cl_float4>{memory.buffer, 9001}).s[1] == 18002.0f;
      });
    }
    for (const std::size_t shift : {1, 2, 3}) {
      const host_memory<float> memory(on, std::vector<float>(9001, 1.0f), shift);
      right_or_refused([&] { return clwave::reduce(on.queue, view<float>{memory.buffer, 9001}) == 9001.0f; });
    }
  }
}

TEST_CASE("misaligned elements of host memory do not crash") {
  CHECK(survives("--test-case=child: misaligned elements of host memory"));
}

TEST_CASE("more results than a tile has columns, and not whole packets of them" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const std::size_t n = 1026 * 8192 + 77;
  const std::vector<std::uint8_t> values = random_values<std::uint8_t>(random, n + 2 * 8192);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::string name : {"", "sm_90", "gfx90a"}) {  // "": as it is
    std::optional<environment> forced;
    if (!name.empty()) forced.emplace("CLWAVE_PROFILE", name);
    CAPTURE(name);
    // The longer one leaves results where the shorter has none.
    for (const std::size_t count : {values.size(), n}) {
      const std::uint64_t total = std::accumulate(values.begin(), values.begin() + count, std::uint64_t{0});
      CHECK(clwave::reduce<std::uint64_t>(on.queue, view<std::uint8_t>{buffer, count}) == total);
    }
  }
}

TEST_CASE("more than 2^24 elements") {
  fixture& on = default_fixture();
  random_engine random;
  INFO(random.note());
  const std::size_t n = (std::size_t{1} << 24) + 12345;
  std::vector<std::uint8_t> bytes(n);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) total += bytes[i] = static_cast<std::uint8_t>(random() >> 7);
  const cl::Buffer buffer = on.buffer_of(bytes);
  CHECK(clwave::reduce<std::uint64_t>(on.queue, view<std::uint8_t>{buffer, n}) == total);
  // Beyond 2^24 a float cannot count by ones: only the right tree gets there.
  const float sum = clwave::reduce<float>(on.queue, view<std::uint8_t>{buffer, n});
  CHECK(same_bits(sum, host_fold<float>(bytes, 0, n, plus<float>)));
  bytes[n - 2] = 0;
  const clwave::map mark{.name = "mark", .source = "i == 16789559 ? 7u : 0u"};  // n - 2
  CHECK(clwave::transform_reduce<std::uint32_t>(on.queue, view<std::uint8_t>{buffer, n}, clwave::plus,
                                                mark) == 7);
}

// ------------------------------------------------------------------------------------------------ errors

TEST_CASE("wrong views are refused, and nothing is enqueued") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  guarded_buffer<float> out(on, 1);
  fixture stranger(on.device());
  const cl::Buffer foreign = stranger.buffer_of(std::vector<float>(100, 1.0f));
  const view<float> good{in, 100};

  refuses("another context", [&] { clwave::reduce(on.queue, view<float>{foreign, 100}); });
  refuses("another context", [&] { clwave::reduce(on.queue, good, view<float>{foreign, 1}); });
  refuses("another context", [&] { clwave::dot(on.queue, good, view<float>{foreign, 100}); });
  refuses("null", [&] { clwave::reduce(on.queue, view<float>{cl_mem{nullptr}, 1}); });
  refuses("null", [&] { clwave::reduce(on.queue, good, view<float>{cl_mem{nullptr}, 1}); });
  refuses("queue is null", [&] { clwave::reduce(cl_command_queue{nullptr}, good); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, 101}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, 1, 100}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, 1, SIZE_MAX}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, SIZE_MAX, 1}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, view<float>{in, SIZE_MAX / 4 + 2}); });
  refuses("past its buffer", [&] { clwave::reduce(on.queue, good, view<float>{in, 1, 100}); });
  refuses("no element", [&] { clwave::reduce(on.queue, good, view<float>{in, 0}); });
  refuses("differ in length", [&] { clwave::dot(on.queue, good, view<float>{in, 99}); });

  // Overlaps, also through a sub-buffer.
  refuses("overlap", [&] { clwave::reduce(on.queue, good, view<float>{in, 1, 50}); });
  refuses("overlap", [&] {
    clwave::transform_reduce(on.queue, clwave::zip(view<float>{out.buffer(), 10, 10}, view<float>{in, 10, 5}),
                             view<float>{in, 1, 14}, clwave::plus, clwave::product);
  });
  cl_buffer_region region{0, 64};
  cl_int code = CL_SUCCESS;
  const cl::Buffer part(
      clCreateSubBuffer(in(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  REQUIRE(code == CL_SUCCESS);
  refuses("overlap", [&] { clwave::reduce(on.queue, good, view<float>{part, 1}); });
  clwave::reduce(on.queue, view<float>{in, 99}, view<float>{in, 1, 99}).wait();  // neighbours may touch
  CHECK(on.read<float>(in, 100)[99] == 99.0f);

  on.queue.finish();
  CHECK(out.intact());
}

TEST_CASE("a misplaced sub-buffer is refused") {
  fixture& on = default_fixture();
  const cl::Buffer whole = on.buffer_of(std::vector<float>(10000, 1.0f));
  const std::size_t unit = on.facts.base_address_align.value_or(128);
  REQUIRE(unit >= 8);
  std::size_t made = 0;
  for (std::size_t origin = 4; origin < unit; origin *= 2) {
    cl_buffer_region region{origin, 4096};
    cl_int code = CL_SUCCESS;
    const cl::Buffer part(
        clCreateSubBuffer(whole(), CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    if (code != CL_SUCCESS) continue;  // this driver checks by itself
    ++made;
    CAPTURE(origin);
    CAPTURE(unit);
    refuses("sub-buffer", [&] { clwave::reduce(on.queue, view<float>{part, 1000}); });
  }
  MESSAGE(made, " misplaced sub-buffers were made");
}

TEST_CASE("an image is no buffer") {
  fixture& on = default_fixture();
  if (!on.facts.images.value_or(false)) {
    MESSAGE("skipped: the device has no images");
    CHECK(true);
    return;
  }
  cl_image_format format{CL_RGBA, CL_FLOAT};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = 16;
  cl_int code = CL_SUCCESS;
  const cl::Image2D image(clCreateImage(on.context(), CL_MEM_READ_WRITE, &format, &shape, nullptr, &code));
  REQUIRE(code == CL_SUCCESS);
  refuses("image", [&] { clwave::reduce(on.queue, view<float>{image(), 16}); });
  refuses("image", [&] {
    clwave::reduce(on.queue, view<float>{on.buffer_of(std::vector<float>(16)), 16}, view<float>{image(), 1});
  });
}

TEST_CASE("types and operators that do not go together are refused") {
  fixture& on = default_fixture();
  const auto before = clwave::detail::count_programs();
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(100, 1.0f));
  const view<float> floats{buffer, 100};
  const view<affine> affines{buffer, 10};
  guarded_buffer<clwave::half> half_out(on, 1);

  refuses("half", [&] { clwave::reduce<clwave::half>(on.queue, floats); });
  refuses("half", [&] { clwave::reduce(on.queue, floats, half_out.view()); });
  refuses("two inputs", [&] { clwave::transform_reduce(on.queue, floats, clwave::plus, clwave::product); });
  refuses("integers", [&] { clwave::reduce(on.queue, floats, clwave::bit_and); });
  refuses("vector", [&] { clwave::reduce<cl_float4>(on.queue, floats); });
  refuses("vector", [&] { clwave::reduce<float>(on.queue, view<cl_float4>{buffer, 4}); });
  refuses("structure", [&] { clwave::reduce(on.queue, affines); });
  refuses("structure", [&] { clwave::reduce<affine>(on.queue, floats, then); });
  refuses("numbers", [&] { clwave::transform_reduce(on.queue, affines, then, clwave::square); });
  refuses("scalars", [&] { clwave::argmin(on.queue, view<cl_float2>{buffer, 4}); });
  refuses("source", [&] {
    clwave::reduce(on.queue, floats, clwave::op{.name = "empty", .source = "", .identity = ""});
  });
  refuses("name",
          [&] { clwave::reduce(on.queue, floats, clwave::op{.name = "", .source = "a", .identity = ""}); });
  refuses("source", [&] {
    clwave::transform_reduce(on.queue, floats, clwave::plus, clwave::map{.name = "m", .source = ""});
  });
  refuses("comment", [&] {
    clwave::reduce(on.queue, floats, clwave::op{.name = "c", .source = "a + b // the sum", .identity = "0"});
  });
  refuses("directive", [&] {
    clwave::reduce(on.queue, floats,
                   clwave::op{.name = "d", .source = "a +\n#define X\n b", .identity = "0"});
  });
  refuses("comment", [&] {
    clwave::transform_reduce(on.queue, floats, clwave::plus,
                             clwave::map{.name = "m", .source = "x // itself"});
  });
  if (!on.has_doubles()) {
    refuses("doubles", [&] { clwave::reduce<double>(on.queue, floats); });
    refuses("doubles", [&] { clwave::reduce(on.queue, view<double>{buffer, 10}); });
  }
  const clwave::error thrown = error_of([&] { clwave::reduce(on.queue, floats, clwave::bit_and); });
  CHECK(thrown.details().primitive == "reduce");
  CHECK(thrown.details().types == "f32 into f32");
  CHECK(thrown.details().op == "bit_and");
  CHECK(half_out.intact());
  CHECK(clwave::detail::count_programs().built == before.built);
}

TEST_CASE("a compiler's complaint names the user's own text and line") {
  fixture& on = default_fixture();
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10, 1.0f));
  const view<float> in{buffer, 10};
  guarded_buffer<float> out(on, 1);

  const clwave::error in_source = error_of([&] {
    clwave::reduce(on.queue, in, out.view(),
                   clwave::op{.name = "typo", .source = "a + undeclared_name", .identity = "0"});
  });
  CAPTURE(std::string(in_source.what()));
  CHECK(in_source.kind() == failure::build);
  CHECK(contains(in_source.details().log, "undeclared_name"));
  CHECK(contains(in_source.details().log, "operators:1"));
  CHECK(in_source.details().op == "typo");
  CHECK(in_source.details().types == "f32 into f32");
  CHECK_FALSE(in_source.details().device.empty());
  CHECK_FALSE(in_source.details().profile.empty());
  CHECK(contains(in_source.details().options, "-DVALUE=float"));
  CHECK_FALSE(in_source.details().advice.empty());

  const clwave::error in_declarations = error_of([&] {
    clwave::reduce(
        on.queue, in, out.view(),
        clwave::op{.name = "helper",
                   .source = "f(a, b)",
                   .identity = "0",
                   .declarations = "float f(float a, float b) {\n  return a +\n    missing_name;\n}"});
  });
  CAPTURE(std::string(in_declarations.what()));
  CHECK(contains(in_declarations.details().log, "operator helper:3"));
  on.queue.finish();
  CHECK(out.intact());
}

}  // namespace

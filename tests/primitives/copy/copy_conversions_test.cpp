// copy that converts: every pair of scalar types, rounding and saturation, against conversions on the host.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "copies.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"

namespace testing::copy_conversions_test {
namespace {

using clwave::element_kind;
using clwave::rounding;

const std::vector<const element*>& scalars() {
  static const std::vector<const element*> all = [] {
    std::vector<const element*> list = {&element_of<std::int8_t>(),  &element_of<std::uint8_t>(),
                                        &element_of<std::int16_t>(), &element_of<u16>(),
                                        &element_of<std::int32_t>(), &element_of<u32>(),
                                        &element_of<std::int64_t>(), &element_of<u64>(),
                                        &element_of<half>(),         &element_of<float>()};
    if (here().has_doubles()) list.push_back(&element_of<double>());
    return list;
  }();
  return all;
}

bool is_integer(const element& e) {
  return e.kind == element_kind::signed_integer || e.kind == element_kind::unsigned_integer;
}

// What an element is worth. x87's long double holds every value of every type exactly.
static_assert(std::numeric_limits<long double>::digits >= 64, "the reference needs 64 bits of precision");

long double value_of(const element& e, const unsigned char* from) {
  switch (e.kind) {
    case element_kind::half_storage:
      return static_cast<float>(load<half>(from));
    case element_kind::floating:
      return e.size == 4 ? load<float>(from) : load<double>(from);
    case element_kind::signed_integer:
      switch (e.size) {
        case 1:
          return load<std::int8_t>(from);
        case 2:
          return load<std::int16_t>(from);
        case 4:
          return load<std::int32_t>(from);
        default:
          return static_cast<long double>(load<std::int64_t>(from));
      }
    default:
      switch (e.size) {
        case 1:
          return load<std::uint8_t>(from);
        case 2:
          return load<std::uint16_t>(from);
        case 4:
          return load<u32>(from);
        default:
          return static_cast<long double>(load<u64>(from));
      }
  }
}

long double to_whole(long double x, rounding round) {
  switch (round) {
    case rounding::nearest_even:
      return std::nearbyint(x);
    case rounding::upward:
      return std::ceil(x);
    case rounding::downward:
      return std::floor(x);
    default:
      return std::trunc(x);
  }
}

struct float_format {
  int digits;
  int lowest_exponent;  // of the last place of a denormal
  long double greatest;
};

float_format format_of(const element& e) {
  if (e.kind == element_kind::half_storage) return {11, -24, 65504.0L};
  if (e.size == 4) return {24, -149, std::numeric_limits<float>::max()};
  return {53, -1074, std::numeric_limits<double>::max()};
}

// x rounded to a value of the format. `natural` is to nearest even here.
long double to_format(long double x, const float_format& format, rounding round) {
  if (x == 0 || !std::isfinite(x)) return x;
  if (round == rounding::natural) round = rounding::nearest_even;
  const int place = std::max(std::ilogb(x) - (format.digits - 1), format.lowest_exponent);
  const long double rounded = std::copysign(std::ldexp(to_whole(std::ldexp(x, -place), round), place), x);
  if (std::fabs(rounded) <= format.greatest) return rounded;
  const bool to_infinity = round == rounding::nearest_even || (round == rounding::upward && x > 0) ||
                           (round == rounding::downward && x < 0);
  return std::copysign(to_infinity ? std::numeric_limits<long double>::infinity() : format.greatest, x);
}

long double least_of(const element& e) {
  return e.kind == element_kind::signed_integer ? -std::ldexp(1.0L, static_cast<int>(8 * e.size) - 1) : 0.0L;
}

long double greatest_of(const element& e) {
  const int bits = static_cast<int>(8 * e.size) - (e.kind == element_kind::signed_integer ? 1 : 0);
  return std::ldexp(1.0L, bits) - 1;
}

// Whether `got` is right for an element converted from `from`; true as well where nothing is specified.
bool is_right(const element& from, const unsigned char* source, const element& to, const unsigned char* got,
              bool saturate, rounding round) {
  const long double x = value_of(from, source);
  const long double y = value_of(to, got);
  if (!is_integer(to)) {
    const long double expected = to_format(x, format_of(to), round);
    if (std::isnan(expected)) return std::isnan(y);
    if (y == expected) return std::signbit(y) == std::signbit(expected);
    // A device that flushes denormals may do so here.
    const float_format format = format_of(to);
    const bool is_tiny = std::fabs(x) < std::ldexp(1.0L, format.lowest_exponent + format.digits);
    const bool flushes = !here().facts.f32_denormals.value_or(true);
    return flushes && is_tiny && y == 0;
  }
  if (is_integer(from) && !saturate) {
    // Wraps: the low bytes of the value, which was extended by its sign.
    u64 wide = from.kind == element_kind::signed_integer ? static_cast<u64>(static_cast<std::int64_t>(x))
                                                         : static_cast<u64>(x);
    return std::memcmp(&wide, got, to.size) == 0;
  }
  if (std::isnan(x)) return !saturate || y == 0;
  const long double whole = to_whole(x, round);
  if (whole < least_of(to) || whole > greatest_of(to))
    return !saturate || y == std::clamp(whole, least_of(to), greatest_of(to));
  return y == whole;
}

template <class T>
void append(bytes& to, T value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

// A value as an element, as near as the host comes to it.
void append_value(bytes& to, const element& e, long double x) {
  if (e.kind == element_kind::half_storage) return append(to, half(static_cast<float>(x)));
  if (e.kind == element_kind::floating)
    return e.size == 4 ? append(to, static_cast<float>(x)) : append(to, static_cast<double>(x));
  if (!(x >= least_of(e) && x <= greatest_of(e))) return;
  const u64 word = x < 0 ? static_cast<u64>(static_cast<std::int64_t>(x)) : static_cast<u64>(x);
  const std::size_t at = to.size();
  to.resize(at + e.size);
  std::memcpy(to.data() + at, &word, e.size);
}

// What is hard to convert, then random bits: all halves, and for every power of two the values around it
// and around the halves between whole numbers; infinities, NaN, denormals.
bytes hard_values(const element& e) {
  bytes all;
  if (e.kind == element_kind::half_storage) {
    for (unsigned bits = 0; bits < 65536; ++bits) append(all, static_cast<std::uint16_t>(bits));
    return all;
  }
  using limits = std::numeric_limits<float>;
  for (const long double x :
       {0.0L, -0.0L, 65519.9L, 65520.0L, 65504.0L, 1e-8L, 2.98e-8L, 1e-40L, 1e-310L, 1e30L, 1e300L}) {
    append_value(all, e, x);
    append_value(all, e, -x);
  }
  for (int power = -26; power <= 66; ++power) {
    const long double p = std::ldexp(1.0L, power);
    for (const long double about :
         {0.0L, 1.0L, 0.5L, 1.5L, 2.5L, 0.25L, p / 2048, p / 4096, 3 * p / 4096, p / 16777216}) {
      for (const long double x : {p + about, p - about}) {
        append_value(all, e, x);
        append_value(all, e, -x);
      }
    }
  }
  if (e.kind == element_kind::floating) {
    for (const float x :
         {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::max(), limits::denorm_min()})
      append_value(all, e, x);
  }
  const bytes random = random_bytes(2003 * e.size);
  all.insert(all.end(), random.begin(), random.end());
  return all;
}

int wrong_conversion(const element& from, const element& to, bool saturate, rounding round,
                     std::size_t in_offset = 0, std::size_t out_offset = 0) {
  const bytes source = hard_values(from);
  const std::size_t n = source.size() / from.size - in_offset;
  bytes before((out_offset + n) * to.size + guard, 0xa5);
  const cl::Buffer in = here().buffer_of(source);
  const cl::Buffer out = here().buffer_of(before);
  const clwave::copy_problem problem{
      {in(), n, in_offset, &from}, {out(), n, out_offset, &to}, saturate, round};
  clwave::copy(here().queue(), problem).wait();
  const bytes after = whole(out);
  const std::size_t first = out_offset * to.size;
  int wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i >= first && i < first + n * to.size) continue;
    wrong += after[i] != before[i] ? 1 : 0;
  }
  if (wrong != 0) MESSAGE("guard bytes were written");
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned char* x = source.data() + (in_offset + i) * from.size;
    const unsigned char* y = after.data() + first + i * to.size;
    if (is_right(from, x, to, y, saturate, round)) continue;
    if (++wrong < 4) {
      MESSAGE(from.name << " to " << to.name << (saturate ? " sat" : "") << ", rounding "
                        << static_cast<int>(round) << ": " << static_cast<double>(value_of(from, x))
                        << " gave " << static_cast<double>(value_of(to, y)));
    }
  }
  return wrong;
}

TEST_CASE("copy converts between all scalar types") {
  sample pairs(9);
  for (const element* from : scalars()) {
    for (const element* to : scalars()) {
      if (!pairs.takes_next()) continue;
      CAPTURES(from->name, to->name);
      // Saturation has its own code for every pair, so that is what all pairs are tried with.
      CHECK(wrong_conversion(*from, *to, is_integer(*to), rounding::natural) == 0);
    }
  }
}

TEST_CASE("copy converts without saturation: integers wrap, floats in range truncate") {
  const auto try_pair = [](const char* from, const char* to) {
    CAPTURES(from, to);
    CHECK(wrong_conversion(*clwave::find_element(from), *clwave::find_element(to), false,
                           rounding::natural) == 0);
  };
  try_pair("i64", "i8");
  try_pair("i64", "u16");
  try_pair("i32", "u32");  // the same bytes by another name
  try_pair("i8", "u64");
  try_pair("u8", "i32");
  try_pair("f32", "i32");
  try_pair("f32", "u8");
  try_pair("f16", "i16");
}

TEST_CASE("copy rounds as it is told") {
  const bool has_double = here().has_doubles();
  sample some(5);
  for (const rounding round :
       {rounding::nearest_even, rounding::toward_zero, rounding::upward, rounding::downward}) {
    for (const auto& [from, to] : {std::pair{"f32", "i32"},
                                   {"f32", "f16"},
                                   {"i64", "f32"},
                                   {"i32", "f16"},
                                   {"f16", "u8"},
                                   {"f64", "f32"},
                                   {"f64", "f16"},
                                   {"f64", "i64"},
                                   {"u64", "f64"}}) {
      if (!some.takes_next()) continue;
      const element& source = *clwave::find_element(from);
      const element& target = *clwave::find_element(to);
      if ((source.size == 8 || target.size == 8) && !has_double &&
          (source.name == "f64" || target.name == "f64"))
        continue;
      CAPTURES(source.name, target.name);
      CHECK(wrong_conversion(source, target, is_integer(target), round) == 0);
    }
  }
}

TEST_CASE("copy converts at every offset, by every profile") {
  for (const std::string name : forced_rows(tried_profiles())) {
    for (const auto& [from, to] :
         {std::pair{"u8", "f32"}, {"f16", "f32"}, {"f32", "u8"}, {"i64", "i16"}, {"f32", "f16"}}) {
      for (const auto& [in, out] :
           {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {0, 1}, {3, 3}, {1, 5}, {7, 15}}) {
        const element& target = *clwave::find_element(to);
        const int wrong = wrong_conversion(*clwave::find_element(from), target, is_integer(target),
                                           rounding::natural, in, out);
        const std::string which =
            std::string(from) + " from " + std::to_string(in) + " to " + to + " at " + std::to_string(out);
        CHECK_MESSAGE(wrong == 0, which);
      }
    }
  }
}

TEST_CASE("copy converts vectors component by component") {
  const std::size_t n = 1001;
  std::vector<cl_float4> source(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (unsigned c = 0; c < 4; ++c)
      source[i].s[c] = static_cast<float>(i) * 1.5F - 700.25F * static_cast<float>(c);
  }
  cl::Buffer in(here().context, CL_MEM_COPY_HOST_PTR, n * sizeof(cl_float4), source.data());
  cl::Buffer out(here().context, CL_MEM_READ_WRITE, n * sizeof(cl_int4));
  clwave::copy(here().queue, view<cl_float4>(in, n - 1, 1), view<cl_int4>(out, n - 1)).wait();
  std::vector<cl_int4> result(n - 1);
  here().queue.enqueueReadBuffer(out, CL_TRUE, 0, (n - 1) * sizeof(cl_int4), result.data());
  int wrong = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    for (unsigned c = 0; c < 4; ++c)
      wrong += result[i].s[c] != static_cast<cl_int>(source[i + 1].s[c]) ? 1 : 0;
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace testing::copy_conversions_test

// copy and fill: every element size, place and pair of types against plain loops on the host, with guard
// bytes around every output.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "base/opencl.hpp"

namespace {

// An element of N bytes that no OpenCL type has.
template <std::size_t N>
struct blob {
  unsigned char bytes[N];
};

}  // namespace

template <std::size_t N>
struct clwave::element_traits<blob<N>> {
  static const element& describe() {
    static const element e = detail::make_element("blob" + std::to_string(N), "blob" + std::to_string(N), N,
                                                  element_kind::opaque, 1);
    return e;
  }
};

namespace {

using clwave::element;
using clwave::element_kind;
using clwave::element_of;
using clwave::half;
using clwave::rounding;
using clwave::view;
using clwave::detail::operand;
using bytes = std::vector<unsigned char>;

// CLWAVE_PROFILE for one scope; an empty value leaves the choice to the device.
class forced_profile {
 public:
  explicit forced_profile(const std::string& name) {
    if (const char* before = std::getenv("CLWAVE_PROFILE")) before_ = before;
    put(name.empty() ? std::nullopt : std::optional(name));
  }
  ~forced_profile() { put(before_); }
  forced_profile(const forced_profile&) = delete;
  forced_profile& operator=(const forced_profile&) = delete;

 private:
  static void put(const std::optional<std::string>& value) {
    value ? setenv("CLWAVE_PROFILE", value->c_str(), 1) : unsetenv("CLWAVE_PROFILE");
  }
  std::optional<std::string> before_;
};

// The device's own profile, and those whose code differs: wide groups, groups of 64 lanes, and a CPU's.
const std::string tried_profiles[] = {"", "sm_90", "gfx90a", "gpu", "cpu"};

struct workplace {
  cl::Device device{clwave::select_device(), true};
  cl::Context context{device};
  cl::CommandQueue queue{context, device};

  cl::Buffer buffer(const bytes& contents) const {
    return {context, CL_MEM_COPY_HOST_PTR, std::max<std::size_t>(contents.size(), 1),
            const_cast<unsigned char*>(contents.empty() ? reinterpret_cast<const unsigned char*>("")
                                                        : contents.data())};
  }
  bytes read(const cl::Buffer& from) const {
    bytes contents(from.getInfo<CL_MEM_SIZE>());
    queue.enqueueReadBuffer(from, CL_TRUE, 0, contents.size(), contents.data());
    return contents;
  }
};

workplace& here() {
  static workplace place;
  return place;
}

bytes random_bytes(std::size_t n) {
  static std::mt19937_64 generator(7);
  bytes result(n);
  for (auto& b : result) b = static_cast<unsigned char>(generator());
  return result;
}

constexpr std::size_t guard = 64;  // bytes before and after every output

// ---------------------------------------------------------------------------------- copies of bytes
// Copies n elements of `size` bytes and compares the whole output buffer, guards included. The buffers end
// with the views' last bytes: a read past them is one past the buffer.
template <class T>
int wrong_copy(const bytes& source, std::size_t n, std::size_t in_offset, std::size_t out_offset) {
  const bytes in_bytes(source.begin(),
                       source.begin() + static_cast<std::ptrdiff_t>((in_offset + n) * sizeof(T) + 1));
  bytes expected((out_offset + n) * sizeof(T) + guard, 0xa5);
  const cl::Buffer in = here().buffer(in_bytes);
  const cl::Buffer out = here().buffer(expected);
  clwave::copy(here().queue, view<T>(in, n, in_offset), view<T>(out, n, out_offset)).wait();
  std::copy_n(in_bytes.begin() + static_cast<std::ptrdiff_t>(in_offset * sizeof(T)), n * sizeof(T),
              expected.begin() + static_cast<std::ptrdiff_t>(out_offset * sizeof(T)));
  return here().read(out) == expected ? 0 : 1;
}

template <std::size_t... N>
int wrong_copies_of_sizes(const bytes& source, std::index_sequence<N...>) {
  int wrong = 0;
  const auto one = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
    for (const std::size_t n : {1, 2, 3, 17, 64, 251}) {
      for (const auto& [in, out] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {0, 1}, {3, 5}}) {
        const int here_wrong = wrong_copy<blob<Size>>(source, n, in, out);
        if (here_wrong != 0)
          MESSAGE("elements of " << Size << ", n " << n << ", from " << in << " to " << out);
        wrong += here_wrong;
      }
    }
  };
  (one(std::integral_constant<std::size_t, N + 1>{}), ...);
  one(std::integral_constant<std::size_t, 128>{});
  return wrong;
}

}  // namespace

TEST_CASE("copy moves elements of every size from and to every place") {
  const bytes source = random_bytes(300 * 129);
  for (const std::string& name : tried_profiles) {
    const forced_profile forced(name);
    CAPTURE(name);
    CHECK(wrong_copies_of_sizes(source, std::make_index_sequence<17>()) == 0);
  }
}

TEST_CASE("copy moves bytes between all misaligned places, at every edge of its blocks") {
  const bytes source = random_bytes(200'000);
  for (const std::string& name : tried_profiles) {
    const forced_profile forced(name);
    CAPTURE(name);
    int wrong = 0;
    for (std::size_t in = 0; in <= 17; ++in) {
      for (std::size_t out = 0; out <= 17; ++out) {
        for (const std::size_t n : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 63, 64, 65, 1009}) {
          if (wrong_copy<blob<1>>(source, n, in, out) == 0) continue;
          if (++wrong < 5) MESSAGE("n " << n << ", from " << in << " to " << out);
        }
      }
    }
    // Blocks of the profiles: packets in flight x their bytes x the group's size, and a chunk's page.
    for (const std::size_t block : {4096, 8192, 16384, 32768, 65536, 131072}) {
      for (const int more : {-1, 0, 1}) {
        for (const auto& [in, out] :
             {std::pair<std::size_t, std::size_t>{0, 0}, {3, 0}, {4, 12}, {8, 16}, {5, 10}}) {
          const std::size_t n = block + static_cast<std::size_t>(more);
          if (wrong_copy<blob<1>>(source, n, in, out) == 0) continue;
          if (++wrong < 5) MESSAGE("n " << n << ", from " << in << " to " << out);
        }
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("copy of more than the caches hold") {
  const std::size_t n = (20u << 20) + 13;
  const bytes source = random_bytes(n);
  const cl::Buffer in = here().buffer(source);
  bytes expected(n + 1, 0x5a);
  const cl::Buffer out = here().buffer(expected);
  clwave::copy(here().queue, view<std::uint8_t>(in, n - 2, 1), view<std::uint8_t>(out, n - 2, 2)).wait();
  std::copy_n(source.begin() + 1, n - 2, expected.begin() + 2);
  CHECK(here().read(out) == expected);
}

// ---------------------------------------------------------------------------------- converting copies
namespace {

const std::vector<const element*>& scalars() {
  static const std::vector<const element*> all = [] {
    std::vector<const element*> list = {&element_of<std::int8_t>(),  &element_of<std::uint8_t>(),
                                        &element_of<std::int16_t>(), &element_of<clwave::u16>(),
                                        &element_of<std::int32_t>(), &element_of<std::uint32_t>(),
                                        &element_of<std::int64_t>(), &element_of<std::uint64_t>(),
                                        &element_of<half>(),         &element_of<float>()};
    if (clwave::facts_of(here().device()).fp64.value_or(false)) list.push_back(&element_of<double>());
    return list;
  }();
  return all;
}

bool is_integer(const element& e) {
  return e.kind == element_kind::signed_integer || e.kind == element_kind::unsigned_integer;
}

template <class T>
T load(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
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
          return load<std::uint32_t>(from);
        default:
          return static_cast<long double>(load<std::uint64_t>(from));
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
    const bool flushes = !clwave::facts_of(here().device()).f32_denormals.value_or(true);
    return flushes && is_tiny && y == 0;
  }
  if (is_integer(from) && !saturate) {
    // Wraps: the low bytes of the value, which was extended by its sign.
    std::uint64_t wide = from.kind == element_kind::signed_integer
                             ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                             : static_cast<std::uint64_t>(x);
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
  const std::uint64_t word =
      x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) : static_cast<std::uint64_t>(x);
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
  const cl::Buffer in = here().buffer(source);
  const cl::Buffer out = here().buffer(before);
  clwave::detail::copy_elements(here().queue(), operand{in(), n, in_offset, &from},
                                operand{out(), n, out_offset, &to}, {.saturate = saturate, .round = round},
                                {})
      .wait();
  const bytes after = here().read(out);
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

}  // namespace

TEST_CASE("copy converts between all scalar types") {
  for (const element* from : scalars()) {
    for (const element* to : scalars()) {
      CAPTURE(from->name);
      CAPTURE(to->name);
      // Saturation has its own code for every pair, so that is what all pairs are tried with.
      CHECK(wrong_conversion(*from, *to, is_integer(*to), rounding::natural) == 0);
    }
  }
}

TEST_CASE("copy converts without saturation: integers wrap, floats in range truncate") {
  const auto try_pair = [](const char* from, const char* to) {
    CAPTURE(from);
    CAPTURE(to);
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
  const bool has_double = clwave::facts_of(here().device()).fp64.value_or(false);
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
      const element& source = *clwave::find_element(from);
      const element& target = *clwave::find_element(to);
      if ((source.size == 8 || target.size == 8) && !has_double &&
          (source.name == "f64" || target.name == "f64"))
        continue;
      CAPTURE(source.name);
      CAPTURE(target.name);
      CHECK(wrong_conversion(source, target, is_integer(target), round) == 0);
    }
  }
}

TEST_CASE("copy converts at every offset, by every profile") {
  for (const std::string& name : tried_profiles) {
    const forced_profile forced(name);
    CAPTURE(name);
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

// ---------------------------------------------------------------------------------- boxes
namespace {

struct box_case {
  clwave::box size;
  clwave::pitches in, out;
  std::size_t in_offset, out_offset;
};

template <class T>
bool is_right_box(const box_case& c) {
  const auto row = [&](const clwave::pitches& p) { return p.row != 0 ? p.row : c.size.width; };
  const auto slice = [&](const clwave::pitches& p) {
    return p.slice != 0 ? p.slice : row(p) * c.size.height;
  };
  const auto last = [&](const clwave::pitches& p) {
    return (c.size.depth - 1) * slice(p) + (c.size.height - 1) * row(p) + c.size.width;
  };
  const std::size_t in_n = last(c.in);
  const std::size_t out_n = last(c.out);
  const bytes source = random_bytes((c.in_offset + in_n) * sizeof(T));
  bytes expected((c.out_offset + out_n) * sizeof(T) + guard, 0xa5);
  const cl::Buffer in = here().buffer(source);
  const cl::Buffer out = here().buffer(expected);
  clwave::copy(here().queue, view<T>(in, in_n, c.in_offset), view<T>(out, out_n, c.out_offset), c.size, c.in,
               c.out)
      .wait();
  for (std::size_t z = 0; z < c.size.depth; ++z) {
    for (std::size_t y = 0; y < c.size.height; ++y) {
      const std::size_t from = (c.in_offset + z * slice(c.in) + y * row(c.in)) * sizeof(T);
      const std::size_t to = (c.out_offset + z * slice(c.out) + y * row(c.out)) * sizeof(T);
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), c.size.width * sizeof(T),
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  return here().read(out) == expected;
}

}  // namespace

TEST_CASE("copy moves boxes of two and three dimensions") {
  const box_case cases[] = {
      {{.width = 1}, {}, {}, 0, 0},
      {{.width = 5, .height = 3}, {.row = 7}, {}, 0, 0},
      {{.width = 5, .height = 3}, {}, {.row = 9}, 1, 2},
      {{.width = 64, .height = 100}, {.row = 80}, {.row = 96}, 0, 0},
      {{.width = 64, .height = 100}, {.row = 80}, {.row = 96}, 16, 48},
      {{.width = 1, .height = 1000}, {.row = 3}, {}, 1, 0},
      {{.width = 3001, .height = 2}, {.row = 3003}, {.row = 3008}, 3, 0},
      {{.width = 9000, .height = 1, .depth = 3}, {.row = 0, .slice = 9008}, {.row = 9010}, 0, 0},
      {{.width = 17, .height = 13, .depth = 11}, {.row = 19, .slice = 300}, {.row = 17, .slice = 250}, 5, 1},
      {{.width = 32, .height = 16, .depth = 8}, {.row = 48, .slice = 1024}, {.row = 32, .slice = 512}, 0, 16},
      {{.width = 32, .height = 16, .depth = 8}, {.row = 32, .slice = 640}, {.row = 32, .slice = 528}, 0, 0},
      {{.width = 32, .height = 16, .depth = 8}, {}, {}, 1, 0},  // no pitches: a plain copy
  };
  for (const std::string& name : tried_profiles) {
    const forced_profile forced(name);
    CAPTURE(name);
    for (std::size_t i = 0; i < std::size(cases); ++i) {
      CAPTURE(i);
      CHECK(is_right_box<std::uint8_t>(cases[i]));
      CHECK(is_right_box<float>(cases[i]));
      CHECK(is_right_box<blob<6>>(cases[i]));
      CHECK(is_right_box<cl_float4>(cases[i]));
    }
  }
}

// ---------------------------------------------------------------------------------- fill
namespace {

template <class T>
bool is_right_fill(std::size_t n, std::size_t offset) {
  const bytes value = random_bytes(sizeof(T));
  bytes expected((offset + n) * sizeof(T) + guard, 0xa5);
  const cl::Buffer out = here().buffer(expected);
  clwave::fill(here().queue, view<T>(out, n, offset), load<T>(value.data())).wait();
  for (std::size_t i = 0; i < n; ++i)
    std::copy(value.begin(), value.end(),
              expected.begin() + static_cast<std::ptrdiff_t>((offset + i) * sizeof(T)));
  return here().read(out) == expected;
}

template <std::size_t... N>
int wrong_fills(std::index_sequence<N...>) {
  int wrong = 0;
  const auto one = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
    // The last is more than a block of every profile.
    for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{65}, 70'001 / Size}) {
      for (const std::size_t offset : {0, 1, 5}) {
        if (is_right_fill<blob<Size>>(n, offset)) continue;
        ++wrong;
        MESSAGE("values of " << Size << " bytes, n " << n << ", offset " << offset);
      }
    }
  };
  (one(std::integral_constant<std::size_t, N + 1>{}), ...);
  return wrong;
}

}  // namespace

TEST_CASE("fill writes values of 1 to 128 bytes") {
  for (const std::string& name : tried_profiles) {
    const forced_profile forced(name);
    CAPTURE(name);
    CHECK(wrong_fills(std::make_index_sequence<128>()) == 0);
  }
}

TEST_CASE("fill of more than the caches hold, and of built-in types") {
  CHECK(is_right_fill<std::uint8_t>((40u << 20) + 3, 1));
  CHECK(is_right_fill<blob<3>>(12u << 20, 1));
  CHECK(is_right_fill<float>(1000, 3));
  CHECK(is_right_fill<half>(1000, 3));
}

// ---------------------------------------------------------------------------------- refusals and order
namespace {

template <class F>
void check_refused(F call) {
  try {
    call();
    FAIL_CHECK("was not refused");
  } catch (const clwave::error& e) {
    CHECK(e.kind() == clwave::failure::bad_call);
  }
}

}  // namespace

TEST_CASE("copy and fill refuse what cannot be right") {
  const cl::Buffer a = here().buffer(bytes(4096));
  const cl::Buffer b = here().buffer(bytes(4096));
  cl::CommandQueue& queue = here().queue;
  using floats = view<float>;
  check_refused([&] { clwave::copy(queue, floats(a, 10), floats(b, 11)); });
  check_refused([&] { clwave::copy(queue, floats(a, 1025), floats(b, 1025)); });
  check_refused([&] { clwave::copy(queue, floats(a, 1024), floats(b, 1024, 1)); });
  check_refused([&] { clwave::copy(queue, floats(a, 10), floats(a, 10, 9)); });
  check_refused([&] { clwave::copy(queue, floats(a, 10), view<std::uint8_t>(a, 10, 39)); });
  check_refused([&] { clwave::copy(queue, view<blob<4>>(a, 10), floats(b, 10)); });
  check_refused([&] { clwave::copy(queue, view<cl_float4>(a, 10), floats(b, 10)); });
  check_refused([&] { clwave::copy(queue, view<blob<4>>(a, 10), view<blob<8>>(b, 10)); });
  check_refused([&] { clwave::fill(queue, floats(a, 1025), 1.0F); });
  check_refused([&] { clwave::copy(cl::CommandQueue(), floats(a, 1), floats(b, 1)); });
  CHECK_NOTHROW(clwave::copy(queue, floats(a, 10), floats(a, 10, 10)).wait());

  const cl::Context other(here().device);
  const cl::Buffer foreign(other, CL_MEM_READ_WRITE, 4096);
  check_refused([&] { clwave::copy(queue, floats(foreign, 10), floats(b, 10)); });
  check_refused([&] { clwave::copy(queue, floats(a, 10), floats(foreign, 10)); });
  check_refused([&] { clwave::fill(queue, floats(foreign, 10), 1.0F); });

  const clwave::box box{.width = 8, .height = 4, .depth = 2};
  check_refused([&] { clwave::copy(queue, floats(a, 63), floats(b, 64), box, {}, {}); });
  check_refused([&] { clwave::copy(queue, floats(a, 64), floats(b, 63), box, {}, {}); });
  check_refused([&] { clwave::copy(queue, floats(a, 1024), floats(b, 1024), box, {.row = 7}, {}); });
  check_refused(
      [&] { clwave::copy(queue, floats(a, 1024), floats(b, 1024), box, {}, {.row = 8, .slice = 31}); });
  check_refused([&] { clwave::copy(queue, floats(a, 1024), view<std::int32_t>(b, 1024), box, {}, {}); });
  check_refused([&] { clwave::copy(queue, floats(a, 512), floats(a, 512, 63), box, {}, {}); });
  check_refused([&] {
    clwave::copy(queue, floats(a, 1024), floats(b, 1024), {.width = 8, .height = SIZE_MAX / 4}, {}, {});
  });
  CHECK_NOTHROW(clwave::copy(queue, floats(a, 512), floats(a, 512, 64), box, {}, {}).wait());
}

TEST_CASE("nothing to do still waits for what it was told to") {
  const cl::Buffer a = here().buffer(bytes(64));
  const cl::Buffer b = here().buffer(bytes(64));
  clwave::copy(here().queue, view<float>(a, 0), view<float>(b, 0)).wait();
  clwave::fill(here().queue, view<float>(a, 0), 1.0F).wait();
  clwave::copy(here().queue, view<float>(a, 4), view<float>(b, 4), clwave::box{}, {}, {}).wait();
  cl::UserEvent gate(here().context);
  const clwave::event done =
      clwave::copy(here().queue, view<float>(a, 0), view<float>(b, 0), {.after = {gate}});
  REQUIRE(done.get() != nullptr);
  here().queue.flush();
  CHECK_FALSE(done.done());
  gate.setStatus(CL_COMPLETE);
  done.wait();
  CHECK(done.done());
}

TEST_CASE("copy and fill wait for their lists, in any order of the queue") {
  const std::size_t n = 100'000;
  for (const cl_command_queue_properties order :
       {cl_command_queue_properties{0},
        cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}}) {
    cl_int code = CL_SUCCESS;
    const cl::CommandQueue queue(here().context, here().device, order, &code);
    if (code != CL_SUCCESS) continue;  // the device has no such queue
    const cl::Buffer a(here().context, CL_MEM_READ_WRITE, n * 4);
    const cl::Buffer b(here().context, CL_MEM_READ_WRITE, n * 4);
    const cl::Buffer c(here().context, CL_MEM_READ_WRITE, n * 4);
    cl::UserEvent gate(here().context);
    const clwave::event filled = clwave::fill(queue, view<float>(a, n), 2.75F, {.after = {gate}});
    const clwave::event copied =
        clwave::copy(queue, view<float>(a, n), view<float>(b, n), {.after = {filled}});
    const clwave::event converted = clwave::copy(queue, view<float>(b, n), view<std::int32_t>(c, n),
                                                 {.round = rounding::nearest_even}, {.after = {copied}});
    queue.flush();
    CHECK_FALSE(filled.done());
    CHECK_FALSE(converted.done());
    gate.setStatus(CL_COMPLETE);
    converted.wait();
    std::vector<std::int32_t> result(n);
    queue.enqueueReadBuffer(c, CL_TRUE, 0, n * 4, result.data());
    CHECK(std::count(result.begin(), result.end(), 3) == static_cast<std::ptrdiff_t>(n));
  }
}

TEST_CASE("memory of the host's own may begin anywhere") {
  const bytes source = random_bytes(5000);
  const cl::Buffer in = here().buffer(source);
  for (const std::string& name : tried_profiles) {
    const forced_profile forced(name);
    for (const std::size_t at : {0, 1, 2, 4, 8, 20}) {
      alignas(128) static unsigned char memory[6144];
      std::fill(std::begin(memory), std::end(memory), static_cast<unsigned char>(0xa5));
      const cl::Buffer out(here().context, CL_MEM_USE_HOST_PTR, std::size_t{5120}, memory + at);
      clwave::copy(here().queue, view<std::uint8_t>(in, 4990, 3), view<std::uint8_t>(out, 4990, 7)).wait();
      bytes expected(5120, 0xa5);
      std::copy_n(source.begin() + 3, 4990, expected.begin() + 7);
      CHECK(here().read(out) == expected);
    }
  }
}

TEST_CASE("elements that move may lie between multiples of their size, those that convert may not") {
  constexpr std::size_t n = 999;
  using float_4 = view<cl_float4>;
  const cl::Buffer in = here().buffer(random_bytes(16 * n));
  for (const std::string& name : tried_profiles) {
    const forced_profile forced(name);
    CAPTURE(name);
    alignas(128) static unsigned char memory[16384];
    const auto begin_at = [](std::size_t at) {
      return cl::Buffer(here().context, CL_MEM_USE_HOST_PTR, std::size_t{16 * n}, memory + at);
    };
    const bytes source = here().read(in);
    const cl::Buffer odd = begin_at(3);
    clwave::copy(here().queue, float_4(in, n), float_4(odd, n)).wait();
    CHECK(here().read(odd) == source);
    clwave::fill(here().queue, float_4(odd, n), cl_float4{}).wait();
    CHECK(here().read(odd) == bytes(16 * n));
    const clwave::box size{.width = 27, .height = 37};
    clwave::copy(here().queue, float_4(in, n), float_4(odd, n), size, {}, {}).wait();
    CHECK(here().read(odd) == source);
    check_refused([&] { clwave::copy(here().queue, float_4(in, n), view<cl_int4>(odd, n)); });
    check_refused([&] { clwave::copy(here().queue, float_4(odd, n), view<cl_int4>(in, n)); });
    // A vector converts component by component.
    const cl::Buffer by_component = begin_at(4);
    const cl::Buffer integers = here().buffer(bytes(16 * n));
    clwave::fill(here().queue, view<float>(by_component, 4 * n), -7.0F).wait();
    clwave::copy(here().queue, float_4(by_component, n), view<cl_int4>(integers, n)).wait();
    const std::vector<std::int32_t> sevens(4 * n, -7);
    CHECK(std::memcmp(here().read(integers).data(), sevens.data(), 16 * n) == 0);
  }
}

TEST_CASE("plans of copies and fills name what a call would launch") {
  const clwave::plan_target on{nullptr, clwave::choose_profile_for("sm_90"), 132};
  const element& u8 = element_of<std::uint8_t>();
  const auto plan_from = [&](std::uint64_t in, std::uint64_t out) {
    return plan(clwave::copy_question{{u8, in}, {u8, out}, 1u << 24}, on);
  };
  CHECK(plan_from(0, 0).kernels.at(0).name == "copy_16_whole");
  CHECK(plan_from(3, 19).kernels.at(0).name == "copy_16");
  CHECK(plan_from(0, 8).kernels.at(0).name == "copy_8");
  CHECK(plan_from(0, 4).kernels.at(0).name == "copy_4");
  CHECK(plan_from(0, 2).kernels.at(0).name == "copy_shifted");
  CHECK(plan_from(0, 2).rejected.size() == 1);
  CHECK(plan_from(0, 0).rejected.empty());
  const auto conversion = plan(clwave::copy_question{u8, element_of<float>(), 1000}, on);
  CHECK(conversion.kernels.at(0).name == "convert_packets");
  CHECK(conversion.options.find("-DCONVERT=convert_float") != std::string::npos);
  const float value = 1;
  const auto filling = plan(clwave::fill_question{element_of<float>(), 1000, &value}, on);
  CHECK(filling.kernels.at(0).arguments.size() == 7);
  CHECK(filling.options.find("-DPRIMITIVE_FILL=1") != std::string::npos);
}

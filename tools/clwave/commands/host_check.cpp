// Plain loops, one type at a time.
#include "commands/host_check.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <type_traits>

#include <clwave/reduce.hpp>

namespace clwave::tool {
namespace {

// An element as the host computes with it: half as float, u16 as std::uint16_t.
template <class T>
auto load(const host_elements& x, std::uint64_t i) {
  T value;
  std::memcpy(&value, x.bytes.data() + i * sizeof(T), sizeof(T));
  if constexpr (std::is_same_v<T, half>) {
    return static_cast<float>(value);
  } else if constexpr (std::is_same_v<T, u16>) {
    return static_cast<std::uint16_t>(value);
  } else {
    return value;
  }
}

template <class T>
T result_as(const timed_value& got) {
  T value;
  std::memcpy(&value, got.bytes.data(), sizeof value);
  return value;
}

template <class T>
std::string expected(T value) {
  std::ostringstream text;
  text.precision(std::is_same_v<T, float> ? 9 : 20);
  text << "the host's is " << +value;
  return text.str();
}

// IEEE 754-2019 minimum and maximum: a NaN anywhere gives NaN, -0 is less than +0.
template <class V>
V extreme_of(V a, V b, bool greatest) {
  if constexpr (std::is_floating_point_v<V>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<V>::quiet_NaN();
    if (a == b) return std::signbit(a) == greatest ? b : a;
  }
  return greatest == (a < b) ? b : a;
}

template <class T>
std::string check_extreme(const host_elements& x, const timed_value& got, bool greatest) {
  auto best = load<T>(x, 0);
  using V = decltype(best);
  for (std::uint64_t i = 1; i < x.n; ++i) best = extreme_of(best, load<T>(x, i), greatest);
  const V value = result_as<V>(got);
  bool same = best == value;
  if constexpr (std::is_floating_point_v<V>) {
    same = std::isnan(best) ? std::isnan(value) : same && std::signbit(best) == std::signbit(value);
  }
  return same ? "" : expected(best);
}

template <class T>
std::string check_integer_sum(const host_elements& x, const timed_value& got) {
  std::uint64_t sum = 0;  // wraps, as the device's does; a signed sum has the same bits
  for (std::uint64_t i = 0; i < x.n; ++i) sum += static_cast<std::uint64_t>(load<T>(x, i));
  return result_as<std::uint64_t>(got) == sum ? "" : expected(sum);
}

// How many additions an element goes through in the fold order of reduce.hpp.
unsigned additions_deep(std::uint64_t n) {
  unsigned deep = 0;
  for (; n > 1; n = (n + fold_tile - 1) / fold_tile)
    deep += static_cast<unsigned>(fold_tile / fold_accumulators + std::lround(std::log2(fold_accumulators)));
  return deep;
}

template <class T>
std::string check_float_sum(const host_elements& x, const timed_value& got) {
  using V = decltype(load<T>(x, 0));
  using Wide = std::conditional_t<std::is_same_v<V, float>, double, long double>;
  Wide sum = 0;
  Wide magnitudes = 0;
  for (std::uint64_t i = 0; i < x.n; ++i) {
    const Wide value = load<T>(x, i);
    sum += value;
    magnitudes += std::abs(value);
  }
  const V value = result_as<V>(got);
  // Each addition errs by half an eps of its result, which is at most the sum of magnitudes; the host's
  // plain loop errs too, n times but far less.
  constexpr Wide device_eps = std::numeric_limits<V>::epsilon();
  constexpr Wide host_eps = std::numeric_limits<Wide>::epsilon();
  const Wide bound =
      (device_eps / 2 * (additions_deep(x.n) + 1) + host_eps / 2 * static_cast<Wide>(x.n)) * magnitudes;
  const bool may_overflow = !(magnitudes < std::numeric_limits<V>::max());
  const bool same = std::isnan(sum) ? std::isnan(value)
                    : std::isinf(value) || std::isinf(sum)
                        ? may_overflow
                        : std::abs(static_cast<Wide>(value) - sum) <= bound;
  if (same) return {};
  std::ostringstream text;
  text << expected(sum) << ", and " << static_cast<double>(bound) << " the most that rounding can do";
  return text.str();
}

template <class T>
std::string check_one(const host_elements& x, const reduce_meaning& meaning, const timed_value& got) {
  if (meaning.fold->name == "min") return check_extreme<T>(x, got, false);
  if (meaning.fold->name == "max") return check_extreme<T>(x, got, true);
  if constexpr (std::is_integral_v<decltype(load<T>(x, 0))>) {
    return check_integer_sum<T>(x, got);
  } else {
    return check_float_sum<T>(x, got);
  }
}

struct checker {
  const element* type;
  std::string (*check)(const host_elements&, const reduce_meaning&, const timed_value&);
};

template <class... T>
std::vector<checker> checkers() {
  return {{&element_of<T>(), &check_one<T>}...};
}

}  // namespace

std::string what_is_wrong(const host_elements& x, const reduce_meaning& meaning, const timed_value& got) {
  static const std::vector<checker> all =
      checkers<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, u16, std::uint32_t,
               std::uint64_t, float, double, half>();
  if (!got.same_bits) return "two calls differ in their bits";
  for (const checker& each : all) {
    if (each.type == x.type) return each.check(x, meaning, got);
  }
  throw error(failure::internal, "no host loop for " + x.type->name);
}

}  // namespace clwave::tool

// Bins: numbers as they are, elements in their order, and how bins are found.
#include "primitives/bins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "program/element_words.hpp"

namespace clwave {

bound bound::of(bool negative, std::uint64_t magnitude) {
  bound made;
  if (magnitude == 0) return made;
  const int zeros = std::countl_zero(magnitude);
  made.digits_ = magnitude << zeros;
  made.exponent_ = -zeros;
  made.negative_ = negative;
  return made;
}

bound bound::of(double number) {
  bound made;
  if (std::isfinite(number)) {
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(number), &exponent);  // 53 bits below 1
    made = of(number < 0, static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
    if (made.digits_ != 0) made.exponent_ += exponent - 53;
  } else {
    made.kind_ = std::isnan(number) ? kind::nan : kind::infinite;
    made.negative_ = std::signbit(number);
  }
  return made;
}

namespace detail {
namespace {

constexpr int digits_of_bound = 64;

// Elements as numbers without a sign.
std::uint64_t read_bits(const void* from, std::size_t size) {
  const auto of = [from](auto bits) -> std::uint64_t {
    std::memcpy(&bits, from, sizeof bits);
    return bits;
  };
  return size == 1   ? of(std::uint8_t{})
         : size == 2 ? of(std::uint16_t{})
         : size == 4 ? of(std::uint32_t{})
                     : of(std::uint64_t{});
}
void write_bits(void* to, std::size_t size, std::uint64_t bits) {
  const auto as = [to](auto narrowed) { std::memcpy(to, &narrowed, sizeof narrowed); };
  if (size == 1) as(static_cast<std::uint8_t>(bits));
  if (size == 2) as(static_cast<std::uint16_t>(bits));
  if (size == 4) as(static_cast<std::uint32_t>(bits));
  if (size == 8) as(bits);
}

// ------------------------------------------------------------------------------------ elements in their
// order

// As key_ordered of cl_kernels/blocks/key_order.cl.
class ordered_elements {
 public:
  explicit ordered_elements(const element& key) : key_(key), sign_(std::uint64_t{1} << (key.size * 8 - 1)) {
    if (is_half(key)) infinity_ = 0x7c00;
    if (is_bfloat16(key)) infinity_ = 0x7f80;
    if (is_float(key)) infinity_ = key.size == 4 ? 0x7f800000u : std::uint64_t{0x7ff} << 52;
  }

  // Their ends: between them each number is one element's, and no NaN's.
  std::uint64_t lowest() const { return infinity_ != 0 ? all() - (sign_ | infinity_) : 0; }
  std::uint64_t highest() const {
    if (infinity_ != 0) return sign_ | infinity_;
    return is_bool(key_) ? 1 : all();
  }
  bool are_floats() const { return infinity_ != 0; }

  std::uint64_t bits_of(std::uint64_t ordered) const {
    if (infinity_ != 0) return (ordered & sign_) != 0 ? ordered ^ sign_ : all() - ordered;
    return key_.kind == element_kind::signed_integer ? ordered ^ sign_ : ordered;
  }

  // 0 stands where -0 does.
  std::uint64_t ordered(std::uint64_t bits) const {
    if (infinity_ != 0) {
      if ((bits & ~sign_) > infinity_) return all();
      return (bits & sign_) != 0 ? all() - bits : bits == 0 ? all() - sign_ : bits | sign_;
    }
    if (is_bool(key_)) return bits != 0 ? 1 : 0;
    return key_.kind == element_kind::signed_integer ? bits ^ sign_ : bits;
  }
  bool is_nan(std::uint64_t ordered) const { return infinity_ != 0 && ordered > highest(); }

  bound value_of(std::uint64_t ordered) const {
    const std::uint64_t bits = bits_of(ordered);
    if (is_half(key_)) return {static_cast<float>(stored<half>(bits))};
    if (is_bfloat16(key_)) return {static_cast<float>(stored<bfloat16>(bits))};
    if (is_float(key_) && key_.size == 4) return {std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    if (is_float(key_)) return {std::bit_cast<double>(bits)};
    if (key_.kind == element_kind::signed_integer && (bits & sign_) != 0)
      return {-static_cast<std::int64_t>(all() - bits) - 1};
    return {bits};
  }

  // The first element that is not below a number; nothing where all are.
  std::optional<std::uint64_t> first_from(const bound& number) const {
    std::uint64_t low = lowest(), high = highest();
    if (compared(value_of(high), number) < 0) return std::nullopt;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (compared(value_of(middle), number) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  template <class T>
  static T stored(std::uint64_t bits) {
    T value;
    value.bits = static_cast<std::uint16_t>(bits);
    return value;
  }
  std::uint64_t all() const { return sign_ - 1 + sign_; }

  const element& key_;
  std::uint64_t sign_;
  std::uint64_t infinity_ = 0;
};

// ------------------------------------------------------------------------------------------------- numbers

// The magnitude of a whole number of at most 64 bits; nothing for others.
std::optional<std::uint64_t> whole(const bound& number) {
  const int right = -number.exponent();
  if (number.digits() == 0) return 0;
  if (right < 0 || right >= digits_of_bound) return std::nullopt;
  const std::uint64_t magnitude = number.digits() >> right;
  return magnitude << right == number.digits() ? std::optional(magnitude) : std::nullopt;
}

// b - a of whole numbers, where that has 64 bits; a is not above b.
std::optional<std::uint64_t> whole_difference(const bound& a, const bound& b) {
  const auto of_a = whole(a), of_b = whole(b);
  if (!of_a || !of_b) return std::nullopt;
  if (a.is_negative() == b.is_negative()) return a.is_negative() ? *of_a - *of_b : *of_b - *of_a;
  const std::uint64_t sum = *of_a + *of_b;
  return sum < *of_a ? std::nullopt : std::optional(sum);
}

// number / 2^exponent, rounded.
double scaled(const bound& number, int exponent) {
  const double magnitude = std::ldexp(static_cast<double>(number.digits()), number.exponent() - exponent);
  return number.is_negative() ? -magnitude : magnitude;
}

// (b - a) / 2^exponent, within two units in a double's last place; a is below b.
double difference(const bound& a, const bound& b, int exponent) {
  const bool cancels = a.is_negative() == b.is_negative() && a.digits() != 0 && b.digits() != 0 &&
                       std::abs(a.exponent() - b.exponent()) <= 1;
  if (!cancels) return scaled(b, exponent) - scaled(a, exponent);
  // Digits of the same scale, or of twice as much: their difference is exact.
  const bound& larger = a.is_negative() ? a : b;
  const bound& smaller = a.is_negative() ? b : a;
  double digits = 0;
  if (larger.exponent() == smaller.exponent())
    digits = static_cast<double>(larger.digits() - smaller.digits());
  else
    digits = 2 * static_cast<double>(larger.digits() - (smaller.digits() >> 1)) -
             static_cast<double>(smaller.digits() & 1);
  return std::ldexp(digits, smaller.exponent() - exponent);
}

// ---------------------------------------------------------------------------------------------- ways to bins

// The exact comparison of a key with an edge: bounds in units of which the larger one has 2^99 to 2^100, so
// that 2^24 of it, and the sum of three such, have less than 128 bits.
void set_exact(even_bins& rule, const even& bounds) {
  constexpr int bits_of_larger = 100;
  const auto top = [](const bound& each) {
    return each.digits() != 0 ? each.exponent() : std::numeric_limits<int>::min();
  };
  const int unit = std::max(top(bounds.lo), top(bounds.hi)) + digits_of_bound - bits_of_larger;
  // Shifts of what vanishes.
  const auto shift = [unit](int exponent) {
    return static_cast<std::uint32_t>(std::max(exponent - unit, -1000));
  };
  rule.lo_digits = bounds.lo.digits();
  rule.hi_digits = bounds.hi.digits();
  rule.lo_shift = shift(bounds.lo.exponent());
  rule.hi_shift = shift(bounds.hi.exponent());
  rule.x_shift = static_cast<std::uint32_t>(-unit);
  rule.signs = (bounds.lo.is_negative() ? 1u : 0u) | (bounds.hi.is_negative() ? 2u : 0u);
}

// Bins of whole numbers that are a power of two of them wide.
bool set_shifted(even_bins& rule, const even& bounds, std::uint64_t bins, const bound& first,
                 unsigned key_bits) {
  const auto width = whole_difference(bounds.lo, bounds.hi), from = whole_difference(bounds.lo, first);
  if (!width || !from || *width % bins != 0 || !std::has_single_bit(*width / bins)) return false;
  const std::uint64_t most = key_bits > 32 ? ~std::uint64_t{0} : 0xffffffffu;  // of a word of the kernel's
  if (*from > most || rule.span > most - *from) return false;
  rule.way = bin_way::shifted;
  rule.from = *from;
  rule.shift = static_cast<std::uint32_t>(std::countr_zero(*width / bins));
  return true;
}

// Bins of floats that are a power of two wide, between whole numbers of some power of two, the unit: a float
// in units, rounded down, has its bin in its upper bits. Units are 1 at most: no product with their number is
// below a float's range.
bool set_floored(even_bins& rule, const even& bounds, std::uint64_t bins) {
  constexpr int most_bits = 29;  // so that sums have 31
  // As a power of two, of what a bound is a whole number.
  const auto lowest = [](const bound& each) {
    return each.digits() != 0 ? each.exponent() + std::countr_zero(each.digits()) : 0;
  };
  int unit = std::min({lowest(bounds.lo), lowest(bounds.hi), 0});
  const auto fits = [&](const bound& each) {
    return each.digits() == 0 || each.exponent() + digits_of_bound - unit <= most_bits;
  };
  if (!fits(bounds.lo) || !fits(bounds.hi)) return false;
  const auto units_of = [&](const bound& each) { return static_cast<std::int64_t>(scaled(each, unit)); };
  const auto range = static_cast<std::uint64_t>(units_of(bounds.hi) - units_of(bounds.lo));
  const int of_range = std::countr_zero(range), of_bins = std::countr_zero(bins);
  if (range >> of_range != bins >> of_bins) return false;
  unit -= std::max(of_bins - of_range, 0);
  if (!fits(bounds.lo) || !fits(bounds.hi) || unit < -126) return false;
  rule.shift = static_cast<std::uint32_t>(std::max(of_range - of_bins, 0));
  const std::int64_t lo = units_of(bounds.lo), below = lo - (std::int64_t{1} << rule.shift),
                     behind = units_of(bounds.hi);
  const auto is_float = [](std::int64_t units) {
    return static_cast<std::int64_t>(static_cast<float>(units)) == units;
  };
  if (!is_float(below) || !is_float(behind)) return false;
  rule.from = static_cast<std::uint32_t>(-lo);
  rule.float_scale = std::ldexp(1.0f, -unit);
  rule.float_from = std::ldexp(static_cast<float>(below), unit);
  rule.float_end = std::ldexp(static_cast<float>(behind), unit);
  rule.way = bin_way::floored;
  return true;
}

// A guess by floats, where it is good enough to decide nearly always.
bool set_by_float(even_bins& rule, const even& bounds, std::uint64_t bins, const bound& first, bool floats) {
  // Each operation is taken to be off by a unit in the last place, as rounding to zero is; devices may flush
  // what is below a float's normal range. Whole numbers become floats, too.
  constexpr double unit = 0x1p-23, flushed = 0x1p-120, most_margin = 0x1p-8;
  constexpr double most = 0x1p60;
  const double lo = scaled(bounds.lo, 0), range = difference(bounds.lo, bounds.hi, 0);
  const double scale = static_cast<double>(bins) / range;
  if (!(std::fabs(lo) < most) || !(range < most && range > 1 / most)) return false;
  if (!(scale < most && scale > 1 / most)) return false;
  const double from = floats ? lo : difference(bounds.lo, first, 0);
  rule.float_from = static_cast<float>(from);
  rule.float_scale = static_cast<float>(scale);
  rule.float_half = 0.5f;
  const double off = std::fabs(from - static_cast<double>(rule.float_from)) + std::fabs(lo) * 0x1p-52;
  double margin = 1.02 * (static_cast<double>(bins) * (floats ? 4 : 5) * unit + scale * (off + flushed));
  // Products with a power of two are exact, and so is what they are of here; those of whole numbers are such.
  const bound count(bins);
  const auto width = whole_difference(bounds.lo, bounds.hi);
  if (floats && bounds.lo.digits() == 0 && bounds.hi.digits() == count.digits()) margin = 0;
  if (!floats && width && bound(*width).digits() == count.digits() && *width < (1u << 24) && from >= 0 &&
      from + static_cast<double>(rule.span) < 0x1p24) {
    margin = 0;
    rule.float_half = 0.25f;
  }
  rule.float_sure = static_cast<float>(0.5 - margin);
  rule.way = bin_way::by_float;
  // The kernel adds 1.5 * 2^23 to a guess, where a float has whole numbers alone.
  return margin <= most_margin && bins <= (1u << 22);
}

// A guess by fixed-point numbers of 64 bits, in units of which the bins have 2^61 to 2^62 together. Less than
// 2 units are lost where a key and lo become units, which are 2^-4 of a unit of the guess, whose scale is
// rounded by less than 2^-50 of it: 64 units of 2^24 bins. The kernel takes it to be off by 256.
void set_by_fixed(even_bins& rule, const even& bounds, std::uint64_t bins, const bound& first, bool floats) {
  const int about = std::max(bounds.lo.digits() != 0 ? bounds.lo.exponent() : bounds.hi.exponent(),
                             bounds.hi.digits() != 0 ? bounds.hi.exponent() : bounds.lo.exponent());
  int exponent = 0;
  double range = std::frexp(difference(bounds.lo, bounds.hi, about), &exponent);  // 1/2 to 1
  const int unit = about + exponent - 62;
  range = std::ldexp(range, 62);
  rule.way = bin_way::by_fixed;
  rule.shift = static_cast<std::uint32_t>(-unit);
  rule.scale = static_cast<std::uint64_t>(std::ldexp(static_cast<double>(bins) / range, 96));
  // As the kernel makes them of a key: cut off, and wrapped.
  const auto units_of = [unit](const bound& number) -> std::uint64_t {
    const int left = number.exponent() - unit;
    const std::uint64_t size = left >= 64   ? 0
                               : left >= 0  ? number.digits() << left
                               : left > -64 ? number.digits() >> -left
                                            : 0;
    return number.is_negative() ? 0 - size : size;
  };
  rule.from = floats ? units_of(bounds.lo) : units_of(first) - units_of(bounds.lo);
}

}  // namespace

void add_bins(program_spec& spec, bin_way way, const element& key) {
  add_modules(spec, {"primitives/histogram_bins.cl"});
  // What sees keys as numbers.
  const auto add_floats = [&] {
    if (is_storage(key)) add_word(spec, "KEY_AS_FLOAT", read_name(key));
    if (is_float(key)) add_word(spec, "KEY_AS_FLOAT", "as_float");
  };
  switch (way) {
    case bin_way::itself:
      return add_modules(spec, {"primitives/histogram_itself.cl"});
    case bin_way::shifted:
      return add_modules(spec, {"primitives/histogram_shifted.cl"});
    case bin_way::floored:
      add_word(spec, "BINS_FLOORED");
      add_floats();
      return add_modules(spec, {"primitives/histogram_floored.cl"});
    case bin_way::by_float:
      add_word(spec, "BINS_FLOAT");
      add_floats();
      return add_modules(spec, {"primitives/histogram_exact.cl", "primitives/histogram_guessed.cl"});
    case bin_way::by_fixed:
      return add_modules(spec, {"primitives/histogram_exact.cl", "primitives/histogram_fixed.cl"});
    case bin_way::between_edges:
      return add_modules(spec, {"primitives/histogram_edges.cl"});
  }
}

int compared(const bound& a, const bound& b) {
  const auto sign = [](const bound& x) {
    return x.digits() == 0 && x.is_finite() ? 0 : x.is_negative() ? -1 : 1;
  };
  if (sign(a) != sign(b)) return sign(a) < sign(b) ? -1 : 1;
  if (sign(a) == 0) return 0;
  // Of one sign: that of the magnitudes, where an infinity is the largest.
  int larger = 0;
  if (a.is_finite() != b.is_finite())
    larger = a.is_finite() ? -1 : 1;
  else if (a.exponent() != b.exponent())
    larger = a.exponent() < b.exponent() ? -1 : 1;
  else if (a.digits() != b.digits())
    larger = a.digits() < b.digits() ? -1 : 1;
  return sign(a) * larger;
}

even_bins bins_of(const even& bounds, std::uint64_t bins, const element& key) {
  const ordered_elements elements(key);
  even_bins rule;
  const auto first = elements.first_from(bounds.lo), behind = elements.first_from(bounds.hi);
  rule.any = first && (!behind || *behind > *first);
  if (!rule.any) return rule;
  rule.first = *first;
  rule.span = (behind ? *behind - 1 : elements.highest()) - *first;
  const bound first_value = elements.value_of(*first);
  const bool floats = elements.are_floats();
  if (!floats && set_shifted(rule, bounds, bins, first_value, static_cast<unsigned>(key.size) * 8)) {
    if (rule.first == 0 && rule.span == elements.highest() && rule.from == 0 && rule.shift == 0)
      rule.way = bin_way::itself;
    return rule;
  }
  if (floats && key.size < 8 && set_floored(rule, bounds, bins)) return rule;
  set_exact(rule, bounds);
  if (key.size == 8 || !set_by_float(rule, bounds, bins, first_value, floats))
    set_by_fixed(rule, bounds, bins, first_value, floats);
  return rule;
}

void add_bins(described_launch& launch, const even_bins& rule) {
  if (rule.way == bin_way::itself) return;
  if (rule.way == bin_way::floored) {
    launch.value("below", rule.float_from).value("behind", rule.float_end).value("scale", rule.float_scale);
    launch.value("from", static_cast<std::uint32_t>(rule.from)).value("shift", rule.shift);
    return;
  }
  launch.value("first", rule.first).value("span", rule.span);
  switch (rule.way) {
    case bin_way::shifted:
      launch.value("from", rule.from).value("shift", rule.shift);
      return;
    case bin_way::by_float:
      launch.value("from", rule.float_from).value("scale", rule.float_scale);
      launch.value("half_bin", rule.float_half).value("sure", rule.float_sure);
      break;
    case bin_way::by_fixed:
      launch.value("from", rule.from).value("unit_shift", rule.shift).value("scale", rule.scale);
      break;
    case bin_way::itself:
    case bin_way::floored:
    case bin_way::between_edges:
      return;
  }
  launch.value("lo_digits", rule.lo_digits).value("lo_shift", rule.lo_shift);
  launch.value("hi_digits", rule.hi_digits).value("hi_shift", rule.hi_shift);
  launch.value("x_shift", rule.x_shift).value("signs", rule.signs);
}

edges_as_elements edges_of(const host_edges& edges, const element& key) {
  const ordered_elements elements(key), own(*edges.type);
  const bool same = key.opencl_name == edges.type->opencl_name;
  edges_as_elements made;
  made.bytes.resize(edges.n * key.size);
  const auto* from = static_cast<const unsigned char*>(edges.first);
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < edges.n; ++k) {
    const std::uint64_t edge = own.ordered(read_bits(from + k * edges.type->size, edges.type->size));
    if (own.is_nan(edge)) made.fault = "an edge is NaN";
    if (made.fault.empty() && edge < before) made.fault = "the edges fall";
    if (!made.fault.empty()) return made;
    before = edge;
    // Where there is none for an edge, there is none for those behind it.
    if (made.reached < k) continue;
    const std::optional<std::uint64_t> first = same ? edge : elements.first_from(own.value_of(edge));
    if (!first) continue;
    ++made.reached;
    write_bits(made.bytes.data() + k * key.size, key.size, elements.bits_of(*first));
  }
  return made;
}

}  // namespace detail
}  // namespace clwave

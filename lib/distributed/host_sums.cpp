// Adds results up on the host.
#include "distributed/host_sums.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <vector>

namespace clwave::detail {
namespace {

// Whether a sum is rounded to its type at once, as devices do it.
#if defined(__FAST_MATH__) || !defined(FLT_EVAL_METHOD)
constexpr bool rounds_each_sum = false;
#else
constexpr bool rounds_each_sum = FLT_EVAL_METHOD == 0;
#endif

// The rounding that devices have, with denormals, whatever the calling thread has.
class own_rounding {
 public:
  own_rounding() {
    std::feholdexcept(&kept_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~own_rounding() { std::fesetenv(&kept_); }
  own_rounding(const own_rounding&) = delete;
  own_rounding& operator=(const own_rounding&) = delete;

 private:
  std::fenv_t kept_;
};

// Integers without a sign: they wrap.
template <class T>
void sum_values(const fold_sizes& sizes, const std::byte* values, std::size_t n, std::byte* result) {
  std::vector<T> all(n);
  std::memcpy(all.data(), values, n * sizeof(T));
  const std::size_t columns = std::min(n, sizes.accumulators);
  for (std::size_t row = columns; row < n; row += columns) {
    const std::size_t count = std::min(columns, n - row);
    for (std::size_t c = 0; c < count; ++c) all[c] = all[c] + all[row + c];
  }
  // Adjacent pairs; the last of an odd number stays.
  for (std::size_t count = columns; count > 1; count = count - count / 2) {
    const std::size_t pairs = count / 2;
    for (std::size_t k = 0; k < pairs; ++k) all[k] = all[2 * k] + all[2 * k + 1];
    if (count % 2 != 0) all[pairs] = all[count - 1];
  }
  std::memcpy(result, all.data(), sizeof(T));
}

template <class T>
void make_nan_canonical(std::byte* value) {
  T x;
  std::memcpy(&x, value, sizeof x);
  if (!std::isnan(x)) return;
  if constexpr (sizeof x == 4)
    x = std::bit_cast<T>(std::uint32_t{0x7fc00000});
  else
    x = std::bit_cast<T>(std::uint64_t{0x7ff8000000000000});
  std::memcpy(value, &x, sizeof x);
}

bool is_float_of(const element& type, std::size_t size) {
  return type.kind == element_kind::floating && type.size == size;
}

}  // namespace

bool host_sums_take(const op& fold, const element& type) {
  if (fold.kind != op_kind::plus || type.components != 1 || (type.size != 4 && type.size != 8)) return false;
  if (type.kind == element_kind::floating) return rounds_each_sum;
  return type.kind == element_kind::signed_integer || type.kind == element_kind::unsigned_integer;
}

bool host_sums_are_those_of(const device_facts& device, const element& type) {
  if (type.kind != element_kind::floating) return true;
  return (type.size == 4 ? device.f32_denormals : device.f64_denormals).value_or(false);
}

void sum_tile_on_host(const element& type, const fold_sizes& sizes, const std::byte* values, std::uint64_t n,
                      std::byte* result) {
  const auto sum = is_float_of(type, 4)   ? sum_values<float>
                   : is_float_of(type, 8) ? sum_values<double>
                   : type.size == 4       ? sum_values<std::uint32_t>
                                          : sum_values<std::uint64_t>;
  const own_rounding rounding;
  sum(sizes, values, static_cast<std::size_t>(n), result);
}

void make_canonical_on_host(const element& type, std::byte* value) {
  if (is_float_of(type, 4)) make_nan_canonical<float>(value);
  if (is_float_of(type, 8)) make_nan_canonical<double>(value);
}

}  // namespace clwave::detail

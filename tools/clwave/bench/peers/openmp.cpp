// OpenMP loops: compiled alone, with -fopenmp -O3 -march=native -ffast-math.
#include "bench/peers/loops.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include <omp.h>

namespace clwave::tool::bench::openmp {
namespace {

template <class Acc, class T>
Acc sum_of(const T* x, std::size_t n) {
  Acc all = 0;
#pragma omp parallel for simd reduction(+ : all) schedule(static)
  for (std::size_t i = 0; i < n; ++i) all += static_cast<Acc>(x[i]);
  return all;
}

}  // namespace

float sum(const float* x, std::size_t n) { return sum_of<float>(x, n); }
double sum(const double* x, std::size_t n) { return sum_of<double>(x, n); }
std::int32_t sum(const std::int32_t* x, std::size_t n) {
  return static_cast<std::int32_t>(sum_of<std::uint32_t>(x, n));  // unsigned may wrap
}
std::uint32_t sum(const std::uint8_t* x, std::size_t n) { return sum_of<std::uint32_t>(x, n); }

namespace {

// Threads count on their own, bytes in four copies, so that equal neighbours do not wait for one another.
template <class T, class Bin>
void count_bins(const T* x, std::uint32_t* counts, std::size_t n, std::size_t bins, const Bin& bin) {
  constexpr std::size_t copies = sizeof(T) == 1 ? 4 : 1;
  std::fill_n(counts, bins, 0u);
#pragma omp parallel
  {
    std::vector<std::uint32_t> own(bins * copies, 0u);
    std::uint32_t* const to = own.data();
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n / copies; ++i) {
      for (std::size_t copy = 0; copy < copies; ++copy) ++to[copy * bins + bin(x[i * copies + copy])];
    }
#pragma omp critical
    for (std::size_t k = 0; k < bins * copies; ++k) counts[k % bins] += to[k];
  }
  for (std::size_t i = n / copies * copies; i < n; ++i) ++counts[bin(x[i])];
}

}  // namespace

void histogram(const std::uint8_t* x, std::uint32_t* counts, std::size_t n, std::size_t bins) {
  count_bins(x, counts, n, bins, [](std::uint8_t value) -> std::size_t { return value; });
}
void histogram(const float* x, std::uint32_t* counts, std::size_t n, std::size_t bins) {
  const float scale = static_cast<float>(bins / 2);
  count_bins(x, counts, n, bins,
             [scale](float value) { return static_cast<std::size_t>((value + 1) * scale); });
}

void row_sums(const float* x, float* sums, std::size_t rows, std::size_t columns) {
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < rows; ++row) {
    float all = 0;
#pragma omp simd reduction(+ : all)
    for (std::size_t i = 0; i < columns; ++i) all += x[row * columns + i];
    sums[row] = all;
  }
}

void column_sums(const float* x, float* sums, std::size_t rows, std::size_t columns) {
  const auto add = [x, columns](float* to, std::size_t row, std::size_t begin, std::size_t end) {
    const float* from = x + row * columns;
#pragma omp simd
    for (std::size_t c = begin; c < end; ++c) to[c] += from[c];
  };
  std::fill_n(sums, columns, 0.0f);
  // Threads take blocks of columns; where there are few of those, they take rows and add up their sums.
  constexpr std::size_t block = 1024;
  if (columns >= 4 * block * static_cast<std::size_t>(omp_get_max_threads())) {
#pragma omp parallel for schedule(static)
    for (std::size_t begin = 0; begin < columns; begin += block) {
      for (std::size_t row = 0; row < rows; ++row) add(sums, row, begin, std::min(begin + block, columns));
    }
    return;
  }
#pragma omp parallel
  {
    std::vector<float> own(columns, 0.0f);
#pragma omp for schedule(static)
    for (std::size_t row = 0; row < rows; ++row) add(own.data(), row, 0, columns);
#pragma omp critical
    for (std::size_t c = 0; c < columns; ++c) sums[c] += own[c];
  }
}

void segment_sums(const float* x, const std::uint32_t* offsets, float* sums, std::size_t segments) {
#pragma omp parallel for schedule(guided)
  for (std::size_t s = 0; s < segments; ++s) {
    float all = 0;
#pragma omp simd reduction(+ : all)
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) all += x[i];
    sums[s] = all;
  }
}

void segment_scans(const float* x, const std::uint32_t* offsets, float* out, std::size_t segments) {
#pragma omp parallel for schedule(guided)
  for (std::size_t s = 0; s < segments; ++s) {
    float all = 0;
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) out[i] = all += x[i];
  }
}

float largest(const float* x, std::size_t n) {
  float all = x[0];
#pragma omp parallel for simd reduction(max : all) schedule(static)
  for (std::size_t i = 0; i < n; ++i) all = x[i] > all ? x[i] : all;
  return all;
}

float dot(const float* x, const float* y, std::size_t n) {
  float all = 0;
#pragma omp parallel for simd reduction(+ : all) schedule(static)
  for (std::size_t i = 0; i < n; ++i) all += x[i] * y[i];
  return all;
}

namespace {

// The passes of a scan over one piece.
struct plus {
  static constexpr int identity = 0;
  template <class Acc>
  static Acc of(Acc a, Acc b) {
    return a + b;
  }
  template <class T, class Acc>
  static Acc fold(const T* x, std::size_t n, Acc all) {
#pragma omp simd reduction(+ : all)
    for (std::size_t i = 0; i < n; ++i) all += static_cast<Acc>(x[i]);
    return all;
  }
  template <class T, class Acc>
  static void scan(const T* x, Acc* out, std::size_t n, Acc all) {
#pragma omp simd reduction(inscan, + : all)
    for (std::size_t i = 0; i < n; ++i) {
      all += static_cast<Acc>(x[i]);
#pragma omp scan inclusive(all)
      out[i] = all;
    }
  }
  template <class T, class Acc>
  static void scan_before(const T* x, Acc* out, std::size_t n, Acc all) {
#pragma omp simd reduction(inscan, + : all)
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = all;
#pragma omp scan exclusive(all)
      all += static_cast<Acc>(x[i]);
    }
  }
};

struct larger {
  static constexpr int identity = std::numeric_limits<std::int32_t>::min();
  static std::int32_t of(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
  static std::int32_t fold(const std::int32_t* x, std::size_t n, std::int32_t all) {
#pragma omp simd reduction(max : all)
    for (std::size_t i = 0; i < n; ++i) all = of(all, x[i]);
    return all;
  }
  static void scan(const std::int32_t* x, std::int32_t* out, std::size_t n, std::int32_t all) {
#pragma omp simd reduction(inscan, max : all)
    for (std::size_t i = 0; i < n; ++i) {
      all = of(all, x[i]);
#pragma omp scan inclusive(all)
      out[i] = all;
    }
  }
};

// In rounds, of which each thread has a piece that stays in its cache from the pass that folds it to the
// pass that scans it: memory is read once and written once.
template <class Op, bool exclusive, class T, class Acc>
void scan_of(const T* x, Acc* out, std::size_t n) {
  constexpr std::size_t most_in_piece = 65536;
  // A cache line for each thread's fold; two rounds, so that one barrier a round is enough.
  struct alignas(64) slot {
    std::array<Acc, 2> fold;
  };
  std::vector<slot> slots(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t piece = std::min(most_in_piece, (n + threads - 1) / threads);
    Acc before = static_cast<Acc>(Op::identity);
    std::size_t parity = 0;
    for (std::size_t round = 0; round < n; round += threads * piece) {
      const std::size_t first = std::min(n, round + thread * piece);
      const std::size_t count = std::min(n - first, piece);
      slots[thread].fold[parity] = Op::fold(x + first, count, static_cast<Acc>(Op::identity));
#pragma omp barrier
      Acc own = before;
      for (std::size_t t = 0; t < threads; ++t) {
        if (t == thread) own = before;
        before = Op::of(before, slots[t].fold[parity]);
      }
      if constexpr (exclusive)
        Op::scan_before(x + first, out + first, count, own);
      else
        Op::scan(x + first, out + first, count, own);
      parity = 1 - parity;
    }
  }
}

template <class T, class Acc>
void sums_of(const T* x, Acc* out, std::size_t n, bool exclusive) {
  if (exclusive)
    scan_of<plus, true>(x, out, n);
  else
    scan_of<plus, false>(x, out, n);
}

}  // namespace

#include "bench/peers/scans.inc"

void scan_largest(const std::int32_t* x, std::int32_t* out, std::size_t n) {
  scan_of<larger, false>(x, out, n);
}

void copy(const void* from, void* to, std::size_t bytes) {
#pragma omp parallel
  {
    const auto pieces = static_cast<std::size_t>(omp_get_num_threads());
    const auto piece = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t first = bytes * piece / pieces / 64 * 64;
    const std::size_t end = piece + 1 == pieces ? bytes : bytes * (piece + 1) / pieces / 64 * 64;
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, end - first);
  }
}

void fill(float* to, float value, std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) to[i] = value;
}

void multiply(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t l = 0; l < k; ++l) {
      const float x = a[i * k + l];
      const float* from = b + l * n;
#pragma omp simd
      for (std::size_t j = 0; j < n; ++j) row[j] += x * from[j];
    }
  }
}

}  // namespace clwave::tool::bench::openmp

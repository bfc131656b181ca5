// gemm: every type, order and transpose, sizes round every tile's edge, cut sums, batches and scalars, on
// every profile, against plain loops in higher precision; and for f32 and f64 in every bit.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::gemm_test {
namespace {

using clwave::gemm_options;
using clwave::gemm_size;
using clwave::matrix_order;

double number(float x) { return x; }
double number(double x) { return x; }
double number(half x) { return static_cast<float>(x); }

template <class T>
T value_of(double x) {
  if constexpr (std::is_same_v<T, half>)
    return half(static_cast<float>(x));
  else
    return static_cast<T>(x);
}

template <class T>
using accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

// A stored matrix with its guards: batches, lines, and elements between the lines that nobody may touch.
struct stored {
  std::size_t rows, columns, line, stride;
  bool along_rows;  // a line is a row
  std::size_t at(std::size_t batch, std::size_t row, std::size_t column) const {
    return batch * stride + (along_rows ? row * line + column : column * line + row);
  }
  std::size_t extent(std::size_t batches) const {
    if (rows == 0 || columns == 0 || batches == 0) return 0;
    return at(batches - 1, rows - 1, columns - 1) + 1;
  }
};

stored matrix(std::size_t rows, std::size_t columns, bool along_rows, std::size_t leading,
              const std::optional<std::size_t>& stride) {
  const std::size_t run = along_rows ? columns : rows;
  const std::size_t lines = along_rows ? rows : columns;
  const std::size_t line = leading != 0 ? leading : run;
  return {rows, columns, line, stride.value_or(line * lines), along_rows};
}

// How k is cut, as include/clwave/gemm.hpp promises: by the sizes alone.
std::size_t part_of(const gemm_size& size, std::size_t batches) {
  const std::size_t tiles = (size.m + 63) / 64 * ((size.n + 63) / 64) * batches;
  if (tiles >= 128 || size.k < 512) return std::max<std::size_t>(size.k, 1);
  const std::size_t parts = std::min<std::size_t>(size.k / 256, 1024 / tiles);
  return ((size.k + parts - 1) / parts + 127) / 128 * 128;
}

struct task {
  gemm_size size;
  gemm_options options;
  std::size_t offset = 0;  // of all three views
  bool poison = true;      // NaN lies in C where beta is 0
};

std::string text_of(const task& t) {
  const gemm_options& o = t.options;
  return std::to_string(t.size.m) + " x " + std::to_string(t.size.n) + " x " + std::to_string(t.size.k) +
         (o.order == matrix_order::row_major ? " row" : " column") + (o.transpose_a ? " ta" : "") +
         (o.transpose_b ? " tb" : "") + " ld " + std::to_string(o.lda) + "," + std::to_string(o.ldb) + "," +
         std::to_string(o.ldc) + " batches " + std::to_string(o.batches) + " offset " +
         std::to_string(t.offset) + " alpha " + std::to_string(o.alpha) + " beta " + std::to_string(o.beta);
}

// Runs one product and compares all of C's buffer: elements with the bound of the docstring and, where
// `exact`, in every bit; what lies between and round them unchanged. Returns how many are wrong.
template <class T, class Out = T>
int wrong_elements(const task& t, bool exact) {
  using Acc = accumulator<T>;
  fixture& on = default_fixture();
  const gemm_options& o = t.options;
  const auto& [m, n, k] = t.size;
  const bool rows = o.order == matrix_order::row_major;
  const stored a = matrix(o.transpose_a ? k : m, o.transpose_a ? m : k, rows, o.lda, o.stride_a);
  const stored b = matrix(o.transpose_b ? n : k, o.transpose_b ? k : n, rows, o.ldb, o.stride_b);
  const stored c = matrix(m, n, rows, o.ldc, o.stride_c);
  reference::random_engine random;
  const auto fill = [&](std::size_t count) {
    std::vector<T> values(count);
    for (T& v : values) v = value_of<T>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63);
    return values;
  };
  constexpr std::size_t guard = 40;
  const std::vector<T> a_values = fill(t.offset + a.extent(o.batches));
  const std::vector<T> b_values = fill(t.offset + b.extent(o.batches));
  std::vector<Out> before(t.offset + c.extent(o.batches) + guard);
  for (Out& v : before) v = value_of<Out>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63);
  std::vector<bool> written(before.size());
  for (std::size_t batch = 0; batch < o.batches; ++batch) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = t.offset + c.at(batch, i, j);
        written[at] = true;
        if (o.beta == 0 && t.poison) before[at] = value_of<Out>(std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  // The buffers end with the views' last bytes: a read past them is one past the buffer.
  const cl::Buffer a_buffer = on.buffer_of(a_values);
  const cl::Buffer b_buffer = on.buffer_of(b_values);
  const cl::Buffer c_buffer = on.buffer_of(before);
  clwave::gemm(on.queue, t.size, view<T>(a_buffer, a.extent(o.batches), t.offset),
               view<T>(b_buffer, b.extent(o.batches), t.offset),
               view<Out>(c_buffer, c.extent(o.batches), t.offset), o)
      .wait();
  const std::vector<Out> after = on.read<Out>(c_buffer, before.size());

  const double eps = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;
  const std::size_t part = part_of(t.size, o.batches);
  int wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    wrong += !written[i] && !reference::same_bits(after[i], before[i]) ? 1 : 0;
  if (wrong > 0) MESSAGE("bytes outside C were written");
  for (std::size_t batch = 0; batch < o.batches; ++batch) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = t.offset + c.at(batch, i, j);
        long double sum = 0;
        long double size = 0;
        Acc total = 0;
        Acc piece = 0;
        for (std::size_t l = 0; l < (o.alpha == 0 ? 0 : k); ++l) {
          const T x = a_values[t.offset + (o.transpose_a ? a.at(batch, l, i) : a.at(batch, i, l))];
          const T y = b_values[t.offset + (o.transpose_b ? b.at(batch, j, l) : b.at(batch, l, j))];
          const long double product = static_cast<long double>(number(x)) * number(y);
          sum += product;
          size += std::abs(product);
          piece = std::fma(static_cast<Acc>(number(x)), static_cast<Acc>(number(y)), piece);
          if ((l + 1) % part != 0 && l + 1 != k) continue;
          total = l < part ? piece : total + piece;
          piece = 0;
        }
        const long double old = o.beta == 0 ? 0.0L : static_cast<long double>(number(before[at]));
        const long double right = o.alpha * sum + o.beta * old;
        const Acc alpha = static_cast<Acc>(o.alpha);
        const Acc beta = static_cast<Acc>(o.beta);
        const Acc scaled = alpha * total;
        const Out chain = value_of<Out>(
            o.beta == 0 ? scaled : std::fma(beta, static_cast<Acc>(number(before[at])), scaled));
        long double bound = (static_cast<long double>(k) + 2) * eps * std::abs(o.alpha) * size +
                            2 * eps * std::abs(o.beta * old);
        if (std::is_same_v<Out, half>) bound += std::abs(right) * 0x1p-11 + 0x1p-25;
        const double got = number(after[at]);
        const bool good = std::abs(static_cast<long double>(got) - right) <= bound &&
                          (!exact || reference::same_bits(after[at], chain));
        if (!good && ++wrong < 3) {
          MESSAGE("element " << i << ", " << j << " of batch " << batch << " is " << got << ", exactly "
                             << static_cast<double>(right) << ", the chain gives " << number(chain));
        }
      }
    }
  }
  if (wrong > 0) MESSAGE(text_of(t) << ": " << wrong << " wrong; " << random.note());
  return wrong;
}

const clwave::profile& row_here() { return *clwave::choose_profile(default_fixture().facts).profile; }

// Whether results have the bits of the chain: not on matrix instructions.
template <class T>
bool is_exact() {
  const clwave::profile_choice choice = clwave::choose_profile(default_fixture().facts);
  const clwave::gemm_tuning& tuned = clwave::gemm_of(*choice.profile);
  if (!default_fixture().facts.f32_denormals.value_or(true)) return false;
  if (choice.emulated || tuned.unit == clwave::matrix_unit::none) return true;
  if (std::is_same_v<T, half>) return tuned.matrix_f16.empty();
  // NVIDIA's f64 instructions are chains of fused multiply-adds too; of others that is not known.
  return !std::is_same_v<T, double> || tuned.matrix_f64.empty() ||
         tuned.unit == clwave::matrix_unit::mma_sync;
}

gemm_options with(matrix_order order, bool ta, bool tb) {
  gemm_options o;
  o.order = order;
  o.transpose_a = ta;
  o.transpose_b = tb;
  return o;
}

}  // namespace

TEST_CASE("gemm of every type, order and transpose") {
  const auto all = [](auto value, auto result) {
    using T = decltype(value);
    using Out = decltype(result);
    int wrong = 0;
    sample forms(3);
    for (const matrix_order order : {matrix_order::row_major, matrix_order::column_major}) {
      for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
          if (!forms.takes_next()) continue;
          // Each program once, for compilers are slow: halves into floats differ in their stores alone.
          if (!std::is_same_v<T, Out> && (ta || tb)) continue;
          task t{.size = {36, 44, 28}, .options = with(order, ta, tb)};
          wrong += wrong_elements<T, Out>(t, is_exact<T>());
          t.size = {33, 65, 19};
          t.options.alpha = -1.5;
          t.options.beta = 0.75;
          wrong += wrong_elements<T, Out>(t, is_exact<T>());
        }
      }
    }
    return wrong;
  };
  CHECK(all(float{}, float{}) == 0);
  CHECK(all(half{}, half{}) == 0);
  CHECK(all(half{}, float{}) == 0);
  if (default_fixture().has_doubles()) CHECK(all(double{}, double{}) == 0);
}

TEST_CASE("gemm of thin and empty matrices, sizes round every edge") {
  int wrong = 0;
  const std::size_t edges[] = {1, 2, 7, 8, 9, 31, 32, 33, 127, 129};
  for (const std::size_t m : edges) {
    for (const std::size_t n : {1u, 5u, 33u}) {
      for (const std::size_t k : {0u, 1u, 8u, 17u}) {
        wrong += wrong_elements<float>({.size = {m, n, k}, .options = {.beta = k == 8 ? 2.0 : 0.0}},
                                       is_exact<float>());
        wrong += wrong_elements<float>({.size = {n, m, k}, .options = {.beta = k == 1 ? 2.0 : 0.0}},
                                       is_exact<float>());
      }
    }
  }
  CHECK(wrong == 0);
  for (const gemm_size& size : {gemm_size{0, 3, 4}, gemm_size{3, 0, 4}, gemm_size{0, 0, 0}})
    CHECK(wrong_elements<float>({.size = size, .options = {}}, true) == 0);
  CHECK(wrong_elements<float>({.size = {3, 4, 5}, .options = {.batches = 0}}, true) == 0);
}

TEST_CASE("gemm larger than its tiles") {
  // More than one large tile each way, more than one step, the last of each short, and not.
  const bool fast = !row_here().name.empty() && default_fixture().facts.family.value_or(
                                                    clwave::device_family::cpu) != clwave::device_family::cpu;
  for (const gemm_size& size :
       {gemm_size{256, 260, 64}, gemm_size{201, 333, 35}, gemm_size{130, 1000, 300}}) {
    CHECK(wrong_elements<float>({.size = size, .options = {}}, is_exact<float>()) == 0);
    CHECK(wrong_elements<half>({.size = size, .options = {.transpose_a = true}}, is_exact<half>()) == 0);
    if (default_fixture().has_doubles())
      CHECK(wrong_elements<double>({.size = size, .options = {.transpose_b = true}}, is_exact<double>()) ==
            0);
    if (!fast) break;
  }
  CHECK(wrong_elements<float>({.size = {1100, 900, 40}, .options = {}}, is_exact<float>()) == 0);
}

TEST_CASE("gemm with k cut into parts") {
  CHECK(part_of({3, 5, 5000}, 1) < 5000);
  for (const gemm_size& size : {gemm_size{3, 5, 5000}, gemm_size{1, 1, 4099}, gemm_size{70, 65, 600}}) {
    CHECK(wrong_elements<float>({.size = size, .options = {.alpha = 0.5, .beta = -1}}, is_exact<float>()) ==
          0);
    CHECK(wrong_elements<half>({.size = size, .options = {.transpose_b = true}}, is_exact<half>()) == 0);
  }
  CHECK(wrong_elements<float>({.size = {6, 4, 1024}, .options = {.batches = 3}}, is_exact<float>()) == 0);
  if (default_fixture().has_doubles())
    CHECK(wrong_elements<double>({.size = {16, 16, 2048}, .options = {}}, is_exact<double>()) == 0);
}

TEST_CASE("gemm with leading dimensions, offsets, batches and scalars") {
  int wrong = 0;
  for (const std::size_t offset : {0u, 1u, 4u}) {
    for (const std::size_t more : {0u, 3u, 8u}) {
      task t{.size = {40, 24, 32}, .options = {}, .offset = offset};
      t.options.lda = 32 + more;
      t.options.ldb = 24 + more;
      t.options.ldc = 24 + more;
      t.options.batches = 3;
      t.options.beta = offset == 1 ? 1 : 0;
      wrong += wrong_elements<float>(t, is_exact<float>());
      wrong += wrong_elements<half>(t, is_exact<half>());
      t.options.stride_a = 0;
      t.options.stride_b = 31;  // overlapping inputs are allowed
      t.options.stride_c = 40 * 40;
      wrong += wrong_elements<float>(t, is_exact<float>());
    }
  }
  // alpha 0 reads neither A nor B, and k = 0 has none.
  task t{.size = {20, 30, 10}, .options = {.alpha = 0, .beta = 3}};
  wrong += wrong_elements<float>(t, true);
  t.options.beta = 0;
  wrong += wrong_elements<float>(t, true);
  t.size.k = 0;
  t.options = {.alpha = std::numeric_limits<double>::quiet_NaN(), .beta = 0.5};
  t.options.alpha = 7;
  wrong += wrong_elements<float>(t, true);
  CHECK(wrong == 0);
}

TEST_CASE_FIXTURE(on_device, "gemm does not let through what alpha = 0 or beta = 0 leaves unread") {
  const std::vector<float> bad(64, std::numeric_limits<float>::quiet_NaN());
  const cl::Buffer a = on.buffer_of(bad);
  const cl::Buffer c = on.buffer_of(bad);
  clwave::gemm(on.queue, {8, 8, 8}, view<float>(a, 64), view<float>(a, 64), view<float>(c, 64), {.alpha = 0})
      .wait();
  CHECK(on.read<float>(c, 64) == std::vector<float>(64, 0.0f));
  // So it is with what is 0 as a float.
  const cl::Buffer d = on.buffer_of(bad);
  clwave::gemm(on.queue, {8, 8, 8}, view<float>(a, 64), view<float>(a, 64), view<float>(d, 64),
               {.alpha = 1e-60, .beta = -1e-60})
      .wait();
  CHECK(on.read<float>(d, 64) == std::vector<float>(64, 0.0f));
  // And infinities and NaN of A and B arrive.
  const std::vector<float> ones(64, 1.0f);
  const cl::Buffer b = on.buffer_of(ones);
  clwave::gemm(on.queue, {8, 8, 8}, view<float>(a, 64), view<float>(b, 64), view<float>(c, 64)).wait();
  for (const float x : on.read<float>(c, 64)) CHECK(std::isnan(x));
}

TEST_CASE("gemm on every profile") {
  for_each_profile([](const clwave::profile& /*row*/) {
    int wrong =
        wrong_elements<float>({.size = {37, 41, 23}, .options = {.alpha = 2, .beta = 1}}, is_exact<float>());
    // The same program again, with more tiles than one each way.
    wrong +=
        wrong_elements<float>({.size = {101, 73, 55}, .options = {.alpha = 2, .beta = 1}}, is_exact<float>());
    CHECK(wrong == 0);
  });
}

TEST_CASE("gemm of halves and doubles on profiles of each kind") {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "gfx1100", "gpu", "cpu"}))) {
    CHECK(wrong_elements<half>({.size = {64, 72, 48}, .options = {.transpose_a = true}}, is_exact<half>()) ==
          0);
    if (default_fixture().has_doubles())
      CHECK(wrong_elements<double>({.size = {34, 50, 20}, .options = {.beta = 1}}, is_exact<double>()) == 0);
  }
}

TEST_CASE("gemm of thin matrices longer than a group, as Hopper computes them") {
  const forced_profile forced{"sm_90"};
  int wrong = 0;
  sample forms(4);
  for (const gemm_size& size :
       {gemm_size{300, 5, 70}, gemm_size{5, 300, 81}, gemm_size{257, 1, 700}, gemm_size{2, 513, 290}}) {
    for (const matrix_order order : {matrix_order::row_major, matrix_order::column_major}) {
      for (const int turned : {0, 1, 2, 3}) {
        if (!forms.takes_next()) continue;
        task t{.size = size, .options = with(order, turned % 2 == 1, turned / 2 == 1)};
        t.options.beta = turned == 1 ? -2 : 0;
        t.options.lda = std::max(size.m, size.k) + (turned == 2 ? 1 : 4);
        wrong += wrong_elements<float>(t, is_exact<float>());
        t.options.lda = 0;
        t.options.alpha = 0.5;
        t.options.batches = 2;
        wrong += wrong_elements<half, float>(t, false);
        if (default_fixture().has_doubles()) wrong += wrong_elements<double>(t, is_exact<double>());
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("gemm of doubles whose tiles are whole, and not, as Hopper computes them") {
  if (!default_fixture().has_doubles()) return;
  const forced_profile forced{"sm_90"};
  int wrong = 0;
  sample forms(3);
  for (const gemm_size& size : {gemm_size{34, 66, 8}, gemm_size{66, 34, 38}, gemm_size{32, 32, 128},
                                gemm_size{30, 66, 2}, gemm_size{33, 34, 40}}) {
    for (const int turned : {0, 1, 2, 3}) {
      if (!forms.takes_next()) continue;
      task t{.size = size, .options = with(matrix_order::row_major, turned % 2 == 1, turned / 2 == 1)};
      t.options.beta = turned == 1 ? 0.5 : 0;
      wrong += wrong_elements<double>(t, is_exact<double>());
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_FIXTURE(on_device, "gemm gives the same bits whatever the profile") {
  std::vector<float> a(45 * 700), b(700 * 52);
  for (float& x : a) x = reference::random_value<float>(random);
  for (float& x : b) x = reference::random_value<float>(random);
  const cl::Buffer a_buffer = on.buffer_of(a);
  const cl::Buffer b_buffer = on.buffer_of(b);
  std::vector<float> first;
  for (const std::string name : forced_rows(some_of({"", "gpu", "sm_90", "gfx906", "cpu"}))) {
    const cl::Buffer c = on.buffer_of(std::vector<float>(45 * 52));
    clwave::gemm(on.queue, {45, 52, 700}, view<float>(a_buffer, a.size()), view<float>(b_buffer, b.size()),
                 view<float>(c, 45 * 52))
        .wait();
    const auto now = on.read<float>(c, 45 * 52);
    if (first.empty()) first = now;
    CAPTURE(std::string(name));
    CHECK(std::memcmp(now.data(), first.data(), now.size() * sizeof(float)) == 0);
  }
}

TEST_CASE_FIXTURE(on_device, "gemm refuses what cannot be") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(300));
  const view<float> x(buffer, 100), y(buffer, 100, 100), z(buffer, 100, 200);
  const auto refused = [&](const gemm_size& size, const auto& a, const auto& b, const auto& c,
                           const gemm_options& options = {}) {
    return testing::refused([&] { clwave::gemm(on.queue, size, a, b, c, options); });
  };
  CHECK(refused({10, 10, 11}, x, y, z));
  CHECK(refused({10, 11, 10}, x, y, z));
  CHECK(refused({11, 10, 10}, x, y, z));
  CHECK(refused({10, 10, 10}, x, y, z, {.lda = 9}));
  CHECK(refused({10, 10, 10}, x, y, z, {.ldc = 11}));
  CHECK(refused({10, 10, 10}, x, y, x));
  CHECK(refused({10, 10, 10}, x, y, view<float>(buffer, 100, 150)));
  CHECK(refused({5, 5, 5}, x, y, z, {.batches = 2, .stride_c = 24}));
  CHECK(refused({5, 5, 5}, x, y, z, {.batches = 5}));
  CHECK(refused({5, 5, 5}, view<std::int32_t>(buffer, 100), view<std::int32_t>(buffer, 100, 100), z));
  CHECK(refused({5, 5, 5}, view<half>(buffer, 100), y, z));
  CHECK(refused({5, 5, 5}, x, y, view<half>(buffer, 100, 400)));
  CHECK(refused({std::size_t{1} << 62, std::size_t{1} << 62, 1}, x, y, z));
  CHECK(refused({1, 1, 1}, x, y, z, {.batches = std::numeric_limits<std::size_t>::max()}));
  const clwave::event e = clwave::gemm(on.queue, {10, 10, 10}, x, x, z);  // A and B may be one
  e.wait();
}

TEST_CASE_FIXTURE(on_device, "gemm on an out-of-order queue, after events, from the docstring") {
  if (!on.facts.out_of_order_queue.value_or(false)) return;
  const cl::CommandQueue queue = on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const std::size_t m = 12, n = 16, k = 2000;
  const cl::Buffer a_buffer = on.buffer_of(std::vector<float>(m * k));
  const cl::Buffer b_buffer = on.buffer_of(std::vector<float>(k * n));
  const cl::Buffer c_buffer = on.buffer_of(std::vector<float>(m * n, 5));
  const view<float> a(a_buffer, m * k), b(b_buffer, k * n), c(c_buffer, m * n);
  const clwave::event ones = clwave::fill(queue, a, 1.0f);
  const clwave::event twos = clwave::fill(queue, b, 2.0f);
  clwave::gemm(queue, {m, n, k}, a, b, c, {.alpha = 2, .beta = 1, .transpose_b = true, .after = {ones, twos}})
      .wait();
  CHECK(on.read<float>(c_buffer, m * n) == std::vector<float>(m * n, 8005.0f));
}

TEST_CASE("the plan of a product says what will be done") {
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};
  const auto planned = [&](const gemm_size& size) {
    const element& f32 = element_of<float>();
    return plan(clwave::gemm_problem{f32, f32, f32, size}, on);
  };
  const call_plan square = planned({4096, 4096, 4096});
  CHECK(square.kernels.size() == 1);
  CHECK(square.kernels[0].groups * square.kernels[0].group_size < u64{4096} * 4096);
  const call_plan thin = planned({1, 1, 1 << 20});
  CHECK(thin.kernels.size() == 2);
  CHECK(thin.workspace_bytes > 0);
  CHECK(planned({0, 5, 5}).kernels.empty());
}
TEST_CASE("a product with more tiles than a launch has groups is refused") {
  const clwave::plan_target hopper{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};
  const element& f32 = element_of<float>();
  CHECK_THROWS_AS(plan(clwave::gemm_problem{f32, f32, f32, {.m = 4 << 20, .n = 4 << 20, .k = 8}}, hopper),
                  clwave::error);
  // Batches of nothing are no product, and nothing is divided by them.
  clwave::gemm_options none;
  none.batches = 0;
  CHECK(plan(clwave::gemm_problem{f32, f32, f32, {.m = 8, .n = 8, .k = 4096}, none}, hopper).kernels.empty());
}

}  // namespace testing::gemm_test

// gemv against dot of each row on the host, bit for bit.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::gemv_test {
namespace {

using clwave::gemv_options;
using clwave::gemv_size;
using clwave::matrix_order;

template <class T>
using accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

// A product, whose views begin `at` elements into their buffers.
template <class T, class Y>
struct product {
  gemv_size size;
  gemv_options options;
  std::size_t at = 0;
  std::vector<T> a = {}, x = {};
  std::vector<Y> y = {};

  bool by_rows() const { return options.transpose == (options.order == matrix_order::column_major); }
  std::size_t lines() const { return by_rows() ? size.rows : size.columns; }
  std::size_t run() const { return by_rows() ? size.columns : size.rows; }
  std::size_t line() const { return options.lda != 0 ? options.lda : run(); }
  std::size_t in_a(std::size_t row, std::size_t column) const {
    return at + (by_rows() ? row * line() + column : column * line() + row);
  }

  // Sums of products of such numbers round.
  void fill(random_engine& random) {
    const auto draw = [&](auto& values, std::size_t n, std::size_t step) {
      values.resize(at + (n == 0 ? 0 : (n - 1) * step + 1));
      for (auto& each : values) {
        using Value = std::remove_reference_t<decltype(each)>;
        const double number = (static_cast<double>(random.below(20001)) - 10000) / 3000;
        if constexpr (sizeof(Value) == 2)
          each = Value(static_cast<float>(number));
        else
          each = static_cast<Value>(number);
      }
    };
    draw(a, lines() == 0 || run() == 0 ? 0 : (lines() - 1) * line() + run(), 1);
    draw(x, size.columns, options.step_x);
    draw(y, size.rows, options.step_y);
  }

  std::vector<Y> expected() const {
    using Acc = accumulator<T>;
    std::vector<Y> all = y;
    const auto alpha = static_cast<Acc>(options.alpha), beta = static_cast<Acc>(options.beta);
    for (std::size_t row = 0; row < size.rows; ++row) {
      Acc scaled = 0;
      if (size.columns > 0 && alpha != 0) {
        scaled = alpha * reference::fold_reference<Acc>(
                             size.columns,
                             [&](std::size_t i) {
                               return static_cast<Acc>(a[in_a(row, i)]) *
                                      static_cast<Acc>(x[at + i * options.step_x]);
                             },
                             [](Acc first, Acc second) { return first + second; }, false);
      }
      Y& to = all[at + row * options.step_y];
      if (beta != 0) scaled = std::fma(beta, static_cast<Acc>(to), scaled);
      to = Y(scaled);
    }
    return all;
  }

  // The whole buffer of y afterwards.
  std::vector<Y> found(const fixture& on) const {
    const cl::Buffer a_buffer = on.buffer_of(a), x_buffer = on.buffer_of(x), y_buffer = on.buffer_of(y);
    clwave::gemv(on.queue, size, view<const T>(a_buffer, a.size() - at, at),
                 view<const T>(x_buffer, x.size() - at, at), view<Y>(y_buffer, y.size() - at, at), options)
        .wait();
    return on.read<Y>(y_buffer, y.size());
  }
};

// Elements with other bits than they should have.
template <class T, class Y = T>
std::size_t wrong_elements(const fixture& on, random_engine& random, const gemv_size& size,
                           const gemv_options& options, std::size_t at) {
  product<T, Y> p{.size = size, .options = options, .at = at};
  p.fill(random);
  const std::vector<Y> expected = p.expected(), found = p.found(on);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    wrong += std::memcmp(&expected[i], &found[i], sizeof(Y)) != 0 ? 1 : 0;
  return wrong;
}

gemv_options random_options(random_engine& random, const gemv_size& size) {
  gemv_options options;
  if (random.below(2) != 0) options.order = matrix_order::column_major;
  options.transpose = random.below(2) != 0;
  const bool by_rows = options.transpose == (options.order == matrix_order::column_major);
  if (random.below(2) != 0)
    options.lda = (by_rows ? size.columns : size.rows) + random.below(2) * 16 + random.below(4);
  if (random.below(3) == 0) options.step_x = 1 + random.below(4);
  if (random.below(3) == 0) options.step_y = 1 + random.below(4);
  const double factors[] = {0, 1, -1, 0.37};
  options.alpha = factors[1 + random.below(3)];
  options.beta = factors[random.below(4)];
  return options;
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "every order, type, step and factor has dot's bits, on rows of the table") {
  for (const clwave::profile& row : clwave::profiles()) {
    // Compilers take seconds over each program of emulated lanes.
    if (row.name != "sm_90" && row.name != "gfx90a" && row.name != "cpu" && random.below(4) != 0) continue;
    const forced_profile forced{std::string(row.name)};
    const bool is_cpu = row.name == "cpu";
    for (int each = 0; each < (is_cpu ? 60 : quick() ? 4 : 12); ++each) {
      const std::size_t lengths[] = {1, 3, 31, 64, 100, 513, 1024, 1500, 8192, 9001};
      const gemv_size size{1 + random.below(70), lengths[random.below(is_cpu ? 10 : 8)]};
      const gemv_options options = random_options(random, size);
      const std::size_t at = random.below(2) == 0 ? 0 : random.below(9);
      CAPTURES(size.rows, size.columns, options.transpose);
      CHECK(wrong_elements<float>(on, random, size, options, at) == 0);
      if (each % 4 != 0) continue;
      if (on.has_doubles()) CHECK(wrong_elements<double>(on, random, size, options, at) == 0);
      CHECK(wrong_elements<half>(on, random, size, options, at) == 0);
      CHECK(wrong_elements<half, float>(on, random, size, options, at) == 0);
      CHECK(wrong_elements<bfloat16>(on, random, size, options, at) == 0);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "long and wide matrices, by whole rows, by parts and by levels" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "cpu"}))) {
    for (const gemv_size& size :
         {gemv_size{2, 30000}, gemv_size{30000, 2}, gemv_size{700, 1500}, gemv_size{3, 8192 * 3 + 1}}) {
      for (const bool transpose : {false, true}) {
        CAPTURES(size.rows, transpose);
        const gemv_options options{.alpha = 1.5, .beta = 0.5, .transpose = transpose, .step_y = 2};
        CHECK(wrong_elements<float>(on, random, size, options, 4) == 0);
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "gemv has the bits of dot and of reduce_rows, twice, behind an event") {
  product<float, float> p{.size = {5, 3000}, .options = {}};
  p.fill(random);
  const cl::Buffer a = on.buffer_of(p.a), x = on.buffer_of(p.x), y = on.buffer_of(p.y);
  for (int turn = 0; turn < 2; ++turn) {
    const clwave::event filled = clwave::fill(on.queue, view<float>(y, 5), -7.0f);
    clwave::gemv(on.queue, {5, 3000}, view<float>(a, 15000), view<float>(x, 3000), view<float>(y, 5),
                 {.after = {filled}})
        .wait();
    const auto found = on.read<float>(y, 5);
    for (std::size_t row = 0; row < 5; ++row) {
      const float expected = clwave::dot(on.queue, view<float>(a, 3000, 3000 * row), view<float>(x, 3000));
      CHECK(reference::same_bits(found[row], expected));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "what is not read may be anything, and nothing else is written") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const cl::Buffer nans = on.buffer_of(std::vector<float>(100, nan));
  const cl::Buffer ones = on.buffer_of(std::vector<float>(100, 1));
  const auto y_after = [&](const cl::Buffer& of, const gemv_size& size, float before,
                           const gemv_options& options) {
    const cl::Buffer y = on.buffer_of(std::vector<float>(10, before));
    clwave::gemv(on.queue, size, view<float>(of, 40), view<float>(of, 10), view<float>(y, 8, 1), options)
        .wait();
    return on.read<float>(y, 10);
  };
  using floats = std::vector<float>;
  // y, where beta is 0.
  floats found = y_after(ones, {2, 5}, nan, {.step_y = 3});
  CHECK(found[1] == 5);
  CHECK(found[4] == 5);
  for (const std::size_t other : {0, 2, 3, 5, 9}) CHECK(std::isnan(found[other]));
  // A and x, where alpha is 0 or there are no columns.
  CHECK(y_after(nans, {2, 5}, 3, {.alpha = 0, .beta = 2}) == floats{3, 6, 6, 3, 3, 3, 3, 3, 3, 3});
  CHECK(y_after(nans, {2, 0}, 3, {.beta = 2}) == floats{3, 6, 6, 3, 3, 3, 3, 3, 3, 3});
  CHECK(y_after(nans, {2, 0}, 3, {}) == floats{3, 0, 0, 3, 3, 3, 3, 3, 3, 3});
  CHECK(y_after(nans, {0, 5}, 3, {}) == floats(10, 3));
  // A NaN in A reaches its own row alone.
  std::vector<float> a(10, 1);
  a[7] = nan;
  const cl::Buffer with_nan = on.buffer_of(a), y = on.buffer_of(floats(2, 0));
  clwave::gemv(on.queue, {2, 5}, view<float>(with_nan, 10), view<float>(ones, 5), view<float>(y, 2)).wait();
  found = on.read<float>(y, 2);
  CHECK(found[0] == 5);
  CHECK(std::isnan(found[1]));
}

TEST_CASE_FIXTURE(on_device, "gemv refuses what cannot be") {
  const cl::Buffer all = on.buffer_of(std::vector<float>(100, 2));
  const view<float> a(all, 20), x(all, 5, 20), y(all, 4, 40);
  clwave::gemv(on.queue, {4, 5}, a, x, y).wait();
  CHECK(on.read<float>(all, 100)[43] == 20);
  CHECK(on.read<float>(all, 100)[44] == 2);
  const auto refused = [&](const gemv_size& size, const auto& of, const auto& by, const auto& to,
                           const gemv_options& options = {}) {
    return testing::refused([&] { clwave::gemv(on.queue, size, of, by, to, options); });
  };
  CHECK(refused({4, 5}, a, x, y, {.step_x = 0}));
  CHECK(refused({4, 5}, a, x, y, {.step_y = 0}));
  CHECK(refused({4, 5}, a, x, y, {.step_x = 2}));
  CHECK(refused({4, 5}, a, x, y, {.step_y = 2}));
  CHECK(refused({4, 5}, a, x, y, {.lda = 4}));
  CHECK(refused({4, 5}, a, x, y, {.lda = 6}));
  CHECK(refused({5, 5}, a, x, y));
  CHECK(refused({4, 6}, a, x, y));
  CHECK(refused({4, 5}, a, x, view<float>(all, 4, 16)));
  CHECK(refused({4, 5}, a, x, view<float>(all, 4, 21)));
  CHECK(refused({4, 5}, a, view<int>(all, 5, 20), y));
  CHECK(refused({4, 5}, view<int>(all, 20), view<int>(all, 5, 20), view<int>(all, 4, 40)));
  CHECK(refused({4, 5}, a, x, view<half>(all, 4, 80)));
  CHECK(on.read<float>(all, 100)[44] == 2);
}

TEST_CASE("a plan of gemv names the kernels of rows or columns") {
  const auto kernel_of = [](const gemv_options& options) {
    const element& f32 = element_of<float>();
    return clwave::plan(clwave::gemv_problem{f32, f32, f32, {4096, 4096}, options},
                        {.choice = clwave::choose_profile_for("sm_90")})
        .kernels.at(0)
        .name;
  };
  CHECK(kernel_of({}) == "reduce_rows");
  CHECK(kernel_of({.transpose = true}) == "reduce_columns");
  CHECK(kernel_of({.order = matrix_order::column_major}) == "reduce_columns");
  CHECK(kernel_of({.alpha = 0}).starts_with("gemm"));
}

}  // namespace testing::gemv_test

// gemm by wide matrix instructions: when they are taken, what then is planned, and products of small whole
// numbers, which are exact in every way that a device has.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/made_up.hpp"
#include "program/second_build.hpp"

namespace testing::gemm_wide_test {
namespace {

using clwave::gemm_options;
using clwave::gemm_problem;
using clwave::gemm_size;
using clwave::matrix_order;

const element& f16 = element_of<half>();
const element& bf16 = element_of<bfloat16>();
const element& f32 = element_of<float>();
const element& f64 = element_of<double>();

const clwave::plan_target hopper{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};

call_plan planned(const element& type, const element& out, const gemm_size& size,
                  const gemm_options& options = {}, const clwave::plan_target& on = hopper) {
  return plan(gemm_problem{type, type, out, size, options}, on);
}

// Whether a product goes by wide instructions, behind a copy of a factor or not.
bool is_wide(const call_plan& plan) {
  return plan.kernels.at(plan.kernels.at(0).name == "gemm_turn" ? 1 : 0).name == "gemm_wide";
}

// Why they were not taken; empty where that is not said.
std::string reason_of(const call_plan& plan) {
  for (const clwave::rejected_variant& each : plan.rejected)
    if (each.name == "wide matrix instructions") return each.reason;
  return {};
}

u64 argument(const planned_kernel& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.arguments, name, &clwave::planned_argument::name);
  REQUIRE(found != kernel.arguments.end());
  return std::stoull(found->value);
}

std::string word(const call_plan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.words, name, [](const auto& each) { return each.first; });
  return found != plan.words.end() ? found->second : "none";
}

TEST_CASE("halves, bfloat16 and tf32 go by wide instructions where there are some") {
  const gemm_size large{4096, 4096, 4096};
  for (const matrix_order order : {matrix_order::row_major, matrix_order::column_major}) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        gemm_options o;
        o.order = order;
        o.transpose_a = ta;
        o.transpose_b = tb;
        for (const auto& [type, out] : {std::pair(&f16, &f16), {&f16, &f32}, {&bf16, &bf16}, {&bf16, &f32}}) {
          const call_plan plan = planned(*type, *out, large, o);
          CHECK(is_wide(plan));
          CHECK(plan.second_target == "sm_90a");
          CHECK(plan.kernels.size() == 1);
          CHECK(plan.kernels[0].groups == 132);
          CHECK(plan.workspace_bytes == 256 + 132 * 256);
          CHECK(plan.source.find("//@ wgmma") != std::string::npos);
          CHECK(*plan.kernels[0].local_bytes <= hopper.choice.profile->beyond.local_memory);
        }
        o.allow_tf32 = true;
        const call_plan plan = planned(f32, f32, large, o);
        // Of floats, one operand's lines must follow k: A's rows do, and B's columns, if B is stored by them.
        // Where neither's do, one is copied.
        const bool a_along = (order == matrix_order::row_major) != ta,
                   b_along = (order == matrix_order::row_major) == tb;
        CHECK(is_wide(plan));
        CHECK((word(plan, "ROWS_FROM_REGISTERS") != "none") == !(a_along && b_along));
        CHECK((word(plan, "TURNS_FACTOR") != "none") == !(a_along || b_along));
        CHECK(plan.kernels.size() == (a_along || b_along ? 1 : 2));
      }
    }
  }
}

TEST_CASE("why wide instructions are not taken") {
  const gemm_size size{512, 512, 512};
  const auto check = [&](const char* reason, const call_plan& plan) {
    CHECK(!is_wide(plan));
    CHECK(plan.second_target.empty());
    CHECK(reason_of(plan) == reason);
  };
  const char* const misplaced = "lines of A and B do not all start at multiples of 16 bytes";
  check(misplaced, planned(f16, f16, {512, 512, 512}, {.lda = 516}));
  check(misplaced, planned(f16, f16, {512, 510, 512}));
  check(misplaced, planned(f16, f16, size, {.batches = 2, .stride_b = 512 * 512 + 4}));
  check(misplaced, plan(gemm_problem{{f16, 0, 4}, f16, f16, size}, hopper));
  CHECK(is_wide(plan(gemm_problem{{f16, 0, 8}, {f16, 0, 16}, {f16, 0, 3}, size}, hopper)));
  CHECK(is_wide(planned(f16, f16, size, {.batches = 2, .stride_b = 512 * 512 + 8})));
  check("they have no f64", planned(f64, f64, size));
  check("f32 stays f32 unless the call allows tf32", planned(f32, f32, size));
  check("the call wants the same bits on every device", planned(f16, f16, size, {.same_bits = true}));
  check("the call wants the same bits on every device", planned(bf16, f32, size, {.same_bits = true}));
  check("nothing is multiplied", planned(f16, f16, {512, 512, 0}));
  check("nothing is multiplied", planned(f16, f16, size, {.alpha = 0}));
  check("C is too thin", planned(f16, f16, {63, 512, 512}));
  check("C is too thin", planned(f16, f16, {512, 56, 512}));
  const char* const across = "of floats, A's or B's lines must follow k, and a copy would ";
  check((across + std::string("take too long")).c_str(),
        planned(f32, f32, size, {.transpose_a = true, .allow_tf32 = true}));
  check((across + std::string("be too long")).c_str(),
        planned(f32, f32, {1 << 15, 1 << 15, 1 << 15}, {.transpose_a = true, .allow_tf32 = true}));
  check("the matrices are larger than their copies can say",
        planned(f16, f16, {64, 64, std::size_t{1} << 31}, {.transpose_b = true}));
  // No other architecture has them.
  for (const char* other : {"sm_80", "sm_89", "sm_100", "sm_120", "gfx90a"})
    check("this profile has none",
          planned(f16, f16, size, {}, {.choice = clwave::choose_profile_for(other), .compute_units = 132}));
  clwave::plan_target on = hopper;
  on.choice.beyond = clwave::beyond_state::refused;
  check("the device's driver refused the second build of a program with them",
        planned(f16, f16, size, {}, on));
  on.choice.beyond = clwave::beyond_state::other_architecture;
  check("the device is of another architecture than the one that has them", planned(f16, f16, size, {}, on));
  on.choice.beyond = clwave::beyond_state::emulated;
  check("they are not emulated", planned(f16, f16, size, {}, on));
  // Then halves go as they do on older devices, or with one option as on all.
  CHECK(planned(f16, f16, size, {}, on).kernels[0].name == "gemm_matrix");
  CHECK(planned(f16, f16, size, {.same_bits = true}, on).kernels[0].name == "gemm_tiles");
}

TEST_CASE("of floats across k the smaller factor is copied") {
  gemm_options o;
  o.transpose_a = true;
  o.allow_tf32 = true;
  o.batches = 3;
  o.stride_b = 0;
  // Row-major A is 1500 x 2000, B 1500 x 1200; B is one for all, so its copy is, too.
  const call_plan plan = planned(f32, f32, {2000, 1200, 1500}, o);
  REQUIRE(plan.kernels.size() == 2);
  const planned_kernel &turn = plan.kernels[0], &product = plan.kernels[1];
  CHECK(turn.name == "gemm_turn");
  CHECK(argument(turn, "across") == 1200);
  CHECK(argument(turn, "k") == 1500);
  CHECK(argument(turn, "batches") == 1);
  CHECK(argument(turn, "to_line") == 1504);
  CHECK(argument(turn, "to_offset") * 4 == 256 + 132 * 256);
  CHECK(argument(product, "a_offset") == argument(turn, "to_offset"));
  CHECK(argument(product, "a_line") == 1504);
  CHECK(argument(product, "a_stride") == 0);
  CHECK(argument(product, "b_line") == 2000);
  CHECK(plan.workspace_bytes == 256 + 132 * 256 + 1200 * 1504 * 4);
}

TEST_CASE("tiles of wide instructions fill the device") {
  const auto tile = [](const call_plan& plan) { return word(plan, "TILE_M") + " x " + word(plan, "TILE_N"); };
  CHECK(tile(planned(f16, f16, {1024, 1024, 1024})) == "128 x 64");
  CHECK(tile(planned(f16, f16, {1536, 1536, 1536})) == "96 x 192");
  CHECK(tile(planned(f16, f16, {2048, 2048, 2048})) == "256 x 128");
  CHECK(tile(planned(f16, f16, {3072, 3072, 3072})) == "192 x 192");
  CHECK(tile(planned(f16, f16, {4096, 4096, 4096})) == "256 x 128");
  // Lines that are no multiples of 128 bytes want the largest.
  CHECK(tile(planned(f16, f16, {4096, 4096, 4096}, {.lda = 4104, .ldb = 4104, .ldc = 4104})) == "256 x 192");
  // Fewer tiles than units are that many groups.
  const call_plan few = planned(f16, f16, {256, 256, 512});
  CHECK(few.kernels[0].groups == 8);
  CHECK(few.kernels.size() == 1);
  // Deep ones are cut, and batches are not one matrix.
  const call_plan deep = planned(f16, f16, {256, 256, 32768});
  CHECK(deep.kernels.size() == 2);
  const u64 parts = argument(deep.kernels[0], "parts");
  CHECK(parts > 1);
  CHECK(argument(deep.kernels[0], "part") * parts >= 32768);
  CHECK(argument(deep.kernels[0], "part") % 128 == 0);
  CHECK(argument(deep.kernels[0], "pieces") == parts);
  CHECK(deep.workspace_bytes >= 256 + deep.kernels[0].groups * 256 + parts * 256 * 256 * 4);
  CHECK(argument(deep.kernels[0], "c_offset") * 4 == 256 + deep.kernels[0].groups * 256);
  CHECK(argument(deep.kernels[1], "sums_offset") == argument(deep.kernels[0], "c_offset"));
  const call_plan batches = planned(f16, f16, {512, 512, 512}, {.batches = 64});
  CHECK(word(batches, "BATCHED") != "none");
  CHECK(argument(batches.kernels[0], "pieces") == 64);
  // C may lie anywhere: then it is not stored by 16 bytes.
  CHECK(word(planned(f16, f16, {512, 512, 512}), "PACKED_STORES") != "none");
  CHECK(word(planned(f16, f16, {512, 512, 512}, {.ldc = 515}), "PACKED_STORES") == "none");
}

// ------------------------------------------------------------------------------------------ exact products

template <class T>
T value_of(double x) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(x);
  else
    return T(static_cast<float>(x));
}

struct stored {
  std::size_t line, stride;
  bool along_rows;
  std::size_t at(std::size_t batch, std::size_t row, std::size_t column) const {
    return batch * stride + (along_rows ? row * line + column : column * line + row);
  }
};

// A random product of small whole numbers, whose sums every way computes exactly: all of C's buffer must be
// right, in what lies between and behind the elements, too. Returns how many elements are wrong.
template <class T, class Out>
std::size_t wrong_elements(reference::random_engine& random, std::string& what) {
  fixture& on = default_fixture();
  const auto coin = [&] { return random.below(2) == 0; };
  const auto side = [&]() -> std::size_t {
    return coin() ? 64 + random.below(200) : 64 * (1 + random.below(4));
  };
  const gemm_size size{side(), side(), coin() ? side() : 1 + random.below(80)};
  const auto& [m, n, k] = size;
  gemm_options o;
  o.order = coin() ? matrix_order::row_major : matrix_order::column_major;
  o.transpose_a = coin();
  o.transpose_b = coin();
  o.alpha = std::vector<double>{1, -1, 2, 0.5}[random.below(4)];
  o.beta = std::vector<double>{0, 0, 1, -0.5}[random.below(4)];
  o.allow_tf32 = true;
  o.batches = coin() ? 1 : 1 + random.below(3);
  const bool rows = o.order == matrix_order::row_major;
  const auto lay = [&](std::size_t r, std::size_t c, std::size_t unit) {
    const std::size_t run = rows ? c : r, lines = rows ? r : c,
                      line = (run + unit - 1) / unit * unit + unit * random.below(3);
    return stored{line, line * lines + unit * random.below(3), rows};
  };
  const std::size_t unit = random.below(8) == 0 ? 1 : 8;
  const stored a = lay(o.transpose_a ? k : m, o.transpose_a ? m : k, unit),
               b = lay(o.transpose_b ? n : k, o.transpose_b ? k : n, unit), c = lay(m, n, coin() ? 8 : 1);
  o.lda = a.line, o.ldb = b.line, o.ldc = c.line;
  o.stride_a = random.below(3) == 0 ? 0 : a.stride;
  o.stride_b = b.stride;
  o.stride_c = c.stride;
  const stored a_used{a.line, *o.stride_a, rows};
  const std::size_t offset = 8 * random.below(2);
  what = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
         (rows ? " row" : " column") + (o.transpose_a ? " ta" : "") + (o.transpose_b ? " tb" : "") + " ld " +
         std::to_string(a.line) + "," + std::to_string(b.line) + "," + std::to_string(c.line) + " batches " +
         std::to_string(o.batches) + " alpha " + std::to_string(o.alpha) + " beta " + std::to_string(o.beta);
  // NaN lies wherever nothing may be read.
  const T nan = value_of<T>(std::numeric_limits<float>::quiet_NaN());
  std::vector<T> as(offset + a.stride * o.batches, nan), bs(offset + b.stride * o.batches, nan);
  std::vector<Out> cs(offset + c.stride * o.batches + 40);
  const auto whole = [&] { return static_cast<int>(random.below(5)) - 2; };
  std::vector<float> left(o.batches * m * k), right(o.batches * k * n);
  for (std::size_t batch = 0; batch < o.batches; ++batch) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t l = 0; l < k; ++l) {
        T& x = as[offset + (o.transpose_a ? a_used.at(batch, l, i) : a_used.at(batch, i, l))];
        if (std::isnan(static_cast<float>(x))) x = value_of<T>(whole());
        left[(batch * m + i) * k + l] = static_cast<float>(x);
      }
    }
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t j = 0; j < n; ++j) {
        T& x = bs[offset + (o.transpose_b ? b.at(batch, j, l) : b.at(batch, l, j))];
        x = value_of<T>(whole());
        right[(batch * k + l) * n + j] = static_cast<float>(x);
      }
    }
  }
  for (Out& x : cs) x = value_of<Out>(whole());
  std::vector<Out> expected = cs;
  for (std::size_t batch = 0; batch < o.batches; ++batch) {
    for (std::size_t i = 0; i < m; ++i) {
      std::vector<float> sums(n);
      for (std::size_t l = 0; l < k; ++l) {
        const float x = left[(batch * m + i) * k + l];
        const float* const from = &right[(batch * k + l) * n];
        for (std::size_t j = 0; j < n; ++j) sums[j] += x * from[j];
      }
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = offset + c.at(batch, i, j);
        const double old = o.beta == 0 ? 0 : static_cast<float>(cs[at]);
        expected[at] = value_of<Out>(o.alpha * sums[j] + o.beta * old);
        if (o.beta == 0) cs[at] = value_of<Out>(std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  const cl::Buffer a_buffer = on.buffer_of(as), b_buffer = on.buffer_of(bs), c_buffer = on.buffer_of(cs);
  clwave::gemm(on.queue, size, view<T>(a_buffer, as.size() - offset, offset),
               view<T>(b_buffer, bs.size() - offset, offset), view<Out>(c_buffer, cs.size() - offset, offset),
               o)
      .wait();
  const std::vector<Out> after = on.read<Out>(c_buffer, cs.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    wrong += static_cast<float>(after[i]) != static_cast<float>(expected[i]) ? 1 : 0;
  return wrong;
}

TEST_CASE("products of small whole numbers are exact, however they are computed") {
  reference::random_engine random;
  const bool wide = clwave::choose_profile(default_fixture().facts).beyond == clwave::beyond_state::usable;
  std::string what;
  for (int i = 0; i < (wide ? 24 : 3); ++i) {
    CHECK_MESSAGE((wrong_elements<half, half>(random, what)) == 0, "f16 " << what);
    CHECK_MESSAGE((wrong_elements<half, float>(random, what)) == 0, "f16 into f32 " << what);
    CHECK_MESSAGE((wrong_elements<bfloat16, bfloat16>(random, what)) == 0, "bf16 " << what);
    CHECK_MESSAGE((wrong_elements<bfloat16, float>(random, what)) == 0, "bf16 into f32 " << what);
    CHECK_MESSAGE((wrong_elements<float, float>(random, what)) == 0, "tf32 " << what);
  }
}

TEST_CASE_FIXTURE(on_device, "a product of floats across k is exact by way of a copy") {
  // On other devices there is none.
  if (clwave::choose_profile(default_fixture().facts).beyond != clwave::beyond_state::usable) return;
  for (const auto& [size, shared] :
       {std::pair(gemm_size{1300, 1351, 1304}, false), {gemm_size{900, 1301, 1036}, true}}) {
    const auto& [m, n, k] = size;
    const std::size_t line_a = (m + 7) / 4 * 4, line_b = (n + 3) / 4 * 4, batches = 2;
    std::vector<float> a(line_a * k * batches, std::numeric_limits<float>::quiet_NaN()),
        b(line_b * k * batches, a[0]), c(m * n * batches + 40, 5);
    const auto fill = [&](std::vector<float>& to, std::size_t line, std::size_t run) {
      for (std::size_t l = 0; l < k * batches; ++l)
        for (std::size_t i = 0; i < run; ++i) to[l * line + i] = static_cast<float>(random.below(5)) - 2;
    };
    fill(a, line_a, m);
    fill(b, line_b, n);
    const cl::Buffer a_buffer = on.buffer_of(a), b_buffer = on.buffer_of(b), c_buffer = on.buffer_of(c);
    gemm_options o;
    o.transpose_a = true;
    o.lda = line_a;
    o.ldb = line_b;
    o.batches = batches;
    if (shared) o.stride_b = 0;
    o.allow_tf32 = true;
    o.beta = 1;
    clwave::gemm(on.queue, size, view<float>(a_buffer, a.size()), view<float>(b_buffer, b.size()),
                 view<float>(c_buffer, m * n * batches), o)
        .wait();
    const std::vector<float> after = on.read<float>(c_buffer, c.size());
    std::size_t wrong = 0;
    for (std::size_t i = m * n * batches; i < c.size(); ++i) wrong += after[i] != 5 ? 1 : 0;
    for (int s = 0; s < 20000; ++s) {
      const std::size_t batch = random.below(batches), i = random.below(m), j = random.below(n);
      float sum = 5;
      for (std::size_t l = 0; l < k; ++l)
        sum += a[(batch * k + l) * line_a + i] * b[((shared ? 0 : batch) * k + l) * line_b + j];
      wrong += after[(batch * m + i) * n + j] != sum ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE_FIXTURE(on_device, "NaN and infinity of A and B reach the elements that they are multiplied into") {
  const std::size_t n = 128;
  std::vector<half> a(n * n, half(1.0f)), b(n * n, half(0.0f));
  for (std::size_t l = 0; l < n; ++l) b[l * n + 5] = half(1.0f);
  a[3 * n + 7] = half(std::numeric_limits<float>::quiet_NaN());
  a[4 * n + 9] = half(std::numeric_limits<float>::infinity());
  const cl::Buffer a_buffer = on.buffer_of(a), b_buffer = on.buffer_of(b),
                   c_buffer = on.buffer_of(std::vector<float>(n * n));
  clwave::gemm(on.queue, {n, n, n}, view<half>(a_buffer, n * n), view<half>(b_buffer, n * n),
               view<float>(c_buffer, n * n))
      .wait();
  const std::vector<float> c = on.read<float>(c_buffer, n * n);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const float x = c[i * n + j];
      const bool right = i == 3   ? std::isnan(x)
                         : i == 4 ? (j == 5 ? std::isinf(x) : std::isnan(x))
                                  : x == (j == 5 ? static_cast<float>(n) : 0.0f);
      wrong += right ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace testing::gemm_wide_test

// gemm: bfloat16, what is said of types that it does not take, and the caller's own workspace.
#include <algorithm>
#include <array>
#include <complex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/gemm.hpp>

#include "harness/elements.hpp"
#include "harness/refusals.hpp"
#include "harness/spoilt_memory.hpp"

namespace testing::gemm_types_test {
namespace {

TEST_CASE_FIXTURE(on_device,
                  "a matrix product of bfloat16 adds in float, as that of the widened numbers does") {
  in_rows([&](bool) {
    for (const auto& shape : {std::array<std::size_t, 3>{65, 33, 129}, {64, 64, 64}, {5, 1, 700}}) {
      const std::size_t m = shape[0], n = shape[1], k = shape[2];
      CAPTURE(m);
      const auto a = random_elements<bfloat16>(random, m * k), b = random_elements<bfloat16>(random, k * n);
      std::vector<float> a_wide(a.size()), b_wide(b.size());
      std::transform(a.begin(), a.end(), a_wide.begin(), [](bfloat16 x) { return static_cast<float>(x); });
      std::transform(b.begin(), b.end(), b_wide.begin(), [](bfloat16 x) { return static_cast<float>(x); });
      const guarded_buffer<float> right(on, m * n), got(on, m * n);
      const guarded_buffer<bfloat16> narrow(on, m * n);
      const cl::Buffer as = on.buffer_of(a), bs = on.buffer_of(b);
      const clwave::gemm_size size{.m = m, .n = n, .k = k};
      clwave::gemm(on.queue, size, view<float>(on.buffer_of(a_wide), m * k),
                   view<float>(on.buffer_of(b_wide), k * n), right.view())
          .wait();
      const view<const bfloat16> av(as, m * k), bv(bs, k * n);
      clwave::gemm(on.queue, size, av, bv, got.view(), {.same_bits = true}).wait();
      clwave::gemm(on.queue, size, av, bv, narrow.view(), {.same_bits = true}).wait();
      CHECK(got.guards_intact());
      CHECK(narrow.guards_intact());
      const auto wide = right.read(), same = got.read();
      const auto rounded = narrow.read();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < wide.size(); ++i)
        wrong += !same_bits(wide[i], same[i]) || rounded[i].bits != bfloat16(wide[i]).bits ? 1 : 0;
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE_FIXTURE(on_device, "a product of a type that has none says what to do") {
  const cl::Buffer buffer = on.buffer_of(std::vector<double>(100));
  using complex_float = std::complex<float>;
  const view<complex_float> complex(buffer, 10);
  refuses("f32, f64, f16 or bf16", [&] {
    const clwave::gemm_size size{.m = 2, .n = 2, .k = 2};
    clwave::gemm(on.queue, size, complex, complex, view<complex_float>(buffer, 4, 20));
  });
}

TEST_CASE_FIXTURE(on_device, "a product whose k is cut, in the caller's workspace") {
  const std::size_t m = 8;
  const std::size_t n = 9;
  const std::size_t k = 4096;
  const cl::Buffer a = on.buffer_of(std::vector<float>(m * k, 1.0f));
  const cl::Buffer b = on.buffer_of(std::vector<float>(k * n, 2.0f));
  const view<float> x{a, m * k}, y{b, k * n};
  for (const std::string row : forced_rows(rows_with_workspace)) {
    const element& f32 = element_of<float>();
    const std::size_t n_bytes =
        plan(clwave::gemm_problem{f32, f32, f32, {m, n, k}}, target_of(on)).workspace_bytes;
    REQUIRE(n_bytes > 256);
    const spoilt_memory memory(on, n_bytes);
    for (const auto kind : orders_of_queue(on)) {
      const cl::CommandQueue queue = on.new_queue(kind);
      for (const std::size_t first : {std::size_t{0}, spoilt_memory::part_at}) {
        CAPTURE(first);
        guarded_buffer<float> c(on, m * n);
        const clwave::workspace_view given = first == 0 ? memory.head() : memory.part();
        clwave::gemm(queue, {m, n, k}, x, y, c.view(), {.workspace = given}).wait();
        CHECK(c.read() == std::vector<float>(m * n, 2.0f * k));
        clwave::gemm(queue, {m, n, k}, x, y, c.view(), {.beta = 1, .workspace = given}).wait();
        CHECK(c.read_guarded() == std::vector<float>(m * n, 4.0f * k));
        CHECK(memory.used(first));
        CHECK(memory.guards_intact(first));
        memory.spoil();
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "a product of no batches is none") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(100));
  const view<float> all(buffer, 100);
  clwave::gemm_options none;
  none.batches = 0;
  CHECK_NOTHROW(clwave::gemm(on.queue, {.m = 8, .n = 8, .k = 4096}, all, all, all, none));
}

}  // namespace
}  // namespace testing::gemm_types_test

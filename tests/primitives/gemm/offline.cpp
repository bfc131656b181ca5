// gemm: tiles with edges, copies that run on, matrix instructions, and k cut in parts.
#include <cstddef>
#include <initializer_list>
#include <vector>

#include <clwave/gemm.hpp>

#include "offline_parts.hpp"

namespace races::runs_of_gemm {
namespace {

// C = A B + beta C of sizes round a tile's, and thin ones with k cut. B's elements are all the same, so that
// a sum over A's row is the answer; all are small enough for halves to hold.
template <class T>
void products(const char* what, float beta, std::initializer_list<clwave::gemm_size> all) {
  machine on;
  for (const auto& [m, n, k] : all) {
    std::vector<T> a = numbers<T>(m * k), b(k * n, T(2.0f)), c(m * n, T(3.0f));
    const cl::Buffer left = on.buffer(a), right = on.buffer(b), out = on.buffer(c);
    clwave::gemm(on.queue, {m, n, k}, clwave::view<T>{left, a.size()}, clwave::view<T>{right, b.size()},
                 clwave::view<T>{out, c.size()}, {.beta = beta})
        .wait();
    on.queue.enqueueReadBuffer(out, CL_TRUE, 0, c.size() * sizeof(T), c.data());
    bool good = true;
    for (std::size_t i = 0; i < m; ++i) {
      float sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += static_cast<float>(a[i * k + l]);
      for (std::size_t j = 0; j < n; ++j) good &= static_cast<float>(c[i * n + j]) == 2 * sum + 3 * beta;
    }
    check(good, what, k);
  }
}

const registered listed("gemm",
                        {{.parts = {
                              {"gemm",
                               [] {
                                 products<float>("gemm f32", 1, {{1, 1, 1}, {33, 35, 17}, {32, 8, 16}});
                               }},
                              // A tile that copies run on for, with an edge and more steps than stages; then
                              // with A and B the other way.
                              {"gemm-copies",
                               [] {
                                 products<float>("gemm f32 by copies", 1, {{65, 8, 100}, {8, 60, 100}});
                               }},
                              // A whole tile and one with an edge; lines of whole packets and not.
                              {"gemm-matrix",
                               [] {
                                 products<clwave::half>("gemm f16", 0, {{32, 32, 104}, {17, 20, 35}});
                               }},
                              {"gemm-in-parts",
                               [] {
                                 products<float>("gemm f32", 1, {{3, 2, 513}});
                               }},
                          }}});

}  // namespace
}  // namespace races::runs_of_gemm

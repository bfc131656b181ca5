// Every function and template of gemm.hpp.
#include "every_call.hpp"

#include <clwave/gemm.hpp>

void calls_of_gemm(const call_operands& on) {
  const clwave::view<float> z{on.buffer, 16, 32};
  clwave::gemm(on.queue, {4, 4, 4}, on.x, on.y, z,
               {.alpha = 2,
                .beta = 1,
                .transpose_b = true,
                .stride_b = 0,
                .with_event = false,
                .workspace = on.bytes});
  clwave::gemm(on.queue, {4, 4, 4}, on.x, on.y, z, {.after = {on.before}, .workspace = on.buffer});
  clwave::gemv(on.queue, {4, 4}, on.x, on.y, z,
               {.alpha = 2, .beta = 1, .transpose = true, .with_event = false, .workspace = on.bytes});
  clwave::gemv(on.queue, {4, 4}, on.x, on.y, z, {.after = {on.before}, .workspace = on.buffer});
  clwave::plan(clwave::gemv_problem{on.f32, on.f32, on.f32, {4, 4}}, on.target);
  clwave::plan(clwave::gemm_problem{on.f32, on.f32, on.f32, {4, 4, 4}}, on.target);
}

// Rows of gemm: cuBLAS.
#include "blas.cuh"

#ifdef CLWAVE_BENCH_CUBLAS
#include <cstdio>
#include <type_traits>

#include "../../product.hpp"

namespace {

using clwave::tool::bench::product;

template <class T>
constexpr cudaDataType type_of = std::is_same_v<T, double>          ? CUDA_R_64F
                                 : std::is_same_v<T, float>         ? CUDA_R_32F
                                 : std::is_same_v<T, __nv_bfloat16> ? CUDA_R_16BF
                                                                    : CUDA_R_16F;

// A row-major product is the column-major one of the transposed matrices, B before A.
template <class T, class Out>
work blas_gemm(const request& r, const product& p) {
  const auto a = data<T>(first_seed, r.elements());
  const auto b = data<T>(second_seed, r.elements());
  const auto c = std::static_pointer_cast<Out>(device_memory(r.elements() * sizeof(Out)));
  const auto handle = blas_handle();
  const auto number = [](std::uint64_t n) { return static_cast<int>(n); };
  const cublasOperation_t op_a = p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasComputeType_t how = std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F
                                  : p.tf32                  ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                            : CUBLAS_COMPUTE_32F;
  using scalar = std::conditional_t<std::is_same_v<T, double>, double, float>;
  work w;
  w.call = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    const scalar alpha = 1;
    const scalar beta = p.adds ? 1 : 0;
    if (p.batches == 1)
      check(cublasGemmEx(handle.get(), op_b, op_a, number(p.n), number(p.m), number(p.k), &alpha,
                         b.get() + first, type_of<T>, number(p.line_b()), a.get() + first, type_of<T>,
                         number(p.line_a()), &beta, c.get() + first, type_of<Out>, number(p.line_c()), how,
                         CUBLAS_GEMM_DEFAULT));
    else
      check(cublasGemmStridedBatchedEx(
          handle.get(), op_b, op_a, number(p.n), number(p.m), number(p.k), &alpha, b.get() + first,
          type_of<T>, number(p.line_b()), number(p.size_b()), a.get() + first, type_of<T>, number(p.line_a()),
          number(p.size_a()), &beta, c.get() + first, type_of<Out>, number(p.line_c()), number(p.size_c()),
          number(p.batches), how, CUBLAS_GEMM_DEFAULT));
  };
  w.spoil = [=] { check(cudaMemset(c.get(), 0xa5, r.elements() * sizeof(Out))); };
  if (p.adds) w.renew = [=] { check(cudaMemset(c.get(), 0, r.elements() * sizeof(Out))); };
  w.result = [=](std::size_t place) {
    std::string values;
    for (const product::place& at : p.samples()) {
      Out value;
      check(
          cudaMemcpy(&value, c.get() + place * r.stride + p.at_c(at), sizeof value, cudaMemcpyDeviceToHost));
      char text[40];
      std::snprintf(text, sizeof text, "%s%.17g", values.empty() ? "" : ",", static_cast<double>(value));
      values += text;
    }
    return "\"values\":[" + values + "]";
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.contender != "cublas" || r.primitive != "gemm") return nullptr;
  const product p = clwave::tool::bench::product_of(r.op, r.type, r.shape);
  const std::string types = p.type + " " + p.out;
  if (types == "f32 f32") return owned(blas_gemm<float, float>(r, p));
  if (types == "f64 f64") return owned(blas_gemm<double, double>(r, p));
  if (types == "f16 f16") return owned(blas_gemm<__half, __half>(r, p));
  if (types == "f16 f32") return owned(blas_gemm<__half, float>(r, p));
  if (types == "bf16 bf16") return owned(blas_gemm<__nv_bfloat16, __nv_bfloat16>(r, p));
  if (types == "bf16 f32") return owned(blas_gemm<__nv_bfloat16, float>(r, p));
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
#endif

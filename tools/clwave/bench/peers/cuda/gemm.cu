// Rows of gemm: cuBLAS.
#include "blas.cuh"

#ifdef CLWAVE_BENCH_CUBLAS
#include <cstdio>
#include <type_traits>

namespace {

// Row-major C = A B; the column-major product of the transposed matrices, B before A.
template <class T>
work blas_gemm(const request& r) {
  const auto a = data<T>(first_seed, r.elements());
  const auto b = data<T>(second_seed, r.elements());
  const auto c = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto handle = blas_handle();
  const int side = std::stoi(r.shape);
  const int width = r.op == "thin" ? 8 : side;
  work w;
  w.call = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    if constexpr (std::is_same_v<T, double>) {
      const double one = 1;
      const double zero = 0;
      check(cublasDgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, width, side, side, &one, b.get() + first,
                        width, a.get() + first, side, &zero, c.get() + first, width));
    } else {
      const float one = 1;
      const float zero = 0;
      const cudaDataType type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16F;
      check(cublasGemmEx(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, width, side, side, &one, b.get() + first,
                         type, width, a.get() + first, type, side, &zero, c.get() + first, type, width,
                         r.op == "tf32" ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                         CUBLAS_GEMM_DEFAULT));
    }
  };
  w.spoil = [=] { check(cudaMemset(c.get(), 0xa5, r.elements() * sizeof(T))); };
  w.result = [=](std::size_t place) {
    std::string values;
    for (std::uint64_t s = 0; s < 64; ++s) {
      const std::uint64_t at = s * 2654435761u % (static_cast<std::uint64_t>(side) * width);
      T value;
      check(cudaMemcpy(&value, c.get() + place * r.stride + at, sizeof value, cudaMemcpyDeviceToHost));
      char text[40];
      std::snprintf(text, sizeof text, "%s%.17g", s == 0 ? "" : ",", static_cast<double>(value));
      values += text;
    }
    return "\"values\":[" + values + "]";
  };
  return w;
}
std::unique_ptr<work> make(const request& r) {
  if (r.contender == "cublas" && r.primitive == "gemm") {
    if (r.type == "f32") return owned(blas_gemm<float>(r));
    if (r.type == "f64") return owned(blas_gemm<double>(r));
    if (r.type == "f16") return owned(blas_gemm<__half>(r));
  }
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
#endif

// Rows of transpose: cuBLAS's geam.
#include "blas.cuh"

#ifdef CLWAVE_BENCH_CUBLAS
#include <cstdio>

namespace {

template <class T>
__global__ void count_wrong_transposed(const T* got, const T* in, std::uint64_t rows, std::uint64_t columns,
                                       unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
       i < rows * columns; i += step)
    if (got[i] != in[i % rows * columns + i / rows]) atomicAdd(wrong, 1u);
}

cublasStatus_t geam(cublasHandle_t handle, int m, int n, const float* one, const float* a, int lda,
                    const float* zero, float* c, int ldc) {
  return cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, one, a, lda, zero, c, ldc, c, ldc);
}
cublasStatus_t geam(cublasHandle_t handle, int m, int n, const double* one, const double* a, int lda,
                    const double* zero, double* c, int ldc) {
  return cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, one, a, lda, zero, c, ldc, c, ldc);
}

// The result in columns, as cuBLAS has it, is the input's rows.
template <class T>
work blas_transpose(const request& r) {
  std::size_t rows = 0;
  std::size_t columns = 0;
  if (std::sscanf(r.shape.c_str(), "%zux%zu", &rows, &columns) != 2)
    throw std::runtime_error("no shape: " + r.shape);
  const auto from = data<T>(first_seed, r.elements());
  const auto to = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto counter = device_memory(4);
  const auto handle = blas_handle();
  work w;
  w.call = [=](std::size_t place) {
    const T one = 1;
    const T zero = 0;
    check(geam(handle.get(), static_cast<int>(rows), static_cast<int>(columns), &one,
               from.get() + place * r.stride, static_cast<int>(columns), &zero, to.get() + place * r.stride,
               static_cast<int>(rows)));
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(T))); };
  w.result = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_transposed<<<2048, 256>>>(to.get() + first, from.get() + first, rows, columns, wrong);
    });
  };
  return w;
}
std::unique_ptr<work> make(const request& r) {
  if (r.contender == "cublas" && r.primitive == "transpose") {
    if (r.type == "f32") return owned(blas_transpose<float>(r));
    if (r.type == "f64") return owned(blas_transpose<double>(r));
  }
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
#endif

// cuBLAS, where it was found when clwave was configured.
#pragma once

#ifdef CLWAVE_BENCH_CUBLAS
#include <cublas_v2.h>

#include "peers.cuh"

inline void check(cublasStatus_t code) {
  if (code != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(code));
}

inline std::shared_ptr<cublasContext> blas_handle() {
  cublasHandle_t made = nullptr;
  check(cublasCreate(&made));
  return {made, [](cublasHandle_t h) { cublasDestroy(h); }};
}
#endif

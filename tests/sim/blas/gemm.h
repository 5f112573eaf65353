// The matrix product behind the simulated cuBLAS: column-major, deterministic, plain loops.
#pragma once

#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>

namespace backplane::sim {

// How operands are rounded before they are multiplied, as the fast modes of a card do.
enum class InputRounding { exact, tf32, half, bfloat };

struct GemmProblem {
  bool transpose_a = false;
  bool transpose_b = false;
  int m = 0;
  int n = 0;
  int k = 0;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  int64_t stride_a = 0;  // between the matrices of a batch
  int64_t stride_b = 0;
  int64_t stride_c = 0;
  int batch = 1;
  cudaDataType type_a = CUDA_R_32F;
  cudaDataType type_b = CUDA_R_32F;
  cudaDataType type_c = CUDA_R_32F;
  bool in_double = false;  // the compute type
  InputRounding rounding = InputRounding::exact;
  double alpha = 1;
  double beta = 0;
};

// Bytes of a type that is simulated, or 0.
size_t element_bytes(cudaDataType type);

// Operands a, b and c, on storage that the host may touch.
void run_gemm(void* const* storage, const void* problem);

}  // namespace backplane::sim

// Turns the codes of CUDA, cuBLAS, cuDNN and NVML into Failures, in which the vendor's name for
// them stays.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <string>

#include "backplane/plugin/backend.hpp"

namespace backplane::cuda {

// `what` was tried, in words: "cuda: allocating 4096 bytes: cudaErrorMemoryAllocation (2), ...".
[[nodiscard]] plugin::Failure failure(cudaError_t code, const std::string& what);
[[nodiscard]] plugin::Failure failure(cublasStatus_t code, const std::string& what);

// cuDNN is met at run time only, so its name for the code comes along.
[[nodiscard]] plugin::Failure dnn_failure(int code, const char* name, const std::string& what);
// NVML says its codes in words; it has no function that gives their names.
[[nodiscard]] plugin::Failure nvml_failure(int code, const char* text, const std::string& what);

inline void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw failure(code, what);
}

inline void check(cublasStatus_t code, const char* what) {
  if (code != CUBLAS_STATUS_SUCCESS) throw failure(code, what);
}

}  // namespace backplane::cuda

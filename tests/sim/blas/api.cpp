// The functions of cuBLAS: handles, modes, and products with the argument checks of the real one.
#include <cublas_v2.h>

#include <cstdio>
#include <mutex>
#include <set>

#include "blas/gemm.h"
#include "runtime/bridge.h"

using namespace backplane::sim;

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  int device = 0;
};

namespace {

std::mutex handles_lock;

// On the heap: a plug-in may destroy its handle from a static destructor.
std::set<cublasHandle_t>& handles() {
  static auto* made = new std::set<cublasHandle_t>;
  return *made;
}

bool is_handle(cublasHandle_t handle) {
  const std::lock_guard<std::mutex> guard(handles_lock);
  return handles().count(handle) != 0;
}

template <class Body>
cublasStatus_t with_handle(cublasHandle_t handle, Body body) {
  return is_handle(handle) ? body(*handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}

bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

// Bytes from the first to the last element of a batch of matrices.
size_t extent(int64_t rows, int64_t columns, int64_t leading, int64_t stride, int batch,
              size_t each) {
  if (rows == 0 || columns == 0) return 0;
  return static_cast<size_t>((batch - 1) * stride + leading * (columns - 1) + rows) * each;
}

cublasStatus_t check(const GemmProblem& g, const void* a, const void* b, const void* c) {
  if (g.m < 0 || g.n < 0 || g.k < 0 || g.batch < 0) return CUBLAS_STATUS_INVALID_VALUE;
  const int64_t rows_a = g.transpose_a ? g.k : g.m;
  const int64_t rows_b = g.transpose_b ? g.n : g.k;
  const auto least = [](int64_t rows) { return rows > 1 ? rows : 1; };
  if (g.lda < least(rows_a) || g.ldb < least(rows_b) || g.ldc < least(g.m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (g.type_a != g.type_b || element_bytes(g.type_a) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool all_double = g.type_a == CUDA_R_64F && g.type_c == CUDA_R_64F;
  const bool all_shorter =
      g.type_a != CUDA_R_64F && (g.type_c == g.type_a || g.type_c == CUDA_R_32F);
  if (!(g.in_double ? all_double : all_shorter)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool nothing = g.m == 0 || g.n == 0 || g.batch == 0;
  if (!nothing && (c == nullptr || (g.k > 0 && (a == nullptr || b == nullptr)))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t submit(const cublasContext& context, const GemmProblem& g, const void* a,
                      const void* b, void* c) {
  if (const auto status = check(g, a, b, c); status != CUBLAS_STATUS_SUCCESS) return status;
  if (g.m == 0 || g.n == 0 || g.batch == 0) return CUBLAS_STATUS_SUCCESS;
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != context.device) {
    std::fprintf(stderr, "[backplane-sim] cuBLAS handle of device %d used on device %d\n",
                 context.device, device);
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  const size_t each = element_bytes(g.type_a);
  const backplane_sim_operand operands[] = {
      {a,
       extent(g.transpose_a ? g.k : g.m, g.transpose_a ? g.m : g.k, g.lda, g.stride_a, g.batch,
              each),
       0},
      {b,
       extent(g.transpose_b ? g.n : g.k, g.transpose_b ? g.k : g.n, g.ldb, g.stride_b, g.batch,
              each),
       0},
      {c, extent(g.m, g.n, g.ldc, g.stride_c, g.batch, element_bytes(g.type_c)), 1}};
  const cudaError_t error =
      backplane_sim_enqueue(context.stream, "cublas product", operands, 3, run_gemm, &g, sizeof g);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// TF32 only where the handle or the call asks for it by name.
cublasStatus_t settle_compute(const cublasContext& context, cublasComputeType_t compute,
                              const void* alpha, const void* beta, GemmProblem& g) {
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (compute) {
    case CUBLAS_COMPUTE_32F:
      // Above the mode lie bits that concern reductions only.
      if ((context.math & 15) == CUBLAS_TF32_TENSOR_OP_MATH) g.rounding = InputRounding::tf32;
      break;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
      break;
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      g.rounding = InputRounding::tf32;
      break;
    case CUBLAS_COMPUTE_32F_FAST_16F:
      g.rounding = InputRounding::half;
      break;
    case CUBLAS_COMPUTE_32F_FAST_16BF:
      g.rounding = InputRounding::bfloat;
      break;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      g.in_double = true;
      break;
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (g.type_a != CUDA_R_32F) g.rounding = InputRounding::exact;
  g.alpha = g.in_double ? *static_cast<const double*>(alpha) : *static_cast<const float*>(alpha);
  g.beta = g.in_double ? *static_cast<const double*>(beta) : *static_cast<const float*>(beta);
  return CUBLAS_STATUS_SUCCESS;
}

// What all product functions have in common.
struct Arguments {
  cublasOperation_t transpose_a, transpose_b;
  int m, n, k;
  const void* alpha;
  const void* a;
  cudaDataType type_a;
  int lda;
  long long stride_a;
  const void* b;
  cudaDataType type_b;
  int ldb;
  long long stride_b;
  const void* beta;
  void* c;
  cudaDataType type_c;
  int ldc;
  long long stride_c;
  int batch;
};

cublasStatus_t product(cublasHandle_t handle, const Arguments& x, cublasComputeType_t compute) {
  return with_handle(handle, [&](cublasContext& context) {
    if (!is_operation(x.transpose_a) || !is_operation(x.transpose_b)) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    GemmProblem g;
    g.transpose_a = x.transpose_a != CUBLAS_OP_N;
    g.transpose_b = x.transpose_b != CUBLAS_OP_N;
    g.m = x.m;
    g.n = x.n;
    g.k = x.k;
    g.lda = x.lda;
    g.ldb = x.ldb;
    g.ldc = x.ldc;
    g.stride_a = x.stride_a;
    g.stride_b = x.stride_b;
    g.stride_c = x.stride_c;
    g.batch = x.batch;
    g.type_a = x.type_a;
    g.type_b = x.type_b;
    g.type_c = x.type_c;
    const auto status = settle_compute(context, compute, x.alpha, x.beta, g);
    return status == CUBLAS_STATUS_SUCCESS ? submit(context, g, x.a, x.b, x.c) : status;
  });
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t error = backplane_sim_handle_made();
  if (error == cudaErrorMemoryAllocation) return CUBLAS_STATUS_ALLOC_FAILED;
  if (error != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  auto* made = new cublasContext;
  cudaGetDevice(&made->device);
  const std::lock_guard<std::mutex> guard(handles_lock);
  handles().insert(made);
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  {
    const std::lock_guard<std::mutex> guard(handles_lock);
    if (handles().erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  delete handle;
  backplane_sim_handle_destroyed();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  return with_handle(handle, [&](cublasContext&) {
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return with_handle(handle, [&](cublasContext& context) {
    context.stream = stream;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return with_handle(handle, [&](cublasContext& context) {
    *stream = context.stream;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return with_handle(handle, [&](cublasContext& context) {
    context.math = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return with_handle(handle, [&](cublasContext& context) {
    *mode = context.math;
    return CUBLAS_STATUS_SUCCESS;
  });
}

// The workspace must be memory of the card; it is checked, but not needed.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  return with_handle(handle, [&](cublasContext&) {
    cudaPointerAttributes attributes{};
    if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
    if (reinterpret_cast<uintptr_t>(workspace) % 256 != 0 ||
        cudaPointerGetAttributes(&attributes, workspace) != cudaSuccess ||
        attributes.type != cudaMemoryTypeDevice) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return with_handle(handle, [&](cublasContext&) {
    return mode == CUBLAS_POINTER_MODE_HOST ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  });
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return with_handle(handle, [&](cublasContext&) {
    *mode = CUBLAS_POINTER_MODE_HOST;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k, const float* alpha,
                              const float* a, int lda, const float* b, int ldb, const float* beta,
                              float* c, int ldc) {
  return product(handle, {transa, transb,     m,   n, k,    alpha, a,          CUDA_R_32F, lda, 0,
                          b,      CUDA_R_32F, ldb, 0, beta, c,     CUDA_R_32F, ldc,        0,   1},
                 CUBLAS_COMPUTE_32F);
}

cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k, const double* alpha,
                              const double* a, int lda, const double* b, int ldb,
                              const double* beta, double* c, int ldc) {
  return product(handle, {transa, transb,     m,   n, k,    alpha, a,          CUDA_R_64F, lda, 0,
                          b,      CUDA_R_64F, ldb, 0, beta, c,     CUDA_R_64F, ldc,        0,   1},
                 CUBLAS_COMPUTE_64F);
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float* alpha, const float* a, int lda,
                                         long long stride_a, const float* b, int ldb,
                                         long long stride_b, const float* beta, float* c, int ldc,
                                         long long stride_c, int batch) {
  return product(handle, {transa,     transb, m,          n,   k,          alpha, a,
                          CUDA_R_32F, lda,    stride_a,   b,   CUDA_R_32F, ldb,   stride_b,
                          beta,       c,      CUDA_R_32F, ldc, stride_c,   batch},
                 CUBLAS_COMPUTE_32F);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t) {
  return product(handle, {transa, transb, m,   n, k,    alpha, a,      type_a, lda, 0,
                          b,      type_b, ldb, 0, beta, c,     type_c, ldc,    0,   1},
                 compute);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType type_a,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType type_b, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  return product(handle,
                 {transa, transb, m,   n,        k,    alpha, a,      type_a, lda,      stride_a,
                  b,      type_b, ldb, stride_b, beta, c,     type_c, ldc,    stride_c, batch},
                 compute);
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_UNKNOWN";
  }
}
const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an invalid value was used as an argument";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the functionality is not supported";
    default:
      return cublasGetStatusName(status);
  }
}

}  // extern "C"

// The functions of cuBLASLt that a product with a bias takes, with the checks of the real one.
#include <cublasLt.h>

#include <cstring>

#include "blas/gemm.h"
#include "runtime/bridge.h"

using namespace backplane::sim;

namespace {

struct Handle {
  int device = 0;
};

struct Description {
  cublasComputeType_t compute;
  cublasOperation_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};

struct Layout {
  cudaDataType type;
  uint64_t rows, columns;
  int64_t leading;

  [[nodiscard]] size_t bytes() const {
    return (static_cast<size_t>(leading) * (columns - 1) + rows) * element_bytes(type);
  }
};

struct Preference {
  uint64_t workspace_bytes = 0;
  uint32_t alignment = 256;  // the least of all operands; the real one assumes so much
};

// What an algorithm holds between the heuristic and the product.
struct Algorithm {
  uint64_t workspace_bytes;
  uint32_t alignment, is_made;
};
constexpr uint32_t algorithm_is_made = 0x6b1a;

template <class T, class Opaque>
T* get(Opaque* handle) {
  return reinterpret_cast<T*>(handle);
}
template <class T, class Opaque>
const T* get(const Opaque* handle) {
  return reinterpret_cast<const T*>(handle);
}

template <class T, class Opaque, class... Arguments>
cublasStatus_t make(Opaque** handle, Arguments... arguments) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = reinterpret_cast<Opaque*>(new T{arguments...});
  return CUBLAS_STATUS_SUCCESS;
}

template <class T, class Opaque>
cublasStatus_t destroy(Opaque* handle) {
  delete get<T>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t assign(T& target, const void* value, size_t bytes) {
  if (value == nullptr || bytes != sizeof target) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&target, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// A product with the bias that its epilogue adds to each row of the result.
struct BiasedProblem {
  GemmProblem product;
  bool has_bias;
};

void run_biased(void* const* storage, const void* data) {
  BiasedProblem problem;
  std::memcpy(&problem, data, sizeof problem);
  run_gemm(storage, &problem.product);
  if (!problem.has_bias) return;
  auto* d = static_cast<float*>(storage[2]);
  const auto* bias = static_cast<const float*>(storage[3]);
  for (int column = 0; column < problem.product.n; ++column) {
    for (int row = 0; row < problem.product.m; ++row) {
      d[column * problem.product.ldc + row] += bias[row];
    }
  }
}

// The problem of a call, or why it is none.
cublasStatus_t settle(const Description& desc, const Layout& a, const Layout& b, const Layout& d,
                      GemmProblem& g) {
  if (desc.compute != CUBLAS_COMPUTE_32F && desc.compute != CUBLAS_COMPUTE_32F_PEDANTIC) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  for (const Layout* layout : {&a, &b, &d}) {
    if (layout->type != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (layout->rows == 0 || layout->columns == 0 ||
        layout->leading < static_cast<int64_t>(layout->rows)) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
  }
  g.transpose_a = desc.transpose_a != CUBLAS_OP_N;
  g.transpose_b = desc.transpose_b != CUBLAS_OP_N;
  const uint64_t m = g.transpose_a ? a.columns : a.rows, k = g.transpose_a ? a.rows : a.columns;
  const uint64_t n = g.transpose_b ? b.rows : b.columns;
  if ((g.transpose_b ? b.columns : b.rows) != k || d.rows != m || d.columns != n) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  g.m = static_cast<int>(m);
  g.n = static_cast<int>(n);
  g.k = static_cast<int>(k);
  g.lda = a.leading;
  g.ldb = b.leading;
  g.ldc = d.leading;
  return CUBLAS_STATUS_SUCCESS;
}

bool is_aligned(std::initializer_list<const void*> addresses, uint32_t alignment) {
  for (const void* address : addresses) {
    if (reinterpret_cast<uintptr_t>(address) % alignment != 0) return false;
  }
  return true;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  const cudaError_t error = backplane_sim_handle_made();
  if (error == cudaErrorMemoryAllocation) return CUBLAS_STATUS_ALLOC_FAILED;
  if (error != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  int device = 0;
  cudaGetDevice(&device);
  return make<Handle>(handle, device);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  backplane_sim_handle_destroyed();
  return destroy<Handle>(handle);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  return make<Description>(desc, compute);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return destroy<Description>(desc);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  auto& set = *get<Description>(desc);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return assign(set.transpose_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return assign(set.transpose_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return assign(set.epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return assign(set.bias, value, bytes);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
  return make<Layout>(layout, type, rows, columns, leading);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy<Layout>(layout);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return make<Preference>(preference);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy<Preference>(preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  auto& set = *get<Preference>(preference);
  uint32_t number = 0;
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return assign(set.workspace_bytes, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return assign(number, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      if (const auto status = assign(number, value, bytes); status != CUBLAS_STATUS_SUCCESS) {
        return status;
      }
      set.alignment = number < set.alignment ? number : set.alignment;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  if (wanted < 1 || results == nullptr || found == nullptr || c == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  GemmProblem problem;
  *found = 0;
  const auto status =
      settle(*get<Description>(desc), *get<Layout>(a), *get<Layout>(b), *get<Layout>(d), problem);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const auto& limits = *get<Preference>(preference);
  const Algorithm algorithm{limits.workspace_bytes / 2, limits.alignment, algorithm_is_made};
  results[0] = {};
  std::memcpy(&results[0].algo, &algorithm, sizeof algorithm);
  results[0].workspaceSize = algorithm.workspace_bytes;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algo, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
  const auto& description = *get<Description>(desc);
  const auto &in_a = *get<Layout>(a_layout), &in_b = *get<Layout>(b_layout),
             &out = *get<Layout>(d_layout);
  BiasedProblem problem{};
  if (const auto status = settle(description, in_a, in_b, out, problem.product);
      status != CUBLAS_STATUS_SUCCESS) {
    return status;
  }
  Algorithm algorithm{};
  if (algo != nullptr) std::memcpy(&algorithm, algo, sizeof algorithm);
  problem.has_bias = description.epilogue == CUBLASLT_EPILOGUE_BIAS;
  if (algorithm.is_made != algorithm_is_made || workspace_bytes < algorithm.workspace_bytes ||
      (workspace == nullptr && algorithm.workspace_bytes > 0) ||
      !is_aligned({a, b, c, d}, algorithm.alignment) ||
      (problem.has_bias && description.bias == nullptr)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != get<Handle>(handle)->device) {
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  problem.product.alpha = *static_cast<const float*>(alpha);
  problem.product.beta = *static_cast<const float*>(beta);
  const size_t bias_bytes = static_cast<size_t>(problem.product.m) * sizeof(float);
  const backplane_sim_operand operands[] = {{a, in_a.bytes(), 0},
                                            {b, in_b.bytes(), 0},
                                            {d, out.bytes(), 1},
                                            {description.bias, bias_bytes, 0}};
  const cudaError_t error =
      backplane_sim_enqueue(stream, "cublasLt product", operands, problem.has_bias ? 4 : 3,
                            run_biased, &problem, sizeof problem);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"

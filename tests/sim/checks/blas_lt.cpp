// The simulated cuBLASLt: a product with a bias, and what it refuses.
#include <cublasLt.h>

#include "checks/support.h"

using namespace backplane::sim::checks;

namespace {

constexpr int m = 5, n = 3, k = 4;

// D[m,n] = A[m,k] * B[k,n] + bias[m], all column-major.
struct Call {
  cublasLtHandle_t lt = nullptr;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  cublasLtMatmulHeuristicResult_t found{};

  Call(const float* bias, std::uint32_t alignment, std::size_t workspace_bytes) {
    REQUIRE_EQ(cublasLtCreate(&lt), CUBLAS_STATUS_SUCCESS);
    REQUIRE_EQ(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F),
               CUBLAS_STATUS_SUCCESS);
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, m, k, m);
    cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, k, n, k);
    cublasLtMatrixLayoutCreate(&d, CUDA_R_32F, m, n, m);
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &workspace_bytes, sizeof workspace_bytes);
    for (const auto name :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      cublasLtMatmulPreferenceSetAttribute(preference, name, &alignment, sizeof alignment);
    }
    int count = 0;
    REQUIRE_EQ(cublasLtMatmulAlgoGetHeuristic(lt, desc, a, b, d, d, preference, 1, &found, &count),
               CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(count, 1);
    cublasLtMatmulPreferenceDestroy(preference);
  }
  ~Call() {
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatrixLayoutDestroy(b);
    cublasLtMatrixLayoutDestroy(d);
    cublasLtMatmulDescDestroy(desc);
    cublasLtDestroy(lt);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  template <class T>
  void set(cublasLtMatmulDescAttributes_t name, const T& value) {
    REQUIRE_EQ(cublasLtMatmulDescSetAttribute(desc, name, &value, sizeof value),
               CUBLAS_STATUS_SUCCESS);
  }
  cublasStatus_t run(const float* from_a, const float* from_b, float* to_d, void* workspace,
                     std::size_t workspace_bytes) const {
    const float one = 1, none = 0;
    return cublasLtMatmul(lt, desc, &one, from_a, a, from_b, b, &none, to_d, d, to_d, d,
                          &found.algo, workspace, workspace_bytes, nullptr);
  }
};

}  // namespace

TEST_CASE("a product with a bias for each row of the column-major result") {
  const auto a = reals(m * k, -1, 1), b = reals(k * n, -1, 1, 2), bias = reals(m, -1, 1, 3);
  const DeviceArray<float> da(a), db(b), dbias(bias), dd(std::vector<float>(m * n, NAN));
  const DeviceArray<char> workspace(std::vector<char>(64));
  const Call call(dbias, 16, 64);
  REQUIRE_EQ(call.run(da, db, dd, workspace, 64),
             CUBLAS_STATUS_SUCCESS);
  const auto d = dd.download();
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      double sum = bias[row];
      for (int p = 0; p < k; ++p) sum += static_cast<double>(a[p * m + row]) * b[column * k + p];
      CHECK(std::abs(d[column * m + row] - sum) < 1e-6);
    }
  }
}

TEST_CASE("an algorithm is held to the alignment and the workspace that it was found for") {
  const DeviceArray<float> a(reals(m * k + 1, -1, 1)), b(reals(k * n, -1, 1)), bias(reals(m, 0, 1)),
      d(reals(m * n, 0, 1));
  const DeviceArray<char> workspace(std::vector<char>(64));
  const Call wide(bias, 16, 64), narrow(bias, 4, 64);
  CHECK_EQ(wide.run(a + 1, b, d, workspace, 64),
           CUBLAS_STATUS_INVALID_VALUE);
  CHECK_EQ(wide.run(a, b, d, workspace, 8),
           CUBLAS_STATUS_INVALID_VALUE);
  CHECK_EQ(narrow.run(a + 1, b, d, workspace, 64),
           CUBLAS_STATUS_SUCCESS);
  CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

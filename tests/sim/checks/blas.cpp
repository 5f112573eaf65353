// The simulated cuBLAS: products against plain loops, argument checks, modes.
#include <cublas_v2.h>

#include <algorithm>
#include <cstring>

#include "checks/support.h"
#include "device/convert.h"

using namespace backplane::sim;
using namespace backplane::sim::checks;

namespace {

class Handle {
 public:
  Handle() { REQUIRE_EQ(cublasCreate(&handle_), CUBLAS_STATUS_SUCCESS); }
  ~Handle() { cublasDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

// C = alpha op(A) op(B) + beta C, column by column, in double.
struct Reference {
  bool transpose_a, transpose_b;
  int m, n, k, lda, ldb, ldc;

  template <class T>
  std::vector<double> run(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c,
                          double alpha, double beta) const {
    std::vector<double> result(c.begin(), c.end());
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int p = 0; p < k; ++p) {
          sum += static_cast<double>(a[transpose_a ? i * lda + p : p * lda + i]) *
                 b[transpose_b ? p * ldb + j : j * ldb + p];
        }
        result[j * ldc + i] = alpha * sum + (beta != 0 ? beta * c[j * ldc + i] : 0);
      }
    }
    return result;
  }
};

}  // namespace

TEST_CASE("products of floats and doubles, all transpositions, padded rows") {
  const Handle handle;
  for (int transposed = 0; transposed < 4; ++transposed) {
    const Reference reference{(transposed & 1) != 0, (transposed & 2) != 0, 9, 7, 13, 15, 16, 11};
    const auto a = reals(15 * 15, -1, 1), b = reals(16 * 16, -1, 1, 2), c = reals(11 * 7, -1, 1, 3);
    const DeviceArray<float> da(a), db(b), dc(c);
    const float alpha = 0.5f, beta = 2.0f;
    const auto operation_a = reference.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto operation_b = reference.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    CHECK_EQ(cublasSgemm(handle, operation_a, operation_b, 9, 7, 13, &alpha, da, 15, db, 16, &beta,
                         dc, 11),
             CUBLAS_STATUS_SUCCESS);
    CHECK_LT(distance(dc.download(), reference.run(a, b, c, alpha, beta)), 1e-6);

    const std::vector<double> wa(a.begin(), a.end()), wb(b.begin(), b.end()),
        wc(c.begin(), c.end());
    const DeviceArray<double> dda(wa), ddb(wb), ddc(wc);
    const double one = 1, zero = 0;
    CHECK_EQ(cublasDgemm(handle, operation_a, operation_b, 9, 7, 13, &one, dda, 15, ddb, 16, &zero,
                         ddc, 11),
             CUBLAS_STATUS_SUCCESS);
    CHECK_LT(distance(ddc.download(), reference.run(wa, wb, wc, 1, 0)), 1e-15);
  }
}

TEST_CASE("with beta zero, NaN in the result is overwritten") {
  const Handle handle;
  const DeviceArray<float> a(std::vector<float>(4, 1.0f)), c(std::vector<float>(4, NAN));
  const float one = 1, zero = 0;
  CHECK_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &zero, c, 2),
           CUBLAS_STATUS_SUCCESS);
  CHECK_EQ(c.download(), std::vector<float>(4, 2.0f));
}

namespace {

template <class Half>
void check_short(cudaDataType type, double tolerance) {
  const Handle handle;
  const Reference reference{false, false, 8, 6, 20, 8, 20, 8};
  std::vector<Half> a, b;
  std::vector<float> fa, fb;
  for (float v : reals(8 * 20, -1, 1))
    a.push_back(device::narrow<Half>(v, device::Rounding::nearest));
  for (float v : reals(20 * 6, -1, 1, 2))
    b.push_back(device::narrow<Half>(v, device::Rounding::nearest));
  for (const Half& v : a) fa.push_back(device::widen(v));
  for (const Half& v : b) fb.push_back(device::widen(v));
  const DeviceArray<Half> da(a), db(b), dc(48);
  const DeviceArray<float> dw(48);
  const float one = 1, zero = 0;
  for (void* c : {static_cast<void*>(dc.get()), static_cast<void*>(dw.get())}) {
    const cudaDataType type_c = c == dw.get() ? CUDA_R_32F : type;
    CHECK_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 6, 20, &one, da, type, 8, db, type,
                          20, &zero, c, type_c, 8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
             CUBLAS_STATUS_SUCCESS);
  }
  const auto wanted = reference.run(fa, fb, std::vector<float>(48), 1, 0);
  CHECK_LT(distance(dw.download(), wanted), 1e-6);
  std::vector<float> rounded;
  for (const Half& v : dc.download()) rounded.push_back(device::widen(v));
  CHECK_LT(distance(rounded, wanted), tolerance);
}

}  // namespace

TEST_CASE("half and bfloat16 operands, results in either precision") {
  check_short<device::f16>(CUDA_R_16F, 1e-3);
  check_short<device::bf16>(CUDA_R_16BF, 1e-2);
}

TEST_CASE("a strided batch, one operand shared by all") {
  const Handle handle;
  const Reference reference{false, false, 4, 3, 5, 4, 5, 4};
  const auto a = reals(3 * 20, -1, 1), b = reals(15, -1, 1, 2);
  const DeviceArray<float> da(a), db(b), dc(3 * 12), de(3 * 12);
  const float one = 1, zero = 0;
  CHECK_EQ(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 3, 5, &one, da, 4, 20, db,
                                     5, 0, &zero, dc, 4, 12, 3),
           CUBLAS_STATUS_SUCCESS);
  CHECK_EQ(
      cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 3, 5, &one, da, CUDA_R_32F, 4,
                                 20, db, CUDA_R_32F, 5, 0, &zero, de, CUDA_R_32F, 4, 12, 3,
                                 CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT),
      CUBLAS_STATUS_SUCCESS);
  const auto c = dc.download();
  CHECK_EQ(de.download(), c);
  for (int z = 0; z < 3; ++z) {
    const std::vector<float> part(&a[20 * z], &a[20 * z] + 20);
    const auto wanted = reference.run(part, b, std::vector<float>(12), 1, 0);
    CHECK_LT(distance(std::vector<float>(&c[12 * z], &c[12 * z] + 12), wanted), 1e-6);
  }
}

TEST_CASE("TF32 shows, and only when asked for by name") {
  const Handle handle;
  const float x = 1.0f + 1.0f / 4096;  // needs twelve bits of fraction
  const DeviceArray<float> a(std::vector<float>{x}), c(1);
  const float one = 1, zero = 0;
  const auto product = [&](cublasMath_t mode) {
    CHECK_EQ(cublasSetMathMode(handle, mode), CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, a, 1, &zero, c, 1),
             CUBLAS_STATUS_SUCCESS);
    return c.download()[0];
  };
  CHECK_EQ(product(CUBLAS_DEFAULT_MATH), x * x);
  CHECK_EQ(product(CUBLAS_PEDANTIC_MATH), x * x);
  CHECK_EQ(product(CUBLAS_TF32_TENSOR_OP_MATH), 1.0f);
}

TEST_CASE("arguments are checked as the real library checks them") {
  const Handle handle;
  const DeviceArray<float> a(64);
  const float one = 1;
  const auto gemm = [&](int m, int n, int k, int lda, int ldb, int ldc) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, lda, a, ldb, &one, a,
                       ldc);
  };
  CHECK_EQ(gemm(-1, 2, 2, 2, 2, 2), CUBLAS_STATUS_INVALID_VALUE);
  CHECK_EQ(gemm(4, 2, 2, 3, 2, 4), CUBLAS_STATUS_INVALID_VALUE);
  CHECK_EQ(gemm(4, 2, 2, 4, 1, 4), CUBLAS_STATUS_INVALID_VALUE);
  CHECK_EQ(gemm(4, 2, 2, 4, 2, 3), CUBLAS_STATUS_INVALID_VALUE);
  CHECK_EQ(gemm(0, 2, 2, 1, 2, 1), CUBLAS_STATUS_SUCCESS);
  CHECK_EQ(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, a, 1, &one, a, 1),
           CUBLAS_STATUS_NOT_INITIALIZED);
  CHECK_EQ(
      cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, CUDA_R_32F, 1, a, CUDA_R_16F,
                   1, &one, a, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_CASE("streams, versions, work spaces, and products inside a graph") {
  const Handle handle;
  int version = 0;
  CHECK_EQ(cublasGetVersion(handle, &version), CUBLAS_STATUS_SUCCESS);
  CHECK_EQ(version, CUBLAS_VERSION);
  const DeviceArray<float> space(1024), a(std::vector<float>{3}), c(1);
  CHECK_EQ(cublasSetWorkspace(handle, space.get(), 4096), CUBLAS_STATUS_SUCCESS);
  cudaStream_t stream = nullptr, got = nullptr;
  REQUIRE_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_EQ(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
  CHECK_EQ(cublasGetStream(handle, &got), CUBLAS_STATUS_SUCCESS);
  CHECK_EQ(got, stream);
  const float one = 1, zero = 0;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, a, 1, &zero, c, 1),
           CUBLAS_STATUS_SUCCESS);
  REQUIRE_CUDA(cudaStreamEndCapture(stream, &graph));
  REQUIRE_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  REQUIRE_CUDA(cudaGraphLaunch(exec, stream));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(c.download()[0], 9);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaStreamDestroy(stream));
}

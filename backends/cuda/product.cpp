// How matrices at the border become cuBLAS's.
#include "product.hpp"

#include "queue.hpp"

namespace backplane::cuda {
namespace {

cudaDataType blas_type(std::uint32_t dtype) {
  switch (dtype) {
    case BP_F16:
      return CUDA_R_16F;
    case BP_BF16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

}  // namespace

CudaProduct::Operand CudaProduct::operand(const card::Matrix& matrix) {
  if (const auto leading = card::leading_of_rows(matrix)) {
    return {static_cast<int>(*leading), CUBLAS_OP_N, matrix.batch_stride};
  }
  const i64 leading = card::leading_of_rows(card::transposed(matrix)).value();
  return {static_cast<int>(leading), CUBLAS_OP_T, matrix.batch_stride};
}

CudaProduct::CudaProduct(const card::Check& check, const card::Matrix& y, const card::Matrix& a,
                         const card::Matrix& b, std::uint32_t factor_dtype, bool strict,
                         BlasScratch scratch)
    : Product(check, y, a, b),
      rows_(static_cast<int>(y.rows)),
      inner_(static_cast<int>(a.columns)),
      columns_(static_cast<int>(y.columns)),
      swapped_(!card::leading_of_rows(y)),
      y_(operand(swapped_ ? card::transposed(y) : y)),
      a_(operand(swapped_ ? card::transposed(b) : a)),
      b_(operand(swapped_ ? card::transposed(a) : b)),
      factor_(blas_type(factor_dtype)),
      // Without a mode that asks for it by name, cuBLAS uses no TF32 for these.
      compute_(strict ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F),
      scratch_(scratch) {
  if (swapped_) std::swap(rows_, columns_);
}

void CudaProduct::multiply(const card::Call& call, const card::Memory& y, const card::Memory& a,
                           const card::Memory& b, i64 batch, bool adds) const {
  auto& queue = static_cast<CudaQueue&>(call.queue);
  const CurrentDevice scope(queue.ordinal());
  const float one = 1.0f, kept = adds ? 1.0f : 0.0f;
  check(cublasSetWorkspace(queue.blas(), address(call.workspace(scratch_.offset)), scratch_.bytes),
        "giving cuBLAS its workspace");
  check(cublasGemmStridedBatchedEx(queue.blas(), b_.operation, a_.operation, columns_, rows_,
                                   inner_, &one, address(swapped_ ? a : b), factor_, b_.leading,
                                   b_.batch_stride, address(swapped_ ? b : a), factor_, a_.leading,
                                   a_.batch_stride, &kept, address(y), CUDA_R_32F, y_.leading,
                                   y_.batch_stride, static_cast<int>(batch), compute_,
                                   CUBLAS_GEMM_DEFAULT),
        "a matrix product");
}

}  // namespace backplane::cuda

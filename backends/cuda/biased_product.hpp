// A matrix product with a bias for each column as one call of cuBLASLt: its epilogue adds the bias
// while the sums are still in registers.
#pragma once

#include <cublasLt.h>

#include <array>
#include <memory>

#include "product.hpp"

namespace backplane::cuda {

struct ReleaseLt {
  void operator()(cublasLtContext* handle) const { cublasLtDestroy(handle); }
  void operator()(cublasLtMatmulDescOpaque_t* desc) const { cublasLtMatmulDescDestroy(desc); }
  void operator()(cublasLtMatrixLayoutOpaque_t* layout) const {
    cublasLtMatrixLayoutDestroy(layout);
  }
  void operator()(cublasLtMatmulPreferenceOpaque_t* preference) const {
    cublasLtMatmulPreferenceDestroy(preference);
  }
};
template <class T>
using LtHandle = std::unique_ptr<T, ReleaseLt>;

// The handle of a device, for all its queues and threads; the device must be current.
[[nodiscard]] LtHandle<cublasLtContext> make_lt();

// y = a * b + bias in float32 without TF32, for a row-major y and a bias without gaps.
class BiasedProduct {
 public:
  // Null: cuBLASLt knows no algorithm for these matrices.
  [[nodiscard]] static std::shared_ptr<const BiasedProduct> find(cublasLtHandle_t lt,
                                                                 const card::Matrix& y,
                                                                 const card::Matrix& a,
                                                                 const card::Matrix& b, bool strict,
                                                                 BlasScratch scratch);

  void enqueue(const card::Call& call, const card::Memory& y, const card::Memory& a,
               const card::Memory& b, const card::Memory& bias) const;

 private:
  // y's transpose, b's and a's, for cuBLASLt thinks in columns.
  struct Operand {
    LtHandle<cublasLtMatrixLayoutOpaque_t> layout;
    cublasOperation_t operation;
  };
  BiasedProduct(cublasLtHandle_t lt, const card::Matrix& y, const card::Matrix& a,
                const card::Matrix& b, bool strict, BlasScratch scratch);
  [[nodiscard]] static Operand operand(const card::Matrix& matrix);
  [[nodiscard]] LtHandle<cublasLtMatmulDescOpaque_t> describe(const void* bias) const;
  // False: none for operands that begin at multiples of so many bytes.
  [[nodiscard]] bool find_algorithm(std::uint32_t alignment, cublasLtMatmulAlgo_t& algorithm) const;

  cublasLtHandle_t lt_;
  Operand y_, a_, b_;
  cublasComputeType_t compute_;
  BlasScratch scratch_;
  // Fast loads are 16 bytes wide, and a view may begin at any element.
  cublasLtMatmulAlgo_t aligned_{}, unaligned_{};
};

}  // namespace backplane::cuda

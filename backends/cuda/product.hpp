// Matrix products through cuBLAS: of f32 without TF32, or of 16-bit factors.
#pragma once

#include <cublas_v2.h>

#include "card/product.hpp"

namespace backplane::cuda {

// Scratch memory that cuBLAS may use during a run. It gets it by hand, because what it would
// allocate by itself could not be captured in a graph.
struct BlasScratch {
  BlasScratch(plugin::Request& request, std::uint64_t size)
      : offset(card::reserve(request, size)), bytes(size) {}
  std::uint64_t offset, bytes;
};

class CudaProduct final : public card::Product {
 public:
  CudaProduct(const card::Check& check, const card::Matrix& y, const card::Matrix& a,
              const card::Matrix& b, std::uint32_t factor_dtype, bool strict, BlasScratch scratch);
  [[nodiscard]] const char* name() const override { return "cuBLAS"; }

 private:
  struct Operand {
    int leading;
    cublasOperation_t operation;
    i64 batch_stride;
  };
  // cuBLAS thinks in columns: a row-major matrix is its transpose there.
  [[nodiscard]] static Operand operand(const card::Matrix& matrix);
  void multiply(const card::Call& call, const card::Memory& y, const card::Memory& a,
                const card::Memory& b, i64 batch, bool adds) const override;

  int rows_, inner_, columns_;
  bool swapped_;  // y is column-major, and its transpose is computed
  Operand y_, a_, b_;
  cudaDataType factor_;
  cublasComputeType_t compute_;
  BlasScratch scratch_;
};

}  // namespace backplane::cuda

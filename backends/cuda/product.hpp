// Matrix products through cuBLAS, for row- and column-major operands, one or a batch.
#pragma once

#include <optional>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::cuda {

struct Matrix {
  i64 rows, columns, row_stride, column_stride;
  i64 batch_stride = 0;  // from one matrix of a batch to the next, in elements
};

// Without gaps; a matrix without elements has strides all the same.
[[nodiscard]] inline Matrix row_major(i64 rows, i64 columns, i64 batch_stride = 0) {
  return {rows, columns, std::max<i64>(columns, 1), 1, batch_stride};
}

[[nodiscard]] inline Matrix transposed(const Matrix& m) {
  return {m.columns, m.rows, m.column_stride, m.row_stride, m.batch_stride};
}

// Of a tensor of rank 2.
[[nodiscard]] inline Matrix matrix_of(const bp_tensor_desc& desc) {
  return {desc.dims[0], desc.dims[1], desc.strides[0], desc.strides[1]};
}

// Whether cuBLAS takes it: elements lie side by side along one axis and don't overlap along the
// other.
[[nodiscard]] bool is_blas_matrix(const Matrix& matrix);

// Scratch memory that cuBLAS may use during a run. It gets it by hand, because what it would
// allocate by itself could not be captured in a graph.
struct BlasScratch {
  BlasScratch(plugin::Request& request, std::uint64_t size)
      : offset(reserve(request, size)), bytes(size) {}
  std::uint64_t offset, bytes;
};

// y = a * b, or y += a * b, in float32 without TF32; each a batch.
class Product {
 public:
  // Each matrix must be one that cuBLAS takes; unsupported if a size passes 2^31.
  Product(const Check& check, const Matrix& y, const Matrix& a, const Matrix& b, bool strict,
          BlasScratch scratch);

  void enqueue(const Call& call, const Memory& y, const Memory& a, const Memory& b, i64 batch,
               bool adds) const;

 private:
  struct Operand {
    int leading;
    cublasOperation_t operation;
    i64 batch_stride;
  };
  // cuBLAS thinks in columns: a row-major matrix is its transpose there.
  [[nodiscard]] static Operand operand(const Matrix& matrix);
  // A sum without terms: cuBLAS isn't asked, for it may not like the empty operands.
  void clear(const Call& call, const Memory& y, i64 batch) const;

  Matrix target_;
  int rows_, inner_, columns_;
  bool swapped_;  // y is column-major, and its transpose is computed
  Operand y_, a_, b_;
  cublasComputeType_t compute_;
  BlasScratch scratch_;
};

}  // namespace backplane::cuda

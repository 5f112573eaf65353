// Matrix products, which each card computes in its own way: for row- and column-major operands, one
// or a batch.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::card {

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

// The leading dimension of a row-major matrix; nothing if it isn't one that a BLAS takes: elements
// side by side along rows that don't overlap, and no number above 2^31 - 1.
[[nodiscard]] std::optional<i64> leading_of_rows(const Matrix& matrix);
// Whether it is row- or column-major.
[[nodiscard]] bool is_blas_matrix(const Matrix& matrix);

// y = a * b, or y += a * b, with sums in float32; each a batch. A sum without terms is 0.
class Product {
 public:
  Product(const Check& check, const Matrix& y, const Matrix& a, const Matrix& b);
  virtual ~Product() = default;

  void enqueue(const Call& call, const Memory& y, const Memory& a, const Memory& b, i64 batch,
               bool adds) const;
  // For people: which library or kernel.
  [[nodiscard]] virtual const char* name() const = 0;

 private:
  // Only with rows, columns, summands and a batch that are not 0.
  virtual void multiply(const Call& call, const Memory& y, const Memory& a, const Memory& b,
                        i64 batch, bool adds) const = 0;

  Matrix y_;
  i64 inner_;
};

}  // namespace backplane::card

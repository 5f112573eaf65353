// Which matrices a BLAS takes, and products of nothing.
#include "product.hpp"

#include <limits>

namespace backplane::card {
namespace {

constexpr i64 most = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::optional<i64> leading_of_rows(const Matrix& m) {
  if (m.columns > 1 && m.column_stride != 1) return std::nullopt;
  const i64 least = std::max<i64>(m.columns, 1);
  const i64 leading = m.rows > 1 ? m.row_stride : least;
  if (leading < least || leading > most) return std::nullopt;
  return leading;
}

bool is_blas_matrix(const Matrix& matrix) {
  return leading_of_rows(matrix) || leading_of_rows(transposed(matrix));
}

Product::Product(const Check& check, const Matrix& y, const Matrix& a, const Matrix& b)
    : y_(y), inner_(a.columns) {
  if (y.rows > most || y.columns > most || a.columns > most) {
    throw check.unsupported("a matrix has more than 2^31 - 1 rows or columns");
  }
  check.that(is_blas_matrix(y) && is_blas_matrix(a) && is_blas_matrix(b),
             "matrices must be row- or column-major");
}

void Product::enqueue(const Call& call, const Memory& y, const Memory& a, const Memory& b,
                      i64 batch, bool adds) const {
  if (y_.rows == 0 || y_.columns == 0 || batch == 0) return;
  if (inner_ != 0) return multiply(call, y, a, b, batch, adds);
  if (adds) return;
  const bp_tensor_desc batched =
      view(dense(BP_F32, {}),
           {{batch, y_.batch_stride}, {y_.rows, y_.row_stride}, {y_.columns, y_.column_stride}});
  const Nest walk = nest({&batched});
  launch(call.queue, kernel::fill, items(walk.count), walk, y, F32, 0.0);
}

}  // namespace backplane::card

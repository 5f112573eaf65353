// Packs both operands in the compute type, multiplies column by column, and rounds once at the end.
#include "blas/gemm.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "device/convert.h"

namespace backplane::sim {
namespace {

using device::bf16;
using device::f16;

double load(const void* base, int64_t index, cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<const double*>(base)[index];
    case CUDA_R_32F:
      return static_cast<const float*>(base)[index];
    case CUDA_R_16F:
      return device::widen(static_cast<const f16*>(base)[index]);
    default:
      return device::widen(static_cast<const bf16*>(base)[index]);
  }
}

void store(void* base, int64_t index, cudaDataType type, double value) {
  using device::narrow;
  using device::Rounding;
  switch (type) {
    case CUDA_R_64F:
      static_cast<double*>(base)[index] = value;
      break;
    case CUDA_R_32F:
      static_cast<float*>(base)[index] = static_cast<float>(value);
      break;
    case CUDA_R_16F:
      static_cast<f16*>(base)[index] = narrow<f16>(value, Rounding::nearest);
      break;
    default:
      static_cast<bf16*>(base)[index] = narrow<bf16>(value, Rounding::nearest);
      break;
  }
}

double round_input(double value, InputRounding rounding) {
  using device::narrow;
  using device::Rounding;
  using device::widen;
  switch (rounding) {
    case InputRounding::exact:
      return value;
    case InputRounding::tf32:
      return device::to_tf32(static_cast<float>(value));
    case InputRounding::half:
      return widen(narrow<f16>(value, Rounding::nearest));
    case InputRounding::bfloat:
      return widen(narrow<bf16>(value, Rounding::nearest));
  }
  return value;
}

// op(matrix) of rows x columns, packed column by column.
template <class Number>
void pack(const void* base, int64_t first, bool transposed, int64_t rows, int64_t columns,
          int64_t leading, cudaDataType type, InputRounding rounding, std::vector<Number>& out) {
  out.resize(static_cast<size_t>(rows * columns));
  const auto at = [&](int64_t row, int64_t column) {
    const int64_t index = first + (transposed ? row * leading + column : column * leading + row);
    return static_cast<Number>(round_input(load(base, index, type), rounding));
  };
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t row = 0; row < rows; ++row) {
      out[static_cast<size_t>(column * rows + row)] = at(row, column);
    }
  }
}

// Four columns of the result at a time, so that each column of A is read once for four.
template <class Number>
void multiply_columns(const Number* a, const Number* const* b, int64_t m, int64_t k, Number* sums) {
  std::fill(sums, sums + 4 * m, Number(0));
  for (int64_t p = 0; p < k; ++p) {
    const Number* column = a + p * m;
    const Number b0 = b[0][p], b1 = b[1][p], b2 = b[2][p], b3 = b[3][p];
    for (int64_t i = 0; i < m; ++i) {
      sums[i] += column[i] * b0;
      sums[m + i] += column[i] * b1;
      sums[2 * m + i] += column[i] * b2;
      sums[3 * m + i] += column[i] * b3;
    }
  }
}

template <class Number>
void run_typed(void* const* storage, const GemmProblem& g) {
  std::vector<Number> a;
  std::vector<Number> b;
  std::vector<Number> sums(static_cast<size_t>(4 * g.m));
  for (int64_t z = 0; z < g.batch; ++z) {
    pack(storage[0], z * g.stride_a, g.transpose_a, g.m, g.k, g.lda, g.type_a, g.rounding, a);
    pack(storage[1], z * g.stride_b, g.transpose_b, g.k, g.n, g.ldb, g.type_b, g.rounding, b);
    for (int64_t j = 0; j < g.n; j += 4) {
      const int64_t columns = std::min<int64_t>(4, g.n - j);
      const Number* from[4];
      for (int64_t c = 0; c < 4; ++c) from[c] = b.data() + std::min(j + c, int64_t{g.n} - 1) * g.k;
      multiply_columns(a.data(), from, g.m, g.k, sums.data());
      for (int64_t c = 0; c < columns; ++c) {
        for (int64_t i = 0; i < g.m; ++i) {
          const int64_t index = z * g.stride_c + (j + c) * g.ldc + i;
          Number value = static_cast<Number>(g.alpha) * sums[static_cast<size_t>(c * g.m + i)];
          // With beta zero the old value is not read: it may be NaN.
          if (g.beta != 0) {
            value += static_cast<Number>(g.beta) *
                     static_cast<Number>(load(storage[2], index, g.type_c));
          }
          store(storage[2], index, g.type_c, value);
        }
      }
    }
  }
}

}  // namespace

size_t element_bytes(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_16F:
      return 2;
    case CUDA_R_16BF:
      return 2;
    default:
      return 0;
  }
}

void run_gemm(void* const* storage, const void* problem) {
  GemmProblem g;
  std::memcpy(&g, problem, sizeof g);
  if (g.in_double)
    run_typed<double>(storage, g);
  else
    run_typed<float>(storage, g);
}

}  // namespace backplane::sim

// Tensors of counted numbers: ranges, grids and the identity, made on the host.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// begin, begin + step, begin + 2 step ... up to `end`, which is left out. Error unless the step
// leads from begin to end, or where the type hasn't one of the numbers.
[[nodiscard]] Tensor arange(double begin, double end, double step = 1,
                            const TensorOptions& options = {});
// From 0.
[[nodiscard]] Tensor arange(double end, const TensorOptions& options = {});

// So many numbers at equal distances, the first and the last one included. Floats alone.
[[nodiscard]] Tensor linspace(double first, double last, std::int64_t count,
                              const TensorOptions& options = {});

// 1 on the diagonal, 0 elsewhere, of shape [rows, columns]; columns of -1 are as many as rows.
[[nodiscard]] Tensor eye(std::int64_t rows, std::int64_t columns = -1,
                         const TensorOptions& options = {});

}  // namespace backplane

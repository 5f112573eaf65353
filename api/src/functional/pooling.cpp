// What poolings share.
#include "functional/pooling.hpp"

namespace backplane::detail {

void check_window(const char* name, const std::int32_t (&kernel)[2],
                  const std::int32_t (&stride)[2], const std::int32_t (&padding)[4]) {
  if (kernel[0] < 1 || kernel[1] < 1 || stride[0] < 1 || stride[1] < 1) {
    reject("{}: kernel and stride must be at least 1, got kernel {}x{} and stride {}x{}", name,
           kernel[0], kernel[1], stride[0], stride[1]);
  }
  if (padding[0] < 0 || padding[1] < 0 || padding[2] < 0 || padding[3] < 0) {
    reject("{}: padding can't be negative, got {},{},{},{}", name, padding[0], padding[1],
           padding[2], padding[3]);
  }
}

std::int64_t pooled_size(const char* name, const Tensor& x, int axis, const WindowAxis& window) {
  const std::int64_t size = x.size(2 + axis),
                     room = size + window.before + window.after - window.extent;
  if (room < 0) {
    reject("{}: a window covers {} of {} padded rows or columns; it must fit (input {})", name,
           window.extent, room + window.extent, describe(x));
  }
  if (!window.ceil_mode) return room / window.stride + 1;
  const std::int64_t count = (room + window.stride - 1) / window.stride + 1;
  const bool begins_behind = (count - 1) * window.stride >= size + window.before;
  return begins_behind ? count - 1 : count;
}

void check_output_size(const char* name, const Tensor& x, Size2d size) {
  check_floating(name, x);
  check_rank(name, "input", x, 4);
  if (size.rows < 1 || size.columns < 1) {
    reject("{}: the output must have at least one row and column, got {}x{}", name, size.rows,
           size.columns);
  }
  if (x.size(2) == 0 || x.size(3) == 0) {
    reject("{}: expects an image with rows and columns, got {}", name, describe(x));
  }
}

}  // namespace backplane::detail

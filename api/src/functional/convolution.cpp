// What convolutions share.
#include "functional/convolution.hpp"

namespace backplane::detail {

void check_params(const char* name, const op::Conv2dParams& p) {
  if (p.stride[0] < 1 || p.stride[1] < 1 || p.dilation[0] < 1 || p.dilation[1] < 1) {
    reject("{}: stride and dilation must be at least 1, got stride {}x{} and dilation {}x{}", name,
           p.stride[0], p.stride[1], p.dilation[0], p.dilation[1]);
  }
  if (p.padding[0] < 0 || p.padding[1] < 0 || p.padding[2] < 0 || p.padding[3] < 0) {
    reject("{}: padding can't be negative, got {},{},{},{}", name, p.padding[0], p.padding[1],
           p.padding[2], p.padding[3]);
  }
  if (p.groups < 1) reject("{}: groups must be at least 1, got {}", name, p.groups);
}

void check_operands(const char* name, const Tensor& x, const Tensor& weight, const Tensor& bias,
                    std::size_t rank, std::int32_t groups) {
  check_same_type(name, x, weight);
  check_floating(name, x);
  check_rank(name, "input", x, rank);
  check_rank(name, "weight", weight, rank);
  if (x.size(1) != weight.size(1) * groups) {
    reject("{}: weight expects {} input channels, input has {} (input {}, weight {}, groups {})",
           name, weight.size(1) * groups, x.size(1), describe(x), describe(weight), groups);
  }
  if (weight.size(0) % groups != 0) {
    reject("{}: {} output channels don't divide into {} groups (weight {})", name, weight.size(0),
           groups, describe(weight));
  }
  check_bias(name, x, bias, weight.size(0));
}

void check_bias(const char* name, const Tensor& x, const Tensor& bias, std::int64_t channels) {
  if (!bias.defined()) return;
  check_same_type(name, x, bias);
  if (bias.shape() != Shape{channels}) {
    reject("{}: bias expects one value for each of {} output channels, got {}", name, channels,
           describe(bias));
  }
}

std::int64_t places(const char* name, const Tensor& x, const Tensor& weight, std::int64_t axis,
                    std::int64_t padding, std::int64_t dilation, std::int64_t stride) {
  const std::int64_t kernel = weight.size(axis), padded = x.size(axis) + padding;
  const std::int64_t extent = dilation * (kernel - 1) + 1;
  if (kernel < 1 || padded < extent) {
    reject(
        "{}: the kernel covers {} of {} padded rows or columns; it must fit (input {}, weight "
        "{})",
        name, extent, padded, describe(x), describe(weight));
  }
  return (padded - extent) / stride + 1;
}

}  // namespace backplane::detail

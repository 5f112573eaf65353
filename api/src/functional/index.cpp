// gather, scatter_add, embedding, one_hot, top_k.
#include <array>

#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::describe;
using detail::reject;
using detail::SavedTensor;

namespace {

void check_positions(const char* name, const char* role, const Tensor& index) {
  if (detail::get(index, name).dtype != DType::i64) {
    reject("{}: {} must be i64, got {}; cast() them", name, role, describe(index));
  }
}

// The axis, once index is known to be one for x.
std::int32_t check_index(const char* name, const Tensor& x, std::int64_t given,
                         const Tensor& index) {
  const std::size_t axis = detail::get(x, name).shape.axis(given, name);
  check_positions(name, "indices", index);
  Shape wanted = x.shape();
  if (index.rank() == x.rank()) wanted[axis] = index.shape()[axis];
  if (index.shape() != wanted) {
    reject("{}: index must have the shape of x but for axis {}, got {} for {}", name, axis,
           describe(index), describe(x));
  }
  return static_cast<std::int32_t>(axis);
}

Tensor gathered(const Tensor& x, std::int32_t axis, const Tensor& index) {
  return detail::run(Operation(op::Gather{axis}), {x, index}, {x.dtype(), index.shape()});
}

Tensor scattered(const Tensor& x, std::int32_t axis, const Tensor& index, const Tensor& source) {
  return detail::run(Operation(op::ScatterAdd{axis}), {x, index, source}, detail::like(x));
}

// One number, repeated.
Tensor all_of(double value, const Shape& shape, DType type, Device device) {
  return full({}, value, {.dtype = type, .device = device}).expand(shape);
}

// The gradient of what was picked: back to where it came from, 0 elsewhere.
Tensor put_back(const Tensor& dy, std::int32_t axis, const Tensor& index, const Shape& shape) {
  return scattered(all_of(0, shape, dy.dtype(), dy.device()), axis, index, dy);
}

}  // namespace

Tensor gather(const Tensor& x, std::int64_t given, const Tensor& index) {
  const std::int32_t axis = check_index("gather", x, given, index);
  const Tensor y = gathered(x, axis, index);
  if (!detail::records({x})) return y;
  return detail::record(
      "gather", {x}, y,
      [axis, index = SavedTensor(index), from = x.shape()](const BackwardCall& call) {
        return std::vector{put_back(call.gradient, axis, index.get("gather"), from)};
      });
}

Tensor scatter_add(const Tensor& x, std::int64_t given, const Tensor& index, const Tensor& source) {
  detail::check_same_type("scatter_add", x, source);
  const std::int32_t axis = check_index("scatter_add", x, given, index);
  if (source.shape() != index.shape()) {
    reject("scatter_add: source and index must have one shape, got {} and {}", describe(source),
           describe(index));
  }
  const Tensor y = scattered(x, axis, index, source);
  if (!detail::records({x, source})) return y;
  return detail::record("scatter_add", {x, source}, y,
                        [axis, index = SavedTensor(index)](const BackwardCall& call) {
                          std::vector<Tensor> grads(2);
                          const Tensor& dy = call.gradient;
                          if (call.needs(0)) grads[0] = dy;
                          if (call.needs(1))
                            grads[1] = gathered(dy, axis, index.get("scatter_add"));
                          return grads;
                        });
}

Tensor embedding(const Tensor& weight, const Tensor& indices, const EmbeddingOptions& options) {
  detail::check_floating("embedding", weight);
  detail::check_rank("embedding", "weight", weight, 2);
  check_positions("embedding", "indices", indices);
  const std::int64_t rows = weight.size(0), columns = weight.size(1), count = indices.count();
  const std::optional<std::int64_t> padding = options.padding_index;
  if (padding && (*padding < 0 || *padding >= rows)) {
    reject("embedding: the padding index must be one of {} rows, got {}", rows, *padding);
  }
  Shape shape = indices.shape();
  shape.push_back(columns);
  // One index for all of a row, which the back ends see by its stride of 0.
  const Tensor each = indices.detach().reshape({count, 1}).expand({count, columns});
  const Tensor y = gathered(weight, 0, each).reshape(shape);
  if (!detail::records({weight})) return y;
  return detail::record(
      "embedding", {weight}, y,
      [each = SavedTensor(each), from = weight.shape(), padding](const BackwardCall& call) {
        const Tensor& index = each.get("embedding");
        Tensor grad = put_back(call.gradient.reshape(index.shape()), 0, index, from);
        if (padding) grad.slice(0, *padding, *padding + 1).fill(0);
        return std::vector{grad};
      });
}

Tensor one_hot(const Tensor& labels, std::int64_t classes, DType type) {
  check_positions("one_hot", "labels", labels);
  if (classes < 1) reject("one_hot: there must be at least one class, got {}", classes);
  Shape shape = labels.shape();
  shape.push_back(classes);
  const std::int64_t count = labels.count();
  const Device device = labels.device();
  return scattered(all_of(0, {count, classes}, type, device), 1, labels.reshape({count, 1}),
                   all_of(1, {count, 1}, type, device))
      .reshape(shape);
}

std::pair<Tensor, Tensor> top_k(const Tensor& x, std::int64_t k, const TopKOptions& options) {
  const Shape& from = detail::get(x, "top_k").shape;
  const std::size_t axis = from.axis(options.axis, "top_k");
  if (k < 0 || k > from[axis]) {
    reject("top_k: k must be in [0, {}] for axis {} of {}, got {}", from[axis], axis, describe(x),
           k);
  }
  Shape shape = from;
  shape[axis] = k;
  const auto along = static_cast<std::int32_t>(axis);
  const std::array inputs{detail::plain_handle(x)};
  const std::array outputs{detail::Output{x.dtype(), shape}, detail::Output{DType::i64, shape}};
  const auto made =
      detail::run(Operation(op::TopK{along, options.largest ? 1u : 0u}), inputs, outputs);
  if (!detail::records({x})) return {made[0], made[1]};
  const Tensor values = detail::record(
      "top_k", {x}, made[0],
      [along, positions = SavedTensor(made[1]), from](const BackwardCall& call) {
        return std::vector{put_back(call.gradient, along, positions.get("top_k"), from)};
      });
  return {values, made[1]};
}

}  // namespace backplane

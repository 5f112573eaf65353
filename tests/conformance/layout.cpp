// How a tensor lies in memory: the views that every back end must read and write.
#include "layout.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

std::string_view to_string(Layout layout) {
  switch (layout) {
    case Layout::contiguous:
      return "contiguous";
    case Layout::channels_last:
      return "channels_last";
    case Layout::transposed:
      return "transposed";
    case Layout::sliced:
      return "sliced";
    case Layout::stepped:
      return "stepped";
    case Layout::expanded:
      return "expanded";
    case Layout::any:
      return "any";
  }
  return "unknown";
}

namespace {

// The first axis along which repeating an element means something; rank: none.
std::size_t repeated_axis(const Shape& shape) {
  std::size_t axis = 0;
  while (axis < shape.rank() && shape[axis] < 2) ++axis;
  return axis;
}

Tensor same(const Tensor& memory) {
  return memory;
}

Placement channels_last(const Shape& shape) {
  return {{shape[0], shape[2], shape[3], shape[1]}, [](const Tensor& memory) {
            return memory.permute({0, 3, 1, 2});
          }};
}

Placement transposed(const Shape& shape) {
  Shape memory = shape;
  const std::size_t rank = shape.rank();
  for (std::size_t axis = 0; axis < rank; ++axis) memory[axis] = shape[rank - 1 - axis];
  return {memory, [rank](Tensor view) {
            for (std::size_t axis = 0; axis < rank / 2; ++axis) {
              view = view.transpose(static_cast<std::int64_t>(axis),
                                    static_cast<std::int64_t>(rank - 1 - axis));
            }
            return view;
          }};
}

Placement sliced(const Shape& shape) {
  Shape memory = shape;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) memory[axis] += 2;
  return {memory, [shape](Tensor view) {
            for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
              view = view.slice(static_cast<std::int64_t>(axis), 1, 1 + shape[axis]);
            }
            return view;
          }};
}

Placement stepped(const Shape& shape) {
  const std::size_t last = shape.rank() - 1;
  Shape memory = shape;
  memory[last] *= 2;
  return {memory, [end = memory[last]](const Tensor& view) { return view.slice(-1, 0, end, 2); }};
}

Placement expanded(const Shape& shape) {
  Shape memory = shape;
  memory[repeated_axis(shape)] = 1;
  return {memory, [shape](const Tensor& view) { return view.expand(shape); }};
}

}  // namespace

bool changes(Layout layout, const Shape& shape) {
  switch (layout) {
    case Layout::channels_last:
      return shape.rank() == 4;
    case Layout::transposed:
      return shape.rank() >= 2;
    case Layout::sliced:
    case Layout::stepped:
      return shape.rank() >= 1;
    case Layout::expanded:
      return repeated_axis(shape) < shape.rank();
    case Layout::contiguous:
    case Layout::any:
      break;
  }
  return false;
}

Placement place(Layout layout, const Shape& shape) {
  if (!changes(layout, shape)) return {shape, same};
  switch (layout) {
    case Layout::channels_last:
      return channels_last(shape);
    case Layout::transposed:
      return transposed(shape);
    case Layout::sliced:
      return sliced(shape);
    case Layout::stepped:
      return stepped(shape);
    case Layout::expanded:
      return expanded(shape);
    case Layout::contiguous:
    case Layout::any:
      break;
  }
  return {shape, same};
}

}  // namespace conformance

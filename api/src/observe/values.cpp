// Elements of host tensors as plain numbers, for judging them.
#include "observe/values.hpp"

#include "backplane/autograd.hpp"
#include "observe/reference_run.hpp"

namespace backplane::detail {

namespace {

template <class T>
std::vector<double> convert(const Tensor& host) {
  const auto elements = host.data<T>();
  return {elements.begin(), elements.end()};
}

}  // namespace

std::vector<double> as_doubles(const Tensor& host) {
  switch (host.dtype()) {
    case DType::f32:
      return convert<float>(host);
    case DType::f64:
      return convert<double>(host);
    case DType::i8:
      return convert<std::int8_t>(host);
    case DType::u8:
      return convert<std::uint8_t>(host);
    case DType::u16:
      return convert<std::uint16_t>(host);
    case DType::i32:
      return convert<std::int32_t>(host);
    case DType::i64:
      return convert<std::int64_t>(host);
    case DType::f16:
    case DType::bf16:
      break;  // no C++ type; every value of theirs is a double
  }
  const TensorSpec wide{.dtype = DType::f64, .shape = host.shape()};
  return convert<double>(run_on_reference(Operation(op::Copy{}), {&host, 1}, {&wide, 1}).front());
}

Tensor host_copy(const Tensor& tensor) {
  const NoGradGuard no_grad;
  return tensor.device().is_host() ? tensor.clone() : tensor.cpu().contiguous();
}

}  // namespace backplane::detail

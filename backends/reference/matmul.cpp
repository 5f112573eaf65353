// matmul: y[m,n] = sum over k of a[m,k] * b[k,n], plus bias[n].
#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

struct Sizes {
  std::int64_t rows, inner, columns;
};

void matmul(const Call& call, const Sizes& sizes) {
  const auto [rows, inner, columns] = sizes;
  const auto a = call.load(0), b = call.load(1);
  std::vector<double> y(static_cast<std::size_t>(rows * columns));
  for (std::int64_t m = 0; m < rows; ++m) {
    double* y_row = y.data() + m * columns;
    for (std::int64_t k = 0; k < inner; ++k) {
      const double factor = a[m * inner + k];
      const double* b_row = b.data() + k * columns;
      for (std::int64_t n = 0; n < columns; ++n) y_row[n] += factor * b_row[n];
    }
  }
  if (call.has_input(2)) {
    const auto bias = call.load(2);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
  }
  call.store(0, std::move(y));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Matmul&, plugin::Request& request) {
  Check check(op::row_of<op::Matmul>, request);
  check.arguments({{"a", floating}, {"b", floating}, {"bias", floating, true}}, {{"y", floating}});
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1];
  check.rank(a, "a", 2);
  check.rank(b, "b", 2);
  const Sizes sizes{a.dims[0], a.dims[1], b.dims[1]};
  check.dims(b, "b", {sizes.inner, sizes.columns});
  check.dims(request.outputs[0], "y", {sizes.rows, sizes.columns});
  if (request.inputs.size() > 2) check.dims(request.inputs[2], "bias", {sizes.columns});
  return make_plan<op::Matmul>(request, [sizes](const Call& call) { matmul(call, sizes); });
}

}  // namespace backplane::reference

// matmul: y[m,n] = sum over k of a[m,k] * b[k,n], plus bias[n], for each matrix of a batch;
// and matmul_activation.
#include "activate.hpp"
#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

struct Sizes {
  std::int64_t batch, rows, inner, columns;
};

// Adds a * b to y, all of them row-major.
void add_product(const Sizes& sizes, const double* a, const double* b, double* y) {
  for (std::int64_t m = 0; m < sizes.rows; ++m) {
    double* y_row = y + m * sizes.columns;
    for (std::int64_t k = 0; k < sizes.inner; ++k) {
      const double factor = a[m * sizes.inner + k];
      const double* b_row = b + k * sizes.columns;
      for (std::int64_t n = 0; n < sizes.columns; ++n) y_row[n] += factor * b_row[n];
    }
  }
}

std::vector<double> matmul(const Call& call, const Sizes& sizes) {
  const auto [batch, rows, inner, columns] = sizes;
  const auto a = call.load(0), b = call.load(1);
  std::vector<double> y(static_cast<std::size_t>(batch * rows * columns));
  for (std::int64_t i = 0; i < batch; ++i) {
    add_product(sizes, a.data() + i * rows * inner, b.data() + i * inner * columns,
                y.data() + i * rows * columns);
  }
  if (call.has_input(2)) {
    const auto bias = call.load(2);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
  }
  return y;
}

// What matmul and matmul_activation demand of their operands.
Sizes fit(Check& check, plugin::Request& request) {
  check.arguments({{"a", floating}, {"b", floating}, {"bias", floating, true}}, {{"y", floating}});
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1];
  check.that(a.rank >= 2, "a must have rank 2 or more, it has " + std::to_string(a.rank));
  const std::uint32_t row = a.rank - 2, column = a.rank - 1;
  Sizes sizes{1, a.dims[row], a.dims[column], b.dims[column]};
  for (std::uint32_t axis = 0; axis < row; ++axis) sizes.batch *= a.dims[axis];
  bp_tensor_desc wanted = a;  // the leading dims of all three
  wanted.dims[row] = sizes.inner;
  wanted.dims[column] = sizes.columns;
  check.same_dims(b, "b", wanted);
  wanted.dims[row] = sizes.rows;
  check.same_dims(request.outputs[0], "y", wanted);
  if (request.inputs.size() > 2) {
    check.that(a.rank == 2, "a bias comes with rank 2 only, a has " + std::to_string(a.rank));
    check.dims(request.inputs[2], "bias", {sizes.columns});
  }
  return sizes;
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Matmul&, plugin::Request& request) {
  Check check(op::row_of<op::Matmul>, request);
  const Sizes sizes = fit(check, request);
  return make_plan<op::Matmul>(request,
                               [sizes](const Call& call) { call.store(0, matmul(call, sizes)); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::MatmulActivation& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::MatmulActivation>, request);
  check_activation(check, op.activation);
  const Sizes sizes = fit(check, request);
  return make_plan<op::MatmulActivation>(request,
                                         [sizes, activation = op.activation](const Call& call) {
                                           std::vector<double> y = matmul(call, sizes);
                                           activate(activation, y);
                                           call.store(0, std::move(y));
                                         });
}

}  // namespace backplane::reference

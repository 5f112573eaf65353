// matmul: y = a * b, plus a bias for each column.
#include "plans.hpp"

namespace backplane::card {
namespace {

// The bias as a matrix of y's dims.
bp_tensor_desc along_rows(const bp_tensor_desc& bias, i64 rows) {
  return view(bias, {{rows, 0}, {bias.dims[0], bias.strides[0]}});
}

// What follows the product: its way into a y that a BLAS can't write, and the bias.
struct Epilogue {
  Nest move;                 // y, product
  std::optional<Nest> bias;  // y, y, bias
};

struct MatmulPlan {
  std::shared_ptr<const Product> product;
  Epilogue after;
  bool direct, adds;
  std::uint64_t scratch;

  void enqueue(const Call& call) const {
    const Memory y = call.output(0);
    const Memory target = direct ? y : call.workspace(scratch);
    product->enqueue(call, target, call.input(0), call.input(1), 1, direct && adds);
    if (!direct) move(call, y, target);
    if (after.bias) {
      launch(call.queue, kernel::add_float, items(after.bias->count), *after.bias, y, y,
             call.input(2), F32);
    }
  }

  void move(const Call& call, const Memory& y, const Memory& from) const {
    const Groups grid = items(after.move.count);
    if (adds) {
      launch(call.queue, kernel::copy_float, grid, after.move, y, from, F32, F32, true);
    } else {
      launch(call.queue, kernel::copy_bits, grid, after.move, y, from, i32{sizeof(float)});
    }
  }
};

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Matmul&, plugin::Request& request) {
  Check check(op::row_of<op::Matmul>, request);
  check.arguments({{"a"}, {"b"}, {"bias", f32, true}}, {{"y"}});
  bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1];
  const bp_tensor_desc& y = request.outputs[0];
  check.rank(a, "a", 2);
  check.rank(b, "b", 2);
  const i64 rows = a.dims[0], inner = a.dims[1], columns = b.dims[1];
  check.dims(b, "b", {inner, columns});
  check.dims(y, "y", {rows, columns});
  for (bp_tensor_desc* operand : {&a, &b}) {
    if (!is_blas_matrix(matrix_of(*operand))) set_dense_strides(*operand);
  }
  Epilogue after;
  const bool direct = is_blas_matrix(matrix_of(y));
  const bp_tensor_desc target = direct ? y : dense(BP_F32, {rows, columns});
  after.move = nest({&y, &target});
  if (request.inputs.size() > 2) {
    check.dims(request.inputs[2], "bias", {columns});
    const bp_tensor_desc bias = along_rows(request.inputs[2], rows);
    after.bias = nest({&y, &y, &bias});
  }
  const auto multiply = product(check, request, matrix_of(target), matrix_of(a), matrix_of(b));
  const std::uint64_t scratch = direct ? 0 : reserve(request, span_bytes(target));
  const MatmulPlan plan{multiply, after, direct, request.adds_to != 0, scratch};
  const std::string name = multiply->name();
  return make_plan<op::Matmul>(request, direct ? name : name + ", strided copy",
                               [plan](const Call& call) { plan.enqueue(call); });
}

}  // namespace backplane::card

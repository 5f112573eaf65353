// matmul: y = a * b, plus a bias for each column, for one matrix or a batch.
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

// The last two axes, with the step from one matrix to the next along the last axis of the batch.
Matrix last_matrix(const bp_tensor_desc& desc, i64 batch_stride = 0) {
  const std::uint32_t row = desc.rank - 2, column = desc.rank - 1;
  return {desc.dims[row], desc.dims[column], desc.strides[row], desc.strides[column], batch_stride};
}

// The axes before the last two, as few as the strides of y, a and b allow. A product takes one of
// them; the others are a loop.
struct Batch {
  Nest nest;

  Batch(const bp_tensor_desc& y, const bp_tensor_desc& a, const bp_tensor_desc& b)
      : nest(nest_over((1u << (y.rank - 2)) - 1, {&y, &a, &b})) {}

  [[nodiscard]] i64 inner() const { return nest.rank == 0 ? nest.count : nest.dims[nest.rank - 1]; }
  [[nodiscard]] i64 stride(int operand) const {
    return nest.rank == 0 ? 0 : nest.strides[operand][nest.rank - 1];
  }

  // Calls visit(offset in y, in a, in b), in elements, for each index of the outer axes.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const i64 outer = inner() == 0 ? 0 : nest.count / inner();
    for (i64 i = 0; i < outer; ++i) {
      i64 at[3] = {}, rest = i;
      for (int axis = nest.rank - 2; axis >= 0; rest /= nest.dims[axis--]) {
        const i64 place = rest % nest.dims[axis];
        for (int o = 0; o < 3; ++o) at[o] += place * nest.strides[o][axis];
      }
      visit(at[0], at[1], at[2]);
    }
  }
};

struct MatmulPlan {
  std::shared_ptr<const Product> product;
  Batch batch;
  Epilogue after;
  i64 factor_bytes;
  bool direct, adds;
  std::uint64_t scratch;

  void enqueue(const Call& call) const {
    const Memory y = call.output(0);
    const Memory target = direct ? y : call.workspace(scratch);
    batch.for_each([&](i64 in_y, i64 in_a, i64 in_b) {
      product->enqueue(call, advanced(target, in_y), advanced(call.input(0), in_a, factor_bytes),
                       advanced(call.input(1), in_b, factor_bytes), batch.inner(), direct && adds);
    });
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

void check_operands(const Check& check, const plugin::Request& request) {
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1], &y = request.outputs[0];
  check.that(a.rank >= 2, "a must have rank 2 or more, is " + describe(a));
  check.rank(b, "b", a.rank);
  const std::uint32_t row = a.rank - 2, column = a.rank - 1;
  bp_tensor_desc wanted = a;  // the leading dims of all three
  wanted.dims[row] = a.dims[column];
  wanted.dims[column] = b.dims[column];
  check.same_dims(b, "b", wanted);
  wanted.dims[row] = a.dims[row];
  check.same_dims(y, "y", wanted);
  if (request.inputs.size() < 3) return;
  check.that(a.rank == 2, "a bias comes with rank 2 only, a is " + describe(a));
  check.dims(request.inputs[2], "bias", {b.dims[column]});
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Matmul&, plugin::Request& request) {
  Check check(op::row_of<op::Matmul>, request);
  check.arguments({{"a", factor_types()}, {"b", factor_types()}, {"bias", f32, true}}, {{"y"}});
  check.factors_of_one_type();
  bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1];
  const bp_tensor_desc& y = request.outputs[0];
  check_operands(check, request);
  for (bp_tensor_desc* operand : {&a, &b}) {
    if (!is_blas_matrix(last_matrix(*operand))) set_dense_strides(*operand);
  }
  Epilogue after;
  const bool direct = is_blas_matrix(last_matrix(y));
  bp_tensor_desc target = y;
  if (!direct) set_dense_strides(target);
  after.move = nest({&y, &target});
  if (request.inputs.size() > 2) {
    const bp_tensor_desc bias = along_rows(request.inputs[2], y.dims[0]);
    after.bias = nest({&y, &y, &bias});
  }
  const Batch batch(target, a, b);
  const auto multiply = product(check, request, last_matrix(target, batch.stride(0)),
                                last_matrix(a, batch.stride(1)), last_matrix(b, batch.stride(2)));
  const std::uint64_t scratch = direct ? 0 : reserve(request, span_bytes(target));
  const MatmulPlan plan{
      multiply, batch, after, element_bytes(a.dtype), direct, request.adds_to != 0, scratch};
  const std::string name = multiply->name();
  return make_plan<op::Matmul>(request, direct ? name : name + ", strided copy",
                               [plan](const Call& call) { plan.enqueue(call); });
}

}  // namespace backplane::card

// scatter_add: a copy, the chains of equal indices, and one work-item for each chain.
#include "plans.hpp"
#include "range.hpp"

namespace backplane::card {
namespace {

// Two numbers for each element of index that lies in memory once; see scatter_add.cl.
struct Links {
  bp_tensor_desc once;
  Nest walk;
  i64 length, inner, index_step;
  std::uint64_t scratch;

  Links(plugin::Request& request, const bp_tensor_desc& index, std::int32_t axis)
      : once(without_repetition(index)),
        length(index.dims[axis]),
        inner(1),
        index_step(index.strides[axis]) {
    once.dims[axis] = length;  // along the axis all of them count, equal or not
    walk = nest({&once});
    set_dense_strides(once);
    inner = once.strides[axis];
    scratch = reserve(request, static_cast<std::uint64_t>(2 * walk.count) * sizeof(i64));
  }

  // Of the dims of index.
  [[nodiscard]] bp_tensor_desc spread(const bp_tensor_desc& index) const {
    bp_tensor_desc all = index;
    for (std::uint32_t axis = 0; axis < index.rank; ++axis) {
      all.strides[axis] = once.dims[axis] == index.dims[axis] ? once.strides[axis] : 0;
    }
    return all;
  }

  void enqueue(const Call& call, const Memory& links, const Memory& index) const {
    Memory not_heads = links;
    not_heads.offset += walk.count * i64{sizeof(i64)};
    const bp_tensor_desc flags = dense(BP_I64, {walk.count});
    launch(call.queue, kernel::fill, items(walk.count), nest({&flags}), not_heads, I64, 0.0);
    launch(call.queue, kernel::link_equal, items(walk.count), walk, links, index, length, inner,
           index_step);
  }
};

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::ScatterAdd& op, plugin::Request& request) {
  Check check(op::row_of<op::ScatterAdd>, request);
  check.arguments(
      {{"x", floats | integers}, {"index", only(BP_I64)}, {"source", floats | integers}},
      {{"y", floats | integers}});
  const bp_tensor_desc &x = request.inputs[0], &index = request.inputs[1];
  const bp_tensor_desc &source = request.inputs[2], &y = request.outputs[0];
  check_index(check, x, index, op.axis);
  check.same_dims(source, "source", index);
  check.same_dims(y, "y", x);
  check.that(x.dtype == y.dtype && source.dtype == y.dtype,
             "takes tensors of one type, got " + describe(x) + " and " + describe(source));
  const Links links(request, index, op.axis);
  bp_tensor_desc starts = source;  // where in y each element of source counts from
  std::copy(y.strides, y.strides + y.rank, starts.strides);
  starts.strides[op.axis] = 0;
  const bp_tensor_desc chains = links.spread(index);
  return make_plan<op::ScatterAdd>(
      request, "chains of equal indices",
      [links, copied = nest({&y, &x}), walk = nest({&starts, &source, &index, &chains}),
       range = RangeCheck(index, x.dims[op.axis]), limit = x.dims[op.axis],
       y_step = y.strides[op.axis], source_step = source.strides[op.axis],
       kernel = is_integer(y) ? kernel::scatter_add_integer : kernel::scatter_add_float,
       bytes = static_cast<i32>(element_bytes(y.dtype)),
       dtype = static_cast<i32>(y.dtype)](const Call& call) {
        const Memory y = call.output(0), index = call.input(1);
        const Memory chains = call.workspace(links.scratch);
        launch(call.queue, kernel::copy_bits, items(copied.count), copied, y, call.input(0), bytes);
        links.enqueue(call, chains, index);
        launch(call.queue, kernel, items(walk.count), walk, y, call.input(2), index, chains,
               links.walk.count, links.inner, y_step, source_step, limit, dtype);
        range.enqueue(call, index);
      });
}

}  // namespace backplane::card

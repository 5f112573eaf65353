// top_k along one axis.
#include "cpu/top_k.h"

#include "backend.hpp"
#include "index.hpp"
#include "rowwise.hpp"

namespace backplane::onednn {
namespace {

// One row: what is read, and the strides of what is written.
struct Row {
  std::int64_t count, wanted, step, values_step, positions_step;
  bool largest;

  template <class T>
  void run(const T* src, T* values, std::int64_t* positions, std::int64_t* order) const {
    cpu::top_k(count, wanted, largest, src, step, order);
    for (std::int64_t i = 0; i < wanted; ++i) {
      values[i * values_step] = src[order[i] * step];
      positions[i * positions_step] = order[i];
    }
  }
};

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::TopK& op, plugin::Request& request) {
  const Check check(op::row_of<op::TopK>, request);
  check.inputs(1, 1);
  check.outputs(2, 2);
  bp_tensor_desc &x = request.inputs[0], &values = request.outputs[0];
  bp_tensor_desc& positions = request.outputs[1];
  check_axis(check, x, op.axis);
  check.that(values.rank == x.rank, "values has the rank of x");
  bp_tensor_desc first = x;
  first.dims[op.axis] = values.dims[op.axis];
  check.same_dims(values, "values", first);
  check.same_dims(positions, "positions", values);
  check.dtype(positions, "positions", {BP_I64});
  check.that(values.dtype == x.dtype, "x and values have one dtype");
  check.that(values.dims[op.axis] <= x.dims[op.axis], "asks for more than " + describe(x) + " has");
  return with_number(check, x.dtype, [&]<class T>(T) {
    want_rows(x, op.axis);
    settle_strided(check, values);
    settle_strided(check, positions);
    const Row row{x.dims[op.axis],         values.dims[op.axis],       x.strides[op.axis],
                  values.strides[op.axis], positions.strides[op.axis], op.largest != 0};
    const bp_tensor_desc starts[] = {positions_of(values, op.axis), positions_of(x, op.axis),
                                     positions_of(positions, op.axis)};
    const unsigned parts = parts_for(element_count(x), request.threads);
    request.workspace_bytes = parts * static_cast<std::uint64_t>(row.count) * sizeof(std::int64_t);
    request.implementation = "heap along rows";
    return make_plan(request, [=, nest = Nest({&starts[0], &starts[1], &starts[2]})](
                                  const plugin::HostRun& run) {
      if (row.wanted == 0 || nest.elements() == 0) return;
      in_parallel(parts, [&](unsigned part) {
        std::int64_t* order = run.workspace<std::int64_t>() + part * row.count;
        nest.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
          const auto place = [&](int operand, std::int64_t r, std::int64_t i) {
            return at[operand].offset + r * at[operand].row_stride + i * at[operand].stride;
          };
          for (std::int64_t r = 0; r < plane.rows; ++r) {
            for (std::int64_t i = 0; i < plane.count; ++i) {
              row.run(run.input<T>(0) + place(1, r, i), run.output<T>(0) + place(0, r, i),
                      run.output<std::int64_t>(1) + place(2, r, i), order);
            }
          }
        });
      });
    });
  });
}

}  // namespace backplane::onednn

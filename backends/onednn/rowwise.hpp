// Operations along one axis: the rest of the tensor is a nest of positions, each the start of a
// row.
#pragma once

#include "backplane/plugin/host_backend.hpp"
#include "check.hpp"
#include "cpu/rows.h"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

// Throws unless the axis is one of the tensor's.
void check_axis(const Check& check, const bp_tensor_desc& desc, std::int32_t axis);

// Rows without gaps along `axis`: kernels go along them, and a reordering copy works in tiles,
// which beats strided reads. An input is asked for so; an output of open layout is made so.
void want_rows(bp_tensor_desc& input, std::int32_t axis);
void settle_rows(const Check& check, bp_tensor_desc& output, std::int32_t axis);

// The tensor of the rows' starts: one element along the axis.
[[nodiscard]] bp_tensor_desc positions_of(bp_tensor_desc desc, std::int32_t axis);

// y = kernel(x...) along an axis, for one or two f32 inputs of y's dims:
// kernel(Rows, RowsOf<float> y, RowsOf<const float> x...).
template <class Op, std::size_t inputs, class Kernel>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_rowwise(plugin::Request& request,
                                                         std::int32_t axis, const Kernel& kernel) {
  const Check check(op::row_of<Op>, request);
  check.inputs(inputs, inputs);
  check.outputs(1, 1);
  bp_tensor_desc& y = request.outputs[0];
  check.dtype(y, "output", {BP_F32});
  check_axis(check, y, axis);
  for (bp_tensor_desc& input : request.inputs) {
    check.dtype(input, "input", {BP_F32});
    check.same_dims(input, "input", y);
    want_rows(input, axis);
  }
  settle_rows(check, y, axis);
  const std::int64_t count = y.dims[axis];
  const bp_tensor_desc starts[] = {positions_of(y, axis), positions_of(request.inputs[0], axis),
                                   positions_of(request.inputs[inputs - 1], axis)};
  const unsigned parts = count == 0 ? 1 : parts_for(element_count(y), request.threads);
  request.implementation = "vectors along rows";
  return make_plan(
      request, [=, nest = Nest({&starts[0], &starts[1], &starts[2]})](const plugin::HostRun& run) {
        if (count == 0 || nest.elements() == 0) return;
        const auto rows_of = [](auto* data, const Nest::Step& at, std::int64_t row) {
          return cpu::RowsOf<std::remove_reference_t<decltype(*data)>>{
              data + at.offset + row * at.row_stride, at.stride};
        };
        in_parallel(parts, [&](unsigned part) {
          nest.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
            for (std::int64_t row = 0; row < plane.rows; ++row) {
              const cpu::Rows rows{plane.count, count};
              const auto to = rows_of(run.output<float>(0), at[0], row);
              const auto first = rows_of(run.input<float>(0), at[1], row);
              if constexpr (inputs == 1) {
                kernel(rows, to, first);
              } else {
                kernel(rows, to, first, rows_of(run.input<float>(1), at[2], row));
              }
            }
          });
        });
      });
}

}  // namespace backplane::onednn

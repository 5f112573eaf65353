// prod, max, min over any axes.
#include "cpu/fold.h"

#include "backend.hpp"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"
#include "reduction.hpp"

namespace backplane::onednn {
namespace {

// A fold of cpu/fold.h in the form that Reduction takes.
template <class Fold>
struct Folding : Fold {
  template <class T>
  using Of = typename Fold::template Of<T>;

  template <class T>
  static void add_row(Of<T>& result, std::int64_t count, const T* src, std::int64_t stride) {
    result = Fold::join(result, cpu::fold_row<Fold>(count, src, stride));
  }
  template <class T>
  static void add_rows(Of<T>* results, std::int64_t rows, std::int64_t count, const T* src,
                       std::int64_t row_stride, std::int64_t stride) {
    cpu::fold_columns<Fold>(rows, count, src, row_stride, stride, results);
  }
};

template <class Fold, class T>
std::unique_ptr<plugin::Plan> plan_typed(plugin::Request& request) {
  using Value = typename Fold::template Of<T>;
  const bp_tensor_desc& x = request.inputs[0];
  bp_tensor_desc& y = request.outputs[0];
  const bp_tensor_desc results = Reduction::layout_of_sums(x, y);
  if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
  const Reduction reduction(x, results, request.threads);
  request.workspace_bytes =
      static_cast<std::uint64_t>(reduction.slices() * reduction.outputs()) * sizeof(Value);
  request.implementation = "vector loop";
  return make_plan(request, [reduction, nest = Nest({&y, &results})](const plugin::HostRun& run) {
    const std::int64_t outputs = reduction.outputs();
    if (outputs == 0) return;
    auto* partial = run.workspace<Value>();
    reduction.template run<Folding<Fold>>(run.input<T>(0), partial);
    for (std::int64_t slice = 1; slice < reduction.slices(); ++slice) {
      for (std::int64_t i = 0; i < outputs; ++i) {
        partial[i] = Fold::join(partial[i], partial[slice * outputs + i]);
      }
    }
    nest.run(1, [&](cpu::Plane plane, const Nest::Steps& at) {
      for (std::int64_t row = 0; row < plane.rows; ++row) {
        for (std::int64_t i = 0; i < plane.count; ++i) {
          run.output<T>(0)[at[0].offset + row * at[0].row_stride + i * at[0].stride] =
              static_cast<T>(partial[at[1].offset + row * at[1].row_stride + i * at[1].stride]);
        }
      }
    });
  });
}

template <class Op, class Fold>
std::unique_ptr<plugin::Plan> plan_fold(plugin::Request& request, std::uint32_t axes) {
  const Check check(op::row_of<Op>, request);
  check_reduced(check, request, axes);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.that(std::is_same_v<Fold, cpu::Prod> || element_count(x) > 0 || element_count(y) == 0,
             "there is no element to choose along the axes");
  return with_number(check, x.dtype, [&]<class T>(T) { return plan_typed<Fold, T>(request); });
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Prod& op, plugin::Request& request) {
  return plan_fold<op::Prod, cpu::Prod>(request, op.axes);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Max& op, plugin::Request& request) {
  return plan_fold<op::Max, cpu::Max>(request, op.axes);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Min& op, plugin::Request& request) {
  return plan_fold<op::Min, cpu::Min>(request, op.axes);
}

}  // namespace backplane::onednn

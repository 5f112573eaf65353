// sum over any axes.
#include "sum.hpp"

#include "backend.hpp"
#include "cpu/sum.h"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"
#include "reduction.hpp"

namespace backplane::onednn {
namespace {

// y = total / divisor, or y += total / divisor. Adding up the slices and writing y at its own
// strides costs one pass over the outputs.
template <class T>
struct Finish {
  Nest nest;  // y, sums
  std::int64_t slices, outputs;
  double divisor;
  bool divides, adds;

  void operator()(const cpu::SumOf<T>* partial, T* y) const {
    nest.run(1, [&](cpu::Plane plane, const Nest::Steps& at) {
      for (std::int64_t row = 0; row < plane.rows; ++row) {
        for (std::int64_t i = 0; i < plane.count; ++i) {
          const cpu::SumOf<T>* sums =
              partial + at[1].offset + row * at[1].row_stride + i * at[1].stride;
          T& to = y[at[0].offset + row * at[0].row_stride + i * at[0].stride];
          cpu::SumOf<T> total = 0;
          for (std::int64_t slice = 0; slice < slices; ++slice) total += sums[slice * outputs];
          if constexpr (std::is_floating_point_v<T>) {
            if (divides) total /= divisor;
          }
          to = static_cast<T>(adds ? static_cast<cpu::SumOf<T>>(to) + total : total);
        }
      }
    });
  }
};

template <class T>
std::unique_ptr<plugin::Plan> plan_typed(plugin::Request& request, bool divides) {
  const bp_tensor_desc& x = request.inputs[0];
  bp_tensor_desc& y = request.outputs[0];
  const bp_tensor_desc sums = Reduction::layout_of_sums(x, y);
  if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
  Reduction reduction(x, sums, request.threads);
  const auto divisor = static_cast<double>(element_count(y) == 0 ? 1 : element_count(x)) /
                       static_cast<double>(std::max<std::int64_t>(element_count(y), 1));
  Finish<T> finish{Nest({&y, &sums}), reduction.slices(),        reduction.outputs(), divisor,
                   divides,           (request.adds_to & 1) != 0};
  request.workspace_bytes =
      static_cast<std::uint64_t>(reduction.slices() * reduction.outputs()) * sizeof(cpu::SumOf<T>);
  request.implementation = "vector loop";
  return make_plan(request, [reduction = std::move(reduction),
                             finish = std::move(finish)](const plugin::HostRun& run) {
    auto* partial = run.workspace<cpu::SumOf<T>>();
    if (finish.outputs == 0) return;
    reduction.run<Summation>(run.input<T>(0), partial);
    finish(partial, run.output<T>(0));
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> plan_sum(const Check& check, plugin::Request& request,
                                       std::uint32_t axes, Total what) {
  check_reduced(check, request, axes);
  const std::uint32_t dtype = request.inputs[0].dtype;
  if (what == Total::sum) {
    return with_number(check, dtype, [&]<class T>(T) { return plan_typed<T>(request, false); });
  }
  return with_float(check, dtype, [&]<class T>(T) { return plan_typed<T>(request, true); });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Sum& op, plugin::Request& request) {
  return plan_sum(Check(op::row_of<op::Sum>, request), request, op.axes, Total::sum);
}

}  // namespace backplane::onednn

// Losses of pairs of elements, each with its gradient: mse, l1, huber, bce_with_logits, kl_div.
#include "cpu/pair_loss.h"

#include "backend.hpp"
#include "check.hpp"
#include "elementwise.hpp"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

void check_loss(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& target,
                op::Reduction reduction, const bp_tensor_desc& loss) {
  check.that(reduction <= op::Reduction::none, "the reduction is unknown");
  check.dtype(x, "x", {BP_F32});
  check.dtype(target, "target", {BP_F32});
  check.dtype(loss, "loss", {BP_F32});
  check.same_dims(target, "target", x);
  if (reduction == op::Reduction::none) {
    check.same_dims(loss, "loss", x);
  } else {
    check.rank(loss, "loss", 0);
  }
}

template <class Loss>
std::unique_ptr<plugin::Plan> plan_each(plugin::Request& request, Loss loss) {
  settle_elementwise(request);
  const bp_tensor_desc &x = request.inputs[0], &target = request.inputs[1];
  request.implementation = "vector loop";
  return make_plan(request, [nest = Nest({&request.outputs[0], &x, &target}), loss,
                             threads = request.threads](const plugin::HostRun& run) {
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
      cpu::pair_loss(loss, plane, strided(run.input<float>(0), at[1]),
                     strided(run.input<float>(1), at[2]), strided(run.output<float>(0), at[0]));
    });
  });
}

// Each part has a sum of its own; they are added in order.
template <class Loss>
std::unique_ptr<plugin::Plan> plan_total(plugin::Request& request, bool mean, Loss loss) {
  const bp_tensor_desc &x = request.inputs[0], &target = request.inputs[1];
  if (request.outputs[0].layout == BP_LAYOUT_ANY) set_row_major(request.outputs[0]);
  const std::int64_t count = element_count(x);
  const unsigned parts = parts_for(count, request.threads);
  request.workspace_bytes = parts * sizeof(double);
  request.implementation = "vector loop";
  return make_plan(request, [=, nest = Nest({&x, &target})](const plugin::HostRun& run) {
    auto* partial = run.workspace<double>();
    in_parallel(parts, [&](unsigned part) {
      double sum = 0;
      if (count != 0) {
        nest.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
          sum += cpu::pair_loss_sum(loss, plane, strided(run.input<float>(0), at[0]),
                                    strided(run.input<float>(1), at[1]));
        });
      }
      partial[part] = sum;
    });
    double total = 0;
    for (unsigned part = 0; part < parts; ++part) total += partial[part];
    *run.output<float>(0) = static_cast<float>(mean ? total / static_cast<double>(count) : total);
  });
}

template <class Op, class Loss>
std::unique_ptr<plugin::Plan> plan_loss(plugin::Request& request, op::Reduction reduction,
                                        Loss loss) {
  const Check check(op::row_of<Op>, request);
  check.inputs(2, 2);
  check.outputs(1, 1);
  check_loss(check, request.inputs[0], request.inputs[1], reduction, request.outputs[0]);
  if (reduction == op::Reduction::none) return plan_each(request, loss);
  return plan_total(request, reduction == op::Reduction::mean, loss);
}

template <class Op, class Loss>
std::unique_ptr<plugin::Plan> plan_loss_gradient(plugin::Request& request, op::Reduction reduction,
                                                 Loss loss) {
  const Check check(op::row_of<Op>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  bp_tensor_desc& dloss = request.inputs[0];
  const bp_tensor_desc &x = request.inputs[1], &target = request.inputs[2];
  bp_tensor_desc& dx = request.outputs[0];
  check_loss(check, x, target, reduction, dloss);
  check.dtype(dx, "dx", {BP_F32});
  check.same_dims(dx, "dx", x);
  if (dx.layout == BP_LAYOUT_ANY) set_like(dx, x);
  // A single gradient reaches every element.
  bp_tensor_desc gradient = dloss;
  if (reduction != op::Reduction::none) {
    gradient.rank = dx.rank;
    std::fill_n(gradient.dims, dx.rank, 1);
  }
  const float divisor =
      reduction == op::Reduction::mean ? static_cast<float>(element_count(x)) : 1.0f;
  request.implementation = "vector loop";
  return make_plan(request, [=, nest = Nest({&dx, &gradient, &x, &target}),
                             threads = request.threads](const plugin::HostRun& run) {
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
      cpu::pair_loss_backward(loss, plane, divisor, strided(run.input<float>(0), at[1]),
                              strided(run.input<float>(1), at[2]),
                              strided(run.input<float>(2), at[3]),
                              strided(run.output<float>(0), at[0]));
    });
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Mse& op, plugin::Request& request) {
  return plan_loss<op::Mse>(request, op.reduction, cpu::Mse{});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::MseBackward& op,
                                                 plugin::Request& request) {
  return plan_loss_gradient<op::MseBackward>(request, op.reduction, cpu::Mse{});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::L1& op, plugin::Request& request) {
  return plan_loss<op::L1>(request, op.reduction, cpu::L1{});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::L1Backward& op,
                                                 plugin::Request& request) {
  return plan_loss_gradient<op::L1Backward>(request, op.reduction, cpu::L1{});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Huber& op, plugin::Request& request) {
  return plan_loss<op::Huber>(request, op.reduction, cpu::Huber{op.delta});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::HuberBackward& op,
                                                 plugin::Request& request) {
  return plan_loss_gradient<op::HuberBackward>(request, op.reduction, cpu::Huber{op.delta});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::BceWithLogits& op,
                                                 plugin::Request& request) {
  return plan_loss<op::BceWithLogits>(request, op.reduction, cpu::BceWithLogits{});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::BceWithLogitsBackward& op,
                                                 plugin::Request& request) {
  return plan_loss_gradient<op::BceWithLogitsBackward>(request, op.reduction, cpu::BceWithLogits{});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::KlDiv& op, plugin::Request& request) {
  return plan_loss<op::KlDiv>(request, op.reduction, cpu::KlDiv{op.log_target != 0});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::KlDivBackward& op,
                                                 plugin::Request& request) {
  return plan_loss_gradient<op::KlDivBackward>(request, op.reduction,
                                               cpu::KlDiv{op.log_target != 0});
}

}  // namespace backplane::onednn

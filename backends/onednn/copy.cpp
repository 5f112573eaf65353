// copy: any type and layout to any other; what the core calls to reorder a plan's inputs.
#include "backend.hpp"
#include "bits.hpp"
#include "check.hpp"
#include "cpu/arithmetic.h"
#include "cpu/convert.h"
#include "elementwise.hpp"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

std::unique_ptr<plugin::Plan> plan_copy(plugin::Request& request, const Nest& nest) {
  request.implementation = "copy";
  return with_bits(element_bytes(request.outputs[0]), [&]<class Bits>(Bits) {
    return make_plan(request, [nest, threads = request.threads](const plugin::HostRun& run) {
      copy(nest, threads, run.input<Bits>(0), run.output<Bits>(0));
    });
  });
}

std::unique_ptr<plugin::Plan> plan_convert(plugin::Request& request, const Nest& nest) {
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  request.implementation = "convert";
  return make_plan(request, [nest, threads = request.threads, from = cpu_type(x.dtype),
                             to = cpu_type(y.dtype)](const plugin::HostRun& run) {
    const char* src = run.input(0);
    char* dst = run.output(0);
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
      const auto from_bytes = static_cast<std::int64_t>(size_of(from));
      const auto to_bytes = static_cast<std::int64_t>(size_of(to));
      cpu::convert(
          from, to, plane,
          cpu::Strided<const void>{src + at[1].offset * from_bytes, at[1].row_stride, at[1].stride},
          cpu::Strided<void>{dst + at[0].offset * to_bytes, at[0].row_stride, at[0].stride});
    });
  });
}

std::unique_ptr<plugin::Plan> plan_accumulate(const Check& check, plugin::Request& request,
                                              const Nest& nest) {
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  if (x.dtype != y.dtype) {
    throw check.unsupported("only a tensor of the same type is added to, from " + describe(x) +
                            " to " + describe(y) + "; copy to the type first");
  }
  request.implementation = "add";
  return with_number(check, y.dtype, [&]<class T>(T) {
    return make_plan(request, [nest, threads = request.threads](const plugin::HostRun& run) {
      const T* src = run.input<T>(0);
      T* dst = run.output<T>(0);
      nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
        cpu::map(cpu::Add(), plane, strided<const T>(dst, at[0]), strided(src, at[1]),
                 strided(dst, at[0]));
      });
    });
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Copy&, plugin::Request& request) {
  const Check check(op::row_of<op::Copy>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.same_dims(x, "x", y);
  if (request.outputs[0].layout == BP_LAYOUT_ANY) set_like(request.outputs[0], x);
  Nest nest({&y, &x});
  nest.bring_contiguous_to_rows(1);
  if ((request.adds_to & 1) != 0) return plan_accumulate(check, request, nest);
  if (x.dtype != y.dtype) return plan_convert(request, nest);
  return plan_copy(request, nest);
}

}  // namespace backplane::onednn

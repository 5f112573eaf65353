// fill: the value is converted once, its bits are written everywhere.
#include "cpu/fill.h"

#include <cstring>

#include "backend.hpp"
#include "check.hpp"
#include "cpu/convert.h"
#include "elementwise.hpp"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

template <class Bits>
std::unique_ptr<plugin::Plan> plan_fill(plugin::Request& request) {
  const bp_tensor_desc& y = request.outputs[0];
  const cpu::Convert convert = cpu::converter(cpu::Type::f64, cpu_type(y.dtype));
  return make_plan(
      request, [nest = Nest({&y}), threads = request.threads, convert](const plugin::HostRun& run) {
        const double value = plugin::read_scalars<op::Fill>(run.run).value;
        Bits bits{};
        convert(&value, &bits, 1);
        Bits* dst = run.output<Bits>(0);
        nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
          cpu::fill(plane, bits, strided(dst, at[0]));
        });
      });
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Fill&, plugin::Request& request) {
  const Check check(op::row_of<op::Fill>, request);
  check.inputs(0, 0);
  check.outputs(1, 1);
  settle_elementwise(request);
  request.implementation = "vector loop";
  switch (element_bytes(request.outputs[0])) {
    case 1:
      return plan_fill<std::uint8_t>(request);
    case 2:
      return plan_fill<std::uint16_t>(request);
    case 4:
      return plan_fill<std::uint32_t>(request);
    default:
      return plan_fill<std::uint64_t>(request);
  }
}

}  // namespace backplane::onednn

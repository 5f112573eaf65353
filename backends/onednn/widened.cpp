// Scratch memory, conversion and the plan of f32, one after the other.
#include "widened.hpp"

#include <array>
#include <dnnl.hpp>
#include <vector>

#include "check.hpp"
#include "cpu/convert.h"
#include "layout.hpp"
#include "nest.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

constexpr std::size_t factors = 2;

// One element of those that are repeated.
bp_tensor_desc without_repetition(bp_tensor_desc desc, const bp_tensor_desc& repeats) {
  if (repeats.layout != BP_LAYOUT_STRIDED) return desc;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    if (repeats.strides[axis] == 0 && desc.dims[axis] > 1) desc.dims[axis] = 1;
  }
  return desc;
}

// The operand in f32, in the order that it has, without gaps.
bp_tensor_desc wide(const bp_tensor_desc& narrow) {
  bp_tensor_desc dense = without_repetition(narrow, narrow);
  set_like(dense, bp_tensor_desc(dense));
  bp_tensor_desc result = dense;
  result.dtype = BP_F32;
  for (std::uint32_t axis = 0; axis < narrow.rank; ++axis) {
    if (dense.dims[axis] != narrow.dims[axis]) result.strides[axis] = 0;
    result.dims[axis] = narrow.dims[axis];
  }
  return result;
}

// One operand on its way from the caller's memory to scratch memory.
struct Widening {
  Nest nest;  // f32, narrow
  cpu::Type from;
  std::uint64_t at;

  void run(std::uint32_t threads, const char* src, char* dst) const {
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& steps) {
      const auto from_bytes = static_cast<std::int64_t>(cpu::size_of(from));
      cpu::convert(from, cpu::Type::f32, plane,
                   {src + steps[1].offset * from_bytes, steps[1].row_stride, steps[1].stride},
                   {dst + steps[0].offset * std::int64_t{sizeof(float)}, steps[0].row_stride,
                    steps[0].stride});
    });
  }
};

Widening widening(const bp_tensor_desc& to, const bp_tensor_desc& from,
                  WorkspaceLayout& workspace) {
  const bp_tensor_desc dst = without_repetition(to, to), src = without_repetition(from, to);
  Nest nest({&dst, &src});
  nest.bring_contiguous_to_rows(1);
  const auto bytes = static_cast<std::uint64_t>(element_count(dst)) * sizeof(float);
  return {nest, cpu_type(from.dtype), workspace.add(bytes)};
}

class WidenedPlan final : public plugin::Plan {
 public:
  WidenedPlan(std::unique_ptr<plugin::Plan> plan, std::vector<Widening> widenings,
              std::uint64_t scratch, std::uint32_t threads)
      : plan_(std::move(plan)),
        widenings_(std::move(widenings)),
        scratch_(scratch),
        threads_(threads) {}

  void run(plugin::Queue& queue, const bp_run& run) override {
    if (run.input_count < factors || run.input_count > inputs_max) {
      throw plugin::invalid("a run must bring as many arguments as its plan was made for");
    }
    std::array<bp_arg, inputs_max> inputs{};
    std::copy_n(run.inputs, run.input_count, inputs.begin());
    for (std::size_t i = 0; i < factors; ++i) {
      const bp_arg narrow = inputs[i];
      inputs[i] = run.workspace;
      inputs[i].offset += widenings_[i].at;
      widenings_[i].run(threads_, plugin::host_pointer<char>(narrow),
                        plugin::host_pointer<char>(inputs[i]));
    }
    bp_run wide = run;
    wide.inputs = inputs.data();
    wide.workspace.offset += scratch_;
    plan_->run(queue, wide);
  }

 private:
  static constexpr std::size_t inputs_max = 3;

  std::unique_ptr<plugin::Plan> plan_;
  std::vector<Widening> widenings_;
  std::uint64_t scratch_;
  std::uint32_t threads_;
};

}  // namespace

bool has_bf16_instructions() {
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  return isa == dnnl::cpu_isa::avx512_core_bf16 || isa == dnnl::cpu_isa::avx512_core_amx;
}

std::unique_ptr<plugin::Plan> plan_widened(plugin::Request& request, const MakePlan& make_plan) {
  std::vector<bp_tensor_desc> inputs(request.inputs.begin(), request.inputs.end());
  for (std::size_t i = 0; i < factors; ++i) inputs[i] = wide(inputs[i]);
  plugin::Request wide_request = request;
  wide_request.inputs = inputs;
  wide_request.prepares = 0;
  std::unique_ptr<plugin::Plan> plan = make_plan(wide_request);
  WorkspaceLayout workspace;
  std::vector<Widening> widenings;
  for (std::size_t i = 0; i < factors; ++i) {
    widenings.push_back(widening(inputs[i], request.inputs[i], workspace));
  }
  for (std::size_t i = factors; i < inputs.size(); ++i) request.inputs[i] = inputs[i];
  const std::uint64_t scratch = workspace.add(wide_request.workspace_bytes);
  request.workspace_bytes = workspace.bytes();
  request.implementation = "widened, " + wide_request.implementation;
  return std::make_unique<WidenedPlan>(std::move(plan), std::move(widenings), scratch,
                                       request.threads);
}

}  // namespace backplane::onednn

// A back end with a layout of its own and little else: float32 tensors whose elements lie in
// reverse order. It makes the core reorder inputs, fall back where an output can't be strided, and
// say which other device could do what this one declines.
#include <functional>

#include "backplane/plugin/host_backend.hpp"

namespace {

using namespace backplane;

constexpr std::uint32_t mirrored = BP_LAYOUT_PRIVATE;

std::int64_t count_of(const bp_tensor_desc& desc) {
  std::int64_t count = 1;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) count *= desc.dims[axis];
  return count;
}

// Where element i (row-major) of a tensor lies.
std::int64_t position(const bp_tensor_desc& desc, std::int64_t i) {
  if (desc.layout == mirrored) return count_of(desc) - 1 - i;
  std::int64_t at = 0;
  for (std::uint32_t axis = desc.rank; axis-- > 0;) {
    at += i % desc.dims[axis] * desc.strides[axis];
    i /= desc.dims[axis];
  }
  return at;
}

void make_mirrored(bp_tensor_desc& desc) {
  desc.layout = mirrored;
  std::fill(std::begin(desc.strides), std::end(desc.strides), 0);
}

void make_dense(bp_tensor_desc& desc) {
  desc.layout = BP_LAYOUT_STRIDED;
  std::int64_t stride = 1;
  for (std::uint32_t axis = desc.rank; axis-- > 0;) {
    desc.strides[axis] = stride;
    stride *= desc.dims[axis];
  }
}

void require_f32(const plugin::Request& request, const char* name) {
  for (const auto descs : {request.inputs, request.outputs}) {
    for (const bp_tensor_desc& desc : descs) {
      if (desc.dtype != BP_F32) throw plugin::unsupported(std::string(name) + ": takes f32 only");
    }
  }
}

class MirrorPlan final : public plugin::HostPlan {
 public:
  using Body = std::function<void(const MirrorPlan&, const plugin::HostRun&)>;
  MirrorPlan(plugin::Request& request, Body body)
      : inputs(request.inputs.begin(), request.inputs.end()),
        output(request.outputs[0]),
        body_(std::move(body)) {
    request.implementation = "mirror";
  }
  void compute(const plugin::HostRun& run) override { body_(*this, run); }

  [[nodiscard]] float load(const plugin::HostRun& run, std::size_t input, std::int64_t i) const {
    return run.input<float>(input)[position(inputs[input], i)];
  }
  void store(const plugin::HostRun& run, std::int64_t i, float value) const {
    run.output<float>(0)[position(output, i)] = value;
  }

  std::vector<bp_tensor_desc> inputs;
  bp_tensor_desc output;

 private:
  Body body_;
};

using Made = std::unique_ptr<plugin::Plan>;

class MirrorDevice final : public plugin::HostDevice<MirrorDevice> {
 public:
  void info(bp_device_info& info) override {
    HostDevice::info(info);
    plugin::copy_text(info.name, sizeof info.name, "reverse order");
  }

  void layout_info(const bp_tensor_desc& desc, bp_layout_info& info) override {
    info.bytes = static_cast<std::uint64_t>(count_of(desc)) * sizeof(float);
    info.elementwise_ok = 1;
    plugin::copy_text(info.name, sizeof info.name, "mirrored");
  }

  Made plan(const op::Copy&, plugin::Request& request) {
    require_f32(request, "copy");
    if (request.outputs[0].layout == BP_LAYOUT_ANY) make_dense(request.outputs[0]);
    return std::make_unique<MirrorPlan>(request, [](const auto& plan, const auto& run) {
      for (std::int64_t i = 0; i < count_of(plan.output); ++i) {
        plan.store(run, i, plan.load(run, 0, i));
      }
    });
  }

  Made plan(const op::Add&, plugin::Request& request) {
    require_f32(request, "add");
    want_mirrored(request, "add");
    return std::make_unique<MirrorPlan>(request, [](const auto& plan, const auto& run) {
      for (std::int64_t i = 0; i < count_of(plan.output); ++i) {
        plan.store(run, i, plan.load(run, 0, i) + plan.load(run, 1, i));
      }
    });
  }

  Made plan(const op::Affine&, plugin::Request& request) {
    require_f32(request, "affine");
    want_mirrored(request, "affine");
    return std::make_unique<MirrorPlan>(request, [](const auto& plan, const auto& run) {
      const auto scalars = plugin::read_scalars<op::Affine>(run.run);
      for (std::int64_t i = 0; i < count_of(plan.output); ++i) {
        const double value = scalars.scale * plan.load(run, 0, i) + scalars.shift;
        plan.store(run, i, static_cast<float>(value));
      }
    });
  }

 private:
  // As a fast kernel would: its own layout everywhere, and no output of another one.
  static void want_mirrored(plugin::Request& request, const char* name) {
    if (request.outputs[0].layout == BP_LAYOUT_STRIDED) {
      throw plugin::unsupported(std::string(name) + ": writes mirrored tensors only");
    }
    for (bp_tensor_desc& input : request.inputs) make_mirrored(input);
    make_mirrored(request.outputs[0]);
  }
};

struct MirrorBackend {
  static constexpr const char* name = "mirror";
  static constexpr const char* version = "1";
  static std::uint32_t device_count() { return 1; }
  static plugin::Diagnosis diagnose() { return {}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t) {
    return std::make_unique<MirrorDevice>();
  }
};

}  // namespace

BACKPLANE_BACKEND(MirrorBackend)

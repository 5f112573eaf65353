// A back end with operations of its own, which ops.hpp doesn't know: float32 lines without gaps.
#include <functional>
#include <string_view>

#include "backplane/plugin/host_backend.hpp"
#include "namer.hpp"

namespace {

using namespace backplane;

class LinePlan final : public plugin::HostPlan {
 public:
  using Body = std::function<void(const plugin::HostRun&, std::int64_t count)>;
  LinePlan(plugin::Request& request, const char* name, std::size_t inputs, Body body)
      : body_(std::move(body)) {
    if (request.inputs.size() != inputs || request.outputs.size() != 1) {
      throw plugin::invalid(std::string(name) + ": takes " + std::to_string(inputs) +
                            " inputs and one output");
    }
    for (const auto descs : {request.inputs, request.outputs}) {
      for (bp_tensor_desc& desc : descs) fit(desc, name);
    }
    count_ = request.outputs[0].dims[0];
    request.implementation = "namer";
  }
  void compute(const plugin::HostRun& run) override { body_(run, count_); }

 private:
  static void fit(bp_tensor_desc& desc, const char* name) {
    if (desc.dtype != BP_F32 || desc.rank != 1) {
      throw plugin::unsupported(std::string(name) + ": takes f32 lines");
    }
    desc.layout = BP_LAYOUT_STRIDED;
    desc.strides[0] = 1;
  }

  Body body_;
  std::int64_t count_ = 0;
};

using Made = std::unique_ptr<plugin::Plan>;

namer::Shift shift_of(const plugin::HostRun& run) {
  namer::Shift shift{};
  if (run.run.scalar_bytes != sizeof shift) throw plugin::invalid("namer.square: wants its shift");
  std::memcpy(&shift, run.run.scalars, sizeof shift);
  return shift;
}

struct NamerDevice final : plugin::HostDevice<NamerDevice> {
  Made plan(const op::Copy&, plugin::Request& request) {
    return std::make_unique<LinePlan>(request, "copy", 1, [](const auto& run, std::int64_t count) {
      std::copy_n(run.template input<float>(0), count, run.template output<float>(0));
    });
  }

  Made plan_named(const bp_op& wire, plugin::Request& request) override {
    const std::string_view name = wire.name;
    if (name == namer::square) {
      const auto op = plugin::read_params<namer::Square>(wire, wire.name);
      return std::make_unique<LinePlan>(
          request, wire.name, 1, [op](const plugin::HostRun& run, std::int64_t count) {
            const auto* x = run.input<float>(0);
            const float shift = shift_of(run).shift;
            for (std::int64_t i = 0; i < count; ++i) {
              run.output<float>(0)[i] = op.scale * x[i] * x[i] + shift;
            }
          });
    }
    if (name == namer::square_backward) {
      const auto op = plugin::read_params<namer::Square>(wire, wire.name);
      return std::make_unique<LinePlan>(
          request, wire.name, 2, [op](const plugin::HostRun& run, std::int64_t count) {
            const auto *dy = run.input<float>(0), *x = run.input<float>(1);
            for (std::int64_t i = 0; i < count; ++i) {
              run.output<float>(0)[i] = 2 * op.scale * x[i] * dy[i];
            }
          });
    }
    return HostDevice::plan_named(wire, request);
  }
};

struct NamerBackend {
  static constexpr const char* name = "namer";
  static constexpr const char* version = "1";
  static std::uint32_t device_count() { return 1; }
  static plugin::Diagnosis diagnose() { return {}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t) {
    return std::make_unique<NamerDevice>();
  }
};

}  // namespace

BACKPLANE_BACKEND(NamerBackend)

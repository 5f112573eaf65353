// A back end written outside of the project: one operation, on the CPU.
#include <backplane/plugin/host_backend.hpp>

namespace {

using namespace backplane;

class ReluPlan final : public plugin::HostPlan {
 public:
  explicit ReluPlan(std::int64_t count) : count_(count) {}
  void compute(const plugin::HostRun& run) override {
    const auto* src = run.input<float>(0);
    auto* dst = run.output<float>(0);
    for (std::int64_t i = 0; i < count_; ++i) dst[i] = src[i] <= 0 ? 0 : src[i];
  }

 private:
  std::int64_t count_;
};

struct StrangerDevice final : plugin::HostDevice<StrangerDevice> {
  std::unique_ptr<plugin::Plan> plan(const op::Relu&, plugin::Request& request) {
    bp_tensor_desc &src = request.inputs[0], &dst = request.outputs[0];
    if (src.dtype != BP_F32 || src.rank != 1) throw plugin::unsupported("relu: takes f32 lines");
    dst.layout = BP_LAYOUT_STRIDED;
    src.strides[0] = dst.strides[0] = 1;
    return std::make_unique<ReluPlan>(src.dims[0]);
  }
};

struct Stranger {
  static constexpr const char* name = "stranger";
  static constexpr const char* version = "1.0";
  static std::uint32_t device_count() { return 1; }
  static plugin::Diagnosis diagnose() { return {}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t) {
    return std::make_unique<StrangerDevice>();
  }
};

}  // namespace

BACKPLANE_BACKEND(Stranger)

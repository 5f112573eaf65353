// A back end of a few operations on f32, of any strides, written with the guide in
// backends/README.md.
#include <backplane/plugin/host_backend.hpp>
#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace backplane;

std::int64_t count_of(const bp_tensor_desc& desc) {
  std::int64_t count = 1;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) count *= desc.dims[axis];
  return count;
}

// Where element `index`, counted row-major, lies.
std::int64_t place_of(const bp_tensor_desc& desc, std::int64_t index) {
  std::int64_t place = 0;
  for (std::uint32_t axis = desc.rank; axis-- > 0; index /= desc.dims[axis]) {
    place += index % desc.dims[axis] * desc.strides[axis];
  }
  return place;
}

// y = function(elements of the inputs, run), element by element.
template <class Function>
class Elementwise final : public plugin::HostPlan {
 public:
  Elementwise(const plugin::Request& request, Function function)
      : inputs_(request.inputs.begin(), request.inputs.end()),
        y_(request.outputs[0]),
        function_(function) {}

  void compute(const plugin::HostRun& run) override {
    auto* y = run.output<float>(0);
    for (std::int64_t i = 0; i < count_of(y_); ++i) {
      float operands[2] = {};
      for (std::size_t j = 0; j < inputs_.size(); ++j) {
        operands[j] = run.input<float>(j)[place_of(inputs_[j], i)];
      }
      y[place_of(y_, i)] = function_(operands, run.run);
    }
  }

 private:
  std::vector<bp_tensor_desc> inputs_;
  bp_tensor_desc y_;
  Function function_;
};

template <class Function>
std::unique_ptr<plugin::Plan> elementwise(const char* name, plugin::Request& request,
                                          Function function) {
  bp_tensor_desc& y = request.outputs[0];
  bool f32 = y.dtype == BP_F32;
  for (const bp_tensor_desc& input : request.inputs) f32 = f32 && input.dtype == BP_F32;
  if (!f32) throw plugin::unsupported(std::string(name) + ": f32 only");
  if (request.adds_to != 0) throw plugin::unsupported(std::string(name) + ": adds to nothing");
  if (y.layout == BP_LAYOUT_ANY) {  // the choice is ours: row-major
    y.layout = BP_LAYOUT_STRIDED;
    std::int64_t stride = 1;
    for (std::uint32_t axis = y.rank; axis-- > 0; stride *= y.dims[axis]) y.strides[axis] = stride;
  }
  return std::make_unique<Elementwise<Function>>(request, function);
}

struct Device final : plugin::HostDevice<Device> {
  std::unique_ptr<plugin::Plan> plan(const op::Copy&, plugin::Request& request) {
    return elementwise("copy", request, [](const float* x, const bp_run&) { return x[0]; });
  }
  std::unique_ptr<plugin::Plan> plan(const op::Relu&, plugin::Request& request) {
    return elementwise("relu", request,
                       [](const float* x, const bp_run&) { return x[0] <= 0 ? 0 : x[0]; });
  }
  std::unique_ptr<plugin::Plan> plan(const op::Add&, plugin::Request& request) {
    return elementwise("add", request, [](const float* x, const bp_run&) { return x[0] + x[1]; });
  }
  std::unique_ptr<plugin::Plan> plan(const op::Mul&, plugin::Request& request) {
    return elementwise("mul", request, [](const float* x, const bp_run&) { return x[0] * x[1]; });
  }
  std::unique_ptr<plugin::Plan> plan(const op::Affine&, plugin::Request& request) {
    return elementwise("affine", request, [](const float* x, const bp_run& run) {
      const auto [scale, shift] = plugin::read_scalars<op::Affine>(run);
      return static_cast<float>(std::fma(scale, static_cast<double>(x[0]), shift));
    });
  }
};

struct Few {
  static constexpr const char *name = "few", *version = "1.0";
  static std::uint32_t device_count() { return 1; }
  static plugin::Diagnosis diagnose() { return {}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t) { return std::make_unique<Device>(); }
};

}  // namespace

BACKPLANE_BACKEND(Few)

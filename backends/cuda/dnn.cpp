// conv2d and its gradients by cuDNN: its GEMM algorithms, whose sums are plain ones in an order
// that depends on shapes alone. Winograd and FFT, whose error is not one of single elements, are
// not used.
#include "dnn.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "card/convolution.hpp"
#include "dnn_library.hpp"
#include "queue.hpp"

namespace backplane::cuda {

#ifdef BACKPLANE_CUDA_KNOWS_DNN

namespace {

constexpr float one = 1.0f;

// Both directions of an image in one: input, weight and output as cuDNN sees them.
struct Problem {
  Problem(const op::Conv2dParams& params, const bp_tensor_desc& input,
          const bp_tensor_desc& weights, const bp_tensor_desc& output)
      : x(dnn::tensor(input)),
        y(dnn::tensor(output)),
        weight(dnn::filter(weights)),
        convolution(dnn::convolution(params)) {}
  dnn::Tensor x, y;
  dnn::Filter weight;
  dnn::Convolution convolution;
};

// Whether cuDNN is worth asking; what breaks a rule is left for the other plan to refuse.
bool takes(const op::Conv2dParams& params, std::initializer_list<const bp_tensor_desc*> tensors) {
  if (params.padding[0] != params.padding[2] || params.padding[1] != params.padding[3])
    return false;
  const auto fits = [](const bp_tensor_desc* desc) {
    if (desc->rank != 4) return false;
    i64 count = 1;
    for (int axis = 0; axis < 4; ++axis) {
      if (desc->dims[axis] < 1 || desc->dims[axis] > std::numeric_limits<int>::max() / count) {
        return false;
      }
      count *= desc->dims[axis];
    }
    return true;
  };
  return std::all_of(tensors.begin(), tensors.end(), fits);
}

// Scratch memory of a plan, or nothing if cuDNN declines the problem.
std::optional<std::size_t> scratch_of(const dnn::Library& library, cudnnStatus_t status,
                                      std::size_t bytes) {
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return std::nullopt;
  library.check(status, "asking for the scratch memory of a convolution");
  return bytes;
}

class DnnConvolutions final : public Convolutions {
 public:
  explicit DnnConvolutions(int ordinal) : card_(std::make_shared<const dnn::Card>(ordinal)) {}

  std::unique_ptr<plugin::Plan> plan(const op::Conv2d&, plugin::Request&) const override;
  std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardData&,
                                     plugin::Request&) const override;
  std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardWeight&,
                                     plugin::Request&) const override;

 private:
  std::shared_ptr<const dnn::Card> card_;
};

cudaStream_t stream_of(const card::Call& call) {
  return static_cast<CudaQueue&>(call.queue).stream();
}

std::unique_ptr<plugin::Plan> DnnConvolutions::plan(const op::Conv2d& op,
                                                    plugin::Request& request) const {
  constexpr auto algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  card::Check check(op::row_of<op::Conv2d>, request);
  check.arguments({{"input"}, {"weight"}, {"bias", card::f32, true}}, {{"y"}});
  bp_tensor_desc &input = request.inputs[0], &weight = request.inputs[1];
  const bp_tensor_desc& y = request.outputs[0];
  if (!takes(op, {&input, &weight, &y}) || !card::is_dense(y)) return nullptr;
  const card::Geometry g = card::fit(check, op, input, weight, y);
  const auto problem = std::make_shared<const Problem>(op, input, weight, y);
  const dnn::Library& library = card_->library;
  std::size_t needed = 0;
  const cudnnStatus_t answer = library.cudnnGetConvolutionForwardWorkspaceSize(
      card_->handle(), problem->x.get(), problem->weight.get(), problem->convolution.get(),
      problem->y.get(), algorithm, &needed);
  const auto bytes = scratch_of(library, answer, needed);
  if (!bytes) return nullptr;
  card::set_dense_strides(input);
  card::set_dense_strides(weight);
  const std::uint64_t scratch = card::reserve(request, *bytes);
  const auto bias = card::bias_walk(check, g, request);
  return card::make_plan<op::Conv2d>(
      request, "cuDNN", [=, card = card_, bytes = *bytes](const card::Call& call) {
        const char *x = address(call.input(0)), *w = address(call.input(1));
        constexpr float zero = 0.0f;
        card->enqueue(stream_of(call), "a convolution", [&](cudnnHandle_t handle) {
          return card->library.cudnnConvolutionForward(
              handle, &one, problem->x.get(), x, problem->weight.get(), w,
              problem->convolution.get(), algorithm, address(call.workspace(scratch)), bytes, &zero,
              problem->y.get(), address(call.output(0)));
        });
        card::add_bias(call, bias);
      });
}

std::unique_ptr<plugin::Plan> DnnConvolutions::plan(const op::Conv2dBackwardData& op,
                                                    plugin::Request& request) const {
  constexpr auto algorithm = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  card::Check check(op::row_of<op::Conv2dBackwardData>, request);
  check.arguments({{"dy"}, {"weight"}}, {{"dx"}});
  bp_tensor_desc &dy = request.inputs[0], &weight = request.inputs[1];
  const bp_tensor_desc& dx = request.outputs[0];
  if (!takes(op, {&dy, &weight, &dx}) || !card::is_dense(dx)) return nullptr;
  static_cast<void>(card::fit(check, op, dx, weight, dy));
  const auto problem = std::make_shared<const Problem>(op, dx, weight, dy);
  const dnn::Library& library = card_->library;
  std::size_t needed = 0;
  const cudnnStatus_t answer = library.cudnnGetConvolutionBackwardDataWorkspaceSize(
      card_->handle(), problem->weight.get(), problem->y.get(), problem->convolution.get(),
      problem->x.get(), algorithm, &needed);
  const auto bytes = scratch_of(library, answer, needed);
  if (!bytes) return nullptr;
  card::set_dense_strides(dy);
  card::set_dense_strides(weight);
  const std::uint64_t scratch = card::reserve(request, *bytes);
  return card::make_plan<op::Conv2dBackwardData>(
      request, "cuDNN", [=, card = card_, bytes = *bytes](const card::Call& call) {
        const char *upper = address(call.input(0)), *w = address(call.input(1));
        constexpr float zero = 0.0f;
        card->enqueue(stream_of(call), "a data gradient", [&](cudnnHandle_t handle) {
          return card->library.cudnnConvolutionBackwardData(
              handle, &one, problem->weight.get(), w, problem->y.get(), upper,
              problem->convolution.get(), algorithm, address(call.workspace(scratch)), bytes, &zero,
              problem->x.get(), address(call.output(0)));
        });
      });
}

std::unique_ptr<plugin::Plan> DnnConvolutions::plan(const op::Conv2dBackwardWeight& op,
                                                    plugin::Request& request) const {
  constexpr auto algorithm = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
  card::Check check(op::row_of<op::Conv2dBackwardWeight>, request);
  check.arguments({{"input"}, {"dy"}}, {{"dweight"}, {"dbias", card::f32, true}});
  bp_tensor_desc &input = request.inputs[0], &dy = request.inputs[1];
  const bp_tensor_desc& dweight = request.outputs[0];
  if (!takes(op, {&input, &dy, &dweight}) || !card::is_dense(dweight)) return nullptr;
  const card::Geometry g = card::fit(check, op, input, dweight, dy);
  const auto problem = std::make_shared<const Problem>(op, input, dweight, dy);
  const dnn::Library& library = card_->library;
  std::size_t needed = 0;
  const cudnnStatus_t answer = library.cudnnGetConvolutionBackwardFilterWorkspaceSize(
      card_->handle(), problem->x.get(), problem->y.get(), problem->convolution.get(),
      problem->weight.get(), algorithm, &needed);
  const auto bytes = scratch_of(library, answer, needed);
  if (!bytes) return nullptr;
  card::set_dense_strides(input);
  card::set_dense_strides(dy);
  const std::uint64_t scratch = card::reserve(request, *bytes);
  const auto dbias = card::bias_gradient(check, g, request);
  const float kept = (request.adds_to & 1) != 0 ? 1.0f : 0.0f;
  return card::make_plan<op::Conv2dBackwardWeight>(
      request, "cuDNN",
      [=, card = card_, bytes = *bytes, adds = (request.adds_to & 2) != 0](const card::Call& call) {
        const char *x = address(call.input(0)), *upper = address(call.input(1));
        card->enqueue(stream_of(call), "a weight gradient", [&](cudnnHandle_t handle) {
          return card->library.cudnnConvolutionBackwardFilter(
              handle, &one, problem->x.get(), x, problem->y.get(), upper,
              problem->convolution.get(), algorithm, address(call.workspace(scratch)), bytes, &kept,
              problem->weight.get(), address(call.output(0)));
        });
        if (dbias) dbias->enqueue(call, call.output(1), call.input(1), adds);
      });
}

}  // namespace

std::shared_ptr<const Convolutions> open_dnn(int ordinal) {
  return std::make_shared<const DnnConvolutions>(ordinal);
}

#else

std::shared_ptr<const Convolutions> open_dnn(int) {
  throw plugin::unsupported(
      "cuda: this plug-in was built without cuDNN 9; build it where cudnn.h is beside CUDA's "
      "headers");
}

#endif

}  // namespace backplane::cuda

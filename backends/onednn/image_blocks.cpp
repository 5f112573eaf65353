// Plans of blocks, run from block to block.
#include "image_blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "parallel.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

// Half of the second-level cache of a common core; the other half is for inputs and weights.
constexpr std::uint64_t bytes_in_cache = 512 << 10;

constexpr std::size_t most_arguments = 4;
using Strides = std::array<std::uint64_t, most_arguments>;  // bytes from image to image

std::uint64_t image_stride(const bp_tensor_desc& desc) {
  const bool strided = block_of(desc) == 0;
  const std::int64_t elements = strided ? desc.strides[0] : element_count(desc) / desc.dims[0];
  return static_cast<std::uint64_t>(elements) * element_bytes(desc);
}

class PlanOfBlocks final : public plugin::Plan {
 public:
  struct Form {
    std::int64_t images, at_once;
    unsigned parts;
    std::size_t inputs, outputs;
    Strides input_strides{}, output_strides{};
    std::uint64_t workspace_each = 0;  // of the block of each part
    bool prepares_each_run = false;
    std::uint64_t prepared_at = 0;  // in the workspace, in that case
  };

  PlanOfBlocks(std::shared_ptr<plugin::Plan> block, const Form& form)
      : block_(std::move(block)), form_(form) {}

  void run(plugin::Queue& queue, const bp_run& run) override {
    if (run.input_count != form_.inputs || run.output_count != form_.outputs) {
      throw plugin::invalid("a run must bring as many arguments as its plan was made for");
    }
    bp_run whole = run;
    if (form_.prepares_each_run) {
      whole.prepared = {run.workspace.buffer, run.workspace.offset + form_.prepared_at};
      block_->prepare(queue, whole);
    }
    in_parallel(form_.parts, [&](unsigned part) {
      // The last block ends with the share, though it may begin in the one before it.
      const Share mine = share_of(form_.images, part, form_.parts);
      for (std::int64_t first = mine.begin; first < mine.end; first += form_.at_once) {
        run_block(queue, whole, part, std::min(first, mine.end - form_.at_once));
      }
    });
  }

  void prepare(plugin::Queue& queue, const bp_run& run) override { block_->prepare(queue, run); }

 private:
  void run_block(plugin::Queue& queue, const bp_run& run, unsigned part, std::int64_t first) const {
    const auto moved = [&](bp_arg arg, std::uint64_t stride) {
      arg.offset += static_cast<std::uint64_t>(first) * stride;
      return arg;
    };
    std::array<bp_arg, most_arguments> inputs{}, outputs{};
    for (std::size_t i = 0; i < form_.inputs; ++i) {
      inputs[i] = moved(run.inputs[i], form_.input_strides[i]);
    }
    for (std::size_t i = 0; i < form_.outputs; ++i) {
      outputs[i] = moved(run.outputs[i], form_.output_strides[i]);
    }
    bp_run block = run;
    block.inputs = inputs.data();
    block.outputs = outputs.data();
    block.workspace.offset += part * form_.workspace_each;
    block_->run(queue, block);
  }

  std::shared_ptr<plugin::Plan> block_;
  Form form_;
};

}  // namespace

std::optional<ImageBlocks> ImageBlocks::of(const plugin::Request& request, std::uint64_t bytes) {
  const std::int64_t images = request.inputs[0].dims[0];
  if (images < 2 || bytes == 0) return std::nullopt;
  const unsigned parts =
      parts_for(static_cast<std::int64_t>(bytes / sizeof(float)), request.threads);
  if (images < parts) return std::nullopt;  // the team goes into each image
  const std::uint64_t each = bytes / static_cast<std::uint64_t>(images);
  const auto fitting = static_cast<std::int64_t>(bytes_in_cache / each);
  const std::int64_t at_once = std::clamp<std::int64_t>(fitting, 1, images / parts);
  if (at_once == images) return std::nullopt;
  return ImageBlocks(images, at_once, parts);
}

std::unique_ptr<plugin::Plan> ImageBlocks::plan(
    plugin::Request& request, Batched batched,
    const std::function<std::unique_ptr<plugin::Plan>(plugin::Request&)>& make) const {
  std::vector<bp_tensor_desc> inputs(request.inputs.begin(), request.inputs.end());
  std::vector<bp_tensor_desc> outputs(request.outputs.begin(), request.outputs.end());
  const auto set_images = [](std::vector<bp_tensor_desc>& descs, std::uint32_t which,
                             std::int64_t images) {
    for (std::size_t i = 0; i < descs.size(); ++i) {
      if ((which >> i & 1) != 0) descs[i].dims[0] = images;
    }
  };
  set_images(inputs, batched.inputs, at_once_);
  set_images(outputs, batched.outputs, at_once_);
  const std::uint32_t shared = ((1u << inputs.size()) - 1) & ~batched.inputs;
  bp_plan_request wire{};
  wire.struct_size = sizeof wire;
  wire.numerics = request.strict ? BP_NUMERICS_STRICT : BP_NUMERICS_STANDARD;
  wire.threads = 1;
  wire.adds_to = request.adds_to;
  wire.inputs = inputs.data();
  wire.outputs = outputs.data();
  wire.input_count = static_cast<std::uint32_t>(inputs.size());
  wire.output_count = static_cast<std::uint32_t>(outputs.size());
  wire.prepares = shared;
  plugin::Request few(wire);
  std::shared_ptr<plugin::Plan> block = make(few);
  set_images(inputs, batched.inputs, images_);
  set_images(outputs, batched.outputs, images_);
  std::ranges::copy(inputs, request.inputs.begin());
  std::ranges::copy(outputs, request.outputs.begin());

  PlanOfBlocks::Form form{images_, at_once_, parts_, inputs.size(), outputs.size()};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if ((batched.inputs >> i & 1) != 0) form.input_strides[i] = image_stride(inputs[i]);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if ((batched.outputs >> i & 1) != 0) form.output_strides[i] = image_stride(outputs[i]);
  }
  form.workspace_each = aligned(few.workspace_bytes);
  request.workspace_bytes = parts_ * form.workspace_each;
  if (few.prepared_bytes != 0 && (request.prepares & shared) == shared) {
    request.prepared_bytes = few.prepared_bytes;
  } else if (few.prepared_bytes != 0) {
    form.prepares_each_run = true;
    form.prepared_at = request.workspace_bytes;
    request.workspace_bytes += aligned(few.prepared_bytes);
  }
  request.implementation = few.implementation;
  return std::make_unique<PlanOfBlocks>(std::move(block), form);
}

}  // namespace backplane::onednn

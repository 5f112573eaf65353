// Plans of sparse_conv: images are shared out over threads, each with sums of its own.
#include "sparse_gradients.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "backplane/plugin/parts.hpp"
#include "convolution.hpp"
#include "cpu/arithmetic.h"
#include "cpu/sparse_conv.h"
#include "layout.hpp"
#include "parallel.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

// The operands by what they are, whichever of them are asked for.
struct Operands {
  const bp_tensor_desc &input, &weight, &dy, &winners;
};

// One group of channels, of which there are `groups` side by side; `threads` are those that the
// work deserves.
struct Problem {
  cpu::SparseConv conv;
  std::int64_t images, groups;
  std::uint32_t threads;

  [[nodiscard]] std::int64_t channels_step() const {
    return conv.channels * conv.height * conv.width;
  }
  [[nodiscard]] std::int64_t filters_step() const {
    return conv.filters * conv.pooled_height * conv.pooled_width;
  }
  [[nodiscard]] std::int64_t weight_step() const {
    return conv.filters * conv.channels * conv.kernel[0] * conv.kernel[1];
  }
};

void check_pooled(const Check& check, const op::Conv2dReluMaxPoolParams& params,
                  const Operands& operands) {
  check.dtype(operands.dy, "dy", {BP_F32});
  check.dtype(operands.winners, "winners", {BP_U8});
  check.rank(operands.dy, "dy", 4);
  const std::int64_t* dims = operands.dy.dims;
  check.dims(operands.dy, "dy",
             {operands.input.dims[0], operands.weight.dims[0], dims[2], dims[3]});
  check.same_dims(operands.winners, "winners", operands.dy);
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.pool_kernel[axis] > 0 && params.pool_stride[axis] > 0,
               "the pool's kernel and stride are 1 up");
    check.that(params.pool_padding[axis] >= 0 && params.pool_padding[axis + 2] >= 0,
               "padding is never negative");
  }
  check.that(std::int64_t{params.pool_kernel[0]} * params.pool_kernel[1] <= 254,
             "a pool window has at most 254 elements");
}

cpu::SparseConv conv_of(const op::Conv2dReluMaxPoolParams& params, const Operands& operands,
                        const bp_tensor_desc& result) {
  const bp_tensor_desc &input = operands.input, &dy = operands.dy;
  cpu::SparseConv conv{};
  conv.channels = input.dims[1] / params.conv.groups;
  conv.height = input.dims[2];
  conv.width = input.dims[3];
  conv.filters = dy.dims[1] / params.conv.groups;
  for (int axis = 0; axis < 2; ++axis) {
    conv.kernel[axis] = operands.weight.dims[2 + axis];
    conv.stride[axis] = params.conv.stride[axis];
    conv.padding[axis] = params.conv.padding[axis];
    conv.dilation[axis] = params.conv.dilation[axis];
    conv.pool.kernel[axis] = params.pool_kernel[axis];
    conv.pool.stride[axis] = params.pool_stride[axis];
    conv.pool.padding[axis] = params.pool_padding[axis];
    conv.pool.dilation[axis] = 1;
  }
  conv.result_height = result.dims[2];
  conv.result_width = result.dims[3];
  conv.pooled_height = dy.dims[2];
  conv.pooled_width = dy.dims[3];
  conv.input_stride = input.dims[1] * conv.height * conv.width;
  conv.pooled_stride = dy.dims[1] * conv.pooled_height * conv.pooled_width;
  return conv;
}

Problem problem_of(const Check& check, const op::Conv2dReluMaxPoolParams& params,
                   const Operands& operands, std::uint32_t threads) {
  bp_tensor_desc result = plugin::convolution_result(params.conv, operands.input, operands.weight);
  set_row_major(result);
  const Convolution convolution(check, params.conv, operands.input, operands.weight, result);
  check_pooled(check, params, operands);
  const std::int64_t images = operands.input.dims[0];
  const auto parts = std::min<std::int64_t>(convolution.team(threads), images);
  return {conv_of(params, operands, result), images, params.conv.groups,
          static_cast<std::uint32_t>(parts)};
}

// Whether the sparse form is the cheaper one even where every window has a winner.
bool pays(const Problem& problem, const cpu::SparseConvCost& cost) {
  const auto windows = static_cast<double>(problem.filters_step());
  return cost.fixed + cost.per_term * windows <= cpu::sparse_conv_dense_cycles(problem.conv);
}

bool can_be_row_major(std::span<const bp_tensor_desc> outputs) {
  return std::ranges::all_of(outputs, [](const bp_tensor_desc& output) {
    return output.layout == BP_LAYOUT_ANY || is_row_major(output);
  });
}

// Without elements there is nothing to share out; offsets within a padded image take 31 bits.
bool fits(const Operands& operands, const op::Conv2dParams& params) {
  const bp_tensor_desc &input = operands.input, &weight = operands.weight;
  if (element_count(input) == 0 || element_count(weight) == 0 || element_count(operands.dy) == 0) {
    return false;
  }
  double floats = static_cast<double>(input.dims[1]) + 16;
  for (int axis = 0; axis < 2; ++axis) {
    floats *=
        static_cast<double>(input.dims[2 + axis] + params.padding[axis] + params.padding[axis + 2]);
  }
  return floats < std::numeric_limits<std::int32_t>::max();
}

void settle_row_major(std::span<bp_tensor_desc> descs) {
  for (bp_tensor_desc& desc : descs) {
    if (!is_row_major(desc)) set_row_major(desc);
  }
}

std::uint64_t bytes_of(std::int64_t floats) {
  return static_cast<std::uint64_t>(floats) * sizeof(float);
}

struct DataGradient {
  explicit DataGradient(const Problem& given)
      : problem(given),
        packed_size(cpu::sparse_conv_weight_size(problem.conv)),
        scratch_bytes(aligned(
            static_cast<std::uint64_t>(cpu::sparse_conv_backward_data_workspace(problem.conv)))) {}

  void pack(const float* weight, float* packed) const {
    for (std::int64_t group = 0; group < problem.groups; ++group) {
      cpu::sparse_conv_pack_weight(problem.conv, weight + group * problem.weight_step(),
                                   packed + group * packed_size);
    }
  }

  void run(const float* dy, const std::uint8_t* winners, const float* packed, char* scratch,
           float* dx) const {
    const cpu::SparseConv& conv = problem.conv;
    in_parallel(problem.threads, [&](unsigned part) {
      const Share mine = share_of(problem.images, part, problem.threads);
      for (std::int64_t group = 0; group < problem.groups; ++group) {
        const std::int64_t from = mine.begin * conv.pooled_stride + group * problem.filters_step();
        const std::int64_t to = mine.begin * conv.input_stride + group * problem.channels_step();
        cpu::sparse_conv_backward_data(conv, mine.end - mine.begin, dy + from, winners + from,
                                       packed + group * packed_size, nullptr,
                                       scratch + part * scratch_bytes, dx + to);
      }
    });
  }

  Problem problem;
  std::int64_t packed_size;     // floats of a group
  std::uint64_t scratch_bytes;  // of a part
};

struct WeightGradient {
  explicit WeightGradient(const Problem& given)
      : problem(given),
        sums_size(static_cast<std::int64_t>(
            aligned(bytes_of(cpu::sparse_conv_gradient_size(problem.conv))) / sizeof(float))),
        part_size(sums_size * problem.groups),
        scratch_bytes(aligned(
            static_cast<std::uint64_t>(cpu::sparse_conv_backward_weight_workspace(problem.conv)))) {
  }

  void run(const float* input, const float* dy, const std::uint8_t* winners, char* scratch,
           float* sums) const {
    const cpu::SparseConv& conv = problem.conv;
    in_parallel(problem.threads, [&](unsigned part) {
      const Share mine = share_of(problem.images, part, problem.threads);
      float* own = sums + part * part_size;
      std::memset(own, 0, bytes_of(part_size));
      for (std::int64_t group = 0; group < problem.groups; ++group) {
        const std::int64_t from = mine.begin * conv.pooled_stride + group * problem.filters_step();
        const std::int64_t at = mine.begin * conv.input_stride + group * problem.channels_step();
        cpu::sparse_conv_backward_weight(conv, mine.end - mine.begin, input + at, dy + from,
                                         winners + from, scratch + part * scratch_bytes,
                                         own + group * sums_size);
      }
    });
    add_up(sums);
  }

  // The threads' sums go into those of the first, each element in the order of the threads.
  void add_up(float* sums) const {
    in_parallel(problem.threads, [&](unsigned part) {
      const Share mine = share_of(part_size, part, problem.threads);
      float* dst = sums + mine.begin;
      for (unsigned other = 1; other < problem.threads; ++other) {
        const cpu::Strided<const float> more{dst + other * part_size, 0, 1};
        cpu::map<cpu::Add, float>({}, cpu::Plane{1, mine.end - mine.begin}, {dst, 0, 1}, more,
                                  {dst, 0, 1});
      }
    });
  }

  // Adds; dbias may be null.
  void unpack(const float* sums, float* dweight, float* dbias) const {
    for (std::int64_t group = 0; group < problem.groups; ++group) {
      cpu::sparse_conv_unpack_gradient(
          problem.conv, sums + group * sums_size, dweight + group * problem.weight_step(),
          dbias == nullptr ? nullptr : dbias + group * problem.conv.filters);
    }
  }

  Problem problem;
  std::int64_t sums_size, part_size;  // floats of a group, and of all
  std::uint64_t scratch_bytes;        // of a part
};

}  // namespace

std::unique_ptr<plugin::Plan> plan_sparse_backward_data(const Check& check,
                                                        const op::Conv2dReluMaxPoolParams& params,
                                                        plugin::Request& request) {
  const Operands operands{request.outputs[0], request.inputs[2], request.inputs[0],
                          request.inputs[1]};
  const Problem problem = problem_of(check, params, operands, request.threads);
  if (!fits(operands, params.conv) || !can_be_row_major(request.outputs) ||
      !pays(problem, cpu::sparse_conv_backward_data_cost(problem.conv))) {
    return nullptr;
  }
  settle_row_major(request.inputs);
  settle_row_major(request.outputs);
  const DataGradient gradient(problem);
  const std::uint64_t packed_bytes = bytes_of(gradient.packed_size * problem.groups);
  const bool prepares = request.keeps(2);
  WorkspaceLayout workspace;
  const auto packed_at = workspace.add(prepares ? 0 : packed_bytes);
  const auto scratch_at = workspace.add(gradient.scratch_bytes * problem.threads);
  if (prepares) request.prepared_bytes = packed_bytes;
  request.workspace_bytes = workspace.bytes();
  request.implementation = "sparse";
  return make_plan(
      request,
      [=](const plugin::HostRun& run) {
        auto* packed = prepares ? run.prepared<float>()
                                : reinterpret_cast<float*>(run.workspace() + packed_at);
        if (!prepares) gradient.pack(run.input<float>(2), packed);
        gradient.run(run.input<float>(0), run.input<std::uint8_t>(1), packed,
                     run.workspace() + scratch_at, run.output<float>(0));
      },
      [=](const plugin::HostRun& run) {
        gradient.pack(run.input<float>(2), run.prepared<float>());
      });
}

std::unique_ptr<plugin::Plan> plan_sparse_backward_weight(const Check& check,
                                                          const op::Conv2dReluMaxPoolParams& params,
                                                          plugin::Request& request) {
  const Operands operands{request.inputs[0], request.outputs[0], request.inputs[1],
                          request.inputs[2]};
  const Problem problem = problem_of(check, params, operands, request.threads);
  const bool has_bias = request.outputs.size() == 2;
  if (has_bias) {
    check.dtype(request.outputs[1], "dbias", {BP_F32});
    check.dims(request.outputs[1], "dbias", {operands.dy.dims[1]});
  }
  if (!fits(operands, params.conv) || !can_be_row_major(request.outputs) ||
      !pays(problem, cpu::sparse_conv_backward_weight_cost(problem.conv))) {
    return nullptr;
  }
  settle_row_major(request.inputs);
  settle_row_major(request.outputs);
  const WeightGradient gradient(problem);
  WorkspaceLayout workspace;
  const auto sums_at = workspace.add(bytes_of(gradient.part_size * problem.threads));
  const auto scratch_at = workspace.add(gradient.scratch_bytes * problem.threads);
  request.workspace_bytes = workspace.bytes();
  request.implementation = "sparse";
  const std::uint64_t bytes[]{bytes_of(problem.weight_step() * problem.groups),
                              bytes_of(problem.conv.filters * problem.groups)};
  return make_plan(request, [=, adds_to = request.adds_to](const plugin::HostRun& run) {
    auto* sums = reinterpret_cast<float*>(run.workspace() + sums_at);
    gradient.run(run.input<float>(0), run.input<float>(1), run.input<std::uint8_t>(2),
                 run.workspace() + scratch_at, sums);
    for (std::size_t i = 0; i < (has_bias ? 2u : 1u); ++i) {
      if ((adds_to >> i & 1) == 0) std::memset(run.output(i), 0, bytes[i]);
    }
    gradient.unpack(sums, run.output<float>(0), has_bias ? run.output<float>(1) : nullptr);
  });
}

}  // namespace backplane::onednn

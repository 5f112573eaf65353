// Plans of sparse_conv: images are shared out over threads, each with sums of its own.
#include "sparse_gradients.hpp"

#include <cstring>

#include "cpu/arithmetic.h"
#include "parallel.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

std::uint64_t bytes_of(std::int64_t floats) {
  return static_cast<std::uint64_t>(floats) * sizeof(float);
}

struct DataGradient {
  explicit DataGradient(const SparseProblem& given)
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

  SparseProblem problem;
  std::int64_t packed_size;     // floats of a group
  std::uint64_t scratch_bytes;  // of a part
};

struct WeightGradient {
  explicit WeightGradient(const SparseProblem& given)
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

  SparseProblem problem;
  std::int64_t sums_size, part_size;  // floats of a group, and of all
  std::uint64_t scratch_bytes;        // of a part
};

}  // namespace

std::unique_ptr<plugin::Plan> plan_sparse_backward_data(const SparseProblem& problem,
                                                        plugin::Request& request) {
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

std::unique_ptr<plugin::Plan> plan_sparse_backward_weight(const SparseProblem& problem,
                                                          plugin::Request& request) {
  const bool has_bias = request.outputs.size() == 2;
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

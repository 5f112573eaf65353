// Fuses convolution, relu, max-pool and the channel mask of a dropout2d, and the way back through
// them: the pooled gradient and its winners say all that the dense gradient does.
#include <algorithm>
#include <array>
#include <optional>

#include "compile/graph_tensors.hpp"
#include "compile/passes.hpp"
#include "compile/planner.hpp"

namespace backplane::detail {
namespace {

// The steps of one chain, by number; -1: there is none.
struct Chain {
  int conv = -1, relu = -1, pool = -1, dropout = -1;
  int unpool = -1, relu_backward = -1;
  std::vector<int> gradients;  // of the convolution
};

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), uses_(graph) {}

  std::optional<Chain> chain_from(int conv) const {
    Chain chain{.conv = conv, .gradients = {}};
    const GraphStep& first = step(conv);
    if (first.operation.as<op::Conv2d>() == nullptr || first.inputs.size() != 3)
      return std::nullopt;
    chain.relu = uses_.only_reader(graph_, first.outputs[0]);
    if (chain.relu < 0 || step(chain.relu).operation.as<op::Relu>() == nullptr) return std::nullopt;
    const GraphValue& positive = step(chain.relu).outputs[0];
    if (uses_.writer(positive) != chain.relu || !graph_.is_internal(positive)) return std::nullopt;
    if (!find_readers(chain, positive) || !can_fuse(chain)) return std::nullopt;
    if (chain.relu_backward >= 0 && !find_gradients(chain)) return std::nullopt;
    find_dropout(chain);
    return chain;
  }

 private:
  const GraphStep& step(int number) const { return graph_.steps[static_cast<std::size_t>(number)]; }

  // The pool, and perhaps the gradient of relu.
  bool find_readers(Chain& chain, const GraphValue& positive) const {
    for (const int reader : uses_.readers(positive)) {
      if (reader == static_cast<int>(graph_.steps.size())) return false;
      const GraphStep& next = step(reader);
      if (next.operation.as<op::MaxPool2d>() && chain.pool < 0) {
        chain.pool = reader;
      } else if (next.operation.as<op::ReluBackward>() && chain.relu_backward < 0 &&
                 next.inputs[1].storage == positive.storage) {
        chain.relu_backward = reader;
      } else {
        return false;
      }
    }
    return chain.pool >= 0;
  }

  bool can_fuse(const Chain& chain) const {
    const GraphStep& pool = step(chain.pool);
    const auto& p = *pool.operation.as<op::MaxPool2d>();
    return pool.outputs.size() == 2 && pool.outputs[1].spec.dtype == DType::u8 &&
           p.dilation[0] == 1 && p.dilation[1] == 1;
  }

  // relu's gradient reads the pool's and nothing else does; only the convolution's gradients
  // follow.
  bool find_gradients(Chain& chain) const {
    const GraphStep& masked = step(chain.relu_backward);
    const GraphValue& spread = masked.inputs[0];
    if (uses_.only_reader(graph_, spread) != chain.relu_backward) return false;
    chain.unpool = uses_.writer(spread);
    const GraphStep& unpool = step(chain.unpool);
    if (unpool.operation.as<op::MaxPool2dBackward>() == nullptr ||
        unpool.inputs[1].storage != step(chain.pool).outputs[1].storage) {
      return false;
    }
    const GraphValue& gradient = masked.outputs[0];
    if (!graph_.is_internal(gradient) || uses_.writer(gradient) != chain.relu_backward)
      return false;
    for (const int reader : uses_.readers(gradient)) {
      if (reader == static_cast<int>(graph_.steps.size())) return false;
      const GraphStep& next = step(reader);
      const bool data = next.operation.as<op::Conv2dBackwardData>() != nullptr &&
                        next.inputs[0].storage == gradient.storage;
      const bool weight = next.operation.as<op::Conv2dBackwardWeight>() != nullptr &&
                          next.inputs[1].storage == gradient.storage;
      if (!data && !weight) return false;
      chain.gradients.push_back(reader);
    }
    return true;
  }

  void find_dropout(Chain& chain) const {
    const GraphValue& pooled = step(chain.pool).outputs[0];
    const int reader = uses_.only_reader(graph_, pooled);
    if (reader >= 0 && step(reader).operation.as<op::Dropout2d>() != nullptr &&
        step(reader).inputs[0] == pooled) {
      chain.dropout = reader;
    }
  }

  const Graph& graph_;
  const GraphUses uses_;
};

op::Conv2dReluMaxPoolParams params_of(const GraphStep& conv, const GraphStep& pool) {
  const auto& p = *pool.operation.as<op::MaxPool2d>();
  op::Conv2dReluMaxPoolParams params{};
  params.conv = *conv.operation.as<op::Conv2d>();
  std::ranges::copy(p.kernel, params.pool_kernel);
  std::ranges::copy(p.stride, params.pool_stride);
  std::ranges::copy(p.padding, params.pool_padding);
  return params;
}

// The dropped channels of each sample: what dropout2d makes of ones.
GraphStep mask_step(Graph& graph, const GraphStep& dropout, const GraphStep& conv) {
  const Shape& shape = dropout.outputs[0].spec.shape;
  const Tensor ones_there = ones(
      {shape[0], shape[1]}, {.dtype = conv.inputs[2].spec.dtype, .device = Device(graph.device)});
  const GraphValue all = add_constant(graph, ones_there);
  GraphStep mask = dropout;
  mask.inputs = {all};
  mask.outputs = {graph.add_value(all.spec.dtype, all.spec.shape)};
  return mask;
}

// The gradient of one operand, from what the pool's gradient reads.
GraphStep sparse_gradient(const GraphStep& dense, const GraphStep& unpool,
                          const op::Conv2dReluMaxPoolParams& params) {
  GraphStep sparse = dense;
  const GraphValue &dy = unpool.inputs[0], &winners = unpool.inputs[1];
  if (dense.operation.as<op::Conv2dBackwardData>()) {
    sparse.operation = Operation(op::Conv2dReluMaxPoolBackwardData{params});
    sparse.inputs = {dy, winners, dense.inputs[1]};
  } else {
    sparse.operation = Operation(op::Conv2dReluMaxPoolBackwardWeight{params});
    sparse.inputs = {dense.inputs[0], dy, winners};
  }
  return sparse;
}

// Replaces the chain where the device runs all of its fused operations.
void fuse(Graph& graph, const Chain& chain, const Planner& planner) {
  const auto at = [&](int number) -> GraphStep& {
    return graph.steps[static_cast<std::size_t>(number)];
  };
  const op::Conv2dReluMaxPoolParams params = params_of(at(chain.conv), at(chain.pool));
  GraphStep fused{.operation = Operation(op::Conv2dReluMaxPool{params}),
                  .inputs = at(chain.conv).inputs,
                  .outputs = at(chain.pool).outputs};
  std::vector<GraphStep> gradients;
  for (const int number : chain.gradients) {
    gradients.push_back(sparse_gradient(at(number), at(chain.unpool), params));
    if (!planner.supports(gradients.back())) return;
  }
  if (!planner.supports(fused)) return;
  std::optional<GraphStep> mask;
  if (chain.dropout >= 0) {
    mask = mask_step(graph, at(chain.dropout), at(chain.conv));
    fused.inputs.push_back(mask->outputs[0]);
    fused.outputs[0] = at(chain.dropout).outputs[0];
  }
  const auto clear = [&](int number) {
    if (number >= 0) clear_step(at(number));
  };
  for (std::size_t i = 0; i < gradients.size(); ++i) at(chain.gradients[i]) = gradients[i];
  for (const int number :
       {chain.relu, chain.pool, chain.dropout, chain.unpool, chain.relu_backward}) {
    clear(number);
  }
  if (mask) {
    at(chain.relu) = fused;  // after the mask
    at(chain.conv) = *mask;
  } else {
    at(chain.conv) = fused;
  }
}

}  // namespace

void fuse_max_pools(Graph& graph, const Planner& planner) {
  for (int i = 0; i < static_cast<int>(graph.steps.size()); ++i) {
    if (const auto chain = Finder(graph).chain_from(i)) fuse(graph, *chain, planner);
  }
  drop_cleared_steps(graph);
}

}  // namespace backplane::detail

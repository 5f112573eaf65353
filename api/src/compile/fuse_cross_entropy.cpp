// Fuses log_softmax and the negative log-likelihood of labels, and their gradients, into
// cross_entropy.
#include <optional>

#include "compile/passes.hpp"
#include "compile/planner.hpp"

namespace backplane::detail {
namespace {

// Steps by number; the gradients are -1 where there are none.
struct Chain {
  int softmax = -1, nll = -1, nll_backward = -1, softmax_backward = -1;
};

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), uses_(graph) {}

  std::optional<Chain> chain_from(int number) const {
    const auto* softmax = step(number).operation.as<op::LogSoftmax>();
    if (softmax == nullptr || softmax->axis != 1 || step(number).inputs[0].spec.shape.rank() != 2) {
      return std::nullopt;
    }
    Chain chain{.softmax = number};
    const GraphValue& log_p = step(number).outputs[0];
    if (!graph_.is_internal(log_p) || uses_.writer(log_p) != number) return std::nullopt;
    for (const int reader : uses_.readers(log_p)) {
      if (reader == end()) return std::nullopt;
      if (is_plain_nll(step(reader)) && chain.nll < 0) {
        chain.nll = reader;
      } else if (step(reader).operation.as<op::LogSoftmaxBackward>() &&
                 chain.softmax_backward < 0) {
        chain.softmax_backward = reader;
      } else {
        return std::nullopt;
      }
    }
    if (chain.nll < 0 || !find_gradient(chain)) return std::nullopt;
    return chain;
  }

 private:
  [[nodiscard]] const GraphStep& step(int number) const {
    return graph_.steps[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int end() const { return static_cast<int>(graph_.steps.size()); }

  static bool is_plain_nll(const GraphStep& step) {
    const auto* nll = step.operation.as<op::Nll>();
    return nll != nullptr && step.inputs.size() == 2 && nll->ignores == 0 &&
           nll->label_smoothing == 0;
  }

  // The way back goes through nll_backward alone, which alone reads the total weight.
  bool find_gradient(Chain& chain) const {
    const GraphValue& total = step(chain.nll).outputs[1];
    if (!graph_.is_internal(total)) return false;
    if (chain.softmax_backward < 0) return uses_.readers(total).empty();
    const GraphValue& gradient = step(chain.softmax_backward).inputs[0];
    if (uses_.only_reader(graph_, gradient) != chain.softmax_backward) return false;
    chain.nll_backward = uses_.writer(gradient);
    return step(chain.nll_backward).operation.as<op::NllBackward>() != nullptr &&
           step(chain.nll_backward).inputs.size() == 3 &&
           uses_.only_reader(graph_, total) == chain.nll_backward;
  }

  const Graph& graph_;
  const GraphUses uses_;
};

void fuse(Graph& graph, const Chain& chain, const Planner& planner) {
  const auto at = [&](int number) -> GraphStep& {
    return graph.steps[static_cast<std::size_t>(number)];
  };
  GraphStep &softmax = at(chain.softmax), &nll = at(chain.nll);
  const op::Reduction reduction = nll.operation.as<op::Nll>()->reduction;
  const GraphStep forward{.operation = Operation(op::CrossEntropy{reduction}),
                          .inputs = {softmax.inputs[0], nll.inputs[1]},
                          .outputs = {nll.outputs[0], softmax.outputs[0]}};
  std::optional<GraphStep> backward;
  if (chain.nll_backward >= 0) {
    const GraphStep &loss = at(chain.nll_backward), &scores = at(chain.softmax_backward);
    backward = {.operation = Operation(op::CrossEntropyBackward{reduction}),
                .inputs = {loss.inputs[0], softmax.outputs[0], loss.inputs[1]},
                .outputs = scores.outputs};
  }
  if (!planner.supports(forward) || (backward && !planner.supports(*backward))) return;
  for (const int number : {chain.softmax, chain.nll_backward}) {
    if (number >= 0) clear_step(at(number));
  }
  nll = forward;
  if (backward) at(chain.softmax_backward) = *backward;
}

}  // namespace

void fuse_cross_entropy(Graph& graph, const Planner& planner) {
  for (int i = 0; i < static_cast<int>(graph.steps.size()); ++i) {
    if (const auto chain = Finder(graph).chain_from(i)) fuse(graph, *chain, planner);
  }
  drop_cleared_steps(graph);
}

}  // namespace backplane::detail

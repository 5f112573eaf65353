// The passes over a recorded graph, each in a file of its own. All keep what the step means: what
// is outside, escapes or is a result gets the values it got before.
#pragma once

#include "compile/graph.hpp"

namespace backplane::detail {

class Planner;

// Steps whose outputs nobody reads.
void drop_dead_steps(Graph& graph);

// Where the device runs the fused operations: conv2d, relu, max_pool2d (and the channel mask of a
// dropout2d), with their gradients; activations after a convolution or a product; log_softmax and
// nll, with their gradients. They keep the values up to rounding.
void fuse_max_pools(Graph& graph, const Planner& planner);
void fuse_activations(Graph& graph, const Planner& planner);
void fuse_cross_entropy(Graph& graph, const Planner& planner);

// Where all tensors from outside are constants, as in inference: steps that depend on them alone
// run now; a scale and shift of each channel goes into the convolution or product before it, which
// changes values by rounding.
void fold_constants(Graph& graph);
void fold_scales(Graph& graph);

// Mean losses become means of each sample's loss.
void loss_by_sample(Graph& graph);

// All values of an internal storage become plain rows.
void fix_layout(Graph& graph, std::uint32_t storage);

}  // namespace backplane::detail

// All layers and losses.
#pragma once

#include "backplane/nn/activation.hpp"
#include "backplane/nn/attention.hpp"
#include "backplane/nn/container.hpp"
#include "backplane/nn/conv.hpp"
#include "backplane/nn/dropout.hpp"
#include "backplane/nn/embedding.hpp"
#include "backplane/nn/layer.hpp"
#include "backplane/nn/linear.hpp"
#include "backplane/nn/loss.hpp"
#include "backplane/nn/norm.hpp"
#include "backplane/nn/pool.hpp"
#include "backplane/nn/summary.hpp"
#include "backplane/nn/transformer.hpp"

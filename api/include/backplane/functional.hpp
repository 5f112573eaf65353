// Free functions on tensors. All operands lie on one device, the result lies there too; work goes
// to the device's current stream. Types are never promoted: the error names cast().
#pragma once

#include "backplane/functional/activation.hpp"
#include "backplane/functional/arithmetic.hpp"
#include "backplane/functional/attention.hpp"
#include "backplane/functional/comparison.hpp"
#include "backplane/functional/convolution.hpp"
#include "backplane/functional/data.hpp"
#include "backplane/functional/dropout.hpp"
#include "backplane/functional/index.hpp"
#include "backplane/functional/interpolation.hpp"
#include "backplane/functional/loss.hpp"
#include "backplane/functional/matmul.hpp"
#include "backplane/functional/normalization.hpp"
#include "backplane/functional/pooling.hpp"
#include "backplane/functional/reduction.hpp"
#include "backplane/functional/shape.hpp"
#include "backplane/functional/unary.hpp"
#include "backplane/functional/window.hpp"

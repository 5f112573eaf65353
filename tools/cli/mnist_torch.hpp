// The text of tools/bench/mnist_torch.py.
#pragma once

namespace backplane::cli {

extern const char* const mnist_torch;

}  // namespace backplane::cli

// lenet5: the network that read digits first (LeCun, Bottou, Bengio and Haffner 1998).
#pragma once

#include "models/model.hpp"

namespace backplane::models {

// x[N,1,28,28] -> logits[N,10], 61,706 parameters: conv 1-6-5 with a padding of 2, ReLU, max-pool
// 2, conv 6-16-5, ReLU, max-pool 2, flatten, linear 400-120, ReLU, linear 120-84, ReLU, linear
// 84-10. As it is taught today: the original has tanh, learned subsampling, and a sparse second
// convolution.
[[nodiscard]] Sequential lenet5();

// With MNIST, or data of its format; cross entropy; Adam at 1e-3.
[[nodiscard]] Model lenet5_model();

}  // namespace backplane::models

// The losses of ten steps of each model, as the reference computes them.
//
// They change only with a definition: of an operation, an initial weight, an order, or a model. The
// program prints what it found where they differ.
#pragma once

#include <array>

namespace backplane::lockstep {

using Losses = std::array<double, 10>;

inline constexpr Losses mnist_cnn_losses{2.30760074, 2.12118363, 3.55787325, 3.7364471,
                                         3.57870626, 2.88892293, 2.83910632, 3.52123404,
                                         2.36103296, 2.24240065};
inline constexpr Losses lenet5_losses{2.29235482, 2.34046555, 2.26829982, 2.32326651, 2.29588175,
                                      2.27214003, 2.30878139, 2.32236099, 2.31218576, 2.21274471};
inline constexpr Losses mlp_losses{2.30058646, 2.25050187, 2.05194807, 2.45197701, 2.19176412,
                                   2.42871547, 1.62837863, 2.06433558, 1.65482295, 2.14783382};
inline constexpr Losses resnet18_losses{2.60493588, 2.67006111, 2.57373548, 2.5292418,  2.1488297,
                                        2.71732807, 2.28355408, 2.36011696, 2.14207339, 2.56669116};
inline constexpr Losses transformer_losses{2.27833891, 2.05648422, 2.31630611, 2.27572894,
                                           2.35197186, 2.2142992,  2.17616153, 2.09259534,
                                           2.00406289, 2.15669346};
inline constexpr Losses linear_losses{0.943409801, 1.11002529, 1.39719677, 0.969673634, 1.3398335,
                                      0.892524481, 1.16846228, 1.23340905, 1.03887939,  1.25451744};

}  // namespace backplane::lockstep

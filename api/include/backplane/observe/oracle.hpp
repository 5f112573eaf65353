// The oracle: judges one operation's outputs against the reference back end, element by element.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

// How an operation's outputs compare with the oracle's for the same inputs.
struct Judgement {
  bool agrees = false;
  std::int64_t compared = 0;           // elements; none compared is no agreement unless all are empty
  double worst_error_over_bound = 0;   // above 1: outside the bound; infinite: NaN against a number
  std::size_t worst_output = 0;        // which output, and where
  std::int64_t worst_index = 0;
  double worst_value = 0, worst_expected = 0;
};

// What the reference computes from `inputs` (host tensors): the expected outputs, and for each
// element the bound on the error that operation and type allow: c * u * (sum of magnitudes of the
// terms), u the unit roundoff of the output's type. Integers, winners and masks: 0. Where the
// standard level is set, convolutions may be Winograd's, whose bound is that of a tile.
struct Expectation {
  std::vector<Tensor> outputs;                // on the host, contiguous
  std::vector<std::vector<double>> bounds;    // one for each element
};
// `outputs` give type and shape. `previous` are the outputs' contents before the run where bits of
// adds_to are set. Error(not_found) without a reference device.
[[nodiscard]] Expectation expect(const Operation& operation, std::span<const Tensor> inputs,
                                 std::span<const Tensor> outputs, std::uint32_t adds_to = 0,
                                 std::span<const Tensor> previous = {});

// Compares outputs (any device) with the expectation. `exact` demands equal bits.
[[nodiscard]] Judgement judge(const Expectation& expected, std::span<const Tensor> outputs,
                              bool exact = false);

}  // namespace backplane

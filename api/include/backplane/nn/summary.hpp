// summary: what a model consists of, and what comes out of each layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backplane/nn/layer.hpp"

namespace backplane {

struct Summary {
  struct Row {
    std::string name;  // the path to the layer, as in "features.0"; empty: the model itself
    std::string kind;  // the name of its class
    std::optional<Shape> output = {};  // of its last call; none: forward doesn't call it
    std::int64_t parameters = 0;       // elements of its own, without its children's
    std::uint64_t output_bytes = 0;
    bool has_children = false;
  };
  std::vector<Row> rows;  // in the order of visit()
  std::int64_t parameters = 0, trainable_parameters = 0;
  std::uint64_t parameter_bytes = 0;
  std::uint64_t output_bytes = 0;  // of layers without children: what a backward pass may keep
};

// Runs the model once on zeros of that shape, in evaluation mode and without recording, on a clone:
// the model and its statistics stay as they are. Layers report themselves when their parent calls
// them by operator(). Errors are those of forward.
[[nodiscard]] Summary summary(const Layer& model, const Shape& input, DType dtype = DType::f32);

// A table, for people.
[[nodiscard]] std::string to_string(const Summary& summary);

}  // namespace backplane

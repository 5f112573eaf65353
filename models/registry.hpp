// The models there are, by name.
#pragma once

#include "models/model.hpp"

namespace backplane::models {

[[nodiscard]] std::span<const Model> all_models();
// Error(not_found) lists the names.
[[nodiscard]] const Model& find_model(std::string_view name);

}  // namespace backplane::models

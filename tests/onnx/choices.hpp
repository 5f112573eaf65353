// Cases in which the library differs from ONNX on purpose.
#pragma once

#include <string_view>

namespace onnx_nodes {

// Why the library's answer to this case is another one; empty where it must be ONNX's.
[[nodiscard]] std::string_view choice(std::string_view name);

}  // namespace onnx_nodes

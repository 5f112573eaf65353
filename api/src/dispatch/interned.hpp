// Names that outlive whoever brought them.
#pragma once

#include <string_view>

namespace backplane::detail {

// The same text at the same place each time, until the process ends.
[[nodiscard]] const char* interned(std::string_view name);

}  // namespace backplane::detail

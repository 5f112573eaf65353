// How the core says no: one call that formats "subject: rule, facts; repair".
#pragma once

#include <fmt/format.h>

#include "backplane/error.hpp"

namespace backplane::detail {

template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

// Most rules are about arguments.
template <class... Args>
[[noreturn]] void reject(fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorCode::invalid_argument, text, std::forward<Args>(args)...);
}

}  // namespace backplane::detail

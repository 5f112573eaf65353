// What the program offers to plug-ins, and how their answers become errors.
#include <cstdio>
#include <cstdlib>

#include "backend/backend.hpp"
#include "check.hpp"
#include "memory/host_memory.hpp"

namespace backplane::detail {
namespace {

// A library doesn't print by itself; the reader asks for it with BACKPLANE_LOG=0, 1 or 2.
void log(std::uint32_t level, const char* text) {
  static const int least = [] {
    const char* asked = std::getenv("BACKPLANE_LOG");
    return asked == nullptr ? 3 : std::atoi(asked);
  }();
  if (static_cast<int>(level) >= least) std::fprintf(stderr, "backplane: %s\n", text);
}

}  // namespace

const bp_host& host_table() {
  static const bp_host table{
      sizeof(bp_host),
      BP_ABI_MAJOR,
      BP_ABI_MINOR,
      log,
      [](std::uint64_t bytes) { return allocate_host_memory(bytes); },
      [](void* memory, std::uint64_t bytes) { release_host_memory(memory, bytes); },
      [] { return threads(); },
  };
  return table;
}

ErrorCode code_of(bp_status status) noexcept {
  switch (status) {
    case BP_UNSUPPORTED: return ErrorCode::unsupported;
    case BP_INVALID: return ErrorCode::invalid_argument;
    case BP_OUT_OF_MEMORY: return ErrorCode::out_of_memory;
    case BP_NOT_FOUND: return ErrorCode::not_found;
    case BP_DEVICE_LOST: return ErrorCode::device_lost;
    case BP_OK:
    case BP_FAILED: break;
  }
  return ErrorCode::backend_failure;
}

void check(bp_status status, const Backend& backend, std::string_view subject) {
  if (status == BP_OK) return;
  const char* said = backend.table->last_error();
  fail(code_of(status), "{}: {}", subject,
       said != nullptr && *said != '\0' ? said : "the back end gave no reason");
}

void check_made(bp_status status, const void* made, const Backend& backend,
                std::string_view subject) {
  check(status, backend, subject);
  if (made == nullptr) {
    fail(ErrorCode::backend_failure, "{}: the back end reports success but returned nothing; its "
         "author hands the object over or reports why not", subject);
  }
}

}  // namespace backplane::detail

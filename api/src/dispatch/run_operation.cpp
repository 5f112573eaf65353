// Operations run by their description, and the rows of those that plug-ins name.
#include "backplane/run_operation.hpp"

#include <map>
#include <memory>
#include <mutex>

#include "backplane/plugin/abi.h"
#include "check.hpp"
#include "dispatch/dispatch.hpp"
#include "dispatch/interned.hpp"

namespace backplane {
namespace {

bool is_known(std::string_view name) {
#define BACKPLANE_ROW(Op, spelling, ...) \
  if (name == #spelling) return true;
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  return false;
}

}  // namespace

// The number is this process's own: plans are found by it, and plug-ins go by the name.
const op::Row& Operation::named_row(std::string_view name) {
  if (name.empty()) detail::reject("operation: the name of a plug-in's operation is empty");
  if (is_known(name)) {
    detail::reject(
        "operation: {} is no name for a plug-in's own operation, it is one of "
        "plugin/ops.hpp; make it from its struct",
        name);
  }
  static std::mutex mutex;
  static auto& rows = *new std::map<std::string_view, std::unique_ptr<const op::Row>>();
  const std::scoped_lock lock(mutex);
  const auto found = rows.find(name);
  if (found != rows.end()) return *found->second;
  const auto id = BP_FIRST_NAMED_ID + static_cast<std::uint32_t>(rows.size());
  const char* const own = detail::interned(name);
  const op::Row row{own, id, 0, 0, 0, false, true};
  return *rows.emplace(own, std::make_unique<const op::Row>(row)).first->second;
}

std::vector<Tensor> run_operation(const Operation& operation, std::span<const Tensor> inputs,
                                  std::span<const TensorSpec> outputs) {
  std::vector<detail::Output> wanted;
  for (const TensorSpec& output : outputs) wanted.push_back({output.dtype, output.shape});
  return detail::run(operation, inputs, wanted);
}

Tensor run_operation(const Operation& operation, std::span<const Tensor> inputs,
                     const TensorSpec& output) {
  return run_operation(operation, inputs, std::span(&output, 1))[0];
}

}  // namespace backplane

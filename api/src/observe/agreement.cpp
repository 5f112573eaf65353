// AgreementAudit: repeats each operation on the reference with the same inputs and judges it.
#include "backplane/observe/agreement.hpp"

#include <fmt/format.h>

#include "backplane/plugin/abi.h"
#include "observe/values.hpp"

namespace backplane {

namespace {

// As in "[4,3,2,1]": where a row-major position lies.
std::string position(const Shape& shape, std::int64_t index) {
  Shape at = shape;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return to_string(at);
}

}  // namespace

void AgreementAudit::before_operation(const Operation&, std::span<const Tensor> inputs) {
  inputs_.clear();
  for (const Tensor& input : inputs) inputs_.push_back(detail::host_copy(input));
}

void AgreementAudit::on_operation(const OperationEvent& event) {
  if (event.operation.row().id >= BP_FIRST_NAMED_ID) {
    ++report_.operations_unknown;
    return;
  }
  const Expectation expected = expect(event.operation, inputs_, event.outputs);
  const Judgement judgement = judge(expected, event.outputs);
  ++report_.operations_checked;
  const bool worst = judgement.worst_error_over_bound > report_.worst_error_over_bound;
  const bool first_failure = !judgement.agrees && report_.first_failure.empty();
  if (!worst && !first_failure) return;

  const Tensor& output = event.outputs[judgement.worst_output];
  const std::string name =
      fmt::format("{} #{} output {} {}", event.operation.name(), event.sequence,
                  judgement.worst_output, position(output.shape(), judgement.worst_index));
  if (worst) {
    report_.worst_error_over_bound = judgement.worst_error_over_bound;
    report_.worst_operation = name;
  }
  if (first_failure) {
    report_.first_failure =
        fmt::format("{}: {} where {} is expected, {} times the bound", name, judgement.worst_value,
                    judgement.worst_expected, judgement.worst_error_over_bound);
  }
}

}  // namespace backplane

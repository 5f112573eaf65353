// AgreementAudit: while it observes, each operation of this thread is repeated on the reference
// with the same inputs (teacher-forced) and must meet its own bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backplane/observe/observer.hpp"
#include "backplane/observe/oracle.hpp"

namespace backplane {

class AgreementAudit final : public Observer {
 public:
  struct Report {
    std::int64_t operations_checked = 0;
    std::int64_t operations_unknown = 0;  // named ones of plug-ins, which have no reference
    std::string worst_operation;  // "conv2d #12 output 0 [4,3,2,1]"
    double worst_error_over_bound = 0;
    std::string first_failure;    // the first operation outside its bound; empty: all agree
    [[nodiscard]] bool agrees() const { return operations_checked > 0 && first_failure.empty(); }
  };

  void before_operation(const Operation& operation, std::span<const Tensor> inputs) override;
  void on_operation(const OperationEvent& event) override;
  [[nodiscard]] const Report& report() const noexcept { return report_; }

 private:
  Report report_;
  std::vector<Tensor> inputs_;  // host copies, taken before anything is overwritten
};

}  // namespace backplane

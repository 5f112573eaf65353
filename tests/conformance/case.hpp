// Rows and cases: an operation file writes rows, each row becomes cases, one for each class of data
// and each layout.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/device.hpp"
#include "backplane/operation.hpp"
#include "data.hpp"
#include "layout.hpp"

namespace conformance {

using backplane::Operation;

// One input or output. `exact` and `real` say what is in it; outputs need them only to be added to.
struct Argument {
  Shape shape;
  DType dtype = DType::f32;
  Fill exact = integers();
  Fill real = reals(-1, 1);
};

struct Row {
  Operation operation;
  std::string arguments;  // what the name has in parentheses
  std::vector<Argument> inputs = {}, outputs = {};
  // Length of the longest sum of products: exact integers are chosen to fit.
  std::int64_t terms = 1;
  std::vector<DataClass> classes = {DataClass::exact, DataClass::real};
  std::vector<Layout> layouts = {all_layouts.begin(), all_layouts.end()};
  // Output i may be the memory of input aliases[i]: further cases, or for steps of an optimizer
  // (always_in_place) the only ones.
  std::vector<std::size_t> aliases = {};
  bool always_in_place = false;
  std::uint32_t adds_to = 0;  // outputs that can be added to: further cases
  // Answers that are known without the oracle, one list for each output, each value within `ulps`.
  std::vector<std::vector<double>> answers = {};
  double ulps = 0;
  bool large = false;  // takes long: of level 3
  // Empty, or rightly nearly all 0; of other cases that would mean that they test nothing.
  bool trivial = false;
};

// How far a back end has come: each level includes those below it.
//   1  row-major tensors of f32: random numbers, written answers, adjoint identities
//   2  every layout and type, special values, outputs in place of inputs or added to
//   3  tensors larger than a cache; streams, events and the error record
inline constexpr int highest_level = 3;

// What one case runs. `how` is the data and the way to place it, as in "exact/sliced".
struct Case {
  std::shared_ptr<const Row> row;  // null: `check` says it all
  std::string operation;           // for the summary and the filter
  std::string name;                // "relu(2x3) exact/sliced"
  DataClass data = DataClass::exact;
  Layout layout = Layout::contiguous;
  bool in_place = false, adds = false;
  int level = 1;
  // Returns what is wrong, or nothing.
  std::function<std::string(backplane::Device)> check = {};
};

// Exact and special data run at level strict, real data at both.
[[nodiscard]] bool belongs_to(const Case& one, backplane::Numerics level);

// Whether it is about a gradient: an operation that is one, an adjoint identity, or differences.
[[nodiscard]] bool judges_gradient(const Case& one);

// Collects the cases of all files.
class Suite {
 public:
  void add(Row row);
  // Written answers: special values or tiny closed forms, judged to the bit.
  void answer(DataClass data, Row row);
  void check(DataClass data, std::string operation, std::string name,
             std::function<std::string(backplane::Device)> body);
  [[nodiscard]] const std::vector<Case>& cases() const noexcept { return cases_; }

 private:
  std::vector<Case> cases_;
};

// Every case of the program; Error if an operation of ops.hpp has none.
[[nodiscard]] Suite all_cases();

// A filter is a part of a name, or a glob over the whole of it where it has * or ?.
[[nodiscard]] bool matches(std::string_view filter, const std::string& name);

// As in "2x3x28x28"; "scalar" at rank 0.
[[nodiscard]] std::string dims_text(const Shape& shape);

}  // namespace conformance

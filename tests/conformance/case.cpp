// From rows to cases, and their names.
#include "case.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

std::string dims_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += fmt::format("{}{}", text.empty() ? "" : "x", size);
  return text.empty() ? "scalar" : text;
}

bool matches(std::string_view filter, const std::string& name) {
  if (filter.find_first_of("*?") == std::string_view::npos) {
    return name.find(filter) != std::string::npos;
  }
  return fnmatch(std::string(filter).c_str(), name.c_str(), 0) == 0;
}

bool belongs_to(const Case& one, Numerics level) {
  return level == Numerics::strict || one.data == DataClass::real;
}

bool judges_gradient(const Case& one) {
  const auto has = [&](const char* words) { return one.name.find(words) != std::string::npos; };
  return has("_backward") || has(", adjoint)") || has(", differences)");
}

namespace {

// A layout that places no argument differently would only repeat the row-major case.
bool worth_running(const Row& row, Layout layout) {
  if (layout == Layout::contiguous) return true;
  if (layout == Layout::any) return !row.outputs.empty() && !row.always_in_place;
  const auto placed = [&](const Argument& argument) { return changes(layout, argument.shape); };
  const bool inputs = std::ranges::any_of(row.inputs, placed);
  const bool outputs = layout != Layout::expanded && std::ranges::any_of(row.outputs, placed);
  return inputs || outputs;
}

// Indices and masks beside tensors of f32 are no types of their own.
bool computes_in_f32(const Row& row) {
  std::vector<Argument> all = row.inputs;
  all.insert(all.end(), row.outputs.begin(), row.outputs.end());
  const auto is_f32 = [](const Argument& argument) { return argument.dtype == DType::f32; };
  const auto is_other = [&](const Argument& argument) {
    return is_floating(argument.dtype) && !is_f32(argument);
  };
  return std::ranges::any_of(all, is_f32) && std::ranges::none_of(all, is_other);
}

int level_of(const Row& row, DataClass data, Layout layout) {
  if (row.large) return 3;
  const bool plain = layout == Layout::contiguous && data != DataClass::special;
  return plain && computes_in_f32(row) ? 1 : 2;
}

Case make_case(const std::shared_ptr<const Row>& row, DataClass data, Layout layout) {
  const std::string operation(row->operation.name());
  return {.row = row,
          .operation = operation,
          .name = fmt::format("{}({}) {}/{}", operation, row->arguments, to_string(data),
                              to_string(layout)),
          .data = data,
          .layout = layout,
          .level = level_of(*row, data, layout)};
}

}  // namespace

void Suite::add(Row given) {
  const auto row = std::make_shared<const Row>(std::move(given));
  for (const DataClass data : row->classes) {
    for (const Layout layout : row->layouts) {
      if (!worth_running(*row, layout)) continue;
      const Case one = make_case(row, data, layout);
      const bool can_alias = layout != Layout::any && layout != Layout::expanded;
      if (!row->always_in_place) cases_.push_back(one);
      if (!row->aliases.empty() && can_alias) {
        Case in_place = one;
        in_place.in_place = true;
        if (!row->always_in_place) in_place.level = std::max(one.level, 2);
        in_place.name += "/in_place";
        cases_.push_back(in_place);
      }
      if (row->adds_to != 0 && can_alias) {
        Case adds = one;
        adds.adds = true;
        adds.level = std::max(one.level, 2);
        adds.name += "/adds";
        cases_.push_back(adds);
      }
    }
  }
}

void Suite::answer(DataClass data, Row row) {
  row.classes = {data};
  row.layouts = {Layout::contiguous, Layout::sliced, Layout::any};
  row.trivial = true;
  add(std::move(row));
}

void Suite::check(DataClass data, std::string operation, std::string name,
                  std::function<std::string(Device)> body) {
  cases_.push_back({.row = nullptr,
                    .operation = operation,
                    .name = fmt::format("{}({}) {}", operation, name, to_string(data)),
                    .data = data,
                    .level = data == DataClass::machinery ? 3
                             : data == DataClass::special ? 2
                                                          : 1,
                    .check = std::move(body)});
}

Suite all_cases() {
  Suite suite;
  for (const RowsOf rows : operation_rows) rows(suite);
  std::set<std::string> covered;
  for (const Case& one : suite.cases()) covered.insert(one.operation);
#define BACKPLANE_ROW(Op, name, ...)                                                         \
  if (!covered.contains(#name)) {                                                            \
    throw Error(ErrorCode::not_found, #name ": has no conformance case; add a row to ops/"); \
  }
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  return suite;
}

}  // namespace conformance

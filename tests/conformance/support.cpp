// What can be done at all: operation x type, for people and for the documentation.
#include "support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "backplane/error.hpp"
#include "backplane/plan.hpp"
#include "backplane/plugin/abi.h"
#include "manifest.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

DType type_of(const Row& row) {
  return row.inputs.empty() ? row.outputs.front().dtype : row.inputs.front().dtype;
}

const char* word(const Extent& extent) {
  if (extent.done == 0) return "none";
  return extent.done == extent.rows ? "all" : "some";
}

std::vector<TensorSpec> specs_of(const std::vector<Argument>& arguments, std::uint32_t layout) {
  std::vector<TensorSpec> specs;
  for (const Argument& argument : arguments) {
    specs.push_back({.dtype = argument.dtype, .shape = argument.shape, .layout = layout});
  }
  return specs;
}

std::set<DType> types_of(const Support& support) {
  std::set<DType> types;
  for (const auto& [operation, extents] : support) {
    for (const auto& [type, extent] : extents) types.insert(type);
  }
  return types;
}

// As in "f32 f64", or "all" of the types that there are rows of.
std::string cell(const std::map<DType, Extent>& extents) {
  std::string text;
  bool all = true;
  for (const auto& [type, extent] : extents) {
    all = all && extent.done == extent.rows;
    if (extent.done == 0) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", backplane::to_string(type),
                        extent.done < extent.rows ? " in part" : "");
  }
  if (all) return "all";
  return text.empty() ? "-" : text;
}

}  // namespace

Support support(const std::function<bool(const Case&)>& can) {
  Support result;
  const Suite suite = all_cases();
  std::set<const Row*> asked;
  for (const Case& one : suite.cases()) {
    if (one.row == nullptr || !asked.insert(one.row.get()).second) continue;
    Extent& extent = result[one.operation][type_of(*one.row)];
    ++extent.rows;
    if (can(one)) ++extent.done;
  }
  return result;
}

bool can_plan(Device device, const Case& one) {
  const std::vector<TensorSpec> inputs = specs_of(one.row->inputs, BP_LAYOUT_STRIDED);
  for (const std::uint32_t layout : {BP_LAYOUT_STRIDED, BP_LAYOUT_ANY}) {
    try {
      const Plan plan(device, one.row->operation, inputs, specs_of(one.row->outputs, layout));
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
    }
  }
  return false;
}

std::string support_text(const Support& support) {
  const std::set<DType> types = types_of(support);
  std::string text = fmt::format("{:<24}", "operation");
  for (const DType type : types) text += fmt::format("{:>6}", backplane::to_string(type));
  text += '\n';
  for (const auto& [operation, extents] : support) {
    text += fmt::format("{:<24}", operation);
    for (const DType type : types) {
      const auto found = extents.find(type);
      text += fmt::format("{:>6}", found == extents.end() ? "" : word(found->second));
    }
    text += '\n';
  }
  return text;
}

std::string support_json(const Support& support, const std::string& device) {
  nlohmann::ordered_json document;
  document["device"] = device;
  for (const auto& [operation, extents] : support) {
    for (const auto& [type, extent] : extents) {
      document["operations"][operation][std::string(backplane::to_string(type))] = word(extent);
    }
  }
  return document.dump(2) + '\n';
}

std::string support_page(const std::filesystem::path& manifests) {
  std::map<std::string, Support> backends;
  for (const auto& file : std::filesystem::directory_iterator(manifests)) {
    const Manifest manifest(file.path().string());
    backends[file.path().stem().string()] =
        support([&](const Case& one) { return !manifest.allows(one.name); });
  }
  if (backends.empty()) {
    throw Error(ErrorCode::not_found, "conformance: the folder of manifests must hold some, " +
                                          manifests.string() + " holds none");
  }
  std::string header, rule;
  for (const auto& [name, support] : backends) {
    header += fmt::format(" {} |", name);
    rule += "---|";
  }
  std::string page = fmt::format("| operation | types |{}\n|---|---|{}\n", header, rule);
  for (const auto& [operation, extents] : backends.begin()->second) {
    std::string types;
    for (const auto& [type, extent] : extents) {
      types += fmt::format("{}{}", types.empty() ? "" : " ", backplane::to_string(type));
    }
    page += fmt::format("| `{}` | {} |", operation, types);
    for (const auto& [name, support] : backends) {
      page += fmt::format(" {} |", cell(support.at(operation)));
    }
    page += '\n';
  }
  return page;
}

}  // namespace conformance

// Finds and joins texts; OpenCL 1.2 has no way to hand headers to a compiler that reads no files.
#include "texts.hpp"

#include <filesystem>
#include <set>

#include "errors.hpp"

namespace backplane::opencl {
namespace {

constexpr std::string_view directive = "#include \"";

const Text& find(std::string_view path, const Text& includer) {
  const auto folder = std::filesystem::path(includer.name).parent_path();
  const std::string name = (folder / path).lexically_normal().string();
  for (const Text& text : texts()) {
    if (text.name == name) return text;
  }
  throw plugin::Failure(BP_FAILED, "opencl: " + std::string(includer.name) + " includes " + name +
                                       ", which the plug-in doesn't have");
}

// Every header is guarded, so once is enough.
void append(std::string& result, const Text& text, std::set<std::string_view>& seen) {
  if (!seen.insert(text.name).second) return;
  const auto mark = [&](int line) {
    result += "#line " + std::to_string(line) + " \"" + std::string(text.name) + "\"\n";
  };
  mark(1);
  int number = 0;
  for (std::string_view rest = text.content; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    ++number;
    if (line.starts_with(directive) && !line.ends_with("host_dialect.h\"")) {
      const std::string_view path = line.substr(directive.size());
      append(result, find(path.substr(0, path.find('"')), text), seen);
      mark(number + 1);
    } else {
      result.append(line).append("\n");
    }
  }
}

bool defines(const Text& text, std::string_view kernel) {
  return text.content.find("(" + std::string(kernel) + ",") != std::string_view::npos;
}

}  // namespace

const Text* text_of_kernel(std::string_view kernel) {
  for (const Text& text : texts()) {
    if (text.name.ends_with(".cl") && defines(text, kernel)) return &text;
  }
  return nullptr;
}

std::string expand(const Text& text) {
  std::string result;
  std::set<std::string_view> seen;
  append(result, text, seen);
  return result;
}

}  // namespace backplane::opencl

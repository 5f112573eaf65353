// The frame of a translated file: variables, the table of kernels, and the functions.
#include <sstream>

#include "translate/emit.h"

namespace backplane::sim::translate {
namespace {

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

std::string initial_bytes(const Declaration& variable) {
  const uint64_t element = type_bytes(variable.type, 0);
  std::string text;
  for (const Initialiser& each : variable.initial) {
    for (uint64_t byte = 0; byte < element; ++byte) {
      const auto bits = static_cast<uint64_t>(each.symbol.empty() ? each.value : 0);
      text += std::to_string(bits >> (8 * byte) & 255) + ",";
    }
  }
  return text;
}

class ModuleEmitter {
 public:
  ModuleEmitter(const Module& module, const std::string& source)
      : module_(module), source_(source) {
    for (const Declaration& variable : module.variables) add_variable(variable);
    // A prototype may come before its body; the body is the one that counts.
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      const Function& function = module.functions[i];
      GlobalSymbol& symbol = names_.symbols[function.name];
      if (symbol.function != nullptr && symbol.function->has_body) continue;
      symbol = {GlobalSymbol::Kind::function, i, &function};
    }
  }

  std::string text() {
    out_ << "// Translated from " << source_ << "; do not edit.\n#include \"device/ptx.h\"\n"
         << "#include \"device/builtins.h\"\n\n"
         << "namespace {\nusing namespace backplane::sim;\nusing namespace "
            "backplane::sim::device;\n\n";
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
      if (module_.functions[i].has_body) {
        out_ << "[[maybe_unused]] " << signature_of(module_.functions[i], i) << ";\n";
      }
    }
    emit_functions();
    emit_variables();
    emit_tables();
    return out_.str();
  }

 private:
  void add_variable(const Declaration& variable) {
    GlobalSymbol symbol;
    if (variable.space == Space::shared && variable.is_extern) {
      symbol.kind = GlobalSymbol::Kind::dynamic_shared;
      names_.has_dynamic_shared = true;
    } else if (variable.space == Space::shared) {
      const uint64_t alignment = variable.alignment;
      symbol.kind = GlobalSymbol::Kind::shared;
      symbol.index = (names_.shared_bytes + alignment - 1) / alignment * alignment;
      names_.shared_bytes = symbol.index + variable.bytes();
    } else {
      symbol.index = variables_.size();
      variables_.push_back(&variable);
    }
    names_.symbols[variable.name] = symbol;
  }

  void emit_functions() {
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
      const Function& function = module_.functions[i];
      if (!function.has_body) continue;
      Emitter emitter(module_, names_, function, i);
      out_ << "\n// " << function.name << "\n" << emitter.function_text();
      if (function.is_entry) emit_entry(function, i, emitter.static_shared_bytes());
    }
  }

  void emit_entry(const Function& function, std::size_t index, uint64_t shared_bytes) {
    uint64_t offset = 0;
    out_ << "constexpr ParameterInfo parameters_" << index << "[] = {";
    for (const Declaration& parameter : function.parameters) {
      offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
      out_ << "{" << offset << ", " << parameter.bytes() << "}, ";
      offset += parameter.bytes();
    }
    out_ << "{0, 0}};\n";
    std::ostringstream entry;
    entry << "    {" << quoted(function.name) << ", " << function_name(index) << ", parameters_"
          << index << ", " << function.parameters.size() << ", " << offset << ", " << shared_bytes
          << ", " << function.max_threads << "},\n";
    entries_ += entry.str();
    ++entry_count_;
  }

  void emit_variables() {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const Declaration& variable = *variables_[i];
      if (!variable.initial.empty()) {
        out_ << "const unsigned char initial_" << i << "[" << variable.bytes() << "] = {"
             << initial_bytes(variable) << "};\n";
      }
      out_ << "const Relocation relocations_" << i << "[] = {" << relocations(variable)
           << "{0, -1, 0, nullptr}};\n";
    }
  }

  std::string relocations(const Declaration& variable) {
    std::ostringstream text;
    for (std::size_t i = 0; i < variable.initial.size(); ++i) {
      const Initialiser& each = variable.initial[i];
      if (each.symbol.empty()) continue;
      const auto symbol = names_.symbols.find(each.symbol);
      const uint64_t element = type_bytes(variable.type, 0);
      if (symbol == names_.symbols.end() || element != 8 ||
          symbol->second.kind == GlobalSymbol::Kind::shared) {
        throw TranslationError(0, "initial value of " + variable.name + " is not simulated");
      }
      ++relocation_counts_[variable.name];
      text << "{" << i * element << ", ";
      if (symbol->second.kind == GlobalSymbol::Kind::function) {
        text << "-1, 0, reinterpret_cast<const void*>(&" << function_name(symbol->second.index)
             << ")}, ";
      } else {
        text << symbol->second.index << ", " << each.addend << ", nullptr}, ";
      }
    }
    return text.str();
  }

  void emit_tables() {
    out_ << "\nconst KernelEntry kernels[] = {\n" << entries_ << "    {}};\n";
    out_ << "const VariableEntry variables[] = {\n";
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const Declaration& variable = *variables_[i];
      out_ << "    {" << quoted(variable.name) << ", "
           << (variable.initial.empty() ? "nullptr" : "initial_" + std::to_string(i)) << ", "
           << variable.bytes() << ", " << variable.alignment << ", relocations_" << i << ", "
           << relocation_counts_[variable.name] << "},\n";
    }
    out_ << "    {}};\n\n}  // namespace\n\nextern const backplane::sim::KernelModule "
         << "BACKPLANE_SIM_MODULE;\nconst backplane::sim::KernelModule BACKPLANE_SIM_MODULE = {\n"
         << "    kKernelAbi, " << module_.capability << ", kChecked, " << quoted(source_)
         << ", kernels, " << entry_count_ << ", variables, " << variables_.size() << "};\n";
  }

  const Module& module_;
  std::string source_;
  ModuleNames names_;
  std::vector<const Declaration*> variables_;
  std::map<std::string, int> relocation_counts_;
  std::string entries_;
  std::size_t entry_count_ = 0;
  std::ostringstream out_;
};

}  // namespace

std::string emit_module(const Module& module, const std::string& source) {
  return ModuleEmitter(module, source).text();
}

}  // namespace backplane::sim::translate

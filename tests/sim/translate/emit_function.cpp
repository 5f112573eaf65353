// Names, scopes and the frame of a translated function.
#include <algorithm>
#include <cctype>

#include "translate/emit.h"

namespace backplane::sim::translate {
namespace {

std::string identifier(const std::string& name) {
  std::string result;
  for (char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

// The registers that the hardware fills in.
const std::map<std::string, std::string>& special_registers() {
  static const std::map<std::string, std::string> table = [] {
    std::map<std::string, std::string> t = {
        {"%laneid", "lane(thread)"},
        {"%warpid", "(thread.linear / 32)"},
        {"%nwarpid", "u32(32)"},
        {"%smid", "u32(0)"},
        {"%nsmid", "u32(1)"},
        {"%gridid", "u64(1)"},
        {"%clock", "static_cast<u32>(nanoseconds())"},
        {"%clock64", "nanoseconds()"},
        {"%globaltimer", "nanoseconds()"},
        {"%lanemask_eq", "(1u << lane(thread))"},
        {"%lanemask_lt", "((1u << lane(thread)) - 1)"},
        {"%lanemask_le", "((2u << lane(thread)) - 1)"},
        {"%lanemask_gt", "~((2u << lane(thread)) - 1)"},
        {"%lanemask_ge", "~((1u << lane(thread)) - 1)"},
        {"%dynamic_smem_size", "thread.block->dynamic_shared_bytes"},
        {"%total_smem_size", "thread.block->shared_bytes"},
        {"WARP_SZ", "u32(32)"}};
    const std::string axes = "xyz";
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::string suffix = std::string(".") + axes[axis];
      const std::string subscript = "[" + std::to_string(axis) + "]";
      t["%tid" + suffix] = "thread.index" + subscript;
      t["%ctaid" + suffix] = "thread.block->index" + subscript;
      t["%ntid" + suffix] = "thread.block->size" + subscript;
      t["%nctaid" + suffix] = "thread.block->grid" + subscript;
    }
    return t;
  }();
  return table;
}

std::string register_type(const std::string& type) {
  if (type == "pred") return "bool";
  return "u" + std::to_string(8 * type_bytes(type, 0));
}

uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

const HandlerTable& handlers() {
  static const HandlerTable table = [] {
    HandlerTable t;
    add_arithmetic(t);
    add_bits(t);
    add_moves(t);
    add_memory(t);
    add_control(t);
    add_warp(t);
    return t;
  }();
  return table;
}

}  // namespace

bool Modifiers::take(const std::string& name) {
  const auto found = std::find(parts_.begin(), parts_.end(), name);
  if (found == parts_.end()) return false;
  parts_.erase(found);
  return true;
}

std::string Modifiers::take_one(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (take(name)) return name;
  }
  return {};
}

std::string Modifiers::type() {
  for (std::size_t i = parts_.size(); i-- > 0;) {
    if (!is_type(parts_[i])) continue;
    const std::string type = parts_[i];
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
    return type;
  }
  throw TranslationError(line_, "no type that is simulated in the opcode");
}

void Modifiers::ignore(const std::vector<std::string>& names) {
  for (const std::string& name : names) take(name);
}

void Modifiers::finish(const std::string& text) const {
  if (parts_.empty()) return;
  throw TranslationError(line_, "modifier ." + parts_[0] + " is not simulated: " + text);
}

std::string cpp_type(const std::string& type) {
  if (type == "pred") return "bool";
  return type[0] == 'b' && type[1] != 'f' ? "u" + type.substr(1) : type;
}

std::string function_name(uint64_t index) {
  return "function_" + std::to_string(index);
}

std::string signature_of(const Function& function, uint64_t index) {
  std::string text = "static void " + function_name(index) + "(Thread& thread";
  if (function.is_entry) return text + ", const unsigned char* parameters)";
  std::size_t place = 0;
  for (const auto* list : {&function.results, &function.parameters}) {
    for (const Declaration& each : *list) {
      (void)each;
      text += ", Parameter a_" + std::to_string(place++);
    }
  }
  return text + ")";
}

Emitter::Emitter(const Module& module, const ModuleNames& names, const Function& function,
                 uint64_t index)
    : module_(module), names_(names), function_(function), index_(index) {
  shared_bytes_ = names.shared_bytes;
  scopes_.emplace_back();
  declare_parameters();
  collect();
  if (names.has_dynamic_shared) shared_bytes_ = align_up(shared_bytes_, 16);
  if (local_bytes_ > 48 << 10) {
    throw TranslationError(function.line, function.name + " needs more stack than a fiber has");
  }
}

void Emitter::refuse(const std::string& what) const {
  throw TranslationError(statement_->line, what + ": " + statement_->text);
}

void Emitter::declare_parameters() {
  uint64_t offset = 0;
  std::size_t place = 0;
  for (const auto* list : {&function_.results, &function_.parameters}) {
    for (const Declaration& declared : *list) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::buffer;
      offset = align_up(offset, declared.alignment);
      const std::string bytes = std::to_string(declared.bytes());
      symbol.cpp = function_.is_entry ? "Parameter{const_cast<unsigned char*>(parameters) + " +
                                            std::to_string(offset) + ", " + bytes + "}"
                                      : "a_" + std::to_string(place);
      offset += declared.bytes();
      ++place;
      scopes_[0].symbols[declared.name] = symbol;
    }
  }
}

void Emitter::declare(const Declaration& declared, int scope) {
  const std::string suffix = scope == 0 ? "" : "_s" + std::to_string(scope);
  auto& symbols = scopes_[static_cast<std::size_t>(scope)].symbols;
  Symbol symbol;
  symbol.type = declared.type;
  symbol.bytes = declared.space == Space::reg ? 0 : declared.bytes();
  symbol.alignment = declared.alignment;
  switch (declared.space) {
    case Space::reg:
      for (uint64_t i = 0; i < declared.count; ++i) {
        const std::string name = declared.name + (declared.is_range ? std::to_string(i) : "");
        symbol.cpp = "v" + std::string(name[0] == '%' ? "" : "_") + identifier(name) + suffix;
        symbols[name] = symbol;
      }
      return;
    case Space::param:
      symbol.kind = Symbol::Kind::buffer;
      symbol.cpp = "b_" + identifier(declared.name) + suffix;
      break;
    case Space::local:
      symbol.kind = Symbol::Kind::local;
      symbol.offset = align_up(local_bytes_, declared.alignment);
      local_bytes_ = symbol.offset + symbol.bytes;
      break;
    case Space::shared:
      symbol.kind = Symbol::Kind::shared;
      symbol.offset = align_up(shared_bytes_, declared.alignment);
      shared_bytes_ = symbol.offset + symbol.bytes;
      break;
    case Space::global:
    case Space::constant:
      throw TranslationError(function_.line, "variable inside a function: " + declared.name);
  }
  symbols[declared.name] = symbol;
}

// Scopes are the braces of inline assembly and of calls. C++ gets none: all names are made unique
// and declared at the top, since a goto must not jump over a declaration.
void Emitter::collect() {
  int scope = 0;
  for (const Statement& statement : function_.body) {
    if (statement.kind == Statement::Kind::open) {
      scopes_.emplace_back().parent = scope;
      scope = static_cast<int>(scopes_.size()) - 1;
    } else if (statement.kind == Statement::Kind::close) {
      scope = scopes_[static_cast<std::size_t>(scope)].parent;
    } else if (statement.kind == Statement::Kind::declaration) {
      declare(statement.declaration, scope);
    } else if (statement.kind == Statement::Kind::label) {
      scopes_[static_cast<std::size_t>(scope)].labels[statement.name] =
          "L" + identifier(statement.name) + "_s" + std::to_string(scope);
    } else if (statement.kind == Statement::Kind::targets) {
      scopes_[static_cast<std::size_t>(scope)].targets[statement.name] = statement.targets;
    }
    statement_scope_.push_back(scope);
  }
}

Emitter::Symbol* Emitter::find(const std::string& name) {
  for (int at = scope_; at >= 0; at = scopes_[static_cast<std::size_t>(at)].parent) {
    auto& symbols = scopes_[static_cast<std::size_t>(at)].symbols;
    const auto found = symbols.find(name);
    if (found != symbols.end()) {
      found->second.used = true;
      return &found->second;
    }
  }
  return nullptr;
}

std::string Emitter::label(const std::string& name) {
  for (int at = scope_; at >= 0; at = scopes_[static_cast<std::size_t>(at)].parent) {
    const auto& labels = scopes_[static_cast<std::size_t>(at)].labels;
    if (const auto found = labels.find(name); found != labels.end()) return found->second;
  }
  refuse("label " + name + " is not defined");
}

const std::vector<std::string>* Emitter::branch_targets(const std::string& name) {
  for (int at = scope_; at >= 0; at = scopes_[static_cast<std::size_t>(at)].parent) {
    const auto& targets = scopes_[static_cast<std::size_t>(at)].targets;
    if (const auto found = targets.find(name); found != targets.end()) return &found->second;
  }
  return nullptr;
}

std::string Emitter::parameter_buffer(const std::string& name) {
  const Symbol* symbol = find(name);
  return symbol != nullptr && symbol->kind == Symbol::Kind::buffer ? symbol->cpp : "";
}

const GlobalSymbol* Emitter::global_symbol(const std::string& name) {
  const auto found = names_.symbols.find(name);
  return found == names_.symbols.end() ? nullptr : &found->second;
}

// A register, or the address of anything else, as an unsigned C++ expression.
std::string Emitter::symbol_value(const std::string& name) {
  if (const Symbol* symbol = find(name); symbol != nullptr) {
    switch (symbol->kind) {
      case Symbol::Kind::reg:
        return symbol->cpp;
      case Symbol::Kind::buffer:
        return "reinterpret_cast<u64>((" + symbol->cpp + ").begin)";
      case Symbol::Kind::local:
        return "reinterpret_cast<u64>(local_arrays + " + std::to_string(symbol->offset) + ")";
      case Symbol::Kind::shared:
        return "u64(" + std::to_string(symbol->offset) + ")";
    }
  }
  if (const auto special = special_registers().find(name); special != special_registers().end()) {
    return special->second;
  }
  const GlobalSymbol* global = global_symbol(name);
  if (global == nullptr) refuse("name " + name + " is not known");
  switch (global->kind) {
    case GlobalSymbol::Kind::variable:
      return "thread.block->variables[" + std::to_string(global->index) + "]";
    case GlobalSymbol::Kind::shared:
      return "u64(" + std::to_string(global->index) + ")";
    case GlobalSymbol::Kind::dynamic_shared:
      return "u64(thread.block->shared_bytes - thread.block->dynamic_shared_bytes)";
    case GlobalSymbol::Kind::function:
      return "reinterpret_cast<u64>(&" + function_name(global->index) + ")";
  }
  return {};
}

std::string Emitter::value(const Operand& operand, const std::string& type) {
  const std::string wanted = cpp_type(type);
  switch (operand.kind) {
    case Operand::Kind::integer: {
      const std::string number = std::to_string(static_cast<uint64_t>(operand.offset)) + "ull";
      if (type == "pred") return operand.offset != 0 ? "true" : "false";
      return "get<" + wanted + ">(u64(" + number + "))";
    }
    case Operand::Kind::bits32:
      return "get<" + wanted + ">(u32(" + std::to_string(operand.bits) + "u))";
    case Operand::Kind::bits64:
      return "get<" + wanted + ">(u64(" + std::to_string(operand.bits) + "ull))";
    case Operand::Kind::name: {
      const std::string text = symbol_value(operand.name);
      const std::string plus = operand.offset == 0 ? "" : " + " + std::to_string(operand.offset);
      if (type == "pred") return (operand.negated ? "!" : "") + text;
      return "get<" + wanted + ">(" + text + plus + ")";
    }
    default:
      refuse("operand is not a value");
  }
}

std::string Emitter::assign_name(const std::string& name, const std::string& type,
                                 const std::string& expression) {
  const Symbol* symbol = find(name);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::reg) refuse(name + " is not a register");
  if (type == "pred") return symbol->cpp + " = " + expression + ";";
  return "set<" + cpp_type(type) + ">(" + symbol->cpp + ", " + expression + ");";
}

std::string Emitter::assign(const Operand& operand, const std::string& type,
                            const std::string& expression) {
  if (operand.kind == Operand::Kind::sink) return "static_cast<void>(" + expression + ");";
  return assign_name(operand.name, type, expression);
}

std::string Emitter::address(const Operand& operand) {
  if (operand.kind != Operand::Kind::memory) refuse("operand is not an address");
  if (operand.name.empty()) return "u64(" + std::to_string(operand.offset) + ")";
  const std::string base = "u64(" + symbol_value(operand.name) + ")";
  if (operand.offset == 0) return base;
  return base + (operand.offset < 0 ? " - " : " + ") +
         std::to_string(operand.offset < 0 ? -operand.offset : operand.offset);
}

std::string Emitter::emit(const Statement& statement) {
  statement_ = &statement;
  if (statement.kind == Statement::Kind::label) return label(statement.name) + ":;";
  if (statement.kind != Statement::Kind::instruction) return {};
  const auto handler = handlers().find(statement.parts.at(0));
  if (handler == handlers().end()) refuse("instruction is not simulated");
  Modifiers modifiers(statement);
  std::string code = handler->second(*this, modifiers, statement);
  modifiers.finish(statement.text);
  if (!statement.predicate.empty()) {
    Operand guard;
    guard.kind = Operand::Kind::name;
    guard.name = statement.predicate;
    guard.negated = statement.predicate_negated;
    code = "if (" + value(guard, "pred") + ") { " + code + " }";
  }
  return code + "  // " + std::to_string(statement.line) + ": " + statement.text;
}

std::string Emitter::declarations() const {
  std::string text;
  for (const Scope& scope : scopes_) {
    for (const auto& [name, symbol] : scope.symbols) {
      if (symbol.kind == Symbol::Kind::reg && symbol.used) {
        text += "  " + register_type(symbol.type) + " " + symbol.cpp + " = 0;\n";
      }
      if (symbol.kind == Symbol::Kind::buffer && symbol.bytes > 0) {
        text += "  alignas(16) unsigned char s" + symbol.cpp + "[" + std::to_string(symbol.bytes) +
                "];\n  const Parameter " + symbol.cpp + "{s" + symbol.cpp + ", " +
                std::to_string(symbol.bytes) + "};\n";
      }
    }
  }
  if (local_bytes_ > 0) {
    const std::string bytes = std::to_string(local_bytes_);
    text += "  alignas(16) unsigned char local_arrays[" + bytes + "];\n" +
            "  std::memset(local_arrays, 0xFF, sizeof local_arrays);\n" +
            "  const Depot depot{local_arrays, " + bytes + "};\n";
  }
  if (async_copies_) text += "  AsyncCopies async_copies;\n";
  if (carry_) text += "  bool carry = false;\n";
  return text;
}

std::string Emitter::function_text() {
  std::string body;
  for (std::size_t i = 0; i < function_.body.size(); ++i) {
    scope_ = statement_scope_[i];
    const std::string code = emit(function_.body[i]);
    if (!code.empty()) body += "  " + code + "\n";
  }
  // Declarations come last: by now it is known what was used.
  return signature_of(function_, index_) + " {\n" + declarations() + body + "}\n";
}

}  // namespace backplane::sim::translate

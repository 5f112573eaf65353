// The emitter: turns each PTX statement of a function into one C++ statement.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "translate/source.h"

namespace backplane::sim::translate {

// What a name means at file scope.
struct GlobalSymbol {
  enum class Kind { variable, shared, dynamic_shared, function };
  Kind kind = Kind::variable;
  uint64_t index = 0;  // of a variable or function; offset of shared memory
  const Function* function = nullptr;
};
struct ModuleNames {
  std::map<std::string, GlobalSymbol> symbols;
  uint64_t shared_bytes = 0;  // of the module's own shared variables, which come first
  bool has_dynamic_shared = false;
};

// The modifiers of an opcode. A handler takes those it knows; one that is left over stops the
// translation, because ignoring it could change what the instruction means.
class Modifiers {
 public:
  explicit Modifiers(const Statement& statement)
      : parts_(statement.parts.begin() + 1, statement.parts.end()), line_(statement.line) {}
  bool take(const std::string& name);
  // The first of these that is present, or "".
  std::string take_one(const std::vector<std::string>& names);
  std::string type();  // takes the last type
  void ignore(const std::vector<std::string>& names);
  void finish(const std::string& text) const;

 private:
  std::vector<std::string> parts_;
  int line_;
};

class Emitter {
 public:
  Emitter(const Module& module, const ModuleNames& names, const Function& function, uint64_t index);

  std::string function_text();
  uint64_t static_shared_bytes() const { return shared_bytes_; }

  // For the handlers. An operand as a C++ expression of a PTX type.
  std::string value(const Operand& operand, const std::string& type);
  // Code that stores an expression of that type in the operand's register.
  std::string assign(const Operand& operand, const std::string& type,
                     const std::string& expression);
  std::string assign_name(const std::string& name, const std::string& type,
                          const std::string& expression);
  // The address of a memory operand as a u64 expression.
  std::string address(const Operand& operand);
  std::string label(const std::string& name);
  const std::vector<std::string>* branch_targets(const std::string& name);
  // Parameter space: the buffer that a name stands for, or "" when it is none.
  std::string parameter_buffer(const std::string& name);
  const GlobalSymbol* global_symbol(const std::string& name);
  std::string line() const { return std::to_string(statement_->line); }
  const Function& function() const { return function_; }
  void need_async_copies() { async_copies_ = true; }
  void need_carry() { carry_ = true; }
  bool has_local_arrays() const { return local_bytes_ > 0; }
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct Symbol {
    enum class Kind { reg, buffer, local, shared };
    Kind kind = Kind::reg;
    std::string cpp;
    std::string type;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    uint32_t alignment = 1;
    bool used = false;
  };
  struct Scope {
    int parent = -1;
    std::map<std::string, Symbol> symbols;
    std::map<std::string, std::string> labels;
    std::map<std::string, std::vector<std::string>> targets;
  };

  void collect();
  void declare(const Declaration& declared, int scope);
  void declare_parameters();
  Symbol* find(const std::string& name);
  std::string symbol_value(const std::string& name);
  std::string emit(const Statement& statement);
  std::string signature() const;
  std::string declarations() const;

  const Module& module_;
  const ModuleNames& names_;
  const Function& function_;
  uint64_t index_;
  std::vector<Scope> scopes_;
  std::vector<int> statement_scope_;
  int scope_ = 0;
  const Statement* statement_ = nullptr;
  uint64_t local_bytes_ = 0;
  uint64_t shared_bytes_ = 0;
  bool async_copies_ = false;
  bool carry_ = false;
};

using Handler = std::string (*)(Emitter&, Modifiers&, const Statement&);
using HandlerTable = std::map<std::string, Handler>;

void add_arithmetic(HandlerTable& table);
void add_bits(HandlerTable& table);
void add_moves(HandlerTable& table);
void add_memory(HandlerTable& table);
void add_control(HandlerTable& table);
void add_warp(HandlerTable& table);

std::string cpp_type(const std::string& type);  // "b32" -> "u32", "pred" -> "bool"
std::string function_name(uint64_t index);
std::string signature_of(const Function& function, uint64_t index);
// The C++ name of a rounding among the modifiers ("" = nearest), which is taken.
std::string take_rounding(Modifiers& modifiers);

}  // namespace backplane::sim::translate

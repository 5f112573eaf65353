// The parts of a PTX file as the parser finds them, and the error that ends a translation.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace backplane::sim::translate {

// Says what could not be translated, with line and text; main prints it and exits with 1.
class TranslationError : public std::runtime_error {
 public:
  TranslationError(int line, const std::string& what)
      : std::runtime_error("line " + std::to_string(line) + ": " + what) {}
};

struct Operand {
  enum class Kind { name, integer, bits32, bits64, memory, list, sink };
  Kind kind = Kind::sink;
  std::string name;      // register, special register, symbol or label; base of a memory operand
  std::string second;    // after '|': the second target of setp or shfl
  bool negated = false;  // !%p1
  int64_t offset = 0;    // of a memory operand; also the value of an integer
  uint64_t bits = 0;     // of a floating-point literal
  std::vector<Operand> elements;
};

// State spaces of declared symbols.
enum class Space { reg, param, local, shared, global, constant };

struct Initialiser {  // one element of a variable's initial value
  int64_t value = 0;
  std::string symbol;  // set when the element is the address of something
  int64_t addend = 0;
};

struct Declaration {
  Space space = Space::reg;
  std::string type;
  std::string name;
  uint64_t count = 1;      // of registers %r<count>, or of array elements
  bool is_range = false;   // %r<count>
  bool is_extern = false;  // extern shared memory: its size comes with the launch
  uint32_t alignment = 0;
  std::vector<Initialiser> initial;
  uint64_t bytes() const;
};

struct Statement {
  enum class Kind { instruction, label, declaration, open, close, targets };
  Kind kind = Kind::instruction;
  int line = 0;
  std::string text;       // of an instruction, for comments and messages
  std::string name;       // of a label
  std::string predicate;  // register, empty when there is none
  bool predicate_negated = false;
  std::vector<std::string> parts;  // "ld", "global", "f32"
  std::vector<Operand> operands;
  Declaration declaration;
  std::vector<std::string> targets;  // of a .branchtargets list named `name`
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  int line = 0;
  uint32_t max_threads = 0;
  std::vector<Declaration> results;
  std::vector<Declaration> parameters;
  std::vector<Statement> body;
};

struct Module {
  uint32_t capability = 0;
  std::vector<Declaration> variables;  // global, constant and shared memory at file scope
  std::vector<Function> functions;
};

// Bytes of a type such as "f32"; throws for types that are not simulated.
uint32_t type_bytes(const std::string& type, int line);
bool is_type(const std::string& word);

Module parse(const std::string& text);

// C++ for a whole module; `source` is named in it.
std::string emit_module(const Module& module, const std::string& source);

}  // namespace backplane::sim::translate

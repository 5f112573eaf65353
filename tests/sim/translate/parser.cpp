// Reads PTX into a Module. Names and types are checked later, where they are used.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "translate/lexer.h"
#include "translate/source.h"

namespace backplane::sim::translate {

uint64_t Declaration::bytes() const {
  return count * type_bytes(type, 0);
}

bool is_type(const std::string& word) {
  static const std::vector<std::string> types = {
      "u8",  "s8",  "b8",  "u16", "s16",  "b16",   "u32",    "s32", "b32", "u64",
      "s64", "b64", "f16", "f32", "bf16", "f16x2", "bf16x2", "f64", "pred"};
  return std::find(types.begin(), types.end(), word) != types.end();
}

uint32_t type_bytes(const std::string& type, int line) {
  if (type == "pred") return 1;
  if (!is_type(type)) throw TranslationError(line, "type ." + type + " is not simulated");
  if (type.ends_with("x2")) return 4;
  const std::size_t digit = type.find_first_of("0123456789");
  return static_cast<uint32_t>(std::stoul(type.substr(digit))) / 8;
}

namespace {

std::vector<std::string> split(const std::string& word) {
  std::vector<std::string> parts;
  std::stringstream stream(word);
  for (std::string part; std::getline(stream, part, '.');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text), tokens_(tokenize(text)) {}

  Module module() {
    while (peek().kind != Token::Kind::end) top_level();
    return std::move(module_);
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token take() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
  bool accept(std::string_view value) {
    if (!peek().is(value)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view value) {
    if (!accept(value)) {
      throw TranslationError(peek().line,
                             "expected '" + std::string(value) + "', found '" + peek().value + "'");
    }
  }
  void skip_past(std::string_view value) {
    while (!accept(value)) {
      if (take().kind == Token::Kind::end) throw TranslationError(peek().line, "text ends early");
    }
  }

  void top_level() {
    if (accept(".version")) {
      at_ += 1;  // "9" and ".0" arrive as a number and a word
      if (peek().value.starts_with(".") && peek().value.size() < 4) at_ += 1;
    } else if (accept(".target")) {
      const std::string target = take().value;  // sm_86
      module_.capability = static_cast<uint32_t>(std::strtoul(target.c_str() + 3, nullptr, 10));
      while (accept(",")) take();
    } else if (accept(".address_size")) {
      if (take().value != "64") throw TranslationError(peek().line, "only 64-bit code is known");
    } else if (accept(".file") || accept(".section")) {
      skip_debug_information();
    } else {
      linkage_and_item();
    }
  }

  void skip_debug_information() {
    const int line = peek().line;
    while (peek().line == line && !peek().is("{")) take();
    if (accept("{")) skip_past("}");
  }

  void linkage_and_item() {
    bool is_extern = false;
    for (;; take()) {
      if (peek().is(".extern"))
        is_extern = true;
      else if (!peek().is(".visible") && !peek().is(".weak") && !peek().is(".common"))
        break;
    }
    if (peek().is(".entry") || peek().is(".func")) return function();
    Declaration declared = declaration();
    declared.is_extern = is_extern;
    if (is_extern && declared.space != Space::shared) {
      throw TranslationError(peek().line, "variable " + declared.name +
                                              " lives in another file (-rdc is not simulated)");
    }
    module_.variables.push_back(declared);
  }

  static uint64_t literal(const std::string& word) {
    return std::strtoull(word.c_str(), nullptr, 0);
  }

  uint64_t number() {
    if (peek().kind != Token::Kind::number) {
      throw TranslationError(peek().line, "expected a number, found '" + peek().value + "'");
    }
    return literal(take().value);
  }

  // .global .align 4 .b8 name[16] = {...};   .reg .b32 %r<10>;   .reg .b16 a, b;
  Declaration declaration(bool in_parameter_list = false) {
    static const std::map<std::string, Space> spaces = {
        {".reg", Space::reg},       {".param", Space::param},   {".local", Space::local},
        {".shared", Space::shared}, {".global", Space::global}, {".const", Space::constant}};
    const Token word = take();
    const auto space = spaces.find(word.value);
    if (space == spaces.end()) {
      throw TranslationError(word.line, "directive " + word.value + " is not known");
    }
    Declaration declared;
    declared.space = space->second;
    for (;;) {
      if (accept(".align"))
        declared.alignment = static_cast<uint32_t>(number());
      else if (accept(".ptr") || accept(".global") || accept(".const") || accept(".shared"))
        continue;
      else if (peek().is(".attribute"))
        skip_past(")");
      else if (peek().value.starts_with(".v"))
        vector_prefix(declared);
      else if (peek().value.starts_with("."))
        declared.type = take().value.substr(1);
      else
        break;
    }
    declarator(declared);
    if (!in_parameter_list && declared.space != Space::reg) expect(";");
    return declared;
  }

  void vector_prefix(Declaration& declared) { declared.count = std::stoul(take().value.substr(2)); }

  void declarator(Declaration& declared) {
    declared.name = take().value;
    if (accept("<")) {
      declared.count = number();
      declared.is_range = true;
      expect(">");
    }
    while (accept("[")) {
      const bool open = peek().is("]");
      declared.count *= open ? 0 : number();
      if (open) declared.count = 0;
      expect("]");
    }
    if (accept("=")) initial_value(declared.initial);
    declared.alignment = std::max(
        declared.alignment, declared.type == "pred" ? 1 : type_bytes(declared.type, peek().line));
  }

  void initial_value(std::vector<Initialiser>& out) {
    if (accept("{")) {
      do initial_value(out);
      while (accept(","));
      expect("}");
      return;
    }
    Initialiser element;
    if (peek().kind == Token::Kind::word) {
      const bool generic = peek().is("generic") && peek(1).is("(");
      if (generic) at_ += 2;
      element.symbol = take().value;
      if (generic) expect(")");
      if (accept("+")) element.addend = static_cast<int64_t>(number());
    } else {
      element.value = literal_operand().offset;
    }
    out.push_back(element);
  }

  void function() {
    Function function;
    function.line = peek().line;
    function.is_entry = take().is(".entry");
    if (accept("(")) parameter_list(function.results);
    function.name = take().value;
    if (accept("(")) parameter_list(function.parameters);
    while (peek().value.starts_with(".")) function_directive(function);
    if (!accept(";")) {
      function.has_body = true;
      expect("{");
      body(function);
    }
    module_.functions.push_back(std::move(function));
  }

  void function_directive(Function& function) {
    const std::string name = take().value;
    if (name == ".noreturn") return;
    if (name == ".maxntid" || name == ".reqntid") {
      function.max_threads = static_cast<uint32_t>(number());
      while (accept(",")) function.max_threads *= static_cast<uint32_t>(number());
    } else if (name == ".minnctapersm" || name == ".maxnctapersm" || name == ".maxnreg") {
      number();
    } else {
      throw TranslationError(peek().line, "directive " + name + " is not known");
    }
  }

  void parameter_list(std::vector<Declaration>& out) {
    while (!accept(")")) {
      out.push_back(declaration(true));
      accept(",");
    }
  }

  void body(Function& function) {
    for (int depth = 1; depth > 0;) {
      Statement statement;
      statement.line = peek().line;
      if (accept("{")) {
        ++depth;
        statement.kind = Statement::Kind::open;
      } else if (accept("}")) {
        if (--depth == 0) return;
        statement.kind = Statement::Kind::close;
      } else if (peek(1).is(":") && peek().kind == Token::Kind::word) {
        if (!label(statement)) continue;
      } else if (peek().value.starts_with(".")) {
        body_directive(function);
        continue;
      } else {
        instruction(statement);
      }
      function.body.push_back(std::move(statement));
    }
  }

  // Labels of branch targets and prototypes name a directive, not a place. False: nothing to keep.
  bool label(Statement& statement) {
    statement.name = take().value;
    expect(":");
    if (accept(".callprototype")) {
      skip_past(";");
      return false;
    }
    if (!accept(".branchtargets")) {
      statement.kind = Statement::Kind::label;
      return true;
    }
    statement.kind = Statement::Kind::targets;
    do statement.targets.push_back(take().value);
    while (accept(","));
    expect(";");
    return true;
  }

  void body_directive(Function& function) {
    if (peek().is(".loc") || peek().is(".file")) {
      const int line = peek().line;
      while (peek().line == line) take();
      return;
    }
    if (peek().is(".pragma")) return skip_past(";");
    Declaration first = declaration();
    add(function, first);
    if (first.space != Space::reg) return;
    while (accept(",")) {
      Declaration next = first;
      next.count = 1;
      next.is_range = false;
      declarator(next);
      add(function, next);
    }
    expect(";");
  }

  void add(Function& function, const Declaration& declared) {
    Statement statement;
    statement.kind = Statement::Kind::declaration;
    statement.line = peek().line;
    statement.declaration = declared;
    function.body.push_back(statement);
  }

  void instruction(Statement& statement) {
    const std::size_t begin = at_;
    if (accept("@")) {
      statement.predicate_negated = accept("!");
      statement.predicate = take().value;
    }
    statement.parts = split(take().value);
    while (!peek().is(";")) {
      statement.operands.push_back(operand());
      if (!peek().is(";")) expect(",");
    }
    for (std::size_t i = begin; i < at_; ++i) {
      statement.text += (i > begin && !tokens_[i].is(",") ? " " : "") + tokens_[i].value;
    }
    expect(";");
  }

  Operand literal_operand() {
    Operand result;
    result.kind = Operand::Kind::integer;
    const bool minus = accept("-");
    const std::string word = take().value;
    if (word.starts_with("0f") || word.starts_with("0F")) {
      result.kind = Operand::Kind::bits32;
      result.bits = std::strtoull(word.c_str() + 2, nullptr, 16);
    } else if (word.starts_with("0d") || word.starts_with("0D")) {
      result.kind = Operand::Kind::bits64;
      result.bits = std::strtoull(word.c_str() + 2, nullptr, 16);
    } else {
      const auto value = static_cast<int64_t>(literal(word));
      result.offset = minus ? -value : value;
    }
    return result;
  }

  Operand operand() {
    Operand result;
    if (accept("[")) return memory_operand();
    if (peek().is("{") || peek().is("(")) return list_operand();
    if (peek().kind == Token::Kind::number || peek().is("-")) return literal_operand();
    result.negated = accept("!");
    if (peek().kind != Token::Kind::word) {
      throw TranslationError(peek().line, "operand '" + peek().value + "' is not understood");
    }
    result.name = take().value;
    result.kind = result.name == "_" ? Operand::Kind::sink : Operand::Kind::name;
    if (accept("|")) result.second = take().value;
    if (accept("+")) {
      result.offset = literal_operand().offset;
    }
    return result;
  }

  Operand memory_operand() {
    Operand result;
    result.kind = Operand::Kind::memory;
    if (peek().kind == Token::Kind::number) {
      result.offset = static_cast<int64_t>(number());
    } else {
      result.name = take().value;
      if (accept("+"))
        result.offset = literal_operand().offset;
      else if (peek().is("-"))
        result.offset = literal_operand().offset;
    }
    expect("]");
    return result;
  }

  Operand list_operand() {
    Operand result;
    result.kind = Operand::Kind::list;
    const std::string_view close = take().is("{") ? "}" : ")";
    while (!accept(close)) {
      result.elements.push_back(operand());
      accept(",");
    }
    return result;
  }

  std::string text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Module module_;
};

}  // namespace

Module parse(const std::string& text) {
  return Parser(text).module();
}

}  // namespace backplane::sim::translate

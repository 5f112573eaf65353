// mov, cvt and cvta.
#include "translate/emit.h"

namespace backplane::sim::translate {
namespace {

std::string part_type(const std::string& type, std::size_t parts, int line) {
  return "b" + std::to_string(8 * type_bytes(type, line) / parts);
}

// mov.b32 %r, {%h1, %h2}: the first element is the least significant.
std::string pack(Emitter& emitter, const Statement& statement, const std::string& type) {
  const auto& elements = statement.operands[1].elements;
  const std::string part = part_type(type, elements.size(), statement.line);
  const std::string bits = part.substr(1);
  std::string expression;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    expression += (i > 0 ? " | " : "") + cpp_type(type) + "(" + cpp_type(type) + "(" +
                  emitter.value(elements[i], part) + ") << " +
                  std::to_string(i * std::stoul(bits)) + ")";
  }
  return emitter.assign(statement.operands[0], type, cpp_type(type) + "(" + expression + ")");
}

std::string unpack(Emitter& emitter, const Statement& statement, const std::string& type) {
  const auto& elements = statement.operands[0].elements;
  const std::string part = part_type(type, elements.size(), statement.line);
  const std::string bits = part.substr(1);
  std::string code =
      "{ const " + cpp_type(type) + " whole = " + emitter.value(statement.operands[1], type) + "; ";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == Operand::Kind::sink) continue;
    code +=
        emitter.assign(elements[i], part,
                       cpp_type(part) + "(whole >> " + std::to_string(i * std::stoul(bits)) + ")") +
        " ";
  }
  return code + "}";
}

std::string integer_type(const std::string& type) {  // the type of the same size for packing
  return type == "pred" ? type : "b" + std::to_string(8 * type_bytes(type, 0));
}

std::string move(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  if (modifiers.take_one({"v2", "v4"}) != "") emitter.refuse("vector mov is not simulated");
  const std::string type = modifiers.type();
  if (statement.operands[1].kind == Operand::Kind::list)
    return pack(emitter, statement, integer_type(type));
  if (statement.operands[0].kind == Operand::Kind::list)
    return unpack(emitter, statement, integer_type(type));
  return emitter.assign(statement.operands[0], type, emitter.value(statement.operands[1], type));
}

// Only shared memory has generic addresses that differ from its own.
std::string convert_address(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const bool to = modifiers.take("to");
  const bool shared = modifiers.take("shared") || modifiers.take("shared::cta");
  modifiers.ignore({"global", "local", "const", "param"});
  const std::string type = modifiers.type();
  std::string expression = emitter.value(statement.operands[1], type);
  if (shared) expression += to ? " - kSharedWindow" : " + kSharedWindow";
  return emitter.assign(statement.operands[0], type, expression);
}

std::string is_space(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string space =
      modifiers.take_one({"shared", "global", "local", "const", "shared::cta"});
  const std::string address = emitter.value(statement.operands[1], "u64");
  const std::string in_shared = "(" + address + " - kSharedWindow < (u64{1} << 30))";
  if (space.starts_with("shared")) return emitter.assign(statement.operands[0], "pred", in_shared);
  if (space == "global") {
    return emitter.assign(
        statement.operands[0], "pred",
        "(" + address + " - thread.block->memory->base < thread.block->memory->bytes)");
  }
  emitter.refuse("isspacep of this space is not simulated");
}

std::string options_of(Modifiers& modifiers) {
  std::string text = "ConvertOptions{";
  std::string rounding = take_rounding(modifiers);
  text += ".rounding = " + rounding;
  static const std::map<std::string, std::string> integral = {
      {"rni", "nearest"}, {"rzi", "zero"}, {"rmi", "down"}, {"rpi", "up"}};
  for (const auto& [modifier, name] : integral) {
    if (modifiers.take(modifier)) text += ", .integral = Integral::" + name;
  }
  if (modifiers.take("sat")) text += ", .saturate = true";
  if (modifiers.take("ftz")) text += ", .flush = true";
  if (modifiers.take("relu")) text += ", .relu = true";
  return text + "}";
}

std::string convert(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string from = modifiers.type();
  if (modifiers.take("tf32")) {
    if (!modifiers.take("rna")) emitter.refuse("only cvt.rna.tf32.f32 is simulated");
    return emitter.assign(statement.operands[0], "f32",
                          "to_tf32(" + emitter.value(statement.operands[1], from) + ")");
  }
  const std::string to = modifiers.type();
  const std::string options = options_of(modifiers);
  if (statement.operands.size() == 3) {
    if (to != "f16x2" && to != "bf16x2") emitter.refuse("cvt of two values to this type");
    return emitter.assign(statement.operands[0], to,
                          "convert_pair<" + to + ">(" + emitter.value(statement.operands[1], from) +
                              ", " + emitter.value(statement.operands[2], from) + ", " + options +
                              ")");
  }
  return emitter.assign(statement.operands[0], to,
                        "convert<" + cpp_type(to) + ">(" +
                            emitter.value(statement.operands[1], from) + ", " + options + ")");
}

}  // namespace

void add_moves(HandlerTable& table) {
  table["mov"] = move;
  table["cvta"] = convert_address;
  table["isspacep"] = is_space;
  table["cvt"] = convert;
}

}  // namespace backplane::sim::translate

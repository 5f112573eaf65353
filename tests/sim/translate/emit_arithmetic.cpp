// add, mul, fma, div, min and the functions of one number.
#include "translate/emit.h"

namespace backplane::sim::translate {

std::string take_rounding(Modifiers& modifiers) {
  const std::string mode = modifiers.take_one({"rn", "rz", "rm", "rp", "rna"});
  if (mode == "rz") return "Rounding::zero";
  if (mode == "rm") return "Rounding::down";
  if (mode == "rp") return "Rounding::up";
  return mode == "rna" ? "Rounding::nearest_away" : "Rounding::nearest";
}

namespace {

bool is_integer(const std::string& type) {
  return type.find('f') == std::string::npos && type != "pred";
}

// Wraps an expression in .sat and .ftz, and assigns it.
std::string finish(Emitter& emitter, Modifiers& modifiers, const Operand& target,
                   const std::string& type, std::string expression) {
  if (modifiers.take("sat")) expression = "saturate(" + expression + ")";
  if (modifiers.take("ftz") && type == "f32") expression = "flush(" + expression + ")";
  return emitter.assign(target, type, expression);
}

// Operands are flushed as well where .ftz is given.
std::string input(Emitter& emitter, const Modifiers& modifiers, const Operand& operand,
                  const std::string& type) {
  Modifiers copy = modifiers;
  const std::string value = emitter.value(operand, type);
  return copy.take("ftz") && type == "f32" ? "flush(" + value + ")" : value;
}

std::string call(Emitter& emitter, Modifiers& modifiers, const Statement& statement,
                 const std::string& function, const std::string& type, std::size_t operands,
                 const std::string& extra = "") {
  std::string expression = function + "<" + cpp_type(type) + ">(";
  for (std::size_t i = 1; i <= operands; ++i) {
    if (i >= statement.operands.size()) emitter.refuse("too few operands");
    expression += (i > 1 ? ", " : "") + input(emitter, modifiers, statement.operands[i], type);
  }
  expression += (extra.empty() ? "" : ", " + extra) + ")";
  return finish(emitter, modifiers, statement.operands[0], type, expression);
}

// add.cc, addc, sub.cc, subc: the carry is a variable of the function.
std::string with_carry(Emitter& emitter, Modifiers& modifiers, const Statement& statement,
                       bool subtract) {
  const bool carry_in = statement.parts[0].ends_with("c") && statement.parts[0] != "sub";
  const bool carry_out = modifiers.take("cc");
  const std::string type = modifiers.type();
  emitter.need_carry();
  const std::string expression =
      std::string(subtract ? "subtract_borrow" : "add_carry") + "<" + cpp_type(type) + ">(" +
      emitter.value(statement.operands[1], type) + ", " +
      emitter.value(statement.operands[2], type) + ", " + (carry_in ? "carry" : "false") + ", " +
      (carry_out ? "carry" : "unused_carry") + ")";
  return "{ [[maybe_unused]] bool unused_carry; " +
         emitter.assign(statement.operands[0], type, expression) + " }";
}

std::string add_or_subtract(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const bool subtract = statement.parts[0].starts_with("sub");
  Modifiers copy = modifiers;
  if (copy.take("cc") || statement.parts[0] == "addc" || statement.parts[0] == "subc") {
    return with_carry(emitter, modifiers, statement, subtract);
  }
  const std::string type = modifiers.type();
  const std::string rounding = take_rounding(modifiers);
  modifiers.ignore({"noftz"});
  if (is_integer(type) && modifiers.take("sat")) {
    return emitter.assign(statement.operands[0], type,
                          "clamp_to_s32(s64(" + emitter.value(statement.operands[1], type) + ")" +
                              (subtract ? " - " : " + ") +
                              emitter.value(statement.operands[2], type) + ")");
  }
  const std::string function = subtract ? "subtract" : "add";
  return call(emitter, modifiers, statement, function, type, 2, is_integer(type) ? "" : rounding);
}

std::string wider(const std::string& type) {
  const std::string bits = type.substr(1);
  return type.substr(0, 1) + (bits == "16" ? "32" : bits == "32" ? "64" : "128");
}

// mul and mad of integers: .lo, .hi or .wide, and mad.cc / madc with the carry.
std::string multiply_integers(Emitter& emitter, Modifiers& modifiers, const Statement& statement,
                              const std::string& type) {
  const bool carry_in = statement.parts[0] == "madc";
  const bool accumulates = statement.parts[0].starts_with("mad");
  const std::string part = modifiers.take_one({"wide", "hi", "lo"});
  const bool carry_out = modifiers.take("cc");
  const std::string result = part == "wide" ? wider(type) : type;
  const std::string function = part == "wide" ? "multiply_wide"
                               : part == "hi" ? "multiply_high"
                                              : "multiply";
  std::string product = function + "<" + cpp_type(type) + ">(" +
                        emitter.value(statement.operands[1], type) + ", " +
                        emitter.value(statement.operands[2], type) + ")";
  if (!accumulates) return emitter.assign(statement.operands[0], result, product);
  const std::string addend = emitter.value(statement.operands[3], result);
  if (!carry_in && !carry_out) {
    return emitter.assign(statement.operands[0], result,
                          "add<" + cpp_type(result) + ">(" + product + ", " + addend + ")");
  }
  emitter.need_carry();
  return "{ [[maybe_unused]] bool unused_carry; " +
         emitter.assign(statement.operands[0], result,
                        "add_carry<" + cpp_type(result) + ">(" + product + ", " + addend + ", " +
                            (carry_in ? "carry" : "false") + ", " +
                            (carry_out ? "carry" : "unused_carry") + ")") +
         " }";
}

std::string multiply(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  if (is_integer(type)) return multiply_integers(emitter, modifiers, statement, type);
  const std::string rounding = take_rounding(modifiers);
  modifiers.ignore({"noftz"});
  const bool accumulates = statement.parts[0] != "mul";
  const bool relu = modifiers.take("relu");
  if (relu) {
    return emitter.assign(statement.operands[0], type,
                          "larger<" + cpp_type(type) + ">(multiply_add<" + cpp_type(type) + ">(" +
                              emitter.value(statement.operands[1], type) + ", " +
                              emitter.value(statement.operands[2], type) + ", " +
                              emitter.value(statement.operands[3], type) + "), " + cpp_type(type) +
                              "{}, true)");
  }
  return call(emitter, modifiers, statement, accumulates ? "multiply_add" : "multiply", type,
              accumulates ? 3 : 2, rounding);
}

std::string multiply_24(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const bool high = modifiers.take_one({"hi", "lo"}) == "hi";
  const std::string type = modifiers.type();
  std::string expression =
      "multiply_24<" + cpp_type(type) + ">(" + emitter.value(statement.operands[1], type) + ", " +
      emitter.value(statement.operands[2], type) + (high ? ", true)" : ", false)");
  if (statement.parts[0] == "mad24") {
    expression = "add<" + cpp_type(type) + ">(" + expression + ", " +
                 emitter.value(statement.operands[3], type) + ")";
  }
  return emitter.assign(statement.operands[0], type, expression);
}

std::string divide(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  modifiers.ignore({"approx", "full"});
  const std::string rounding = take_rounding(modifiers);
  return call(emitter, modifiers, statement, "divide", type, 2, is_integer(type) ? "" : rounding);
}

std::string remainder(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  return call(emitter, modifiers, statement, "remainder", modifiers.type(), 2);
}

std::string smaller_or_larger(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  const std::string keep_nan = modifiers.take("NaN") ? "true" : "false";
  const std::string function = statement.parts[0] == "min" ? "smaller" : "larger";
  if (statement.operands.size() != 3) emitter.refuse("three-input minimum is not simulated");
  return call(emitter, modifiers, statement, function, type, 2, keep_nan);
}

std::string negate(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"noftz"});
  return call(emitter, modifiers, statement, "negate", modifiers.type(), 1);
}
std::string absolute(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"noftz"});
  return call(emitter, modifiers, statement, "absolute", modifiers.type(), 1);
}

std::string one_number(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  static const std::map<std::string, std::string> functions = {{"sqrt", "square_root"},
                                                               {"rcp", "reciprocal"},
                                                               {"rsqrt", "reciprocal_root"},
                                                               {"ex2", "exp2"},
                                                               {"lg2", "log2"},
                                                               {"sin", "sine"},
                                                               {"cos", "cosine"},
                                                               {"tanh", "tangent_hyperbolic"}};
  const std::string type = modifiers.type();
  modifiers.ignore({"approx"});
  const std::string rounding = take_rounding(modifiers);
  const bool rounds = statement.parts[0] == "sqrt" || statement.parts[0] == "rcp";
  return call(emitter, modifiers, statement, functions.at(statement.parts[0]), type, 1,
              rounds ? rounding : "");
}

std::string copy_sign(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  return call(emitter, modifiers, statement, "copy_sign", modifiers.type(), 2);
}

std::string absolute_difference(Emitter& emitter, Modifiers& modifiers,
                                const Statement& statement) {
  const std::string type = modifiers.type();
  const std::string a = emitter.value(statement.operands[1], type);
  const std::string b = emitter.value(statement.operands[2], type);
  return emitter.assign(statement.operands[0], type,
                        "add<" + cpp_type(type) + ">(" +
                            emitter.value(statement.operands[3], type) + ", " + a + " < " + b +
                            " ? subtract(" + b + ", " + a + ") : subtract(" + a + ", " + b + "))");
}

std::string dot_bytes(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string b = modifiers.type();
  const std::string a = modifiers.type();
  const auto bytes = [](const std::string& type) { return type == "s32" ? "s8" : "u8"; };
  return emitter.assign(statement.operands[0], "u32",
                        std::string("dot_bytes<") + bytes(a) + ", " + bytes(b) + ">(" +
                            emitter.value(statement.operands[1], "u32") + ", " +
                            emitter.value(statement.operands[2], "u32") + ", " +
                            emitter.value(statement.operands[3], "u32") + ")");
}

}  // namespace

void add_arithmetic(HandlerTable& table) {
  for (const char* name : {"add", "sub", "addc", "subc"}) table[name] = add_or_subtract;
  for (const char* name : {"mul", "mad", "madc", "fma"}) table[name] = multiply;
  table["mul24"] = table["mad24"] = multiply_24;
  table["div"] = divide;
  table["rem"] = remainder;
  table["min"] = table["max"] = smaller_or_larger;
  table["neg"] = negate;
  table["abs"] = absolute;
  for (const char* name : {"sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"}) {
    table[name] = one_number;
  }
  table["copysign"] = copy_sign;
  table["sad"] = absolute_difference;
  table["dp4a"] = dot_bytes;
}

}  // namespace backplane::sim::translate

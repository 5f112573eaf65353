// Logic, shifts, fields, comparisons and selections.
#include "translate/emit.h"

namespace backplane::sim::translate {
namespace {

std::string logic(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  static const std::map<std::string, std::string> operators = {
      {"and", "&"}, {"or", "|"}, {"xor", "^"}};
  const std::string type = modifiers.type();
  const std::string sign = operators.at(statement.parts[0]);
  const std::string cast = type == "pred" ? "bool" : cpp_type(type);
  return emitter.assign(statement.operands[0], type,
                        "static_cast<" + cast + ">(" + emitter.value(statement.operands[1], type) +
                            " " + sign + " " + emitter.value(statement.operands[2], type) + ")");
}

std::string complement(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  const std::string a = emitter.value(statement.operands[1], type);
  if (type == "pred") return emitter.assign(statement.operands[0], type, "!" + a);
  return emitter.assign(statement.operands[0], type,
                        "static_cast<" + cpp_type(type) + ">(~" + a + ")");
}

std::string logical_not(Emitter& emitter, Modifiers& modifiers,
                        const Statement& statement) {  // cnot
  const std::string type = modifiers.type();
  return emitter.assign(
      statement.operands[0], type,
      cpp_type(type) + "(" + emitter.value(statement.operands[1], type) + " == 0 ? 1 : 0)");
}

std::string shift(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  const std::string function = statement.parts[0] == "shl" ? "shift_left" : "shift_right";
  return emitter.assign(statement.operands[0], type,
                        function + "<" + cpp_type(type) + ">(" +
                            emitter.value(statement.operands[1], type) + ", " +
                            emitter.value(statement.operands[2], "u32") + ")");
}

std::string funnel(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const bool left = modifiers.take_one({"l", "r"}) == "l";
  const bool wrap = modifiers.take_one({"wrap", "clamp"}) == "wrap";
  const std::string type = modifiers.type();
  return emitter.assign(statement.operands[0], type,
                        "funnel(" + emitter.value(statement.operands[1], "u32") + ", " +
                            emitter.value(statement.operands[2], "u32") + ", " +
                            emitter.value(statement.operands[3], "u32") +
                            (left ? ", true" : ", false") + (wrap ? ", true)" : ", false)"));
}

std::string extract_field(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  return emitter.assign(statement.operands[0], type,
                        "extract_field<" + cpp_type(type) + ">(" +
                            emitter.value(statement.operands[1], type) + ", " +
                            emitter.value(statement.operands[2], "u32") + ", " +
                            emitter.value(statement.operands[3], "u32") + ")");
}

std::string insert_field(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  return emitter.assign(statement.operands[0], type,
                        "insert_field<" + cpp_type(type) + ">(" +
                            emitter.value(statement.operands[1], type) + ", " +
                            emitter.value(statement.operands[2], type) + ", " +
                            emitter.value(statement.operands[3], "u32") + ", " +
                            emitter.value(statement.operands[4], "u32") + ")");
}

std::string find_leading(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const bool as_shift = modifiers.take("shiftamt");
  const std::string type = modifiers.type();
  return emitter.assign(statement.operands[0], "u32",
                        "find_leading<" + cpp_type(type) + ">(" +
                            emitter.value(statement.operands[1], type) +
                            (as_shift ? ", true)" : ", false)"));
}

std::string count_bits(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  const std::string function = statement.parts[0] == "popc" ? "ones" : "leading_zeros";
  return emitter.assign(
      statement.operands[0], "u32",
      function + "<" + cpp_type(type) + ">(" + emitter.value(statement.operands[1], type) + ")");
}

std::string reverse(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  return emitter.assign(
      statement.operands[0], type,
      "reverse_bits<" + cpp_type(type) + ">(" + emitter.value(statement.operands[1], type) + ")");
}

std::string three_words(Emitter& emitter, Modifiers& modifiers,
                        const Statement& statement) {  // prmt
  modifiers.type();
  return emitter.assign(statement.operands[0], "u32",
                        "permute(" + emitter.value(statement.operands[1], "u32") + ", " +
                            emitter.value(statement.operands[2], "u32") + ", " +
                            emitter.value(statement.operands[3], "u32") + ")");
}

std::string logic_table(Emitter& emitter, Modifiers& modifiers,
                        const Statement& statement) {  // lop3
  modifiers.type();
  std::string arguments;
  for (std::size_t i = 1; i <= 4; ++i)
    arguments += (i > 1 ? ", " : "") + emitter.value(statement.operands[i], "u32");
  return emitter.assign(statement.operands[0], "u32", "logic_table(" + arguments + ")");
}

std::string bit_mask(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"clamp"});
  modifiers.type();
  return emitter.assign(statement.operands[0], "u32",
                        "bit_mask(" + emitter.value(statement.operands[1], "u32") + ", " +
                            emitter.value(statement.operands[2], "u32") + ")");
}

// Takes the comparison of setp and set; lo, ls, hi and hs are the unsigned spellings.
std::string take_comparison(Emitter& emitter, Modifiers& modifiers) {
  static const std::map<std::string, std::string> unsigned_names = {
      {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
  const std::string name =
      modifiers.take_one({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
                          "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (name.empty()) emitter.refuse("comparison is not known");
  const auto spelled = unsigned_names.find(name);
  return "Compare::" + (spelled == unsigned_names.end() ? name : spelled->second);
}

std::string comparison(Emitter& emitter, Modifiers& modifiers, const Statement& statement,
                       const std::string& type, const std::string& how) {
  const bool flushes = modifiers.take("ftz") && type == "f32";
  const auto input = [&](const Operand& operand) {
    const std::string value = emitter.value(operand, type);
    return flushes ? "flush(" + value + ")" : value;
  };
  // Integers have no unordered forms, and ne is the plain one for them.
  return "compare<" + cpp_type(type) + ">(" + input(statement.operands[1]) + ", " +
         input(statement.operands[2]) + ", " + how + ")";
}

std::string pair_comparison(Emitter& emitter, const Statement& statement, const std::string& type,
                            const std::string& how) {
  const auto half = [&](const char* part) {
    return "compare(" + emitter.value(statement.operands[1], type) + "." + part + ", " +
           emitter.value(statement.operands[2], type) + "." + part + ", " + how + ")";
  };
  return emitter.assign_name(statement.operands[0].name, "pred", half("low")) + " " +
         emitter.assign_name(statement.operands[0].second, "pred", half("high"));
}

// setp.CMP{.BOOL} p|q, a, b{, c}: q is the opposite of p before the combination with c.
std::string set_predicate(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  const std::string how = take_comparison(emitter, modifiers);
  const std::string combine = modifiers.take_one({"and", "or", "xor"});
  if (type == "f16x2" || type == "bf16x2") {
    if (!combine.empty() || statement.operands[0].second.empty())
      emitter.refuse("form of setp not simulated");
    modifiers.ignore({"ftz"});
    return pair_comparison(emitter, statement, type, how);
  }
  const std::string test = comparison(emitter, modifiers, statement, type, how);
  const auto combined = [&](const std::string& value) {
    if (combine.empty()) return value;
    const std::string sign = combine == "and" ? " & " : combine == "or" ? " | " : " ^ ";
    return "bool(" + value + sign + emitter.value(statement.operands[3], "pred") + ")";
  };
  std::string code = "{ const bool is = " + test +
                     "; [[maybe_unused]] const bool p_ = " + combined("is") +
                     "; [[maybe_unused]] const bool q_ = " + combined("!is") + "; ";
  Operand first = statement.operands[0];
  if (first.kind != Operand::Kind::sink)
    code += emitter.assign_name(first.name, "pred", "p_") + " ";
  if (!first.second.empty() && first.second != "_")
    code += emitter.assign_name(first.second, "pred", "q_");
  return code + " }";
}

std::string set_value(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const std::string type = modifiers.type();
  const std::string result = modifiers.type();
  const std::string how = take_comparison(emitter, modifiers);
  if (statement.operands.size() != 3) emitter.refuse("form of set not simulated");
  if (type == "f16x2" || type == "bf16x2") {
    const auto half = [&](const char* part) {
      const std::string test = "compare(" + emitter.value(statement.operands[1], type) + "." +
                               part + ", " + emitter.value(statement.operands[2], type) + "." +
                               part + ", " + how + ")";
      return test;
    };
    modifiers.ignore({"ftz"});
    const bool as_pair = result == type;
    const std::string each = as_pair ? "decltype(" + cpp_type(type) + "::low)" : "u16";
    if (as_pair) {
      return emitter.assign(statement.operands[0], type,
                            cpp_type(type) + "{truth<" + each + ">(" + half("low") + "), truth<" +
                                each + ">(" + half("high") + ")}");
    }
    return emitter.assign(
        statement.operands[0], "u32",
        "u32(truth<u16>(" + half("low") + ") | u32(truth<u16>(" + half("high") + ")) << 16)");
  }
  return emitter.assign(statement.operands[0], result,
                        "truth<" + cpp_type(result) + ">(" +
                            comparison(emitter, modifiers, statement, type, how) + ")");
}

std::string select(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {  // selp
  const std::string type = modifiers.type();
  return emitter.assign(statement.operands[0], type,
                        emitter.value(statement.operands[3], "pred") + " ? " +
                            emitter.value(statement.operands[1], type) + " : " +
                            emitter.value(statement.operands[2], type));
}

std::string select_by_sign(Emitter& emitter, Modifiers& modifiers,
                           const Statement& statement) {  // slct
  modifiers.ignore({"ftz"});
  const std::string sign = modifiers.type();
  const std::string type = modifiers.type();
  return emitter.assign(statement.operands[0], type,
                        emitter.value(statement.operands[3], sign) + " >= 0 ? " +
                            emitter.value(statement.operands[1], type) + " : " +
                            emitter.value(statement.operands[2], type));
}

std::string test_number(Emitter& emitter, Modifiers& modifiers,
                        const Statement& statement) {  // testp
  static const std::map<std::string, std::string> tests = {{"finite", "std::isfinite"},
                                                           {"infinite", "std::isinf"},
                                                           {"notanumber", "std::isnan"},
                                                           {"normal", "std::isnormal"},
                                                           {"number", "!std::isnan"}};
  const std::string type = modifiers.type();
  for (const auto& [name, test] : tests) {
    if (modifiers.take(name)) {
      return emitter.assign(statement.operands[0], "pred",
                            test + "(" + emitter.value(statement.operands[1], type) + ")");
    }
  }
  if (modifiers.take("subnormal")) {
    return emitter.assign(
        statement.operands[0], "pred",
        "std::fpclassify(" + emitter.value(statement.operands[1], type) + ") == FP_SUBNORMAL");
  }
  emitter.refuse("form of testp not simulated");
}

}  // namespace

void add_bits(HandlerTable& table) {
  table["and"] = table["or"] = table["xor"] = logic;
  table["not"] = complement;
  table["cnot"] = logical_not;
  table["shl"] = table["shr"] = shift;
  table["shf"] = funnel;
  table["bfe"] = extract_field;
  table["bfi"] = insert_field;
  table["bfind"] = find_leading;
  table["popc"] = table["clz"] = count_bits;
  table["brev"] = reverse;
  table["prmt"] = three_words;
  table["lop3"] = logic_table;
  table["bmsk"] = bit_mask;
  table["setp"] = set_predicate;
  table["set"] = set_value;
  table["selp"] = select;
  table["slct"] = select_by_sign;
  table["testp"] = test_number;
}

}  // namespace backplane::sim::translate

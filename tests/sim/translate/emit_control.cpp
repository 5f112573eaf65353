// Branches, calls, returns and traps.
#include "translate/emit.h"

namespace backplane::sim::translate {
namespace {

std::string branch(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"uni"});
  return "goto " + emitter.label(statement.operands[0].name) + ";";
}

// brx.idx %r, list: a jump table.
std::string branch_indexed(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"idx", "uni"});
  const auto* targets = emitter.branch_targets(statement.operands[1].name);
  if (targets == nullptr) emitter.refuse("list of branch targets is not known");
  std::string code = "switch (" + emitter.value(statement.operands[0], "u32") + ") { ";
  for (std::size_t i = 0; i < targets->size(); ++i) {
    code += "case " + std::to_string(i) + ": goto " + emitter.label((*targets)[i]) + "; ";
  }
  return code + "default: thread.block->services->fail(thread, Fault::trap, \"branch table\", " +
         emitter.line() + "); }";
}

std::vector<std::string> buffers(Emitter& emitter, const Operand& list) {
  std::vector<std::string> names;
  for (const Operand& each : list.elements) {
    const std::string buffer = emitter.parameter_buffer(each.name);
    if (buffer.empty()) emitter.refuse("argument " + each.name + " is not in parameter space");
    names.push_back(buffer);
  }
  return names;
}

std::string builtin_call(Emitter& emitter, const std::string& name,
                         const std::vector<std::string>& arguments) {
  static const std::map<std::string, std::string> builtins = {{"vprintf", "print_formatted"},
                                                              {"__assertfail", "assertion_failed"}};
  const auto builtin = builtins.find(name);
  if (builtin == builtins.end())
    emitter.refuse("function " + name + " of the device is not simulated");
  std::string code = builtin->second + "(thread";
  for (const std::string& argument : arguments) code += ", " + argument;
  return code + ", " + emitter.line() + ");";
}

// call (result), function, (arguments){, prototype}: results and arguments are optional.
std::string call(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"uni"});
  std::vector<std::string> arguments;
  std::size_t at = 0;
  if (statement.operands[at].kind == Operand::Kind::list)
    arguments = buffers(emitter, statement.operands[at++]);
  const Operand& callee = statement.operands[at++];
  if (at < statement.operands.size() && statement.operands[at].kind == Operand::Kind::list) {
    for (const std::string& each : buffers(emitter, statement.operands[at]))
      arguments.push_back(each);
  }
  const GlobalSymbol* symbol = emitter.global_symbol(callee.name);
  if (symbol != nullptr && !symbol->function->has_body) {
    return builtin_call(emitter, callee.name, arguments);
  }
  std::string code;
  if (symbol != nullptr) {
    code = function_name(symbol->index) + "(thread";
  } else {
    std::string types = "Thread&";
    for (std::size_t i = 0; i < arguments.size(); ++i) types += ", Parameter";
    code = "reinterpret_cast<void (*)(" + types + ")>(" + emitter.value(callee, "u64") + ")(thread";
  }
  for (const std::string& argument : arguments) code += ", " + argument;
  return code + ");";
}

std::string leave(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"uni"});
  if (statement.parts[0] == "exit" && !emitter.function().is_entry)
    emitter.refuse("exit inside a function");
  return "return;";
}

std::string trap(Emitter& emitter, Modifiers&, const Statement&) {
  return "thread.block->services->fail(thread, Fault::trap, \"trap\", " + emitter.line() + ");";
}

std::string pause(Emitter&, Modifiers& modifiers, const Statement&) {
  modifiers.ignore({"u32"});
  return ";";
}

}  // namespace

void add_control(HandlerTable& table) {
  table["bra"] = branch;
  table["brx"] = branch_indexed;
  table["call"] = call;
  table["ret"] = table["exit"] = leave;
  table["trap"] = table["brkpt"] = trap;
  table["nanosleep"] = table["pmevent"] = pause;
}

}  // namespace backplane::sim::translate

// Barriers and the instructions by which the lanes of a warp speak to each other.
#include "translate/emit.h"

namespace backplane::sim::translate {
namespace {

std::string barrier_call(Emitter& emitter, const Statement& statement, std::size_t first,
                         std::size_t last, const std::string& vote, const std::string& value) {
  const std::string id =
      first < statement.operands.size() ? emitter.value(statement.operands[first], "u32") : "0";
  const std::string threads =
      first + 1 < last ? emitter.value(statement.operands[first + 1], "u32") : "0";
  return "barrier(thread, " + id + ", " + threads + ", BarrierVote::" + vote + ", " + value + ", " +
         emitter.line() + ")";
}

// bar.sync, bar.red.{popc,and,or}, bar.warp.sync, and the barrier.* spellings of the same.
std::string barrier(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.ignore({"aligned", "cta"});
  if (modifiers.take("warp")) {
    modifiers.take("sync");
    return "thread.block->services->warp_fence(thread, " +
           emitter.value(statement.operands[0], "u32") + ", " + emitter.line() + ");";
  }
  if (modifiers.take("sync"))
    return barrier_call(emitter, statement, 0, statement.operands.size(), "none", "false") + ";";
  if (!modifiers.take("red")) emitter.refuse("form of barrier is not simulated");
  const std::string reduction = modifiers.take_one({"popc", "and", "or"});
  const std::string type = modifiers.type();
  const std::string vote = reduction == "popc" ? "count" : reduction == "and" ? "all" : "any";
  const std::size_t last = statement.operands.size() - 1;
  const std::string call = barrier_call(emitter, statement, 1, last, vote,
                                        emitter.value(statement.operands[last], "pred"));
  return emitter.assign(statement.operands[0], type, type == "pred" ? call + " != 0" : call);
}

std::string shuffle(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  static const std::map<std::string, std::string> kinds = {
      {"up", "up"}, {"down", "down"}, {"bfly", "butterfly"}, {"idx", "index"}};
  if (!modifiers.take("sync")) emitter.refuse("shfl without .sync is not simulated");
  const std::string kind = kinds.at(modifiers.take_one({"up", "down", "bfly", "idx"}));
  modifiers.type();
  std::string code = "{ bool in_range; const u32 got = shuffle(thread, Shuffle::" + kind + ", " +
                     emitter.value(statement.operands[1], "u32") + ", " +
                     emitter.value(statement.operands[2], "u32") + ", " +
                     emitter.value(statement.operands[3], "u32") + ", " +
                     emitter.value(statement.operands[4], "u32") + ", in_range, " + emitter.line() +
                     "); " + emitter.assign(statement.operands[0], "u32", "got");
  if (!statement.operands[0].second.empty()) {
    code += " " + emitter.assign_name(statement.operands[0].second, "pred", "in_range");
  }
  return code + " }";
}

std::string vote(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  if (!modifiers.take("sync")) emitter.refuse("vote without .sync is not simulated");
  const std::string mode = modifiers.take_one({"ballot", "any", "all", "uni"});
  const std::string type = modifiers.type();
  const std::string function = mode == "uni" ? "vote_uniform" : "vote_" + mode;
  return emitter.assign(statement.operands[0], type,
                        function + "(thread, " + emitter.value(statement.operands[1], "pred") +
                            ", " + emitter.value(statement.operands[2], "u32") + ", " +
                            emitter.line() + ")");
}

std::string match(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.take("sync");
  const bool all = modifiers.take_one({"any", "all"}) == "all";
  const std::string type = modifiers.type();
  const std::string arguments = "thread, " + emitter.value(statement.operands[1], type) + ", " +
                                emitter.value(statement.operands[2], "u32") + ", ";
  if (!all) {
    return emitter.assign(statement.operands[0], "u32",
                          "match_any<" + cpp_type(type) + ">(" + arguments + emitter.line() + ")");
  }
  std::string code = "{ bool same; const u32 got = match_all<" + cpp_type(type) + ">(" + arguments +
                     "same, " + emitter.line() + "); " +
                     emitter.assign(statement.operands[0], "u32", "got");
  if (!statement.operands[0].second.empty())
    code += " " + emitter.assign_name(statement.operands[0].second, "pred", "same");
  return code + " }";
}

std::string reduce(Emitter& emitter, Modifiers& modifiers,
                   const Statement& statement) {  // redux.sync
  static const std::map<std::string, std::string> bodies = {
      {"add", "add(a, b)"}, {"min", "smaller(a, b)"}, {"max", "larger(a, b)"},
      {"and", "a & b"},     {"or", "a | b"},          {"xor", "a ^ b"}};
  modifiers.take("sync");
  const std::string body = bodies.at(modifiers.take_one({"add", "min", "max", "and", "or", "xor"}));
  const std::string type = modifiers.type();
  const std::string t = cpp_type(type);
  return emitter.assign(statement.operands[0], type,
                        "reduce<" + t + ">(thread, " + emitter.value(statement.operands[1], type) +
                            ", " + emitter.value(statement.operands[2], "u32") + ", [](" + t +
                            " a, " + t + " b) { return " + t + "(" + body + "); }, " +
                            emitter.line() + ")");
}

// A lane may always find itself alone: code must not rely on more, and here it cannot.
std::string active_mask(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  modifiers.type();
  return emitter.assign(statement.operands[0], "u32", "u32(1u << lane(thread))");
}

}  // namespace

void add_warp(HandlerTable& table) {
  table["bar"] = table["barrier"] = barrier;
  table["shfl"] = shuffle;
  table["vote"] = vote;
  table["match"] = match;
  table["redux"] = reduce;
  table["activemask"] = active_mask;
}

}  // namespace backplane::sim::translate

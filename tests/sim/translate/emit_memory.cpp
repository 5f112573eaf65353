// Loads, stores, atomics, asynchronous copies, fences.
#include "translate/emit.h"

namespace backplane::sim::translate {
namespace {

// Cache hints and memory orders do not matter where one thread runs at a time.
void ignore_hints(Modifiers& modifiers) {
  modifiers.ignore({"volatile",
                    "relaxed",
                    "acquire",
                    "release",
                    "acq_rel",
                    "weak",
                    "cta",
                    "gpu",
                    "sys",
                    "ca",
                    "cg",
                    "cs",
                    "lu",
                    "cv",
                    "wb",
                    "wt",
                    "nc",
                    "L1::evict_normal",
                    "L1::evict_unchanged",
                    "L1::evict_first",
                    "L1::evict_last",
                    "L1::no_allocate",
                    "L2::64B",
                    "L2::128B",
                    "L2::256B",
                    "L2::cache_hint",
                    "mmio",
                    "unified"});
}

struct Place {
  std::string space;
  std::string accessor;  // of the C++ support
};

Place take_space(Modifiers& modifiers) {
  const std::string space = modifiers.take_one({"global", "shared", "shared::cta", "local", "const",
                                                "param", "param::entry", "param::func"});
  if (space.starts_with("shared")) return {"shared", "shared"};
  if (space.starts_with("param")) return {"param", "parameter"};
  if (space == "local") return {"local", "local"};
  return {space, "global"};  // also generic addresses and constants
}

// The storage of one element, as a void* expression. `at` holds the address.
std::string storage(Emitter& emitter, const Place& place, const std::string& type,
                    const std::string& at, const std::string& access) {
  const std::string t = "<" + cpp_type(type) + ">";
  if (place.space == "local")
    return "local" + t + "(thread, depot, " + at + ", " + emitter.line() + ")";
  return place.accessor + t + "(thread, " + at + ", Access::" + access + ", " + emitter.line() +
         ")";
}

// ld.param and st.param of a named buffer, at a constant offset.
std::string buffer_storage(Emitter& emitter, const Operand& operand, const std::string& buffer,
                           const std::string& type, uint64_t extra) {
  return "parameter<" + cpp_type(type) + ">(thread, " + buffer + ", " +
         std::to_string(static_cast<uint64_t>(operand.offset) + extra) + ", " + emitter.line() +
         ")";
}

// A list {a, b, c, d} or a single register.
std::vector<Operand> elements_of(const Operand& operand) {
  return operand.kind == Operand::Kind::list ? operand.elements : std::vector<Operand>{operand};
}

std::string load_or_store(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const bool is_load = statement.parts[0] != "st";
  ignore_hints(modifiers);
  Place place = take_space(modifiers);
  modifiers.take_one({"v2", "v4", "v8"});
  const std::string type = modifiers.type();
  const Operand& memory = statement.operands[is_load ? 1 : 0];
  const auto elements = elements_of(statement.operands[is_load ? 0 : 1]);
  const uint64_t bytes = type_bytes(type, statement.line);
  const std::string buffer = place.space == "param" ? emitter.parameter_buffer(memory.name) : "";
  if (place.space == "param" && buffer.empty()) place = {"", "global"};  // a computed address
  if (place.space == "local" && !emitter.has_local_arrays()) place = {"", "global"};

  std::string code = "{ ";
  if (buffer.empty()) code += "const u64 at = " + emitter.address(memory) + "; ";
  if (elements.size() > 1 && buffer.empty()) {
    code += "aligned(thread, at, " + std::to_string(bytes * elements.size()) + ", " +
            emitter.line() + "); ";
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string at = i == 0 ? "at" : "at + " + std::to_string(i * bytes);
    const std::string where = buffer.empty()
                                  ? storage(emitter, place, type, at, is_load ? "read" : "write")
                                  : buffer_storage(emitter, memory, buffer, type, i * bytes);
    if (is_load) {
      code +=
          emitter.assign(elements[i], type, "fetch<" + cpp_type(type) + ">(" + where + ")") + " ";
    } else {
      code += "store<" + cpp_type(type) + ">(" + where + ", " + emitter.value(elements[i], type) +
              "); ";
    }
  }
  return code + "}";
}

// The new value that an atomic leaves, in terms of `old`, b and c.
std::string atomic_update(Emitter& emitter, Modifiers& modifiers, const std::string& type) {
  const std::string t = cpp_type(type);
  if (modifiers.take("exch")) return "static_cast<void>(old); return b;";
  if (modifiers.take("cas")) return "return old == b ? c : old;";
  if (modifiers.take("add")) return "return add<" + t + ">(old, b);";
  if (modifiers.take("inc")) return "return increment(old, b);";
  if (modifiers.take("dec")) return "return decrement(old, b);";
  if (modifiers.take("min")) return "return smaller<" + t + ">(old, b);";
  if (modifiers.take("max")) return "return larger<" + t + ">(old, b);";
  if (modifiers.take("and")) return "return " + t + "(old & b);";
  if (modifiers.take("or")) return "return " + t + "(old | b);";
  if (modifiers.take("xor")) return "return " + t + "(old ^ b);";
  emitter.refuse("atomic operation is not simulated");
}

std::string atomic(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  const bool returns = statement.parts[0] == "atom";
  const std::size_t first = returns ? 1 : 0;
  ignore_hints(modifiers);
  modifiers.ignore({"noftz"});
  const Place place = take_space(modifiers);
  const std::string type = modifiers.type();
  const std::string t = cpp_type(type);
  std::string code = "{ const u64 at = " + emitter.address(statement.operands[first]) + "; const " +
                     t + " b = " + emitter.value(statement.operands[first + 1], type) + "; ";
  if (statement.operands.size() > first + 2) {
    code += "const " + t + " c = " + emitter.value(statement.operands[first + 2], type) + "; ";
  }
  const std::string call = "atomic<" + t + ">(" + storage(emitter, place, type, "at", "atomic") +
                           ", [&](" + t + " old) -> " + t + " { " +
                           atomic_update(emitter, modifiers, type) + " })";
  code += returns ? emitter.assign(statement.operands[0], type, call) : call + ";";
  return code + " }";
}

std::string nothing(Emitter&, Modifiers& modifiers, const Statement&) {
  ignore_hints(modifiers);
  modifiers.ignore({"global", "local", "L1", "L2", "L2::evict_last", "L2::evict_normal", "u32"});
  return ";";
}

std::string fence(Emitter&, Modifiers& modifiers, const Statement&) {
  const std::string scope = modifiers.take_one({"cta", "gl", "gpu", "sys", "cluster"});
  modifiers.ignore({"sc", "acq_rel", "level", "proxy", "async"});
  return scope == "cta" ? ";" : "thread.block->services->grid_fence(thread);";
}

// cp.async.ca.shared.global [dst], [src], 16{, src-size}; and its commit and wait forms.
std::string async_copy(Emitter& emitter, Modifiers& modifiers, const Statement& statement) {
  if (!modifiers.take("async")) emitter.refuse("form of cp is not simulated");
  emitter.need_async_copies();
  if (modifiers.take("commit_group")) return "async_copies.commit();";
  if (modifiers.take("wait_all")) return "async_copies.wait_all();";
  if (modifiers.take("wait_group"))
    return "async_copies.wait(" + emitter.value(statement.operands[0], "u32") + ");";
  ignore_hints(modifiers);
  modifiers.ignore({"shared", "shared::cta", "global"});
  const std::string bytes = std::to_string(statement.operands[2].offset);
  const std::string source_bytes = statement.operands.size() > 3
                                       ? emitter.value(statement.operands[3], "u32")
                                       : "u32(" + bytes + ")";
  return "async_copy<" + bytes + ">(thread, async_copies, " +
         emitter.address(statement.operands[0]) + ", " + emitter.address(statement.operands[1]) +
         ", " + source_bytes + ", " + emitter.line() + ");";
}

}  // namespace

void add_memory(HandlerTable& table) {
  table["ld"] = table["ldu"] = table["st"] = load_or_store;
  table["atom"] = table["red"] = atomic;
  table["prefetch"] = table["prefetchu"] = table["discard"] = nothing;
  table["membar"] = table["fence"] = fence;
  table["cp"] = async_copy;
}

}  // namespace backplane::sim::translate

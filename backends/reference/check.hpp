// What a plan demands of the tensors it is asked for; anything else is refused in words.
#pragma once

#include <initializer_list>
#include <string>

#include "backplane/plugin/backend.hpp"

namespace backplane::reference {

// A set of element types: bit i stands for bp_dtype i.
using Types = std::uint32_t;
inline constexpr Types floating = 1u << BP_F32 | 1u << BP_F64 | 1u << BP_F16 | 1u << BP_BF16;
inline constexpr Types integer =
    1u << BP_I8 | 1u << BP_U8 | 1u << BP_U16 | 1u << BP_I32 | 1u << BP_I64;
inline constexpr Types any_number = floating | integer;
inline constexpr Types only(bp_dtype dtype) {
  return 1u << dtype;
}

[[nodiscard]] inline bool is_floating(const bp_tensor_desc& desc) {
  return desc.dtype < 32 && (floating >> desc.dtype & 1) != 0;
}

// One argument of an operation. Optional ones come last and may be left out.
struct Argument {
  const char* name;
  Types types;
  bool optional = false;
};

class Check {
 public:
  Check(const op::Row& row, plugin::Request& request) : row_(row), request_(request) {}

  // Counts, types, layouts and strides. Outputs of layout ANY become dense and row-major.
  void arguments(std::initializer_list<Argument> inputs, std::initializer_list<Argument> outputs);

  // Of a multi-tensor operation: so many tensors for each of `count` parameters, all of them
  // floating and each of its parameter's dims. Scalars of the operation as a whole come last.
  void multi_tensor(std::uint64_t count, std::uint64_t inputs_each, std::uint64_t outputs_each,
                    std::uint64_t scalar_inputs = 0, std::uint64_t scalar_outputs = 0);

  // As `arguments`, for one output and operands that are all floating or all integer.
  void numbers(std::initializer_list<const char*> inputs);

  void rank(const bp_tensor_desc& desc, const char* name, std::uint32_t rank) const;
  void dims(const bp_tensor_desc& desc, const char* name,
            std::initializer_list<std::int64_t> dims) const;
  void same_dims(const bp_tensor_desc& desc, const char* name, const bp_tensor_desc& as) const;

  // Throws `invalid` with the operation's name in front, unless `holds`.
  void that(bool holds, const std::string& text) const;

 private:
  void counts(std::uint64_t least_inputs, std::uint64_t most_inputs, std::uint64_t least_outputs,
              std::uint64_t most_outputs) const;
  void description(const bp_tensor_desc& desc, const std::string& name, Types types) const;
  void output(bp_tensor_desc& desc, const std::string& name, Types types) const;

  const op::Row& row_;
  plugin::Request& request_;
};

}  // namespace backplane::reference

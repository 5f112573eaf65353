// What a plan demands of the tensors it is asked for; anything else is refused in words.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "backplane/plugin/backend.hpp"

namespace backplane::card {

// A set of element types: bit i stands for bp_dtype i.
using Types = std::uint32_t;
inline constexpr Types only(bp_dtype dtype) {
  return 1u << dtype;
}
inline constexpr Types f32 = only(BP_F32);
// What arithmetic takes: floats are computed in f32, integers wrap.
inline constexpr Types floats = only(BP_F32) | only(BP_F16) | only(BP_BF16);
inline constexpr Types integers =
    only(BP_I8) | only(BP_U8) | only(BP_U16) | only(BP_I32) | only(BP_I64);
// What is stored and converted.
inline constexpr Types any_type = floats | integers | only(BP_F64);

[[nodiscard]] inline bool is_integer(const bp_tensor_desc& desc) {
  return (integers >> desc.dtype & 1) != 0;
}

struct Argument {
  const char* name;
  Types types = f32;
  bool optional = false;  // such ones come last
};

class Check {
 public:
  Check(const op::Row& row, plugin::Request& request) : row_(row), request_(request) {}

  // How many, of which types, in which layout. Outputs of layout ANY become row-major.
  void arguments(std::initializer_list<Argument> inputs, std::initializer_list<Argument> outputs);
  // As `arguments`, of a multi-tensor operation: so many tensors for each of `count` parameters.
  // Scalars of the operation as a whole come last.
  void multi_tensor(std::uint64_t count, std::uint64_t inputs_each, std::uint64_t outputs_each,
                    std::uint64_t scalar_inputs = 0, std::uint64_t scalar_outputs = 0);

  // All tensors have output 0's type.
  void one_type() const;
  // So have inputs 0 and 1 among themselves, whose products are summed.
  void factors_of_one_type() const;
  // All tensors have output 0's dims.
  void one_shape() const;
  void dims(const bp_tensor_desc& desc, const char* name,
            std::initializer_list<std::int64_t> dims) const;
  void same_dims(const bp_tensor_desc& desc, const char* name, const bp_tensor_desc& as) const;
  void rank(const bp_tensor_desc& desc, const char* name, std::uint32_t rank) const;

  // Throws `invalid`, with the operation's name in front, unless it holds.
  void that(bool holds, const std::string& rule) const;
  [[nodiscard]] plugin::Failure unsupported(const std::string& why) const;

 private:
  void counts(const char* what, std::uint64_t count, std::uint64_t least, std::uint64_t most) const;
  void description(const bp_tensor_desc& desc, const std::string& name, Types types) const;
  void output(bp_tensor_desc& desc, const std::string& name, Types types) const;

  const op::Row& row_;
  plugin::Request& request_;
};

}  // namespace backplane::card

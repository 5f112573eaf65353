// What a plan demands of the tensors it is asked for; anything else is declined in words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "backplane/plugin/backend.hpp"
#include "cpu/types.h"

namespace backplane::onednn {

[[nodiscard]] const char* dtype_name(std::uint32_t dtype);
[[nodiscard]] cpu::Type cpu_type(std::uint32_t dtype);           // of a dtype that Check has seen
[[nodiscard]] std::string describe(const bp_tensor_desc& desc);  // f32[32,1,28,28]

class Check {
 public:
  // Every description must have a known dtype, a rank up to 8 and a layout of this device; adds_to
  // only bits that the row allows.
  Check(const op::Row& row, const plugin::Request& request);

  void inputs(std::size_t least, std::size_t most) const;
  void outputs(std::size_t least, std::size_t most) const;

  // Unsupported, unless the dtype is one of these.
  void dtype(const bp_tensor_desc& desc, const char* what,
             std::initializer_list<bp_dtype> accepted) const;
  void rank(const bp_tensor_desc& desc, const char* what, std::uint32_t rank) const;
  void dims(const bp_tensor_desc& desc, const char* what,
            std::initializer_list<std::int64_t> dims) const;
  void same_dims(const bp_tensor_desc& desc, const char* what, const bp_tensor_desc& as) const;

  // Invalid, unless it holds.
  void that(bool holds, const std::string& rule) const;
  [[nodiscard]] plugin::Failure unsupported(const std::string& why) const;

 private:
  void description(const bp_tensor_desc& desc) const;

  const op::Row& row_;
  const plugin::Request& request_;
};

// Calls body(T{}) with the type of `dtype`.
template <class Body>
auto with_number(const Check& check, std::uint32_t dtype, const Body& body) {
  switch (dtype) {
    case BP_F32:
      return body(float{});
    case BP_F64:
      return body(double{});
    case BP_I8:
      return body(std::int8_t{});
    case BP_U8:
      return body(std::uint8_t{});
    case BP_U16:
      return body(std::uint16_t{});
    case BP_I32:
      return body(std::int32_t{});
    case BP_I64:
      return body(std::int64_t{});
    default:
      throw check.unsupported(std::string(dtype_name(dtype)) + " isn't computed with");
  }
}

template <class Body>
auto with_float(const Check& check, std::uint32_t dtype, const Body& body) {
  switch (dtype) {
    case BP_F32:
      return body(float{});
    case BP_F64:
      return body(double{});
    default:
      throw check.unsupported("takes f32 or f64, not " + std::string(dtype_name(dtype)));
  }
}

}  // namespace backplane::onednn

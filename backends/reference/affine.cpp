// affine: y = scale * x + shift.
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// A whole number that int64 holds.
bool is_whole(double value) {
  return std::trunc(value) == value && -0x1p63 <= value && value < 0x1p63;
}

void affine_floating(const Call& call) {
  const auto [scale, shift] = call.scalars<op::Affine>();
  auto y = call.load(0);
  for (double& value : y) value = std::fma(scale, value, shift);
  call.store(0, std::move(y));
}

// With whole scalars as mul and add: exact, and it wraps. Else as from floating, by copy's rules.
void affine_integer(const Call& call) {
  const auto [scale, shift] = call.scalars<op::Affine>();
  if (!is_whole(scale) || !is_whole(shift)) return affine_floating(call);
  const auto factor = static_cast<std::uint64_t>(static_cast<std::int64_t>(scale));
  const auto summand = static_cast<std::uint64_t>(static_cast<std::int64_t>(shift));
  auto y = call.load<std::uint64_t>(0);
  for (std::uint64_t& value : y) value = factor * value + summand;
  call.store(0, std::move(y));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Affine&, plugin::Request& request) {
  Check check(op::row_of<op::Affine>, request);
  check.numbers({"x"});
  const bp_tensor_desc& y = request.outputs[0];
  check.same_dims(request.inputs[0], "x", y);
  return make_plan<op::Affine>(request, is_floating(y) ? affine_floating : affine_integer);
}

}  // namespace backplane::reference

// flip: the elements in reverse order along chosen axes.
#include "backend.hpp"
#include "index.hpp"

namespace backplane::reference {
namespace {

// Where in x each element of y stands, and where they all start from.
struct Source {
  bp_tensor_desc walk;
  std::int64_t start;
};

Source backwards(const bp_tensor_desc& x, std::uint32_t axes) {
  Source source{x, 0};
  set_dense_strides(source.walk);
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((axes >> axis & 1) == 0) continue;
    std::int64_t& stride = source.walk.strides[axis];
    source.start += (x.dims[axis] - 1) * stride;
    stride = -stride;
  }
  return source;
}

template <class Value>
void flip_as(const Call& call, const Source& source) {
  const auto x = call.load<Value>(0);
  std::vector<Value> y;
  for_each_offset(source.walk, [&](std::int64_t at) { y.push_back(x[source.start + at]); });
  call.store(0, std::move(y));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Flip& op, plugin::Request& request) {
  Check check(op::row_of<op::Flip>, request);
  check.arguments({{"x", any_number}}, {{"y", any_number}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.that(op.axes >> x.rank == 0, "an axis is past the rank of x, " + std::to_string(x.rank));
  check.same_dims(y, "y", x);
  check_kind(check, x, y);
  const Source source = backwards(x, op.axes);
  return make_plan<op::Flip>(request, [source, floats = is_floating(x)](const Call& call) {
    floats ? flip_as<double>(call, source) : flip_as<std::int64_t>(call, source);
  });
}

}  // namespace backplane::reference

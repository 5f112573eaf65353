// top_k: the largest or smallest elements along an axis, in order.
#include <cmath>
#include <numeric>

#include "backend.hpp"
#include "index.hpp"

namespace backplane::reference {
namespace {

struct Wanted {
  Lines x, y;
  bool largest;
};

// NaN is what differs from itself; of integers, none does.
template <class Value>
bool is_larger(Value a, Value b) {
  return a > b || (a != a && b == b);
}

template <class Value>
void top_k_as(const Call& call, const Wanted& wanted) {
  const auto x = call.load<Value>(0);
  const std::int64_t count = wanted.y.length, step = wanted.x.step;
  std::vector<Value> values(static_cast<std::size_t>(wanted.y.outer * count * step));
  std::vector<std::int64_t> positions(values.size());
  std::vector<std::int64_t> order(static_cast<std::size_t>(wanted.x.length));
  std::int64_t line = 0;
  wanted.x.for_each([&](std::int64_t first) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) {
      const Value a = x[first + i * step], b = x[first + j * step];
      return wanted.largest ? is_larger(a, b) : is_larger(b, a);
    });
    const std::int64_t start = line / step * count * step + line % step;
    for (std::int64_t k = 0; k < count; ++k) {
      values[start + k * step] = x[first + order[k] * step];
      positions[start + k * step] = order[k];
    }
    ++line;
  });
  call.store(0, std::move(values));
  call.store(1, std::move(positions));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::TopK& op, plugin::Request& request) {
  Check check(op::row_of<op::TopK>, request);
  check.arguments({{"x", any_number}}, {{"values", any_number}, {"positions", only(BP_I64)}});
  const bp_tensor_desc &x = request.inputs[0], &values = request.outputs[0];
  const Wanted wanted{lines_along(check, x, op.axis), lines_along(check, values, op.axis),
                      op.largest != 0};
  bp_tensor_desc first = x;
  if (x.rank != 0) first.dims[op.axis] = wanted.y.length;
  check.same_dims(values, "values", first);
  check.same_dims(request.outputs[1], "positions", values);
  check_kind(check, x, values);
  check.that(wanted.y.length <= wanted.x.length, "asks for " + std::to_string(wanted.y.length) +
                                                     " of " + std::to_string(wanted.x.length) +
                                                     " elements");
  return make_plan<op::TopK>(request, [wanted, floats = is_floating(x)](const Call& call) {
    floats ? top_k_as<double>(call, wanted) : top_k_as<std::int64_t>(call, wanted);
  });
}

}  // namespace backplane::reference

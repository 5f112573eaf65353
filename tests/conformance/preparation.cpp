// Prepared = unprepared: a plan that puts kept inputs in its own order once gives the same bits as
// one that takes them as they come.
#include <fmt/format.h>

#include "data.hpp"
#include "execute.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr std::uint32_t any_layout = 1;  // TensorSpec::layout: the device chooses

struct Prepared {
  Operation operation;
  std::vector<OutputKind> inputs, outputs;
};

// With channels that fill vectors, and such that don't.
std::vector<Prepared> all_prepared() {
  const DType f32 = DType::f32, u8 = DType::u8;
  const op::Conv2dParams conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
  const op::Conv2dReluMaxPoolParams pool{conv, {2, 2}, {2, 2}, {0, 0, 0, 0}};
  std::vector<Prepared> all{
      {Operation(op::Matmul{}), {{f32, {9, 33}}, {f32, {33, 17}}, {f32, {17}}}, {{f32, {9, 17}}}},
      {Operation(op::MatmulActivation{op::Activation::tanh}),
       {{f32, {64, 48}}, {f32, {48, 128}}, {f32, {128}}},
       {{f32, {64, 128}}}}};
  for (const std::int64_t n : {3, 32}) {
    const Shape x{7, n, 20, 18}, weight{n, n, 3, 3}, half{7, n, 10, 9}, bias{n};
    all.push_back(
        {Operation(op::Conv2d{conv}), {{f32, x}, {f32, weight}, {f32, bias}}, {{f32, x}}});
    all.push_back({Operation(op::Conv2dBackwardData{conv}), {{f32, x}, {f32, weight}}, {{f32, x}}});
    all.push_back({Operation(op::Conv2dActivation{conv, op::Activation::relu}),
                   {{f32, x}, {f32, weight}, {f32, bias}},
                   {{f32, x}}});
    all.push_back({Operation(op::Conv2dReluMaxPool{pool}),
                   {{f32, x}, {f32, weight}, {f32, bias}},
                   {{f32, half}, {u8, half}}});
    all.push_back({Operation(op::Conv2dReluMaxPoolBackwardData{pool}),
                   {{f32, half}, {u8, half}, {f32, weight}},
                   {{f32, x}}});
  }
  return all;
}

// Fractions, or taps of a window of four.
Tensor drawn(const OutputKind& kind, std::uint64_t seed, Device device) {
  std::mt19937_64 random(seed);
  std::vector<double> numbers(static_cast<std::size_t>(kind.shape.count()));
  const Fill fill = is_floating(kind.dtype) ? reals(-1, 1) : whole(0, 3);
  fill({random, 1}, numbers);
  return host_tensor(numbers, kind.shape, kind.dtype).to(device);
}

std::vector<Tensor> run(const Plan& plan, const Prepared& one, const std::vector<Tensor>& inputs,
                        const Tensor& prepared = {}) {
  std::vector<Tensor> outputs, results;
  for (const TensorSpec& spec : plan.outputs()) {
    outputs.push_back(empty(spec, inputs[0].device()));
  }
  plan.run(one.operation, in_layouts(inputs, plan.inputs()), outputs, prepared);
  for (const Tensor& output : outputs) results.push_back(output.cpu().contiguous());
  return results;
}

// What is kept is prepared once; input 0 is another one in each run, unless it is kept too.
std::string fault(Device device, const Prepared& one, bool keeps_first) {
  std::vector<Tensor> inputs;
  std::vector<TensorSpec> given, wanted;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    inputs.push_back(drawn(one.inputs[i], i + 1, device));
    given.push_back(spec_of(inputs[i]));
  }
  for (const OutputKind& kind : one.outputs) {
    wanted.push_back({.dtype = kind.dtype, .shape = kind.shape, .layout = any_layout});
  }
  const std::uint32_t all = (1u << inputs.size()) - 1;
  const std::uint32_t kept = keeps_first ? all : all & ~1u;
  const Plan plain(device, one.operation, given, wanted);
  const Plan plan(device, one.operation, given, wanted, {.prepares = kept});
  const Tensor prepared = plan.prepare(in_layouts(inputs, plan.inputs()));
  for (int round = 0; round < 2; ++round) {
    if (round > 0 && !keeps_first) inputs[0] = drawn(one.inputs[0], 77, device);
    const std::vector<Tensor> results = run(plan, one, inputs, prepared);
    const std::vector<Tensor> expected = run(plain, one, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (host_values(results[i]) == host_values(expected[i])) continue;
      return fmt::format("output {} of run {} isn't that of a plan that prepares nothing", i,
                         round);
    }
  }
  return {};
}

}  // namespace

void preparation_rows(Suite& suite) {
  for (const Prepared& one : all_prepared()) {
    std::string shapes;
    for (const OutputKind& kind : one.inputs) {
      shapes += (shapes.empty() ? "" : ", ") + dims_text(kind.shape);
    }
    for (const bool keeps_first : {false, true}) {
      const char* what = keeps_first ? ", all inputs prepared" : ", all but the first prepared";
      suite.check(DataClass::closed_form, std::string(one.operation.name()), shapes + what,
                  [one, keeps_first](Device device) { return fault(device, one, keeps_first); });
    }
  }
}

}  // namespace conformance

// Relations between results that hold whatever they are: a batch and its parts, an operation and
// what it is made of. Small integers make them hold to the bit, in any order of sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backplane/functional.hpp"
#include "backplane/random.hpp"
#include "data.hpp"
#include "execute.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Numbers = std::vector<double>;

Tensor whole_numbers(const Shape& shape, int salt, Device device) {
  Numbers numbers(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<double>((i * i + 7 * i + static_cast<std::size_t>(salt)) % 11) - 5;
  }
  return host_tensor(numbers, shape, DType::f32).to(device);
}

// `slack`: by how much the two may differ, relative to 1 or to what is larger; 0: not in a bit.
std::string compare(const Numbers& one, const Numbers& other, double slack) {
  if (one.size() != other.size() || one.empty()) {
    return fmt::format("{} elements on one side, {} on the other", one.size(), other.size());
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double most = slack * std::max(1.0, std::abs(other[i]));
    if (!(std::abs(one[i] - other[i]) <= most)) {
      return fmt::format("element {} is {} on one side, {} on the other", i, one[i], other[i]);
    }
  }
  return {};
}

Numbers numbers_of(const Tensor& tensor) {
  return host_values(tensor.cpu().contiguous());
}

// The first output of an operation that has no function of its own.
Tensor first_output(const Operation& operation, const std::vector<Tensor>& inputs,
                    const std::vector<OutputKind>& kinds) {
  std::vector<Tensor> outputs;
  for (const OutputKind& kind : kinds) {
    outputs.push_back(empty(kind.shape, {.dtype = kind.dtype, .device = inputs[0].device()}));
  }
  execute(operation, inputs, outputs);
  return outputs[0];
}

// x[N,4,7,6], a weight[5,4,3,3] and padding, then windows of 2x2.
constexpr op::Conv2dReluMaxPoolParams windowed{
    {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {2, 2}, {2, 2}, {0, 0, 0, 0}};

Tensor conv_relu_max_pool(const Tensor& x, const Tensor& mask = {}) {
  const Shape y{x.size(0), 5, 3, 3};
  std::vector<Tensor> inputs{x, whole_numbers({5, 4, 3, 3}, 3, x.device()),
                             whole_numbers({5}, 2, x.device())};
  if (mask.defined()) inputs.push_back(mask);
  return first_output(Operation(op::Conv2dReluMaxPool{windowed}), inputs,
                      {{DType::f32, y}, {DType::u8, y}});
}

// One tap of each window of y[3,5,3,3].
Tensor some_winners(Device device) {
  Numbers numbers(3 * 5 * 3 * 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i % 4);
  return host_tensor(numbers, {3, 5, 3, 3}, DType::u8).to(device);
}

Tensor expanded_gradient(Device d) {
  return first_output(Operation(op::MaxPool2dBackward{{{2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}}}),
                      {whole_numbers({3, 5, 3, 3}, 1, d), some_winners(d)},
                      {{DType::f32, {3, 5, 7, 6}}});
}

// A function that treats each sample by itself.
struct PerSample {
  const char* operation;
  Shape sample;  // without the axis of samples
  Tensor (*function)(const Tensor& x);
  double slack = 0;
};

Tensor weight(const Tensor& x, const Shape& shape) {
  return whole_numbers(shape, 3, x.device());
}

const PerSample per_sample[] = {
    {"conv2d",
     {4, 7, 6},
     [](const Tensor& x) {
       return conv2d(x, weight(x, {5, 4, 3, 3}), {}, {.padding = 1});
     }},
    {"conv2d_backward_data",
     {4, 5, 4},
     [](const Tensor& x) {
       return conv_transpose2d(x, weight(x, {4, 3, 3, 3}), {}, {.stride = 2, .padding = 1});
     }},
    {"conv2d_relu_max_pool", {4, 7, 6}, [](const Tensor& x) { return conv_relu_max_pool(x); }},
    {"max_pool2d", {3, 7, 6}, [](const Tensor& x) { return max_pool2d(x, {.kernel = 2}); }},
    {"avg_pool2d", {3, 6, 8}, [](const Tensor& x) { return avg_pool2d(x, {.kernel = 2}); }},
    {"matmul",
     {33},
     [](const Tensor& x) {
       return matmul(x, weight(x, {33, 17}));
     }},
    {"relu", {3, 11}, [](const Tensor& x) { return relu(x); }},
    {"cumsum", {19}, [](const Tensor& x) { return cumsum(x, 1); }},
    {"softmax", {31}, [](const Tensor& x) { return softmax(x); }, 2e-6},
    {"log_softmax", {31}, [](const Tensor& x) { return log_softmax(x); }, 2e-6},
    {"standardize", {4, 9}, [](const Tensor& x) { return layer_norm(x, {9}); }, 1e-5},
    // The masks are those of the samples' places in the whole batch.
    {"dropout", {37}, [](const Tensor& x) { return dropout(x, 0.5f); }},
    {"dropout2d", {9, 3, 2}, [](const Tensor& x) { return dropout2d(x, 0.5f); }},
};

// Draws from step 1 on, as sample `first` of the batch.
class Step {
 public:
  explicit Step(std::uint32_t first) : before_(generator_state()) {
    manual_seed(5);
    begin_step(1, first);
  }
  ~Step() { set_generator_state(before_); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  GeneratorState before_;
};

// f(concat(a, b)) = concat(f(a), f(b)).
std::string batch_fault(Device device, const PerSample& one) {
  constexpr std::int64_t samples = 5, cut = 2;
  Shape shape{samples};
  for (const std::int64_t size : one.sample) shape.push_back(size);
  const Tensor x = whole_numbers(shape, 1, device);
  const auto apply = [&](std::int64_t begin, std::int64_t end) {
    const Step step(static_cast<std::uint32_t>(begin));
    return numbers_of(one.function(x.slice(0, begin, end)));
  };
  Numbers parts = apply(0, cut);
  const Numbers rest = apply(cut, samples);
  parts.insert(parts.end(), rest.begin(), rest.end());
  return compare(apply(0, samples), parts, one.slack);
}

// One operation, and others that come to the same.
struct Composed {
  const char* operation;
  const char* what;
  Tensor (*fused)(Device device);
  Tensor (*split)(Device device);
  double slack = 0;
};

const Composed composed[] = {
    {"conv2d", "its bias added afterwards",
     [](Device d) {
       return conv2d(whole_numbers({2, 3, 6, 5}, 1, d), whole_numbers({4, 3, 3, 3}, 2, d),
                     whole_numbers({4}, 3, d));
     },
     [](Device d) {
       return conv2d(whole_numbers({2, 3, 6, 5}, 1, d), whole_numbers({4, 3, 3, 3}, 2, d)) +
              whole_numbers({4}, 3, d).reshape({1, 4, 1, 1}).expand({2, 4, 4, 3});
     }},
    {"conv2d_activation", "relu of conv2d",
     [](Device d) {
       return first_output(Operation(op::Conv2dActivation{windowed.conv, op::Activation::relu}),
                           {whole_numbers({3, 4, 7, 6}, 1, d), whole_numbers({5, 4, 3, 3}, 3, d),
                            whole_numbers({5}, 2, d)},
                           {{DType::f32, {3, 5, 7, 6}}});
     },
     [](Device d) {
       return relu(conv2d(whole_numbers({3, 4, 7, 6}, 1, d), whole_numbers({5, 4, 3, 3}, 3, d),
                          whole_numbers({5}, 2, d), {.padding = 1}));
     }},
    {"conv2d_relu_max_pool", "its parts",
     [](Device d) {
       return conv_relu_max_pool(whole_numbers({3, 4, 7, 6}, 1, d), whole_numbers({3, 5}, 6, d));
     },
     [](Device d) {
       const Tensor dense =
           conv2d(whole_numbers({3, 4, 7, 6}, 1, d), whole_numbers({5, 4, 3, 3}, 3, d),
                  whole_numbers({5}, 2, d), {.padding = 1});
       return max_pool2d(relu(dense), {.kernel = 2}) *
              whole_numbers({3, 5}, 6, d).reshape({3, 5, 1, 1}).expand({3, 5, 3, 3});
     }},
    {"conv2d_relu_max_pool_backward_data", "its parts",
     [](Device d) {
       return first_output(
           Operation(op::Conv2dReluMaxPoolBackwardData{windowed}),
           {whole_numbers({3, 5, 3, 3}, 1, d), some_winners(d), whole_numbers({5, 4, 3, 3}, 3, d)},
           {{DType::f32, {3, 4, 7, 6}}});
     },
     [](Device d) {
       return first_output(Operation(op::Conv2dBackwardData{windowed.conv}),
                           {expanded_gradient(d), whole_numbers({5, 4, 3, 3}, 3, d)},
                           {{DType::f32, {3, 4, 7, 6}}});
     }},
    {"conv2d_relu_max_pool_backward_weight", "its parts",
     [](Device d) {
       return first_output(
           Operation(op::Conv2dReluMaxPoolBackwardWeight{windowed}),
           {whole_numbers({3, 4, 7, 6}, 3, d), whole_numbers({3, 5, 3, 3}, 1, d), some_winners(d)},
           {{DType::f32, {5, 4, 3, 3}}});
     },
     [](Device d) {
       return first_output(Operation(op::Conv2dBackwardWeight{windowed.conv}),
                           {whole_numbers({3, 4, 7, 6}, 3, d), expanded_gradient(d)},
                           {{DType::f32, {5, 4, 3, 3}}});
     }},
    {"conv2d", "its groups one by one",
     [](Device d) {
       return conv2d(whole_numbers({2, 4, 6, 5}, 1, d), whole_numbers({6, 2, 3, 3}, 2, d), {},
                     {.groups = 2});
     },
     [](Device d) {
       const Tensor x = whole_numbers({2, 4, 6, 5}, 1, d), w = whole_numbers({6, 2, 3, 3}, 2, d);
       return concat(
           {conv2d(x.slice(1, 0, 2), w.slice(0, 0, 3)), conv2d(x.slice(1, 2, 4), w.slice(0, 3, 6))},
           1);
     }},
    {"matmul", "its bias added afterwards",
     [](Device d) {
       return matmul(whole_numbers({5, 9}, 1, d), whole_numbers({9, 7}, 2, d),
                     whole_numbers({7}, 3, d));
     },
     [](Device d) {
       return matmul(whole_numbers({5, 9}, 1, d), whole_numbers({9, 7}, 2, d)) +
              whole_numbers({7}, 3, d);
     }},
    {"matmul_activation", "relu of matmul",
     [](Device d) {
       return first_output(
           Operation(op::MatmulActivation{op::Activation::relu}),
           {whole_numbers({5, 9}, 1, d), whole_numbers({9, 7}, 2, d), whole_numbers({7}, 3, d)},
           {{DType::f32, {5, 7}}});
     },
     [](Device d) {
       return relu(matmul(whole_numbers({5, 9}, 1, d), whole_numbers({9, 7}, 2, d),
                          whole_numbers({7}, 3, d)));
     }},
    {"matmul", "its batch one by one",
     [](Device d) {
       return matmul(whole_numbers({3, 5, 9}, 1, d), whole_numbers({3, 9, 7}, 2, d));
     },
     [](Device d) {
       const Tensor a = whole_numbers({3, 5, 9}, 1, d), b = whole_numbers({3, 9, 7}, 2, d);
       std::vector<Tensor> products;
       for (std::int64_t i = 0; i < 3; ++i) {
         products.push_back(
             matmul(a.slice(0, i, i + 1).reshape({5, 9}), b.slice(0, i, i + 1).reshape({9, 7})));
       }
       return stack(products);
     }},
    {"sum", "one axis after the other",
     [](Device d) {
       return sum(whole_numbers({4, 5, 33}, 1, d), {0, 2});
     },
     [](Device d) {
       return sum(sum(whole_numbers({4, 5, 33}, 1, d), {2}), {0});
     }},
    {"cross_entropy", "nll of the log-softmax",
     [](Device d) {
       return cross_entropy(whole_numbers({6, 10}, 1, d), arg_max(whole_numbers({6, 10}, 4, d), 1));
     },
     [](Device d) {
       return nll_loss(log_softmax(whole_numbers({6, 10}, 1, d)),
                       arg_max(whole_numbers({6, 10}, 4, d), 1));
     },
     2e-6},
};

}  // namespace

void relations_rows(Suite& suite) {
  for (const PerSample& one : per_sample) {
    suite.check(DataClass::closed_form, one.operation, "a batch is its parts",
                [one](Device device) { return batch_fault(device, one); });
  }
  for (const Composed& one : composed) {
    suite.check(DataClass::closed_form, one.operation, one.what, [one](Device device) {
      return compare(numbers_of(one.fused(device)), numbers_of(one.split(device)), one.slack);
    });
  }
}

}  // namespace conformance

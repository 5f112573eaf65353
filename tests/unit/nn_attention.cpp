// Embedding, MultiheadAttention, TransformerEncoderLayer and Reshape.
#include "backplane/nn/attention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "backplane/autograd.hpp"
#include "backplane/nn/embedding.hpp"
#include "backplane/nn/pool.hpp"
#include "backplane/nn/transformer.hpp"
#include "backplane/random.hpp"

using namespace backplane;

namespace {

std::vector<float> values(const Tensor& tensor) {
  return tensor.to_vector<float>();
}

void check_close(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const auto left = values(a), right = values(b);
  for (std::size_t i = 0; i < left.size(); ++i) CHECK(left[i] == doctest::Approx(right[i]));
}

}  // namespace

TEST_CASE("embedding layer: first weights, rows, gradients") {
  manual_seed(5);
  Embedding layer(400, 8, {.padding_index = 3});
  CHECK(layer.named_parameters()[0].name == "weight");
  CHECK(layer.weight().requires_grad());
  const auto all = values(layer.weight());
  double square_sum = 0;
  for (const float value : all) square_sum += static_cast<double>(value) * value;
  CHECK(square_sum / static_cast<double>(all.size()) == doctest::Approx(1).epsilon(0.1));
  CHECK(std::all_of(all.begin() + 24, all.begin() + 32, [](float value) { return value == 0; }));
  const Tensor indices = tensor(std::vector<std::int64_t>{3, 0, 399}, {3});
  const Tensor y = layer(indices);
  CHECK(y.shape() == Shape{3, 8});
  CHECK(values(y) == values(embedding(layer.weight(), indices)));
  sum(y).backward();
  const auto gradient = values(layer.weight().grad());
  CHECK(gradient[0] == 1);
  CHECK(gradient[24] == 0);
  CHECK_THROWS_WITH_AS(Embedding(0, 8), "Embedding: counts must be positive, got 0 rows of 8",
                       Error);
  CHECK_THROWS_WITH_AS(Embedding(4, 8, {.padding_index = 4}),
                       "Embedding: the padding index must be one of 4 rows, got 4", Error);
}

TEST_CASE("multihead attention layer: one head is attention between linear layers") {
  manual_seed(6);
  MultiheadAttention layer(6, 1);
  const Tensor x = uniform({2, 3, 6}, -1, 1), memory = uniform({2, 5, 6}, -1, 1);
  const auto named = layer.named_parameters();
  REQUIRE(named.size() == 8);
  CHECK(named[0].name == "query.weight");
  CHECK(named[7].name == "output.bias");
  const auto mapped = [&](const Tensor& input, std::size_t i) {
    return linear(input, named[i].tensor, named[i + 1].tensor);
  };
  const Tensor heads =
      scaled_dot_product_attention(mapped(x, 0), mapped(memory, 2), mapped(memory, 4));
  check_close(layer.attend(x, memory, memory), mapped(heads, 6));
  CHECK(MultiheadAttention(6, 2, {.bias = false}).named_parameters().size() == 4);
}

TEST_CASE("multihead attention layer: each head sees its own features") {
  manual_seed(7);
  MultiheadAttention layer(4, 2);
  const auto named = layer.named_parameters();
  const Tensor x = uniform({1, 3, 4}, -1, 1);
  std::vector<Tensor> heads;
  for (const std::int64_t first : {0, 2}) {
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < 6; i += 2) {
      parts.push_back(narrow(linear(x, named[i].tensor, named[i + 1].tensor), 2, first, 2));
    }
    heads.push_back(scaled_dot_product_attention(parts[0], parts[1], parts[2]));
  }
  check_close(layer(x), linear(concat(heads, 2), named[6].tensor, named[7].tensor));
}

TEST_CASE("multihead attention layer: causal, masks, dropout") {
  manual_seed(8);
  MultiheadAttention causal(4, 2, {.causal = true});
  const Tensor x = uniform({1, 4, 4}, -1, 1);
  // What comes later changes nothing earlier.
  const Tensor changed = concat({x.slice(1, 0, 2), uniform({1, 2, 4}, -1, 1)}, 1);
  check_close(causal(x).slice(1, 0, 2), causal(changed).slice(1, 0, 2));
  const Tensor mask = zeros({4});
  Tensor last = mask.slice(0, 3, 4);
  last.fill(-INFINITY);
  MultiheadAttention layer(4, 2);
  check_close(layer.attend(x, x, x, mask), layer.attend(x, x.slice(1, 0, 3), x.slice(1, 0, 3)));
  MultiheadAttention dropping(4, 2, {.dropout = 0.5f});
  CHECK(values(dropping(x)) != values(dropping(x)));
  dropping.eval();
  CHECK(values(dropping(x)) == values(dropping(x)));
}

TEST_CASE("multihead attention layer: refusals") {
  CHECK_THROWS_WITH_AS(MultiheadAttention(6, 4),
                       "MultiheadAttention: features must divide into heads, got 6 and 4", Error);
  CHECK_THROWS_WITH_AS(MultiheadAttention(6, 2, {.dropout = 1}),
                       "MultiheadAttention: dropout must be in [0, 1), got 1", Error);
  MultiheadAttention layer(4, 2);
  CHECK_THROWS_WITH_AS(static_cast<void>(layer(zeros({3, 4}))),
                       "MultiheadAttention: expects [N,L,features], got f32[3,4]", Error);
}

TEST_CASE("transformer layer: the normalisation last or first") {
  manual_seed(9);
  const Tensor x = uniform({2, 3, 8}, -1, 1);
  for (const bool norm_first : {false, true}) {
    TransformerEncoderLayer layer(8, 2, {.hidden = 16, .dropout = 0, .norm_first = norm_first});
    const auto named = layer.named_parameters();
    REQUIRE(named.size() == 16);
    CHECK(named[0].name == "attention.query.weight");
    CHECK(named[15].name == "feedforward_norm.bias");
    MultiheadAttention attention(8, 2);
    const auto own = attention.parameters();
    for (std::size_t i = 0; i < own.size(); ++i) {
      const NoGradGuard guard;
      Tensor(own[i]).copy_from(named[i].tensor);
    }
    const auto feed_forward = [&](const Tensor& input) {
      const Tensor hidden = relu(linear(input, named[8].tensor, named[9].tensor));
      return linear(hidden, named[10].tensor, named[11].tensor);
    };
    const auto normalized = [](const Tensor& input) { return layer_norm(input, {8}); };
    if (norm_first) {
      const Tensor attended = x + attention(normalized(x));
      check_close(layer(x), attended + feed_forward(normalized(attended)));
    } else {
      const Tensor attended = normalized(x + attention(x));
      check_close(layer(x), normalized(attended + feed_forward(attended)));
    }
  }
}

TEST_CASE("transformer layer: options reach its parts, and it learns") {
  manual_seed(10);
  const Tensor x = uniform({1, 4, 8}, -1, 1);
  TransformerEncoderLayer causal(8, 2, {.hidden = 16, .dropout = 0.5f, .causal = true});
  CHECK(values(causal(x)) != values(causal(x)));
  causal.eval();
  const Tensor changed = concat({x.slice(1, 0, 2), uniform({1, 2, 8}, -1, 1)}, 1);
  check_close(causal(x).slice(1, 0, 2), causal(changed).slice(1, 0, 2));
  mean(square(causal(x) + (-1.0))).backward();
  for (const auto& parameter : causal.named_parameters()) {
    INFO(parameter.name);
    REQUIRE(parameter.tensor.grad().defined());
  }
  CHECK_THROWS_WITH_AS(TransformerEncoderLayer(6, 4),
                       "MultiheadAttention: features must divide into heads, got 6 and 4", Error);
  CHECK_THROWS_WITH_AS(TransformerEncoderLayer(6, 2, {.hidden = 0}),
                       "Linear: feature counts must be positive, got in 6 and out 0", Error);
}

TEST_CASE("reshape layer: keeps the samples") {
  const Tensor x = zeros({2, 12});
  CHECK(Reshape({3, 2, 2})(x).shape() == Shape{2, 3, 2, 2});
  CHECK(Reshape({-1, 4})(x).shape() == Shape{2, 3, 4});
}

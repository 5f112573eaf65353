// summary: rows, outputs and counts of a model, and that the model stays as it is.
#include "backplane/nn/summary.hpp"

#include <doctest/doctest.h>

#include "backplane/nn/nn.hpp"

using namespace backplane;

namespace {

// A residual block with a layer that it never calls, and one that it calls twice.
class Block final : public LayerOf<Block> {
 public:
  Tensor forward(const Tensor& x) override { return inner_(inner_(x)) + x; }
  void visit(Visitor& visitor) override {
    visitor.child("inner", inner_);
    visitor.child("spare", spare_);
  }

 private:
  Linear inner_{4, 4};
  Linear spare_{4, 2, {.bias = false}};
};

}  // namespace

TEST_CASE("summary: what each layer gives, and what it has of its own") {
  const Sequential net{Conv2d(1, 2, {.kernel = 3}), ReLU(), Flatten(), Dropout(0.5f), Linear(8, 3)};
  const Summary s = summary(net, {5, 1, 4, 4});
  REQUIRE(s.rows.size() == 6);
  CHECK(s.rows[0].kind == "Sequential");
  CHECK(s.rows[0].has_children);
  CHECK(s.rows[0].output == Shape{5, 3});
  CHECK(s.rows[1].name == "0");
  CHECK(s.rows[1].kind == "Conv2d");
  CHECK(s.rows[1].output == Shape{5, 2, 2, 2});
  CHECK(s.rows[1].parameters == 20);
  CHECK(s.rows[1].output_bytes == 160);
  CHECK(s.rows[5].parameters == 27);
  CHECK(s.parameters == 47);
  CHECK(s.trainable_parameters == 47);
  CHECK(s.parameter_bytes == 188);
  CHECK(s.output_bytes == 160 + 160 + 160 + 160 + 60);
  CHECK(net.training());
}

TEST_CASE("summary: frozen parameters, layers called twice or never") {
  Block block;
  block.parameters()[0].set_requires_grad(false);
  const Summary s = summary(block, {1, 4});
  REQUIRE(s.rows.size() == 3);
  CHECK(s.parameters == 28);
  CHECK(s.trainable_parameters == 12);
  CHECK(s.output_bytes == 2 * 16);
  CHECK_FALSE(s.rows[2].output.has_value());
}

TEST_CASE("summary: as a table") {
  CHECK(to_string(summary(Block(), {1, 4})) ==
        "layer    kind    output      parameters  output bytes\n"
        "(model)  Block   [1,4]                0          16 B\n"
        "inner    Linear  [1,4]               20          16 B\n"
        "spare    Linear  not called           8             -\n"
        "28 parameters, 28 of them trainable, 112 B; outputs 32 B\n");
}

TEST_CASE("summary: errors are those of forward") {
  CHECK_THROWS_AS(static_cast<void>(summary(Linear(4, 2), {1, 5})), Error);
}

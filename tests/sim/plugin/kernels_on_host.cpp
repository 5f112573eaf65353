// The shared kernel texts, compiled by the host compiler with ASan and UBSan. Each tensor is a
// vector of exactly the bytes that it needs, so a step past its end stops the program.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "activation.cl"
#include "adam_step.cl"
#include "affine.cl"
#include "arg_max.cl"
#include "arithmetic.cl"
#include "check_range.cl"
#include "clip.cl"
#include "comparison.cl"
#include "conv2d.cl"
#include "copy.cl"
#include "cross_entropy.cl"
#include "cumsum.cl"
#include "dropout.cl"
#include "dropout2d.cl"
#include "fill.cl"
#include "fold.cl"
#include "gather.cl"
#include "log_softmax.cl"
#include "max_pool2d.cl"
#include "nll.cl"
#include "normal.cl"
#include "normalize.cl"
#include "pair_loss.cl"
#include "relu.cl"
#include "resample.cl"
#include "rmsprop_step.cl"
#include "scale_shift.cl"
#include "scatter_add.cl"
#include "sgd_step.cl"
#include "shape.hpp"
#include "softmax.cl"
#include "standardize.cl"
#include "sum.cl"
#include "top_k.cl"
#include "unary.cl"
#include "uniform.cl"

namespace {

using backplane::card::dense;
using backplane::card::nest;
using backplane::card::nest_over;
using backplane::card::view;
using backplane::sim::LaunchShape;
using Floats = std::vector<float>;

// Threads run in another order for each seed.
const std::array<std::uint32_t, 3> seeds{0, 1, 77};

template <class T>
char* bytes(std::vector<T>& values) {
  return reinterpret_cast<char*>(values.data());
}

Floats counting(std::size_t count, float first) {
  Floats values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

#define RUN(kernel, groups, ...)                                                                \
  CHECK(BACKPLANE_SIM_RUN(kernel, (LaunchShape{{groups, 1, 1}, {GROUP, 1, 1}, 0}), __VA_ARGS__) \
            .fault == backplane::sim::Fault::none)

}  // namespace

TEST_CASE("kernels: strides, a broadcast, and a dense operand") {
  // y[i,j] = a[j,i] + b[j], of dims 5 x 7.
  Floats y(35), a = counting(35, 0), b = counting(7, 100);
  const auto dst = dense(BP_F32, {5, 7});
  const auto left = view(dst, {{5, 1}, {7, 5}}), right = view(dst, {{5, 0}, {7, 1}});
  const Nest walk = nest({&dst, &left, &right});
  for (const std::uint32_t seed : seeds) {
    backplane::sim::host::runner().set_order_seed(seed);
    RUN(add_float, 3, walk, bytes(y), 0, bytes(a), 0, bytes(b), 0, F32);
    CHECK(y[3 * 7 + 2] == a[2 * 5 + 3] + b[2]);
    RUN(mul_float, 1, walk, bytes(y), 0, bytes(a), 0, bytes(b), 0, F32);
    CHECK(y[4 * 7 + 6] == a[6 * 5 + 4] * b[6]);
  }
}

TEST_CASE("kernels: conversions of the edges of every type wrap or saturate without overflow") {
  std::vector<double> x{-1e300, -129, -0.5, 255.9, 1e300, NAN, INFINITY, 9.3e18, 65520};
  const auto count = static_cast<i64>(x.size());
  std::vector<char> y(8 * x.size());
  std::vector<i64> integers{0, -1, -0x7fffffffffffffff - 1, 0x7fffffffffffffff, 1ll << 53, 300};
  for (i32 dtype = F32; dtype <= U16; ++dtype) {
    const auto dst = dense(static_cast<std::uint32_t>(dtype), {count}),
               src = dense(BP_F64, {count});
    RUN(copy_float, 1, nest({&dst, &src}), y.data(), 0, bytes(x), 0, dtype, F64, 0);
    const auto wide = dense(BP_I64, {6});
    RUN(copy_integer, 1, nest({&wide, &wide}), y.data(), 0, bytes(integers), 0, dtype, I64, 0);
  }
}

TEST_CASE("kernels: a sum in chunks, and one in lines") {
  Floats x(3 * 1000, 1.0f), partial(3 * 4), y(3);
  const auto src = dense(BP_F32, {3, 1000}), dst = dense(BP_F32, {3, 1});
  const auto chunks = dense(BP_F32, {3, 4});
  for (const std::uint32_t seed : seeds) {
    backplane::sim::host::runner().set_order_seed(seed);
    RUN(sum_float, 2, nest_over(1, {&dst, &src}), nest_over(2, {&src, &src}), bytes(partial), 0,
        bytes(x), 0, F32, F32, 4, 64, 1.0f, 0);
    RUN(sum_float, 1, nest_over(1, {&dst, &chunks}), nest_over(2, {&chunks, &chunks}), bytes(y), 0,
        bytes(partial), 0, F32, F32, 1, 1, 2.0f, 0);
    CHECK(y == Floats{500, 500, 500});
  }
  std::vector<i64> integers{0x7fffffffffffffff, 1, 2}, total(1);
  const auto line = dense(BP_I64, {3}), one = dense(BP_I64, {1});
  RUN(sum_integer, 1, nest_over(0, {&one, &line}), nest({&line, &line}), bytes(total), 0,
      bytes(integers), 0, I64, I64, 1, 2, u64{1}, 0);
  CHECK(total[0] == -0x7fffffffffffffff + 1);
}

TEST_CASE("kernels: extrema and products in chunks, and in lines") {
  Floats x = counting(3 * 1000, -1500), y(3);
  std::vector<double> partial(3 * 4);
  const auto src = dense(BP_F32, {3, 1000}), dst = dense(BP_F32, {3, 1});
  const auto chunks = dense(BP_F64, {3, 4});
  const auto fold = [&](i32 what) {
    RUN(fold_float, 2, nest_over(1, {&dst, &src}), nest_over(2, {&src, &src}), bytes(partial), 0,
        bytes(x), 0, F64, F32, 4, 64, what);
    RUN(fold_float, 1, nest_over(1, {&dst, &chunks}), nest_over(2, {&chunks, &chunks}), bytes(y), 0,
        bytes(partial), 0, F32, F64, 1, 1, what);
    return y;
  };
  for (const std::uint32_t seed : seeds) {
    backplane::sim::host::runner().set_order_seed(seed);
    CHECK(fold(FOLD_MAX) == Floats{-501, 499, 1499});
    CHECK(fold(FOLD_MIN) == Floats{-1500, -500, 500});
  }
  x.assign(x.size(), -1.0f);
  CHECK(fold(FOLD_PROD) == Floats{1, 1, 1});
  std::vector<i64> integers{0x7fffffffffffffff, 2, 3}, result(1);
  const auto line = dense(BP_I64, {3}), one = dense(BP_I64, {1});
  RUN(fold_integer, 1, nest_over(0, {&one, &line}), nest({&line, &line}), bytes(result), 0,
      bytes(integers), 0, I64, I64, 1, 2, FOLD_PROD);
  CHECK(result[0] == -6);
}

TEST_CASE("kernels: comparisons in every type of result, and choices of every size") {
  Floats a = counting(33, 0), b(33, 2.0f);
  std::vector<u8> truth(33);
  const auto floats = dense(BP_F32, {33}), bytes_of_truth = dense(BP_U8, {33});
  const Nest walk = nest({&bytes_of_truth, &floats, &floats, &floats});
  for (i32 relation = RELATION_EQUAL; relation <= RELATION_XOR; ++relation) {
    RUN(compare_float, 1, walk, bytes(truth), 0, bytes(a), 0, bytes(b), 0, F32, relation);
    RUN(compare_integer, 1, walk, bytes(truth), 0, bytes(truth), 0, bytes(truth), 0, U8, relation);
  }
  RUN(compare_float, 1, walk, bytes(truth), 0, bytes(a), 0, bytes(b), 0, F32, RELATION_LESS);
  CHECK(std::ranges::count(truth, 1) == 2);
  std::vector<u64> wide(33, 7), other(33, 9);
  for (const i32 size : {1, 2, 4, 8}) {
    RUN(where_bits, 1, walk, bytes(other), 0, bytes(truth), 0, bytes(wide), 0, bytes(other), 0,
        size);
  }
  CHECK(other[1] == 7);
  CHECK(other[2] == 9);
}

TEST_CASE("kernels: lines along the middle axis") {
  Floats x = counting(2 * 9 * 3, -20), y(x.size()), dx(x.size());
  std::vector<i64> best(2 * 3);
  const auto tensor = dense(BP_F32, {2, 9, 3}), reduced = dense(BP_I64, {2, 1, 3});
  const Nest lines = nest_over(0b101, {&tensor, &tensor, &tensor});
  const Nest line = nest_over(0b010, {&tensor, &tensor, &tensor});
  for (const i32 lanes : {1, 4, 256}) {
    RUN(softmax, 2, lines, line, bytes(y), 0, bytes(x), 0, lanes);
    CHECK(y[8 * 3] == doctest::Approx(1 - std::exp(-3.0)).epsilon(1e-3));
    RUN(softmax_backward, 2, lines, line, bytes(dx), 0, bytes(x), 0, bytes(y), 0, lanes);
    RUN(log_softmax, 2, lines, line, bytes(y), 0, bytes(x), 0, lanes);
    RUN(log_softmax_backward, 2, lines, line, bytes(dx), 0, bytes(x), 0, bytes(y), 0, lanes);
    RUN(arg_max_float, 1, nest_over(0b101, {&reduced, &tensor}), line, bytes(best), 0, bytes(x), 0,
        F32, lanes, 0);
    CHECK(best == std::vector<i64>(6, 8));
    RUN(arg_max_integer, 1, nest_over(0b101, {&reduced, &tensor}), line, bytes(best), 0, bytes(x),
        0, I32, lanes, 0);
    CHECK(best == std::vector<i64>(6, 8));  // of positive floats, the bits grow as the numbers do
    RUN(arg_max_float, 1, nest_over(0b101, {&reduced, &tensor}), line, bytes(best), 0, bytes(x), 0,
        F32, lanes, 1);
    CHECK(best == std::vector<i64>(6, 0));
    RUN(cumsum_float, 2, lines, line, bytes(y), 0, bytes(x), 0, F32, lanes, 0);
    CHECK(y[8 * 3] == -20 * 9 + 36 * 3);
    RUN(cumsum_float, 2, lines, line, bytes(dx), 0, bytes(x), 0, F32, lanes, 1);
    CHECK(dx[0] == y[8 * 3]);
    RUN(cumsum_integer, 1, lines, line, bytes(dx), 0, bytes(x), 0, I32, lanes, 0);
  }
}

TEST_CASE("kernels: standardised lines over axes that lie apart, and their gradient") {
  Floats x = counting(2 * 9 * 3, -20), y(x.size()), dx(x.size()), mean(9), variance(9);
  const auto tensor = dense(BP_F32, {2, 9, 3}), reduced = dense(BP_F32, {1, 9, 1});
  const Nest lines = nest_over(0b010, {&tensor, &tensor, &reduced, &reduced});
  const Nest line = nest_over(0b101, {&tensor, &tensor});
  const Nest gradient_lines = nest_over(0b010, {&tensor, &tensor, &tensor, &reduced});
  const Nest gradient_line = nest_over(0b101, {&tensor, &tensor, &tensor});
  for (const i32 lanes : {1, 4, 256}) {
    RUN(standardize, 2, lines, line, bytes(y), 0, bytes(mean), 0, bytes(variance), 0, bytes(x), 0,
        0.0f, lanes);
    // -20, -19, -18 and 7, 8, 9: halfway between, and as far apart.
    CHECK(mean[0] == -5.5f);
    CHECK(variance[0] == doctest::Approx(13.5 * 13.5 + 2.0 / 3));
    CHECK(y[0] == doctest::Approx(-14.5 / std::sqrt(13.5 * 13.5 + 2.0 / 3)));
    RUN(standardize_backward, 2, gradient_lines, gradient_line, bytes(dx), 0, bytes(y), 0, bytes(y),
        0, bytes(variance), 0, 0.0f, lanes);
    CHECK(std::abs(dx[0]) < 1e-6f);  // along y itself nothing changes
  }
}

TEST_CASE("kernels: images made smaller and larger, to the edges of their memory") {
  const i64 n = 2, c = 3, h = 5, w = 4, oh = 3, ow = 7;
  Floats x(static_cast<std::size_t>(n * c * h * w), 6), dx(x.size());
  Floats y(static_cast<std::size_t>(n * c * oh * ow));
  const auto small = dense(BP_F32, {n, c, h, w}), large = dense(BP_F32, {n, c, oh, ow});
  const auto planes = view(small, {{n, c * h * w}, {c, h * w}, {oh, 0}, {ow, 0}});
  const auto gradients = view(large, {{n, c * oh * ow}, {c, oh * ow}, {h, 0}, {w, 0}});
  Resample r{{h, w}, {oh, ow}, {h, w}, {0, 0}, {oh, ow}, {3, 2}, {h + 1, w + 1}, {}, 0, 0};
  const auto run = [&](i32 kind) {
    r.kind = kind;
    r.strides[0] = w;
    r.strides[1] = 1;
    RUN(resample, 2, nest({&large, &planes}), r, bytes(y), 0, bytes(x), 0);
    r.strides[0] = ow;
    RUN(resample_backward, 2, nest({&small, &gradients}), r, bytes(dx), 0, bytes(y), 0);
    // Every output is a mean of sixes; what they give back adds up to what they are.
    CHECK(std::accumulate(dx.begin(), dx.end(), 0.0) ==
          doctest::Approx(std::accumulate(y.begin(), y.end(), 0.0)));
  };
  for (const i32 kind : {RESAMPLE_PARTS, RESAMPLE_NEAREST, RESAMPLE_LINEAR}) {
    run(kind);
    for (const float value : y) CHECK(value == doctest::Approx(6));
  }
  // Windows of 3 x 2 with strides of 2 and 1; the last ones stick out of the padding.
  for (int axis = 0; axis < 2; ++axis) {
    r.step[axis] = 2 - axis;
    r.offset[axis] = -1;
  }
  run(RESAMPLE_WINDOWS);
  CHECK(y.front() == doctest::Approx(6));
  CHECK(y[4] == doctest::Approx(6));
  CHECK(y[5] == 0);  // no element of x
}

TEST_CASE("kernels: windows that stick out, forward and backward") {
  const i64 n = 2, c = 3, h = 5, w = 4, oh = 3, ow = 2;
  const Window window{{h, w}, {oh, ow}, {c * h * w, h * w, w, 1}, {3, 2}, {2, 2}, {1, 1}, {1, 2}};
  const auto positions = static_cast<std::size_t>(n * c * oh * ow);
  Floats x = counting(static_cast<std::size_t>(n * c * h * w), 0), dx(x.size());
  Floats y(positions), columns(6 * positions);
  std::vector<u8> winners(positions);
  const auto image = dense(BP_F32, {n, c, h, w}), pooled = dense(BP_F32, {n, c, oh, ow});
  const auto planes = view(image, {{n, c * h * w}, {c, h * w}, {oh, 0}, {ow, 0}});
  RUN(max_pool2d, 1, nest({&pooled, &pooled, &planes}), window, bytes(y), 0, bytes(winners), 0,
      bytes(x), 0, 1, 0);
  RUN(max_pool2d_backward, 1, nest({&image}), window, bytes(dx), 0, bytes(y), 0, bytes(winners), 0,
      0);
  Floats bias{1, -100, 0}, mask{2, 0, 1, 0, 1, 2};
  const auto biases = view(dense(BP_F32, {c}), {{n, 0}, {c, 1}, {oh, 0}, {ow, 0}});
  const auto masks = view(dense(BP_F32, {n, c}), {{n, c}, {c, 1}, {oh, 0}, {ow, 0}});
  Floats scaled(positions);
  RUN(relu_max_pool2d, 1, nest({&pooled, &pooled, &planes, &biases, &masks}), window, bytes(scaled),
      0, bytes(winners), 0, bytes(x), 0, bytes(bias), 0, bytes(mask), 0, 1);
  CHECK(scaled[0] == 2 * (y[0] + 1));
  CHECK(winners[3 * oh * ow] == 255);  // dropped by the mask of sample 1
  RUN(im2col, 2, window, n, c, bytes(columns), 0, bytes(x), 0, 4);
  RUN(col2im, 2, window, n, c, bytes(dx), 0, bytes(columns), 0);
  CHECK(*std::ranges::max_element(y) == x.back());
}

TEST_CASE("kernels: cross entropy, its gradient, and a label out of range") {
  Floats logits = counting(3 * 5, 0), log_p(15), losses(3), dlogits(15), dloss{1};
  std::vector<i64> labels{0, 5, -1};
  const auto matrix = dense(BP_F32, {3, 5});
  const auto each = view(matrix, {{3, 1}, {5, 0}}), one = view(matrix, {{3, 0}, {5, 0}});
  RUN(cross_entropy, 1, nest_over(1, {&each, &matrix, &matrix, &each}),
      nest_over(2, {&each, &matrix, &matrix, &each}), bytes(losses), 0, bytes(log_p), 0,
      bytes(logits), 0, bytes(labels), 0, 1, 4);
  CHECK(losses[0] > 4);
  CHECK(losses[1] + losses[2] == 0);
  RUN(cross_entropy_backward, 1, nest({&matrix, &one, &matrix, &each}), bytes(dlogits), 0,
      bytes(dloss), 0, bytes(log_p), 0, bytes(labels), 0, 5, 3.0f);
  CHECK(dlogits[5] == 0);
  std::vector<Fault> record(1), mirror(1);
  const auto line = dense(BP_I64, {3});
  RUN(check_range, 1, nest({&line}), bytes(labels), 0, 5, 0, 0, 42, bytes(record), 0, bytes(mirror),
      0);
  CHECK(mirror[0].index == 1);
  CHECK(mirror[0].value == 5);
  CHECK(record[0].sequence == 42);
}

TEST_CASE("kernels: elements by their positions, two of which are out of range") {
  // Columns of 3 x 2 picked and added to by 5 x 2, along the first axis.
  Floats x = counting(6, 1), y(10), sum = counting(6, 0), source(10, 1.0f);
  std::vector<i64> index{0, 2, 2, 0, 0, 3, -1, 2, 2, 2}, links(20);
  const auto small = dense(BP_F32, {3, 2}), tall = dense(BP_F32, {5, 2});
  const auto starts = view(small, {{5, 0}, {2, 1}});
  for (const std::uint32_t seed : seeds) {
    backplane::sim::host::runner().set_order_seed(seed);
    RUN(gather, 2, nest({&tall, &starts, &tall}), bytes(y), 0, bytes(x), 0, bytes(index), 0, 2, 3,
        4);
    CHECK(y == Floats{1, 6, 5, 2, 1, 0, 0, 6, 5, 6});
    std::ranges::fill(links, 0);
    sum = counting(6, 0);
    RUN(link_equal, 2, nest({&tall}), bytes(links), 0, bytes(index), 0, 5, 2, 2);
    RUN(scatter_add_float, 2, nest({&starts, &tall, &tall, &tall}), bytes(sum), 0, bytes(source), 0,
        bytes(index), 0, bytes(links), 0, 10, 2, 2, 2, 3, F32);
    CHECK(sum == Floats{2, 2, 2, 3, 6, 8});
  }
  std::vector<i64> whole{5, 6, 7, 8, 9, 10}, ones(10, 1);
  RUN(scatter_add_integer, 1, nest({&starts, &tall, &tall, &tall}), bytes(whole), 0, bytes(ones), 0,
      bytes(index), 0, bytes(links), 0, 10, 2, 2, 2, 3, I64);
  CHECK(whole == std::vector<i64>{7, 7, 7, 8, 11, 13});
}

TEST_CASE("kernels: the first elements of lines, in order") {
  Floats x{2, NAN, 7, 7, 1, 9}, values(4);
  std::vector<i64> positions(4), whole{2, 3, 7, 7, 1, 9}, whole_values(4);
  const auto line = dense(BP_F32, {2, 3}), first = dense(BP_F32, {2, 2});
  const Nest lines = nest_over(1, {&first, &first, &line});
  for (const i32 lanes : {1, 4}) {
    RUN(top_k_float, 1, lines, bytes(values), 0, bytes(positions), 0, bytes(x), 0, 1, 1, 1, 3, 2, 1,
        F32, lanes);
    CHECK(std::isnan(values[0]));
    CHECK(positions == std::vector<i64>{1, 2, 2, 0});
    RUN(top_k_integer, 1, lines, bytes(whole_values), 0, bytes(positions), 0, bytes(whole), 0, 1, 1,
        1, 3, 2, 0, I64, lanes);
    CHECK(whole_values == std::vector<i64>{2, 3, 1, 7});
    CHECK(positions == std::vector<i64>{0, 1, 1, 0});
  }
}

TEST_CASE("kernels: nll, smoothed and weighted, and its gradient") {
  Floats log_p(2 * 3 * 2, -1.0f), losses(4), shares(4), dlog_p(12), dloss{1}, total{3};
  Floats weight{1, 2, 4};
  std::vector<i64> labels{0, 2, -1, 3};
  const auto log_ps = dense(BP_F32, {2, 3, 2}), each = dense(BP_F32, {2, 2});
  const auto first = view(log_ps, {{2, 6}, {2, 1}}), one = view(log_ps, {{2, 0}, {3, 0}, {2, 0}});
  const auto label = view(log_ps, {{2, 2}, {3, 0}, {2, 1}});
  const Labels of{3, 2, -1, 2, 1, 0.5f, 1, 1};
  RUN(nll, 1, nest({&each, &each, &first, &each}), of, bytes(losses), 0, bytes(shares), 0,
      bytes(log_p), 0, bytes(labels), 0, bytes(weight), 0);
  CHECK(losses[0] == doctest::Approx(0.5 + 7.0 / 6));
  CHECK(shares == Floats{1, 4, 0, 0});
  RUN(nll_mean, 1, bytes(losses), 0, bytes(total), 0);
  CHECK(losses[0] == doctest::Approx((0.5 + 7.0 / 6) / 3));
  RUN(nll_backward, 1, nest({&log_ps, &one, &label}), of, bytes(dlog_p), 0, bytes(dloss), 0,
      bytes(labels), 0, bytes(total), 0, bytes(weight), 0);
  CHECK(dlog_p[0] == doctest::Approx(-(0.5 + 0.5 / 3) / 3));
  CHECK(dlog_p[6] == 0);
}

TEST_CASE("kernels: odd tails of random numbers and of masks") {
  const Draw draw{1, 2, 3, 4, 5};
  Floats y(2 * 3 * 5), x(y.size(), 1.0f);
  const auto tensor = dense(BP_F32, {2, 3, 5}), odd = dense(BP_F32, {7});
  RUN(dropout, 1, nest({&tensor, &tensor}), draw, bytes(y), 0, bytes(x), 0, 2, 15, 0.5f, 2.0);
  RUN(dropout2d, 2, nest({&tensor, &tensor}), draw, bytes(y), 0, bytes(x), 0, 2, 3, 5, 0.5f, 2.0);
  CHECK(std::ranges::all_of(y, [](float value) { return value == 0 || value == 2; }));
  Floats small(7);
  RUN(uniform, 1, nest({&odd}), draw, bytes(small), 0, -1.0f, 1.0f);
  RUN(normal, 1, nest({&odd}), draw, bytes(small), 0, 0.0f, 1.0f);
}

TEST_CASE("kernels: what is left of the elementwise ones") {
  Floats y(33), x = counting(33, -16), z(33, 2.0f);
  const auto tensor = dense(BP_F32, {33}), one = view(tensor, {{33, 0}});
  const Nest walk = nest({&tensor, &tensor, &tensor}),
             spread = nest({&tensor, &one, &tensor, &tensor});
  RUN(affine_float, 1, walk, bytes(y), 0, bytes(x), 0, F32, 0.5, 1.0);
  RUN(sub_float, 1, walk, bytes(y), 0, bytes(x), 0, bytes(z), 0, F32);
  RUN(div_float, 1, walk, bytes(y), 0, bytes(x), 0, bytes(z), 0, F32);
  RUN(pow_float, 1, walk, bytes(y), 0, bytes(x), 0, bytes(z), 0, F32);
  RUN(maximum_float, 1, walk, bytes(y), 0, bytes(x), 0, bytes(z), 0, F32);
  RUN(minimum_float, 1, walk, bytes(y), 0, bytes(y), 0, bytes(z), 0, F32);
  CHECK(y == z);
  RUN(relu, 1, walk, bytes(y), 0, bytes(x), 0, F32);
  RUN(relu_backward, 1, walk, bytes(y), 0, bytes(z), 0, bytes(x), 0, F32);
  RUN(copy_bits, 1, walk, bytes(y), 0, bytes(x), 0, 4);
  RUN(fill, 1, walk, bytes(y), 0, F32, 3.0);
  for (const i32 kind :
       {PAIR_MSE, PAIR_L1, PAIR_HUBER, PAIR_BCE_WITH_LOGITS, PAIR_KL_DIV, PAIR_KL_DIV_OF_LOGS}) {
    RUN(pair_loss, 1, walk, bytes(y), 0, bytes(x), 0, bytes(z), 0, kind, 1.0f);
    RUN(pair_loss_backward, 1, spread, bytes(y), 0, bytes(z), 0, bytes(x), 0, bytes(z), 0, kind,
        1.0f, 33.0f);
  }
  std::vector<u8> pixels(33, 200);
  RUN(normalize, 1, nest({&tensor, &tensor, &one, &one}), bytes(y), 0, bytes(pixels), 0, bytes(z),
      0, bytes(z), 0);
  RUN(scale_shift, 1, nest({&tensor, &tensor, &one, &one}), bytes(y), 0, bytes(x), 0, bytes(z), 0,
      bytes(z), 0, F32);
  CHECK(y.back() == 34);
  std::vector<i64> wide{0x7fffffffffffffff, -0x7fffffffffffffff - 1, 3};
  const auto integers = dense(BP_I64, {3});
  const Nest both = nest({&integers, &integers, &integers});
  RUN(add_integer, 1, both, bytes(wide), 0, bytes(wide), 0, bytes(wide), 0, I64);
  RUN(mul_integer, 1, both, bytes(wide), 0, bytes(wide), 0, bytes(wide), 0, I64);
  RUN(sub_integer, 1, both, bytes(wide), 0, bytes(wide), 0, bytes(wide), 0, I64);
  CHECK(wide == std::vector<i64>(3, 0));
  RUN(maximum_integer, 1, both, bytes(wide), 0, bytes(wide), 0, bytes(wide), 0, I64);
  RUN(minimum_integer, 1, both, bytes(wide), 0, bytes(wide), 0, bytes(wide), 0, I64);
  RUN(affine_integer, 1, both, bytes(wide), 0, bytes(wide), 0, I64, 1ll << 62, 1);
  RUN(affine_rounded, 1, both, bytes(wide), 0, bytes(wide), 0, I64, 1e19, 0.5);
}

TEST_CASE("kernels: functions of one element, at its end and in every type of float") {
  Floats y(33), x = counting(33, -16), dy(33, 2.0f);
  std::vector<u16> halves(33, 0x3c00), results(33);
  const auto tensor = dense(BP_F32, {33});
  const Nest walk = nest({&tensor, &tensor, &tensor});
#define FUNCTION(name, ...)                                                             \
  RUN(name##_float, 1, walk, bytes(y), 0, bytes(x), 0, F32 __VA_OPT__(, ) __VA_ARGS__); \
  RUN(name##_float, 1, walk, bytes(results), 0, bytes(halves), 0, F16 __VA_OPT__(, ) __VA_ARGS__)
#define GRADIENT(name, ...)                                                   \
  RUN(name##_backward_float, 1, walk, bytes(y), 0, bytes(dy), 0, bytes(x), 0, \
      F32 __VA_OPT__(, ) __VA_ARGS__)
  RUN(bias_activation_float, 1, walk, bytes(y), 0, bytes(x), 0, bytes(dy), 0, 1, ACTIVATION_RELU);
  CHECK(y.back() == x.back() + 2);
  FUNCTION(neg);
  FUNCTION(abs);
  FUNCTION(sign);
  FUNCTION(exp);
  FUNCTION(log);
  FUNCTION(sqrt);
  FUNCTION(rsqrt);
  FUNCTION(square);
  FUNCTION(reciprocal);
  FUNCTION(clamp, -1.0f, 1.0f);
  FUNCTION(leaky_relu, 0.5f);
  FUNCTION(elu, 1.0f);
  FUNCTION(sigmoid);
  FUNCTION(tanh);
  FUNCTION(gelu, 0);
  FUNCTION(gelu, 1);
  FUNCTION(silu);
  FUNCTION(softplus, 1.0f, 20.0f);
  CHECK(y[15] == doctest::Approx(std::log1p(std::exp(-1.0))));
  CHECK(y[32] == doctest::Approx(16));
  CHECK(results[0] == 0x3d41);  // ln(1 + e) in f16
  GRADIENT(abs);
  GRADIENT(clamp, -1.0f, 1.0f);
  GRADIENT(leaky_relu, 0.5f);
  GRADIENT(elu, 1.0f);
  GRADIENT(sigmoid);
  GRADIENT(tanh);
  GRADIENT(gelu, 0);
  GRADIENT(gelu, 1);
  GRADIENT(silu);
  GRADIENT(softplus, 1.0f, 20.0f);
  CHECK(y[16] == 1);
#undef FUNCTION
#undef GRADIENT
}

TEST_CASE("kernels: the norm of two tensors, and what clips by it") {
  Floats x(5000, 3.0f), y(33, 4.0f), sums(3), norm(1);
  const auto large = dense(BP_F32, {5000}), small = dense(BP_F32, {33});
  RUN(square_sums, 2, nest({&large}), bytes(sums), 0, bytes(x), 0);
  RUN(square_sums, 1, nest({&small}), bytes(sums), 8, bytes(y), 0);
  RUN(norm_of_sums, 1, bytes(norm), 0, bytes(sums), 0, 3);
  CHECK(norm[0] == doctest::Approx(std::sqrt(5000 * 9.0 + 33 * 16)));
  RUN(clip_by_norm, 1, nest({&small}), bytes(y), 0, bytes(norm), 0, 1000.0f);
  CHECK(y[32] == 4);
  RUN(clip_by_norm, 1, nest({&small}), bytes(y), 0, bytes(norm), 0, norm[0] / 2);
  CHECK(y[32] == doctest::Approx(2));
}

TEST_CASE("kernels: steps of an optimizer, and none while a fault is set") {
  Floats p(33, 1.0f), g(33, 0.5f), m(33), v(33);
  const auto tensor = dense(BP_F32, {33});
  const Nest walk = nest({&tensor, &tensor, &tensor, &tensor});
  std::vector<Fault> record(1);
  const SgdScalars sgd{0.1f, 0.9f, 0, 0, 1, 1, 0};
  const AdamScalars adam{0.1f, 0.9f, 0.999f, 1e-8f, 0, 0.1f, 0.001f, 0};
  RUN(sgd_step, 1, walk, sgd, bytes(p), 0, bytes(g), 0, bytes(m), 0, bytes(record), 0);
  RUN(adam_step, 1, walk, adam, bytes(p), 0, bytes(g), 0, bytes(m), 0, bytes(v), 0, bytes(record),
      0);
  const RmspropScalars rmsprop{0.1f, 0.9f, 1e-8f, 0, 0.9f, 1, 1};
  Floats a(33), momentum(33);
  RUN(rmsprop_step, 1, nest({&tensor, &tensor, &tensor, &tensor, &tensor}), rmsprop, bytes(p), 0,
      bytes(g), 0, bytes(v), 0, bytes(a), 0, bytes(momentum), 0, bytes(record), 0);
  CHECK(a[32] == doctest::Approx(0.05f));
  const Floats before = p;
  record[0].code = 1;
  RUN(sgd_step, 1, walk, sgd, bytes(p), 0, bytes(g), 0, bytes(m), 0, bytes(record), 0);
  CHECK(before[0] < 0.95f);
  CHECK(p == before);
}

// What convolutions, poolings and interpolation refuse: the wrong input beside the right one.
#include <doctest/doctest.h>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("conv2d: shapes, types and options") {
  const Tensor x = of({2, 4, 5, 5}), w = of({6, 4, 3, 3});
  CHECK(conv2d(x, w, of({6}), {.stride = 2, .padding = 1}).shape() == Shape{2, 6, 3, 3});
  CHECK(error_of([&] {
          return conv2d(x, of({6, 3, 3, 3}));
        }) ==
        "invalid_argument: conv2d: weight expects 3 input channels, input has 4 (input "
        "f32[2,4,5,5], weight f32[6,3,3,3], groups 1)");
  CHECK(error_of([&] {
          return conv2d(of({4, 5, 5}), w);
        }) == "invalid_argument: conv2d: input expects 4 axes, got f32[4,5,5]");
  CHECK(error_of([&] {
          return conv2d(x, of({6, 4, 3}));
        }) == "invalid_argument: conv2d: weight expects 4 axes, got f32[6,4,3]");
  CHECK(
      error_of([&] { return conv2d(x, w, of({5})); }) ==
      "invalid_argument: conv2d: bias expects one value for each of 6 output channels, got f32[5]");
  CHECK(error_of([&] {
          return conv2d(x, of({6, 4, 3, 3}, DType::f64));
        }) ==
        "invalid_argument: conv2d: operands must have one type, got f32[2,4,5,5] and f64[6,4,3,3]; "
        "cast() one of them");
  CHECK(error_of([&] {
          return conv2d(x, of({3, 2, 3, 3}), {}, {.groups = 2});
        }) ==
        "invalid_argument: conv2d: 3 output channels don't divide into 2 groups (weight "
        "f32[3,2,3,3])");
  CHECK(error_of([&] { return conv2d(x, w, {}, {.stride = 0}); }) ==
        "invalid_argument: conv2d: stride and dilation must be at least 1, got stride 0x0 and "
        "dilation 1x1");
  CHECK(error_of([&] {
          return conv2d(x, w, {}, {.padding = {0, -1}});
        }) == "invalid_argument: conv2d: padding can't be negative, got 0,-1,0,-1");
  CHECK(error_of([&] { return conv2d(x, w, {}, {.groups = 0}); }) ==
        "invalid_argument: conv2d: groups must be at least 1, got 0");
  CHECK(error_of([&] { return conv2d(x, w, {}, {.dilation = 3}); }) ==
        "invalid_argument: conv2d: the kernel covers 7 of 5 padded rows or columns; it must fit "
        "(input f32[2,4,5,5], weight f32[6,4,3,3])");
}

TEST_CASE("max_pool2d: shapes and options") {
  const Tensor x = of({2, 3, 5, 5});
  CHECK(max_pool2d(x).shape() == Shape{2, 3, 2, 2});
  CHECK(max_pool2d_with_winners(x).second.dtype() == DType::u8);
  CHECK(max_pool2d_with_winners(of({1, 1, 16, 16}), {.kernel = 16}).second.dtype() == DType::u16);
  CHECK(error_of([] {
          return max_pool2d(of({3, 5, 5}));
        }) == "invalid_argument: max_pool2d: input expects 4 axes, got f32[3,5,5]");
  CHECK(error_of([] {
          return max_pool2d(of({1, 3, 5, 5}, DType::u8));
        }) == "invalid_argument: max_pool2d: expects a floating type, got u8[1,3,5,5]; cast() it");
  CHECK(error_of([&] {
          return max_pool2d(x, {.kernel = {0, 2}});
        }) ==
        "invalid_argument: max_pool2d: kernel and stride must be at least 1, got kernel 0x2 and "
        "stride 0x2");
  CHECK(error_of([&] {
          return max_pool2d(x, {.dilation = {1, 0}});
        }) == "invalid_argument: max_pool2d: dilation must be at least 1, got 1x0");
  CHECK(max_pool2d(x, {.ceil_mode = true}).shape() == Shape{2, 3, 3, 3});
  // The last window would begin behind the input, in the padding.
  CHECK(max_pool2d(of({1, 1, 4, 4}), {.kernel = 2, .stride = 3, .padding = 1, .ceil_mode = true})
            .shape() == Shape{1, 1, 2, 2});
  CHECK(error_of([&] { return max_pool2d(x, {.padding = -1}); }) ==
        "invalid_argument: max_pool2d: padding can't be negative, got -1,-1,-1,-1");
  CHECK(
      error_of([&] { return max_pool2d(x, {.kernel = 300}); }) ==
      "invalid_argument: max_pool2d: a window may have at most 65534 elements, kernel 300x300 has "
      "more");
  CHECK(error_of([&] { return max_pool2d(x, {.kernel = 6}); }) ==
        "invalid_argument: max_pool2d: a window covers 6 of 5 padded rows or columns; it must fit "
        "(input f32[2,3,5,5])");
}

TEST_CASE("avg_pool2d and adaptive_avg_pool2d: shapes and options") {
  const Tensor x = of({2, 3, 5, 5});
  CHECK(avg_pool2d(x).shape() == Shape{2, 3, 2, 2});
  CHECK(avg_pool2d(x, {.kernel = 2, .ceil_mode = true}).shape() == Shape{2, 3, 3, 3});
  CHECK(error_of([] {
          return avg_pool2d(of({3, 5, 5}));
        }) == "invalid_argument: avg_pool2d: input expects 4 axes, got f32[3,5,5]");
  CHECK(error_of([&] { return avg_pool2d(x, {.kernel = 2, .stride = Size2d(0, 1)}); }) ==
        "invalid_argument: avg_pool2d: kernel and stride must be at least 1, got kernel 2x2 and "
        "stride 0x1");
  CHECK(error_of([&] {
          return avg_pool2d(x, {.padding = {0, -1}});
        }) == "invalid_argument: avg_pool2d: padding can't be negative, got 0,-1,0,-1");
  CHECK(error_of([&] { return avg_pool2d(x, {.kernel = 6}); }) ==
        "invalid_argument: avg_pool2d: a window covers 6 of 5 padded rows or columns; it must fit "
        "(input f32[2,3,5,5])");
  CHECK(adaptive_avg_pool2d(x, {7, 1}).shape() == Shape{2, 3, 7, 1});
  CHECK(error_of([&] {
          return adaptive_avg_pool2d(x, {0, 1});
        }) ==
        "invalid_argument: adaptive_avg_pool2d: the output must have at least one row and column, "
        "got 0x1");
  CHECK(error_of([] {
          return adaptive_avg_pool2d(of({2, 3, 0, 5}), 1);
        }) ==
        "invalid_argument: adaptive_avg_pool2d: expects an image with rows and columns, got "
        "f32[2,3,0,5]");
}

TEST_CASE("interpolate: shapes and options") {
  const Tensor x = of({2, 3, 5, 5});
  CHECK(interpolate(x, {8, 3}).shape() == Shape{2, 3, 8, 3});
  CHECK(error_of([] {
          return interpolate(of({5, 5}), 8);
        }) == "invalid_argument: interpolate: input expects 4 axes, got f32[5,5]");
  CHECK(error_of([&] {
          return interpolate(x, {8, 0});
        }) ==
        "invalid_argument: interpolate: the output must have at least one row and column, got 8x0");
  CHECK(error_of([&] { return interpolate(x, 8, {.align_corners = true}); }) ==
        "invalid_argument: interpolate: align_corners goes with bilinear, got nearest; leave it "
        "out");
}

TEST_CASE("conv1d: shapes, types and options") {
  const Tensor x = of({2, 4, 9}), w = of({6, 4, 3});
  CHECK(conv1d(x, w, of({6}), {.stride = 2, .padding = {1, 0}}).shape() == Shape{2, 6, 4});
  CHECK(error_of([&] {
          return conv1d(x, of({6, 3, 3}));
        }) ==
        "invalid_argument: conv1d: weight expects 3 input channels, input has 4 (input f32[2,4,9], "
        "weight f32[6,3,3], groups 1)");
  CHECK(error_of([&] {
          return conv1d(of({2, 4, 1, 9}), w);
        }) == "invalid_argument: conv1d: input expects 3 axes, got f32[2,4,1,9]");
  CHECK(error_of([&] { return conv1d(x, w, {}, {.dilation = 5}); }) ==
        "invalid_argument: conv1d: the kernel covers 11 of 9 padded rows or columns; it must fit "
        "(input f32[2,4,9], weight f32[6,4,3])");
}

TEST_CASE("conv2d: same_padding keeps the size") {
  const Tensor x = of({1, 1, 6, 7});
  for (const Size2d kernel : {Size2d(3), Size2d(4, 5), Size2d(1, 2)}) {
    for (const Size2d dilation : {Size2d(1), Size2d(2, 3)}) {
      const Conv2dOptions options{.padding = same_padding(kernel, dilation), .dilation = dilation};
      CHECK(conv2d(x, of({1, 1, kernel.rows, kernel.columns}), {}, options).shape() == x.shape());
    }
  }
}

TEST_CASE("conv_transpose2d: shapes, types and options") {
  const Tensor x = of({2, 4, 5, 5}), w = of({4, 6, 3, 3});
  CHECK(conv_transpose2d(x, w, of({6}), {.stride = 2, .padding = 1, .output_padding = 1}).shape() ==
        Shape{2, 6, 10, 10});
  CHECK(conv_transpose2d(x, w, of({12}), {.groups = 2}).shape() == Shape{2, 12, 7, 7});
  CHECK(error_of([&] {
          return conv_transpose2d(x, of({3, 6, 3, 3}));
        }) ==
        "invalid_argument: conv_transpose2d: weight expects 3 input channels, input has 4 (input "
        "f32[2,4,5,5], weight f32[3,6,3,3])");
  CHECK(error_of([&] { return conv_transpose2d(x, w, {}, {.groups = 3}); }) ==
        "invalid_argument: conv_transpose2d: 4 input channels don't divide into 3 groups (input "
        "f32[2,4,5,5])");
  CHECK(error_of([&] { return conv_transpose2d(x, w, of({4})); }) ==
        "invalid_argument: conv_transpose2d: bias expects one value for each of 6 output channels, "
        "got f32[4]");
  CHECK(error_of([&] {
          return conv_transpose2d(x, w, {}, {.output_padding = {0, 1}});
        }) ==
        "invalid_argument: conv_transpose2d: output_padding must be from 0 to below the stride, "
        "got 0x1 and stride 1x1");
  CHECK(error_of([&] { return conv_transpose2d(x, w, {}, {.padding = 4}); }) ==
        "invalid_argument: conv_transpose2d: the output would have -1 rows or columns; it must "
        "have one at least (input f32[2,4,5,5], weight f32[4,6,3,3])");
}

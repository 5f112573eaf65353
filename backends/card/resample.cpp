// Images made smaller or larger.
#include "resample.hpp"

namespace backplane::card {

Resample fit_images(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& y) {
  check.rank(x, "x", 4);
  check.rank(y, "y", 4);
  check.dims(y, "y", {x.dims[0], x.dims[1], y.dims[2], y.dims[3]});
  Resample resample{};
  for (int axis = 0; axis < 2; ++axis) {
    resample.in[axis] = x.dims[2 + axis];
    resample.out[axis] = y.dims[2 + axis];
    resample.unit[axis] = 1;
  }
  return resample;
}

ResampleRun resample_run(const Resample& resample, const bp_tensor_desc& written,
                         const bp_tensor_desc& read) {
  const bp_tensor_desc planes = view(read, {{written.dims[0], read.strides[0]},
                                            {written.dims[1], read.strides[1]},
                                            {written.dims[2], 0},
                                            {written.dims[3], 0}});
  ResampleRun run{nest({&written, &planes}), resample};
  run.resample.strides[0] = read.strides[2];
  run.resample.strides[1] = read.strides[3];
  return run;
}

void ResampleRun::forward(const Call& call) const {
  launch(call.queue, kernel::resample, items(nest.count), nest, resample, call.output(0),
         call.input(0));
}

void ResampleRun::backward(const Call& call) const {
  launch(call.queue, kernel::resample_backward, items(nest.count), nest, resample, call.output(0),
         call.input(0));
}

}  // namespace backplane::card

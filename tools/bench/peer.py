"""The peers of `backplane bench`: measures on command, one line of JSON for each line of JSON.

Arguments: THREADS DEVICE, where DEVICE is cpu or as in cuda:0. First says which libraries there are, which
are absent and why, and the modes of each kind of measurement; or, as "error", why it can do nothing.
Then, for {"kind", "mode", "model", "batch", "count"}, answers {"seconds": [...]} or {"error": "why not"}.
Ends with its input.
"""
import json
import sys


def answer(**values):
    print(json.dumps(values), flush=True)


def stop(reason):
    answer(error=str(reason))
    sys.exit()


try:
    import torch
except ImportError as missing:
    stop(missing)

import inference  # noqa: E402 (needs torch)
import training  # noqa: E402

KINDS = {"training": training.Training, "inference": inference.Inference}


class Measurements:
    """What was built for the modes of one network and batch; the next one replaces it."""

    def __init__(self, device):
        self.device, self.subject, self.built = device, None, {}

    def of(self, kind, mode, model, batch):
        if self.subject != (kind, model, batch):
            self.subject, self.built = (kind, model, batch), {}
        if mode not in self.built:
            self.built[mode] = KINDS[kind](mode, model, batch, self.device)
        return self.built[mode]


def greeting(device):
    libraries, absent = {"PyTorch": torch.__version__}, {}
    if inference.onnxruntime_absent:
        absent["onnxruntime"] = inference.onnxruntime_absent
    else:
        libraries["ONNX Runtime"] = inference.onnxruntime.__version__
    answer(libraries=libraries, absent=absent, training=training.training_modes(device),
           inference=inference.inference_modes(device))


def main(threads, device):
    torch.set_num_threads(threads)
    # As ours: float32 means float32. PyTorch's convolutions would round to TF32.
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    device = torch.device(device)
    if device.type == "cuda":
        if not torch.cuda.is_available():
            stop("it finds no CUDA device")
        torch.cuda.set_device(device)
    measurements = Measurements(device)
    greeting(device)
    for line in sys.stdin:
        request = json.loads(line)
        count = request.pop("count")
        try:
            answer(seconds=measurements.of(**request).seconds(count))
        except Exception as error:  # a mode may need what is missing, such as a compiler
            reason = (str(error).splitlines() or [""])[0][:200]
            answer(error=f"{type(error).__name__} {reason}")


main(int(sys.argv[1]), sys.argv[2])

"""PyTorch's and ONNX Runtime's side of `backplane bench infer`: calls of one network, timed."""
import io
import time
import warnings

import torch

from networks import Model
from training import Mode, torch_kinds

try:
    import onnxruntime
    onnxruntime_absent = ""
except ImportError as error:
    onnxruntime_absent = str(error)


class TorchInference:
    def __init__(self, mode, model, inputs, device, _):
        self.mode, self.device = mode, device
        self.network = mode.compiled(model.to(device, mode.format).network)
        self.inputs = inputs.to(device).contiguous(memory_format=mode.format)

    def call(self):
        with torch.inference_mode(), self.mode.autocast():
            self.network(self.inputs)
        if self.device.type != "cpu":
            torch.cuda.synchronize(self.device)


class OnnxInference:
    """The same network, which PyTorch writes as an ONNX file and ONNX Runtime reads."""

    def __init__(self, mode, model, inputs, device, threads):
        file = io.BytesIO()
        # The exporter that traces needs no package beside PyTorch; from 2.5 on one has to ask.
        asked = {"dynamo": False} if hasattr(torch.onnx, "ExportedProgram") or hasattr(
            torch.onnx, "ONNXProgram") else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(model.network, inputs, file, input_names=["x"], output_names=["y"],
                              **asked)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        provider = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}[device.type]
        self.session = onnxruntime.InferenceSession(file.getvalue(), options, providers=[provider])
        self.inputs = {"x": inputs.numpy()}

    def call(self):
        self.session.run(None, self.inputs)


class Inference:
    def __init__(self, mode, model, batch, device):
        model = Model(**model)
        model.network.eval()
        inputs = torch.randn(batch, *model.shape)
        library = OnnxInference if mode.startswith("onnxruntime/") else TorchInference
        self.side = library(Mode(mode, device), model, inputs, device, torch.get_num_threads())

    def seconds(self, calls):
        """Of each call."""
        result = []
        for _ in range(calls):
            start = time.perf_counter()
            self.side.call()
            result.append(time.perf_counter() - start)
        return result


def inference_modes(device):
    modes = [f"torch/{kind}/{precision}"
             for kind in torch_kinds(device) if kind != "graph" for precision in ("f32", "bf16")]
    if not onnxruntime_absent:
        modes.append("onnxruntime/default/f32")
    return modes

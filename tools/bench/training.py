"""PyTorch's side of `backplane bench mnist` and `resnet`: a training step, timed."""
import time

import torch
from torch import nn

from networks import Model

SAMPLES = 10000


class Mode:
    """How PyTorch works: its memory format, compiler and precision, from "torch/eager/f32"."""

    def __init__(self, name, device):
        _, self.kind, precision = name.split("/")
        self.device = device
        self.format = (torch.channels_last if self.kind == "channels_last"
                       else torch.contiguous_format)
        self.is_bf16 = precision == "bf16"

    def autocast(self):
        # A captured step must not depend on casts that another one left in the cache.
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.is_bf16,
                              cache_enabled=self.kind != "graph")

    def compiled(self, network):
        return torch.compile(network) if self.kind == "compile" else network


class Training:
    """One network with its own optimizer, stepping through shuffled bytes as an epoch does."""

    def __init__(self, mode, model, batch, device):
        self.mode, self.batch, self.device = Mode(mode, device), batch, device
        self.model = Model(**model).to(device, self.mode.format)
        # Time doesn't depend on what the images show.
        samples = max(SAMPLES, batch)
        self.images = torch.randint(0, 256, (samples, *self.model.shape), dtype=torch.uint8)
        self.labels = torch.randint(0, 10, (samples,))
        self.order = torch.randperm(samples)
        self.next = 0
        is_graph = self.mode.kind == "graph"
        self.optimizer = self.model.optimizer(self.model.network.parameters(),
                                              **({"capturable": True} if is_graph else {}))
        self.loss = nn.CrossEntropyLoss()
        self.forward = self.mode.compiled(self.model.network)
        self.graph = self.captured() if is_graph else None

    def chosen(self):
        """The next batch, on its way to the device."""
        if self.next + self.batch > len(self.order):
            self.next = 0
        rows = self.order[self.next:self.next + self.batch]
        self.next += self.batch
        images, labels = self.images[rows], self.labels[rows]
        if self.device.type != "cpu":
            images, labels = images.pin_memory(), labels.pin_memory()
        return images.to(self.device, non_blocking=True), labels.to(self.device, non_blocking=True)

    def train(self, images, labels):
        inputs = self.model.prepared(images).contiguous(memory_format=self.mode.format)
        self.optimizer.zero_grad(set_to_none=True)
        with self.mode.autocast():
            loss = self.loss(self.forward(inputs), labels)
        loss.backward()
        self.optimizer.step()

    def captured(self):
        """PyTorch's recipe: a few steps on a stream of their own, then one is captured."""
        self.static = self.chosen()
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.train(*self.static)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.train(*self.static)
        return graph

    def step(self):
        images, labels = self.chosen()
        if self.graph is None:
            self.train(images, labels)
            return
        self.static[0].copy_(images)
        self.static[1].copy_(labels)
        self.graph.replay()

    def seconds(self, steps):
        """The mean of so many steps, as a list of one: on a GPU, steps overlap."""
        self.wait()
        start = time.perf_counter()
        for _ in range(steps):
            self.step()
        self.wait()
        return [(time.perf_counter() - start) / steps]

    def wait(self):
        if self.device.type != "cpu":
            torch.cuda.synchronize(self.device)


def torch_kinds(device):
    kinds = ["eager", "channels_last"]
    if hasattr(torch, "compile"):
        kinds.append("compile")
    if device.type == "cuda":
        kinds.append("graph")
    return kinds


def training_modes(device):
    return [f"torch/{kind}/{precision}"
            for kind in torch_kinds(device) for precision in ("f32", "bf16")]

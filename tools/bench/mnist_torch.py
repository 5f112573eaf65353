"""PyTorch's side of `backplane bench mnist`: the same network, loop and optimizer, timed on command.

Arguments: THREADS BATCH DEVICE, where DEVICE is cpu or as in cuda:0. First answers
"ready VERSION MODE..." with the modes it can do there, or why not. Then, for each input line
"run MODE STEPS", trains and answers with the mean seconds of a step, or why not. Ends with its input.

Modes: eager, eager-channels-last, compile (torch.compile) and, on a GPU, graph (the whole step as
one CUDA graph, replayed).
"""
import sys
import time

try:
    import torch
    from torch import nn
except ImportError as error:
    print(error, flush=True)
    sys.exit()

SAMPLES = 60000


class Training:
    """One network with its own optimizer, stepping through shuffled bytes as an epoch does."""

    def __init__(self, batch, device, mode):
        torch.manual_seed(1)
        self.batch, self.device, self.mode = batch, device, mode
        self.format = torch.channels_last if mode == "eager-channels-last" else torch.contiguous_format
        # Time doesn't depend on what the images show.
        self.images = torch.randint(0, 256, (SAMPLES, 1, 28, 28), dtype=torch.uint8)
        self.labels = torch.randint(0, 10, (SAMPLES,))
        self.order = torch.randperm(SAMPLES)
        self.next = 0
        self.model = nn.Sequential(
            nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Dropout2d(0.25), nn.Flatten(), nn.Linear(9216, 10))
        self.model = self.model.to(device=device, memory_format=self.format)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3,
                                          **({"capturable": True} if mode == "graph" else {}))
        self.loss = nn.CrossEntropyLoss()
        self.forward = torch.compile(self.model) if mode == "compile" else self.model
        self.graph = self.captured() if mode == "graph" else None

    def chosen(self):
        """The next batch, on its way to the device."""
        if self.next + self.batch > SAMPLES:
            self.next = 0
        rows = self.order[self.next:self.next + self.batch]
        self.next += self.batch
        images, labels = self.images[rows], self.labels[rows]
        if self.device.type != "cpu":
            images, labels = images.pin_memory(), labels.pin_memory()
        return images.to(self.device, non_blocking=True), labels.to(self.device, non_blocking=True)

    def train(self, images, labels):
        inputs = images.float().div_(255).sub_(0.1307).div_(0.3081)
        inputs = inputs.contiguous(memory_format=self.format)
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.forward(inputs), labels).backward()
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
        self.wait()
        start = time.perf_counter()
        for _ in range(steps):
            self.step()
        self.wait()
        return (time.perf_counter() - start) / steps

    def wait(self):
        if self.device.type != "cpu":
            torch.cuda.synchronize(self.device)


def modes_on(device):
    modes = ["eager", "eager-channels-last"]
    if hasattr(torch, "compile"):
        modes.append("compile")
    if device.type == "cuda":
        modes.append("graph")
    return modes


def main(threads, batch, device):
    torch.set_num_threads(threads)
    # As ours: float32 means float32. PyTorch's convolutions would round to TF32.
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    device = torch.device(device)
    if device.type == "cuda":
        if not torch.cuda.is_available():
            print("it finds no CUDA device", flush=True)
            return
        torch.cuda.set_device(device)
    trainings = {}
    print("ready", torch.__version__, *modes_on(device), flush=True)
    for line in sys.stdin:
        _, mode, steps = line.split()
        try:
            if mode not in trainings:
                trainings[mode] = Training(batch, device, mode)
            print(trainings[mode].seconds(int(steps)), flush=True)
        except Exception as error:  # a mode may need what is missing, such as a compiler
            print(type(error).__name__, str(error).splitlines()[0][:200], flush=True)


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])

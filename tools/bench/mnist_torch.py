"""PyTorch's side of `backplane bench mnist`: the same network, loop and optimizer, timed on command.

Arguments: THREADS BATCH. First answers "ready VERSION" or why not. Then, for each input line
"run MODE STEPS", trains and answers with the mean seconds of a step. MODE is eager or
eager-channels-last. Ends with its input.
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

    def __init__(self, batch, memory_format):
        torch.manual_seed(1)
        self.batch, self.format = batch, memory_format
        # Time doesn't depend on what the images show.
        self.images = torch.randint(0, 256, (SAMPLES, 1, 28, 28), dtype=torch.uint8)
        self.labels = torch.randint(0, 10, (SAMPLES,))
        self.order = torch.randperm(SAMPLES)
        self.next = 0
        self.model = nn.Sequential(
            nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Dropout2d(0.25), nn.Flatten(), nn.Linear(9216, 10)).to(memory_format=memory_format)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.loss = nn.CrossEntropyLoss()

    def step(self):
        if self.next + self.batch > SAMPLES:
            self.next = 0
        chosen = self.order[self.next:self.next + self.batch]
        self.next += self.batch
        inputs = self.images[chosen].float().div_(255).sub_(0.1307).div_(0.3081)
        inputs = inputs.contiguous(memory_format=self.format)
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.model(inputs), self.labels[chosen]).backward()
        self.optimizer.step()


def main(threads, batch):
    torch.set_num_threads(threads)
    formats = {"eager": torch.contiguous_format, "eager-channels-last": torch.channels_last}
    trainings = {}
    print("ready", torch.__version__, flush=True)
    for line in sys.stdin:
        _, mode, steps = line.split()
        if mode not in trainings:
            trainings[mode] = Training(batch, formats[mode])
        start = time.perf_counter()
        for _ in range(int(steps)):
            trainings[mode].step()
        print((time.perf_counter() - start) / int(steps), flush=True)


main(int(sys.argv[1]), int(sys.argv[2]))

"""The networks of `models/`, written in PyTorch: the same layers, inputs and optimizers."""
import torch
from torch import nn


def mnist_cnn(channels=64, kernel=3, padding=0, dropout=0.25, average_pool=False):
    pixels = (28 - 2 * (kernel - 1 - 2 * padding)) // 2
    pool = nn.AvgPool2d(2) if average_pool else nn.MaxPool2d(2)
    return nn.Sequential(
        nn.Conv2d(1, 32, kernel, padding=padding), nn.ReLU(),
        nn.Conv2d(32, channels, kernel, padding=padding), nn.ReLU(), pool,
        *([nn.Dropout2d(dropout)] if dropout > 0 else []),
        nn.Flatten(), nn.Linear(channels * pixels * pixels, 10))


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
        nn.Linear(84, 10))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128),
                         nn.ReLU(), nn.Linear(128, 10))


def convolution(inputs, outputs, kernel, stride):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(
            convolution(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs), nn.ReLU(),
            convolution(outputs, outputs, 3, 1), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if stride == 1 and inputs == outputs else nn.Sequential(
            convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def resnet18():
    return nn.Sequential(
        convolution(3, 64, 3, 1), nn.BatchNorm2d(64), nn.ReLU(),
        ResidualBlock(64, 64, 1), ResidualBlock(64, 64, 1),
        ResidualBlock(64, 128, 2), ResidualBlock(128, 128, 1),
        ResidualBlock(128, 256, 2), ResidualBlock(256, 256, 1),
        ResidualBlock(256, 512, 2), ResidualBlock(512, 512, 1),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def by_adam(parameters, **options):
    return torch.optim.Adam(parameters, lr=1e-3, **options)


def by_sgd(parameters, **_):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=5e-4)


# Of the pixels, which lie in [0, 1]: mean and deviation of each channel.
GREY = ((0.1307,), (0.3081,))
COLOURS = ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616))

# By the names of models/registry.cpp: the network, the shape of an image, statistics, optimizer.
MODELS = {
    "mnist_cnn": (mnist_cnn, (1, 28, 28), GREY, by_adam),
    "lenet5": (lenet5, (1, 28, 28), GREY, by_adam),
    "mlp": (mlp, (1, 28, 28), GREY, by_adam),
    "resnet18": (resnet18, (3, 32, 32), COLOURS, by_sgd),
}


class Model:
    """A network by its name; options are those of its function."""

    def __init__(self, name, seed=1, **options):
        make, self.shape, statistics, self.optimizer = MODELS[name]
        torch.manual_seed(seed)
        self.network = make(**options)
        self.mean, self.deviation = (
            torch.tensor(values).reshape(1, -1, 1, 1) for values in statistics)

    def to(self, device, memory_format):
        self.network = self.network.to(device=device, memory_format=memory_format)
        self.mean, self.deviation = self.mean.to(device), self.deviation.to(device)
        return self

    def prepared(self, images):
        """What the network takes, from bytes."""
        return images.float().div_(255).sub_(self.mean).div_(self.deviation)

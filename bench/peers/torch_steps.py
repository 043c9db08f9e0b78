"""Seconds per step of a training loop in PyTorch, the peer of bench/r/steps.R.

usage: torch_steps.py CASE THREADS SECONDS
Prints the median over bursts shorter than two seconds.
"""
import math
import sys
import time

import torch
import torch.nn.functional as F

case, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
torch.set_num_threads(threads)
torch.manual_seed(0)


def linear_stack(widths):
    layers = []
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layers.append(torch.nn.Linear(a, b))
        if i < len(widths) - 2:
            layers.append(torch.nn.ReLU())
    return torch.nn.Sequential(*layers)


def mlp_small():
    net = linear_stack([10, 10, 10, 10, 10, 1])
    optimizer = torch.optim.SGD(net.parameters(), 1e-3)
    x, y = torch.randn(32, 10), torch.randn(32, 1)

    def step():
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()

    return step


def mlp_large():
    net = linear_stack([784, 512, 256, 10])
    optimizer = torch.optim.Adam(net.parameters())
    x, y = torch.randn(128, 784), torch.randint(0, 10, (128,))

    def step():
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()

    return step


def attention():
    q, k, v = (torch.randn(1, 8, 1024, 64, requires_grad=True) for _ in range(3))

    def step():
        q.grad = k.grad = v.grad = None
        (torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1) @ v).sum().backward()

    return step


class Block(torch.nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width)
        )
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, x, hidden):
        b, n, w = x.shape
        qkv = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, w // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(w // self.heads)
        a = scores.masked_fill(hidden, -1e30).softmax(-1) @ v
        x = x + self.dropout(self.out(a.transpose(1, 2).reshape(b, n, w)))
        return x + self.dropout(self.mlp(self.norm2(x)))


def transformer():
    classes, context, batch, width = 100, 64, 32, 128
    embedding = torch.nn.Embedding(classes, width)
    position = torch.nn.Parameter(torch.randn(context, width) * 0.02)
    blocks = torch.nn.ModuleList([Block(width, 4, 0.1) for _ in range(2)])
    norm, head = torch.nn.LayerNorm(width), torch.nn.Linear(width, classes)
    modules = torch.nn.ModuleList([embedding, blocks, norm, head])
    optimizer = torch.optim.AdamW([*modules.parameters(), position], 2e-3, weight_decay=0.1)
    hidden = torch.triu(torch.ones(context, context, dtype=torch.bool), 1)
    ids = torch.randint(0, classes, (batch, context + 1))

    def step():
        optimizer.zero_grad()
        x = embedding(ids[:, :-1]) + position
        for block in blocks:
            x = block(x, hidden)
        F.cross_entropy(head(norm(x)).reshape(-1, classes), ids[:, 1:].reshape(-1)).backward()
        optimizer.step()

    return step


step = {
    "mlp-small": mlp_small, "mlp-large": mlp_large,
    "attention": attention, "transformer": transformer,
}[case]()
step()
begin = time.perf_counter()
step()
count = max(1, int(0.2 / (time.perf_counter() - begin)))
times = []
end = time.perf_counter() + seconds
while time.perf_counter() < end or len(times) < 3:
    begin = time.perf_counter()
    for _ in range(count):
        step()
    times.append((time.perf_counter() - begin) / count)
print(sorted(times)[len(times) // 2])

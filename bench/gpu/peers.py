"""What torch takes for the programs of programs.py: a line of name and median milliseconds each.

usage: peers.py [--small] [--device=cuda] [--seconds=0.5] [name...]

A case that torch fails at says why on stderr.
"""
import sys
import time

import torch
import torch.nn.functional as F

import programs

arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
options = dict((a[2:] + "=").split("=")[:2] for a in sys.argv[1:] if a.startswith("--"))
device = options.get("device", "cuda")
seconds = float(options.get("seconds", 0.5))
half = torch.float16 if device == "cuda" else torch.float32  # processors lack many ops in f16


def elapsed(run):
    """Milliseconds, by the device's clock."""
    if device != "cuda":
        begin = time.perf_counter()
        run()
        return 1e3 * (time.perf_counter() - begin)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    run()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def median(run):
    begin = time.perf_counter()
    while time.perf_counter() < begin + 0.3 * seconds:  # clocks rise
        elapsed(run)
    times, begin = [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() < begin + seconds:
        times.append(elapsed(run))
    return sorted(times)[len(times) // 2]


def rand(*shape, dtype=torch.float32, scale=1):
    return torch.rand(*shape, dtype=dtype, device=device) * scale


def ids(count, classes):
    return torch.randint(classes, (count,), device=device)


def matmul(dtype):
    def make(m, n, k):
        x, y = rand(m, k, dtype=dtype), rand(k, n, dtype=dtype)
        return lambda: x @ y
    return make


def flash(run):
    """With torch's own flash attention, where there is a choice."""
    if device != "cuda":
        return run
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def chosen():
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return run()
    return chosen


def attend(q, k, v, causal=False):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if causal:
        n = q.shape[-2]
        scores = scores + torch.full((n, n), float("-inf"), device=device).triu(1)
    return torch.softmax(scores, -1) @ v


def attention(b, h, n, d, causal):
    q, k, v = (rand(b, h, n, d, dtype=half) for _ in range(3))
    return flash(lambda: attend(q, k, v, causal))


def attention_grad(b, h, n, d, causal):
    leaves = [rand(b, h, n, d, dtype=half).requires_grad_() for _ in range(3)]
    o = flash(lambda: attend(*leaves, causal))()
    g = torch.rand_like(o)
    return lambda: torch.autograd.grad(o, leaves, g, retain_graph=True)


def decode(b, h, keys, d):
    q, k, v = (rand(b, h, n, d, dtype=half) for n in (1, keys, keys))
    return flash(lambda: attend(q, k, v))


def conv(dtype, gradient=None):
    def make(n, c, side, filters, groups):
        x, w = rand(n, c, side, side, dtype=dtype), rand(filters, c // groups, 3, 3, dtype=dtype)
        dy = rand(n, filters, side, side, dtype=dtype)
        if gradient == "input":
            return lambda: torch.nn.grad.conv2d_input(x.shape, w, dy, padding=1, groups=groups)
        if gradient == "kernel":
            return lambda: torch.nn.grad.conv2d_weight(x, w.shape, dy, padding=1, groups=groups)
        return lambda: F.conv2d(x, w, padding=1, groups=groups)
    return make


def copy(n):
    x = rand(n)
    y = torch.empty_like(x)
    return lambda: y.copy_(x)


def unary(op):
    def make(*shape):
        x = rand(*shape)
        return lambda: op(x)
    return make


def layer_norm(rows, columns):
    x, gain, bias = rand(rows, columns), rand(columns), rand(columns)
    return lambda: F.layer_norm(x, [columns], gain, bias)


def rms_norm(rows, columns):
    x, gain = rand(rows, columns), rand(columns)
    return lambda: F.rms_norm(x, [columns], gain)


def adam(fused):
    def make(n):
        parameter = rand(n).requires_grad_()
        parameter.grad = rand(n)
        step = torch.optim.Adam([parameter], **({"fused": True} if fused else {})).step
        return lambda: step()
    return make


def cross_entropy(rows, classes):
    x, target = rand(rows, classes), ids(rows, classes)
    return lambda: F.cross_entropy(x, target)


def cross_entropy_grad(rows, classes):
    x, target = rand(rows, classes).requires_grad_(), ids(rows, classes)
    return lambda: torch.autograd.grad(F.cross_entropy(x, target), x)


def transformer_block(batch, tokens, heads, width):
    d, wide = width // heads, 4 * width
    weights = {name: (rand(*shape, dtype=half, scale=0.02)).requires_grad_() for name, shape in {
        "qkv": (3 * width, width), "qkv_bias": (3 * width,), "o": (width, width),
        "o_bias": (width,), "up": (wide, width), "up_bias": (wide,), "down": (width, wide),
        "down_bias": (width,), "g1": (width,), "b1": (width,), "g2": (width,),
        "b2": (width,)}.items()}
    x, target = (rand(batch, tokens, width, dtype=half, scale=0.02) for _ in range(2))
    optimizer = torch.optim.SGD(weights.values(), lr=0.001)
    w = weights

    def step():
        optimizer.zero_grad(set_to_none=True)
        normal = F.layer_norm(x, [width], w["g1"], w["b1"])
        joined = F.linear(normal, w["qkv"], w["qkv_bias"])
        q, k, v = joined.view(batch, tokens, 3, heads, d).permute(2, 0, 3, 1, 4)
        o = attend(q, k, v, causal=True).transpose(1, 2).reshape(batch, tokens, width)
        between = x + F.linear(o, w["o"], w["o_bias"])
        normal = F.layer_norm(between, [width], w["g2"], w["b2"])
        up = F.gelu(F.linear(normal, w["up"], w["up_bias"]))
        F.mse_loss(between + F.linear(up, w["down"], w["down_bias"]), target).backward()
        optimizer.step()
    return flash(step)


def mlp(trips):
    layers = []
    for columns in (10, 10, 10, 10):
        layers += [torch.nn.Linear(10, columns), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(10, 1)).to(device)
    x, target = rand(32, 10), rand(32, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.mse_loss(model(x), target).backward()
        optimizer.step()
    return step


peers = {
    "gemm_f32_4096": matmul(torch.float32),
    "gemm_f16_4096": matmul(half),
    "gemm_f16_8192x1024": matmul(half),
    "attention_decode_32k": decode,
    "conv_f32": conv(torch.float32),
    "conv_f16": conv(half),
    "conv_input_grad_f32": conv(torch.float32, "input"),
    "conv_kernel_grad_f32": conv(torch.float32, "kernel"),
    "conv_groups_f32": conv(torch.float32),
    "conv_deep_f32": conv(torch.float32),
    "copy_f32_1g": copy,
    "gelu_f32_1g": unary(F.gelu),
    "dropout_f32_1g": unary(lambda x: F.dropout(x, 0.1)),
    "softmax_f32_1g": unary(lambda x: torch.softmax(x, 1)),
    "layer_norm_f32_1g": layer_norm,
    "rms_norm_f32_1g": rms_norm,
    "adam_f32_1g": adam(fused=False),
    "adam_f32_1g fused": adam(fused=True),
    "cross_entropy_f32_1g": cross_entropy,
    "cross_entropy_grad_f32_1g": cross_entropy_grad,
    "sum_all_f32_1g": unary(torch.sum),
    "sum_columns_f32_1g": unary(lambda x: x.sum(0)),
    "transpose_f32_1g": unary(lambda x: x.t().contiguous()),
    "transformer_block_step": transformer_block,
    "mlp_loop_step": mlp,
    "mlp_step": mlp,
}


def peer_of(name):
    if name in peers:
        return peers[name]
    return attention_grad if name.startswith("attention_grad_") else attention


torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
sizes = {case.name: case.sizes for case in programs.cases("small" in options)}
for name in [n for case in sizes for n in (case, case + " fused") if n == case or n in peers]:
    case = name.split()[0]
    if arguments and case not in arguments:
        continue
    try:
        run = peer_of(name)(*sizes[case])
        print(f"{name}\t{median(run):.5f}", flush=True)
        del run
    except Exception as error:  # the others are to be measured all the same
        print(f"peers.py: {name}: {error!r:.300}", file=sys.stderr, flush=True)
    if device == "cuda":
        torch.cuda.empty_cache()

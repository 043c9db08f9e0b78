"""What torch takes for the kernels of kernels.mlir: name and median milliseconds of a run."""
import torch


def median(run, seconds=0.5):
    for _ in range(10):
        run()
    torch.cuda.synchronize()
    times, total = [], 0.0
    while total < seconds or len(times) < 9:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
        total += times[-1] / 1e3
    return sorted(times)[len(times) // 2]


def rand(*shape, dtype=torch.float32):
    return torch.rand(*shape, dtype=dtype, device="cuda")


torch.backends.cuda.matmul.allow_tf32 = False
f16 = torch.float16
x32, y32 = rand(4096, 4096), rand(4096, 4096)
x16, y16 = x32.to(f16), y32.to(f16)
wide, tall = rand(8192, 8192, dtype=f16), rand(8192, 1024, dtype=f16)
flat = rand(1 << 28)
target = torch.empty_like(flat)
gain, bias = rand(1024), rand(1024)
square = flat.view(16384, 16384)
cases = {
    "gemm_f32_4096": lambda: x32 @ y32,
    "gemm_f16_4096": lambda: x16 @ y16,
    "gemm_f16_8192x1024": lambda: wide @ tall,
    "copy_f32_1g": lambda: target.copy_(flat),
    "gelu_f32_1g": lambda: torch.nn.functional.gelu(flat),
    "softmax_f32_1g": lambda: torch.softmax(flat.view(65536, 4096), 1),
    "layer_norm_f32_1g": lambda: torch.nn.functional.layer_norm(flat.view(-1, 1024), [1024], gain, bias),
    "sum_all_f32_1g": lambda: flat.sum(),
    "sum_columns_f32_1g": lambda: flat.view(65536, 4096).sum(0),
    "transpose_f32_1g": lambda: square.t().contiguous(),
}
for name, run in cases.items():
    print(f"torch {name:24} {median(run):10.4f} ms", flush=True)

"""Checks the report of report.mlir: what each number is, and that none is missing."""

import json
import sys

report = json.load(open(sys.argv[1]))
assert report["processor"] == "x86-64-v3" and report["threads"] >= 1
assert report["flops_f32_per_second"] > report["flops_f64_per_second"] > 1e8
assert report["bytes_per_second"] > 1e8 and report["compile_seconds"] > 0
assert report["distinct_kernels"] == 4
(program,) = report["programs"]
assert program["name"] == "main" and program["arena_bytes"] == "s0 * 256"
product, tanh, softmax, total = program["kernels"]
assert product["flops"] == "s0 * 2048" and product["sources"][0]["op"] == "matmul"
assert product["seconds_at_peak"] is None  # depends on s0
assert tanh["runs"] == 5 and tanh["step"] == 2 and softmax["step"] == 5
assert total["bytes"] == "s0 * 128 + 4" and total["code_bytes"] > 0
assert [(v["offset"], v["from"], v["to"]) for v in program["values"]] == [(0, 0, 5), ("s0 * 128", 5, 6)]
assert all(remark["location"] and remark["text"] for remark in report["remarks"])

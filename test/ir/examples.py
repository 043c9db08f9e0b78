"""Turns the examples of the generated op documentation into functions that parse.

usage: examples.py TABLEGEN TENON_SOURCE MLIR_INCLUDE
Fails when an op has no example. Prints one function per example.
"""
import re
import subprocess
import sys

tablegen, source, mlir = sys.argv[1:]
doc = subprocess.run(
    [tablegen, "-gen-op-doc", "-I", source, "-I", mlir, source + "/ir/TenonOps.td"],
    check=True, capture_output=True, text=True,
).stdout

for section in re.split(r"^### ", doc, flags=re.M)[1:]:
    op = re.match(r"`tenon\.(\w+)`", section).group(1)
    if op == "yield":  # shown inside loop and kernel
        continue
    example = re.search(r"```mlir\n(.*?)```", section, flags=re.S)
    if not example:
        sys.exit(f"tenon.{op} has no example")
    text = example.group(1)
    # Operands and their types, in order, of the first op: without its attributes
    # and its region.
    call = re.sub(r"\{[^{}]*=[^{}]*\}", "", text.split("^bb0")[0])
    if "=" in call:
        call = call.split("=", 1)[1]
    operands, _, types = call.partition(":")
    names = re.findall(r"%\w+", operands)
    types = re.findall(r"tensor<[^>]*>", types.split("->")[0]) if names else []
    if len(names) != len(types):
        sys.exit(f"tenon.{op}: {len(names)} operands but {len(types)} types in its example")
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    print(f"func.func @{op}({arguments}) {{\n{text}\n  return\n}}")

# run_elsewhere.py MODEL.mlir FOLDER OPTIONS -- COMMAND...: runs every function of a model by
# the command (an executable of tenon-compile, perhaps in an emulator) and by tenon-run's
# reference interpreter on the same random inputs, and compares the results. OPTIONS are
# low=L high=H ints=N extent=E, of the inputs.
import math
import os
import random
import re
import struct
import subprocess
import sys

CODES = {"f64": ("<f8", "d"), "f32": ("<f4", "f"), "f16": ("<f2", "e"), "bf16": ("|V2", "H"),
         "i64": ("<i8", "q"), "i32": ("<i4", "i"), "i8": ("|i1", "b"), "i1": ("|b1", "?")}
# Of an element, relative to the largest of its tensor, or to 0.1 where that is less.
TOLERANCE = {"f64": 1e-10, "f32": 2e-5, "f16": 4e-3, "bf16": 3e-2}

split = sys.argv.index("--")
model, folder = sys.argv[1:3]
options = dict(option.split("=") for option in sys.argv[3:split])
command = sys.argv[split + 1 :]
low, high = float(options.get("low", -2)), float(options.get("high", 2))
ints, extent = int(options.get("ints", 2)), int(options.get("extent", 5))


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def write(path, dtype, shape):
    code, letter = CODES[dtype]
    if dtype == "bf16":
        numbers = [struct.unpack("<I", struct.pack("<f", random.uniform(low, high)))[0] >> 16 for _ in range(math.prod(shape))]
    elif dtype[0] == "f":
        numbers = [random.uniform(low, high) for _ in range(math.prod(shape))]
    else:
        numbers = [random.randrange(2 if dtype == "i1" else ints) for _ in range(math.prod(shape))]
    dims = "".join(f"{extent}, " for extent in shape)
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({dims}), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(numbers)}{letter}", *numbers))


def read(path, dtype):
    data = open(path, "rb").read()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    letter = CODES[dtype][1]
    count = (len(data) - begin) // struct.calcsize(letter)
    values = struct.unpack(f"<{count}{letter}", data[begin:])
    if dtype == "bf16":
        values = [struct.unpack("<f", struct.pack("<I", value << 16))[0] for value in values]
    return re.search(rb"'shape': \(([^)]*)\)", data).group(1), values


def compare(at, dtype, expected, got):
    if expected[0] != got[0] or len(expected[1]) != len(got[1]):
        sys.exit(f"{at}: expected shape {expected[0]}, got {got[0]}")
    finite = [abs(x) for x in expected[1] if math.isfinite(x)]
    bound = TOLERANCE.get(dtype, 0) * max([0.1, *finite])
    for i, (x, y) in enumerate(zip(expected[1], got[1])):
        if not (x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= bound):
            sys.exit(f"{at}, element {i}: expected {x!r}, got {y!r}")
    return len(got[1])


entries, name = {}, None
for line in run([*command, "--help"]).splitlines():
    port = re.match(r"  (in|out) +(\S+) +(\w+) \[(.*)\]$", line)
    if port and name:
        entries[name].append((port[1], port[2], port[3], port[4].split(", ") if port[4] else []))
    elif re.match(r"\w+$", line):
        name = line
        entries[name] = []
if not entries:
    sys.exit("the program lists no entries")
os.makedirs(folder, exist_ok=True)
elements = 0
for name, ports in entries.items():
    random.seed(name)
    files, outputs = [], []
    for kind, port, dtype, shape in ports:
        if kind == "in":
            files.append(f"{folder}/{name}-in{len(files)}.npy")
            write(files[-1], dtype, [int(e) if e.isdigit() else extent for e in shape])
        else:
            outputs.append((port, dtype))
    run(["tenon-run", model, f"--function={name}", "--backend=reference", "--quiet",
         f"--output={folder}/{name}-expected", *files])
    run([*command, f"--entry={name}", f"--output={folder}/{name}-got-", *files])
    for i, (port, dtype) in enumerate(outputs):
        expected = read(f"{folder}/{name}-expected{i}.npy", dtype)
        got = read(f"{folder}/{name}-got-{port}.npy", dtype)
        elements += compare(f"{name}, {port}", dtype, expected, got)
if not elements:
    sys.exit("nothing was compared")
print(f"{os.path.basename(model)}: {len(entries)} functions, {elements} elements")

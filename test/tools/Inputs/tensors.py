# tensors.py FILE.npy TYPE SHAPE NUMBER...: writes a .npy file. tensors.py FILE: prints a file.
# tensors.py FILE lie: writes a .safetensors file that claims more than it has.
import json
import struct
import sys

path, rest = sys.argv[1], sys.argv[2:]
CODES = {"f4": "f", "f8": "d", "i4": "i", "F32": "f"}
if rest == ["lie"]:
    header = json.dumps({"sum": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 1 << 60]}}).encode()
    open(path, "wb").write(struct.pack("<Q", len(header)) + header + bytes(16))
elif rest:
    kind, shape, numbers = rest[0], rest[1], rest[2:]
    shape = tuple(int(extent) for extent in shape.split(",") if extent)
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    to = int if kind == "i4" else float
    data = struct.pack(f"<{len(numbers)}{CODES[kind]}", *(to(number) for number in numbers))
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
elif path.endswith(".npy"):
    data = open(path, "rb").read()
    length = struct.unpack_from("<H", data, 8)[0]
    header = eval(data[10 : 10 + length])
    values = struct.unpack(f"<{(len(data) - 10 - length) // 4}{CODES[header['descr'][1:]]}", data[10 + length :])
    print(header["descr"], header["shape"], *values)
else:
    data = open(path, "rb").read()
    length = struct.unpack_from("<Q", data)[0]
    for name, tensor in json.loads(data[8 : 8 + length]).items():
        begin, end = (8 + length + offset for offset in tensor["data_offsets"])
        values = struct.unpack(f"<{(end - begin) // 4}{CODES[tensor['dtype']]}", data[begin:end])
        print(name, tensor["dtype"], tensor["shape"], *values)

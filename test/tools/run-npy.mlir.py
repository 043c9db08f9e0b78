"""Writes the .npy files of run-npy.mlir into a folder."""
import struct
import sys


def write(name, shape, version=(1, 0), length=None):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }\n" % shape
    size = struct.pack("<H", len(header) if length is None else length)
    with open(f"{sys.argv[1]}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY" + bytes(version) + size + header.encode())
        file.write(struct.pack("<3f", 1, 2, 3))


write("good", "3,")
write("huge", "1000000000000000,")
write("overflow", "9223372036854775807, 4")
write("digits", "99999999999999999999999,")
write("negative", "-3,")
write("version", "3,", version=(9, 9))
write("cut", "3,", length=60000)

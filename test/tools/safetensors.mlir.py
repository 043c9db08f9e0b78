"""Writes the .safetensors files of safetensors.mlir into a folder."""
import json
import struct
import sys

X = {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}
X_TEXT = json.dumps(X)


def write(name, header, count=3):
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    with open(f"{sys.argv[1]}/{name}.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.write(struct.pack(f"<{count}f", *range(1, count + 1)))


# json.dumps writes each of these as \u, the last one as two of them.
write("good", {"é日\U0001f600": {**X, "shape": [0], "data_offsets": [12, 12]}, "x": X})
write("overlap", {"x": X, "z": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})
write("gap", {"x": X, "z": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]}}, count=5)
write("more", {"x": X}, count=5)
write("late", {"x": {**X, "data_offsets": [4, 16]}}, count=4)
write("shapes", '{"x": {"dtype": "F32", "shape": [3], "shape": [], "data_offsets": [0, 12]}}')
write("shapeless", '{"x": {"dtype": "F32", "data_offsets": [0, 4]}}', count=1)
write("half", '{"\\ud83d": %s}' % X_TEXT)
write("digits", '{"\\u00g0": %s}' % X_TEXT)
write("control", '{"a\nb": %s}' % X_TEXT)
write("type", {"x": {**X, "dtype": "U32"}})

# damage.py LIBRARY FOLDER KIND...: writes FOLDER/KIND.so, the library damaged in that way.
# The digest is computed here after XXH64's specification and must be what the compiler wrote.
import struct
import sys

P = [0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5]
MASK = (1 << 64) - 1


def rotate(value, by):
    return (value << by | value >> (64 - by)) & MASK


def step(lane, word):
    return rotate((lane + word * P[1]) & MASK, 31) * P[0] & MASK


def xxh64(data, seed):
    at, size = 0, len(data)
    digest = (seed + P[4]) & MASK
    if size >= 32:
        lanes = [(seed + P[0] + P[1]) & MASK, (seed + P[1]) & MASK, seed, (seed - P[0]) & MASK]
        while size - at >= 32:
            words = struct.unpack_from("<4Q", data, at)
            lanes = [step(lane, word) for lane, word in zip(lanes, words)]
            at += 32
        digest = sum(rotate(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            digest = ((digest ^ step(0, lane)) * P[0] + P[3]) & MASK
    digest = (digest + size) & MASK
    while size - at >= 8:
        digest = (rotate(digest ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * P[0] + P[3]) & MASK
        at += 8
    if size - at >= 4:
        digest = (rotate(digest ^ (struct.unpack_from("<I", data, at)[0] * P[0] & MASK), 23) * P[1] + P[2]) & MASK
        at += 4
    for byte in data[at:]:
        digest = rotate(digest ^ (byte * P[4] & MASK), 11) * P[0] & MASK
    for by, prime in ((33, P[1]), (29, P[2])):
        digest = (digest ^ digest >> by) * prime & MASK
    return digest ^ digest >> 32


library, folder, kinds = sys.argv[1], sys.argv[2], sys.argv[3:]
original = open(library, "rb").read()
note = original.index(b"TENONAOT")
hole = note + 24


def stamp(data):
    data[hole : hole + 8] = struct.pack("<Q", xxh64(data[hole + 8 :], xxh64(data[:hole], 0)))


for kind in kinds:
    data = bytearray(original)
    if kind == "magic":
        data[note] ^= 1
    elif kind == "format":
        data[note + 8] = 7
    elif kind == "abi":
        data[note + 12] = 99
    elif kind == "features":  # the names themselves, in note and data
        data = bytearray(data.replace(b" avx2", b" avx9"))
    elif kind == "text":  # the last variant loses its features
        end = data.index(b"\0", data.index(b"x86-64-v3", note) + 10)
        data[end] = ord("x")
    elif kind == "cut":
        del data[-100:]
    elif kind == "longer":
        data.append(0)
    elif kind == "flipped":
        data[len(data) // 2] ^= 4
    elif kind == "header":
        data = data[:40]
    elif kind == "machine":
        data[18] = 8
    elif kind == "phdr":
        data = data[:100]
    if kind in ("same", "features", "text"):
        stamp(data)
    assert kind != "same" or data == original, "the compiler's digest is another"
    open(f"{folder}/{kind}.so", "wb").write(data)

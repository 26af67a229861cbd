#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes small ELF files whose headers or frames state much.

usage: bombs.py DIR    a file for each kind; a line for each: its name, and bytes on disk
"""

import os
import random
import struct
import sys
import zlib

MIB = 1 << 20
RANDOM = random.Random(26)
CODE = 0x401000
TEXT = 0x10000          # where code is in the file; headers come before
X, R = 5, 4
PROGBITS, STRTAB, NOTE = 1, 3, 7
COMPRESSED = 0x800

# A CIE of .debug_frame: the CFA is rsp + 8, the return address is below.
CIE = bytes.fromhex("ffffffff 03 00 01 78 10 0c0708 9001")


def entry(body):
    """An entry of .debug_frame, padded with DW_CFA_nop."""
    body += bytes(-(len(body) + 4) % 8)
    return struct.pack("<I", len(body)) + body


def fde(start, size, program, cie=0):
    return entry(struct.pack("<IQQ", cie, start, size) + program)


def leb(value):
    out = b""
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def load(offset, size, address=CODE, memory=None):
    return (1, X, offset, address, size, size if memory is None else memory)


class File:
    """Headers at the start; what is put in follows, or stays a hole."""

    def __init__(self, path, segments=None, **header):
        self.file = open(path, "wb")
        self.segments = [load(TEXT, 4096)] if segments is None else segments
        self.header = header
        self.sections = []
        self.names = b"\0"
        self.end = TEXT + 4096

    def put(self, data, offset=None):
        """Returns where it is."""
        offset = self.end if offset is None else offset
        self.file.seek(offset)
        self.file.write(data)
        self.end = max(self.end, offset + len(data) + 15 & ~15)
        return offset

    def section(self, name, data=b"", kind=PROGBITS, flags=0, offset=None, size=None):
        offset = self.put(data) if offset is None else offset
        self.sections.append((len(self.names), kind, flags, 0, offset,
                              len(data) if size is None else size, 0, 0, 8, 0))
        self.names += name.encode() + b"\0"

    def hole(self, size):
        """Returns where it is."""
        offset = self.end
        self.end += size
        return offset

    def close(self):
        head = {"phnum": len(self.segments), "phoff": 64, "shoff": 0, "shnum": 0,
                "shstrndx": 0}
        if self.sections:
            self.section(".shstrtab", self.names + b".shstrtab\0", STRTAB)
            table = [(0,) * 10] + self.sections
            head["shnum"], head["shstrndx"] = len(table), len(table) - 1
            head["shoff"] = self.put(b"".join(struct.pack("<IIQQQQIIQQ", *s) for s in table))
        head.update(self.header)
        self.put(b"\x90" * 4096, TEXT)
        self.put(b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
            "<HHIQQQIHHHHHH", 2, 62, 1, CODE, head["phoff"], head["shoff"], 0, 64, 56,
            head["phnum"], 64, head["shnum"], head["shstrndx"]), 0)
        self.put(b"".join(struct.pack("<IIQQQQQQ", kind, flags, offset, address, address,
                                      size, memory, 4096)
                          for kind, flags, offset, address, size, memory in self.segments), 64)
        self.file.truncate(self.end)
        self.file.close()


def notes(path):
    segments = [load(TEXT, 4096)] + [(4, R, 2 * TEXT + i * 4096, 0, 900 * MIB, 0)
                                     for i in range(3)]
    f = File(path, segments)
    f.end = 2 * TEXT + 901 * MIB
    f.close()


def many_notes(path):
    """Each of a size that may be."""
    f = File(path, [load(TEXT, 4096)] + [(4, R, 2 * TEXT + i * 65536, 0, 65536, 0)
                                         for i in range(1000)])
    f.end = 2 * TEXT + 1001 * 65536
    f.close()


def note_section(path):
    f = File(path)
    f.section(".note", kind=NOTE, offset=f.hole(900 * MIB), size=900 * MIB)
    f.close()


def sections(path):
    """Five million, counted where those are that the header has no room for."""
    f = File(path, shoff=2 * TEXT)
    f.put(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 5_000_000, 0, 0, 0, 0), 2 * TEXT)
    f.end = 2 * TEXT + 64 * 5_000_000
    f.close()


def segments(path):
    """As many, counted in the same place."""
    f = File(path, shoff=2 * TEXT, shnum=1, phnum=0xffff, phoff=3 * TEXT)
    f.put(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 5_000_000, 0, 0), 2 * TEXT)
    f.end = 3 * TEXT + 56 * 5_000_000
    f.close()


def names(path, size=1100 * MIB):
    f = File(path, shoff=2 * TEXT, shnum=3, shstrndx=2)
    f.put(struct.pack("<IIQQQQIIQQ", *(0,) * 10) +
          struct.pack("<IIQQQQIIQQ", 1, PROGBITS, 0, 0, TEXT, 16, 0, 0, 1, 0) +
          struct.pack("<IIQQQQIIQQ", 1, STRTAB, 0, 0, 3 * TEXT, size, 0, 0, 1, 0), 2 * TEXT)
    f.end = 3 * TEXT + size
    f.close()


def frames(path):
    f = File(path)
    f.section(".eh_frame", offset=f.hole(250 * MIB), size=250 * MIB)
    f.close()


def frames_no_sections(path):
    """Found by the program headers: the rest of a segment."""
    f = File(path, [load(TEXT, 4096), (1, R, 2 * TEXT, 2 * TEXT, 900 * MIB, 900 * MIB),
                    (0x6474e550, R, 2 * TEXT, 2 * TEXT, 16, 16)])
    f.put(bytes.fromhex("01 1b 03 3b 0c000000") + bytes(8), 2 * TEXT)
    f.end = 2 * TEXT + 900 * MIB
    f.close()


def pack(data):
    return struct.pack("<IIQQ", 1, 0, len(data), 8) + zlib.compress(data, 9)


def packed(path):
    f = File(path)
    data = entry(CIE) + fde(CODE, 4096, bytes(100 * MIB))
    f.section(".debug_frame", pack(data), flags=COMPRESSED)
    f.close()


def packed_gnu(path):
    f = File(path)
    data = entry(CIE) + fde(CODE, 4096, bytes(100 * MIB))
    f.section(".zdebug_frame", b"ZLIB" + struct.pack(">Q", len(data)) + zlib.compress(data, 9))
    f.close()


def packed_in_vain(path):
    """Many that are found to be spoilt when all is unpacked; none is more than may be."""
    f = File(path)
    data = RANDOM.randbytes(16 << 10) * 15
    packed = pack(data)[:-1] + b"\0"
    at = f.put(packed)
    for _ in range(4000):
        f.section(".debug_frame", flags=COMPRESSED, offset=at, size=len(packed))
    f.close()


def rows(path, segments, size):
    """A row for each byte. Packed so little that it could be real."""
    f = File(path, segments)
    program = b"".join(b"\x41\x0e\x08\x41\x0e\x10" * 4 + b"\x41\x0e" +
                       leb(8 * RANDOM.randrange(1 << 10)) for _ in range(size // 9))
    f.section(".debug_frame", pack(entry(CIE) + fde(CODE, size, program)), flags=COMPRESSED)
    f.end = max([f.end] + [s[2] + s[4] for s in segments])
    f.close()


def rows_in_memory(path):
    rows(path, [load(TEXT, 4096, memory=64 * MIB)], 2 * MIB)


def rows_in_hole(path):
    rows(path, [load(64 * MIB, 64 * MIB)], 2 * MIB)


def rows_shared(path):
    """16 segments that are the same bytes of the file."""
    f = File(path, [load(TEXT, 65536, CODE + i * 65536) for i in range(16)])
    f.put(RANDOM.randbytes(65536), TEXT)
    program = b"".join(bytes([0x41, 0x0e, 8 + 8 * (i % 7)]) for i in range(65536))
    f.section(".debug_frame", entry(CIE) + b"".join(
        fde(CODE + i * 65536, 65536, program[:60000]) for i in range(16)))
    f.close()


def pages(path):
    """Two segments, far from each other."""
    f = File(path, [load(TEXT, 4096), load(TEXT, 4096, CODE + (4 << 30) - (64 << 20))])
    f.section(".debug_frame", entry(CIE) + fde(CODE, 64, b"") +
              fde(CODE + (4 << 30) - (64 << 20), 64, b""))
    f.close()


def expressions(path):
    """Each row has expressions for all registers."""
    expression = bytes([0x76, 0]) + bytes([0x23, 0]) * 31
    cie = CIE + b"".join(bytes([0x10, reg, len(expression)]) + expression
                         for reg in (3, 6, 12, 13, 14, 15))
    f = File(path, [load(TEXT, 60000)])
    f.put(RANDOM.randbytes(60000), TEXT)
    f.section(".debug_frame", entry(cie) +
              fde(CODE, 60000, b"".join(bytes([0x41, 0x0e, i % 64]) for i in range(60000))))
    f.close()


def mix(h, word):
    h = (h ^ word) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
    return h ^ h >> 29


def collisions(path):
    """Rules that a hash which anybody can compute puts in one place."""
    want = []
    first = 0xcbf29ce484222325
    # kind CFA, flags 0, reg rsp, no index; the return address one word below the CFA
    second = 0xffff << 16
    off = 8
    while len(want) < 1000:
        h = mix(mix(first, 3 | 7 << 16 | 0xff << 24 | off << 32), second)
        if not (h ^ h >> 32) & 0x3ff:
            want.append(off)
        off += 1
    f = File(path, [load(TEXT, 120000)])
    f.put(RANDOM.randbytes(120000), TEXT)
    f.section(".debug_frame", entry(CIE) + fde(CODE, 120000, b"".join(
        b"\x41\x0e" + leb(want[i % len(want)]) for i in range(80000))))
    f.close()


def remembered(path):
    """States that are kept and taken back, and nothing else."""
    f = File(path)
    f.section(".debug_frame", entry(CIE) + fde(CODE, 4096, b"\x0a\x0b" * 120000))
    f.close()


def cies(path):
    """Many, each with an FDE for all addresses that there are."""
    f = File(path, [load(TEXT, 60000)])
    f.put(RANDOM.randbytes(60000), TEXT)
    data = b""
    for i in range(4000):
        data += entry(CIE) + fde(CODE + i, (1 << 63) - 1, b"", len(data))
    f.section(".debug_frame", data)
    f.close()


def go(path):
    f = File(path)
    at = f.hole(250 * MIB)
    f.put(struct.pack("<IBBBBQQQQQQQQ", 0xfffffff1, 0, 0, 1, 8, 1 << 60, 0, CODE, 64, 0, 0,
                      0, 64), at)
    f.section(".gopclntab", offset=at, size=250 * MIB)
    f.end = at + 250 * MIB
    f.close()


def code(path):
    """In which trampolines of signals are looked for."""
    f = File(path, [load(TEXT, 500 * MIB)])
    f.end = TEXT + 500 * MIB
    f.close()


KINDS = (notes, many_notes, note_section, sections, segments, names, frames,
         frames_no_sections, packed, packed_gnu, packed_in_vain, rows_in_memory, rows_in_hole,
         rows_shared, pages, expressions, collisions, remembered, cies, go, code)


def main():
    for kind in KINDS:
        path = os.path.join(sys.argv[1], kind.__name__)
        kind(path)
        print(kind.__name__, os.stat(path).st_blocks * 512)


main()

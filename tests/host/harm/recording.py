# SPDX-License-Identifier: GPL-2.0
"""A recording of one process, made without a recorder: what it has mapped, and a sample in
each mapping."""

import os
import struct

BASE = 0x10000000
SIZE = 0x10000


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(string):
    data = string.encode() + b"\0"
    return data + b"\0" * (-len(data) % 8)


def file_of(name, i):
    """Major and minor number of the device, and the inode; of what is not there, some."""
    try:
        st = os.stat(name)
    except OSError:
        return 8, 1, 100 + i
    return os.major(st.st_dev), os.minor(st.st_dev), st.st_ino


def write(path, pid, mapped, offset=0x1000, sampled=0, rest=b"", features=()):
    """mapped: names of files, or "//anon"; the sample is at that offset of each. It has the
    data of more bits of the sample type behind its period. Features are empty."""
    stamp = struct.pack("<IIQ", pid, pid, 1000)
    data = record(3, 0, struct.pack("<II", pid, pid) + text("comm") + stamp)
    for i, name in enumerate(mapped):
        data += record(10, 2, struct.pack("<IIQQQIIQQII", pid, pid, BASE + i * SIZE, SIZE, 0,
                                          *file_of(name, i), 0, 5, 2) + text(name) + stamp)
    for i in range(len(mapped)):
        data += record(9, 2, struct.pack("<QIIQQ", BASE + i * SIZE + offset, pid, pid,
                                         2000 + i, 1000000) + rest)
    # cpu-clock; IP, TID, TIME, PERIOD; mmap, comm, sample_id_all, mmap2
    attr = struct.pack("<IIQQQQQ", 1, 112, 0, 1000000, 0x107 | sampled, 0, 1 << 8 | 1 << 9 | 1 << 18 |
                       1 << 23) + bytes(112 - 48)
    head = struct.pack("<8sQQ", b"PERFILE2", 104, 128) + \
        struct.pack("<QQQQQQ", 104, 128, 232, len(data), 0, 0) + \
        sum(1 << nr for nr in features).to_bytes(32, "little")
    with open(path, "wb") as f:
        f.write(head + attr + struct.pack("<QQ", 0, 0) + data + bytes(16 * len(features)))

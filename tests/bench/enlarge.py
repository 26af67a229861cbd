#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes a large perf.data of a small one: its samples again and again, later each time, as if
the recording had gone on. Threads do not end, and a ledger behind the file is left out, for
neither would be true.

usage: enlarge.py SMALL LARGE BYTES

Formats: tools/perf/Documentation/perf.data-file-format.txt, perf_event_open(2)."""

import struct
import sys

EXIT, SAMPLE, FINISHED_ROUND, COMPRESSED, COMPRESSED2 = 4, 9, 68, 81, 83
IDENTIFIER, IP, TID, TIME = 1 << 16, 1 << 0, 1 << 1, 1 << 2


def time_at(attr):
    """Where a sample's time stands, behind its header."""
    sample_type = struct.unpack_from("<Q", attr, 24)[0]
    assert sample_type & TIME, "samples without a time"
    return 8 * sum(bool(sample_type & bit) for bit in (IDENTIFIER, IP, TID))


def features(data, end, mask, by):
    """The table of sections behind the data, and the sections, as they stand further on."""
    nr = bin(int.from_bytes(mask, "little")).count("1")
    table = [list(struct.unpack_from("<QQ", data, end + 16 * i)) for i in range(nr)]
    last = max([end + 16 * nr] + [at + size for at, size in table])
    return b"".join(struct.pack("<QQ", at + by, size) for at, size in table) + \
        data[end + 16 * nr:last]


def main():
    small, large, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(small, "rb") as f:
        data = f.read()
    magic, head_size, attr_size, attrs, attrs_size, at, length = struct.unpack_from(
        "<8s6Q", data)
    assert magic == b"PERFILE2" and head_size == 104, "not a perf.data"
    places = {time_at(data[i:i + attr_size]) for i in range(attrs, attrs + attrs_size, attr_size)}
    assert len(places) == 1, "the events' samples have their times at different places"
    place = 8 + places.pop()

    first, samples, offsets, times = bytearray(), bytearray(), [], []
    start, end = at, at + length
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        assert length >= 8 and kind not in (COMPRESSED, COMPRESSED2), "compressed records"
        record = data[at:at + length]
        if kind == SAMPLE:
            offsets.append(len(samples) + place)
            times.append(struct.unpack_from("<Q", record, place)[0])
            samples += record
        elif kind not in (EXIT, FINISHED_ROUND):
            first += record
        at += length
    assert offsets, "no samples"
    # What has no order of its own comes first: all of it is older than the second copy.
    span = max(times) - min(times) + 1000
    rounds = max(1, (size - len(first)) // (len(samples) + 8))
    mark = struct.pack("<IHH", FINISHED_ROUND, 0, 8)
    length = len(first) + rounds * (len(samples) + len(mark))
    with open(large, "wb") as f:
        f.write(data[:start])
        f.write(first)
        for i in range(rounds):
            for offset, time in zip(offsets, times):
                struct.pack_into("<Q", samples, offset, time + i * span)
            f.write(samples)
            f.write(mark)
        f.write(features(data, end, data[72:104], start + length - end))
        f.seek(48)
        f.write(struct.pack("<Q", length))
    print("%d samples, %d times %d, %d bytes" % (rounds * len(offsets), rounds, len(offsets),
                                                 start + length))


main()

# SPDX-License-Identifier: GPL-2.0
"""ELF files with a function at 0x1000, and what makes much of little in them."""

import lzma
import struct
import zlib

NULL, PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS, DYNSYM = 0, 1, 2, 3, 4, 7, 8, 11
COMPRESSED = 0x800
MIB = 1 << 20


def section(name, kind, data=b"", link=0, flags=0, size=None, offset=None, info=0, entry=0):
    return {"name": name, "kind": kind, "data": data, "link": link, "flags": flags,
            "size": len(data) if size is None else size, "offset": offset, "info": info,
            "entry": entry}


def symbols(name):
    return b"\0" * 24 + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000, 64), \
        b"\0" + name.encode() + b"\0"


def named(name):
    table, strings = symbols(name)
    return [section(".symtab", SYMTAB, table, link=2, info=1, entry=24),
            section(".strtab", STRTAB, strings)]


def build(path, sections, segments=(), size=0, shnum=None, phnum=None, shstr=None):
    """The first two sections are named()'s, if there are any. segments: type, offset, size"""
    sections = [section("", NULL)] + list(sections) + [section(".shstrtab", STRTAB)]
    names = b"\0" + b"".join(s["name"].encode() + b"\0" for s in sections[1:])
    sections[-1]["data"] = names
    sections[-1]["size"] = shstr or len(names)
    headers = [(1, 5, 0, 0, 0x10000, 0x10000)] + [(k, 4, o, o, n, n) for k, o, n in segments]
    at = 0x2000
    rows, body = b"", []
    for s in sections:
        offset = at if s["offset"] is None else s["offset"]
        body.append((offset, s["data"]))
        name = names.find(b"\0" + s["name"].encode() + b"\0") + 1 if s["name"] else 0
        rows += struct.pack("<IIQQQQIIQQ", name, s["kind"], s["flags"], 0,
                            offset if s["kind"] else 0, s["size"], s["link"], s["info"], 1,
                            s["entry"])
        at += len(s["data"]) + -len(s["data"]) % 16
    if shnum:
        rows = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, shnum, 0, 0, 0, 0) + rows[64:]
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0x1000, 64, at, 0, 64, 56, phnum or len(headers), 64,
        0 if shnum else len(sections), len(sections) - 1)
    with open(path, "wb") as f:
        f.write(head + b"".join(struct.pack("<IIQQQQQQ", k, fl, o, v, v, n, m, 4096)
                                for k, fl, o, v, n, m in headers))
        for offset, data in body:
            f.seek(offset)
            f.write(data)
        f.seek(at)
        f.write(rows)
        f.truncate(max(f.seek(0, 2), 0x10000, size))


def chdr(kind, size):
    return struct.pack("<IIQQ", kind, 0, size, 1)


def zlib_bomb(mib):
    """Zeros, of which each MiB is packed in the same way, so that it takes no time."""
    packer = zlib.compressobj(9)
    first = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    adler = (mib * MIB % 65521) << 16 | 1
    return chdr(1, mib * MIB) + first + again * (mib - 1) + b"\3\0" + adler.to_bytes(4, "big")


def number(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def checked(data):
    return data + zlib.crc32(data).to_bytes(4, "little")


def xz(data, times):
    """A stream of one block that is data, so many times over."""
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": MIB}]
    chunks = lzma.compress(data, format=lzma.FORMAT_RAW, filters=filters)[:-1] * times + b"\0"
    head = checked(b"\2\0\x21\1\x10\0\0\0")
    index = b"\0\1" + number(len(head + chunks)) + number(len(data) * times)
    index = checked(index + bytes(-len(index) % 4))
    foot = (len(index) // 4 - 1).to_bytes(4, "little") + b"\0\0"
    return b"\xfd7zXZ\0" + checked(b"\0\0") + head + chunks + bytes(-len(chunks) % 4) + \
        index + zlib.crc32(foot).to_bytes(4, "little") + foot + b"YZ"


def packed(path):
    """An ELF file of symbols alone."""
    build(path, named("packed"))
    with open(path, "rb") as f:
        return f.read()


def base(value, digits):
    """As both ABIs count what came before: the first without a number."""
    if not value:
        return "_"
    value -= 1
    text = ""
    while True:
        text = digits[value % len(digits)] + text
        value //= len(digits)
        if not value:
            return text + "_"


def cplus(depth):
    """Functions that take two of the ones before."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name, last = "_Z1fIPFivE", 2
    for _ in range(depth):
        name += "PFi" + 2 * ("S" + base(last, digits)) + "E"
        last += 2
    return name + "Evv"


def rust(depth):
    """Tuples of two of the ones before."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name, last = "INvC1a1f", None
    for _ in range(depth):
        here = len(name)
        name += "TuuE" if last is None else "T" + 2 * ("B" + base(last, digits)) + "E"
        last = here
    return "_R" + name + "E"

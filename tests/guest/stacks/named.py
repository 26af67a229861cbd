#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How much of the time of services in Python, JavaScript and Java has stacks that are whole,
and have the functions of their language by name?

Whole is what judge.py says. Of the language is a stack with one of the native functions by
which it is entered (ENTRY), or with a frame of its code. What has neither, and is whole, is
the runtime's own: its compilers, its collector of garbage, a thread that waits for events; it
is counted apart. What is not whole is taken for the language's. A stack is named if it is
whole, each entry is followed by a function of the language before the next one, and no frame
of the language lacks a name; it is named inside if that holds of the innermost frame of the
language. Native functions in between are not judged: Debian leaves most of their names out of
its files.

usage: named.py DIR LANGUAGE=IMAGE...    for each, the guest's root; and below DIR what it left:
                                         LANGUAGE/with.pb.gz and without.pb.gz, and logs
"""

import collections
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../report"), os.path.join(HERE, "../../lab")]
import formats
import judge
import tap

ON, OFF = judge.ON, judge.OFF
WITH, WITHOUT = "with", "without"
Frame = collections.namedtuple("Frame", "name path offset")

# Percent that must be whole, of all with a stack; and of the language's, named, and named
# inside. Java's are named as far as they are whole, which its compiler delays.
WHOLE = {"python3": {OFF: 99.9, ON: 99}, "node": {OFF: 99.9, ON: 99}, "java": {OFF: 85, ON: 90}}
NAMES = {"python3": {OFF: 99.9, ON: 99}, "node": {OFF: 98, ON: 97}, "java": {OFF: 85, ON: 90}}
INSIDE = {"python3": {OFF: 99.9, ON: 99}, "node": {OFF: 98, ON: 97}, "java": {OFF: 95, ON: 95}}
# Of the language's, at most so many percent may be whole and not named for another reason than
# that they are interpreted. The language of node is entered by code in libnode without names,
# and some of its functions are such code, too.
REST = {"python3": 1, "node": 4, "java": 1}
# So many samples of the language there must be, and seconds off the CPU.
ENOUGH = {ON: 300, OFF: 10**9 // 10}

# What a stack of the language is, beside what keeps it from being named.
NAMED, NOT_WHOLE, NO_FUNCTION = "named", "not whole", "entered, no function"
UNREAD, INTERPRETED, NO_NAME = "functions not read", "interpreted", "code without a name"
RUNTIME, NO_STACK = "the runtime's own", "no user stack"
# A frame without a name, as printed: its file, and an address.
BARE = re.compile(r"(\[.*\]|.*\+0x[0-9a-f]+|0x[0-9a-f]+)$")


def generated(frame):
    """Is it code that a program made? It has no file."""
    return frame.path == "//anon" or not frame.path.startswith(("/", "["))


class Python:
    """The interpreter's native frame has the functions that it executes in its place; without
    them it has its own name."""
    ENTRY = None
    NATIVE = re.compile(r"_PyEval_EvalFrameDefault$")

    @classmethod
    def what(cls, frame):
        if frame.path.endswith("[python]"):
            return UNREAD if frame.name.startswith("[python") else NAMED
        return NO_FUNCTION if cls.NATIVE.match(frame.name) else None


class JavaScript:
    ENTRY = re.compile(r"v8::internal::Execution::")

    @staticmethod
    def what(frame):
        if not generated(frame):
            return None
        return NO_NAME if BARE.match(frame.name) else NAMED


class Java:
    ENTRY = re.compile(r"JavaCalls::call_helper")
    METHOD = re.compile(r"[\w$./]+\.[\w$<>]+$")

    @classmethod
    def what(cls, frame):
        """Stubs and adapters are no methods, and have names of their own."""
        if frame.path.endswith("[java]"):
            return UNREAD if frame.name.startswith("[java") else NAMED
        if not generated(frame):
            return None
        if frame.name == "Interpreter":
            return INTERPRETED
        if BARE.match(frame.name):
            return NO_NAME
        return NAMED if cls.METHOD.match(frame.name) else None


LANGUAGES = {"python3": Python, "node": JavaScript, "java": Java}


def stacks(file):
    """Stacks of a profile, the outermost frame first, with the number of samples, and ns off
    the CPU."""
    p = formats.decode(file)
    strings = p["string_table"]
    names = {f["id"][0]: strings[f["name"][0]] for f in p["function"]}
    maps = {m["id"][0]: m for m in p["mapping"]}
    frames = {}
    for place in p["location"]:
        # What stands for no stack has no mapping, and no address.
        area = maps[place["mapping_id"][0]] if place["mapping_id"] else {}
        start, offset = ((area.get(key) or [0])[0] for key in ("memory_start", "file_offset"))
        path = (area.get("filename") or [0])[0]
        name = names[place["line"][0]["function_id"][0]]
        frames[place["id"][0]] = Frame(name, strings[path],
                                       (place["address"] or [0])[0] - start + offset)
    assert [strings[t["type"][0]] for t in p["sample_type"]][:3] == ["samples", "cpu", "off-cpu"]
    for s in p["sample"]:
        stack = [frames[i] for i in reversed(s["location_id"])]
        # Of a sample in the kernel the innermost one is the kernel's.
        yield ([f for f in stack if f.path and not f.path.startswith("[kernel")],
               {ON: s["value"][0] if s["value"][1] else 0, OFF: s["value"][2]})


def verdict_of(language, files, stack):
    """What a stack is: NAMED, the first thing that keeps it from that, RUNTIME or NO_STACK;
    and whether it is named inside."""
    if not stack:
        return NO_STACK, False
    entered, found = False, []
    for i, frame in enumerate(stack):
        what = language.what(frame)
        entry = bool(language.ENTRY and language.ENTRY.match(frame.name))
        # An entry is some native functions, one after the other.
        if entry and entered and not language.ENTRY.match(stack[i - 1].name):
            found.append(NO_FUNCTION)
        entered = (entered or entry) and not what
        if what:
            found.append(what)
    if entered:
        found.append(NO_FUNCTION)
    if not files.is_begin(stack[0].path, stack[0].offset):
        return NOT_WHOLE, found[-1:] == [NAMED]
    if not found:
        return RUNTIME, False
    return next((what for what in found if what != NAMED), NAMED), found[-1] == NAMED


class Sums:
    """Of one recording: samples and ns by verdict, those that are named inside, and the stacks
    that are not named."""

    def __init__(self, language, files, file):
        self.sum = {ON: collections.Counter(), OFF: collections.Counter()}
        self.inside = collections.Counter()
        self.others = collections.Counter()
        for stack, values in stacks(file):
            verdict, inside = verdict_of(language, files, stack)
            for kind, value in values.items():
                self.sum[kind][verdict] += value
                self.inside[kind] += value * inside
                if value and verdict not in (NAMED, RUNTIME, NO_STACK):
                    self.others[kind, verdict, ";".join(f.name for f in stack)] += value

    def known(self, kind):
        """All with a stack."""
        return self.sum[kind].total() - self.sum[kind][NO_STACK]

    def whole(self, kind):
        return self.known(kind) - self.sum[kind][NOT_WHOLE]

    def language(self, kind):
        return self.known(kind) - self.sum[kind][RUNTIME]

    def shares(self, kind):
        """Percent: whole of all; the language's of all; named, and named inside, of these."""
        return (percent(self.whole(kind), self.known(kind)),
                percent(self.language(kind), self.known(kind)),
                percent(self.sum[kind][NAMED], self.language(kind)),
                percent(self.inside[kind], self.language(kind)))


def percent(part, whole):
    return "%6.2f" % (100 * part / whole) if whole else "     -"


def shown(kind, value):
    return "%d" % value if kind == ON else "%.6f s" % (value / 1e9)


def table(sums):
    """Of a language with and without: the amount, shares, and what the rest is."""
    print("# %39s" % "" + "".join("%12s" % head for head in (
        "whole", "language's", "named", "inside")))
    for (language, way), s in sums.items():
        for kind in OFF, ON:
            print("# %-8s %-8s %-8s %12s" % (language, way, kind,
                                             shown(kind, s.sum[kind].total())) +
                  "".join("%10s %%" % share for share in s.shares(kind)))
            for verdict, value in s.sum[kind].most_common():
                if verdict not in (NAMED, RUNTIME) and value:
                    print("#   %14s %s %% %s" % (
                        shown(kind, value), percent(value, s.sum[kind].total()), verdict))


def explained(sums, most):
    """The most frequent stacks of each kind that are not named."""
    for (language, way), s in sums.items():
        seen = collections.Counter()
        for (kind, verdict, stack), value in s.others.most_common():
            seen[kind, verdict] += 1
            if seen[kind, verdict] <= most:
                print("# %s %s, %s, %s: %s %s" % (language, way, kind, verdict,
                                                 shown(kind, value), stack))


def short(kind, good, known, least):
    """What is wrong if fewer than so many percent are good. Samples can fall short by
    chance."""
    if known and not judge.is_short([good, known], least[kind], kind == ON):
        return []
    return ["%s: %s %% of %s, %g %% must be" % (kind, percent(good, known).strip(),
                                              shown(kind, known), least[kind])]


def checks(language, sums, directory):
    """All of a language."""
    lost = [line for way in (WITH, WITHOUT)
            for line in judge.losses("%s/%s/%s.log" % (directory, language, way))]
    yield "nothing was lost", lost
    yield "there is enough to judge", [
        "%s, %s: %s" % (way, kind, shown(kind, s.language(kind)))
        for way, s in sums.items() for kind in (OFF, ON) if s.language(kind) < ENOUGH[kind]]
    s, kinds = sums[WITH], (OFF, ON)
    yield "stacks are whole", [problem for kind in kinds for problem in short(
        kind, s.whole(kind), s.known(kind), WHOLE[language])]
    if language in NAMES:
        yield "stacks of the language are whole and named", [
            problem for kind in kinds for problem in short(
                kind, s.sum[kind][NAMED], s.language(kind), NAMES[language])]
    yield "their innermost functions are named", [
        problem for kind in kinds for problem in short(
            kind, s.inside[kind], s.language(kind), INSIDE[language])]
    yield "the others are interpreted", [
        "%s: %s" % (kind, shown(kind, rest)) for kind in kinds
        for rest in [sum(s.sum[kind][why] for why in (UNREAD, NO_NAME, NO_FUNCTION))]
        if 100 * rest > REST[language] * s.language(kind)]
    s = sums[WITHOUT]
    yield "without, none is named", ["%s: %s" % (kind, shown(kind, s.inside[kind]))
                                     for kind in kinds if s.inside[kind]]


def main():
    directory, *which = sys.argv[1:]
    sums = {}
    for name, image in (arg.split("=", 1) for arg in which):
        files = judge.Files(image, directory)
        for way in WITH, WITHOUT:
            sums[name, way] = Sums(LANGUAGES[name], files,
                                   "%s/%s/%s.pb.gz" % (directory, name, way))
    table(sums)
    explained(sums, int(os.environ.get("EXPLAIN") or 0))
    for name in dict.fromkeys(name for name, _ in sums):
        for what, problems in checks(name, {way: sums[name, way] for way in (WITH, WITHOUT)},
                                     directory):
            tap.check("%s: %s" % (name, what), problems, most=None)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

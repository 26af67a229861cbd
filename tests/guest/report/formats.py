# SPDX-License-Identifier: GPL-2.0
"""Reads what wallprof export --speedscope, --firefox and --pprof write: the first two by their
rules, the last one by the schema that pprof publishes. For report.test."""

import collections
import decimal
import gzip
import json
import os
import re
import subprocess

SCHEMA = "/usr/share/gocode/src/github.com/google/pprof/proto"
EVENTS = {"cpu-clock": "cpu", "blocked": "blocked", "runnable": "runnable"}
FIELD = re.compile(r'^(\w+): (?:"(.*)"|(\S+))$')


def speedscope_stacks(file):
    """Its frames, and nanoseconds by kind and stack of their numbers, the outermost first."""
    with open(file) as f:
        data = json.load(f)
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    sums = collections.defaultdict(collections.Counter)
    for profile in data["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds", profile["name"]
        assert len(profile["samples"]) == len(profile["weights"]) > 0
        assert profile["startValue"] == 0 and profile["endValue"] == sum(profile["weights"])
        for stack, ns in zip(profile["samples"], profile["weights"]):
            sums[EVENTS[profile["name"]]][tuple(stack)] += ns
    return [f["name"] for f in data["shared"]["frames"]], sums


def speedscope(file):
    """The same by names: functions of one name are one."""
    frames, stacks = speedscope_stacks(file)
    sums = collections.defaultdict(collections.Counter)
    for kind, times in stacks.items():
        for stack, ns in times.items():
            sums[kind][tuple(frames[i] for i in stack)] += ns
    return sums


def shown_ns(text):
    """A time as speedscope shows it: nanoseconds, and how far that may be off."""
    m = re.match(r"(\d+):(\d\d)\b|([\d.]+)(ns|\u00b5s|ms|s)\b", text)
    if m[1]:
        return (int(m[1]) * 60 + int(m[2])) * 1e9, 1e9
    unit = {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}[m[4]]
    return float(m[3]) * unit, 0.0051 * unit


def near(text, ns):
    shown, off = shown_ns(text)
    return abs(shown - ns) <= off


def speedscope_page(files, site):
    """What is wrong with what speedscope itself shows of files: the total of each profile, and
    of each frame the time in it alone and with what it called."""
    here = os.path.dirname(os.path.abspath(__file__))
    pages = json.loads(subprocess.run(
        [os.path.join(here, "speedscope.py"), site, *files], check=True,
        stdout=subprocess.PIPE).stdout)
    problems = []
    for file, page in zip(files, pages):
        name = os.path.basename(file)
        frames, stacks = speedscope_stacks(file)
        problems += ["%s: %s" % (name, e) for e in page["errors"]]
        if len(page["views"]) != len(stacks):
            problems.append("%s: %d profiles, not %d" % (name, len(page["views"]), len(stacks)))
        for at, ((kind, times), rows) in enumerate(zip(stacks.items(), page["views"])):
            alone, total = collections.Counter(), collections.Counter()
            for stack, ns in times.items():
                alone[stack[-1]] += ns
                for frame in set(stack):
                    total[frame] += ns
            shown = page["profiles"][at] if page["profiles"] else None
            if shown and not (EVENTS[shown[1]] == kind and near(shown[2], sum(times.values()))):
                problems.append("%s: %s, not %s %d" % (name, shown, kind, sum(times.values())))
            # Of one name there may be several.
            left = collections.defaultdict(list)
            for all_text, alone_text, frame in rows:
                left[frame].append((all_text, alone_text))
            for f, ns in total.items():
                row = next((r for r in left[frames[f]]
                            if near(r[0], ns) and near(r[1], alone[f])), None)
                if row:
                    left[frames[f]].remove(row)
                else:
                    problems.append("%s: %s: no %s with %d and %d" % (
                        name, kind, frames[f], ns, alone[f]))
            problems += ["%s: %s: %s %s is not ours" % (name, kind, n, r)
                         for n, found in left.items() for r in found]
    return problems


def decode(file):
    """The messages of a profile, as nested lists of fields by name."""
    with gzip.open(file) as f:
        data = f.read()
    text = subprocess.run(
        ["protoc", "-I" + SCHEMA, "--decode=perftools.profiles.Profile", "profile.proto"],
        input=data, stdout=subprocess.PIPE, check=True).stdout.decode()
    stack = [collections.defaultdict(list)]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith(" {"):
            stack.append(collections.defaultdict(list))
            stack[-2][line[:-2]].append(stack[-1])
        elif line == "}":
            stack.pop()
        else:
            m = FIELD.match(line)
            # A number that is no field of the schema stands there by itself.
            assert m and not m[1].isdigit(), line
            value = m[2] if m[3] is None else m[3]
            stack[-1][m[1]].append(int(value) if re.match(r"-?\d+$", m[3] or "") else value)
    return stack[0]


def pprof_order(file):
    """What is wrong with what pprof takes a profile for: the first mapping is a program, the
    kernel stands behind all files, and there are values of what the recording has only."""
    p = decode(file)
    strings = p["string_table"]
    paths = [strings[m["filename"][0]] for m in p["mapping"]]
    problems = []
    if not paths[0].startswith("/") or ".so" in paths[0]:
        problems.append("the program is %s" % paths[0])
    is_file = [path.startswith("/") for path in paths]
    if is_file != sorted(is_file, reverse=True):
        problems.append("mappings: %s" % paths)
    empty = [strings[t["type"][0]] for i, t in enumerate(p["sample_type"])
             if i > 4 and not any(s["value"][i] for s in p["sample"])]
    return problems + ["no %s at all" % name for name in empty]


def pprof(file):
    """The same of a profile for pprof: what off-cpu is not runnable was blocked."""
    p = decode(file)
    strings = p["string_table"]
    assert strings[0] == ""
    names = {f["id"][0]: (strings[f["name"][0]],
                          strings[f["filename"][0]] if f["filename"] else "")
             for f in p["function"]}
    mappings = {m["id"][0]: m for m in p["mapping"]}
    places = {}
    for place in p["location"]:
        # Several where functions are inlined, the innermost first.
        lines = [names[line["function_id"][0]] for line in place["line"]]
        if lines[0][0] == "[no stack]":
            continue
        mapping = mappings[place["mapping_id"][0]]
        start = mapping["memory_start"][0] if mapping["memory_start"] else 0
        address = place["address"][0] if place["address"] else 0
        assert start <= address < mapping["memory_limit"][0], place
        places[place["id"][0]] = [name for name, _ in reversed(lines)]
    types = [(strings[t["type"][0]], strings[t["unit"][0]]) for t in p["sample_type"]]
    assert types[:4] == [("samples", "count"), ("cpu", "nanoseconds"),
                         ("off-cpu", "nanoseconds"), ("runnable", "nanoseconds")], types
    sums = collections.defaultdict(collections.Counter)
    for s in p["sample"]:
        thread = [strings[lab["str"][0]] for lab in s["label"]
                  if strings[lab["key"][0]] == "thread"]
        stack = tuple(thread + [name for i in reversed(s["location_id"]) if i in places
                                for name in places[i]])
        value = s["value"]
        assert len(value) == len(types)
        sums["cpu"][stack] += value[1]
        sums["runnable"][stack] += value[3]
        sums["blocked"][stack] += value[2] - value[3]
    return sums


def build_ids(file):
    """Of a profile for pprof: the build-id of each file, as far as it is known."""
    p = decode(file)
    strings = p["string_table"]
    return {strings[m["filename"][0]]: strings[m["build_id"][0]] for m in p["mapping"]
            if m["build_id"]}


def cpu_use(samples, off_cpu):
    """threadCPUDelta are the ns on a CPU; and each has time since the sample before, which
    is what the viewer relates it to."""
    deltas = [0 if off else int(weight * 1000000)
              for off, weight in zip(off_cpu, samples["weight"])]
    times = [int(time * 1000000) for time in samples["time"]]
    return samples["threadCPUDelta"] == deltas and not any(
        delta and now == before for delta, before, now in zip(deltas[1:], times, times[1:]))


def firefox(path):
    """The same of a file for the Firefox Profiler, by the rules of its version 60."""
    with open(path) as f:
        data = json.load(f, parse_float=decimal.Decimal)
    assert data["meta"]["preprocessedProfileVersion"] == 60
    assert data["meta"]["sampleUnits"]["threadCPUDelta"] == "ns"
    shared = data["shared"]
    for name, table in shared.items():
        if name != "stringArray":
            assert {len(column) for key, column in table.items() if key != "length"} == \
                {table["length"]}, name
    categories = [c["name"] for c in data["meta"]["categories"]]
    names, stacks, last = [], [], []
    for i, func in enumerate(shared["frameTable"]["func"]):
        resource = shared["funcTable"]["resource"][func]
        assert resource < shared["resourceTable"]["length"], i
        names.append((shared["stringArray"][shared["funcTable"]["name"][func]],
                      categories[shared["frameTable"]["category"][i]]))
    for i, prefix in enumerate(shared["stackTable"]["prefix"]):
        assert prefix is None or prefix < i, i
        name, category = names[shared["stackTable"]["frame"][i]]
        outer = stacks[prefix] if prefix is not None else ()
        # Why it waits is no function.
        stacks.append(outer if category in ("Blocked", "Runnable") else outer + (name,))
        last.append(category)
    sums = collections.defaultdict(collections.Counter)
    kinds = {"Blocked": "blocked", "Runnable": "runnable"}
    for thread in data["threads"]:
        samples = thread["samples"]
        assert samples["weightType"] == "tracing-ms", thread["name"]
        assert samples["time"] == sorted(samples["time"]), thread["name"]
        # What is on a CPU of the time up to a sample, of a thread's own track.
        if "(" not in thread["name"]:
            assert cpu_use(samples, [last[stack] in kinds for stack in samples["stack"]]), \
                thread["name"]
        else:
            assert "threadCPUDelta" not in samples, thread["name"]
        for stack, weight in zip(samples["stack"], samples["weight"]):
            sums[kinds.get(last[stack], "cpu")][stacks[stack]] += int(weight * 1000000)
    return sums


def go_tool(path):
    """Sums of each value, as go tool pprof reads the file."""
    raw = subprocess.run(["go", "tool", "pprof", "-raw", path], check=True, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
    head = re.search(r"^Samples:\n(.*)$", raw, re.M)[1].split()
    sums = [0] * len(head)
    for m in re.finditer(r"^ *((?: *\d+)+):[\d ]*$", raw, re.M):
        for i, value in enumerate(m[1].split()):
            sums[i] += int(value)
    return {name.partition("/")[0]: value for name, value in zip(head, sums)}


def labels(file, causes):
    """What is wrong with the labels of a profile."""
    p = decode(file)
    strings = p["string_table"]
    problems = []
    keys = collections.Counter(strings[lab["key"][0]] for s in p["sample"] for lab in s["label"])
    for key in ("thread", "tid", "pid") + (("state", "reason", "syscall") if causes else ()):
        if not keys[key]:
            problems.append("no sample has a label %s" % key)
    comments = [strings[c] for c in p["comment"]]
    if "host guest" not in comments or not any("record" in c for c in comments):
        problems.append("comments: %s" % comments)
    if not p["duration_nanos"] or not 10**8 < p["duration_nanos"][0] < 10**12:
        problems.append("duration: %s" % p["duration_nanos"])
    return problems

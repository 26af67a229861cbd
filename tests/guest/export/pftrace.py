# SPDX-License-Identifier: GPL-2.0
"""What Perfetto makes of a trace: its tables of slices, states, threads and samples, from
what protoc decodes. For export.test."""

import collections
import os
import re
import subprocess

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
OWN = os.path.join(TOP, "userspace/proto")
ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
CLONE_THREAD = 0x10000

Slice = collections.namedtuple("Slice", "cpu time end tid state")


def unescape(text):
    def one(m):
        return bytes([int(m[1], 8)]) if len(m[1]) == 3 else ESCAPED.get(m[1], m[1])
    return ESCAPE.sub(one, text)


def parse(lines):
    """A message of protobuf's text format: a dictionary of lists."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == b"}":
            break
        if line.endswith(b" {"):
            message[line[:-2].decode()].append(parse(lines))
            continue
        name, value = line.split(b": ", 1)
        if value.startswith(b'"'):
            value = unescape(value[1:-1])
        elif re.fullmatch(rb"-?\d+", value):
            value = int(value)
        else:
            value = value.decode()
        message[name.decode()].append(value)
    return message


def decode(file, schema, name, message):
    """What protoc reads in a file, by a schema's message."""
    with open(file, "rb") as f:
        out = subprocess.run(["protoc", "-I" + schema, "-I/usr/include", "--decode=" + message,
                              name], stdin=f, stdout=subprocess.PIPE, check=True).stdout
    return parse(iter(out.splitlines()))


def fields(schema, name, work):
    """The messages and enums of a schema: for each, its fields with number and type."""
    out = os.path.join(work, "descriptors")
    subprocess.run(["protoc", "-I" + schema, "--descriptor_set_out=" + out, name], check=True)
    found = {}

    def enum(e, prefix):
        found[prefix + e["name"][0].decode()] = {
            v["name"][0].decode(): v["number"][0] for v in e["value"]}

    def walk(m, prefix):
        prefix += m["name"][0].decode()
        found[prefix] = {f["name"][0].decode(): (
            f["number"][0], f["label"][0], f["type"][0],
            f["type_name"][0].decode().split(".")[-1] if f["type_name"] else "")
            for f in m["field"]}
        for nested in m["nested_type"]:
            walk(nested, prefix + ".")
        for e in m["enum_type"]:
            enum(e, prefix + ".")

    for file in decode(out, "/usr/include", "google/protobuf/descriptor.proto",
                       "google.protobuf.FileDescriptorSet")["file"]:
        for m in file["message_type"]:
            walk(m, "")
        for e in file["enum_type"]:
            enum(e, "")
    return found


def letter(state, release):
    """As trace_processor reads prev_state, by the kernel's release."""
    version = re.match(r"(\d+)\.(\d+)(\.|$)", release)
    version = (int(version[1]), int(version[2])) if version else (4, 4)
    if version >= (4, 14):
        if state & 0xfe00:
            return None
        bits, preempted = "SDTtXZPI", 0x100
    else:
        bits, preempted = "SDTtXZxKWPN", 0x1000 if version >= (4, 8) else 0x800
    letters = "".join(c for i, c in enumerate(bits) if state >> i & 1)
    if not letters:
        return "R+" if state & preempted else "R"
    return "I" if letters == "DN" else letters


class Trace:
    """A trace, and the tables that Perfetto has of it."""

    def __init__(self, file, schema, name, package):
        self.packets = decode(file, schema, name, package + ".Trace")["packet"]
        self.slices, self.names, self.pids, self.wakings = [], {}, {}, []
        self.states = collections.defaultdict(list)
        self.samples, self.lost_samples = collections.defaultdict(list), 0
        self.first, self.blocked = {}, []
        self.gaps, self.overrun, self.problems = 0, 0, []
        self.read_begin()
        self.read_events()
        self.read_samples()

    def find(self, kind):
        return [(p["timestamp"][0], p[kind][0]) for p in self.packets if p[kind]]

    def read_begin(self):
        clocks = self.packets[0]["clock_snapshot"][0]
        self.clocks = {c["clock_id"][0]: c["timestamp"][0] for c in clocks["clocks"]}
        self.primary = clocks["primary_trace_clock"][0]
        name = self.packets[1]["system_info"][0]["utsname"][0]
        self.sysname = name["sysname"][0].decode()
        self.release = name["release"][0].decode()
        for phase in self.find("ftrace_stats"):
            self.overrun = sum(c["overrun"][0] for c in phase[1]["cpu_stats"])

    def read_events(self):
        """Slices as sched_slice has them, and what threads do, in order of time."""
        events = []
        functions = {s["iid"][0]: s["str"][0].decode() for p in self.packets
                     for data in p["interned_data"] for s in data["kernel_symbols"]}
        for _, bundle in self.find("ftrace_events"):
            self.gaps += bool(bundle["lost_events"])
            if bundle["ftrace_clock"] != ["FTRACE_CLOCK_GLOBAL"]:
                self.problems.append("a bundle has the clock %s" % bundle["ftrace_clock"])
            for e in bundle["event"]:
                events.append((e["timestamp"][0], 0, bundle["cpu"][0], e))
        for time, tree in self.find("process_tree"):
            events.append((time, 1, 0, tree))
        events.sort(key=lambda e: (e[0], e[2], e[1]))
        running, last = {}, {}
        for time, is_tree, cpu, e in events:
            if cpu in last and not is_tree and time < last[cpu]:
                self.problems.append("CPU %d goes back to %d" % (cpu, time))
            last[cpu] = time
            if is_tree:
                self.read_tree(e)
            elif e["sched_switch"]:
                self.read_switch(time, cpu, e["sched_switch"][0], running)
            elif e["sched_blocked_reason"]:
                self.read_blocked(time, e["sched_blocked_reason"][0], functions)
            else:
                self.read_thread_event(time, e)
        for cpu, (time, tid) in running.items():
            self.slices.append(Slice(cpu, time, None, tid, None))

    def read_tree(self, tree):
        for t in tree["threads"]:
            self.pids[t["tid"][0]] = t["tgid"][0]
            if t["name"]:
                self.names[t["tid"][0]] = t["name"][0]

    def read_blocked(self, time, e, functions):
        """It is of the last state of the thread, if that is one that blocks."""
        state = self.states[e["pid"][0]][-1]
        if state[0] != time or state[1] in ("Running", "R", "R+"):
            self.problems.append("%d at %d is not blocked, but %s" % (e["pid"][0], time, state))
        self.blocked.append((time, e["pid"][0], functions[e["caller"][0]], e["io_wait"][0]))

    def read_switch(self, time, cpu, e, running):
        prev, following = e["prev_pid"][0], e["next_pid"][0]
        self.first.setdefault(cpu, (time, prev))
        state = letter(e["prev_state"][0], self.release)
        if cpu in running:
            begin, tid = running[cpu]
            if tid == prev:
                self.slices.append(Slice(cpu, begin, time, tid, state))
            else:
                self.slices.append(Slice(cpu, begin, None, tid, None))
        running[cpu] = time, following
        self.states[prev].append((time, state))
        self.states[following].append((time, "Running"))

    def read_thread_event(self, time, e):
        if e["sched_waking"]:
            w = e["sched_waking"][0]
            self.wakings.append((time, e["pid"][0], w["pid"][0], w["target_cpu"][0]))
        elif e["task_newtask"]:
            n = e["task_newtask"][0]
            is_thread = n["clone_flags"][0] & CLONE_THREAD
            self.pids[n["pid"][0]] = self.pids.get(e["pid"][0]) if is_thread else n["pid"][0]
            self.states[n["pid"][0]].append((time, "R"))

    def read_samples(self):
        """By event: time, CPU, process, thread, weight, and stack, the innermost first:
        addresses, files and functions."""
        known, names, counts = {}, {}, collections.Counter()
        for p in self.packets:
            nr = p["trusted_packet_sequence_id"][0]
            if p["trace_packet_defaults"]:
                default = p["trace_packet_defaults"][0]["perf_sample_defaults"][0]
                names[nr] = default["timebase"][0]["name"][0].decode()
                known[nr] = collections.defaultdict(dict)
            for data in p["interned_data"] if nr in known else []:
                for kind in data:
                    known[nr][kind].update({i["iid"][0]: i for i in data[kind]})
            for s in p["perf_sample"]:
                if s["kernel_records_lost"]:
                    self.lost_samples += s["kernel_records_lost"][0]
                    continue
                key = nr, s["cpu"][0]
                weight = s["timebase_count"][0] - counts[key]
                counts[key] = s["timebase_count"][0]
                self.samples[names[nr]].append(
                    (p["timestamp"][0], s["cpu"][0], s["pid"][0], s["tid"][0], weight,
                     self.stack(known[nr], s)))

    def stack(self, known, sample):
        if not sample["callstack_iid"]:
            return []
        stack = known["callstacks"][sample["callstack_iid"][0]]
        out = []
        for iid in reversed(stack["frame_ids"]):
            frame = known["frames"][iid]
            mapping = known["mappings"][frame["mapping_id"][0]]
            path = known["mapping_paths"][mapping["path_string_ids"][0]]["str"][0].decode()
            address = frame["rel_pc"][0]
            if mapping["start"]:
                address += mapping["start"][0] - mapping["exact_offset"][0]
                if not mapping["start"][0] <= address < mapping["end"][0]:
                    self.problems.append("%x is not in its mapping of %s" % (address, path))
            name = known["function_names"].get(frame["function_name_id"][0])["str"][0].decode() \
                if frame["function_name_id"] else None
            out.append((address, path, name))
        return out

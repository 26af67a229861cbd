#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What an OpenTelemetry receiver gets: runs the collector of tests/lab/otelcol, and reads
the messages that it appends to files, by the schema of tests/lab/otlp-proto. For tests in
Debian's Python, which has python3-protobuf.

    with otlp.Collector(directory) as collector:
        # send to collector.http + "/v1development/profiles", or collector.grpc
        collector.wait("profiles", 1)
        for profile in collector.profiles():
            print(profile.resource["service.name"], profile.type, profile.samples)

A collector in a guest writes the same files, which profiles() and metrics() read.

usage: otlp.py FILE...        their messages of profiles as text: a line for each sample"""

import collections
import os
import signal
import subprocess
import sys
import time

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import ports

LAB = os.path.dirname(os.path.abspath(__file__))
SERVICES = "opentelemetry/proto/collector/%s_service.proto"
REQUESTS = {
    "profiles": "opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest",
    "metrics": "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest",
}

# samples: a list of Sample. type, unit, period_type, period_unit: names. id: bytes.
Profile = collections.namedtuple(
    "Profile", "resource scope type unit period_type period_unit period time duration id samples")
# stack: a list of Frame, the innermost first, functions that are inlined before those that
# they are in. link: (trace id, span id), or None.
Sample = collections.namedtuple("Sample", "stack values times attributes link")
# function: "" if it has no name. mapping: name of the file. address: as in the message. type: by
# the conventions of OpenTelemetry, as cpython.
Frame = collections.namedtuple("Frame", "function file line mapping build_id address type",
                               defaults=[""])
# kind: gauge, sum, histogram and so on. value: a number; of kinds with more than one the
# message.
Point = collections.namedtuple(
    "Point", "resource scope name unit kind cumulative monotonic attributes start time value")


def descriptors(directory, *names):
    """What protoc makes of the .proto files: a FileDescriptorSet, with those that they
    import."""
    command = ["protoc", "-I" + directory, "--include_imports",
               "--descriptor_set_out=/dev/stdout", *names]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return descriptor_pb2.FileDescriptorSet.FromString(out)


def schema():
    """The directory of the published .proto files."""
    return subprocess.run([os.path.join(LAB, "otlp-proto")], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.strip()


_classes = {}


def message_class(name):
    """The class of a message of the published schema, by its full name."""
    if not _classes:
        pool = descriptor_pool.DescriptorPool()
        for file in descriptors(schema(), SERVICES % "profiles/v1development/profiles",
                                SERVICES % "metrics/v1/metrics").file:
            pool.Add(file)
        factory = message_factory.MessageFactory(pool)
        for full in REQUESTS.values():
            _classes[full] = factory.GetPrototype(pool.FindMessageTypeByName(full))
            answer = full.replace("Request", "Response")
            _classes[answer] = factory.GetPrototype(pool.FindMessageTypeByName(answer))
    return _classes[name]


def each_message(path):
    """The whole messages of a file that the collector appends to, as bytes, one by one."""
    try:
        f = open(path, "rb")
    except FileNotFoundError:
        return
    with f:
        while len(size := f.read(4)) == 4:
            data = f.read(int.from_bytes(size, "big"))
            if len(data) < int.from_bytes(size, "big"):
                break
            yield data


def messages(path):
    """All of these."""
    return list(each_message(path))


def requests(path, kind):
    """The same as messages of protobuf."""
    return [message_class(REQUESTS[kind]).FromString(data) for data in messages(path)]


class Reader:
    """Reads what a request refers to by index. An index that is out of range raises
    IndexError, as one that is negative does."""

    def __init__(self, dictionary):
        self.dictionary = dictionary

    def entry(self, table, index):
        if index < 0:
            raise IndexError("%s: %d" % (table, index))
        return getattr(self.dictionary, table)[index]

    def string(self, index):
        # 0 stands for none where there is no table.
        return self.entry("string_table", index) if index else ""

    def value(self, value):
        """An AnyValue; None if it has none."""
        kind = value.WhichOneof("value")
        if kind == "array_value":
            return [self.value(v) for v in value.array_value.values]
        if kind == "kvlist_value":
            return self.pairs(value.kvlist_value.values)
        if kind == "string_value_strindex":
            return self.string(value.string_value_strindex)
        return getattr(value, kind) if kind else None

    def unique(self, pairs):
        found = {}
        for key, value in pairs:
            if key in found:
                raise ValueError("two attributes are called %s" % key)
            found[key] = value
        return found

    def pairs(self, attributes):
        """A list of KeyValue as a dict."""
        return self.unique((a.key or self.string(a.key_strindex), self.value(a.value))
                           for a in attributes)

    def attributes(self, indices):
        """Indices of attributes as a dict."""
        entries = [self.entry("attribute_table", i) for i in indices]
        return self.unique((self.string(e.key_strindex), self.value(e.value)) for e in entries)

    def frames(self, index):
        location = self.entry("location_table", index)
        mapping = self.entry("mapping_table", location.mapping_index)
        of = self.attributes(mapping.attribute_indices)
        build_id = next((of[key] for key in sorted(of) if "build_id" in key), "")
        kind = self.attributes(location.attribute_indices).get("profile.frame.type", "")
        tail = self.string(mapping.filename_strindex), build_id, location.address, kind
        if not location.lines:
            return [Frame("", "", 0, *tail)]
        functions = [(self.entry("function_table", line.function_index), line.line)
                     for line in location.lines]
        return [Frame(self.string(f.name_strindex), self.string(f.filename_strindex), line, *tail)
                for f, line in functions]

    def sample(self, sample):
        stack = self.entry("stack_table", sample.stack_index)
        link = self.entry("link_table", sample.link_index) if sample.link_index else None
        return Sample([f for i in stack.location_indices for f in self.frames(i)],
                      list(sample.values), list(sample.timestamps_unix_nano),
                      self.attributes(sample.attribute_indices),
                      link and (link.trace_id, link.span_id))

    def profile(self, resource, scope, profile):
        return Profile(resource, scope, self.string(profile.sample_type.type_strindex),
                       self.string(profile.sample_type.unit_strindex),
                       self.string(profile.period_type.type_strindex),
                       self.string(profile.period_type.unit_strindex), profile.period,
                       profile.time_unix_nano, profile.duration_nano, profile.profile_id,
                       [self.sample(s) for s in profile.samples])


def profiles_of(request):
    """The profiles of a request for profiles."""
    reader = Reader(request.dictionary)
    return [reader.profile(reader.pairs(of.resource.attributes),
                           (scopes.scope.name, scopes.scope.version), profile)
            for of in request.resource_profiles for scopes in of.scope_profiles
            for profile in scopes.profiles]


def profiles(path):
    """The profiles in a file that the collector appends to."""
    return [profile for request in requests(path, "profiles")
            for profile in profiles_of(request)]


def points_of(request):
    """The data points of a request for metrics."""
    reader = Reader(None)
    points = []
    for of in request.resource_metrics:
        resource = reader.pairs(of.resource.attributes)
        for scopes in of.scope_metrics:
            scope = scopes.scope.name, scopes.scope.version
            for metric in scopes.metrics:
                kind = metric.WhichOneof("data")
                data = getattr(metric, kind)
                for p in data.data_points:
                    value = p
                    if kind in ("gauge", "sum"):
                        # None where the point says that there is none.
                        value = getattr(p, p.WhichOneof("value") or "", None)
                    points.append(Point(
                        resource, scope, metric.name, metric.unit, kind,
                        getattr(data, "aggregation_temporality", 0) == 2,
                        getattr(data, "is_monotonic", False), reader.pairs(p.attributes),
                        p.start_time_unix_nano, p.time_unix_nano, value))
    return points


def metrics(path):
    """The data points in a file that the collector appends to."""
    return [point for request in requests(path, "metrics") for point in points_of(request)]


def sums(found, *attributes):
    """The sum of the values of profiles by type, and by these attributes of the resource: a
    Counter, whose keys are a type, or a tuple of it and of the attributes' values."""
    total = collections.Counter()
    for profile in found:
        key = (profile.type, *(profile.resource.get(a) for a in attributes))
        for sample in profile.samples:
            # Timestamps without values count one each.
            total[key if attributes else profile.type] += \
                sum(sample.values) if sample.values else len(sample.times)
    return total


TABLES = {"strindex": "string_table", "stack": "stack_table", "link": "link_table",
          "mapping": "mapping_table", "function": "function_table",
          "location": "location_table", "attribute": "attribute_table"}


def _walk(message, see):
    """Calls @see for each field that is set, with its name and a list of its values."""
    for field, value in message.ListFields():
        values = value if field.label == field.LABEL_REPEATED else [value]
        see(field.name, values)
        if field.message_type:
            for one in values:
                _walk(one, see)


def _empty(message):
    """Has it no field that is set, but for messages without one? A collector adds these."""
    return all(field.message_type and field.label != field.LABEL_REPEATED and _empty(value)
               for field, value in message.ListFields())


def _zero(name, entry):
    """Is it what the first entry of a table must be? A link of zeros stands for one without."""
    if name == "string_table":
        return not entry
    if name == "link_table":
        return not any(entry.trace_id + entry.span_id)
    return _empty(entry)


def problems(request):
    """What the schema forbids in a request for profiles: entries 0 that are missing or not
    empty, indices out of range, numbers of values, ids. And what it advises against: equal
    entries, and those without a reference."""
    dictionary, wrong = request.dictionary, []
    used = collections.defaultdict(set)

    def see(name, values):
        stem = name.rsplit("_", 1)[-1]
        if stem in ("index", "indices"):
            stem = name.rsplit("_", 1)[0]
        elif stem != "strindex":
            return
        used[TABLES[stem]].update(values)

    _walk(request, see)
    for name in TABLES.values():
        table = getattr(dictionary, name)
        entries = [e if name == "string_table" else e.SerializeToString(deterministic=True)
                   for e in table]
        if not entries:
            wrong.append("%s is empty" % name)
        elif not _zero(name, table[0]):
            wrong.append("%s[0] is not empty" % name)
        wrong += ["%s[%d] does not exist" % (name, i) for i in sorted(used[name])
                  if not 0 <= i < len(entries)]
        wrong += ["%s: %d are %r" % (name, nr, entry)
                  for entry, nr in collections.Counter(entries).items() if nr > 1]
        wrong += ["%s[%d] has no reference" % (name, i) for i in range(1, len(entries))
                  if i not in used[name]]
    for profile in (p for of in request.resource_profiles for s in of.scope_profiles
                    for p in s.profiles):
        if profile.profile_id and (len(profile.profile_id) != 16 or not any(profile.profile_id)):
            wrong.append("profile_id is %r" % profile.profile_id)
        for sample in profile.samples:
            nr, times = len(sample.values), len(sample.timestamps_unix_nano)
            if not nr and not times or nr and times and nr != times:
                wrong.append("a sample has %d values and %d times" % (nr, times))
            end = profile.time_unix_nano + profile.duration_nano
            wrong += ["a sample at %d, in a profile of %d to %d" % (
                t, profile.time_unix_nano, end) for t in sample.timestamps_unix_nano
                if not profile.time_unix_nano <= t <= end]
    return wrong


class Collector:
    """A collector on this machine's loopback, which appends to files in a directory. One that
    ended and starts again has the same addresses, and goes on with the same files."""

    def __init__(self, directory, http=0, grpc=0):
        self.directory, self.process = os.path.abspath(directory), None
        self.ports = http, grpc
        self.log = os.path.join(self.directory, "collector.log")
        os.makedirs(self.directory, exist_ok=True)
        self.program = subprocess.run([os.path.join(LAB, "otelcol")], stdout=subprocess.PIPE,
                                      check=True, text=True).stdout.strip()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Until it accepts connections. Ports that are not given are chosen."""
        def run(taken):
            self.ports = taken
            env = dict(os.environ, OTELCOL_DIR=self.directory,
                       OTELCOL_HTTP="127.0.0.1:%d" % taken[0],
                       OTELCOL_GRPC="127.0.0.1:%d" % taken[1])
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen([self.program], env=env, stdout=log, stderr=log,
                                                stdin=subprocess.DEVNULL)
            return self.process

        ports.start(run, self.ports, self.said, "Everything is ready")
        self.http, self.grpc = ("http://127.0.0.1:%d" % port for port in self.ports)

    def said(self):
        """Its messages since it was started last."""
        with open(self.log, errors="replace") as f:
            return f.read()

    def stop(self, number=signal.SIGTERM):
        """Ends it. Returns its exit status; None if it does not run."""
        if not self.process:
            return None
        self.process.send_signal(number)
        status = self.process.wait()
        self.process = None
        return status

    def path(self, kind):
        return os.path.join(self.directory, kind)

    def wait(self, kind, number):
        """Until so many messages of a kind have arrived."""
        while sum(1 for _ in each_message(self.path(kind))) < number:
            if self.process.poll() is not None:
                raise RuntimeError("the collector ended: " + self.said())
            time.sleep(0.05)

    def profiles(self):
        return profiles(self.path("profiles"))

    def metrics(self):
        return metrics(self.path("metrics"))

    def problems(self):
        """What is wrong with its messages of profiles."""
        return [wrong for request in requests(self.path("profiles"), "profiles")
                for wrong in problems(request)]


def main():
    for file in sys.argv[1:]:
        for p in profiles(file):
            print("%s: %s %s, %s, %d ns from %d" % (
                p.scope[0], p.type, p.unit, p.resource, p.duration, p.time))
            for s in p.samples:
                print("  %s %s: %s" % (sum(s.values), s.attributes,
                                       " < ".join(f.function or hex(f.address) for f in s.stack)))


if __name__ == "__main__":
    main()

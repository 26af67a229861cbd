#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What keeps metrics: a node_exporter that reads a directory of text files, and the stores
Prometheus and VictoriaMetrics, all of tests/lab/prometheus, on this machine's loopback.

    with stores.Exporter(textfiles, work) as exporter:
        with stores.Prometheus(work, exporter.address) as store:
            store.wait_for_scrape()
            print(store.query('wallprof_thread_seconds_total'))"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

import ports

LAB = os.path.dirname(os.path.abspath(__file__))
SCRAPES = """global:
  scrape_interval: 1s
scrape_configs:
  - job_name: node
    static_configs:
      - targets: ['%s']
"""


def program(name):
    directory = subprocess.run([os.path.join(LAB, "prometheus")], stdout=subprocess.PIPE,
                               check=True, text=True).stdout.strip()
    return os.path.join(directory, name)


class Server:
    """A program that listens on one port, with files in a directory of its own."""

    def __init__(self, name, work, ready):
        self.name, self.ready, self.process = name, ready, None
        self.directory = tempfile.mkdtemp(prefix=name + ".", dir=work)
        self.log = os.path.join(self.directory, "log")

    def __enter__(self):
        def run(taken):
            self.address = "127.0.0.1:%d" % taken[0]
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen(
                    [program(self.name), *self.arguments()], stdout=log, stderr=log,
                    stdin=subprocess.DEVNULL, cwd=self.directory)
            return self.process

        ports.start(run, [0], self.said, self.ready)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.directory)

    def said(self):
        with open(self.log, errors="replace") as f:
            return f.read()


class Exporter(Server):
    """node_exporter, with the textfile collector alone. @textfiles: its directory."""

    def __init__(self, textfiles, work):
        super().__init__("prometheus-node-exporter", work, "Listening on")
        self.textfiles = os.path.abspath(textfiles)

    def arguments(self):
        return ["--collector.disable-defaults", "--collector.textfile", "--web.listen-address",
                self.address, "--collector.textfile.directory", self.textfiles]


class Store(Server):
    """A store that asks an exporter each second, if there is one."""

    def __init__(self, name, work, ready, exporter=None):
        super().__init__(name, work, ready)
        self.config = os.path.join(self.directory, "scrapes.yml")
        with open(self.config, "w", encoding="ascii") as f:
            f.write(SCRAPES % exporter if exporter else "scrape_configs: []\n")

    def query(self, expression, at=None):
        """An instant query: values by labels, a tuple of pairs in order. @at: seconds since
        1970, if not now."""
        url = "http://%s/api/v1/query?%s" % (self.address, urllib.parse.urlencode(
            {"query": expression} if at is None else {"query": expression, "time": at}))
        with urllib.request.urlopen(url) as answer:
            found = json.load(answer)
        return {tuple(sorted(of["metric"].items())): float(of["value"][1])
                for of in found["data"]["result"]}

    def wait(self, expression):
        """The result of a query, once there is one."""
        while True:
            found = self.query(expression)
            if found:
                return found
            if self.process.poll() is not None:
                raise RuntimeError(self.name + " ended: " + self.said())
            time.sleep(0.2)


class Prometheus(Store):
    """Debian's is built without the receiver for OTLP."""

    # Part of a value that may be lost.
    precision = 0

    def __init__(self, work, exporter=None):
        super().__init__("prometheus", work, "ready to receive web requests", exporter)

    def flush(self):
        """A query has all of a scrape, or nothing of it."""

    def arguments(self):
        return ["--web.listen-address", self.address, "--config.file", self.config,
                "--storage.tsdb.path", os.path.join(self.directory, "data")]


class VictoriaMetrics(Store):
    """Takes OTLP, too, at the path @otlp."""

    precision = 1e-12
    otlp = "/opentelemetry/v1/metrics"

    def __init__(self, work, exporter=None):
        super().__init__("victoria-metrics", work, "started server at", exporter)

    def put(self, message):
        """Stores a message of metrics by OTLP. Queries find it after flush()."""
        request = urllib.request.Request("http://" + self.address + self.otlp, data=message,
                                         headers={"Content-Type": "application/x-protobuf"})
        with urllib.request.urlopen(request) as answer:
            answer.read()

    def flush(self):
        with urllib.request.urlopen("http://%s/internal/force_flush" % self.address) as answer:
            answer.read()

    def arguments(self):
        return ["-httpListenAddr", self.address, "-promscrape.config", self.config,
                "-storageDataPath", os.path.join(self.directory, "data"),
                "-opentelemetry.usePrometheusNaming", "-search.latencyOffset=0s"]

# SPDX-License-Identifier: GPL-2.0
"""A service in Python under load: HTTP over loopback, a thread for each connection, a queue
with workers, and a lock.

usage: service.py serve          prints its port; runs until it is killed
       service.py load PORT N    eight clients, which send N requests together
"""

import collections
import http.client
import http.server
import json
import queue
import sys
import threading

CLIENTS = 8
WORKERS = 3
jobs = queue.Queue()
lock = threading.Lock()
seen = collections.Counter()


def render(depth):
    if not depth:
        return "leaf"
    return {"depth": depth, "of": [render(depth - 1) for _ in range(2)]}


class Job:
    def __init__(self, path):
        self.path = path
        self.answer = None
        self.done = threading.Event()

    def work(self):
        with lock:
            seen[self.path] += 1
            times = seen[self.path]
        self.answer = json.dumps({"path": self.path, "times": times, "tree": render(5)},
                                 sort_keys=True).encode()
        self.done.set()


def worker():
    while True:
        jobs.get().work()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise an answer waits for the client's delayed acknowledgment.
    disable_nagle_algorithm = True

    def do_GET(self):
        job = Job(self.path)
        jobs.put(job)
        job.done.wait()
        self.send_response(200)
        self.send_header("Content-Length", str(len(job.answer)))
        self.end_headers()
        self.wfile.write(job.answer)

    def log_message(self, *_):
        pass


def serve():
    for _ in range(WORKERS):
        threading.Thread(target=worker, daemon=True).start()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)
        server.serve_forever()


def client(port, requests):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for i in range(requests):
        connection.request("GET", "/%d" % (i % 10))
        assert json.loads(connection.getresponse().read())["tree"]["depth"] == 5


def load(port, requests):
    threads = [threading.Thread(target=client, args=(port, requests // CLIENTS))
               for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if sys.argv[1] == "serve":
    serve()
else:
    load(int(sys.argv[2]), int(sys.argv[3]))

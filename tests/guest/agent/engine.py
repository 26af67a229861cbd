#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Stands for an engine that takes profiles of pprof, in the guest of push.test: keeps each
request, and answers with what it is given. Without compression of its own, and of any path.

usage: engine.py PORT DIRECTORY [ANSWER...]   an answer is STATUS or STATUS:BODY; then it is 200.
                                              Requests are files of DIRECTORY: NR.json with path,
                                              headers and answer, and NR.body"""

import http.server
import json
import os
import sys


class Engine(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, _, text = (answers.pop(0) if answers else "200").partition(":")
        nr = len(os.listdir(directory)) // 2
        with open(os.path.join(directory, "%04d.body" % nr), "wb") as f:
            f.write(body)
        with open(os.path.join(directory, "%04d.json" % nr), "w", encoding="utf-8") as f:
            json.dump({"path": self.path, "status": int(status),
                       "headers": {k.lower(): v for k, v in self.headers.items()}}, f)
        self.send_response(int(status))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


port, directory, answers = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
os.makedirs(directory, exist_ok=True)
server = http.server.HTTPServer(("127.0.0.1", port), Engine)
print("listens", flush=True)
server.serve_forever()

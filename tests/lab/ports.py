# SPDX-License-Identifier: GPL-2.0
"""TCP ports of this machine's loopback for servers of tests, which run beside others."""

import socket
import time


def free():
    """One that nothing listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    """Does something accept connections there?"""
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def start(run, wanted, said, ready):
    """Starts a server until it listens on all of its ports. @run gets a list of them and returns
    its process. A port of @wanted that is 0 is chosen here; if somebody else takes it before the
    server does, another one. @said returns the messages of the server, which have @ready when
    it has its ports."""
    wanted = list(wanted)
    for _ in range(10):
        taken = [port or free() for port in wanted]
        process = run(taken)
        while process.poll() is None:
            if ready in said() and all(map(listens, taken)):
                return
            time.sleep(0.05)
        if "already in use" not in said().lower() or all(wanted):
            break
    raise RuntimeError("the server does not start: " + said())

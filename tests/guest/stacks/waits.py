# SPDX-License-Identifier: GPL-2.0
"""Waits of python3 in many ways: locks, sleeps, sockets, files, children."""

import os
import selectors
import socket
import subprocess
import tempfile
import threading
import time

ROUNDS = 600


def echo(sock):
    with sock:
        while True:
            data = sock.recv(100)
            if not data:
                return
            sock.send(data)


def pair():
    here, there = socket.socketpair()
    thread = threading.Thread(target=echo, args=(there,))
    thread.start()
    with here, selectors.DefaultSelector() as selector:
        selector.register(here, selectors.EVENT_READ)
        for _ in range(ROUNDS):
            here.send(b"x")
            selector.select()
            here.recv(100)
    thread.join()


def locks():
    condition = threading.Condition()
    turns = []

    def player(me):
        for turn in range(ROUNDS):
            with condition:
                condition.wait_for(lambda: len(turns) % 2 == me)
                turns.append(turn)
                condition.notify_all()

    players = [threading.Thread(target=player, args=(n,)) for n in range(2)]
    for thread in players:
        thread.start()
    for thread in players:
        thread.join()


def naps():
    for _ in range(20):
        time.sleep(0.02)


def files():
    with tempfile.TemporaryFile() as file:
        for _ in range(20):
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())


def children():
    for _ in range(5):
        subprocess.run(["sleep", "0.1"], check=True)
        if os.fork() == 0:
            time.sleep(0.1)
            os._exit(0)
        os.wait()


threads = [threading.Thread(target=what) for what in (pair, locks, naps, naps, files, children)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

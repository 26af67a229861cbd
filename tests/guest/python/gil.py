#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: threads that wait for the GIL, of which it is known who holds it. Writes
# what each executes to the file that is named, and the threads that are to wait for the GIL to
# FILE.tids; each does after it has read a byte from FILE.fifo. Then waits until it is ended.
#
# usage: gil.py KIND FILE
#
# KIND is a function below. What is called by KEEPS keeps the GIL, by RELEASES does not.
# Runs on Python 3.9 and later.

import ctypes
import json
import os
import sys
import threading

FOREVER = 100000
WAITERS = 5
KEEPS = ctypes.PyDLL(None)
RELEASES = ctypes.CDLL(None)
os.mkfifo(sys.argv[2] + ".fifo")
here = os.open(sys.argv[2] + ".fifo", os.O_RDWR)
mutex, other_mutex = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
condition = ctypes.create_string_buffer(64)
tids = {}


def reads():
    os.read(here, 1)


def waits():
    while True:
        reads()


def has_mutex():
    RELEASES.pthread_mutex_lock(mutex)
    while True:
        reads()


def wants_mutex():
    RELEASES.pthread_mutex_lock(mutex)


def waits_for_condition():
    RELEASES.pthread_mutex_lock(other_mutex)
    RELEASES.pthread_cond_wait(condition, other_mutex)


def naps():
    KEEPS.sleep(FOREVER)


def counts():
    sum(range(10 ** 15))


def locks():
    KEEPS.pthread_mutex_lock(mutex)


def spins():
    while True:
        sum(range(1000))


def run(function):
    tids[function.__name__, threading.get_native_id()] = threading.get_ident()
    function()


def start(function):
    threading.Thread(target=run, args=(function,), daemon=True, name=function.__name__).start()


def call_of(tid):
    """The system call that a thread is in, or another word."""
    with open("/proc/self/task/%d/syscall" % tid, encoding="utf-8") as f:
        return f.read().split()[0]


def until(function, call, number):
    """Waits until this many threads that execute a function are in a call."""
    while True:
        found = [tid for name, tid in list(tids) if name == function.__name__]
        if len([tid for tid in found if call_of(tid) == call]) == number:
            return


def stack_of(frame):
    while frame:
        code = frame.f_code
        yield [getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno]
        frame = frame.f_back


def write(name, wanted):
    with open(name + ".new", "w", encoding="utf-8") as out:
        out.write(wanted)
    os.rename(name + ".new", name)


def report(holder, waiters):
    """What is known; @holder is the function that this thread calls next."""
    frames = sys._current_frames()
    names = [function.__name__ for function in waiters]
    found = {tid: [name, list(stack_of(frames[ident]))] for (name, tid), ident in tids.items()}
    waiting = [tid for name, tid in tids if name in names]
    with_gil = {"tid": threading.get_native_id(), "function": holder.__name__,
                "line": holder.__code__.co_firstlineno + 1}
    write(sys.argv[2] + ".tids", "".join("%d\n" % tid for tid in waiting))
    write(sys.argv[2], json.dumps({"pid": os.getpid(), "version": sys.version, "holder": with_gil,
                                   "waiters": waiting, "threads": found}))


def begin():
    """Threads that will wait for the GIL, and others that never will."""
    for _ in range(WAITERS):
        start(waits)
    start(waits_for_condition)
    until(waits, "0", WAITERS)
    until(waits_for_condition, "202", 1)


def held():
    """The holder waits."""
    begin()
    report(naps, [waits])
    naps()


def counted():
    """The holder runs."""
    begin()
    report(counts, [waits])
    counts()


def deadlocked():
    """The holder waits for a mutex whose owner waits for the GIL."""
    begin()
    start(has_mutex)
    until(has_mutex, "0", 1)
    start(wants_mutex)
    until(wants_mutex, "202", 1)
    report(locks, [waits, has_mutex])
    locks()


def passed():
    """The GIL is passed on all the time."""
    for _ in range(WAITERS):
        start(spins)
    while len(tids) < WAITERS:
        pass
    report(spins, [])
    spins()


def main():
    threading.Thread(target=globals()[sys.argv[1]], daemon=True, name="holder").start()
    threading.Event().wait()


if __name__ == "__main__":
    main()

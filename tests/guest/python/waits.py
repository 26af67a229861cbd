#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: threads that wait below known Python functions. Once all of them wait,
# writes what each executes, as the interpreter itself says, to the file that is named; then
# waits until it is ended.
#
# usage: waits.py [--fork] FILE
#
# With --fork a child does all of it.
#
# Runs on Python 3.9 and later, and has lines of many kinds, because it is lines that are
# compared.

import asyncio
import contextlib
import ctypes
import functools
import json
import os
import socket
import sys
import threading
import time

FOREVER = 100000
lock = threading.Lock()
lock.acquire()
here, there = socket.socketpair()
begun = {}


def nap():
    time.sleep(
        FOREVER
    )


def sleeps(depth):
    if depth:
        return sleeps(depth - 1) + 1
    nap()
    return 0


def locks():
    with \
            lock:
        pass


def receives():
    return [
        here.recv(1)
        for _ in range(3)
    ]


def waits_in_event():
    threading.Event().wait()


def generator(depth):
    if depth:
        yield from generator(depth - 1)
    else:
        yield 1
        nap()
        yield 2


def generates():
    for _ in generator(3):
        pass


def generates_by_next():
    made = generator(2)
    next(made)
    next(made)


class Item:
    """What sorted() compares by Python functions, called by C."""

    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        nap()
        return self.n < other.n

    @property
    def slow(self):
        nap()
        return self.n

    @staticmethod
    def static(call):
        return call()

    @classmethod
    def of_class(cls, call):
        return cls.static(lambda: call())

    def __repr__(self):
        nap()
        return "Item"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        nap()

    def __del__(self):
        if self.n == -1:
            nap()


def sorts():
    sorted([Item(2), Item(1)])


def sorts_by_key():
    sorted([3, 2, 1], key=lambda n: nap() or n)


def maps():
    return list(map(lambda n: [sleeps(m) for m in range(n)],
                    [2]))


def calls_back():
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    array = (ctypes.c_int * 2)(2, 1)
    ctypes.CDLL(None).qsort(array, 2, 4, kind(lambda a, b: sleeps(2) or 0))


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper


@decorated
@decorated
def decorates():
    nap()


def comprehends():
    return {a: [b for b in (nap() for _ in range(2))] for a in range(2)}


def reads_property():
    return Item(1).slow


def calls_methods():
    Item.of_class(nap)


def represents():
    return f"{Item(1)!r}"


@contextlib.contextmanager
def context():
    try:
        yield
    finally:
        nap()


def leaves_context():
    with context():
        pass


def leaves_item():
    with Item(1):
        return


def deletes():
    item = Item(-1)
    del item


def raises():
    try:
        raise ValueError
    except ValueError:
        try:
            int("x")
        finally:
            nap()


def evaluates():
    exec(compile("def inner():\n\n  nap()\n\n\ninner()\n", "<made here>", "exec"),
         {"nap": nap})


def größe():
    (lambda: 名前())()


def 名前():
    nap()


def runs_class_body():
    class Body:
        value = nap()
    return Body


def starred(*args, **kwargs):
    return nap(*args, **kwargs)


def calls_starred():
    functools.partial(starred, **{})(*())


def imports():
    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "there_is_no_such_module":
                nap()

    sys.meta_path.insert(0, Finder)
    import there_is_no_such_module
    return there_is_no_such_module


async def task(depth):
    if depth:
        await task(depth - 1)
    else:
        await asyncio.sleep(0)
        nap()


async def items():
    yield 1
    await task(2)
    yield 2


async def iterates():
    async for _ in items():
        pass


def runs_loop():
    asyncio.run(task(3))


def runs_iteration():
    asyncio.run(iterates())


def polls():
    asyncio.run(asyncio.sleep(FOREVER))


def deep():
    sleeps(60)


def far():
    if len(begun) < 0:
        # Lines that are not executed, so that steps in the table of lines get long.
        return (


































































































































































            begun)
    nap()


def code_of(n):
    """A function of many lines and instructions."""
    lines = ["def large():", " x = 1"] + [" x = x + %d" % i for i in range(n)] + [" nap()"]
    made = {"nap": nap}
    exec(compile("\n".join(lines) + "\n", "/tmp/large.py", "exec"), made)
    return made["large"]


KINDS = [sleeps, locks, receives, waits_in_event, generates, generates_by_next, sorts,
         sorts_by_key, maps, calls_back, decorates, comprehends, reads_property,
         calls_methods, represents, leaves_context, leaves_item, deletes, raises, evaluates,
         größe, runs_class_body, calls_starred, imports, runs_loop, runs_iteration, polls,
         deep, far, code_of(3000)]


def run(kind):
    begun[threading.get_native_id()] = (kind.__name__, threading.get_ident())
    if kind is sleeps:
        return kind(3)
    return kind()


def switches():
    """How often each thread has gone to sleep."""
    found = {}
    for tid in begun:
        with open("/proc/self/task/%d/status" % tid, encoding="utf-8") as status:
            text = status.read()
        found[tid] = (text.count("State:\tS"), text[text.index("\nvoluntary"):])
    return found


def settled():
    """Wait until nobody runs any more, but for this thread."""
    before = None
    while True:
        time.sleep(0.5)
        now = switches()
        if len(begun) == len(KINDS) and now == before and \
                all(waits for waits, _ in now.values()):
            return
        before = now


def stack_of(frame):
    while frame:
        code = frame.f_code
        yield [getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno]
        frame = frame.f_back


def write(name):
    frames = sys._current_frames()
    found = {tid: [kind, list(stack_of(frames[ident]))]
             for tid, (kind, ident) in begun.items()}
    with open(name + ".new", "w", encoding="utf-8") as out:
        json.dump({"pid": os.getpid(), "version": sys.version, "threads": found}, out)
    os.rename(name + ".new", name)


def main():
    if sys.argv[1] == "--fork" and os.fork():
        os.wait()
        return
    for kind in KINDS:
        threading.Thread(target=run, args=(kind,), daemon=True).start()
    settled()
    write(sys.argv[-1])
    time.sleep(FOREVER)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0
"""Threads, ctypes with calls back, json: what the oracle looks at in python3."""

import ctypes
import json
import threading
import time

libc = ctypes.CDLL(None)
ORDER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int),
                         ctypes.POINTER(ctypes.c_int))


def work():
    while True:
        json.loads(json.dumps({"a": list(range(50)), "b": {str(i): i for i in range(20)}}))
        numbers = (ctypes.c_int * 20)(*range(20, 0, -1))
        libc.qsort(numbers, 20, 4, ORDER(lambda x, y: x[0] - y[0]))
        time.sleep(0.0001)


for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
work()

# SPDX-License-Identifier: GPL-2.0
"""Map the code of files, so that recordings know their unwind tables, until
killed. usage: warm.py <FILES"""

import mmap
import sys
import time

maps = []
for path in sys.stdin.read().split():
    with open(path, "rb") as file:
        maps.append(mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE,
                              mmap.PROT_READ | mmap.PROT_EXEC))
while True:
    time.sleep(1000)

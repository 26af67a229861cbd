# SPDX-License-Identifier: GPL-2.0
"""Compare what wallprof and perf recorded of the same work: see oneliners.table.

usage: beside.py exact|every|near|few|some OURS THEIRS, each the output of
perf script --ns -F comm,tid,time,period,event,ip,sym

Now and then perf's file has a record twice. Where its clock stands still, several events have
one time. So what wallprof counts may be any number between perf's records that differ, and all
of them: these are the same number but then."""
import re
import sys

WORK = 'lines'
NAMES = {'cs': 'context-switches', 'migrations': 'cpu-migrations', 'cycles': 'cpu-clock'}


def name_of(event):
    event = re.sub(r'/[^/]*/', '', event)
    event = re.sub(r':[ukhGHpPSDW]*$', '', event)
    return NAMES.get(event, event)


def read(path, everyone):
    """Of each event: how often it occurred, how often at different times, and the work's
    functions in its stacks."""
    counts, unique, functions, event, seen = {}, {}, {}, None, set()
    for line in open(path, errors='replace'):
        head = re.match(r'\s*(\S.*?)\s+(\d+)\s+([\d.]+):\s+(\d+)\s+(\S+):'
                        r'\s*(?:[0-9a-f]+ .*)?$', line)
        if head and not re.match(r'\s+[0-9a-f]+ ', line):
            comm, event = head[1], name_of(head[5])
            if event.endswith('-time') or event == 'dummy' or \
                    not (comm == WORK or everyone):
                event = None
                continue
            counts[event] = counts.get(event, 0) + int(head[4])
            if (event, head[2], head[3]) not in seen:
                unique[event] = unique.get(event, 0) + int(head[4])
            seen.add((event, head[2], head[3]))
        if event and comm == WORK:
            functions.setdefault(event, set()).update(re.findall(r'\bw_\w+', line))
    return counts, unique, functions


def main(compared, ours, theirs):
    everyone = compared in ('every', 'some')
    mine, _, my_functions = read(ours, everyone)
    perfs, unique, perfs_functions = read(theirs, everyone)
    print('wallprof', sorted(mine.items()))
    print('perf    ', sorted(perfs.items()))
    if not perfs or mine.keys() != perfs.keys():
        return 'not the same events'
    for event, theirs in perfs.items():
        least = unique[event]
        if least != theirs:
            print(f'perf: {least} of {theirs} {event} are not there twice')
        if compared == 'exact' and not least <= mine[event] <= theirs or \
                compared == 'every' and not least <= mine[event] <= 1.1 * theirs:
            return 'not as many of ' + event
        if compared == 'near' and not theirs <= 2 * mine[event] <= 4 * theirs:
            return 'not near for ' + event
        left = perfs_functions.get(event, set()) - my_functions.get(event, set())
        if compared not in ('few', 'some') and left:
            return f'{event} has not {left}'
    return None


sys.exit(main(*sys.argv[1:]))

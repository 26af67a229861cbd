# SPDX-License-Identifier: GPL-2.0
"""TAP for tests in Python, as tap.sh for tests in bash and tap.h for tests in C: one line
for each check, what is wrong as comments behind it, and the plan at the end."""

import sys

count = failed = 0


def ok(good, name, *why, most=10):
    """One check. Of what is wrong the first ones are printed. Returns @good."""
    global count, failed
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    for problem in () if good else why[:most]:
        # No line of it may look like a result.
        print("#   %s" % str(problem).replace("\n", "\n#   "))
    sys.stdout.flush()
    return good


def check(name, problems, most=10):
    """One check, which passes if there are no problems. Returns whether it does."""
    return ok(not problems, name, *problems, most=most)


def checks(results, most=10):
    """A check for each name with its problems."""
    for name, problems in results:
        check(name, problems, most)


def done():
    """The plan. Returns the exit status; no check at all is a failure."""
    print("1..%d" % count)
    return 1 if failed or not count else 0

# SPDX-License-Identifier: GPL-2.0
"""The state that the kernel's own event sched_switch has of who leaves the CPU.

Before 5.0 the event, as text and as a number, has each state for the one before it in the
kernel's list of them: S for R, D for S; and for I, the last one, what stands for a
preemption. Enterprise Linux 8 has that still. There the idle thread, which never sleeps,
is in S."""

import functools
import os

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
IDLE = "prev_pid=0 "
EITHER = "R+|I"
_OF = dict(zip("SDTtXZPI", "RSDTtXZP"), **{"R+": EITHER})


@functools.cache
def is_late(kernel):
    """Whether the tracepoint is not passed the state, and reads it when a waker may have
    written over it: before 5.18. The build of the module for it has found that out."""
    path = os.path.join(TOP, "build/module", kernel, "module/compat/features.h")
    with open(path) as f:
        return "SCHED_SWITCH_STATE_" not in f.read()


def one_on(switches):
    """Whether this kernel's event is like that. switches: the texts of some."""
    return any(IDLE in text and " prev_state=S " in text for text in switches)


def meant(state):
    """What such an event's state is; EITHER of two if that cannot be known."""
    return _OF.get(state, state)

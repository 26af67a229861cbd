# SPDX-License-Identifier: GPL-2.0
"""The guest of the tests of this folder: Python of four releases, the module and the
reader."""

import os
import shutil
import subprocess

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
KERNEL = os.environ.get("WALLPROF_KERNEL", "6.1")

# By output: the version of Python.
PROGRAMS = {"program": "3.11", "library": "3.11", "inner": "3.11", "forked": "3.11",
            "bullseye": "3.9", "trixie": "3.13", "sid": "3.14"}


def run(script, names, work):
    """Has the guest execute a script of this folder, beside others of these names. Returns
    how it ended, and the directory in which it left files."""
    module = os.environ.get("WALLPROF_KO") or subprocess.run(
        ["tests/lab/module", KERNEL], cwd=TOP, check=True, stdout=subprocess.PIPE,
        text=True).stdout.strip()
    built = subprocess.run(["tests/lab/programs", KERNEL, "reader"], cwd=TOP, check=True,
                           stdout=subprocess.PIPE, text=True).stdout.strip()
    root = subprocess.run(["tests/guest/python/root"], cwd=TOP, check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    inside, out = os.path.join(work, "in"), os.path.join(work, "out")
    os.mkdir(inside)
    os.mkdir(out)
    for source, program, version in (
            ("embed", "embed", ""), ("forged", "fakepython3.11", "0x030b02f0"),
            ("forged", "fakepython3.10", "0x030a02f0")):
        subprocess.run(["cc", "-O1", "-g0", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
                        "-pthread", "-rdynamic", "-DVERSION=" + version, "-o",
                        os.path.join(inside, program), "tests/guest/python/%s.c" % source,
                        "-ldl"], cwd=TOP, check=True)
    shutil.copy(os.path.join(TOP, module), inside)
    shutil.copy(os.path.join(TOP, built, "wallprof"), inside)
    for name in (script, *names):
        shutil.copy(os.path.join(TOP, "tests/guest/python", name), inside)
    ended = subprocess.run(
        ["tests/lab/guest", "--kernel", KERNEL, "--cpus", "2", "--root", root, "--in",
         inside, "--out", out, "--timeout", "1500", "--", "./" + script], cwd=TOP,
        errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ended, out


def texts(out):
    """The files in a directory, by name."""
    files = {}
    for name in os.listdir(out):
        path = os.path.join(out, name)
        if os.path.isfile(path):
            with open(path, errors="replace", encoding="utf-8") as f:
                files[name] = f.read()
    return files

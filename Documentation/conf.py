# SPDX-License-Identifier: GPL-2.0
"""Sphinx: "make htmldocs" renders these pages into build/html/."""

project = "wallprof"
copyright = "the wallprof authors"  # pylint: disable=redefined-builtin
with open("../VERSION", encoding="ascii") as _file:
    release = version = _file.read().strip()
master_doc = "index"
exclude_patterns = ["man"]
html_theme = "alabaster"
html_show_copyright = False
# Examples are of shells, of C and of output: none is guessed at.
highlight_language = "none"

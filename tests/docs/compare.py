"""Whether a command printed what the document shows.

A line of "..." stands for any number of lines. Where figures vary, a number with its unit stands for any other, a bar for
any other bar, columns may be wider or narrower, "..." within a line stands for anything, a figure may be a lower bound ("at least 3 ms",
as on a busy host), progress ("deciding: 25 of 32, 3 s left", on busy hosts) may stand between, and lines of ours ("espalier: ...") may stand elsewhere: they go to standard error, and launchers bring both streams
together in any order.
"""
import re

UNITS = r"ps|ns|us|µs|ms|s|min|%|B|KiB|MiB|GiB|kB|KB|MB|GB|[kMGT]?bit/s|[kMG]?B/s"
NUMBER = re.compile(rf"(?<![A-Za-z_])\d[\d,]*(\.\d+)?(e[+-]?\d+)?( ?({UNITS})(?![A-Za-z/]))?")
BARS = re.compile("[█▄░▒▓─━·~▏▎▍▌▋▊▉]+")
WRONG = re.compile(r"\bwrong \d+|\d+ wrong\b")  # how many results were: a figure that may not vary
SPACE = re.compile(r"\s+")
PROGRESS = re.compile(r"[a-z ]+: \d+ of \d+(, \d+ (s|min) (left|so far))?")
BOUND = re.compile(r"\bat least #")


def shape(line):
    return SPACE.sub(" ", BARS.sub(" ▄ ", BOUND.sub("#", NUMBER.sub("#", line)))).strip()


def same_line(expected, found, varies):
    if not varies:
        return expected.rstrip() == found.rstrip()
    if WRONG.findall(expected) != WRONG.findall(found):
        return False
    parts = [re.escape(shape(part)) for part in expected.split("...")]
    return re.fullmatch(" ?.* ?".join(parts), shape(found)) is not None


def ours_last(lines):
    return sorted(lines, key=lambda line: line.startswith("espalier: "))


def matches(expected, found, varies=False):
    """Lines as the document shows them; where figures vary also with ours in another place."""
    found = [line for line in found if line in expected or not PROGRESS.fullmatch(line)]
    if follows(expected, found, varies):
        return True
    return varies and follows(ours_last(expected), ours_last(found), varies)


def follows(expected, found, varies):
    if not expected:
        return not found
    if expected[0].strip() == "...":
        return any(follows(expected[1:], found[i:], varies) for i in range(len(found) + 1))
    return bool(found) and same_line(expected[0], found[0], varies) and follows(expected[1:], found[1:], varies)

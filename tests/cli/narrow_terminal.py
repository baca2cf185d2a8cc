#!/usr/bin/env python3
"""On a terminal of 80 columns no line is cut: tables come in parts, and sentences go on in the next line.

usage: narrow_terminal.py ESPALIER

Lines that begin with a blank and hold a command stay as they are: they are to be copied. So do the examples of helps, and the first line of
`plan`, whose end is known later than its beginning.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

ESPALIER = sys.argv[1]
COLUMNS = 80
GRID = "site:3(20ms,1Gbit/s) node:4(50us,10Gbit/s) proc:4(1us)"
COMMANDS = [
    ["show", GRID],
    ["tree", "-a", "binomial", "-m", GRID],
    ["compare", "-m", GRID],
    ["plan", "allreduce", "-m", GRID],
    ["plan", "scatterv", "-m", GRID, "--counts", "powerlaw"],
    ["simulate", "broadcast", "-m", GRID],
    ["group", "simulate", "--processes", "64"],
    ["export", "openmpi", "-m", "site:2(10ms) proc:2(1us)"],
    ["profile", "show", "lu.S"],
    ["reproduce", "karonis", "--part", "counts", "--quick"],
]
HELPS = ["show", "tree", "compare", "plan", "simulate", "view", "trace", "verify", "convert", "discover", "run", "doctor", "reproduce", "group",
         "profile", "place", "weather", "export", "lab", "bench"]


def seen(arguments, folder):
    """What stands on the terminal, a line each, without colours."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | {"TERM": "xterm"}
    child = subprocess.Popen([ESPALIER, "--quiet", *arguments], stdin=subprocess.DEVNULL, stdout=end, stderr=subprocess.PIPE, cwd=folder,
                             env=environment)
    os.close(end)
    said = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        said += data
    os.close(terminal)
    _, error = child.communicate()
    assert child.returncode == 0, (arguments, error)
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", said.decode()).replace("\r", "").split("\n")


def too_wide(lines):
    return [line for line in lines if len(line) > COLUMNS]


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for arguments in COMMANDS:
            lines = [line for line in seen(arguments, folder) if not re.match(r" +(mpiexec|export) ", line)]
            if arguments[0] == "plan":
                lines = lines[1:]
            wrong += [f"{' '.join(arguments)}: {line}" for line in too_wide(lines)]
        for command in HELPS:
            text = "\n".join(seen([command, "--help"], folder))
            text = re.sub(r"^EXAMPLES\n.*?(?=^[A-Z])", "", text, flags=re.S | re.M)
            wrong += [f"{command} --help: {line}" for line in too_wide(text.split("\n"))]
        text = "\n".join(seen(["--help"], folder))
        wrong += [f"--help: {line}" for line in too_wide(text.split("EXAMPLES")[0].split("\n"))]
    assert not wrong, "wider than the terminal:\n" + "\n".join(wrong)


main()

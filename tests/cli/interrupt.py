#!/usr/bin/env python3
"""Ctrl-C in long commands: each has shown how far it is, ends with 130, says so, and leaves no file behind.

usage: interrupt.py ESPALIER

Each command works long enough that its progress appears; as soon as it does the command is interrupted. So little of it runs.
"""
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile

ESPALIER = sys.argv[1]
INTERRUPTED = 130


def commands(folder):
    return [
        ["group", "simulate", "--processes", "131072"],
        ["group", "simulate", "--processes", "131072", "--json"],
        ["reproduce", "all", "--folder", f"{folder}/report"],
        ["place", "--profile", "mg.S", "--processes", "4096", "--inventory", f"{folder}/hosts", "--output", f"{folder}/ranks.tmp"],
        ["plan", "alltoall", "--machine", "site:4(10ms,1Gbit/s) node:8(50us,10Gbit/s) proc:16(1us,20Gbit/s)", "--size", "1MB", "--all"],
        ["export", "openmpi", "-m", "site:4(10ms,1Gbit/s) rack:8(100us,10Gbit/s) node:8(50us,10Gbit/s) proc:64(1us,20Gbit/s)", "--output", f"{folder}/rules.tmp"],
        ["simulate", "alltoall", "-m", "site:4(10ms,1Gbit/s) node:20(50us,10Gbit/s) proc:16(1us,20Gbit/s)", "--size", "1KiB"],
        ["compare", "-m", "site:4(10ms,1Gbit/s) node:24(50us,10Gbit/s) proc:16(1us,20Gbit/s)"],
        ["view", "site:4(20ms,1Gbit/s) rack:4(200us,10Gbit/s) proc:16(1us)", "--html", f"{folder}/page.html"],
    ]


def run(arguments):
    """What stood on the terminal, the exit code, and standard output."""
    terminal, end = pty.openpty()
    child = subprocess.Popen([ESPALIER, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=end)
    os.close(end)
    said, interrupted = b"", False
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break  # it has ended
        if not data:
            break
        said += data
        if not interrupted and b"[" in said:  # the bar
            interrupted = True
            child.send_signal(signal.SIGINT)
    os.close(terminal)
    out, _ = child.communicate()
    return said.decode(errors="replace"), child.returncode, out.decode(), interrupted


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts tests in the background has it ignored, by what they start too
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "hosts").write_text("".join(f"node{h} slots=16\n" for h in range(256)))
        for arguments in commands(folder):
            said, code, _, interrupted = run(arguments)
            name = " ".join(arguments[:2])
            if "this build has no page" in said:
                print(f"skipped: {name}: this build has no page")
            elif not interrupted:
                wrong.append(f"{name}: no progress was shown (exit code {code}): {said[-300:]}")
            elif code not in (INTERRUPTED, -signal.SIGINT):
                wrong.append(f"{name}: exit code {code}: {said[-300:]}")
        left = [str(one) for one in pathlib.Path(folder).rglob("*") if one.name.startswith(".") or one.suffix in (".tmp", ".part", ".html")]
        if left:
            wrong.append(f"left behind: {left}")
    assert not wrong, "\n".join(wrong)


main()

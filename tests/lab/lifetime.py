#!/usr/bin/env python3
"""Ranks of a lab write down how long they lived where $ESPALIER_LAB_TIMES says so, and only ranks do.

usage: lifetime.py SHIM
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def live(file, **variables):
    """A process that sleeps for 50 ms."""
    subprocess.run(["/bin/sleep", "0.05"], env={**os.environ, "LD_PRELOAD": sys.argv[1], "ESPALIER_LAB_TIMES": str(file), **variables},
                   check=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "times"
        live(file)
        assert not file.exists(), "a process that is no rank wrote a line"
        live(file, PMI_RANK="3")
        live(file, OMPI_COMM_WORLD_RANK="11")
        lines = [tuple(map(int, line.split())) for line in file.read_text().splitlines()]
        assert [rank for rank, _ in lines] == [3, 11], lines
        assert all(50_000_000 <= lived for _, lived in lines), lines
        live(file.parent / "nowhere" / "times", PMI_RANK="0")  # cannot be written: the program ends as it would


if __name__ == "__main__":
    main()

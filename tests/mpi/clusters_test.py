#!/usr/bin/env python3
"""Clusters that each process is told by its launcher: ESPALIER_CLUSTERS, different on each rank, missing on some, wrong.

    clusters_test.py MPI LIBRARY PROGRAM     LONG_TESTS=1: every case under both MPIs

No case may hang, and all ranks come to the same: one line says what is ignored.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import turns

MPI, LIBRARY, PROGRAM = sys.argv[1:]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")


def run(values, *shared):
    """One rank for each value; None: the variable is not set there."""
    cases = "".join(f"{rank}) export ESPALIER_CLUSTERS='{value}';; " for rank, value in enumerate(values) if value is not None)
    script = f'case "${{PMI_RANK-$OMPI_COMM_WORLD_RANK}}" in {cases}*) ;; esac; exec "$0" "$@"'
    result = subprocess.run([sys.executable, LAUNCH, MPI, str(len(values)), LIBRARY, *shared, "--", "/bin/sh", "-c", script, PROGRAM],
                            capture_output=True, text=True, check=False)
    found = {int(r): (int(depth), [int(c) for c in colors.split()])
             for r, depth, colors in re.findall(r"rank (\d+) depth (\d+):([ \d]*)", result.stdout)}
    return result, found, [line for line in result.stderr.splitlines() if "espalier" in line]


class Clusters(unittest.TestCase):
    def ignored(self, values, *words):
        result, found, lines = run(values)
        self.assertEqual(result.returncode, 0, f"124: it hangs\n{result.stderr}")
        self.assertEqual(len(lines), 1, lines)
        for word in ("ESPALIER_CLUSTERS", "ignored", *words):
            self.assertIn(word, lines[0])
        self.assertEqual({depth for depth, _ in found.values()}, {1}, found)  # the one node of MPI

    def test_each_rank_names_its_own(self):
        result, found, lines = run(["sdsc/sp2", "ncsa/o2ka", "ncsa/o2kb", "sdsc/sp2"])
        self.assertEqual((result.returncode, lines), (0, []), result.stderr)
        self.assertEqual([depth for depth, _ in found.values()], [4] * 4)
        colors = [found[rank][1] for rank in range(4)]
        self.assertEqual(colors[0], colors[3])          # the same machine
        self.assertEqual(colors[1][:2], colors[2][:2])  # the same site
        self.assertNotEqual(colors[1][2], colors[2][2])
        self.assertNotEqual(colors[0][1], colors[1][1])

    @turns.only("mpich", MPI)
    def test_depths_may_differ(self):
        _, found, lines = run(["anl", "ncsa/o2ka", "ncsa/o2kb"])
        self.assertEqual(lines, [])
        self.assertEqual([found[rank][0] for rank in range(3)], [3, 4, 4])

    @turns.only("mpich", MPI)
    def test_a_file_of_the_host_may_have_them(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "clusters")
            file.write_text("anl/sp2\n")
            _, found, lines = run([f"@{file}", "anl/other"])
            self.assertEqual(lines, [])
            self.assertEqual([found[rank][0] for rank in range(2)], [4, 4])

    def test_some_ranks_without(self):
        self.ignored(["anl", None, "anl"], "1 of 3", "rank 1")
        self.ignored([None, None, "anl"], "2 of 3", "rank 0")
        self.ignored(["", "anl"], "1 of 2", "rank 0")

    @turns.only("openmpi", MPI)
    def test_empty_is_not_set(self):
        result, _, lines = run(["", ""])
        self.assertEqual((result.returncode, lines), (0, []), result.stderr)

    @turns.only("mpich", MPI)
    def test_wrong_values(self):
        self.ignored(["anl", "anl//sp2"], "rank 1", "empty name")
        self.ignored(["a[1]", "anl"], "rank 0")
        self.ignored([" ", "anl"], "rank 0", "empty name")
        self.ignored(["anl", "@/nowhere/clusters"], "rank 1", "/nowhere/clusters cannot be read")
        self.ignored(["anl", "x" * 5000], "rank 1")

    def test_a_described_machine_goes_before_it(self):
        _, found, lines = run(["a", "b"], "ESPALIER_MACHINE=proc:2(1us)")
        self.assertEqual(lines, [])
        self.assertEqual([found[rank][0] for rank in range(2)], [1, 1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

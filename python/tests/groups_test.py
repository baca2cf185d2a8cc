#!/usr/bin/env python3
"""espalier.groups: groups of a real MPI from Python.

usage: groups_test.py FOLDER-OF-THE-PACKAGE                starts itself with 5 ranks
Skipped (exit code 77) where mpi4py is missing.
"""
import array
import ctypes
import importlib.util
import os
import subprocess
import sys

PACKAGE = os.path.abspath(sys.argv[1])
RANKS = 5


class Pair(ctypes.Structure):
    _fields_ = [("number", ctypes.c_double), ("place", ctypes.c_int)]


class Zero:
    """A whole number that is no int, as numpy has them."""

    def __index__(self):
        return 0


def start():
    if importlib.util.find_spec("mpi4py") is None:
        print("mpi4py is missing")
        return 77
    line = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(RANKS)]
    done = subprocess.run([*line, sys.executable, __file__, PACKAGE, "rank"], stdout=subprocess.PIPE, text=True, timeout=300, check=False)
    assert done.returncode == 0 and done.stdout.count("all as it should be") == RANKS, done
    return 0


def refused(error, work, *arguments):
    try:
        work(*arguments)
    except error as said:
        assert str(said).startswith("espalier.groups: "), said
    else:
        raise AssertionError("it was not refused")


def rank():
    sys.path.insert(0, PACKAGE)
    from mpi4py import MPI

    import espalier.groups
    me = MPI.COMM_WORLD.rank
    with espalier.groups.Groups(machine=f"node:{RANKS}(1us)") as groups:
        everybody = groups.all
        assert (everybody.size, everybody.rank) == (RANKS, me)
        values = array.array("d", [me, 1.0, -me])
        everybody.allreduce(values)
        assert list(values) == [10.0, 5.0, -10.0], values
        largest = array.array("i", [me])
        everybody.reduce(largest, MPI.MAX, root=2)
        assert me != 2 or largest[0] == RANKS - 1, largest
        told = array.array("l", [7 if me == 3 else 0] * 1000)
        everybody.broadcast(told, root=3)
        assert set(told) == {7}
        everybody.broadcast(array.array("d"))  # nothing at all

        odd = everybody.split(me % 2 if me < 4 else None)
        assert odd.size == (2 if me < 4 else 0) and (odd.rank >= 0) == (me < 4), (odd.size, odd.rank)
        if odd.size:
            numbers = array.array("q", [me])
            odd.allreduce(numbers)
            assert numbers[0] == (2 if me % 2 == 0 else 4), numbers
            odd.barrier()
        else:
            refused(RuntimeError, odd.barrier)
        odd.free()
        odd.free()
        near = everybody.along_topology()
        assert near.size == RANKS
        near.barrier()
        near.free()

        one = everybody.split(Zero())
        assert one.size == RANKS
        one.free()
        for wrong in ("red", 1.5, b"1"):
            refused(TypeError, everybody.split, wrong)
        for wrong in ("1", None, 0.0):
            refused(TypeError, everybody.broadcast, array.array("d", [1]), wrong)
            refused(TypeError, everybody.reduce, array.array("d", [1]), None, wrong)
        refused(TypeError, espalier.groups.Groups, None, "2")
        refused(ValueError, everybody.broadcast, b"read-only")
        refused(ValueError, everybody.broadcast, memoryview(array.array("d", [1, 2, 3, 4]))[::2])
        refused(TypeError, everybody.broadcast, (Pair * 2)())
        numbers = (ctypes.c_double * 3)(1, 2, 3)
        everybody.allreduce(numbers)
        assert list(numbers) == [5.0, 10.0, 15.0], list(numbers)
        refused(ValueError, everybody.split, 2**32)
        refused(RuntimeError, everybody.allreduce, array.array("d", [1.0]), MPI.BAND)
        refused(RuntimeError, everybody.reduce, array.array("d", [1.0]), MPI.MAXLOC)
        everybody.allreduce(numbers)  # nothing was sent
        assert list(numbers) == [25.0, 50.0, 75.0], list(numbers)
        left = everybody.split(0)
    groups.close()
    assert (left.size, left.rank, everybody.size) == (0, -1, 0)
    left.free()
    refused(RuntimeError, left.barrier)
    print("all as it should be", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(rank() if sys.argv[2:] == ["rank"] else start())

"""Cases in which the MPI makes no difference: under one of the two with `make check`, under both with LONG_TESTS=1."""
import os
import unittest

IS_LONG = "LONG_TESTS" in os.environ


def only(mpi, here):
    """Decorates a test that is run under `mpi` alone; `here` is the MPI at hand."""
    return unittest.skipUnless(IS_LONG or mpi == here, f"under {mpi}; here with LONG_TESTS=1")

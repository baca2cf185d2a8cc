"""Collectives of Python, which loads MPI when the process has long been started: right, and planned."""
import ctypes
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
data = array("i", [7 if rank == 0 else -1] * 1000)
world.Bcast([data, MPI.INT], root=0)
assert list(data) == [7] * 1000
total = array("d", [0.0] * 1000)
world.Allreduce([array("d", [1.0] * 1000), MPI.DOUBLE], [total, MPI.DOUBLE])
assert list(total) == [float(size)] * 1000
assert world.allreduce(rank) == size * (size - 1) // 2  # objects: whatever mpi4py makes of it
assert world.bcast({"a": rank}, root=size - 1) == {"a": size - 1}
word, sums = array("i", [rank]), array("i", [0])
MPI.Request.Waitall([world.Ibcast([data, MPI.INT], root=size - 1), world.Iallreduce([word, MPI.INT], [sums, MPI.INT]), world.Ibarrier()])
assert list(data) == [7] * 1000 and list(sums) == [size * (size - 1) // 2]
world.Barrier()
library = ctypes.CDLL(None)
planned = library.espalier_query_count(b"planned") if hasattr(library, "espalier_query_count") else -1
print("right " + ("planned" if planned >= 3 else f"native ({planned})"), flush=True)

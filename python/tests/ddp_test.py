#!/usr/bin/env python3
"""espalier.ddp: averages over the ranks of a real MPI, with a stand-in for PyTorch, and with PyTorch where it is installed.

usage: ddp_test.py FOLDER-OF-THE-PACKAGE                starts itself with 3 ranks
Skipped (exit code 77) where numpy or mpi4py is missing.
"""
import importlib.util
import os
import subprocess
import sys
import types

PACKAGE = os.path.abspath(sys.argv[1])
RANKS = 3


def has(name):
    return importlib.util.find_spec(name) is not None


def start():
    if not (has("numpy") and has("mpi4py")):
        print("numpy or mpi4py is missing")
        return 77
    line = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(RANKS)]
    done = subprocess.run([*line, sys.executable, __file__, PACKAGE, "rank"], stdout=subprocess.PIPE, text=True, timeout=300, check=False)
    assert done.returncode == 0 and done.stdout.count("all as it should be") == RANKS, done
    return 0


class Tensor:
    """As much of a torch.Tensor as the hook needs, on the CPU or as if elsewhere."""

    def __init__(self, array, device):
        self.array, self.device = array, types.SimpleNamespace(type=device)

    def numpy(self):
        assert self.device.type == "cpu", "only tensors on the CPU share memory with numpy"
        return self.array

    def cpu(self):
        return Tensor(self.array.copy(), "cpu")

    def copy_(self, other):
        self.array[:] = other.array


class Future:
    def set_result(self, result):
        self.result = result


def averages(ddp, numpy, rank):
    averager = ddp.Averager()
    assert averager.size == RANKS
    for kind in ("float32", "float64"):
        array = numpy.arange(1000, dtype=kind) * (rank + 1)
        assert averager.average(array) is array
        assert numpy.allclose(array, numpy.arange(1000) * 2), array  # mean of 1, 2, 3 is 2
    refused(TypeError, averager, numpy.ones(4, dtype="int32"))
    refused(TypeError, averager, numpy.ones(4, dtype="float16"))
    refused(ValueError, averager, numpy.ones((4, 4))[:, 1])
    return averager


def refused(error, averager, array):
    try:
        averager.average(array)
    except error as said:
        assert str(said).startswith("espalier.ddp: an array")
    else:
        raise AssertionError("it was not refused")


def hooked(ddp, numpy, averager, rank):
    real = sys.modules.pop("torch", None)
    sys.modules["torch"] = types.SimpleNamespace(futures=types.SimpleNamespace(Future=Future))
    for device in ("cpu", "cuda"):
        tensor = Tensor(numpy.full(10, float(rank)), device)
        future = ddp.hook(averager, types.SimpleNamespace(buffer=lambda one=tensor: one))
        assert future.result is tensor and (tensor.array == 1.0).all(), tensor.array  # mean of 0, 1, 2
    del sys.modules["torch"]
    if real is not None:
        sys.modules["torch"] = real


def trained(ddp, averager, rank):
    """One step of a small model under DistributedDataParallel: gradients are those of all samples."""
    import torch
    import torch.distributed as distributed
    from mpi4py import MPI
    torch.set_num_threads(1)
    with_port = averager.communicator.bcast(free_port() if rank == 0 else None)
    distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{with_port}", rank=rank, world_size=RANKS)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1, bias=False))
    model.register_comm_hook(averager, ddp.hook)
    model(torch.full((1, 4), float(rank + 1))).sum().backward()
    gradient = next(model.parameters()).grad
    assert torch.allclose(gradient, torch.full((1, 4), 2.0)), gradient
    MPI.COMM_WORLD.Barrier()
    distributed.destroy_process_group()


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def rank():
    sys.path.insert(0, PACKAGE)
    import mpi4py
    mpi4py.rc.thread_level = "serialized"
    import numpy
    from mpi4py import MPI

    import espalier.ddp as ddp
    me = MPI.COMM_WORLD.rank
    averager = averages(ddp, numpy, me)
    hooked(ddp, numpy, averager, me)
    if has("torch"):
        trained(ddp, averager, me)
    print("all as it should be", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(rank() if sys.argv[2:] == ["rank"] else start())

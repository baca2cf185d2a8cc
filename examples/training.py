"""Data-parallel training of a network of 26 MB with PyTorch, gradients averaged by Gloo or by MPI.

    mpiexec -n 6 python3 training.py gloo|mpi STEPS

With "mpi" run it under `espalier run`. Each rank has samples of its own, by its number. Rank 0 prints a line a step: the largest loss of any rank (all its bits too) and seconds.
"""
import os
import socket
import sys
import time

import mpi4py
import torch
import torch.distributed as distributed

mpi4py.rc.thread_level = "serialized"  # backward() calls the hook in the thread that called it
from mpi4py import MPI  # noqa: E402

backend, steps = sys.argv[1], int(sys.argv[2])
world = MPI.COMM_WORLD
torch.set_num_threads(1)

# PyTorch wants a process group in any case: DistributedDataParallel hands out the first weights by it.
os.environ["MASTER_ADDR"] = world.bcast(socket.gethostname())
os.environ["MASTER_PORT"] = os.environ.get("MASTER_PORT", "29507")
distributed.init_process_group("gloo", rank=world.rank, world_size=world.size)

torch.manual_seed(1)
network = torch.nn.Sequential(torch.nn.Linear(1024, 3200), torch.nn.Tanh(), torch.nn.Linear(3200, 1024))
model = torch.nn.parallel.DistributedDataParallel(network, bucket_cap_mb=64)
if backend == "mpi":
    import espalier.ddp
    model.register_comm_hook(espalier.ddp.Averager(), espalier.ddp.hook)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
own = torch.Generator().manual_seed(100 + world.rank)
points = torch.randn(8, 1024, generator=own)
wanted = points.roll(1, 1)

size = sum(p.numel() for p in model.parameters()) * 4
if world.rank == 0:
    print(f"{world.size} ranks, {size / 1e6:.1f} MB of gradients, {backend}", flush=True)
for step in range(steps):
    world.Barrier()
    begin = time.perf_counter()
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(points), wanted)
    loss.backward()
    optimizer.step()
    seconds = world.allreduce(time.perf_counter() - begin, MPI.MAX)
    worst = world.allreduce(loss.item(), MPI.MAX)
    if world.rank == 0:
        print(f"step {step} loss {worst:.6f} {worst.hex()} seconds {seconds:.3f}", flush=True)
distributed.destroy_process_group()

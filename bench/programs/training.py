"""Data-parallel training over mpi4py: each rank has its own samples, and gradients are added up over all ranks.

    training.py STEPS

A least-squares fit of a network with one hidden layer in numpy. Prints "right" if the loss falls and all ranks have the same weights.
"""
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
steps, inputs, hidden, samples, rate = int(sys.argv[1]), 64, 256, 64, 0.05
everywhere = numpy.random.default_rng(1)
first, second = everywhere.normal(0, 0.1, (inputs, hidden)), everywhere.normal(0, 0.1, hidden)
teacher = everywhere.normal(0, 1, inputs)
own = numpy.random.default_rng(100 + world.rank)
points = own.normal(0, 1, (samples, inputs))
wanted = numpy.tanh(points @ teacher)
losses = []
for _ in range(steps):
    seen = numpy.tanh(points @ first)
    error = seen @ second - wanted
    gradient = numpy.concatenate([(points.T @ (numpy.outer(error, second) * (1 - seen**2))).ravel(), seen.T @ error, [error @ error]])
    world.Allreduce(MPI.IN_PLACE, gradient, MPI.SUM)
    gradient /= samples * world.size
    first -= rate * gradient[:inputs * hidden].reshape(inputs, hidden)
    second -= rate * gradient[inputs * hidden:-1]
    losses.append(gradient[-1])
weights = numpy.concatenate([first.ravel(), second])
same = numpy.empty_like(weights)
world.Allreduce(weights, same, MPI.MAX)
alike = world.allreduce(int((same == weights).all()), MPI.MIN)
if world.rank == 0:
    print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}: {'right' if alike and losses[-1] < losses[0] else 'wrong'}")

"""Machines, plans of MPI collectives, their simulation and drawings, as values.

>>> import espalier
>>> grid = espalier.Machine("site:2(30ms,100Mbit/s) proc:4(5us)")
>>> plan = espalier.plan(grid, "broadcast", "64KiB")
>>> plan.predicted, plan.simulate().finish, espalier.lower_bound(grid, "broadcast", "64KiB").time

Times are seconds, sizes bytes (or text such as "64KiB"), rates bits a second. In notebooks machines and plans draw themselves.
"""
from ._binding import Cluster, Error, LowerBound, Machine, Path, Plan, Simulation, Verdict, lower_bound, plan, plans

__all__ = ["Cluster", "Error", "LowerBound", "Machine", "Path", "Plan", "Simulation", "Verdict", "lower_bound", "plan", "plans"]

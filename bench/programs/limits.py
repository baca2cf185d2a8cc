"""How much a program can gain at all: the share of its time in collectives, and what collectives take at least.

Amdahl's limit is T / (T - C + B): T is the time of the program, C what its ranks spend in collectives on average, B the sum of the lower bounds of all its
calls. Some collectives stand in a recording as messages (docs/placement.md): those that do not block, persistent ones, those of neighbours, and those with
blocks of unequal lengths. They count in C and have no bound in B, and those that do not block may hide behind computation. So a program that calls them
has no limit here, nor has one whose trace was too long to be kept: why_none() says so.
"""
import collections


def times(profile):
    """Seconds from MPI_Init to MPI_Finalize, and in collectives: means over all ranks."""
    traces = profile["trace"]
    return tuple(sum(rank[key] for rank in traces) / len(traces) / 1e12 for key in ("ran_ps", "in_collectives_ps"))


def calls(actions, repeated=1):
    """(operation, bytes, root, communicator) -> how often, of the trace of one rank."""
    found = collections.Counter()
    for action in actions:
        if action[0] == "loop":
            found.update(calls(action[2], repeated * action[1]))
        elif action[0] not in ("compute", "send", "recv", "post", "sent"):
            found[tuple(action)] += repeated
    return found


def messages(actions, repeated=1):
    """How many messages the trace of one rank sends."""
    found = 0
    for action in actions:
        if action[0] == "loop":
            found += messages(action[2], repeated * action[1])
        elif action[0] == "send":
            found += repeated
    return found


def why_none(profile):
    """Why no limit can be stated; empty if one can. "pairs" counts the program's own messages, traces those that stand for collectives, too."""
    traces = profile["trace"]
    if not any(rank["actions"] for rank in traces) and any(rank["in_collectives_ps"] for rank in traces):
        return "its trace was too long to be kept"
    if "pairs" not in profile:  # counted from the trace: no recording
        return ""
    stand_in = sum(messages(rank["actions"]) for rank in traces) - sum(pair[2] for pair in profile["pairs"])
    return "it has collectives that stand as messages: non-blocking, persistent, of neighbours, or with unequal blocks" if stand_in > 0 else ""


def bound(profile, machine, espalier):
    """Seconds that no plans for the recorded calls can beat: of the rank for which it is the most."""
    known, most = {}, 0.0
    for rank in profile["trace"]:
        total = 0.0
        for call, repeated in calls(rank["actions"]).items():
            if call not in known:
                known[call] = bound_of(call, profile, machine, espalier)
            total += repeated * known[call]
        most = max(most, total)
    return most


def bound_of(call, profile, machine, espalier):
    operation, size, root, communicator = call
    members = list(range(profile["processes"])) if communicator == 0 else profile["communicators"][communicator - 1]
    if len(members) < 2:
        return 0.0
    return espalier.lower_bound(machine.part(members), operation, size, members.index(root)).time


def limit(native, at_least):
    """How many times faster the program can become."""
    ran, in_collectives = times(native)
    left = ran - max(0.0, in_collectives - at_least)
    return ran / left if left > 0 else float("inf")

#!/usr/bin/env python3
"""Proves a lower bound again, from the machine, the call and the witness alone.

    check_witness.py MACHINE.json PLAN.json

MACHINE.json is what `espalier show MACHINE --json` writes, PLAN.json `espalier plan ... --json`. Shares nothing
with the tool: what an operation's outputs depend on is spelled out, what must cross a border is the rank of that
dependence, orders of reductions that do not commute are tried by dynamic programming. Exits 1 and says why if the
witness does not prove exactly the bound, or a plan claims to be faster.
"""
import functools
import json
import re
import sys
from fractions import Fraction

UNLIMITED = float("inf")
TIMES = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12, "h": 3600 * 10**12}
PREFIX = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def read_time(text):
    number, unit = re.fullmatch(r"([0-9.]+)\s*([a-z]+)", text).groups()
    return int(Fraction(number) * TIMES[unit])


def read_rate(text):
    if text == "unlimited":
        return UNLIMITED
    number, prefix, unit = re.fullmatch(r"([0-9.]+)\s*(|[kMGT]i?)(bit/s|B/s|bps|Bps)", text).groups()
    return int(Fraction(number) * PREFIX[prefix] * (8 if unit[0] == "B" else 1))


def read_cost(value):
    if isinstance(value, str):
        return read_time(value), UNLIMITED
    return read_time(value.get("fixed", "0 s")), read_rate(value.get("rate", "unlimited"))


def read_uplink(value):
    if isinstance(value, str):
        value = {"bandwidth": value}
    both = value.get("bandwidth", "unlimited")
    return {"out": read_rate(value.get("out", both)), "in": read_rate(value.get("in", both)),
            "half": value.get("duplex") == "half", "latency": read_time(value.get("latency", "0 s"))}


def names_in(name):
    """How many members a range of names stands for."""
    total = 1
    for group in re.findall(r"\[([^]]*)\]", name):
        count = 0
        for part in group.split(","):
            low, _, high = part.partition("-")
            count += int(high or low) - int(low) + 1
        total *= count
    return total


class Machine:
    def __init__(self, text):
        self.levels = text["levels"]
        self.nodes, self.leaves = [], []
        costs = {"send": "0 s", "recv": "0 s", "reduce": "unlimited"}
        self.whole = self.add(text, 0, None, 0, costs)
        size = len(self.leaves)
        place = text.get("placement", "block")
        if place == "block":
            place = list(range(size))
        elif place == "cyclic":
            piles = {}
            for leaf in self.leaves:
                piles.setdefault(id(leaf["parent"]), []).append(leaf["leaf"])
            turns = max(len(p) for p in piles.values())
            place = [p[turn] for turn in range(turns) for p in piles.values() if turn < len(p)]
        self.rank_of_leaf = {leaf: rank for rank, leaf in enumerate(place)}
        self.size = size
        self.proc = [self.leaves[leaf] for leaf in place]
        for node in self.nodes:
            node["ranks"] = frozenset(self.rank_of_leaf[leaf] for leaf in range(node["first"], node["end"]))

    def add(self, text, depth, parent, index, costs):
        costs = {key: text.get(key, costs[key]) for key in costs}
        node = {"depth": depth, "parent": parent, "index": index, "first": len(self.leaves), "members": []}
        self.nodes.append(node)
        if parent is not None:
            default = self.levels[depth - 1].get("uplink", "unlimited")
            node["uplink"] = read_uplink(text.get("uplink", default))
        if "children" not in text and "processes" not in text:
            node["leaf"] = len(self.leaves)
            node["send"], node["recv"] = read_cost(costs["send"]), read_cost(costs["recv"])
            node["reduce"] = read_rate(costs["reduce"])
            self.leaves.append(node)
        else:
            channel = {**self.levels[depth], **text.get("channel", {})}
            node["latency"] = read_time(channel.get("latency", "0 s"))
            node["backbone"] = read_rate(channel.get("backbone", "unlimited"))
            node["cap"] = read_rate(channel.get("flow_cap", "unlimited"))
            children = list(text.get("children", [])) + [{"count": text.get("processes", 0)}]
            for child in children:
                for _ in range(child.get("count", 1) * names_in(child.get("name", ""))):
                    node["members"].append(self.add(child, depth + 1, node, len(node["members"]), costs))
            node["pairs"] = {frozenset(p["between"]): (read_time(p.get("latency", channel.get("latency", "0 s"))),
                                                       read_rate(p.get("capacity", "unlimited")))
                             for p in text.get("pairs", [])}
        node["end"] = len(self.leaves)
        return node

    @functools.lru_cache(maxsize=None)
    def meeting(self, a, b):
        """The cluster where two ranks meet, the latency between them, and the members they come by."""
        x, y, latency = self.proc[a], self.proc[b], 0
        while x["parent"] is not y["parent"]:
            if x["depth"] >= y["depth"]:
                latency += x["uplink"]["latency"]
                x = x["parent"]
            else:
                latency += y["uplink"]["latency"]
                y = y["parent"]
        place = x["parent"]
        latency += x["uplink"]["latency"] + y["uplink"]["latency"]
        pair = place["pairs"].get(frozenset((x["index"], y["index"])))
        return place["cap"], latency + (pair[0] if pair else place["latency"])

    def latency(self, a, b):
        return self.meeting(a, b)[1]

    def send(self, r):
        return self.proc[r]["send"][0]

    def recv(self, r):
        return self.proc[r]["recv"][0]

    def hop(self, a, b):
        return self.send(a) + self.latency(a, b) + self.recv(b)

    def distances(self, one, towards):
        """Bellman and Ford's, not Dijkstra's."""
        found = [UNLIMITED] * self.size
        found[one] = 0
        changed = {one}
        while changed:
            now, changed = changed, set()
            for a in now:
                for b in range(self.size):
                    if a == b:
                        continue
                    way = found[a] + (self.hop(b, a) if towards else self.hop(a, b))
                    if way < found[b]:
                        found[b] = way
                        changed.add(b)
        return found


class Call:
    def __init__(self, plan):
        self.op, self.size, self.root = plan["operation"], plan["ranks"], plan["root"]
        self.bytes, self.commutes = plan["size_bytes"], plan["commutative"]
        self.blocks = [n * plan["element_bytes"] for n in plan.get("counts", [])]  # of different lengths

    def length(self, block):
        return self.blocks[block] if self.blocks else self.bytes

    def outputs(self, rank):
        """What a rank ends with: bytes, and the inputs (rank, block) of which they are the reduction."""
        every = range(self.size)
        if self.op == "broadcast":
            return [(self.bytes, {(self.root, 0)})]
        if self.op == "reduce":
            return [(self.bytes, {(r, 0) for r in every})] if rank == self.root else []
        if self.op == "allreduce":
            return [(self.bytes, {(r, 0) for r in every})]
        if self.op == "gather":
            return [(self.length(r), {(r, 0)}) for r in every] if rank == self.root else []
        if self.op == "scatter":
            return [(self.length(rank), {(self.root, rank)})]
        if self.op == "allgather":
            return [(self.length(r), {(r, 0)}) for r in every]
        if self.op == "alltoall":
            return [(self.length(r * self.size + rank), {(r, rank)}) for r in every]
        if self.op == "reduce-scatter":
            return [(self.length(rank), {(r, rank) for r in every})]
        if self.op == "scan":
            return [(self.bytes, {(r, 0) for r in range(rank + 1)})]
        if self.op == "exscan":
            return [(self.bytes, {(r, 0) for r in range(rank)})]
        return []

    def depends(self, source, target):
        if self.op == "barrier":
            return source != target
        return source != target and any(length > 0 and source == owner
                                        for length, output in self.outputs(target) for owner, _ in output)

    def crossing(self, inside, to_outside):
        """Bytes that must pass a border one way."""
        effects = {}
        for rank in range(self.size):
            if (rank in inside) == to_outside:
                continue
            for length, output in self.outputs(rank):
                effect = frozenset(i for i in output if (i[0] in inside) == to_outside)
                effects.setdefault(length, set()).add(effect)
        return sum(length * rank_of(sums - {frozenset()}) for length, sums in effects.items())

    def both(self, inside):
        out, into = self.crossing(inside, True), self.crossing(inside, False)
        if self.commutes or self.op not in ("reduce", "allreduce", "reduce-scatter"):
            return out + into
        colours = tuple(r in inside for r in range(self.size))
        if self.op == "reduce":
            return self.bytes * fewest_transfers(colours, self.root in inside)
        if self.op == "allreduce":
            return max(out + into, self.bytes * max(fewest_transfers(colours, s) for s in (True, False)))
        return sum(self.length(r) * fewest_transfers(colours, r in inside) for r in range(self.size))

    def from_root(self):
        return self.op in ("broadcast", "scatter")

    def to_root(self):
        return self.op in ("reduce", "gather")


def rank_of(effects):
    """Of sums of inputs, by elimination."""
    rows, rank = [], 0
    for effect in sorted(effects, key=lambda e: (len(e), sorted(e))):
        row = {i: Fraction(1) for i in effect}
        while row:
            pivot = next((r for r in rows if r[0] in row), None)
            if pivot is None:
                break
            factor = row[pivot[0]] / pivot[1][pivot[0]]
            for i, value in pivot[1].items():
                row[i] = row.get(i, 0) - factor * value
                if row[i] == 0:
                    del row[i]
        if row:
            rows.append((min(row), row))
            rank += 1
    return rank


@functools.lru_cache(maxsize=None)
def fewest_transfers(colours, side):
    """Partial results that change sides until the product of all, in order, is on a side: over all parentheses."""
    size = len(colours)
    best = {}
    for length in range(1, size + 1):
        for a in range(size - length + 1):
            b = a + length
            for at in (True, False):
                if length == 1:
                    best[a, b, at] = 0 if colours[a] == at else 1
                else:
                    best[a, b, at] = min(best[a, m, at] + best[m, b, at] for m in range(a + 1, b))
            for at in (True, False):
                best[a, b, at] = min(best[a, b, at], best[a, b, not at] + 1)
    return best[0, size, side]


def passing(count, rate):
    return 0 if rate == UNLIMITED or count == 0 else -(-count * 8 * 10**12 // rate)


def most_reached(time, own, send, delay, enough):
    """By the postal model, in so much time: counted by descendants, up to enough."""
    @functools.lru_cache(maxsize=None)
    def family(left):
        if send == 0:
            return enough if left >= delay else 1
        total, spent = 1, send
        while spent + delay <= left and total < enough:
            total += family(left - spent - delay)
            spent += send
        return total

    if own == 0:
        return enough if time >= delay else 0
    total, spent = 0, own
    while spent + delay <= time and total < enough:
        total += family(time - spent - delay)
        spent += own
    return total


class Refused(Exception):
    pass


def expect(what, found, right):
    if found != right:
        raise Refused(f"{what} is {found}, should be {right}")


class Checker:
    def __init__(self, machine, plan):
        self.m, self.plan, self.call, self.w = machine, plan, Call(plan), plan["witness"]
        expect("ranks", self.call.size, machine.size)
        none = [0] * machine.size
        self.earliest = machine.distances(self.call.root, False) if self.call.from_root() else none
        self.remaining = machine.distances(self.call.root, True) if self.call.to_root() else none

    def run(self):
        expect("bound_ps", self.plan["bound_ps"], self.w["value_ps"])
        expect("value_ps", self.w["value_ps"], getattr(self, self.w["kind"])())
        simulated = [self.plan["finish_ps"]] if self.plan.get("simulated", True) else []
        for time in simulated + [c["finish_ps"] for c in self.plan["candidates"] if c.get("finish_ps") is not None]:
            if time < self.w["value_ps"]:
                raise Refused(f"a plan of {time} ps is faster than the bound of {self.w['value_ps']} ps")

    def passage(self, hops):
        """Before the first and after the last byte over any of these hops."""
        hops = list(hops)
        before = min(self.earliest[a] + self.m.send(a) + self.m.latency(a, b) for a, b in hops)
        after = min(self.m.recv(b) + self.remaining[b] for _, b in hops)
        expect("before_ps", self.w["before_ps"], before)
        expect("after_ps", self.w["after_ps"], after)
        return before + after

    def part(self):
        ranks = frozenset(self.w["ranks"])
        for node in self.m.nodes:
            if node["depth"] != self.w["depth"]:
                continue
            chosen = node
            inside = node["ranks"]
            if "members" in self.w:
                if "leaf" in node or max(self.w["members"]) >= len(node["members"]):
                    continue
                inside = frozenset().union(*(node["members"][i]["ranks"] for i in self.w["members"]))
            if inside == ranks:
                return chosen
        raise Refused("there is no such part of the machine")

    def nothing(self):
        return 0

    def way(self):
        total = 0
        at = self.w["hops"][0]["from"]
        for hop in self.w["hops"]:
            expect("hop", hop["from"], at)
            at = hop["to"]
            expect("send_ps", hop["send_ps"], self.m.send(hop["from"]))
            expect("latency_ps", hop["latency_ps"], self.m.latency(hop["from"], at))
            expect("recv_ps", hop["recv_ps"], self.m.recv(at))
            total += hop["send_ps"] + hop["latency_ps"] + hop["recv_ps"]
        first = self.w["hops"][0]["from"]
        if not self.call.depends(first, at):
            raise Refused(f"rank {at} needs nothing of rank {first}")
        expect("the shortest way", total, self.m.distances(first, False)[at])
        return total

    def fan(self):
        w, every = self.w, range(self.m.size)
        outwards = w["direction"] == "out"
        one = w["rank"]
        others = sum(self.call.depends(one, r) if outwards else self.call.depends(r, one) for r in every)
        expect("others", w["others"], others)
        expect("own_ps", w["own_ps"], (self.m.send if outwards else self.m.recv)(one))
        expect("send_ps", w["send_ps"], min(self.m.send(r) for r in every))
        expect("recv_ps", w["recv_ps"], min(self.m.recv(r) for r in every))
        expect("latency_ps", w["latency_ps"], min(self.m.latency(a, b) for a in every for b in every if a != b))
        period, last = (w["send_ps"], w["recv_ps"]) if outwards else (w["recv_ps"], w["send_ps"])
        reached = [most_reached(t, w["own_ps"], period, w["latency_ps"] + last, others)
                   for t in (w["value_ps"] - 1, w["value_ps"])]
        return w["value_ps"] if reached[0] < others <= reached[1] else f"one where {others} can be reached"

    def cut(self):
        w, node = self.w, self.part()
        inside, every = frozenset(w["ranks"]), range(self.m.size)
        way = w["direction"]
        expect("bytes", w["bytes"], self.call.both(inside) if way == "both" else
               self.call.crossing(inside, way == "out"))
        hops = [(a, b) for a in every for b in every if (a in inside) != (b in inside)
                and (way == "both" or (a in inside) == (way == "out"))]
        if w["through"] == "uplink":
            link = node["uplink"]
            capacity = {"out": link["out"], "in": link["in"],
                        "both": link["out"] if link["half"] else link["out"] + link["in"]}[way]
        elif w["through"] == "flows":
            capacity = sum(self.m.meeting(a, b)[0] for a, b in hops)
        else:
            capacity = self.union_capacity(node, way)
        expect("capacity", w["capacity_bits_per_second"], capacity)
        return self.passage(hops) + passing(w["bytes"], capacity)

    def union_capacity(self, node, way):
        taken = set(self.w["members"])
        total = 0
        for a in taken:
            for b in set(range(len(node["members"]))) - taken:
                total += node["pairs"].get(frozenset((a, b)), (0, UNLIMITED))[1]
        beyond = {"out": node["uplink"]["out"], "in": node["uplink"]["in"]} if node["parent"] else {"out": 0, "in": 0}
        one_way = {d: total + beyond[d] for d in ("out", "in")}
        return one_way["out"] + one_way["in"] if way == "both" else one_way[way]

    def backbone(self):
        w, node = self.w, self.part()
        every = frozenset(range(self.m.size))
        parts = [m["ranks"] for m in node["members"] if m["ranks"] != every]
        own = [node["ranks"]] if node["ranks"] != every else []
        into = sum(self.call.crossing(p, False) for p in parts) + sum(self.call.crossing(p, True) for p in own)
        out = sum(self.call.crossing(p, True) for p in parts) + sum(self.call.crossing(p, False) for p in own)
        element = self.plan["element_bytes"]
        both = sum(self.call.both(p) for p in parts + own) // element
        expect("bytes", w["bytes"], max(into, out, -(-both // 2) * element))
        expect("capacity", w["capacity_bits_per_second"], node["backbone"])
        member = {r: i for i, m in enumerate(node["members"]) for r in m["ranks"]}
        hops = [(a, b) for a in every for b in every
                if (a in member or b in member) and member.get(a, -1) != member.get(b, -1)]
        return self.passage(hops) + passing(w["bytes"], node["backbone"])

    def processor(self):
        w, rank = self.w, self.w["rank"]
        others = [r for r in range(self.m.size) if r != rank]
        out, into = (self.call.crossing(frozenset([rank]), d) for d in (True, False))
        way = w["direction"]
        expect("bytes_out", w["bytes_out"], 0 if way == "in" else out)
        expect("bytes_in", w["bytes_in"], 0 if way == "out" else into)
        busy = before = after = 0
        if way != "in":
            busy += self.m.send(rank) + passing(out, self.m.proc[rank]["send"][1])
        if way != "out":
            busy += self.m.recv(rank) + passing(into, self.m.proc[rank]["recv"][1])
        if way == "out":
            before = self.earliest[rank]
            after = min(self.m.latency(rank, o) + self.m.recv(o) + self.remaining[o] for o in others)
        elif way == "in":
            before = min(self.earliest[o] + self.m.send(o) + self.m.latency(o, rank) for o in others)
            after = self.remaining[rank]
        if way == "both" and (out == 0 or into == 0):
            raise Refused("it need not do both")
        expect("before_ps", w["before_ps"], before)
        expect("after_ps", w["after_ps"], after)
        return before + busy + after

    def combining(self):
        w, every = self.w, range(self.m.size)
        results = {frozenset(output): length for r in every for length, output in self.call.outputs(r)}
        if self.call.op in ("scan", "exscan"):
            last = max(results, key=len)
            results = {last: results[last]}
        expect("bytes", w["bytes"], sum((len(r) - 1) * length for r, length in results.items() if r))
        capacity = sum(self.m.proc[r]["reduce"] for r in every)
        expect("capacity", w["capacity_bits_per_second"], capacity)
        before = min(self.m.hop(a, b) for a in every for b in every if a != b)
        expect("before_ps", w["before_ps"], before)
        expect("after_ps", w["after_ps"], 0)
        return before + passing(w["bytes"], capacity)


def check(machine, plan):
    """@return what is wrong, or None. `machine` is a Machine, `plan` the plan's JSON."""
    try:
        Checker(machine, plan).run()
    except Refused as refused:
        return str(refused)
    return None


def main():
    with open(sys.argv[1]) as machine, open(sys.argv[2]) as plan:
        wrong = check(Machine(json.load(machine)), json.load(plan))
    if wrong:
        print(f"{sys.argv[2]}: error: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

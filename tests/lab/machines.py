"""Machines of the JSON form, spelled out: which ranks stand together, and what lies between two of them.

For tests only, and written apart from the reader in C++, which it checks.
"""
import json
import re
import subprocess

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}
RATES = {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "Tbit/s": 1e12}


def quantity(text, units):
    if text == "unlimited":
        return float("inf")
    number, unit = text.split()
    return float(number) * units[unit]


def count_of(member):
    if "count" in member:
        return member["count"]
    total = 1
    for group in re.findall(r"\[([^]]*)\]", member.get("name", "")):
        total *= sum(int(p[1] or p[0]) - int(p[0]) + 1 for p in re.findall(r"(\d+)(?:-(\d+))?", group))
    return total


class Machine:
    """paths[a, b] = (seconds one way, bits a second); clusters = the sets of ranks that stand together."""

    def __init__(self, document):
        self.levels = document["levels"]
        self.leaves = []  # of each: its way down, as (cluster, member) pairs, and what a send costs
        self.groups = []  # of leaves
        self.down(document, [], 0.0)
        placement = document.get("placement", "block")
        assert placement == "block" or isinstance(placement, list), placement
        self.leaf_of = list(range(len(self.leaves))) if placement == "block" else placement
        rank_of = {leaf: rank for rank, leaf in enumerate(self.leaf_of)}
        self.clusters = {frozenset(rank_of[leaf] for leaf in group) for group in self.groups}

    def down(self, node, way, send):
        depth = len(way)
        cost = node.get("send", None)
        if cost is not None:
            send = quantity(cost if isinstance(cost, str) else cost["fixed"], UNITS)
        if "children" not in node and "processes" not in node:
            self.leaves.append((way, send))
            return
        channel = {**self.levels[depth], **node.get("channel", {})}
        pairs = {frozenset(p["between"]): quantity(p["latency"], UNITS) for p in node.get("pairs", [])}
        first, index = len(self.leaves), 0
        cluster = {"latency": quantity(channel.get("latency", "0 s"), UNITS), "pairs": pairs,
                   "cap": quantity(channel.get("flow_cap", "unlimited"), RATES)}
        for member in node.get("children", [{"count": node.get("processes")}]):
            for _ in range(count_of(member)):
                uplink = member.get("uplink", self.levels[depth].get("uplink", "unlimited"))
                if isinstance(uplink, dict):
                    out, into = (uplink.get(k, uplink.get("bandwidth")) for k in ("out", "in"))
                else:
                    out = into = uplink
                step = (cluster, index, quantity(out, RATES), quantity(into, RATES))
                self.down(member, way + [step], send)
                index += 1
        self.groups.append(range(first, len(self.leaves)))

    def send_cost(self, rank):
        return self.leaves[self.leaf_of[rank]][1]

    def path(self, a, b):
        way_a, way_b = (self.leaves[self.leaf_of[r]][0] for r in (a, b))
        level = 0
        while way_a[level][1] == way_b[level][1]:
            level += 1
        cluster = way_a[level][0]
        between = frozenset((way_a[level][1], way_b[level][1]))
        latency = cluster["pairs"].get(between, cluster["latency"])
        rate = min([cluster["cap"]] + [step[2] for step in way_a[level:]] + [step[3] for step in way_b[level:]])
        return latency, rate


def described(espalier, line):
    ran = subprocess.run([espalier, "show", line, "--json"], capture_output=True, text=True, check=True)
    return Machine(json.loads(ran.stdout))


def differences(found, wanted, hosts):
    """Sentences; empty if the clusters are the same and figures between hosts are within their tolerance.

    hosts[rank] is the number of its host: what lies inside one is not compared.
    """
    wrong = []
    several = [c for c in found.clusters | wanted.clusters if len({hosts[r] for r in c}) > 1]
    for cluster in several:
        for machine, name in ((found, "found"), (wanted, "described")):
            if cluster not in machine.clusters:
                wrong.append(f"the cluster {sorted(cluster)} was not {name}")
    if wrong:
        return wrong
    for a in range(len(hosts)):
        for b in range(len(hosts)):
            if hosts[a] == hosts[b]:
                continue
            (latency, rate), (real_latency, real_rate) = found.path(a, b), wanted.path(a, b)
            if abs(2 * latency - 2 * real_latency) > max(0.25e-3, 0.1 * 2 * real_latency):
                wrong.append(f"{a} to {b}: {latency * 1e3:.3f} ms where it is {real_latency * 1e3:.3f}")
            if abs(rate - real_rate) > 0.15 * real_rate:
                wrong.append(f"{a} to {b}: {rate / 1e6:.1f} Mbit/s where it is {real_rate / 1e6:.1f}")
    return wrong

#!/usr/bin/env python3
"""Drawings of every command that has --svg, at 8, 64 and 1,024 ranks: well-formed, no text cut off by the edge, no text over other text.

usage: drawings.py ESPALIER [FOLDER]     with FOLDER the drawings stay there, to be looked at
"""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ESPALIER = sys.argv[1]
SVG = "{http://www.w3.org/2000/svg}"
MACHINES = {
    8: "site:2(30ms,100Mbit/s) proc:4(5us)",
    64: "site:2(30ms,100Mbit/s) node:4(100us,1Gbit/s) proc:8(5us)",
    1024: "site:4(20ms,1Gbit/s) rack:4(200us,10Gbit/s) node:8(20us,10Gbit/s) proc:8(1us)",
}
ADVANCE = 0.57  # mean width of letters over the size of the font: that of DejaVu Sans, a wide one


def commands(folder):
    """Name of the drawing, arguments without --svg."""
    for ranks, machine in MACHINES.items():
        hosts = pathlib.Path(folder, f"hosts{ranks}")
        count = max(2, ranks // 8)
        hosts.write_text("".join(f"node{h} slots={ranks // count}\n" for h in range(count + 2)))
        yield f"show{ranks}", ["show", machine]
        yield f"tree{ranks}", ["tree", "--algorithm", "binomial", "--machine", machine]
        yield f"compare{ranks}", ["compare", "--machine", machine, "--size", "64KiB"]
        yield f"plan{ranks}", ["plan", "broadcast", "--machine", machine, "--size", "64KiB"]
        yield f"plan-gather{ranks}", ["plan", "gather", "--machine", machine, "--size", "1KiB"]
        yield f"simulate{ranks}", ["simulate", "allreduce", "--machine", machine, "--size", "64KiB"]
        yield f"place{ranks}", ["place", "--profile", "lu.S", "--processes", str(ranks), "--inventory", str(hosts)]
        yield f"profile{ranks}", ["profile", "show", "lu.S", "--processes", str(ranks)]
        yield f"group{ranks}", ["group", "simulate", "--processes", str(ranks)]
    long = pathlib.Path(folder, "long-hosts")  # of one domain, and of none in common
    long.write_text("".join(f"compute-rack17-chassis3-slot{h}.cluster.department.example.com slots=4\n" for h in range(9)))
    yield "place-domain", ["place", "--profile", "lu.S", "--processes", "32", "--inventory", str(long)]
    other = pathlib.Path(folder, "other-hosts-" + "of-a-long-name-" * 8)
    other.write_text("".join(f"h{h}-{'long-' * 12}{h}.example{h}.com slots=4\n" for h in range(9)))
    profile = pathlib.Path(folder, "profile-of-a-long-name-" * 6)
    profile.write_text("".join(f"{r} {(r + 1) % 32} 100\n" for r in range(32)))
    yield "place-long", ["place", "--profile", str(profile), "--inventory", str(other)]
    history = pathlib.Path(folder, "history.db")
    for i in range(4):  # fresh ones, all within a second
        subprocess.run([ESPALIER, "weather", "record", "--history", str(history), "--sample", f"siteA,siteB,{10 + i}ms,9Mbit/s", "--sample",
                        f"siteA,siteC,{30 - i}ms"], capture_output=True, check=True)
    yield "weather", ["weather", "show", "--history", str(history)]


def texts(root):
    """Left, top, right, bottom and words of each text that stands upright, and how far its drawing reaches."""
    found = []

    def walk(element, dx, dy, edge):
        if element.tag == SVG + "svg":  # drawings in a drawing cut off what is outside of them
            dx, dy = dx + float(element.get("x", 0)), dy + float(element.get("y", 0))
            edge = (dx + float(element.get("width")), dy + float(element.get("height")))
        if element.tag == SVG + "text" and element.get("transform") is None:
            words = "".join(element.itertext())
            size = float(element.get("font-size"))
            width = ADVANCE * size * len(words)
            x = dx + float(element.get("x"))
            left = {"middle": x - width / 2, "end": x - width}.get(element.get("text-anchor"), x)
            y = dy + float(element.get("y"))
            found.append((left, y - 0.7 * size, left + width, y, words, edge))
        for inner in element:
            walk(inner, dx, dy, edge)

    walk(root, 0, 0, None)
    return found


def faults(svg):
    root = ET.fromstring(svg)
    wrong = ["NaN"] if "nan" in svg.lower().replace("nanosecond", "") else []
    found = texts(root)
    for left, top, right, bottom, words, edge in found:
        if left < -1 or top < -1 or right > edge[0] + 1 or bottom > edge[1] + 1:
            wrong.append(f'"{words}" is cut off: {left:.0f} to {right:.0f} of {edge[0]:.0f}')
    found.sort()
    for i, one in enumerate(found):
        for other in found[i + 1:]:
            if other[0] >= one[2]:
                break
            if one[1] < other[3] - 1 and other[1] < one[3] - 1 and other[0] < one[2] - 1:
                wrong.append(f'"{one[4]}" stands over "{other[4]}"')
    return wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(folder)
        wrong = []
        for name, arguments in commands(folder):
            file = kept / f"{name}.svg"
            ran = subprocess.run([ESPALIER, "--quiet", *arguments, "--svg", str(file)], capture_output=True, text=True, check=False)
            assert ran.returncode == 0, f"{name}: {ran.stderr}"
            assert ran.stdout.strip(), f"{name}: the drawing silences the text"
            wrong += [f"{name}: {what}" for what in faults(file.read_text())]
        assert not wrong, "\n".join(wrong)


main()

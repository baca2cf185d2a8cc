#!/usr/bin/env python3
"""One unmodified MPI program on a grid of two sites and three machines, without Espalier and with it.

    demo_grid.py BUILD OUT

Where root and TUN are there: a real MPI in a lab, 12 ranks. Else under SimGrid's SMPI: 48 simulated ranks. Prints a
table and bars, and draws them to OUT/grid.svg. Exits with 1 if a result was wrong or nothing could be run.
"""
import os
import pathlib
import subprocess
import sys
import xml.sax.saxutils

GRID = "site:2(30ms,100Mbit/s,name=wan) machine:1|2(500us,1Gbit/s,name=lan) proc:{}(5us,10Gbit/s)"
SOURCE = pathlib.Path(__file__).resolve().parent.parent


def parse(text):
    """{(name, bytes): milliseconds}, and refuses wrong results."""
    times = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3:
            times[words[0], int(words[1])] = float(words[2])
        elif words[:1] == ["wrong"] and words[1] != "0":
            sys.exit(f"demo: {words[1]} results were wrong")
    if not times:
        sys.exit(f"demo: the program printed nothing to compare:\n{text}")
    return times


def checked(command, **more):
    ran = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if ran.returncode != 0:
        sys.exit(f"demo: {' '.join(map(str, command))} gave {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


MPIS = {"mpich": "MPICH", "openmpi": "Open MPI"}


def in_lab(build):
    """None where no lab can be up, or no MPI was built for."""
    mpi = next((name for name in MPIS if (build / "examples" / f"steps.{name}").exists()), None)
    if mpi is None:
        print("(no lab here: no MPI was found when this was built)")
        return None
    espalier = build / "bin" / "espalier"
    state = f"/run/espalier-demo.{os.getpid()}"
    lab = lambda action, *rest: [espalier, "lab", action, "--state", state, *rest]
    up = subprocess.run(lab("up", GRID.format(4)), capture_output=True, text=True, check=False)
    if up.returncode != 0:
        print(f"(no lab here: {up.stderr.strip().splitlines()[0]})")
        return None
    try:
        program = str(build / "examples" / f"steps.{mpi}")
        library = str(build / "lib" / "libespalier.so")
        print(f"$ espalier lab run -- steps.{mpi}\n$ espalier lab run --preload libespalier.so -- steps.{mpi}")
        without = parse(checked(lab("run", "--", program)))
        return f"real {MPIS[mpi]} in a lab, 12 ranks", without, parse(checked(lab("run", "--preload", library, "--", program)))
    finally:
        subprocess.run(lab("down"), stdout=subprocess.DEVNULL, check=False)


def simulated(build):
    print("Building the program for SimGrid's SMPI (a minute) ...", flush=True)
    checked(["cmake", "--build", build, "--target", "demo-smpi"])
    if not (build / "smpi" / "steps.smpi").exists():
        sys.exit("demo: no lab, and SimGrid was not found when this was built: nothing to run the program on\n"
                 "  hint: run as root, or install SimGrid (Debian: libsimgrid-dev) and run `make demo` again")
    launch = [sys.executable, SOURCE / "tests" / "smpi" / "launch.py", build / "bin" / "write_platform", GRID.format(16)]
    program = ["--", build / "smpi" / "steps.smpi"]
    print("$ ESPALIER_DISABLE=1 smpirun ... steps.smpi   # linked in: SMPI preloads nothing\n$ smpirun ... steps.smpi")
    return ("SimGrid's SMPI, 48 simulated ranks", parse(checked(launch + ["ESPALIER_DISABLE=1"] + program)),
            parse(checked(launch + program)))


def label(call):
    name, size = call
    return name if size == 0 else f"{name} {size // 1024} KiB" if size >= 1024 else f"{name} {size} B"


def table(without, with_it):
    yield f"{'':<18}{'without, ms':>12}{'with, ms':>10}{'times as fast':>15}"
    for call, before in without.items():
        yield f"{label(call):<18}{before:>12.2f}{with_it[call]:>10.2f}{before / with_it[call]:>15.2f}"


def bars(without, with_it, width=60):
    longest = max([*without.values(), *with_it.values()])
    for call in without:
        for title, times, mark in (("without", without, "░"), ("with", with_it, "█")):
            length = max(1, round(width * times[call] / longest))
            yield f"{label(call) if mark == '░' else '':<18}{title:<8}{mark * length} {times[call]:.1f}"


def svg(title, without, with_it):
    rows, left, width = len(without), 150, 480
    longest = max([*without.values(), *with_it.values()])
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{70 + 44 * rows}" font-family="sans-serif" '
             f'font-size="12"><rect width="100%" height="100%" fill="white"/>',
             f'<text x="16" y="24" font-size="15">{xml.sax.saxutils.escape(title)}</text>',
             '<text x="16" y="44" fill="#888">grey: without Espalier; green: with it; milliseconds</text>']
    for row, call in enumerate(without):
        y = 62 + 44 * row
        parts.append(f'<text x="{left - 8}" y="{y + 20}" text-anchor="end">{label(call)}</text>')
        for at, times, colour in ((0, without, "#bbbbbb"), (16, with_it, "#3a7d44")):
            length = max(1.0, width * times[call] / longest)
            parts.append(f'<rect x="{left}" y="{y + at}" width="{length:.1f}" height="13" fill="{colour}"/>'
                         f'<text x="{left + length + 6:.1f}" y="{y + at + 11}">{times[call]:.1f}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    where, without, with_it = in_lab(build) or simulated(build)
    print(f"\n{where}; two sites 30 ms and 100 Mbit/s apart, three machines; each call with a barrier after it, means of 5\n")
    for times in (without, with_it):
        times["all of them", 0] = sum(times.values())
    print("\n".join(table(without, with_it)) + "\n")
    print("\n".join(bars(without, with_it)))
    out.mkdir(exist_ok=True)
    (out / "grid.svg").write_text(svg(f"The same program without and with Espalier: {where}", without, with_it))
    return 0


if __name__ == "__main__":
    sys.exit(main())

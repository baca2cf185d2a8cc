#!/usr/bin/env python3
"""The picture of docs/architecture.md, drawn from the tables of check_includes.py: it cannot fall behind them.

    draw_rooms.py [--check]       writes docs/pictures/rooms.svg, or fails if that is another

A wing is a band with its rooms; it stands below all wings that it includes. Arrows lead from a wing to one that it includes.
Arrows that others imply are left out: where c includes b and a, and b includes a, there is none from c to a.
"""
import pathlib
import sys

from check_includes import MAY_INCLUDE, MPI_ROOMS, WING_OF, WINGS

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PICTURE = SOURCE / "docs" / "pictures" / "rooms.svg"
BOX, HIGH, GAP, NAME, MARGIN, LANE = 92, 26, 10, 330, 20, 22
ROOMS_A_ROW = 6
BAND, SPACE = 16, 22  # above and below the rooms of a band; between bands
PLAIN, MPI = ("#eaf3ea", "#3a7d44"), ("#e8eef8", "#34568b")
PURPOSES = {
    "base": "units, errors, files, exact sums",
    "plan": "machines, trees, plans: built, proven, timed, chosen",
    "find": "the machine, from few probes",
    "place": "which process on which node",
    "groups": "system-ranked process groups",
    "run": "plans under unmodified MPI programs",
    "study": "experiments: papers, lab, league",
    "tool": "what people call: espalier, the C++ interface",
}


def included_wings():
    """{wing: wings that its rooms include}, itself left out."""
    return {wing: {WING_OF[other] for room in rooms for other in MAY_INCLUDE[room]} - {wing} for wing, rooms in WINGS.items()}


def arrows(table):
    reach = {}
    for wing in table:  # wings stand behind those that they include
        reach[wing] = set().union(table[wing], *(reach[other] for other in table[wing]))
    for wing in table:
        implied = set().union(*(reach[other] for other in table[wing]))
        yield from ((wing, other) for other in table if other in table[wing] - implied)


def rows_of(rooms):
    return [rooms[at:at + ROOMS_A_ROW] for at in range(0, len(rooms), ROOMS_A_ROW)]


def lanes(drawn, order):
    """A lane at the side for each arrow over more than one band, so that none cross a band: [(wing, other, lane)]."""
    taken = []  # (first band, last band, lane)
    for wing, other in drawn:
        low, high = order.index(other), order.index(wing)
        if high - low == 1:
            yield wing, other, None
            continue
        lane = next(n for n in range(len(order)) if all(n != l or high <= a or low >= b for a, b, l in taken))
        taken.append((low, high, lane))
        yield wing, other, lane


def box(room, x, y):
    fill, line = MPI if room in MPI_ROOMS else PLAIN
    return (f'<rect x="{x}" y="{y}" width="{BOX}" height="{HIGH}" rx="5" fill="{fill}" stroke="{line}"/>'
            f'<text x="{x + BOX / 2:.0f}" y="{y + 17}" text-anchor="middle">{room}</text>')


def svg():
    order = list(WINGS)
    drawn = list(lanes(list(arrows(included_wings())), order))
    side = LANE * (2 + max((lane for _, _, lane in drawn if lane is not None), default=-1))
    wide = NAME + ROOMS_A_ROW * (BOX + GAP) + GAP
    top, bottom, y, bands = {}, {}, 52, []
    for wing, rooms in WINGS.items():
        rows = rows_of(rooms)
        high = 2 * BAND + len(rows) * HIGH + (len(rows) - 1) * GAP
        top[wing], bottom[wing] = y, y + high
        bands.append(f'<rect x="{MARGIN}" y="{y}" width="{wide}" height="{high}" rx="8" fill="#fafafa" stroke="#bbb"/>'
                     f'<text x="{MARGIN + 14}" y="{y + high // 2 - 3}" font-weight="bold" font-size="15">{wing}</text>'
                     f'<text x="{MARGIN + 14}" y="{y + high // 2 + 15}" fill="#555" font-size="12">{PURPOSES[wing]}</text>')
        for row, names in enumerate(rows):
            bands += [box(room, MARGIN + NAME + GAP + at * (BOX + GAP), y + BAND + row * (HIGH + GAP))
                      for at, room in enumerate(names)]
        y += high + SPACE
    lines = []
    for wing, other, lane in drawn:
        if lane is None:
            path = f"M{MARGIN + wide // 2} {top[wing]} L{MARGIN + wide // 2} {bottom[other] + 2}"
        else:
            right, at = MARGIN + wide, MARGIN + wide + LANE * (lane + 1)
            start, end = top[wing] + 14, bottom[other] - 14
            path = f"M{right} {start} L{at - 6} {start} Q{at} {start} {at} {start - 6} L{at} {end + 6} Q{at} {end} {at - 6} {end} L{right + 2} {end}"
        lines.append(f'<path d="{path}" fill="none" stroke="#777" marker-end="url(#tip)"/>')
    legend = ((MARGIN, PLAIN, "a room, without MPI"), (MARGIN + 190, MPI, "includes mpi.h: compiled once for each MPI"))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide + 2 * MARGIN + side} {y}" width="{wide + 2 * MARGIN + side}" '
        'font-family="sans-serif" font-size="13">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#777"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>',
        *(f'<rect x="{x}" y="18" width="18" height="14" rx="3" fill="{fill}" stroke="{line}"/>'
          f'<text x="{x + 26}" y="30" fill="#444">{words}</text>' for x, (fill, line), words in legend),
        *bands, *lines, "</svg>", ""])


def main():
    drawn = svg()
    if "--check" not in sys.argv:
        PICTURE.write_text(drawn)
    elif not PICTURE.exists() or PICTURE.read_text() != drawn:
        print(f"{PICTURE}: error: not what scripts/check_includes.py says; run scripts/draw_rooms.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

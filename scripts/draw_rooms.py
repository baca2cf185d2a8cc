#!/usr/bin/env python3
"""The picture of docs/architecture.md, drawn from the table of check_includes.py: it cannot fall behind it.

    draw_rooms.py [--check]       writes docs/pictures/rooms.svg, or fails if that is another

A room stands below all rooms that it includes. Only arrows that others do not imply are drawn: where c includes b and a,
and b includes a, the arrow from c to a is left out.
"""
import pathlib
import sys

from check_includes import MAY_INCLUDE, MPI_ROOMS

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PICTURE = SOURCE / "docs" / "pictures" / "rooms.svg"
BOX, HIGH, GAP, WAY, ROW, HEAD, MARGIN = 92, 26, 14, 16, 74, 50, 20
LAST = "cli"
COLOURS = {"planning": ("#eaf3ea", "#3a7d44"), "mpi": ("#e8eef8", "#34568b"), "tool": ("#f7f0e4", "#9a6b1f")}
TOOL = {"report", "measure", "reproduce", "launch", "doctor", "lab", "league", LAST}
LEGEND = (("planning", "plans, without MPI"), ("mpi", "includes mpi.h: once for each MPI"), ("tool", "the tool and its reports"))


def kind(room):
    return "mpi" if room in MPI_ROOMS else "tool" if room in TOOL else "planning"


def above(table):
    """{room: all rooms it includes, directly or through others}."""
    found = {}
    for room in table:  # rooms stand behind those that they include
        found[room] = set().union(*(found[other] | {other} for other in table[room])) if table[room] else set()
    return found


def arrows(table):
    reach = above(table)
    for room in table:
        implied = set().union(*(reach[other] for other in table[room])) if table[room] else set()
        for other in sorted(table[room] - implied):
            yield room, other


def rows_of(table):
    depth = {}
    for room in table:
        depth[room] = 1 + max((depth[other] for other in table[room]), default=-1)
    rows = [[] for _ in range(1 + max(depth.values()))]
    for room in table:
        rows[depth[room]].append(room)
    return rows


def with_ways(rows, drawn):
    """Rows in which an arrow over several rows has a place of its own in each, so that it passes no room; and its places."""
    depth = {room: at for at, row in enumerate(rows) for room in row}
    rows = [list(row) for row in rows]
    ways = []
    for room, other in drawn:
        between = [(room, other, at) for at in range(depth[room] - 1, depth[other], -1)]
        for place in between:
            rows[place[2]].append(place)
        ways.append([room, *between, other])
    return rows, ways


def breadth(item):
    return BOX + GAP if isinstance(item, str) else WAY


def arranged(rows, ways):
    """Each row ordered by where its neighbours stand, many times down and up; then x of every place."""
    width = max(sum(map(breadth, row)) for row in rows)
    near = {item: [] for row in rows for item in row}
    for way in ways:
        for one, next_one in zip(way, way[1:]):
            near[one].append(next_one)
            near[next_one].append(one)
    place = {}

    def spread(row):
        free = (width - sum(map(breadth, row))) / (len(row) + 1)
        at = free
        for item in row:
            place[item] = at + breadth(item) / 2
            at += breadth(item) + free

    for row in rows:
        spread(row)
    for turn in range(40):
        for row in rows if turn % 2 == 0 else rows[::-1]:
            row.sort(key=lambda item: (sum(place[n] for n in near[item]) / max(1, len(near[item])), str(item)))
            spread(row)
    return place, width


def box(room, x, y):
    fill, line = COLOURS[kind(room)]
    return (f'<rect x="{x - BOX / 2:.0f}" y="{y:.0f}" width="{BOX}" height="{HIGH}" rx="5" fill="{fill}" stroke="{line}"/>'
            f'<text x="{x:.0f}" y="{y + 17:.0f}" text-anchor="middle">{room}</text>')


def curve(points, colour):
    """From the lower end up: bent between rows, straight past a row."""
    path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        bend = (y1 - y2) / 2
        path += f" C{x1:.0f} {y1 - bend:.0f} {x2:.0f} {y2 + bend:.0f} {x2:.0f} {y2:.0f}"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-opacity="0.65" marker-end="url(#tip)"/>'


def points_of(way, place, top):
    """Where an arrow goes: out of its room, past the rows between, into the other."""
    room, *between, other = way
    points = [(MARGIN + place[room], top(room))]
    for item in between:
        points += [(MARGIN + place[item], HEAD + item[2] * ROW + HIGH), (MARGIN + place[item], HEAD + item[2] * ROW)]
    return points + [(MARGIN + place[other], top(other) + HIGH + 2)]


def svg(table):
    # The tool may include whatever plans and reports: arrows from it would say nothing and hide the others.
    shown = {room: others for room, others in table.items() if room != LAST}
    rows = rows_of(shown)
    depth = {room: at for at, row in enumerate(rows) for room in row}
    rows, ways = with_ways(rows, list(arrows(shown)))
    place, width = arranged(rows, ways)
    top = lambda room: HEAD + depth[room] * ROW
    wide, high = width + 2 * MARGIN, HEAD + len(rows) * ROW + HIGH
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" '
             f'font-family="sans-serif" font-size="13">',
             '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
             '<path d="M0 0 L8 4 L0 8 z" fill="#777"/></marker></defs>',
             '<rect width="100%" height="100%" fill="white"/>']
    x = MARGIN
    for name, words in LEGEND:
        fill, line = COLOURS[name]
        parts.append(f'<rect x="{x}" y="14" width="18" height="14" rx="3" fill="{fill}" stroke="{line}"/>'
                     f'<text x="{x + 26}" y="26" fill="#444">{words}</text>')
        x += 50 + 7 * len(words)
    for way in ways:
        parts.append(curve(points_of(way, place, top), COLOURS[kind(way[0])][1]))
    parts += [box(room, MARGIN + place[room], top(room)) for room in shown]
    fill, line = COLOURS[kind(LAST)]
    without = ", ".join(room for room in table if room not in table[LAST] and room != LAST)
    parts.append(f'<rect x="{MARGIN}" y="{high - 2 * HIGH:.0f}" width="{width:.0f}" height="{HIGH}" rx="5" fill="{fill}" '
                 f'stroke="{line}"/><text x="{wide / 2:.0f}" y="{high - 2 * HIGH + 17:.0f}" text-anchor="middle">'
                 f'{LAST}: may include all but {without}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    drawn = svg(MAY_INCLUDE)
    if "--check" not in sys.argv:
        PICTURE.write_text(drawn)
    elif not PICTURE.exists() or PICTURE.read_text() != drawn:
        print(f"{PICTURE}: error: not what scripts/check_includes.py says; run scripts/draw_rooms.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

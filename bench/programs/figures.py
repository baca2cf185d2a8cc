"""Medians, ratios with intervals, the table and the bars."""
import html
import random
import statistics


def ratio(ours, native, rounds=2000):
    """Median of ours by median of native, and the interval that holds 95 % of what resampled runs give. The seed is fixed."""
    rng = random.Random(1)
    middle = statistics.median(ours) / statistics.median(native)
    if len(ours) < 3 or len(native) < 3:
        return middle, 0.0, float("inf")
    drawn = sorted(statistics.median(rng.choices(ours, k=len(ours))) / statistics.median(rng.choices(native, k=len(native)))
                   for _ in range(rounds))
    return middle, drawn[int(0.025 * rounds)], drawn[int(0.975 * rounds)]


def is_loss(figures, allowed):
    """Slower by more than what is allowed, beyond its interval."""
    return figures[1] > 1 + allowed


def table(rows, stacks):
    """Lines of text. A ratio above 1 is slower than native."""
    others = [stack for stack in stacks if stack != "native"]
    head = f"{'program':18}{'MPI':9}{'ranks':>5}{'native s':>10}" + "".join(f"{stack:>20}" for stack in others)
    yield head + f"{'in collectives':>17}{'limit':>8}{'reached':>9}"
    for row in rows:
        line = f"{row['program']:18}{row['mpi']:9}{row['ranks']:5}{row['seconds']['native']:10.2f}"
        for stack in others:
            figures = row["ratios"].get(stack)
            line += f"{'-':>20}" if not figures else f"{figures[0]:8.2f} ({figures[1]:.2f}-{figures[2]:.2f})".rjust(20)
        share = row.get("share")
        line += "".rjust(17) if not share else f"{100 * share[0]:.0f} % > {100 * share[1]:.0f} %".rjust(17)
        if row.get("limit"):
            line += f"{row['limit']:8.2f}{100 * row['reached']:7.0f} %"
        elif row.get("no_limit"):
            line += f"{'none':>8}{'-':>9}"
        yield line


COLOURS = {"native": "#888888", "rules": "#c9a227", "cold": "#9cc5e0", "warm": "#3f88c5", "told": "#1b4965"}


def bars(rows, stacks):
    """SVG: seconds of each program, a bar for each stack, with the spread of its runs."""
    height, left, wide = 14, 190, 620
    most = max(max(row["seconds"].values()) for row in rows)
    parts, y = [], 40
    for row in rows:
        name = html.escape(f"{row['program']}, {row['mpi']}")
        parts.append(f'<text x="{left - 8}" y="{y + height * len(stacks) / 2 + 4}" text-anchor="end">{name}</text>')
        for stack in stacks:
            if stack not in row["seconds"]:
                continue
            seconds, runs = row["seconds"][stack], row["runs"][stack]
            scale = wide / most
            parts.append(f'<rect x="{left}" y="{y}" width="{seconds * scale:.1f}" height="{height - 2}" fill="{COLOURS[stack]}">'
                         f"<title>{name}: {stack} {seconds:.2f} s</title></rect>")
            parts.append(f'<path d="M{left + min(runs) * scale:.1f} {y + height / 2 - 1}H{left + max(runs) * scale:.1f}" stroke="black"/>')
            parts.append(f'<text x="{left + max(max(runs), seconds) * scale + 4:.1f}" y="{y + height - 4}" font-size="10">{seconds:.2f}</text>')
            y += height
        y += 10
    legend = "".join(f'<rect x="{left + 90 * i}" y="12" width="12" height="12" fill="{COLOURS[stack]}"/>'
                     f'<text x="{left + 90 * i + 16}" y="22">{stack}</text>' for i, stack in enumerate(stacks))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 60}" height="{y + 10}" font-family="sans-serif" font-size="12">'
            f'<rect width="100%" height="100%" fill="white"/><text x="8" y="22">seconds</text>{legend}{"".join(parts)}</svg>\n')

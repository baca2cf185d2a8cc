#!/usr/bin/env python3
"""docs/reference/cli.md, from the tool's own help: it cannot fall behind it.

    make_reference.py ESPALIER [--check]       writes it, or fails if it is another
"""
import pathlib
import re
import sys

from make_pages import help_of, options_of, sections_of

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
EVERYWHERE = {"-h", "--help", "--color", "--width"}
HEAD = """# The tool's commands

Made from `espalier COMMAND --help` by `scripts/make_reference.py`; do not edit. `espalier COMMAND --help` and `man espalier-COMMAND`
say the same.
"""


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def paragraphs(lines):
    """Filled ones as prose; lists and tables as they are, since their columns mean something."""
    for paragraph in "\n".join(lines).strip("\n").split("\n\n"):
        rows = paragraph.split("\n")
        if any(re.match(r"\s|\S+ {2,}\S|[A-Z]+:[A-Z]+\(", row) for row in rows):
            yield "```text\n" + paragraph + "\n```"
        else:
            yield cell(" ".join(rows)).replace("\\|", "|")


def synopsis(lines):
    calls = []
    for line in lines:
        if line.startswith(" "):
            calls[-1] += " " + line.strip()
        elif line:
            calls.append(line)
    return "\n".join(f"- `{call}`" for call in calls)


def options(sections):
    shown = [o for o in options_of(sections) if not EVERYWHERE & set(o.flags)]
    if not shown:
        return ""
    rows = ["| option | |", "|---|---|"]
    for option in shown:
        words = " ".join(filter(None, [option.action, ", ".join(option.flags), option.value]))
        rows.append(f"| `{cell(words)}` | {cell(option.help)} |")
    return "\n".join(rows)


def anchor(title):
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def section(title, lines, sections):
    if title == "SYNOPSIS":
        return synopsis(lines)
    if title == "OPTIONS":
        return options(sections)
    if title == "DESCRIPTION":
        return "\n\n".join(paragraphs(lines))
    if title == "EXAMPLES":
        return "**Examples**\n\n" + "\n".join(f"- `{line}`" for line in lines if line)
    return f"**{title.capitalize()}**\n\n" + "\n\n".join(paragraphs(lines))


def command(name, tagline, sections, shared):
    parts = [f"## espalier {name}", tagline[0].upper() + tagline[1:] + "."]
    common = []
    for title, lines in sections:
        if title == "NAME":
            continue
        if title in shared:
            common.append(f"[{title.capitalize()}](#{anchor(title)})")
        else:
            parts.append(section(title, lines, sections))
    if common:
        parts.append("Further: " + ", ".join(common) + ".")
    return "\n\n".join(filter(None, parts))


def page(tool):
    whole = sections_of(help_of(tool))
    names = []
    for line in dict(whole)["COMMANDS"]:
        if not line:
            break
        names.append(tuple(line.split(maxsplit=1)))
    known = {name: sections_of(help_of(tool, [name])) for name, _ in names}
    texts = {}
    for sections in known.values():
        for title, lines in sections:
            texts.setdefault(title, []).append("\n".join(lines).strip())
    shared = {t: found[0] for t, found in texts.items() if len(found) > 1 and len(set(found)) == 1 and t != "OPTIONS"}
    parts = [HEAD.strip(), "| command | |\n|---|---|\n" + "\n".join(
        f"| [`{name}`](#espalier-{name}) | {cell(tagline)} |" for name, tagline in names)]
    everywhere = [o for o in options_of(next(iter(known.values()))) if EVERYWHERE & set(o.flags)]
    parts.append("All of them take " + "; ".join(
        f"`{' '.join([', '.join(o.flags), o.value]).strip()}` ({o.help.rstrip('.')})" for o in everywhere) + ".")
    parts += [command(name, tagline, known[name], shared) for name, tagline in names]
    parts += [f"## {title.capitalize()}\n\n" + "\n\n".join(paragraphs(text.split("\n"))) for title, text in shared.items()]
    return "\n\n".join(parts) + "\n"


def main():
    made = page(sys.argv[1])
    if "--check" not in sys.argv:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(made)
    elif not PAGE.exists() or PAGE.read_text() != made:
        print(f"{PAGE}: error: not what the tool's --help says; run scripts/make_reference.py ESPALIER", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

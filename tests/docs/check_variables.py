#!/usr/bin/env python3
"""docs/reference/variables.md names every ESPALIER_* variable that the sources read or set, and no other.

usage: check_variables.py SOURCE
"""
import pathlib
import re
import sys

# As text in the program: "ESPALIER_LOG" and "ESPALIER_TRIAL=0", not names of macros.
IN_SOURCES = re.compile(r'"(ESPALIER_[A-Z][A-Z_]*[A-Z])[="]')
IN_PAGE = re.compile(r"^\| `(ESPALIER_[A-Z_]+)` \|", re.M)


def in_sources(source):
    found = {}
    for path in sorted((source / "src").rglob("*")):
        if path.suffix in {".cpp", ".hpp", ".c", ".h"} and not path.name.endswith("_test.cpp"):
            for name in IN_SOURCES.findall(path.read_text()):
                found.setdefault(name, path.relative_to(source))
    return found


def complaints(read, named):
    for name in sorted(set(read) - named):
        yield f"{read[name]}: error: {name} is not in docs/reference/variables.md"
    for name in sorted(named - set(read)):
        yield f"docs/reference/variables.md: error: {name} is read nowhere in src"


def main():
    source = pathlib.Path(sys.argv[1])
    named = set(IN_PAGE.findall((source / "docs" / "reference" / "variables.md").read_text()))
    wrong = list(complaints(in_sources(source), named))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong or not named else 0


if __name__ == "__main__":
    sys.exit(main())

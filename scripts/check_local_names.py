#!/usr/bin/env python3
"""Checks that no two sources of one room use the same name for something local to the file.

    check_local_names.py [REPOSITORY]

Sources of a room are compiled together (cmake/Room.cmake), so their unnamed namespaces become one. Two
definitions of one name would clash; worse, two functions of one name would overload each other in silence.
So a name in an unnamed namespace belongs to one source of the room. Tests are compiled together too, apart from
the sources. The sources are formatted: what stands in the first column of an unnamed namespace is a declaration.
"""
import collections
import pathlib
import re
import sys

NAMED = re.compile(r"^namespace ([\w:]+) \{")
OPENING = re.compile(r"^namespace \{")
CLOSING = re.compile(r"^\}  // namespace$")
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class|enum class|enum|union)\s+(?:alignas\(\w+\) )?(?:\[\[\w+\]\] )?(\w+)")
ALIAS = re.compile(r"^using (\w+) =")
CALLABLE = re.compile(r"^(?!return\b|namespace\b|using\b|static_assert\b|TEST|INSTANTIATE|BENCHMARK)[\w\[][^=({]*?\b(operator\W+|\w+)\(")
VALUE = re.compile(r"^(?:const|constexpr|constinit|static|thread_local|inline|std::|volatile|bool|int|char|double|unsigned|[A-Z]\w+)[\w:<>,*& ()]*?\b(\w+)(?:\[\w*\])*(?: = | =$|\{|;$)")


def local_names(text):
    """Yields (line number, namespace::name, declaration) of what a source keeps to itself."""
    inside, namespace = False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if NAMED.match(line):
            namespace = NAMED.match(line).group(1)
        elif OPENING.match(line):
            inside = True
        elif CLOSING.match(line):
            inside = False
        elif inside and line and not line[0].isspace() and line[0] not in "}/#)":
            for pattern in (TYPE, ALIAS, CALLABLE, VALUE):
                found = pattern.match(line)
                if found:
                    name = found.group(1)
                    if not name.startswith("operator"):
                        yield number, f"{namespace}::{name}", line
                    break


def clashes(files):
    """Yields (name, [place, ...]) of names that more than one file has."""
    places = collections.defaultdict(dict)
    for path in sorted(files):
        for number, name, line in local_names(path.read_text(encoding="utf-8")):
            places[name].setdefault(path, (number, line))
    for name, where in sorted(places.items()):
        same_alias = len({line for _, line in where.values()}) == 1 and ALIAS.match(next(iter(where.values()))[1])
        if len(where) > 1 and not same_alias:  # an alias may be declared again, if it stands for the same
            yield name, [f"{path}:{number}" for path, (number, _) in where.items()]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    units = []
    for room in sorted(p for p in (root / "src").glob("*/*") if p.is_dir()):
        files = list(room.rglob("*.cpp"))
        units.append([p for p in files if not p.name.endswith("_test.cpp")])
        units.append([p for p in files if p.name.endswith("_test.cpp")])
    for folder in ("cli", "verified"):  # programs of tests/CMakeLists.txt that are units as well
        units.append(list((root / "tests" / folder).glob("*.cpp")))
    found = [clash for unit in units for clash in clashes(unit)]
    for name, places in found:
        print(f"error: {places[1]}: \"{name}\" is a local name of {places[0]} too", file=sys.stderr)
    if found:
        print("  hint: give one of them a name of its own, or share it in a header: the sources of a room are compiled together",
              file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

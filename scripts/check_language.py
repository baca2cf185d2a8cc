#!/usr/bin/env python3
"""Checks the language of comments, pages and type names (docs/glossary.md, CONTRIBUTING.md).

    check_language.py [REPOSITORY]           refuses, with file and line:
      - a trailing comment (`int a;  ///< ...`) of src/ or include/ that begins with a preposition or connective: it cannot
        be understood by itself
      - a sentence of more than 45 words in README.md or docs/**/*.md (code blocks, tables and generated pages left out)
      - a type of src/ with a name that the glossary replaced
      - a name in the glossary's column "in the code" that src/ and include/ do not have
    check_language.py [REPOSITORY] --counts  prints how many there are, and how large src/ is; refuses nothing
"""
import argparse
import collections
import pathlib
import re
import sys

# Question words (what, when, where, which, who, how) are not here: they begin a clause that can stand alone.
NEEDS_MORE_BEFORE_IT = frozenset("""
about above across after against along alongside also although amid among amongst and around as at because before behind
below beneath beside besides between beyond but by despite down during else except for from if in including inside into
like likewise near nor of off on once onto or otherwise out outside over past per since so than that then therefore though
through throughout thus till to toward towards under underneath unless unlike until unto up upon versus via whereas
while whilst whose with within without yet
""".split())
REPLACED_TYPES = {
    "Course": "ClassPolicy", "Wish": "WhichPlan", "Terrain": "CostView", "Choosing": "ChooserOptions",
    "Fixture": "LeagueTask", "Ground": "PlacedMachine",
}
GENERATED = {"docs/reference/cli.md"}  # from the tool's help, by scripts/make_reference.py
MOST_WORDS = 45
FEW_LINES = 40

SOURCES = {".cpp", ".hpp", ".c", ".h"}
TRAILING = re.compile(r"\S.*?///<[ \t]*(.*)$")
TYPE = re.compile(r"^\s*(?:template <.*> )?(?:struct|class|enum class|enum|union)\s+(?:alignas\([^)]*\) )?(?:\[\[\w+\]\] )?(\w+)"
                  r"(?: final)?(?: :(?!:)[^;]*)?(?: \{.*)?$")
USING = re.compile(r"^\s*using (\w+) =")
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
BEGINS_PARAGRAPH = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
# Ends of sentences: a mark, perhaps a closing bracket or emphasis, white space, and something that begins one.
END = re.compile(r"(?<=[.!?])[)\"*_]*\s+(?=[\"(*_\[]*[A-Z0-9`\[])")
ABBREVIATED = re.compile(r"(?:\b[A-Z]|\bal|\be\.g|\bi\.e|\bvs|\bcf|\bFig|\bNo)\.$")


def sources(root, folders=("src",)):
    return sorted(p for folder in folders for p in (root / folder).rglob("*") if p.suffix in SOURCES and p.is_file())


def trailing_comments(path):
    """Yields (line number, comment) of comments behind code; those on lines of their own go on from the line above."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = TRAILING.match(line.lstrip())
        if found and not line.lstrip().startswith("///"):
            yield number, found.group(1)


def stands_alone(comment):
    first = comment.split(None, 1)[0] if comment.strip() else ""
    return first.rstrip(",:;.").lower() not in NEEDS_MORE_BEFORE_IT


def paragraphs(text):
    """Yields (line number, text) of prose: no code, tables, headings or comments of HTML."""
    fence, start, gathered, in_list = None, 0, [], False

    def flush():
        nonlocal gathered
        if gathered:
            yield start, " ".join(gathered)
        gathered = []

    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if mark or fence:
            yield from flush()
            if mark and fence is None:
                fence = mark.group(1)
            elif mark and mark.group(1) == fence:
                fence = None
            continue
        stripped = line.strip()
        is_code = line.startswith("    ") and not gathered and not in_list
        if not stripped or is_code or stripped[0] in "|#" or stripped.startswith("<!--"):
            yield from flush()
            in_list = in_list and (not stripped or line.startswith(" "))
            continue
        if BEGINS_PARAGRAPH.match(line):
            yield from flush()
            in_list = True
        elif not line.startswith(" ") and not gathered:
            in_list = False
        if not gathered:
            start = number
        gathered.append(BEGINS_PARAGRAPH.sub("", line).strip())
    yield from flush()


def words_of(sentence):
    """How many: a link counts by its text, code as one word."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "code", sentence))
    return sum(1 for word in plain.split() if re.search(r"\w", word))


def sentences(paragraph):
    begun = ""
    for piece in END.split(paragraph):
        begun = f"{begun} {piece}".strip()
        if not ABBREVIATED.search(begun):
            yield begun
            begun = ""
    if begun:
        yield begun


def pages(root):
    found = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    return [p for p in found if p.exists() and p.relative_to(root).as_posix() not in GENERATED]


def long_sentences(root):
    for page in pages(root):
        for line, paragraph in paragraphs(page.read_text(encoding="utf-8")):
            for sentence in sentences(paragraph):
                if words_of(sentence) > MOST_WORDS:
                    yield page, line, sentence


def types_of(path):
    """Yields (line number, name) of types that are defined there; declarations end with a semicolon."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = TYPE.match(line)
        if found:
            yield number, found.group(1)


def replaced_types(root):
    for path in sources(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = TYPE.match(line) or USING.match(line)
            if found and found.group(1) in REPLACED_TYPES:
                yield path, number, found.group(1)


def glossary_names(root):
    """Yields (line number, name) of the code that the glossary names."""
    page = root / "docs" / "glossary.md"
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines() if page.exists() else [], 1):
        columns = line.split("|")
        if len(columns) == 6:
            for code in re.findall(r"`([^`]+)`", columns[3]):
                if "/" not in code:  # paths: tests/docs/check_pages.py
                    yield number, code


def unknown_names(root):
    text = "\n".join(p.read_text(encoding="utf-8") for p in sources(root, ("src", "include")))
    known = set(re.findall(r"\w+", text))
    for number, name in glossary_names(root):
        missing = [part for part in re.findall(r"\w+", name) if part not in known]
        if missing:
            yield number, name


def findings(root):
    for path in sources(root, ("src", "include")):
        for number, comment in trailing_comments(path):
            if not stands_alone(comment):
                yield path, number, f'the comment "{comment}" does not stand alone'
    for page, line, sentence in long_sentences(root):
        yield page, line, f'a sentence of {words_of(sentence)} words, more than {MOST_WORDS}: "{sentence[:60]}..."'
    for path, number, name in replaced_types(root):
        yield path, number, f'the type name "{name}" was replaced by {REPLACED_TYPES[name]} (docs/glossary.md)'
    for number, name in unknown_names(root):
        yield root / "docs" / "glossary.md", number, f'"{name}" is not in the sources'


def counts(root):
    comments = [c for path in sources(root, ("src", "include")) for _, c in trailing_comments(path)]
    defined = collections.defaultdict(set)
    for path in sources(root):
        for _, name in types_of(path):
            defined[name].add(path)
    lines = [len(p.read_text(encoding="utf-8").splitlines()) for p in sources(root)]
    return [
        ("trailing comments", len(comments)),
        ("trailing comments that do not stand alone", sum(not stands_alone(c) for c in comments)),
        (f"sentences above {MOST_WORDS} words", sum(1 for _ in long_sentences(root))),
        ("type names defined in more than one file of src", sum(len(files) > 1 for files in defined.values())),
        ("files of src", len(lines)),
        (f"files of src below {FEW_LINES} lines", sum(n < FEW_LINES for n in lines)),
        ("lines of src", sum(lines)),
    ]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("repository", nargs="?", default=".", type=pathlib.Path)
    arguments.add_argument("--counts", action="store_true", help="print how many there are")
    options = arguments.parse_args()
    if options.counts:
        for what, count in counts(options.repository):
            print(f"{count:>7}  {what}")
        return 0
    found = list(findings(options.repository))
    for path, line, what in found:
        print(f"{path}:{line}: error: {what}", file=sys.stderr)
    if found:
        print("  hint: docs/glossary.md has the words; say the subject first, one idea a sentence", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

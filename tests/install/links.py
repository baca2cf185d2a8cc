"""Relative links of installed documents: each leads to a file that is installed too, or into sources on a short list."""
import pathlib
import re

LINK = re.compile(r"\]\(([^)\s]+)\)")
# Into sources that nobody needs who only uses what is installed: the folder, and why a page links it.
SOURCES = {
    "src": "docs/explanation.md shows where the code of models and bounds stands",
    "tests/docs": "docs/README.md shows what runs the pages' commands",
}


def prose(text):
    """Numbered lines outside of code blocks."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def dead_links(root: pathlib.Path):
    """FILE:LINE: TARGET for each link of the Markdown below root that leads nowhere."""
    for document in sorted(root.rglob("*.md")):
        for number, line in prose(document.read_text()):
            for target in LINK.findall(line):
                file = target.partition("#")[0]
                if not file or re.match(r"[a-z]+:", target):
                    continue
                path = pathlib.Path(document.parent, file).resolve()
                is_source = any(path.is_relative_to(root.resolve() / folder) for folder in SOURCES)
                if not path.exists() and not is_source:
                    yield f"{document.relative_to(root)}:{number}: {target}"

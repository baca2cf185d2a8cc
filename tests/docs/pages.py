"""Documents as values: their fenced blocks, and what kind each is.

    ```console            commands after "$ " (lines after "> " go on), run; what they print is compared
    ```console varies     the same, but figures may differ: see compare.py
    ```console lab        as varies, where root and TUN permit a lab
    ```console openmpi4   as varies, where mpiexec.openmpi is of Open MPI 4
    ```console install    for a fresh machine: not run, but every word is checked (check_pages.py)
    ```console long       run by `ctest -C Long`; else its options are checked
    ```c hello.c          a file, for the commands behind it (any language)
    ```cpp                code, compiled within the file that <!-- around: FILE --> above it names (code_blocks.py)
    ```json               parsed; what the tool can read is given to it
    ```text               no command: drawings, grammars
"""
import dataclasses
import pathlib
import re

FENCE = re.compile(r"^( *)(`{3,})([^`]*)$")
AROUND = re.compile(r"^ *<!-- around: (\S+) -->$")
HOW = ("varies", "lab", "openmpi4", "install", "long")


@dataclasses.dataclass
class Block:
    line: int  # of its first fence
    last: int  # of its second one
    language: str
    words: list  # behind the language
    text: str
    around: str = ""

    @property
    def how(self):
        """Of a console block: "", or a word of HOW."""
        return self.words[0] if self.words else ""

    @property
    def file(self):
        return self.words[0] if self.words and self.language != "console" else ""


@dataclasses.dataclass
class Step:
    line: int
    command: str
    printed: list
    shown: int  # lines of the command itself


def blocks(text):
    found, open_block, indent, fence, around = [], None, "", "", ""
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if open_block is None and match:
            indent, fence, info = match.groups()
            words = info.split()
            open_block = Block(number, 0, words[0] if words else "", words[1:], "", around)
        elif open_block is not None and match and match.group(2) == fence and not match.group(3).strip():
            open_block.last = number
            found.append(open_block)
            open_block, around = None, ""
        elif open_block is not None:
            open_block.text += (line[len(indent):] if line.startswith(indent) else line) + "\n"
        else:
            match = AROUND.match(line)
            around = match.group(1) if match else around if not line.strip() else ""
    if open_block is not None:
        raise ValueError(f"line {open_block.line}: a block without an end")
    return found


def steps(block):
    found = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            found.append(Step(number, line[2:], [], 1))
        elif line.startswith("> ") and found and not found[-1].printed:
            found[-1].command += "\n" + line[2:]
            found[-1].shown += 1
        elif found:
            found[-1].printed.append(line)
        else:
            raise ValueError(f"line {number}: a console block begins with a command, \"$ ...\"")
    return found


def documents(source):
    """All pages that readers are meant to see."""
    source = pathlib.Path(source)
    found = [source / "README.md", source / "CONTRIBUTING.md"]
    found += sorted((source / "docs").rglob("*.md")) + sorted((source / "data").rglob("*.md"))
    return found


def prose(text):
    """[(line, text)] outside of blocks."""
    inside = set()
    for block in blocks(text):
        inside.update(range(block.line, block.last + 1))
    return [(n, line) for n, line in enumerate(text.splitlines(), 1) if n not in inside]

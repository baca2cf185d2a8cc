#!/usr/bin/env python3
"""No command of any document escapes the tests.

usage: check_pages.py ESPALIER SOURCE

- Every fenced block has a kind of tests/docs/pages.py; none holds commands that nobody runs.
- `espalier COMMAND --option` within a sentence names a command and options that there are; `make TARGET` a target.
- `install` blocks hold what a fresh machine needs and no more: packages of packages.debian, targets of the Makefile.
- Links lead somewhere, and files that are named (`src/...`) are there. ESPALIER_* that are named are in docs/reference/variables.md. Every page is in docs/README.md.
"""
import os
import pathlib
import re
import subprocess
import sys

import pages

LANGUAGES = {"console", "text", "json", "c", "cpp", "fortran", "python", "sh", "cmake"}
COMMAND = re.compile(r"^\s*(\$ |(sudo|espalier|mpiexec\S*|mpirun|srun|sbatch|make|apt|apt-get|git|python3|ctest|cmake|export) )")
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
VARIABLE = re.compile(r"\bESPALIER_[A-Z][A-Z_]*[A-Z]\b")
PATH = re.compile(r"(src|tests|docs|scripts|examples|include|data|bench|cmake|packaging)/[A-Za-z0-9_./-]+")
NOT_IN_PAGES = {"ESPALIER_SEED", "ESPALIER_CASES", "ESPALIER_SANITIZE", "ESPALIER_PORTABLE", "ESPALIER_WERROR",
                "ESPALIER_UPDATE_GOLDEN"}  # tests' and CMake's
FIRST_PACKAGES = {"git", "make"}  # what a clone needs before packages.debian is there


class Tool:
    """What `espalier --help` knows; asked once for each command."""

    def __init__(self, path):
        self.path, self.pages = path, {}

    def help(self, command=""):
        if command not in self.pages:
            words = [self.path] + ([command] if command else []) + ["--help"]
            ran = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ, COLUMNS="100"))
            self.pages[command] = ran.stdout if ran.returncode == 0 else ""
        return self.pages[command]

    def wrong(self, text):
        """Of "espalier plan reduce --size 1 -- ..."; "" if there is nothing to complain about."""
        words = text.split()[1:]
        if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z]+", words[0]):
            return ""
        if not self.help(words[0]):
            return f"there is no command \"espalier {words[0]}\""
        for word in words[1:]:
            if word == "--":
                break
            option = re.match(r"\[?(--[a-z][a-z-]*)", word)
            if option and not re.search(rf"(?<![a-z-]){option.group(1)}(?![a-z-])", self.help(words[0])):
                return f"espalier {words[0]} has no option {option.group(1)}"
        return ""


def wrong_install(command, source):
    """Of a command that only a fresh machine runs."""
    words = command.split("#")[0].replace("sudo ", "").split()
    targets = set(re.findall(r"^([a-z][a-z-]*):", (source / "Makefile").read_text(), re.M))
    listed = [line for line in (source / "packages.debian").read_text().splitlines() if line[:1] not in ("", "#", "[")]
    packages = FIRST_PACKAGES | {name.strip() for line in listed for name in line.split("|")}
    if words[:1] in (["apt"], ["apt-get"]):
        names = [w for w in words[2:] if not w.startswith("-")]
        wrong = [n for n in names if n not in packages]
        if words[1] not in ("install", "update") or wrong:
            return f"not in packages.debian: {wrong}" if wrong else f"apt {words[1]}?"
        return ""
    if words[:1] == ["make"]:
        wrong = [w for w in words[1:] if "=" not in w and not w.startswith("-") and w not in targets]
        return f"the Makefile has no target {wrong}" if wrong else ""
    if words[:2] == ["git", "clone"] or words[:1] == ["cd"]:
        return ""
    return "only apt, git clone, cd and make belong into an install block; all else can be run"


def wrong_block(block, tool, source):
    if block.language not in LANGUAGES:
        return f"a block of kind \"{block.language}\": say console, text or a language (tests/docs/pages.py)"
    if block.language == "console":
        if block.words and (len(block.words) > 1 or block.how not in pages.HOW):
            return f"console {' '.join(block.words)}: nobody runs that"
        if not pages.steps(block):
            return "a console block without a command"
        for step in pages.steps(block):
            wrong = wrong_install(step.command, source) if block.how == "install" else ""
            if step.command.startswith("espalier "):
                wrong = wrong or tool.wrong(step.command)
            if wrong:
                return f"$ {step.command}: {wrong}"
        return ""
    if block.language == "sh" and not block.file:
        return "shell commands that nobody runs: make it a console block, or a script with a file's name"
    if block.language == "text":
        hidden = [line for line in block.text.splitlines() if COMMAND.match(line)]
        return f"a command that nobody runs: {hidden[0].strip()}" if hidden else ""
    return ""


def wrong_files(blocks):
    """Files that no later command names."""
    for at, block in enumerate(blocks):
        if block.file and not any(pathlib.Path(block.file).stem in later.text
                                  for later in blocks[at + 1:] if later.language == "console"):
            yield block.line, f"no command behind it uses {block.file}"


def wrong_prose(line, tool, targets, variables):
    for code in INLINE.findall(line):
        if code.startswith("espalier ") and tool.wrong(code):
            yield f"`{code}`: {tool.wrong(code)}"
        if re.match(r"make [a-z]", code) and code.split()[1] not in targets:
            yield f"`{code}`: the Makefile has no such target"
    for name in VARIABLE.findall(line):
        if name not in variables | NOT_IN_PAGES:
            yield f"{name} is not in docs/reference/variables.md"


def wrong_links(document, text, source=pathlib.Path(".")):
    for number, line in pages.prose(text):
        for code in INLINE.findall(line):
            placeholder = re.search(r"(^|_)x$|^its_name$", pathlib.Path(code).stem)
            if PATH.fullmatch(code) and not placeholder and not (source / code).exists() and not any((source / code).parent.glob(
                    pathlib.Path(code).name + ".*")):
                yield number, f"{code} is not there"
        for target, _ in LINK.findall(line):
            if "://" not in target and not (document.parent / target).exists():
                yield number, f"a link to {target}, which is not there"


def findings(tool, source):
    targets = set(re.findall(r"^([a-z][a-z-]*):", (source / "Makefile").read_text(), re.M)) | {"check"}
    reference = source / "docs" / "reference" / "variables.md"
    variables = set(VARIABLE.findall(reference.read_text())) if reference.exists() else set()
    index = (source / "docs" / "README.md").read_text()
    for document in pages.documents(source):
        text = document.read_text()
        try:
            blocks = pages.blocks(text)
            for block in blocks:
                wrong = wrong_block(block, tool, source)
                if wrong:
                    yield document, block.line, wrong
        except ValueError as error:
            yield document, 1, str(error)
            continue
        for line, wrong in [*wrong_files(blocks), *wrong_links(document, text, source)]:
            yield document, line, wrong
        for number, line in pages.prose(text):
            if line.startswith("    ") and COMMAND.match(line) and line.strip().startswith(("$ ", "espalier ")):
                yield document, number, "an indented command, which nobody runs"
            for wrong in wrong_prose(line, tool, targets, variables):
                yield document, number, wrong
        inside = document.relative_to(source)
        if inside.parts[0] == "docs" and "adr" not in inside.parts and document.name != "README.md":
            if f"]({document.relative_to(source / 'docs')})" not in index:
                yield document, 1, "docs/README.md has no link to it"


def main():
    tool, source = Tool(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    count = 0
    for document, line, what in findings(tool, source):
        print(f"{document}:{line}: error: {what}", file=sys.stderr)
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

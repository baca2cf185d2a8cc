#!/usr/bin/env python3
"""Runs the ```console blocks of a document and compares what they print.

A line that begins with "$ " is a command; the lines after it are what it prints. A line of "..." stands
for any number of lines. Commands run one after the other in one empty folder, with the repository's
`data` and `build` linked into it, through bash. A block that follows the comment
<!-- not run: reason --> is left alone.

usage: run_console.py DOCUMENT BIN_DIR SOURCE_DIR [--update]
--update writes what the commands print into the document instead of comparing.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(<!-- not run:[^>]*-->\s*)?```console\n(.*?)```", re.S)


def steps(document: str):
    for skipped, block in BLOCK.findall(document):
        if skipped:
            continue
        command, printed = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command is not None:
                    yield command, printed
                command, printed = line[2:], []
            elif command is not None:
                printed.append(line)
        if command is not None:
            yield command, printed


def updated(document: str, printed_by) -> str:
    """The document with every command followed by what printed_by(command) gives."""

    def block(match):
        if match.group(1):
            return match.group(0)
        commands = [line for line in match.group(2).splitlines() if line.startswith("$ ")]
        body = "".join(f"{c}\n" + "".join(f"{line.rstrip()}\n" for line in printed_by(c[2:])) for c in commands)
        return f"```console\n{body}```"

    return BLOCK.sub(block, document)


def matches(expected, found) -> bool:
    if not expected:
        return not found
    if expected[0].strip() == "...":
        return any(matches(expected[1:], found[i:]) for i in range(len(found) + 1))
    return bool(found) and expected[0].rstrip() == found[0].rstrip() and matches(expected[1:], found[1:])


def main() -> int:
    document, bin_dir, source = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    environment = dict(os.environ, PATH=f"{bin_dir}:{os.environ['PATH']}", COLUMNS="100", NO_COLOR="1")
    failures = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("data", "examples", "docs"):
            if (source / name).exists():
                os.symlink(source / name, pathlib.Path(folder) / name)
        (pathlib.Path(folder) / "build" / "release").mkdir(parents=True)
        os.symlink(bin_dir, pathlib.Path(folder) / "build" / "release" / "bin")

        def execute(command):
            return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)

        if "--update" in sys.argv:
            document.write_text(updated(document.read_text(), lambda c: execute(c).stdout.splitlines()))
            return 0
        for command, expected in steps(document.read_text()):
            count += 1
            run = execute(command)
            found = run.stdout.splitlines()
            fails_on_purpose = "; echo" in command
            if (run.returncode != 0 and not fails_on_purpose) or not matches(expected, found):
                failures += 1
                print(f"FAILED (exit {run.returncode}): $ {command}")
                print("--- the document says\n" + "\n".join(expected))
                print("--- it prints\n" + run.stdout)
    print(f"{count} commands of {document.name}, {failures} failed")
    if count == 0:
        print("no command found: the document or this script is broken")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the commands and compiles the code of a document, and compares what comes out (kinds of blocks: pages.py).

All commands of a page run in one shell, in one empty folder that looks like a clone: `data`, `examples`, `docs`, `include`,
`Makefile` and `build/release` are linked into it. Labs have a folder of their own, and are down at the end.

usage: run_page.py DOCUMENT BUILD SOURCE [--update] [--long]
--update writes what commands print into the document where it is not what that says. Exit code 77: all is well, but the
blocks for a lab were not run, since there can be none here.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import code_blocks
import compare
import pages
import shell

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab"))
from patience import wait_for_quiet  # noqa: E402

SKIPPED = 77
TRIES = 6  # of what is measured, while the tool itself says that its figures are in doubt
NOISE = re.compile(r"plm:(rsh|ssh): Warning: setpgid\(")  # Open MPI's launcher, now and then: it lost a race with its own child
LINKS = ("data", "examples", "docs", "include", "packages.debian", "Makefile")


def environment(build, home):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ESPALIER_", "OMPI_", "LD_PRELOAD", "XDG_"))}
    return dict(kept, PATH=f"{build}/bin:{os.environ['PATH']}", COLUMNS="100", NO_COLOR="1", HOME=str(home), LC_ALL="C.UTF-8",
                OMPI_MCA_btl_tcp_disable_family="6")  # why: tests/environment.cmake


def lab_is_permitted(variables):
    probe = dict(variables, ESPALIER_LAB=variables["ESPALIER_LAB"] + "-probe")
    up = subprocess.run(["espalier", "lab", "up", "node:2(1ms) proc:1"], env=probe, capture_output=True, text=True, check=False)
    subprocess.run(["espalier", "lab", "down"], env=probe, capture_output=True, check=False)
    return "a lab needs root" not in up.stderr


def has_openmpi_4():
    said = subprocess.run(["mpiexec.openmpi", "--version"], capture_output=True, text=True, check=False)
    return "4." in said.stdout.split(")")[-1][:4]


class Page:
    def __init__(self, document, build, source, long):
        self.document, self.build, self.source, self.long = document, build, source, long
        self.lines = document.read_text().splitlines()
        self.blocks = pages.blocks(document.read_text())
        self.count, self.failures, self.without_lab, self.updates = 0, 0, 0, []

    def fail(self, line, what):
        self.failures += 1
        print(f"{self.document}:{line}: FAILED: {what}")

    def run(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as name:  # hosts of a lab have a /tmp of their own
            folder = pathlib.Path(name) / "espalier"
            (folder / "build").mkdir(parents=True)
            for link in LINKS:
                (folder / link).symlink_to(self.source / link)
            (folder / "build" / "release").symlink_to(self.build)
            variables = environment(self.build, name)
            os.environ["PATH"] = variables["PATH"]
            has_lab = any(b.how in ("lab", "long") for b in self.blocks)
            if has_lab:
                variables["ESPALIER_LAB"] = f"/run/espalier-lab-docs-{os.getpid()}"
            permitted = not has_lab or lab_is_permitted(variables)
            bash = shell.Shell(folder, variables)
            try:
                for block in self.blocks:
                    self.run_block(block, bash, folder, permitted)
            finally:
                bash.end()
                if has_lab:
                    subprocess.run(["espalier", "lab", "down"], env=variables, capture_output=True, check=False)

    def run_block(self, block, bash, folder, permitted):
        if block.language == "console":
            if block.how == "install" or (block.how == "long") != self.long or (block.how == "openmpi4" and not has_openmpi_4()):
                return
            for step in pages.steps(block):
                if block.how == "lab" and not permitted:
                    self.without_lab += 1
                else:
                    self.run_step(step, block, bash)
        elif block.file:
            (folder / block.file).write_text(block.text)
        elif not self.long and block.language != "text":
            self.count += 1
            wrong = code_blocks.check(block, folder, self.build, self.source)
            if wrong:
                self.fail(block.line, wrong)

    def run_step(self, step, block, bash):
        self.count += 1
        for _ in range(TRIES):
            code, text = bash.run(step.command, 3600 if block.how == "long" else 120)
            found = [line for line in text.splitlines() if not NOISE.search(line)]
            if code == 0 and compare.matches(step.printed, found, varies=block.how != ""):
                return
            in_doubt = code == 0 and any(line.startswith("uncertain:") for line in found)
            if not in_doubt:
                break
            wait_for_quiet()
        if in_doubt:
            print(f"{self.document}:{step.line}: not compared, the computer is too busy to measure: $ {step.command}")
            return
        self.updates.append((step, found))
        self.fail(step.line, f"exit code {code}: $ {step.command}")
        print("--- the document says\n" + "\n".join(step.printed) + "\n--- it prints\n" + text, flush=True)

    def update(self):
        for step, found in reversed(self.updates):
            begin = step.line - 1 + step.shown
            self.lines[begin:begin + len(step.printed)] = [line.rstrip() for line in found]
        self.document.write_text("\n".join(self.lines) + "\n")


def main():
    document, build, source = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    page = Page(document, build, source, "--long" in sys.argv)
    page.run()
    print(f"{page.count} commands and pieces of code of {document.name}, {page.failures} failed")
    if "--update" in sys.argv:
        page.update()
        return 0
    if page.without_lab and not page.failures:
        print(f"{page.without_lab} commands for a lab not run: a lab needs root, namespaces and TUN")
        return SKIPPED
    return 1 if page.failures else 0


if __name__ == "__main__":
    sys.exit(main())

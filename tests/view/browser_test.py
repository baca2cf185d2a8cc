#!/usr/bin/env python3
"""Runs browser_test.mjs with Node.js and Debian's chromium; 77 and the reason if it cannot be.

usage: browser_test.py ESPALIER WEB [SCRIPT]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ESPALIER, WEB = sys.argv[1:3]
SCRIPT = sys.argv[3] if len(sys.argv) > 3 else str(pathlib.Path(__file__).with_name("browser_test.mjs"))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def main():
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([ESPALIER, "view", "proc:2", "--html", f"{folder}/page.html"], capture_output=True, text=True, check=False)
        if "has no page" in said.stderr:
            skip(said.stderr.splitlines()[0])
        node = shutil.which("node") or shutil.which("nodejs")
        chromium = shutil.which("chromium")
        if node is None or not pathlib.Path(WEB, "node_modules", "playwright-core").is_dir():
            skip("no Node.js with playwright-core")
        if chromium is None:
            skip("no chromium (Debian: chromium)")
        sys.exit(subprocess.run([node, SCRIPT, ESPALIER, WEB, chromium, folder], check=False).returncode)


main()

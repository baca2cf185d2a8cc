#!/usr/bin/env python3
"""scripts/build_page.py where Node.js or the network is missing, and what it makes of a page; the lock file names no host.

usage: page_script_test.py SOURCE
"""
import base64
import hashlib
import json
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
SCRIPT = SOURCE / "scripts" / "build_page.py"


def script(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False)


def program(folder, name, text):
    path = pathlib.Path(folder, name)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


class Packages(unittest.TestCase):
    def packages(self, folder, node, npm):
        return script("packages", SOURCE / "web", pathlib.Path(folder, "web"), "--node", program(folder, "node", node),
                      "--npm", program(folder, "npm", npm))

    def test_without_network_there_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.packages(folder, "echo v20.1.0\n", "echo no such host >&2\nexit 1\n")
            self.assertEqual(1, done.returncode)
            self.assertRegex(done.stdout, r"^npm could not get its packages, no network\? \(.*npm.log\)\n$")
            self.assertFalse(pathlib.Path(folder, "web", "installed").exists())

    def test_an_old_node_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.packages(folder, "echo v16.9.0\n", "exit 0\n")
            self.assertEqual(1, done.returncode)
            self.assertIn("Node.js 18 or newer is needed, found v16.9.0", done.stdout)

    def test_what_is_installed_is_not_installed_again(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(0, self.packages(folder, "echo v20.1.0\n", "exit 0\n").returncode)
            self.assertEqual(0, self.packages(folder, "echo v20.1.0\n", "exit 1\n").returncode)


class Page(unittest.TestCase):
    def test_without_a_page_the_source_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "page.cpp")
            self.assertEqual(0, script("none", out, "--why", 'no "Node.js"').returncode)
            text = out.read_text()
            self.assertIn('"no \\042Node.js\\042"', text)
            self.assertRegex(text, r'kPage =\s+"";')

    def test_only_its_own_script_may_run(self):
        names = runpy.run_path(str(SCRIPT), run_name="tested")
        with tempfile.TemporaryDirectory() as folder:
            dist = pathlib.Path(folder)
            (dist / "index.html").write_text('<!doctype html>\n<html><head><script type="module" crossorigin src="./a.js"></script>'
                                             '<link rel="stylesheet" href="./a.css"></head><body></body></html>\n')
            (dist / "a.js").write_text("const end = '</script>';\n")
            (dist / "a.css").write_text("body{}")
            html = names["in_one_file"](dist)
        self.assertTrue(html.startswith("<!doctype html><!-- espalier view -->"))
        self.assertNotIn("src=", html)
        inside = re.search(r'<script type="module">(.*?)</script>', html, re.S).group(1)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        self.assertIn(f"script-src 'sha256-{digest}'", html)
        self.assertIn("default-src 'none'", html)

    def test_the_lock_file_has_hashes_and_names_no_host(self):
        lock = json.loads((SOURCE / "web" / "package-lock.json").read_text())
        for name, package in lock["packages"].items():
            self.assertNotIn("resolved", package, name)
            if name:
                self.assertIn("integrity", package, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Which packages are installed for which purpose, with a stand-in for apt and dpkg.

usage: packages_test.py SOURCE
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
DPKG = '#!/bin/sh\nfor p in $INSTALLED; do echo "installed $p"; done\n'
POLICY = ('#!/bin/sh\nfor p in $KNOWN; do [ "$p" = "$2" ] && printf "%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n" "$p"; done\n'
          "exit 0\n")
GET = '#!/bin/sh\necho "$@" >>"$CALLS"\n'


def installed_for(purpose, installed, known):
    """(exit code, what was said, the packages that apt-get was told to install)"""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "scripts").mkdir()
        (folder / "bin").mkdir()
        shutil.copy(SOURCE / "scripts" / "install_packages.sh", folder / "scripts")
        shutil.copy(SOURCE / "packages.debian", folder)
        for tool, text in (("dpkg-query", DPKG), ("apt-cache", POLICY), ("apt-get", GET), ("id", "#!/bin/sh\necho 0\n")):
            (folder / "bin" / tool).write_text(text)
            (folder / "bin" / tool).chmod(0o755)
        calls = folder / "calls"
        calls.touch()
        done = subprocess.run([folder / "scripts" / "install_packages.sh", purpose], capture_output=True, text=True, check=False,
                              env=dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", CALLS=str(calls),
                                       INSTALLED=" ".join(installed), KNOWN=" ".join(known)))
        words = [word for line in calls.read_text().splitlines() if line.startswith("install") for word in line.split()[1:]]
        return done.returncode, done.stdout + done.stderr, [word for word in words if not word.startswith("-")]


def listed(purpose):
    """The packages of a purpose, whatever is installed: the first of alternatives."""
    wanted = []
    for line in (SOURCE / "packages.debian").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            if wanted and section == purpose:
                return wanted
            section = line.strip("[]")
        elif line:
            wanted.append(line)
    return wanted


def all_names(lines):
    return [name for line in lines for name in line.replace("|", " ").split()]


class Purposes(unittest.TestCase):
    def test_the_demo_installs_only_what_it_needs(self):
        code, said, packages = installed_for("demo", [], all_names(listed("tools")))
        self.assertEqual(0, code, said)
        self.assertIn("libmpich-dev", packages)
        for unwanted in ("slurm", "clang", "gtest", "benchmark", "openmpi", "gfortran", "mpi4py"):
            self.assertFalse([p for p in packages if unwanted in p], unwanted)

    def test_each_purpose_has_all_of_the_ones_before_it(self):
        self.assertLess(set(listed("demo")), set(listed("build")))
        self.assertLess(set(listed("build")), set(listed("check")))
        self.assertLess(set(listed("check")), set(listed("format")))
        self.assertLess(set(listed("format")), set(listed("tools")))

    def test_nothing_is_done_where_nothing_is_missing(self):
        code, said, packages = installed_for("check", all_names(listed("check")), [])
        self.assertEqual((0, "", []), (code, said, packages))

    def test_the_first_alternative_that_apt_knows_is_taken(self):
        there = all_names(listed("format"))
        code, said, packages = installed_for("tools", there, ["clang", "clang-tidy", "libclang-rt-dev"])
        self.assertEqual(0, code, said)
        self.assertEqual(["clang", "clang-tidy", "libclang-rt-dev"], packages)

    def test_an_alternative_that_is_installed_is_enough(self):
        there = all_names(listed("format")) + ["clang", "clang-tidy", "libclang-rt-dev"]
        self.assertEqual((0, "", []), installed_for("tools", there, ["clang-14"]))

    def test_tools_that_are_not_to_be_had_are_named_and_left_out(self):
        code, said, packages = installed_for("tools", all_names(listed("check")), ["clang-14", "clang-tidy", "libclang-rt-14-dev"])
        self.assertEqual(0, code, said)
        self.assertIn("apt knows none of: clang-format-14;", said)
        self.assertEqual(["clang-14", "clang-tidy", "libclang-rt-14-dev"], packages)

    def test_a_library_that_is_not_to_be_had_is_an_error(self):
        everything = all_names(listed("tools"))
        code, said, packages = installed_for("demo", [], [name for name in everything if name != "libfmt-dev"])
        self.assertEqual(1, code)
        self.assertIn("could not install: libfmt-dev", said)
        self.assertEqual([], packages)

    def test_a_purpose_that_is_not_there_is_refused(self):
        code, said, _ = installed_for("everything", [], [])
        self.assertEqual(2, code)
        self.assertIn("demo build check format tools long", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

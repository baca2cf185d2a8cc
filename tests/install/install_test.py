#!/usr/bin/env python3
"""Installs into an empty prefix, builds and runs an outside project against it, and uninstalls.

    install_test.py BUILD SOURCE prefix|packages

prefix: find_package and pkg-config with both MPIs, the tool and what comes with it; nothing is left afterwards.
packages: the Debian packages, what is in them and what they need.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import links

BUILD, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
MPIS = ("mpich", "openmpi")
MACHINE = "site:2(10ms,100Mbit/s) proc:1(1us)"


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=1400, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}")
    return done.stdout


def on_two_ranks(mpi, program, **environment):
    settings = [f"{name}={value}" for name, value in environment.items()]
    return run(sys.executable, SOURCE / "tests" / "mpi" / "launch.py", mpi, "2", "-", *settings, "--", program)


class Prefix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        first = cls.folder / "first"
        first.mkdir()
        run("cmake", "--install", BUILD, "--prefix", first)
        cls.prefix = cls.folder / "moved"  # everything finds the rest from where it lies
        first.rename(cls.prefix)
        cls.outside = cls.folder / "outside"
        shutil.copytree(SOURCE / "tests" / "install" / "outside", cls.outside)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check_programs(self, folder, **environment):
        settings = dict(ESPALIER_MACHINE=MACHINE, ESPALIER_FORCE="1", **environment)
        self.assertRegex(run(folder / "planner", env=dict(os.environ, **environment)), r"\w+ .*[0-9] [mun]?s")
        for mpi in MPIS:
            self.assertIn("on 2", on_two_ranks(mpi, folder / f"caller.{mpi}", **settings))
            if (folder / f"grouper.{mpi}").exists():
                on_two_ranks(mpi, folder / f"grouper.{mpi}", **environment)

    def test_a_project_finds_it_with_cmake(self):
        build = self.folder / "with-cmake"
        run("cmake", "-S", self.outside, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build, "-j", "2")
        self.assertTrue((build / "grouper.openmpi").exists())
        self.check_programs(build)

    def test_a_project_finds_it_with_pkg_config(self):
        build = self.folder / "with-pkg-config"
        build.mkdir()
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.prefix / "lib" / "pkgconfig"))
        programs = [("planner", "planner", "core")]
        programs += [(f"caller.{mpi}", "caller", mpi) for mpi in MPIS]

        def compiled(program):
            name, source, module = program
            flags = run("pkg-config", "--cflags", "--libs", f"espalier-{module}", env=environment).split()
            run("g++", "-std=c++20", self.outside / f"{source}.cpp", "-o", build / name, *flags)

        with concurrent.futures.ThreadPoolExecutor(2) as two:
            list(two.map(compiled, programs))
        for mpi in MPIS:
            self.assertIn(f"-lespalier-group-{mpi}", run("pkg-config", "--libs", f"espalier-group-{mpi}", env=environment))
        self.check_programs(build, LD_LIBRARY_PATH=str(self.prefix / "lib"))

    def test_the_tool_finds_its_libraries(self):
        tool = self.prefix / "bin" / "espalier"
        self.assertTrue(run(tool, "version").startswith("espalier "))
        for mpi in MPIS:
            line = run(tool, "run", "--mpi", mpi, "--print", "--", f"mpiexec.{mpi}", "-n", "2", "true")
            self.assertIn(str(self.prefix / "lib" / "libespalier.so"), line)

    def test_python_finds_its_library(self):
        packages = self.prefix / "lib" / "python3" / "dist-packages"
        if not packages.exists():
            self.skipTest("pybind11 is not there")
        said = run(sys.executable, "-c", "import espalier; print(espalier.plan(espalier.Machine('proc:4(5us)'), 'barrier').operation)",
                   env=dict(os.environ, PYTHONPATH=str(packages)))
        self.assertEqual(said.strip(), "barrier")

    def test_every_command_has_a_page_that_man_takes(self):
        pages = self.prefix / "share" / "man" / "man1"
        listed = run(self.prefix / "bin" / "espalier", "--help").split("COMMANDS")[1].split("OPTIONS")[0]
        commands = re.findall(r"^    (?!espalier )([a-z]+) +\S", listed, re.MULTILINE)
        self.assertIn("plan", commands)
        for command in commands:
            self.assertTrue((pages / f"espalier-{command}.1").is_file(), command)
        if shutil.which("man"):
            text = run("man", "--warnings", "-l", pages / "espalier-plan.1", env=dict(os.environ, MANPAGER="cat"))
            self.assertIn("--schedule-format", text)
            self.assertNotIn("warning", text)

    def test_links_of_the_documents_lead_to_what_is_installed(self):
        documents = self.prefix / "share" / "doc" / "espalier"
        self.assertTrue((documents / "README.md").is_file())
        self.assertEqual([], list(links.dead_links(documents)))

    def test_dead_links_are_found(self):
        folder = self.folder / "documents"
        (folder / "docs").mkdir(parents=True)
        (folder / "docs" / "there.md").write_text("[up](../page.md) [code](../src/plan) [web](https://x.y) [here](#here)\n")
        (folder / "page.md").write_text("[a](docs/there.md#part)\n```\n[b](block.md)\n```\n[c](docs/gone.md) [d](../out.md)\n")
        self.assertEqual(["page.md:5: docs/gone.md", "page.md:5: ../out.md"], list(links.dead_links(folder)))

    def completed(self, *words):
        script = self.prefix / "share" / "bash-completion" / "completions" / "espalier"
        line = f'source {script}; COMP_WORDS=({" ".join(words)} ""); COMP_CWORD={len(words)}; '
        if words[-1].startswith("-"):
            line = line.replace(' "")', ")").replace(f"COMP_CWORD={len(words)}", f"COMP_CWORD={len(words) - 1}")
        return run("bash", "-c", line + '_espalier; echo "${COMPREPLY[@]}"').split()

    def test_the_shell_completes(self):
        self.assertIn("compare", self.completed("espalier"))
        self.assertIn("down", self.completed("espalier", "lab"))
        self.assertEqual(["--schedule", "--schedule-format"], self.completed("espalier", "plan", "--sche"))
        for shell, script in (("zsh", "zsh/site-functions/_espalier"),
                              ("fish", "fish/vendor_completions.d/espalier.fish")):
            text = (self.prefix / "share" / script).read_text()
            self.assertIn("schedule-format", text)
            if shutil.which(shell):
                run(shell, "-n", self.prefix / "share" / script)

    def test_z_uninstalling_leaves_nothing(self):  # the last one
        run(sys.executable, SOURCE / "scripts" / "uninstall.py", self.prefix)
        self.assertEqual([], sorted(self.prefix.rglob("*")))
        refused = subprocess.run([sys.executable, str(SOURCE / "scripts" / "uninstall.py"), str(self.prefix)],
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual(2, refused.returncode)
        self.assertIn("nothing is installed", refused.stderr)

    def test_make_takes_prefixes_with_blanks(self):
        line = run("make", "-n", "-C", SOURCE, "uninstall", "PREFIX=/opt/a b", "DESTDIR=/tmp/c d")
        self.assertIn('"/tmp/c d/opt/a b"', line)
        self.assertIn('--prefix "/opt/a b"', run("make", "-n", "-C", SOURCE, "install", "PREFIX=/opt/a b"))

    def test_uninstalling_spares_what_is_not_ours(self):
        with tempfile.TemporaryDirectory() as name:
            other = pathlib.Path(name)
            (other / "lib" / "pkgconfig").mkdir(parents=True)
            (other / "bin").mkdir()
            (other / "bin" / "theirs").touch()
            for _ in range(2):  # the second time everything is there already
                run("cmake", "--install", BUILD, "--prefix", other)
                # As if the version before had a file and a folder that this one has not.
                (other / "share" / "espalier" / "old").mkdir(exist_ok=True)
                (other / "share" / "espalier" / "old" / "data").touch()
                with open(other / "share" / "espalier" / "manifest", "a") as manifest:
                    manifest.write("share/espalier/old/\nshare/espalier/old/data\nshare/espalier/gone\n")
            run("cmake", "--install", BUILD, "--prefix", other)
            lines = (other / "share" / "espalier" / "manifest").read_text().split("\n")
            self.assertIn("share/espalier/old/data", lines)
            self.assertNotIn("share/espalier/gone", lines)
            self.assertEqual(len(lines), len(set(lines)))
            (other / "include" / "theirs.h").touch()
            run(sys.executable, SOURCE / "scripts" / "uninstall.py", other)
            left = sorted(str(path.relative_to(other)) for path in other.rglob("*"))
            self.assertEqual(["bin", "bin/theirs", "include", "include/theirs.h", "lib", "lib/pkgconfig"], left)


class Packages(unittest.TestCase):
    def test_each_component_is_a_package(self):
        with tempfile.TemporaryDirectory() as name:
            run("cpack", "-G", "DEB", "-B", name, "-D", f"CPACK_OUTPUT_FILE_PREFIX={name}", "-D",
                "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D", "CPACK_STRIP_FILES=OFF", cwd=BUILD)
            found = {path.name.split("_")[0]: path for path in pathlib.Path(name).glob("*.deb")}
            python = {"python3-espalier"} if (BUILD / "python").exists() else set()
            self.assertEqual({"libespalier-core", "libespalier", "libespalier-mpich", "libespalier-openmpi", "espalier"} | python,
                             set(found))
            files = {package: run("dpkg-deb", "-c", path) for package, path in found.items()}
            self.assertIn("./usr/include/espalier/plan.hpp", files["libespalier-core"])
            for library in ("espalier", "espalier-mpich", "espalier-openmpi", "espalier-profile", "espalier-profile-mpich"):
                self.assertIn(f"./usr/lib/lib{library}.so\n", files["libespalier"])
            self.assertIn("./usr/lib/libespalier-group-mpich.so", files["libespalier-mpich"])
            self.assertIn("./usr/lib/libespalier-group-openmpi.so", files["libespalier-openmpi"])
            self.assertIn("./usr/share/man/man1/espalier-plan.1", files["espalier"])
            for package, text in files.items():
                self.assertNotIn("manifest", text, package)
            needs = {package: run("dpkg-deb", "-f", path, "Depends") for package, path in found.items()}
            self.assertIn("libstdc++", needs["libespalier-core"])
            self.assertNotIn("mpi", needs["libespalier-core"])
            self.assertNotIn("mpi", needs["libespalier"])
            self.assertIn("libmpich", needs["libespalier-mpich"])
            self.assertIn("libopenmpi", needs["libespalier-openmpi"])
            for package in python:
                for file in ("__init__.py", "ddp.py", "groups.py", "py.typed"):
                    self.assertIn(f"./usr/lib/python3/dist-packages/espalier/{file}\n", files[package])
                self.assertRegex(needs[package], r"libespalier-core \(= .*python3 \(>= 3\.\d+~\), python3 \(<< 3\.\d+\)")


if __name__ == "__main__":
    which = {"prefix": "Prefix", "packages": "Packages"}[sys.argv[3]]
    unittest.main(argv=[sys.argv[0], which])

#!/usr/bin/env python3
"""The front library: which MPI it finds, what it does where it does not fit, and what it leaves alone.

    front_test.py MPI FRONT FOLDER_OF_LIBRARIES     LONG_TESTS=1: every case under both MPIs
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import turns

MPI, FRONT, LIBRARIES = sys.argv[1:]
HERE = pathlib.Path(__file__).parent
MODULE = {"mpich": "mpich", "openmpi": "ompi-c"}[MPI]
NAME = {"mpich": "libmpich.so.12", "openmpi": "libmpi.so.40"}
MPI_LIBRARY = re.compile(r"^lib(mpi|mpich|mpi_abi|open-)[^ ]*\.so")

# What the variant for MPICH needs of a library, each failing; and those that a program calls.
STUB = """#include <stdio.h>
#include <string.h>
%s
int PMPI_Init(int* c, char*** v) { return 0; }
int MPI_Init(int* c, char*** v) { return 0; }
int PMPI_Initialized(int* flag) { *flag = 1; return 0; }
int MPI_Barrier(int comm) { puts("native barrier"); return 0; }
int MPI_Finalize(void) { return 0; }
int PMPI_Get_library_version(char* text, int* length) { strcpy(text, "%s"); *length = (int)strlen(text); return 0; }
"""
STUB_PROGRAM = "int MPI_Init(int*, char***); int MPI_Barrier(int); int MPI_Finalize(void);\n" \
               "int main(int c, char** v) { return MPI_Init(&c, &v) + MPI_Barrier(0) + MPI_Finalize(); }\n"


def run(*words, **settings):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ESPALIER_") and k != "LD_PRELOAD"}
    return subprocess.run(list(map(str, words)), env=clean | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=400, check=False)


def build(to, *words, text=None):
    cflags = run("pkg-config", "--cflags", MODULE).stdout.split()
    done = subprocess.run(["gcc", *cflags, *map(str, words), "-o", str(to), "-ldl"], input=text, text=True, stderr=subprocess.PIPE,
                          check=False)
    assert done.returncode == 0, done.stderr


def system_library(name):
    listed = run("ldconfig", "-p").stdout
    return next((line.split("=> ")[1] for line in listed.splitlines() if line.strip().startswith(name + " ")), None)


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library).stdout)


def must_be_there(library):
    """Undefined names without which the library does not load: no weak ones."""
    return [line.split()[-1] for line in run("nm", "-D", "--undefined-only", library).stdout.splitlines() if line.split()[-2] == "U"]


def symbols(library, which):
    return [line.split()[-1] for line in run("nm", "-D", which, library).stdout.splitlines()]


class Files(unittest.TestCase):
    """What can be told of the libraries without running them."""

    def all(self):
        return sorted(p for p in pathlib.Path(LIBRARIES).glob("libespalier*.so")
                      if p.stem in ("libespalier", "libespalier-profile") or p.stem.endswith(("-mpich", "-openmpi", "-mpiabi"))
                      and "group" not in p.stem)

    def test_none_is_linked_with_an_mpi(self):
        self.assertGreaterEqual(len(self.all()), 6)
        for library in self.all():
            self.assertEqual([n for n in needed(library) if MPI_LIBRARY.match(n)], [], library)

    def test_the_fronts_need_the_c_library_alone(self):
        for name in ("libespalier.so", "libespalier-profile.so"):
            found = [n for n in needed(pathlib.Path(LIBRARIES) / name) if not n.startswith(("libc.", "libdl.", "ld-", "libpthread."))]
            self.assertEqual(found, [])

    def test_variants_need_what_hosts_have(self):
        """A host that lacks a library runs natively: the runtime reads the node by hwloc, the recorder does not even that."""
        usual = ("libc.", "libm.", "libdl.", "ld-", "libpthread.")
        for library in self.all():
            known = usual if "-profile" in library.stem else (*usual, "libespalier.so", "libhwloc.so")
            self.assertEqual([n for n in needed(library) if not n.startswith(known)], [], library)

    def test_variants_show_their_table_alone_and_miss_nothing_but_mpi(self):
        for library in self.all():
            if library.stem in ("libespalier", "libespalier-profile"):
                continue
            self.assertEqual(symbols(library, "--defined-only"), ["espalier_variant_table"], library)
            missing = [s for s in symbols(library, "--undefined-only") if "@" not in s and
                       not s.startswith(("PMPI_", "MPI", "ompi_", "OMPI_", "mpi_fortran_", "hwloc_", "__gmon_start__", "_ITM_", "__cxa_"))]
            self.assertIn(missing, ([], ["espalier_thread_block"]), library)


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.libs = run("pkg-config", "--libs", MODULE).stdout.split()
        build(cls.folder / "probe", HERE / "front_probe.c", *cls.libs)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    LAUNCHER = [f"mpiexec.{MPI}"] + (["--allow-run-as-root", "--oversubscribe"] if MPI == "openmpi" else [])

    def launch(self, *words, preload=FRONT, **settings):
        flags = [w for name, value in {"LD_PRELOAD": preload, "ESPALIER_FORCE": "1", **settings}.items()
                 for w in (["-genv", name, value] if MPI == "mpich" else ["-x", f"{name}={value}"])]
        return run(*self.LAUNCHER, "-n", "2", *flags, *words)

    def assert_planned(self, done, planned=4):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(f"right planned {planned}\n"), 2, done.stdout + done.stderr)

    def mapped(self, done):
        return set(re.findall(r"^mapped (.*)$", done.stdout, re.MULTILINE))

    def test_a_program_is_planned_with_one_mpi_in_it(self):
        done = self.launch(self.folder / "probe")
        self.assert_planned(done)
        self.assertEqual(len(self.mapped(done)), 1, done.stdout)
        self.assertEqual(done.stderr, "")

    def test_the_mpi_that_a_plugin_has_for_itself_alone(self):
        build(self.folder / "plugin.so", "-DPLUGIN", "-shared", "-fPIC", HERE / "front_probe.c", *self.libs)
        host = "#include <dlfcn.h>\n#include <stdio.h>\nint main(int c, char** v) { void* p = dlopen(v[1], RTLD_NOW | RTLD_LOCAL);" \
               "int (*f)(void) = p ? (int (*)(void))dlsym(p, \"probe\") : 0; if (!f) puts(dlerror()); return f ? f() : 1; }\n"
        build(self.folder / "host", "-x", "c", "-", text=host)
        self.assertEqual([n for n in needed(self.folder / "host") if MPI_LIBRARY.match(n)], [])
        done = self.launch(self.folder / "host", self.folder / "plugin.so")
        self.assert_planned(done)
        self.assertEqual(len(self.mapped(done)), 1, done.stdout)

    @turns.only("mpich", MPI)
    def test_functions_that_another_library_defines_make_all_native(self):
        build(self.folder / "thief.so", "-shared", "-fPIC", "-x", "c", "-",
              text="int PMPI_Iallreduce(void) { return 1; }\n")
        both = f"{FRONT}:{self.folder / 'thief.so'}"
        self.assert_planned(self.launch(self.folder / "probe", preload=both), planned=0)
        told = self.launch(self.folder / "probe", preload=both, ESPALIER_LOG="1")
        self.assert_planned(told, planned=0)
        lines = [line for line in told.stderr.splitlines() if "espalier" in line]
        self.assertEqual(len(lines), 1, told.stderr)
        self.assertIn("another library defines a function of this MPI: PMPI_Iallreduce", lines[0])

    def test_two_mpis_in_one_process_are_left_alone(self):
        other = system_library(NAME["openmpi" if MPI == "mpich" else "mpich"])
        if other is None:
            self.skipTest("there is one MPI here")
        done = self.launch(self.folder / "probe", other)
        self.assert_planned(done, planned=0)
        self.assertEqual(len(self.mapped(done)), 2, done.stdout)

    def test_a_front_without_its_variants_hands_everything_on(self):
        (self.folder / "alone").mkdir()
        alone = self.folder / "alone" / "libespalier.so"
        alone.write_bytes(pathlib.Path(FRONT).read_bytes())
        self.assert_planned(self.launch(self.folder / "probe", preload=str(alone)), planned=0)

    def test_one_process_without_a_variant_makes_all_native(self):
        """A host without the package: its process says no in the roll call, and nobody waits for it."""
        (self.folder / "lacking").mkdir()
        for front, settings in ((FRONT, {}), (FRONT, {"ESPALIER_FORCE": "0"}),
                                (FRONT.replace("libespalier.so", "libespalier-profile.so"),
                                 {"ESPALIER_PROFILE": str(self.folder / "lacking.json")})):
            alone = self.folder / "lacking" / pathlib.Path(front).name
            alone.write_bytes(pathlib.Path(front).read_bytes())
            for lacking in (1, 0):
                with self.subTest(front=front, lacking=lacking, settings=settings):
                    done = self.launch("/bin/sh", "-c", f'case "${{PMI_RANK-$OMPI_COMM_WORLD_RANK}}" in {lacking}) export '
                                       f'LD_PRELOAD={alone};; *) export LD_PRELOAD={front};; esac; exec {self.folder / "probe"}',
                                       preload="", **settings)
                    self.assert_planned(done, planned=0 if front == FRONT else -1)
                    self.assertEqual(done.stderr.count("some process finds no library of Espalier for its MPI"),
                                     0 if front == FRONT and lacking == 0 else 1, done.stderr)
        self.assertFalse((self.folder / "lacking.json").exists())

    @turns.only("mpich", MPI)
    def test_of_two_copies_the_first_serves_alone(self):
        """One that a module preloads, and the tool's: the native calls of the first are not counted by the second."""
        (self.folder / "copy").mkdir()
        for file in pathlib.Path(LIBRARIES).glob("libespalier*.so"):
            (self.folder / "copy" / file.name).write_bytes(file.read_bytes())
        both = f"{FRONT}:{self.folder / 'copy' / 'libespalier.so'}"
        self.assert_planned(self.launch(self.folder / "probe", preload=both))
        told = self.launch(self.folder / "probe", preload=both, ESPALIER_FORCE="0", ESPALIER_EXPLAIN="1")
        self.assertEqual(told.stderr.count("calls planned"), 1, told.stderr)

    def test_two_mpis_in_one_process_keep_other_preloads(self):
        other = system_library(NAME["openmpi" if MPI == "mpich" else "mpich"])
        if other is None:
            self.skipTest("there is one MPI here")
        build(self.folder / "tool.so", "-shared", "-fPIC", "-x", "c", "-", text="#include <mpi.h>\n#include <stdio.h>\n"
              "int MPI_Barrier(MPI_Comm comm) { puts(\"the tool's\"); return PMPI_Barrier(comm); }\n")
        done = self.launch(self.folder / "probe", other, preload=f"{FRONT}:{self.folder / 'tool.so'}")
        self.assert_planned(done, planned=0)
        self.assertEqual(done.stdout.count("the tool's"), 2, done.stdout)

    @turns.only("mpich", MPI)
    def test_it_finds_its_variants_from_a_link_and_by_a_relative_name(self):
        (self.folder / "link.so").symlink_to(FRONT)
        self.assert_planned(self.launch(self.folder / "probe", preload=str(self.folder / "link.so")))
        relative = os.path.relpath(FRONT)
        self.assertFalse(relative.startswith("/"))
        self.assert_planned(self.launch(self.folder / "probe", preload=relative, PROBE_ELSEWHERE="1"))

    def test_one_rank_whose_mpi_is_not_what_it_says_makes_all_native(self):
        """Its library gives another name to an error: as if the number of that error were another."""
        home = self.folder / "changed"
        home.mkdir()
        whole = pathlib.Path(os.path.realpath(system_library(NAME[MPI]))).read_bytes()
        # On x86-64 compilers keep the last letters of such a text elsewhere.
        self.assertIn(b"essage trunca", whole)
        (home / NAME[MPI]).write_bytes(whole.replace(b"essage trunca", b"essage shorte"))
        for changed in (1, 0):
            with self.subTest(changed=changed):
                done = self.launch("/bin/sh", "-c", f'case "${{PMI_RANK-$OMPI_COMM_WORLD_RANK}}" in {changed}) export '
                                   f'LD_LIBRARY_PATH={home};; esac; exec {self.folder / "probe"}')
                self.assert_planned(done, planned=0)
                lines = [line for line in done.stderr.splitlines() if "espalier" in line]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertIn("the MPI of some process is not what its library says; using native", lines[0])

    def test_mpich_under_its_other_name(self):
        """A copy of Debian's, called libmpi.so.12 as MPICH, Intel MPI and MVAPICH call it; Debian's is there too."""
        if MPI != "mpich":
            self.skipTest("MPICH's")
        home = self.folder / "renamed"
        home.mkdir()
        whole = pathlib.Path(os.path.realpath(system_library("libmpich.so.12"))).read_bytes()
        self.assertEqual(whole.count(b"\0libmpich.so.12\0"), 1)
        (home / "libmpi.so.12").write_bytes(whole.replace(b"\0libmpich.so.12\0", b"\0libmpi.so.12\0\0\0"))
        build(self.folder / "other_name", HERE / "front_probe.c", home / "libmpi.so.12", f"-Wl,-rpath,{home}")
        self.assertIn("libmpi.so.12", needed(self.folder / "other_name"))
        done = self.launch(self.folder / "other_name")
        self.assert_planned(done)
        self.assertEqual(self.mapped(done), {"libmpi.so.12"})


class NoMpi(unittest.TestCase):
    def test_programs_without_mpi_do_not_notice(self):
        for words in (["/bin/sh", "-c", "echo a; ls / >/dev/null"], ["/usr/bin/python3", "-c", "print('a')"],
                      [f"mpiexec.{MPI}", "--version"]):
            plain, preloaded = run(*words), run(*words, LD_PRELOAD=FRONT)
            self.assertEqual((plain.returncode, plain.stdout, plain.stderr),
                             (preloaded.returncode, preloaded.stdout, preloaded.stderr))

    def test_what_is_asked_of_us_without_mpi_has_an_answer(self):
        script = "import ctypes; l = ctypes.CDLL(None); p = ctypes.c_int(5); l.espalier_query_last.restype = ctypes.c_char_p; " \
                 "print(l.espalier_query_count(b'planned'), l.espalier_topology_discover_(), " \
                 "l.espalier_query_last(ctypes.byref(p)), p.value)"
        done = run("/usr/bin/python3", "-c", script, LD_PRELOAD=FRONT)
        self.assertEqual(done.stdout, "0 1 b'' 0\n", done.stderr)


    def test_a_library_that_stands_for_mpi_in_serial_programs(self):
        """It has no PMPI_*, and no other MPI is there: its calls are found once."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            build(folder / "libserial.so", "-shared", "-fPIC", "-x", "c", "-",
                  text="int MPI_Barrier(int comm) { return comm; }\nvoid mpi_barrier_(int* comm, int* error) { *error = *comm; }\n")
            build(folder / "program", "-O1", "-x", "c", "-", "-x", "none", folder / "libserial.so", f"-Wl,-rpath,{folder}", text="""
#include <stdio.h>
#include <time.h>
int MPI_Barrier(int);
void mpi_barrier_(int*, int*);
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
int main(void) {
  int seven = 7, error = 0;
  double least = 1e9;
  for (int batch = 0; batch < 100; ++batch) {
    const double begin = now();
    for (int i = 0; i < 100; ++i) mpi_barrier_(&seven, &error);
    const double one = (now() - begin) / 100;
    if (one < least) least = one;
  }
  printf("%d %d %s\\n", MPI_Barrier(3), error, least < 500 ? "quick" : "slow");
  return 0;
}
""")
            for preload in ("", FRONT):
                self.assertEqual(run(folder / "program", LD_PRELOAD=preload).stdout, "3 7 quick\n")


class Strangers(unittest.TestCase):
    """Small libraries with the names and texts of other MPIs."""

    def stub(self, folder, soname, text, names):
        variant = pathlib.Path(LIBRARIES) / "libespalier-mpich.so"
        own = ("PMPI_Init", "PMPI_Initialized", "PMPI_Get_library_version")
        rest = [s for s in names(variant) if s.startswith(("PMPI_", "MPI")) and s not in own]
        build(folder / soname, "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-x", "c", "-",
              text=STUB % ("\n".join(f"int {name}(void) {{ return 1; }}" for name in rest), text))
        build(folder / "program", "-x", "c", "-", "-x", "none", folder / soname, f"-Wl,-rpath,{folder}", text=STUB_PROGRAM)
        return folder / "program"

    def check(self, soname, text, said, names=lambda library: symbols(library, "--undefined-only")):
        with tempfile.TemporaryDirectory() as name:
            program = self.stub(pathlib.Path(name), soname, text, names)
            quiet = run(program, LD_PRELOAD=FRONT, ESPALIER_FORCE="1")
            self.assertEqual((quiet.returncode, quiet.stdout, quiet.stderr), (0, "native barrier\n", ""))
            told = run(program, LD_PRELOAD=FRONT, ESPALIER_LOG="1")
            self.assertEqual((told.returncode, told.stdout), (0, "native barrier\n"), told.stderr)
            self.assertEqual(told.stderr, f"espalier: {said}; using native collectives\n")
            self.assertEqual(run(program, LD_PRELOAD=FRONT, ESPALIER_LOG="1", PMI_RANK="1").stderr, "")

    def test_an_mpi_that_nobody_knows(self):
        self.check("libmpi.so.12", "Some MPI 1.0", "there is no library for this MPI: Some MPI 1.0")
        self.check("libmpi.so.40", "Open MPI v3.1.6", "there is no library for this MPI: Open MPI v3.1.6")
        self.check("libmpi.so.99", "MPICH Version: 9.0", "there is no library for this MPI: MPICH Version: 9.0")

    def test_one_whose_handles_are_not_what_it_says(self):
        for text in ("MPICH Version: 4.0.2", "Intel(R) MPI Library 2021.10", "MVAPICH2 Version : 2.3.7"):
            self.check("libmpi.so.12", text, "this MPI has other handles than its library says")

    def test_one_of_mpi_3_has_no_newer_functions(self):
        """Functions of MPI 4 may be absent: the variant loads, and its self-test speaks."""
        newer = re.compile(r"P?MPIX?_.*(_c|_init|_init_with_info|Session.*)$")
        needs = [n for n in must_be_there(pathlib.Path(LIBRARIES) / "libespalier-mpich.so") if newer.match(n)]
        self.assertEqual([n for n in needs if n not in ("PMPI_Recv_init", "PMPI_Send_init")], [])
        self.check("libmpi.so.12", "MVAPICH2 Version : 2.3.7", "this MPI has other handles than its library says", must_be_there)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

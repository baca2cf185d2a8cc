"""Programs and libraries that are not in Debian, as far as the loader and `espalier` look at them: small ELF files with the
sonames, the functions and the version texts of other MPIs.
"""
import os
import pathlib
import platform
import subprocess

LIBRARY = """#include <string.h>
int MPI_Init(int* c, char*** v) { return 0; }
const char version_text[] = "%s";
int MPI_Get_library_version(char* text, int* length) { strcpy(text, version_text); *length = (int)strlen(text); return 0; }
"""
PROGRAM = "int MPI_Init(int*, char***); int main(int c, char** v) { return MPI_Init(&c, &v); }\n"

# (program, soname, what MPI_Get_library_version says, what espalier makes of it, as which kind it is served)
MPIS = [
    ("openmpi5", "libmpi.so.40", "Open MPI v5.0.3, package: Open MPI builder, ident: 5.0.3, repo rev: v5.0.3, Apr 08, 2024",
     "Open MPI 5.0.3", "openmpi"),
    ("openmpi3", "libmpi.so.40", "Open MPI v3.1.6, package: Debian OpenMPI, ident: 3.1.6", "Open MPI 3.1.6", None),
    ("mpich42", "libmpi.so.12", "MPICH Version:      4.2.1\\nMPICH Release date: Wed Apr 17 15:30:02 CDT 2024\\n", "MPICH 4.2.1", "mpich"),
    ("intel", "libmpi.so.12", "Intel(R) MPI Library 2021.10 for Linux* OS\\n", "Intel MPI 2021.10", "mpich"),
    ("mvapich", "libmpi.so.12", "MVAPICH Version:  3.0\\nMPICH Version: 4.1\\n", "MVAPICH 3.0", "mpich"),
    ("mvapich2", "libmpi.so.12", "MVAPICH2 Version      :\\t2.3.7\\n", "MVAPICH 2.3.7", "mpich"),
    ("standard", "libmpi_abi.so.0", "", "an MPI through the standard's own binary interface", None),
]
# (launcher, what it prints for --version, what espalier makes of it, as which kind it is served)
LAUNCHERS = [
    ("five/mpiexec", "mpiexec (Open MPI) 5.0.3\n\nReport bugs to https://www.open-mpi.org/community/help/", "Open MPI 5.0.3",
     "openmpi"),
    ("five/prterun", "prterun (PRRTE) 3.0.8", "Open MPI", "openmpi"),
    ("oneapi/mpiexec", "Intel(R) MPI Library for Linux* OS, Version 2021.10 Build 20230619 (id: c2e19c2f3e)", "Intel MPI 2021.10",
     "mpich"),
]


def compile_c(text, to, *flags):
    subprocess.run(["gcc", "-x", "c", "-", "-x", "none", "-o", str(to), *map(str, flags)], input=text, text=True, check=True)


def other_mpis(folder):
    for name, soname, version, title, kind in MPIS:
        home = pathlib.Path(folder) / f"{name}.lib"
        home.mkdir(exist_ok=True)
        compile_c(LIBRARY % version, home / soname, "-shared", "-fPIC", f"-Wl,-soname,{soname}")
        compile_c(PROGRAM, pathlib.Path(folder) / name, home / soname, f"-Wl,-rpath,{home}")
        yield name, title, kind


def other_launchers(folder):
    for name, text, title, kind in LAUNCHERS:
        path = pathlib.Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")
        path.chmod(0o755)
        yield name, title, kind


def mixed(folder, program):
    """Linked with both MPIs of this computer. (The program is there to need one of them.)"""
    del program
    libraries = subprocess.run(["ldconfig", "-p"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {name: line.split("=> ")[1] for line in libraries.splitlines() for name in ("libmpich.so.12", "libmpi.so.40")
             if line.strip().startswith(name + " ")}
    compile_c(PROGRAM, pathlib.Path(folder) / "mixed", "-Wl,--no-as-needed", *found.values())


def unreachable(folder):
    """Programs that no library can be preloaded into, and a word of why."""
    folder = pathlib.Path(folder)
    plain = "int main(void) { return 0; }\n"
    compile_c(plain, folder / "musl", "-Wl,--dynamic-linker=/lib/ld-musl-x.so.1")
    yield "musl", "musl"
    compile_c(plain, folder / "foreign")
    with open(folder / "foreign", "r+b") as file:  # e_machine
        file.seek(18)
        file.write((183 if platform.machine() == "x86_64" else 62).to_bytes(2, "little"))
    yield "foreign", "it is a program for " + ("arm64" if platform.machine() == "x86_64" else "x86-64")
    (folder / "cut").write_bytes((folder / "musl").read_bytes()[:100])
    (folder / "cut").chmod(0o755)
    yield "cut", "no whole program"
    compile_c(PROGRAM + LIBRARY % "MPICH Version: 4.0.2", folder / "own")
    yield "own", "its MPI is linked into it statically"
    if os.geteuid() == 0:
        compile_c(plain, folder / "privileged")
        os.chown(folder / "privileged", 65534, 65534)
        (folder / "privileged").chmod(0o4755)
        yield "privileged", "rights of another user"


def compile_with(compiler, text, to, language):
    free = ["-ffree-form"] if language == "f95" else []
    subprocess.run([compiler, *free, "-x", language, "-", "-o", str(to)], input=text, text=True, check=True)

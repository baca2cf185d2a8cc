#!/usr/bin/env python3
"""`espalier doctor`: what it finds, and its exit codes.

    doctor_test.py ESPALIER PROGRAM_OF_MPICH PROGRAM_OF_OPENMPI
"""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import fakes

CALLS = """#include <mpi.h>
int main(int argc, char** argv) {
  int a = 0, b = 0; MPI_Request r;
  MPI_Init(&argc, &argv);
  MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Neighbor_allgather(&a, 1, MPI_INT, &b, 1, MPI_INT, MPI_COMM_WORLD);
  PMPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""
FORTRAN = """program p
use mpi
integer :: e, x = 1
call mpi_init(e)
call mpi_bcast(x, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, e)
call mpi_finalize(e)
end program
"""


class Doctor:
    def __init__(self, espalier, folder):
        self.espalier, self.folder = espalier, pathlib.Path(folder)
        (self.folder / "home").mkdir()

    def run(self, *words, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ESPALIER_", "XDG_")) and k != "LD_PRELOAD"}
        clean |= {"HOME": str(self.folder / "home")} | variables
        return subprocess.run([self.espalier, "doctor", *words], env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=400, check=False)

    def findings(self, *words, area=None, code=None, **variables):
        done = self.run("--json", *map(str, words), **variables)
        document = json.loads(done.stdout)
        assert done.returncode == (1 if document["counts"]["problem"] else 0), done
        assert code is None or done.returncode == code, done
        return [f for f in document["findings"] if area in (None, f["area"])]


def has(findings, level, *texts):
    """Such a finding; all that are not ok have a cure, or nothing is to be done about them."""
    for f in findings:
        if f["level"] == level and all(t in f"{f['subject']}: {f['what']} {f['cure']}" for t in texts):
            assert level in ("ok", "note") or f["cure"], f
            return
    raise AssertionError((level, texts, findings))


def mpis(t, _):
    found = t.findings(area="mpi", code=0)
    has(found, "ok", "mpiexec.mpich", "MPICH 4.")
    has(found, "ok", "mpiexec.openmpi", "Open MPI ")
    has(found, "ok", "libespalier.so", "every MPI")
    has(found, "ok", "libespalier-mpich.so", "Intel MPI")
    has(found, "ok", "libespalier-openmpi.so", "Open MPI 4 and 5")
    found = t.findings(area="commands", code=0)
    has(found, "ok", "libespalier-profile.so", "espalier run --profile")
    has(found, "ok", "libespalier-profile-mpich.so", "under MPICH")
    has(found, "ok", "espalier-discover.openmpi", "espalier discover")
    has(found, "ok", "espalier-groups.mpich", "reproduce langer --on lab")
    has(found, "ok", "espalier-npb-lu.openmpi", "reproduce park --on lab")
    assert any(f["subject"] == "smpi_times" for f in found), found
    assert {"page", "OTF2"} <= {f["subject"] for f in found}, found
    has(t.findings(area="commands", PATH="/nonexistent"), "note", "smpirun", "bench --on smpi")
    (t.folder / "alone/bin").mkdir(parents=True)
    alone = Doctor(t.folder / "alone/bin/espalier", t.folder / "alone")  # a tool without what is built beside it
    shutil.copy(t.espalier, alone.espalier)
    found = alone.findings(area="commands")
    has(found, "note", "espalier-trees.mpich", "reproduce banikazemi --on lab", "make check")
    has(found, "note", "smpi_groups", "reproduce langer --on smpi")
    found = alone.findings("/bin/true", area="commands")  # asked about a program: one note for all of them
    has(found, "note", "experiments: 16 programs are not there", "bench --on smpi", "make check")
    assert not any(f["subject"] == "smpi_groups" for f in found), found
    has(t.findings(area="mpi", code=1, PATH="/nonexistent"), "problem", "no MPI has a launcher")
    names = list(fakes.other_launchers(t.folder))
    found = t.findings(area="mpi", PATH=f"{t.folder}/five:{t.folder}/oneapi:/usr/bin:/bin", code=0)
    for name, title, _ in names:
        has(found, *(("note", "not tried") if "Intel" in title else ("ok",)), os.path.basename(name), title)


def programs(t, given):
    for program, title, library in zip(given, ("MPICH 4.", "Open MPI "), ("libmpich.so.12", "libmpi.so.40")):
        found = t.findings(program, area="program", code=0)
        has(found, "ok", f"linked with {title}", library)
        has(found, "ok", "can be planned: MPI_Bcast")
    has(t.findings("/bin/true", area="program", code=0), "note", "not linked with an MPI")
    has(t.findings("./none", area="program", code=1), "problem", "no such program")
    has(t.findings("none", area="program", code=1), "problem", "write ./none")
    (t.folder / "plain").write_text("text\n")
    has(t.findings(t.folder / "plain", area="program", code=1), "problem", "it is no program")
    for mpi in ("mpich", "openmpi"):
        fakes.compile_with(f"mpicc.{mpi}", CALLS, t.folder / "calls", "c")
        found = t.findings(t.folder / "calls", area="program", code=0)
        has(found, "ok", "can be planned: MPI_Allreduce", "MPI_Neighbor_allgather")
        has(found, "note", "non-blocking, native at first: MPI_Iallreduce", "once blocking calls of their kind were", "MPI_THREAD_MULTIPLE")
        has(found, "note", "PMPI_Bcast", "call MPI_ functions")
        fakes.compile_with(f"mpif90.{mpi}", FORTRAN, t.folder / "fortran", "f95")
        found = t.findings(t.folder / "fortran", area="program", code=0)
        has(found, "ok", "Fortran")
        has(found, "ok", "can be planned: MPI_Bcast")


def unreachable_programs(t, given):
    for name, text in fakes.unreachable(t.folder):
        has(t.findings(t.folder / name, area="program", code=1), "problem", text)
    for name, title, kind in fakes.other_mpis(t.folder):
        found = t.findings(t.folder / name, area="program", code=1 if kind is None else 0)
        if kind is None:
            has(found, "problem", title, "Espalier has no library for", "served are MPICH")
        else:
            has(found, "ok", f"linked with {title}")
            if "Intel" in title or "MVAPICH" in title:
                has(found, "note", f"{title} was not tried with Espalier", "a test in MPI_Init")
    fakes.mixed(t.folder, given[0])
    has(t.findings(t.folder / "mixed", area="program", code=1), "problem", "at once")
    fakes.compile_c(fakes.PROGRAM, t.folder / "lost", t.folder / "intel.lib/libmpi.so.12")
    os.rename(t.folder / "intel.lib", t.folder / "gone.lib")
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    if "libmpi.so.12" not in known and not glob.glob("/lib/*/libmpi.so.12"):  # the loader looks there too
        has(t.findings(t.folder / "lost", area="program", code=1), "problem", "libmpi.so.12")
    fakes.compile_c("int main(void) { return 0; }\n", t.folder / "checked", "-fsanitize=address")
    has(t.findings(t.folder / "checked", area="program", code=0), "warning", "libasan", "ASAN_OPTIONS")


def scripts(t, given):
    (t.folder / "job.sh").write_text(f"#!/bin/sh\nmpiexec.openmpi -n 2 {given[1]}\n")
    (t.folder / "job.sh").chmod(0o755)
    has(t.findings(t.folder / "job.sh", area="program", code=0), "ok", "a script that uses Open MPI", f"espalier run -- {t.folder}/job.sh")
    (t.folder / "job.sh").write_text(f"#!/bin/sh\n#SBATCH -n 2\nmpiexec.openmpi -n 2 {given[1]}\n")
    has(t.findings(t.folder / "job.sh", area="program", code=0), "ok", f"espalier run -- sbatch {t.folder}/job.sh")
    # What its launcher starts: a program of the other MPI, and one that nothing can be preloaded into.
    (t.folder / "job.sh").write_text(f"#!/bin/sh\nmpiexec.openmpi -n 2 {given[0]}\n")
    has(t.findings(t.folder / "job.sh", area="program", code=1), "problem", "it is linked with MPICH, but mpiexec.openmpi in", "start it with MPICH's mpiexec")
    fakes.compile_c(fakes.PROGRAM + fakes.LIBRARY % "MPICH Version: 4.0.2", t.folder / "half")
    (t.folder / "job.sh").write_text(f"#!/bin/sh\nmpiexec.mpich -n 4 {t.folder}/half 5\n")
    has(t.findings(t.folder / "job.sh", area="program", code=1), "problem", f"{t.folder}/half: its MPI is linked into it statically", "espalier export")
    (t.folder / "job.sh").write_text(f"#!/bin/sh\n{t.folder}/srun -n 2 {given[0]}\n{t.folder}/srun -n 4 {t.folder}/half 5\n")
    (t.folder / "srun").write_text("#!/bin/sh\n")
    (t.folder / "srun").chmod(0o755)
    has(t.findings(t.folder / "job.sh", area="program", code=1), "problem", f"{t.folder}/half: its MPI is linked into it statically", "espalier export")
    (t.folder / "job.sh").write_bytes(f"#!/bin/sh\r\nmpiexec.mpich -n 2 {given[0]}\r\n".encode())
    has(t.findings(t.folder / "job.sh", area="program", code=1), "problem", "its lines end with CR LF", f"sed -i 's/\\r$//' {t.folder}/job.sh")
    # sbatch and shells take files that may not be run, so what is in them counts.
    (t.folder / "job.sh").write_text(f"#!/bin/sh\n{t.folder}/srun -n 2 {given[0]}\n{t.folder}/srun -n 4 {t.folder}/half 5\n")
    (t.folder / "job.sh").chmod(0o644)
    has(t.findings(t.folder / "job.sh", area="program", code=1), "problem", f"{t.folder}/half: its MPI is linked into it statically")
    (t.folder / "job.sh").write_text(f"#!/bin/sh\n{t.folder}/srun -n 2 {given[0]}\n")
    has(t.findings(t.folder / "job.sh", area="program", code=0), "ok", "a script that uses MPICH", f"espalier run -- sh {t.folder}/job.sh")
    (t.folder / "job.sh").write_text(f"#!/bin/sh\n#SBATCH -n 2\n{t.folder}/srun {given[0]}\n")
    has(t.findings(t.folder / "job.sh", area="program", code=0), "ok", "a script that uses MPICH", f"espalier run -- sbatch {t.folder}/job.sh")
    has(t.findings("/usr/bin/python3", area="program", code=0), "ok", "mpi4py")
    (t.folder / "bare").mkdir()
    (t.folder / "bare" / "python3").write_text("#!/bin/sh\n")
    (t.folder / "bare" / "python3").chmod(0o755)
    program = t.folder / "solve.py"
    program.write_text("from mpi4py import MPI\n")
    found = t.findings(program, area="program", code=0, PATH=f"{t.folder}/bare:/usr/bin:/bin")
    has(found, "warning", "bare/python3 has no mpi4py", "/usr/bin/python3", " has it (Open MPI ", f" {program}")
    has(t.findings(program, area="program", code=1, PATH=f"{t.folder}/bare"), "warning", "install it", f" {program}")
    program = t.folder / "program.py"
    program.write_text("#!/usr/bin/python3\nfrom mpi4py import MPI\n")
    program.chmod(0o755)
    has(t.findings(program, area="program", code=0), "ok", "linked with Open MPI ")
    program.write_text("#!/usr/bin/python3\nprint(1)\n")
    has(t.findings(program, area="program", code=0), "note", "does not name mpi4py")


def what_is_no_program(t, _):
    has(t.findings(".", area="program", code=1), "problem", "it is a folder")
    has(t.findings("/etc/hostname", area="program", code=1), "problem", "it is no program")
    script = t.folder / "not_executable.sh"
    script.write_text("#!/bin/sh\n")
    has(t.findings(script, area="program", code=1), "problem", "it may not be run by you", "chmod +x")


def settings(t, _):
    has(t.findings(area="settings", code=0), "ok", "none is set")
    has(t.findings(area="settings", code=0, ESPALIER_MACHNE="x"), "warning", "did you mean ESPALIER_MACHINE?")
    has(t.findings(area="settings", code=0, ESPALIER_QWERTZUIOP="x"), "warning", "no such variable")
    has(t.findings(area="settings", code=1, ESPALIER_FORCE="yes"), "problem", "ESPALIER_FORCE", "neither 0 nor 1")
    has(t.findings(area="settings", code=1, ESPALIER_LOG="3"), "problem", "ESPALIER_LOG", "log level")
    has(t.findings(area="settings", code=1, ESPALIER_MEMORY="much"), "problem", "number of bytes")
    has(t.findings(area="settings", code=1, ESPALIER_ALGORITHM="ring"), "problem", "names no operation")
    has(t.findings(area="settings", code=1, ESPALIER_ALGORITHM="allreduce=rign"), "problem", 'did you mean "ring"?')
    has(t.findings(area="settings", code=1, ESPALIER_MACHINE="/none.json"), "problem", "ESPALIER_MACHINE")
    has(t.findings(area="settings", code=0, ESPALIER_MACHINE="site:2(1ms) proc:2(1us)"), "ok", "ESPALIER_MACHINE")
    has(t.findings(area="settings", code=0, ESPALIER_EXPLAIN="/none/file"), "warning", "cannot be written")
    has(t.findings(area="settings", code=0, ESPALIER_DISABLE="1"), "warning", "everything is native")
    (t.folder / "verdicts").write_text("broken\n")
    has(t.findings(area="settings", code=0, ESPALIER_VERDICTS=str(t.folder / "verdicts")), "warning", "ESPALIER_VERDICTS")


def preloads(t, _):
    has(t.findings(area="preload", code=0), "ok", "nothing else")
    has(t.findings(area="preload", code=0, LD_PRELOAD="/none.so"), "warning", "/none.so", "no such file")
    fakes.compile_c(fakes.LIBRARY % "", t.folder / "libtool.so", "-shared", "-fPIC")
    has(t.findings(area="preload", code=0, LD_PRELOAD=str(t.folder / "libtool.so")), "note", "interposes MPI too")
    os.rename(t.folder / "libtool.so", t.folder / "libmpiP.so")
    has(t.findings(area="preload", code=0, LD_PRELOAD=str(t.folder / "libmpiP.so")), "note", "mpiP interposes")
    fakes.compile_c("int nothing;\n", t.folder / "libother.so", "-shared", "-fPIC")
    has(t.findings(area="preload", code=0, LD_PRELOAD=str(t.folder / "libother.so")), "ok", "does not touch MPI")


def caches(t, _):
    has(t.findings(area="cache", code=0), "ok", "0 machines are there")
    folder = t.folder / "home" / ".cache" / "espalier"
    folder.mkdir(parents=True)
    machine = json.dumps({"format": "espalier-machine-1", "processes": 2})
    entry = {"format": "espalier-discovery-1", "key": "k", "made": int(time.time()), "words": [], "machine": machine}
    for name, made in (("new", 0), ("old", 30 * 24 * 3600)):
        file = folder / f"machine-{name}.json"
        file.write_text(json.dumps(entry | {"made": entry["made"] - made}))
        file.chmod(0o600)
    (folder / "machine-broken.json").write_text("{")
    found = t.findings(area="cache", code=0)
    has(found, "ok", "1 machine is there")
    has(found, "note", "machine-old.json", "30 days ago")
    has(found, "warning", "machine-broken.json", "remove it")
    (folder / "machine-new.json").chmod(0o666)
    has(t.findings(area="cache", code=0), "warning", "others may write")
    has(t.findings(area="cache", code=0, HOME=""), "warning", "set HOME")
    has(t.findings(area="cache", code=0, XDG_CACHE_HOME="/etc/passwd"), "warning", "/etc/passwd is no folder")
    linked = t.folder / "linked"
    linked.mkdir()
    (linked / "espalier").symlink_to(t.folder / "elsewhere")
    has(t.findings(area="cache", code=0, XDG_CACHE_HOME=str(linked)), "warning", "a link that leads nowhere")
    (t.folder / "elsewhere").mkdir()
    has(t.findings(area="cache", code=0, XDG_CACHE_HOME=str(linked)), "ok", "a link to", "elsewhere")


def full_caches(t, _):
    """A small file system of our own, in a namespace of our own."""
    disk = t.folder / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=2m none {disk}"
    if subprocess.run(["unshare", "-Urm", "sh", "-c", mount], capture_output=True, check=False).returncode != 0:
        print("no file systems of our own here: not tried")
        return
    for fill, level, words in (("true", "ok", "can be kept"), (f"head -c 1500000 /dev/zero > {disk}/large", "warning", "its disk is full")):
        command = f"{mount} && {fill} && exec {t.espalier} doctor --json"
        done = subprocess.run(["unshare", "-Urm", "sh", "-c", command], capture_output=True, text=True, check=False,
                              env=os.environ | {"XDG_CACHE_HOME": str(disk)})
        has([f for f in json.loads(done.stdout)["findings"] if f["area"] == "cache"], level, words)


def launchers(t, _):
    for name in ("mpiexec", "mpirun"):
        if shutil.which(name):
            has(t.findings(name, area="program"), "note", f"{name}: the launcher of", "espalier doctor ./program")
    # One that stands elsewhere is not run.
    fake = t.folder / "mpiexec"
    fake.write_text(f"#!/bin/sh\ntouch {t.folder}/was_run\n")
    fake.chmod(0o755)
    has(t.findings(fake, area="program"), "note", "a launcher: it starts programs")
    assert not (t.folder / "was_run").exists()


def surroundings(t, _):
    found = t.findings(code=0)
    has(found, "ok", "hwloc: sees ")
    assert {f["area"] for f in found} == {"mpi", "preload", "settings", "node", "network", "launch", "commands", "cache"}, found
    has(t.findings(area="node", code=0, TMPDIR="/none"), "warning", "TMPDIR")
    has(t.findings(area="node", code=0, HWLOC_SYNTHETIC="pack:2 core:3 pu:1"), "ok", "sees 6 cores")


def for_people(t, given):
    done = t.run(given[0], "--width", "80")
    assert done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout, done
    assert max(map(len, done.stdout.splitlines())) < 160 and done.stdout.startswith("Programs\n  ok        "), done.stdout
    assert "\n0 problems, " in done.stdout, done.stdout
    # What is ok but not about the program is one line; without programs, and as JSON, all of it is there.
    assert "\nok: " in done.stdout and "other findings about this installation" in done.stdout and "\n  ok        ssh" not in done.stdout and "for espalier reproduce langer" not in done.stdout, done.stdout
    alone = t.run("--width", "80").stdout
    assert "other findings" not in alone and alone.count("\n  ok  ") > 20, alone
    assert sum(f["level"] == "ok" for f in t.findings(given[0])) > 20
    assert "\x1b" in t.run("--color", "always").stdout
    done = t.run("./none")
    assert done.returncode == 1 and done.stderr == "" and done.stdout.count("1 problem,") == 1, done
    assert t.run("--jsn").returncode == 2


CASES = [mpis, programs, unreachable_programs, scripts, what_is_no_program, settings, preloads, caches, full_caches, launchers, surroundings, for_people]


def main():
    espalier, mpich, openmpi, *wanted = sys.argv[1:]
    for case in CASES:
        if wanted and case.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            case(Doctor(espalier, folder), (mpich, openmpi))
        print(f"{case.__name__}: right", flush=True)


if __name__ == "__main__":
    main()

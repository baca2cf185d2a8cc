#!/usr/bin/env python3
"""`espalier run` under both MPIs: programs, scripts, several programs, other preloads; and what it refuses.

    run_programs.py ESPALIER MPI PROGRAM OTHER_PROGRAM [CASE ...]

PROGRAM (whoami.c) prints a line for each rank; OTHER_PROGRAM is the same for the other MPI.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

MACHINE = "site:2(10ms) proc:2(1us)"


class Runner:
    def __init__(self, espalier, mpi, program, other):
        self.espalier, self.mpi, self.program, self.other = espalier, mpi, program, other
        self.mpiexec = f"mpiexec.{mpi}"
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.launcher = [self.mpiexec]
        if mpi == "openmpi":
            self.launcher += ["--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]

    def run(self, words, options=(), **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ESPALIER_") and k != "LD_PRELOAD"}
        return subprocess.run([self.espalier, "run", *options, "--", *words], env=clean | environment, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def script(self, text):
        path = self.folder / "script.sh"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)


def planned(done, ranks):
    """All ranks ran, and every one's broadcast along a plan."""
    lines = sorted(line for line in done.stdout.splitlines() if line.startswith("rank "))
    wanted = [f"rank {r} planned" for r in range(ranks)]
    got = [line.split(",")[0] for line in lines]
    assert done.returncode == 0 and got == wanted, (done.returncode, done.stdout, done.stderr)
    return lines


def refused(done, *texts):
    assert done.returncode == 2 and done.stdout == "", (done.returncode, done.stdout, done.stderr)
    for text in (*texts, "hint:"):
        assert text in done.stderr, (text, done.stderr)


FORCED = ["--machine", MACHINE, "--force"]


def a_program(t):
    planned(t.run(t.launcher + ["-n", "4", t.program], FORCED), 4)


def a_script(t):
    planned(t.run(t.launcher + ["-n", "4", t.script(f"exec {t.program} \"$@\"\n")], FORCED), 4)


def several_programs(t):
    done = t.run(t.launcher + ["-n", "1", t.program, "first", ":", "-n", "3", t.program, "second"], FORCED)
    lines = planned(done, 4)
    assert [line.rsplit(" ", 1)[1] for line in lines] == ["first", "second", "second", "second"], lines


def another_preload(t):
    # Any library will do: that it is still there is seen in the ranks' own environment.
    other = subprocess.run(["gcc", "-print-file-name=libm.so.6"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.strip()
    lines = planned(t.run(t.launcher + ["-n", "4", t.program], FORCED, LD_PRELOAD=other), 4)
    assert all(f":{other}" in line for line in lines), lines
    flag = ["-genv", "LD_PRELOAD", other] if t.mpi == "mpich" else ["-x", f"LD_PRELOAD={other}"]
    lines = planned(t.run(t.launcher + flag + ["-n", "4", t.program], FORCED), 4)
    assert all(f":{other}" in line for line in lines), lines


def settings_of_the_environment(t):
    planned(t.run(t.launcher + ["-n", "4", t.program], ESPALIER_MACHINE=MACHINE, ESPALIER_FORCE="1"), 4)


def a_machine_file(t):
    (t.folder / "machine.txt").write_text(MACHINE + "\n")
    options = ["--machine", os.path.relpath(t.folder / "machine.txt"), "--force", "--explain"]
    done = t.run(t.launcher + ["-n", "4", t.program], options)
    planned(done, 4)
    assert "broadcast" in done.stderr, done.stderr


def exit_codes(t):
    done = t.run(t.launcher + ["-n", "1", t.script("exit 7\n")])
    assert done.returncode == 7, done.returncode


def refusals(t):
    refused(t.run([]), "no command is given")
    refused(t.run(t.launcher + ["-n", "4"]), "no program")
    refused(t.run(t.launcher + ["-n", "4", "./no-such-program"]), "./no-such-program", "no such program")
    refused(t.run(["no-such-launcher", "-n", "4", t.program]), "no-such-launcher", "no such program")
    refused(t.run(["sleep", "0"]), "sleep", "no MPI found")
    refused(t.run(t.launcher + ["-n", "4", t.other]), "is linked with", t.mpiexec)
    refused(t.run(t.launcher + ["-n", "1", t.program, ":", "-n", "3", t.other]), "is linked with")
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--machine", "site:0"]), "site:0")
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--library", "/no/such/library.so"]), "/no/such/library.so")
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--mpi", "lam"]), "--mpi")
    source = t.folder / "static.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-static", str(source), "-o", str(t.folder / "static")], check=True)
    refused(t.run(t.launcher + ["-n", "1", str(t.folder / "static")]), "linked statically")


CASES = [a_program, a_script, several_programs, another_preload, settings_of_the_environment, a_machine_file,
         exit_codes, refusals]


def main():
    espalier, mpi, program, other, *wanted = sys.argv[1:]
    runner = Runner(espalier, mpi, program, other)
    for case in CASES:
        if not wanted or case.__name__ in wanted:
            case(runner)
            print(f"{case.__name__}: right", flush=True)


if __name__ == "__main__":
    main()

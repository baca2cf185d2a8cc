#!/usr/bin/env python3
"""`espalier run` with srun, sbatch and salloc of a Slurm that is started privately: a controller and one node, on loopback.

    run_jobs.py ESPALIER PROGRAM_OF_MPICH PROGRAM_OF_OPENMPI [CASE ...]     LONG_TESTS=1: every case with both MPIs

Skipped (exit code 77) with one line where a daemon is missing, or without root, whom slurmd wants to be.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from live_slurmctld import SKIPPED, free_port

CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdSpoolDir={folder}/spool
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP OverSubscribe=FORCE
"""
MACHINE = "site:2(10ms) proc:2(1us)"
TYPES = {"mpich": "pmi2", "openmpi": "pmix"}
LAUNCHERS = {"mpich": "mpiexec.mpich -n 4", "openmpi": "mpiexec.openmpi --allow-run-as-root --oversubscribe -n 4"}


class Slurm:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("state", "spool"):
            (self.folder / name).mkdir(mode=0o700)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], controller=free_port(), node=free_port(), folder=folder))
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("ESPALIER_", "SLURM_", "SBATCH_")) and k != "LD_PRELOAD"}
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.daemons = []

    def ask(self, *command, **variables):
        return subprocess.run(command, env=self.environment | variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=400, check=False, cwd=self.folder)

    def start(self):
        for daemon in ("slurmctld", "slurmd"):
            with open(self.folder / f"{daemon}.out", "w", encoding="utf-8") as out:
                self.daemons.append(subprocess.Popen([daemon, "-D"], env=self.environment, stdout=out, stderr=out))
            self.wait(["scontrol", "ping"] if daemon == "slurmctld" else ["sinfo", "-h", "-o", "%t"],
                      " UP" if daemon == "slurmctld" else "idle", daemon)

    def wait(self, command, text, daemon):
        for _ in range(120):
            if text in self.ask(*command).stdout:
                return
            assert self.daemons[-1].poll() is None, (self.folder / f"{daemon}.out").read_text(errors="replace")
            time.sleep(0.5)
        raise AssertionError(f"{daemon} does not answer")

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait(30)


class Jobs:
    def __init__(self, slurm, espalier, programs):
        self.slurm, self.espalier, self.programs = slurm, espalier, programs

    def run(self, *words, options=("--machine", MACHINE, "--force"), **variables):
        return self.slurm.ask(self.espalier, "run", *options, "--", *words, **variables)

    def batch(self, name, *lines):
        path = self.slurm.folder / name
        path.write_text("#!/bin/bash\n#SBATCH -n 4\n" + "\n".join(lines) + "\n")
        return str(path)

    def output_of(self, done):
        """What a job that was submitted with -o job.out wrote, as soon as it has ended: sbatch -W looks every ten seconds only."""
        assert done.returncode == 0, done
        number = re.search(r"Submitted batch job (\d+)", done.stdout)[1]
        for _ in range(4000):
            state = re.search(r"JobState=(\S+)", self.slurm.ask("scontrol", "show", "job", number).stdout)[1]
            if state not in ("PENDING", "RUNNING", "COMPLETING"):
                break
            time.sleep(0.1)
        assert state == "COMPLETED", (state, done)
        done.stdout = (self.slurm.folder / "job.out").read_text()
        return done


def planned(done, ranks=4, times=1):
    lines = sorted(line for line in done.stdout.splitlines() if line.startswith("rank "))
    wanted = sorted([f"rank {r} planned" for r in range(ranks)] * times)
    assert done.returncode == 0 and [line.split(",")[0] for line in lines] == wanted, done
    return lines


def srun(t, mpi, program):
    kind = f"--mpi={TYPES[mpi]}"
    done = t.run("srun", kind, "-n", "4", program)
    planned(done)
    assert "note" not in done.stderr, done.stderr
    planned(t.run("srun", kind, "-n4", "env", "A=b", program))
    planned(t.run("srun", "--mpi", TYPES[mpi], "--export", "HOME,A=b", "-n", "4", program))
    if t.slurm.ask("srun", kind, "--export=NONE", "-n", "1", program).returncode == 0:
        planned(t.run("srun", kind, "--export=NONE", "-n", "4", program))
        planned(t.run("srun", kind, "-n", "4", program, SLURM_EXPORT_ENV="NONE"))
    else:
        assert mpi == "openmpi"  # Open MPI 5 does not start without $HOME
        print("srun --export=NONE: not without Espalier either")
    lines = planned(t.run("srun", "-n", "4", program, SLURM_MPI_TYPE=TYPES[mpi], LD_PRELOAD="/lib/none.so:/lib/other.so"))
    assert all(".so:/lib/none.so:/lib/other.so," in line for line in lines), lines
    # The program's own espalier run: whatever started it.
    planned(t.slurm.ask("srun", kind, "-n", "4", t.espalier, "run", "--machine", MACHINE, "--force", "--", program))


def srun_says_which_type_it_needs(t, mpi, program):
    done = t.run("srun", "--mpi=none", "-n", "1", program, options=())
    assert f"espalier run: note: srun --mpi is none here" in done.stderr and f"--mpi={TYPES[mpi]} helps" in done.stderr, done
    assert f"--mpi={TYPES[mpi]} helps" in t.run("srun", "-n", "1", program, options=()).stderr


def several_programs(t, mpi, program):
    (t.slurm.folder / "multi.conf").write_text(f"0 {program} first\n1-3 {program} second\n")
    lines = planned(t.run("srun", f"--mpi={TYPES[mpi]}", "-n", "4", "--multi-prog", "multi.conf"))
    assert [line.rsplit(" ", 1)[1] for line in lines] == ["first", "second", "second", "second"], lines


def sbatch(t, mpi, program):
    inner = [f"{LAUNCHERS[mpi]} {program}", f"srun --mpi={TYPES[mpi]} -n 4 {program}"]
    planned(t.output_of(t.run("sbatch", "-o", "job.out", t.batch("job.sh", *inner))), times=2)
    none = t.batch("none.sh", "#SBATCH --export=NONE", inner[0])
    planned(t.output_of(t.run("sbatch", "-o", "job.out", none)))
    planned(t.output_of(t.run("sbatch", "-n4", "-o", "job.out", f"--wrap={inner[0]}")))
    own = t.batch("own.sh", *(f"{t.espalier} run --machine '{MACHINE}' --force -- {line}" for line in inner))
    planned(t.output_of(t.slurm.ask("sbatch", "-o", "job.out", own)), times=2)
    hidden = t.batch("hidden.sh", f"P={program[:-1]}", f"{LAUNCHERS[mpi].split()[0]}$X -n 1 $P{program[-1]}".replace("$X", "${X}"))
    done = t.run("sbatch", "-o", "job.out", hidden)
    assert done.returncode == 2 and "no MPI found" in done.stderr and "--mpi" in done.stderr, done


def salloc(t, mpi, program):
    planned(t.run("salloc", "-n", "4", *LAUNCHERS[mpi].split(), program))
    planned(t.run("salloc", "-n", "4", "srun", f"--mpi={TYPES[mpi]}", program))


def exit_codes(t, mpi, program):
    assert t.run("srun", "-n", "1", "bash", "-c", f"exit 7; {program}").returncode == 7
    failing = t.batch("failing.sh", "exit 5", f"{LAUNCHERS[mpi]} {program}")
    assert t.run("sbatch", "-W", "-o", "job.out", failing).returncode == 5


def refusals(t, _mpi, program):
    for words, text in ((["srun", "-n", "4", "./none"], "no such program"), (["srun", "-n", "4", "sleep", "0"], "no MPI found"),
                        (["srun", "-n", "4"], "no program"), (["sbatch", "missing.sh"], "no such script"),
                        (["srun", "-n", "1", t.programs["mpich"], ":", "-n", "1", t.programs["openmpi"]], "is linked with")):
        done = t.run(*words)
        assert done.returncode == 2 and text in done.stderr and "hint:" in done.stderr, done
    done = t.run("srun", "-n", "4", program, options=("--library", __file__.replace("run_jobs.py", "CMakeLists.txt"), "--print"))
    assert done.returncode == 2 and "is no shared library" in done.stderr, done
    done = t.run("srun", "-n", "4", program, options=("--print",))
    assert done.returncode == 0 and "--export=ALL,LD_PRELOAD=" in done.stdout, done


def doctor(t, _mpi, _program):
    done = t.slurm.ask(t.espalier, "doctor")
    assert done.returncode == 0 and "MPICH with --mpi=pmi2, Open MPI with --mpi=pmix" in " ".join(done.stdout.split()), done
    done = t.slurm.ask(t.espalier, "doctor", SLURM_CONF="/none")
    assert done.returncode == 0 and "not set up" in done.stdout, done


CASES = [srun, srun_says_which_type_it_needs, several_programs, sbatch, salloc, exit_codes, refusals, doctor]


def main():
    espalier, mpich, openmpi, *wanted = sys.argv[1:]
    for tool in ("slurmctld", "slurmd", "srun", "sbatch", "salloc"):
        if shutil.which(tool) is None:
            print(f"skipped: there is no {tool}")
            return SKIPPED
    if os.geteuid() != 0:
        print("skipped: slurmd runs jobs as root only")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        slurm = Slurm(folder)
        try:
            slurm.start()
            jobs = Jobs(slurm, espalier, {"mpich": mpich, "openmpi": openmpi})
            for number, case in enumerate(CASES):
                for turn, (mpi, program) in enumerate(jobs.programs.items()):
                    if case.__name__ in wanted if wanted else "LONG_TESTS" in os.environ or case is srun or number % 2 == turn:
                        case(jobs, mpi, program)
                        print(f"{case.__name__} {mpi}: right", flush=True)
        finally:
            slurm.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())

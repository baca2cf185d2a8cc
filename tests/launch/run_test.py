#!/usr/bin/env python3
"""`espalier run` under both MPIs: programs, scripts, wrappers, Python, several programs, other preloads; and what it refuses.

    run_test.py ESPALIER MPI PROGRAM OTHER_PROGRAM [CASE ...]     LONG_TESTS=1: every case with both MPIs

PROGRAM (whoami.c) prints a line for each rank; OTHER_PROGRAM is the same for the other MPI.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import fakes

MACHINE = "site:2(10ms) proc:2(1us)"


class Runner:
    def __init__(self, espalier, mpi, program, other):
        self.espalier, self.mpi, self.program, self.other = espalier, mpi, program, other
        self.mpiexec = f"mpiexec.{mpi}"
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name)
        self.launcher = [self.mpiexec]
        if mpi == "openmpi":
            self.launcher += ["--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
        version = subprocess.run([self.mpiexec, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.is_prrte = mpi == "openmpi" and "OpenRTE" not in version
        # mpiexec of Open MPI 5.0.7 crashes on several programs, without us too.
        self.launcher_of_several = self.launcher
        if self.is_prrte:
            self.launcher_of_several = ["prterun", "--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE"]

    def run(self, words, options=(), **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ESPALIER_") and k != "LD_PRELOAD"}
        return subprocess.run([self.espalier, "run", *options, "--", *words], env=clean | environment, timeout=400,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def script(self, text, name="script.sh"):
        path = self.folder / name
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
    done = t.run(t.launcher_of_several + ["-n", "1", t.program, "first", ":", "-n", "3", t.program, "second"], FORCED)
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


def a_machine_of_another_size(t):
    (t.folder / "five.json").write_text('{"format": "espalier-machine-1", "processes": 5}')
    done = t.run(t.launcher + ["-n", "2", t.program], ["--machine", str(t.folder / "five.json")])
    assert done.returncode == 0, done
    assert f'machine "{t.folder}/five.json" (--machine or ESPALIER_MACHINE): error: it has 5 processes' in done.stderr, done.stderr


def settings_of_each_host(t):
    """Where a host is only the host itself knows: what this one has is not handed to the others."""
    command = t.launcher + ["-n", "4", t.program]
    names = ("ESPALIER_CLUSTERS", "ESPALIER_SITE", "ESPALIER_LAN")
    done = t.run(command, ["--print"], **{name: "here" for name in names}, ESPALIER_LOG="1")
    assert done.returncode == 0 and "ESPALIER_LOG" in done.stdout, done
    for name in names:
        assert name not in done.stdout, done.stdout
        # Its launcher hands on all that there is, and cannot be told not to.
        assert (f"{name}: the launcher hands" in done.stderr) == (t.mpi == "mpich"), done.stderr
    assert "@/etc/clusters" in t.run(command, ["--print"], ESPALIER_CLUSTERS="@/etc/clusters").stdout
    assert "ESPALIER_CLUSTERS" in t.run([t.program], ["--print"], ESPALIER_CLUSTERS="here").stdout


def a_machine_file(t):
    (t.folder / "machine.txt").write_text(MACHINE + "\n")
    options = ["--machine", os.path.relpath(t.folder / "machine.txt"), "--force", "--explain"]
    done = t.run(t.launcher + ["-n", "4", t.program], options)
    planned(done, 4)
    assert "broadcast" in done.stderr, done.stderr


def ways_to_write_a_launcher(t):
    names = [f"/usr/bin/mpiexec.{t.mpi}", f"mpirun.{t.mpi}"]
    if not t.is_prrte:
        names.append("mpiexec.hydra" if t.mpi == "mpich" else "orterun")
    for name in names:
        planned(t.run([name, *t.launcher[1:], "-n", "4", t.program], FORCED), 4)
    planned(t.run([*t.launcher_of_several, "-n", "4", t.program], FORCED), 4)
    planned(t.run(["timeout", "60", "env", "A=b", *t.launcher, "-n", "4", t.program], FORCED), 4)


def launchers_outside_of_path(t):
    """Their files tell what they are: nothing there is run before the program."""
    launcher = t.folder / "mpiexec"
    shutil.copy(shutil.which(t.mpiexec), launcher)
    done = t.run([str(launcher), "-n", "2", t.program], ["--print"])
    flag = "-genv LD_PRELOAD" if t.mpi == "mpich" else "-x LD_PRELOAD"
    assert done.returncode == 0 and f"{launcher} {flag}" in done.stdout, done
    launcher.unlink()


def arguments_called_like_launchers(t):
    ran = t.folder / "ran"
    script = t.script(f"touch {ran}\nexec {t.program} \"$@\"\n", "mpirun.sh")
    (t.folder / "srun").write_text("data\n")
    for words in ([script], ["bash", script, "input"], [t.program, script, "input"], ["env", "A=b", script], [t.program, "-o", "mpirun.out", "100"],
                  [t.program, str(t.folder / "srun")], ["bash", "-o", "pipefail", "-c", f"{t.mpiexec} -n 2 where"]):
        for options in ([], ["--mpi", t.mpi]):
            done = t.run(words, ["--print", *options])
            assert done.returncode == 0 and "libespalier.so" in done.stdout, (words, done)
            assert "-genv" not in done.stdout and " -x " not in done.stdout and "--export" not in done.stdout, (words, done)
    assert not ran.exists(), "a script was run to ask what it is"
    planned(t.run([*t.launcher, "-n", "2", script], ["--machine", "site:2(10ms)", "--force"]), 2)
    assert ran.exists()


def ways_to_name_a_program(t):
    folder, name = os.path.split(t.program)
    planned(t.run(t.launcher + ["-n", "4", name], FORCED, PATH=f"{os.environ['PATH']}:{folder}"), 4)
    planned(t.run(t.launcher + ["-n", "4", os.path.relpath(t.program)], FORCED), 4)
    planned(t.run(t.launcher + ["-n", "4", "-wdir", folder, f"./{name}"], FORCED), 4)


def wrappers(t):
    for words in (["env", "A=b", t.program], ["taskset", "-c", "0,1", t.program], ["timeout", "60", t.program],
                  ["bash", "-c", f"exec {t.program}"], ["nice", "-n", "1", "env", "A=/b", t.program]):
        planned(t.run(t.launcher + ["-n", "4", *words], FORCED), 4)
        wrong = [t.other if word == t.program else word.replace(t.program, t.other) for word in words]
        refused(t.run(t.launcher + ["-n", "4", *wrong], FORCED), "is linked with")


def scripts_that_start_launchers(t):
    line = " ".join([*t.launcher, "-n", "4", t.program])
    planned(t.run([t.script(line + "\n")], FORCED), 4)
    planned(t.run(["bash", t.script(line + "\n")], FORCED), 4)
    planned(t.run(["bash", "-c", line], FORCED), 4)
    t.script(line + "\n", "inner.sh")
    planned(t.run([t.script(f"# {t.other}\n{t.folder}/inner.sh\n")], FORCED), 4)
    refused(t.run([t.script(f"{line}\n{t.other}\n")]), "MPICH", "Open MPI", "--mpi")
    planned(t.run([t.script(f"{line}\necho {t.other}\n")], [*FORCED, "--mpi", t.mpi]), 4)


def espalier_under_a_launcher(t):
    done = t.run([t.program])
    assert done.returncode == 0 and done.stdout.startswith("rank 0 native, preloaded /"), done
    line = [*t.launcher, "-n", "4", t.espalier, "run", "--machine", MACHINE, "--force", "--", t.program]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=400, check=False)
    planned(done, 4)
    # ... and twice: a script under the library that calls espalier run itself.
    planned(t.run([t.script(" ".join([t.espalier, "run", "--", *t.launcher, "-n", "4", t.program, "\n"]))], FORCED), 4)


def files_of_programs(t):
    (t.folder / "programs").write_text(f"# two parts\n-n 1 {t.program} first\n\n-n 3 {t.program} second # all others\n")
    option = "-configfile" if t.mpi == "mpich" else "--app"
    lines = planned(t.run(t.launcher_of_several + [option, str(t.folder / "programs")], FORCED), 4)
    assert [line.rsplit(" ", 1)[1] for line in lines] == ["first", "second", "second", "second"], lines
    done = subprocess.run([t.espalier, "discover", "--print", "--", *t.launcher, option, str(t.folder / "programs")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=400, check=False)
    assert done.returncode == 0 and done.stdout.count("espalier-discover.") == 2 and t.program not in done.stdout, done
    refused(t.run(t.launcher + [option, str(t.folder / "none")]), "cannot be read")
    (t.folder / "programs").write_text("# none\n")
    refused(t.run(t.launcher + [option, str(t.folder / "programs")]), "names no programs")
    (t.folder / "programs").write_text(f"-n 1 {t.other}\n")
    refused(t.run(t.launcher + [option, str(t.folder / "programs")]), "is linked with")


def spawned_processes(t):
    """Debian's MPICHs cannot spawn."""
    if t.mpi == "mpich":
        return
    done = t.run(t.launcher + ["-n", "1", t.program, "spawn"], FORCED)
    lines = sorted(line for line in done.stdout.splitlines() if line.startswith("spawned "))
    assert done.returncode == 0 and len(lines) == 2, (done.stdout, done.stderr)
    assert all("libespalier" in line for line in lines), lines


def python(t):
    """Debian's mpi4py is linked with Open MPI."""
    program = t.folder / "program.py"
    program.write_text("#!/usr/bin/python3\nfrom mpi4py import MPI\nimport os\n"
                       "w = MPI.COMM_WORLD\nassert w.allreduce(1) == w.size\n"
                       "os.write(1, f\"rank {w.rank} {os.environ['LD_PRELOAD'].rsplit('/', 1)[1]}\\n\".encode())\n")
    program.chmod(0o755)
    for words in (["/usr/bin/python3", str(program)], [str(program)], ["env", "A=b", "/usr/bin/python3", "-u", str(program)]):
        done = t.run(t.launcher + ["-n", "2", *words])
        if t.mpi == "openmpi":
            assert sorted(done.stdout.split("\n"))[1:] == [f"rank {r} libespalier.so" for r in range(2)], done
        else:
            refused(done, "mpi4py is linked with Open MPI", "mpiexec.mpich is MPICH's")
    # Python without mpi4py: the launcher's library.
    done = t.run(t.launcher + ["-n", "1", "/usr/bin/python3", "-c", "import os; print(os.environ['LD_PRELOAD'])"])
    assert done.returncode == 0 and "libespalier.so" in done.stdout, done
    assert "espalier run: note: no MPI is seen in /usr/bin/python3" in done.stderr, done.stderr


def inventory_of(t):
    """Three clusters of two hosts: their file."""
    path = t.folder / "hosts.json"
    path.write_text(
        '{"format": "espalier-inventory-1", "name": "two", "between": {"latency": "5 ms"}, "inside": {"latency": "50 us"}, "hosts": ['
        '{"name": "a[1-2]", "cluster": "A"}, {"name": "b[1-2]", "cluster": "B"}, {"name": "c[1-2]", "cluster": "C"}]}')
    return str(path)


def placed_by_profile(t):
    """Inventory, profile, placement and launch in one command."""
    inventory, hosts = inventory_of(t), str(t.folder / "hosts")
    command = t.launcher + ["-n", "4", t.program]
    options = ["--place", inventory, "--by", "lu.S", "--hosts", hosts, "--print"]
    done = t.run(command, options)
    assert done.returncode == 0 and f" {hosts}" in done.stdout and "4 processes on " in done.stderr, (done.stdout, done.stderr)
    (t.folder / "here").write_text("localhost slots=4\n")
    here = ["--place", str(t.folder / "here"), "--by", "lu.S", "--machine", MACHINE, "--force"]
    planned(t.run(command, here), 4)  # the launcher's file has no name, and ends with it
    refused(t.run(t.launcher + [t.program], ["--place", inventory, "--by", "lu.S"]), "how many processes")
    told = ["-f", "--hosts"] if t.mpi == "mpich" else ["--host", "--map-by"]
    for option in (*told, "-hostfile", "--machinefile"):
        refused(t.run(t.launcher + ["-n", "4", option, "x", t.program], options), "told already", option)
    assert t.run(t.launcher + ["-n", "4", t.program, "-f", "x"], options).returncode == 0


def placed_as_the_weather_says(t):
    """With a forecast: a link that goes bad changes the placement. And what is refused of it under any launcher."""
    inventory, hosts, history = inventory_of(t), str(t.folder / "hosts"), str(t.folder / "weather.db")
    command = t.launcher + ["-n", "4", t.program]
    options = ["--place", inventory, "--by", "lu.S", "--hosts", hosts, "--print"]

    def clusters():
        return {line[0].upper() for line in (t.folder / "hosts").read_text().split()}

    def recorded(*links):
        done = subprocess.run([t.espalier, "weather", "record", "--history", history,
                               *(word for link in links for word in ("--sample", link))], stdout=subprocess.PIPE, check=False)
        assert done.returncode == 0, done

    recorded("A,B,1ms", "A,C,5ms", "B,C,5ms")
    t.run(command, options + ["--weather", history])
    assert clusters() == {"A", "B"}, clusters()
    recorded(*5 * ["A,B,80ms"])
    t.run(command, options + ["--weather", history])
    assert clusters() != {"A", "B"}, clusters()
    t.run(command, options + ["--exclude", "A"])
    assert clusters() == {"B", "C"}, clusters()
    t.run(command, options + ["--pin", "0=c2"])
    assert (t.folder / "hosts").read_text().startswith("c2"), (t.folder / "hosts").read_text()
    refused(t.run(command, ["--by", "lu.S"]), "--by", "nothing is placed")
    refused(t.run(command, ["--per-node", "2"]), "--per-node", "nothing is placed")
    refused(t.run(command, ["--pin", "0=c2"]), "--pin", "nothing is placed")
    refused(t.run(command, ["--place", inventory]), "how the program communicates")
    refused(t.run(command, ["--place", inventory, "--by", "lu.S", "--print"]), "--print")
    example = ["--place", "park-20", *options[2:]]
    assert t.run(command, example).returncode == 0, t.run(command, example).stderr


def scripts_that_cannot_be_served(t):
    """What a launcher in a script starts is looked at as on the command line."""
    fakes.compile_c(fakes.PROGRAM + fakes.LIBRARY % "MPICH Version: 4.0.2", t.folder / "own")
    script = t.script(f"{t.mpiexec} -n 2 {t.folder}/own 5\n")
    refused(t.run([script], ["--explain"]), f"{t.folder}/own: error:", "its MPI is linked into it statically", "espalier export", f"--mpi {t.mpi} runs")
    assert "tells more" not in t.run([script]).stderr, "the doctor would only repeat it"
    assert t.run([script], ["--mpi", t.mpi, "--print"]).returncode == 0
    refused(t.run([t.script(f"{t.mpiexec} -n 1 env A=b {t.folder}/own\n")]), "statically")
    refused(t.run([t.script(f"{t.mpiexec} -n 2 {t.other}\n")]), "it is linked with", f"but {t.mpiexec} in {t.folder}/script.sh is", "start it with")
    planned(t.run([t.script(f"PROGRAM={t.program}\n{' '.join(t.launcher)} -n 4 $PROGRAM\n")], FORCED), 4)
    # srun starts programs of any MPI, but none that nothing can be preloaded into.
    (t.folder / "steps").mkdir()
    (t.folder / "steps" / "srun").write_text("#!/bin/sh\n")
    (t.folder / "steps" / "srun").chmod(0o755)
    steps = t.script(f"{t.folder}/steps/srun -n 1 {t.program}\n{t.folder}/steps/srun -n 2 {t.folder}/own 5\n")
    for command in ([steps], ["sh", steps], ["sbatch", steps]):
        refused(t.run(command, ["--print"]), f"{t.folder}/own: error:", "its MPI is linked into it statically", "--mpi")
    dos = t.script("", name="dos.sh")
    pathlib.Path(dos).write_bytes(f"#!/bin/sh\r\n{t.mpiexec} -n 2 {t.program}\r\n".encode())
    refused(t.run([dos]), f"{dos}: error: its lines end with CR LF", "sed -i")
    # A script that may not be run by itself.
    pathlib.Path(steps).chmod(0o644)
    refused(t.run([steps]), "it may not be run by you", f"chmod +x {steps}, or write sh (or sbatch) before it")


def exit_codes(t):
    done = t.run(t.launcher + ["-n", "1", t.script("exit 7\n")])
    assert done.returncode == 7, done.returncode
    done = t.run([t.script(f"exit 9\n{t.program}\n")])
    assert done.returncode == 9, done.returncode
    # What the launcher makes of a signal is what we make of it.
    killed = t.launcher + ["-n", "1", t.script("kill -KILL $$\n")]
    plain = subprocess.run(killed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert t.run(killed).returncode == plain.returncode != 0, plain.returncode
    assert t.run([t.script(f"kill -TERM $$\n{t.program}\n")]).returncode == -signal.SIGTERM


def refusals(t):
    refused(t.run([]), "no command is given")
    refused(t.run(t.launcher + ["-n", "4"]), "no program")
    refused(t.run(t.launcher + ["-n", "4", "./no-such-program"]), "./no-such-program", "no such program")
    refused(t.run(["no-such-launcher", "-n", "4", t.program]), "no-such-launcher", "no such program")
    refused(t.run(["sleep", "0"]), "sleep", "no MPI found", "espalier doctor sleep")
    refused(t.run(["true", "mpi"], ["--mpi", "lam"]), "--mpi")
    refused(t.run(t.launcher + ["-n", "4", t.other]), "is linked with", t.mpiexec)
    refused(t.run(t.launcher + ["-n", "1", t.program, ":", "-n", "3", t.other]), "is linked with")
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--machine", "site:0"]), "site:0")
    for wrong, meant in [("allreduce=rign", 'did you mean "ring"?'), ("alreduce=ring", 'did you mean "allreduce"?')]:
        refused(t.run(t.launcher + ["-n", "4", t.program], ["--algorithm", wrong]), "--algorithm: error:", meant, "are: ")
        refused(t.run(t.launcher + ["-n", "4", t.program], ESPALIER_ALGORITHM=wrong), "ESPALIER_ALGORITHM: error:", meant)
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--algorithm", "allreduce=off"]), "native (the MPI library's own)",
            "espalier plan allreduce --machine MACHINE --all")
    # A build for another MPI alone: told before the program runs natively.
    partial = t.folder / "partial"
    for folder, file in (("bin", t.espalier), ("lib", pathlib.Path(t.espalier).parents[1] / "lib" / "libespalier.so")):
        (partial / folder).mkdir(parents=True)
        shutil.copy(file, partial / folder)
    done = subprocess.run([partial / "bin" / "espalier", "run", "--", *t.launcher, "-n", "4", t.program], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=400, check=False)
    refused(done, f"libespalier-{t.mpi}.so", "there is no such library here", "build it (make)")
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--library", "/no/such/library.so"]), "/no/such/library.so")
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--library", __file__]), "--library: error:", "is no shared library")
    refused(t.run(t.launcher + ["-n", "4", t.program], ["--mpi", "lam"]), "--mpi")
    source = t.folder / "static.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-static", str(source), "-o", str(t.folder / "static")], check=True)
    refused(t.run(t.launcher + ["-n", "1", str(t.folder / "static")]), "linked statically", "espalier export")
    refused(t.run(t.launcher + ["-n", "1", "env", "A=b", str(t.folder / "static")]), "linked statically")


def programs_that_nothing_can_be_preloaded_into(t):
    for name, text in fakes.unreachable(t.folder):
        done = t.run(t.launcher + ["-n", "1", str(t.folder / name)])
        refused(done, text, str(t.folder / name))
        assert "tells more" not in done.stderr, done.stderr  # the doctor would only repeat it
    name = os.path.relpath(t.folder / "own")
    done = t.run(t.launcher + ["-n", "1", f"./{name}"])
    assert done.stderr.startswith(f"./{name}: error: its MPI"), done.stderr


def a_working_folder_that_is_gone(t):
    for option in ("--explain=f", "--trace=f", "--profile=f"):
        gone = t.folder / "gone"
        gone.mkdir()
        line = [t.espalier, "run", option, "--print", "--", *t.launcher, "-n", "2", t.program]
        refused(subprocess.run(["/bin/sh", "-c", 'rmdir ../gone; exec "$0" "$@"', *line], cwd=gone, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, timeout=400, check=False), "working folder")


def no_path(t):
    """Programs are found where the system looks for them then. (Open MPI 5 does not start without HOME.)"""
    if shutil.which(t.mpiexec, path="/bin:/usr/bin") is None:
        return
    done = subprocess.run([t.espalier, "run", "--print", "--", t.mpiexec, "-n", "2", t.program], env={"HOME": "/"}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=400, check=False)
    assert done.returncode == 0 and "libespalier.so" in done.stdout, done


def signals_that_are_ignored(t):
    line = [t.espalier, "run", "--mpi", t.mpi, "--", "bash", "-c", "grep SigIgn /proc/self/status"]
    for before, ignored in (("", 0), ("trap '' XFSZ; ", 1 << 24)):
        done = subprocess.run(["bash", "-c", before + 'exec "$0" "$@"', *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=400, check=False)
        assert done.returncode == 0 and int(done.stdout.split()[-1], 16) & 1 << 24 == ignored, done


def other_mpis(t):
    """Of MPIs that are not here: stubs with their sonames and what they say of themselves."""
    for name, title, kind in fakes.other_mpis(t.folder):
        done = t.run(t.launcher + ["-n", "1", str(t.folder / name)], ["--print"])
        if kind is None:
            refused(done, f"it is linked with {title}", "Espalier has no library for", "served are MPICH")
        elif kind == t.mpi:
            assert done.returncode == 0 and "libespalier.so" in done.stdout, done
        else:
            refused(done, "is linked with", t.mpiexec)
    fakes.mixed(t.folder, t.program)
    refused(t.run(t.launcher + ["-n", "1", str(t.folder / "mixed")]), "MPICH and Open MPI at once")
    for name, _, kind in fakes.other_launchers(t.folder):
        launcher = t.folder / name
        # A script that is not in PATH is not asked what it is.
        refused(t.run([str(launcher), "-n", "1", t.program], ["--print"]), "not in PATH", "--mpi")
        done = t.run([str(launcher), "-n", "1", t.program], ["--print"], PATH=f"{launcher.parent}:{os.environ['PATH']}")
        if kind == t.mpi:
            assert done.returncode == 0 and "libespalier.so" in done.stdout, done
        else:
            refused(done, "is linked with")


def is_running(process):
    """Not if it has ended and nobody has collected it yet."""
    try:
        return not pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].startswith("Z")
    except (FileNotFoundError, ProcessLookupError):
        return False


def a_library_in_no_process(t):
    """--explain says so; the command's streams and end stay what they are."""
    none = "no process on this host called MPI_Init with Espalier's library"
    for explain in ("--explain", f"--explain={t.folder}/why.txt"):
        done = t.run(t.launcher + ["-n", "2", "true"], [explain, "--mpi", t.mpi])
        assert done.returncode == 0 and done.stderr.count(none) == 1, done
    assert none not in t.run(t.launcher + ["-n", "2", "true"], ["--mpi", t.mpi]).stderr
    done = t.run(t.launcher + ["-n", "4", t.program], [*FORCED, "--explain"])
    planned(done, 4)
    assert none not in done.stderr and "espalier: " in done.stderr, done.stderr
    assert none not in t.run([t.program], ["--explain", "--disable"]).stderr
    # From other hosts no sign comes, and here each rank would tell.
    hosts = ["-hosts", "localhost"] if t.mpi == "mpich" else ["--host", "localhost:2"]
    assert none not in t.run(t.launcher + hosts + ["-n", "1", "true"], ["--explain", "--mpi", t.mpi]).stderr
    assert none not in t.run(t.launcher + ["-n", "1", "true"], ["--explain", "--mpi", t.mpi], SLURM_JOB_ID="7").stderr
    inside = [t.espalier, "run", "--explain", "--", t.script(f"exit 0\n{t.program}\n")]
    assert none not in subprocess.run(t.launcher + ["-n", "2", *inside], stderr=subprocess.PIPE, text=True, check=True).stderr
    # A script drops the library; its exit code and signal stay.
    done = t.run([t.script(f"echo said >&2; env -u LD_PRELOAD {t.program} >&2; exit 9\n")], ["--explain"])
    assert done.returncode == 9 and done.stderr.startswith("said\n") and done.stderr.count(none) == 1, done
    assert t.run([t.script(f"kill -TERM $$\n{t.program}\n")], ["--explain"]).returncode == -signal.SIGTERM
    line = [t.espalier, "run", "--explain", "--", t.script(f"exit 3\n{t.program}\n")]
    ignoring = ["python3", "-c", "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])"]
    assert subprocess.run([*ignoring, *line], stderr=subprocess.PIPE, check=False).returncode == 3
    # Streams are the command's own, and what it leaves behind is not waited for.
    line[-1] = t.script(f"[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo on a terminal\nexit 0\n{t.program}\n")
    out = subprocess.run(["script", "-qec", " ".join(line), "/dev/null"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "on a terminal" in out and none in out, out
    left = t.folder / "left"
    line[-1] = t.script(f"sleep 60 > /dev/null 2>&1 & echo $! > {left}\nexit 4\n{t.program}\n")
    assert subprocess.run(line, stderr=subprocess.PIPE, timeout=30, check=False).returncode == 4
    os.kill(int(left.read_text()), signal.SIGKILL)  # it still runs
    # A signal reaches the command, and none outlives a run that was killed.
    line[-1] = t.script(f"trap 'exit 5' TERM; echo $$; while :; do sleep 0.1; done\n{t.program}\n")
    for sent, code in ((signal.SIGTERM, 5), (signal.SIGKILL, -signal.SIGKILL)):
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            command = int(run.stdout.readline())
            run.send_signal(sent)
            assert run.wait(60) == code, run.returncode
            run.stdout.read()  # to the end: the command has closed it
        deadline = time.monotonic() + 30
        while is_running(command):
            assert time.monotonic() < deadline, command
            time.sleep(0.05)


CASES = [a_program, a_script, several_programs, another_preload, settings_of_the_environment, settings_of_each_host, a_machine_file, a_machine_of_another_size,
         ways_to_write_a_launcher, launchers_outside_of_path, arguments_called_like_launchers, ways_to_name_a_program, wrappers, scripts_that_start_launchers, espalier_under_a_launcher,
         files_of_programs, spawned_processes, python, placed_by_profile, exit_codes, scripts_that_cannot_be_served, refusals, programs_that_nothing_can_be_preloaded_into,
         a_working_folder_that_is_gone, no_path, signals_that_are_ignored, other_mpis,
         placed_as_the_weather_says, a_library_in_no_process]


# What depends on the MPI. The others take turns.
ON_BOTH = [a_program, several_programs, settings_of_each_host, files_of_programs, spawned_processes, placed_by_profile, refusals, other_mpis]


def is_due(case, mpi, wanted):
    if wanted:
        return case.__name__ in wanted
    return "LONG_TESTS" in os.environ or case in ON_BOTH or CASES.index(case) % 2 == ("mpich", "openmpi").index(mpi)


def main():
    espalier, mpi, program, other, *wanted = sys.argv[1:]
    runner = Runner(espalier, mpi, program, other)
    for case in CASES:
        if is_due(case, mpi, wanted):
            case(runner)
            print(f"{case.__name__}: right", flush=True)


if __name__ == "__main__":
    main()

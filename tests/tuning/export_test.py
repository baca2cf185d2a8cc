#!/usr/bin/env python3
"""Files that `espalier export` writes are read by the real MPI and used: results stay right, and a spy in the ranks sees the algorithm.

usage: export_test.py ESPALIER MPI PROGRAM SPY
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ESPALIER, MPI, PROGRAM, SPY = sys.argv[1:]
# One rank a host, so that MPICH has no shared memory to go by: MPIR_CVAR_NOLOCAL makes it so here.
MACHINE = "site:4(10ms,100Mbit/s) host:1(50us,1Gbit/s)"
BYTES = 131072


def export(folder, *options, machine=MACHINE, form=MPI):
    done = subprocess.run([ESPALIER, "export", form, "--machine", machine, "--json", "--output", str(folder), *options],
                          stdout=subprocess.PIPE, text=True, check=True, timeout=1400)
    return json.loads(done.stdout)


def settings_for(folder):
    if MPI == "openmpi":
        return {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(folder / "openmpi-rules.conf"),
                "OMPI_MCA_coll_han_priority": "0"}
    return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(folder / "mpich-collectives.json")}


def run(settings, *arguments, ranks=4, spied=False, fails=False, timeout=1400):
    line = ["mpiexec.mpich"] if MPI == "mpich" else ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]
    here = dict(settings)
    if MPI == "mpich":
        here = {"MPIR_CVAR_NOLOCAL": "1"} | here
    else:
        here |= {"OMPI_MCA_mpi_yield_when_idle": "1"}
    if spied:
        line += ["-genv", "LD_PRELOAD", SPY] if MPI == "mpich" else ["-x", f"LD_PRELOAD={SPY}"]
    done = subprocess.run([*line, "-n", str(ranks), PROGRAM, *map(str, arguments)], env=os.environ | here, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False)
    if not fails:
        assert done.returncode == 0 and "wrong 0" in done.stdout, f"{done.stdout}\n{done.stderr}"
    return done


def broadcast_rule(report):
    rows = [row for row in report["decisions"] if row["operation"] == "broadcast" and row["bytes"] == BYTES]
    return rows[0]["algorithm"]


def spied_name(rule):
    """The function of Open MPI that a rule asks for, as the spy names it."""
    return rule.split(",")[0].replace("binary_tree", "bintree")


def seen_in_use(folder, report):
    rule = broadcast_rule(report)
    before = run({}, BYTES, spied=True).stderr
    after = run(settings_for(folder), BYTES, spied=True).stderr
    if MPI == "openmpi":
        assert f"bcast_intra_{spied_name(rule)} 1" in after, f"{rule}\n{after}"
    else:
        number, unit = re.search(r", (\d+) (KiB|B)$", rule).groups()
        chunk = int(number) * (1024 if unit == "KiB" else 1)
        longest = {int(m) for m in re.findall(r"spy longest (\d+)", after)}
        assert max(longest) == chunk, f"{rule}: {after}"
        assert str(BYTES) in before, before
    assert before != after


def rules_by_hosts_are_read(folder):
    """Both files, made for two hosts; here all ranks share one, so that only reading and results are seen. (The lab has hosts: make bench-export.)"""
    export(folder, "--force", machine="site:2(10ms,100Mbit/s) proc:2(1us,10Gbit/s)")
    both = settings_for(folder) | {"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE": str(folder / "mpich-compositions.json")}
    run(both | {"MPIR_CVAR_NOLOCAL": "0"})


def ranks_agree_without_sizes(folder):
    """On near links short gathers and scatters want another algorithm than long ones, and some ranks know no size."""
    for ranks in (4, 8):
        near = folder / f"near{ranks}"
        near.mkdir()
        report = export(near, machine=f"node:{ranks}(50us,1Gbit/s) proc:1")
        assert any("gather (all ranks)" in note for note in report["notes"]), report["notes"]
        run(settings_for(near), ranks=ranks, timeout=300)


def fewer_ranks_have_rules(folder):
    """Rules for 2 and 3 ranks beside those for 4: programs of so many ranks read them, and results stay right."""
    fewer = folder / "fewer"
    fewer.mkdir()
    report = export(fewer, "--ranks", "2-4")
    assert [first["ranks"] for first in report["of_first"]] == [2, 3], report["of_first"]
    for ranks in (2, 3, 4):
        run(settings_for(fewer), ranks=ranks)
    rule = broadcast_rule(report["of_first"][1])
    if MPI == "openmpi" and rule != "as it is":
        seen = run(settings_for(fewer), BYTES, ranks=3, spied=True).stderr
        assert f"bcast_intra_{spied_name(rule)} 1" in seen, f"{rule}\n{seen}"


# Ranks of two hosts in turn: by hosts long reductions cross once instead of twice.
TWO_HOSTS = "site:2(10ms,100Mbit/s) proc:2(1us,10Gbit/s) placement=cyclic"
# What Open MPI calls a remote shell: the second host is this one by another name, so that files of shared memory have other names.
REMOTE_SHELL = """#!/bin/sh
host=$1
shift
exec unshare {user} --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*"
"""


def remote_shell(folder):
    """A file with it; None where names of hosts cannot be changed."""
    for user in ("", "--map-root-user"):
        if subprocess.run(f"unshare {user} --uts hostname elsewhere", shell=True, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            file = folder / "remote_shell"
            file.write_text(REMOTE_SHELL.format(user=user))
            file.chmod(0o755)
            return file
    return None


def kinds_by_rules(report, operation):
    """Of each length: whether HAN makes the call, by the report."""
    rows = [row for row in report["decisions"] if row["operation"] == operation]

    def is_by_hosts(length):
        last = max(i for i, row in enumerate(rows) if i == 0 or length >= 2 * rows[i - 1]["bytes"])
        return rows[last]["algorithm"].startswith("leaders of hosts: ")
    return is_by_hosts


def calls_go_by_hosts_with_han(folder):
    """Two hosts: HAN reads its rules, makes just the calls that they give it, and results stay right, of operators that do not commute too."""
    two = folder / "two"
    two.mkdir()
    report = export(two, machine=TWO_HOSTS, form="openmpi-han")
    variables = next(line for line in report["settings"].splitlines() if line.startswith("  export "))
    settings = dict(word.split("=", 1) for word in variables.split()[1:])
    version = subprocess.run(["mpiexec.openmpi", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    shell = remote_shell(two)
    if ") 4." not in version or shell is None:
        print("calls by hosts: not tried, this is no Open MPI 4, or names of hosts cannot be changed here")
        return
    hosts = two / "hosts"
    hosts.write_text("localhost slots=2\nelsewhere slots=2\n")
    line = ["mpiexec.openmpi", "--allow-run-as-root", "--hostfile", str(hosts), "--map-by", "node", "-n", "4", PROGRAM]
    here = settings | {"OMPI_MCA_plm_rsh_agent": str(shell), "OMPI_MCA_oob_tcp_if_include": "lo", "OMPI_MCA_btl_tcp_if_include": "lo",
                       "OMPI_MCA_btl": "self,vader,tcp", "OMPI_MCA_pml": "ob1", "OMPI_MCA_mpi_yield_when_idle": "1",
                       "OMPI_MCA_coll_base_verbose": "80"}
    done = subprocess.run(line, env=os.environ | here, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1400, check=False)
    assert done.returncode == 0 and "wrong 0" in done.stdout, done.stdout[-4000:]
    assert f"rules from {two}/openmpi-han.conf" in done.stdout, done.stdout[:4000]
    found = re.findall(r"collective \d+ \((\w+)\) on topological level 2 \S+ for a 4 configuration size for a (\d+) sized message\. "
                       r"Found .* : component \d+ \((\w+)\)", done.stdout)
    seen = set()
    for operation, name in {"broadcast": "bcast", "reduce": "reduce", "allreduce": "allreduce", "barrier": "barrier"}.items():
        is_by_hosts = kinds_by_rules(report, operation)
        lengths = {(int(length), component) for called, length, component in found if called == name}
        assert lengths, f"{name} asked for no rule"
        for length, component in lengths:
            assert (component == "han") == is_by_hosts(length), (operation, length, component)
            seen.add(component)
    assert seen == {"han", "tuned", "self"}, seen
    assert all(component == "tuned" for called, _, component in found if called in ("allgather", "gather", "scatter"))


def broken_files_are_noticed(folder):
    """Or else a file that is read would look like one that is not. Open MPI says nothing of bad files."""
    bad = pathlib.Path(folder) / "bad"
    bad.mkdir()
    for file in folder.glob("mpich-*.json"):
        (bad / file.name).write_text(file.read_text().replace("comm_size", "com_size"))
    done = run(settings_for(bad), 8, fails=True)
    assert done.returncode != 0, "a file with unknown keys was not read"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report = export(folder)
        assert report["format"] == "espalier-export-1" and report["for"] == MPI
        run(settings_for(folder))  # operators that do not commute among them
        run(settings_for(folder), ranks=3)
        seen_in_use(folder, report)
        fewer_ranks_have_rules(folder)
        if MPI == "openmpi":
            ranks_agree_without_sizes(folder)
            calls_go_by_hosts_with_han(folder)
        if MPI == "mpich":
            broken_files_are_noticed(folder)
            rules_by_hosts_are_read(folder)
        again = subprocess.run([ESPALIER, "export", MPI, "-m", MACHINE, "-o", name], stderr=subprocess.PIPE, text=True, check=False)
        assert again.returncode == 2 and "--force" in again.stderr, again.stderr


if __name__ == "__main__":
    main()

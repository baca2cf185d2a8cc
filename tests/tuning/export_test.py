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


def export(folder, *options, machine=MACHINE):
    done = subprocess.run([ESPALIER, "export", MPI, "--machine", machine, "--json", "--output", str(folder), *options],
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
        if MPI == "mpich":
            broken_files_are_noticed(folder)
            rules_by_hosts_are_read(folder)
        again = subprocess.run([ESPALIER, "export", MPI, "-m", MACHINE, "-o", name], stderr=subprocess.PIPE, text=True, check=False)
        assert again.returncode == 2 and "--force" in again.stderr, again.stderr


if __name__ == "__main__":
    main()

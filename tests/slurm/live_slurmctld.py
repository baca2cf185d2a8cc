#!/usr/bin/env python3
"""Debian's slurmctld, started privately: `espalier place` reads what it says of its nodes and switches, and uses none that is
drained or down.

    live_slurmctld.py ESPALIER

Skipped (exit code 77) with one line where slurmctld or its clients are missing. No daemon of a node runs, and nothing leaves
this computer.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool
SlurmdTimeout=0
TopologyPlugin=topology/tree
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
NodeName=n[1-8] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=4 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=n[1-8] Default=YES State=UP
"""
TOPOLOGY = """SwitchName=s1 Nodes=n[1-4]
SwitchName=s2 Nodes=n[5-8]
SwitchName=top Switches=s[1-2]
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Controller:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "state").mkdir(mode=0o700)
        port = free_port()
        first = 20000 + os.getpid() % 8000 * 4
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], port=port, user=os.environ.get("USER") or "root", folder=folder,
            first=first, last=first + 7))
        (self.folder / "topology.conf").write_text(TOPOLOGY)
        self.environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")}
        with open(self.folder / "out", "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(["slurmctld", "-D"], env=self.environment, stdout=out, stderr=out)

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=400, check=False)

    def wait(self):
        """It looks up names for a while before it answers."""
        for _ in range(60):
            if self.ask("scontrol", "show", "topology").returncode == 0:
                return
            assert self.process.poll() is None, (self.folder / "out").read_text(errors="replace")
            time.sleep(1)
        raise AssertionError("slurmctld does not answer")

    def set_state(self, nodes, state):
        done = self.ask("scontrol", "update", f"nodename={nodes}", f"state={state}", "reason=test")
        assert done.returncode == 0, (nodes, state, done.stderr)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def placed(espalier, file, processes, code=0):
    done = subprocess.run([espalier, "place", "--profile", "lu.S", "-n", str(processes), "--inventory", str(file), "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == code, done
    return json.loads(done.stdout) if code == 0 else done.stderr


def check_nodes(espalier, controller):
    controller.set_state("n[1-8]", "down")  # from where they can be brought back, though no daemon has ever answered
    controller.set_state("n[1-8]", "resume")
    controller.set_state("n3", "drain")
    controller.set_state("n7", "down")
    file = controller.folder / "sinfo.json"
    file.write_text(controller.ask("sinfo", "--json").stdout)
    assert "only 0 free slots" in placed(espalier, file, 1, code=2)  # no node's daemon runs, and Slurm says so
    file.write_text(file.read_text().replace('"NOT_RESPONDING"', '"PLANNED"'))
    hosts = {rank["host"] for rank in placed(espalier, file, 24)["ranks"]}
    assert hosts == {"n1", "n2", "n4", "n5", "n6", "n8"}, hosts
    assert "25 processes, but only 24 free slots" in placed(espalier, file, 25, code=2)


def check_topology(espalier, controller):
    file = controller.folder / "topology"
    file.write_text(controller.ask("scontrol", "show", "topology").stdout)
    ranks = placed(espalier, file, 8)["ranks"]
    assert {(rank["cluster"], rank["host"]) for rank in ranks} == \
        {("s1", f"n{i}") for i in range(1, 5)} | {("s2", f"n{i}") for i in range(5, 9)}, ranks


def main():
    espalier = sys.argv[1]
    for tool in ("slurmctld", "scontrol", "sinfo"):
        if shutil.which(tool) is None:
            print(f"skipped: there is no {tool}")
            return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        controller = Controller(folder)
        try:
            controller.wait()
            check_nodes(espalier, controller)
            check_topology(espalier, controller)
        finally:
            controller.stop()
    print("nodes and switches are as slurmctld has them")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The module file works with the modules command that is here (Environment Modules or Lmod): loaded, the tool is found and runs a
program along plans; unloaded, it is gone.

    module_test.py BUILD SOURCE

Skipped (exit code 77) with one line where there is no modules command.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = map(pathlib.Path, sys.argv[1:3])
SKIPPED = 77
# Where Debian's packages have what shells source.
STARTS = [("Environment Modules", "/usr/share/modules/init/bash"), ("Lmod", "/usr/share/lmod/lmod/init/bash")]

SCRIPT = r"""
set -e
unset MANPATH
source "$START"
module use "$PREFIX/share/modulefiles"
manuals=$MANPATH  # some modules commands set one themselves
module load espalier
[ "$(command -v espalier)" = "$PREFIX/bin/espalier" ] || { echo "not found: $(command -v espalier)"; exit 1; }
case ":$LD_LIBRARY_PATH:" in *":$PREFIX/lib:"*) ;; *) echo "LD_LIBRARY_PATH is $LD_LIBRARY_PATH"; exit 1;; esac
espalier version
[ "$MANPATH" = "$manuals" ] || { echo "MANPATH was $manuals and is $MANPATH: other manual pages are hidden"; exit 1; }
module help espalier 2>&1 | grep -q "espalier run" || { echo "no help"; exit 1; }
if [ -n "$PROGRAM" ]; then
  espalier run --machine "site:2(10ms) proc:2(1us)" --force -- "$LAUNCHER" $OPTIONS -n 4 "$PROGRAM"
fi
module unload espalier
case "$PATH:$LD_LIBRARY_PATH:$MANPATH" in *"$PREFIX"*) echo "left behind: $PATH $LD_LIBRARY_PATH $MANPATH"; exit 1;; esac
! command -v espalier
"""


def program(folder):
    """One for the first MPI that is here."""
    for mpi, options in (("mpich", ""), ("openmpi", "--allow-run-as-root --oversubscribe")):
        if shutil.which(f"mpicc.{mpi}") and shutil.which(f"mpiexec.{mpi}"):
            made = folder / "whoami"
            subprocess.run([f"mpicc.{mpi}", str(SOURCE / "tests" / "launch" / "whoami.c"), "-o", str(made)], check=True)
            return dict(PROGRAM=str(made), LAUNCHER=f"mpiexec.{mpi}", OPTIONS=options)
    return dict(PROGRAM="", LAUNCHER="", OPTIONS="")


def main():
    here = [(name, start) for name, start in STARTS if os.path.exists(start)]
    if not here:
        print("skipped: neither environment-modules nor lmod is installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL)
        settings = program(folder)
        for title, start in here:
            environment = {key: value for key, value in os.environ.items() if not key.startswith(("LMOD", "MODULE", "LOADED"))}
            environment.update(settings, START=start, PREFIX=str(prefix))
            done = subprocess.run(["bash", "-c", SCRIPT], env=environment, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=400, check=False)
            planned = done.stdout.count(" planned,")
            assert done.returncode == 0 and planned == (4 if settings["PROGRAM"] else 0), (title, done.returncode, done.stdout)
            print(f"{title}: loaded, {planned} ranks along plans, unloaded")
    return 0


if __name__ == "__main__":
    sys.exit(main())

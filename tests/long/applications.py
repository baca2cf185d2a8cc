#!/usr/bin/env python3
"""Programs that people run, from Debian's packages: natively and along plans.

    applications.py BUILD WORK [NAME ...]

NAME: scalapack, hpcc, lammps. They are right if they say so themselves.
"""
import pathlib
import re
import sys

from compare import compare
from obtain import debian_program, gives_way, say

SCALAPACK = ["xdlu", "xdllt", "xdqr", "xzls", "xdinv", "xstrd", "xzbrd", "xdhrd", "xcpbllt"]
PBLAS = ["spb1tst", "dpb1tst", "cpb1tst"]

# A box of atoms that repel each other, with its thermodynamics printed: every print is an allreduce.
LAMMPS = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 10
run 60
"""


def scalapack(mpi):
    folders = list(pathlib.Path("/usr/lib").glob(f"*/scalapack/{mpi}-tests"))
    program = debian_program("scalapack-mpi-test", str(folders[0] / "xdlu") if folders else "xdlu")
    folders = list(pathlib.Path("/usr/lib").glob(f"*/scalapack/{mpi}-tests"))
    if not program and not folders:
        return []
    cases = [(name, 4, [folders[0] / name], folders[0], []) for name in SCALAPACK]
    cases += [(name, 4, [folders[0] / "PBLAS" / name], folders[0] / "PBLAS", []) for name in PBLAS]
    return [case for case in cases if case[2][0].exists()]


def scalapack_is_right(code, text):
    """'... 42 tests completed and failed residual checks' must be none; PBLAS has a table of all and passed."""
    failed = [int(n) for n in re.findall(r"(\d+) tests? completed and failed", text)]
    table = re.findall(r"^\s*\|\s+P[SDCZ]\w+\s+(\d+)\s+(\d+)\s", text, re.M)
    return code == 0 and not any(failed) and bool(failed or table) and all(every == passed for every, passed in table)


def hpcc(mpi, work):
    program = debian_program("hpcc", "hpcc")
    if mpi != "openmpi" or not program:
        return []
    work.mkdir(parents=True, exist_ok=True)
    (work / "hpccinf.txt").write_text(HPCC)
    return [("hpcc", 4, [program], work, [])]


HPCC = """HPLinpack benchmark input file
one small problem
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
300          Ns
1            # of NBs
32           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0                               Number of additional problem sizes for PTRANS
1200 10000 30000                values of N
0                               number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64        values of NB
"""


def hpcc_is_right(work):
    def check(code, _):
        out = work / "hpccoutf.txt"
        text = out.read_text() if out.exists() else ""
        out.unlink(missing_ok=True)
        return code == 0 and "Success=1" in text and "End of HPC Challenge tests" in text
    return check


def lammps(mpi, work):
    program = debian_program("lammps", "lmp")
    if mpi != "openmpi" or not program:
        return []
    work.mkdir(parents=True, exist_ok=True)
    (work / "in.melt").write_text(LAMMPS)
    return [("lammps melt", 4, [program, "-in", "in.melt", "-log", "none"], work, [])]


def lammps_is_right(code, text):
    """Energy is kept: column 5 of the table, first and last row."""
    rows = re.findall(r"^\s+(\d+)\s+(\S+)\s+(\S+)\s+\S+\s+(\S+)\s+(\S+)\s*$", text, re.M)
    return code == 0 and len(rows) == 7 and abs(float(rows[0][3]) - float(rows[-1][3])) < 0.01


def main():
    build, work = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    wanted = sys.argv[3:] or ["scalapack", "hpcc", "lammps"]
    work.mkdir(parents=True, exist_ok=True)
    worse = []
    for mpi in ("mpich", "openmpi"):
        kinds = {"scalapack": (lambda: scalapack(mpi), scalapack_is_right),
                 "hpcc": (lambda: hpcc(mpi, work / "hpcc"), hpcc_is_right(work / "hpcc")),
                 "lammps": (lambda: lammps(mpi, work / "lammps"), lammps_is_right)}
        for name in wanted:
            cases, is_right = kinds[name]
            found = cases()
            if found:
                say(f"{name}:")
                worse += compare(mpi, build, found, is_right, seconds=600, preloads=gives_way(mpi, work))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

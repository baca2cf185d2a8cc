"""The programs of `make bench-programs`: what they are called, how they are made ready, and how they say that they are right.

Each is prepared for one MPI: prepare(mpi, place) returns a Job, or a Missing with the package that it needs.
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "long"))
from applications import HPCC, LAMMPS  # noqa: E402

PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for


@dataclass
class Job:
    """A program on the lab. `is_right` gets what it printed."""
    words: list
    is_right: callable
    ranks: int = 12
    folder: pathlib.Path = None
    variables: list = field(default_factory=list)
    name: str = ""
    seconds: int = 120  # a run that takes more is ended


@dataclass
class Missing:
    package: str


@dataclass
class Program:
    name: str
    prepare: callable
    mpis: tuple = ("openmpi",)
    quick: bool = True  # part of --quick
    seconds: int = 120  # for one run


def says_right(text):
    return ": right" in text and ": wrong" not in text


def compiled(source, mpi, place, package, flags):
    """A program of this folder, or Missing."""
    program = place.work / f"{source.stem}.{mpi}"
    if not program.exists():
        done = subprocess.run([f"mpicc.{mpi}", "-O2", "-o", program, source, *flags], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            if "No such file" in done.stderr or "cannot find" in done.stderr:
                return Missing(package)
            raise SystemExit(f"bench-programs: {source.name} does not compile:\n{done.stderr}")
    return program


def flags_of(package):
    done = subprocess.run(["pkg-config", "--cflags", "--libs", package], capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else None


def petsc(method, solves):
    def prepare(mpi, place):
        flags = flags_of("petsc")
        program = compiled(HERE / "petsc_ksp.c", mpi, place, "petsc-dev", flags) if flags else Missing("petsc-dev")
        if isinstance(program, Missing):
            return program
        return Job([program, "-ksp_type", method, "-pc_type", "jacobi", "-points", "36", "-solves", str(solves)], says_right)
    return prepare


def scalapack(mpi, place):
    flags = flags_of(f"scalapack-{mpi}")
    package = f"libscalapack-{mpi}-dev"
    program = compiled(HERE / "scalapack_solve.c", mpi, place, package, [*flags, "-lm"]) if flags else Missing(package)
    return program if isinstance(program, Missing) else Job([program, "192", "16", "2"], says_right)


def mixed(rounds):
    def prepare(mpi, place):
        return Job([compiled(HERE / "mixed.c", mpi, place, f"lib{mpi}-dev", []), str(rounds)], says_right)
    return prepare


def skeleton(name, letter, ranks=12, *options):
    """A skeleton of a NAS benchmark (examples/npb); it counts what is wrong itself."""
    def prepare(mpi, place):
        program = place.build / "examples" / f"{name}.{mpi}"
        return Job([program, letter, *options], lambda text: ", 0 wrong" in text, ranks) if program.exists() else Missing("(make)")
    return prepare


def lammps(steps):
    def prepare(_mpi, place):
        program = shutil.which("lmp")
        if not program:
            return Missing("lammps")
        script = place.work / f"in.melt.{steps}"
        script.write_text(LAMMPS.replace("run 60", f"run {steps}").replace("0 6 0 6 0 6", "0 8 0 8 0 8"))
        return Job([program, "-in", script, "-log", "none"], lambda text: "Loop time" in text and f"\n{steps:8d}" in text)
    return prepare


def hpcc(_mpi, place):
    program = shutil.which("hpcc")
    if not program:
        return Missing("hpcc")
    folder = place.work / "hpcc"
    folder.mkdir(exist_ok=True)
    (folder / "hpccinf.txt").write_text(HPCC.replace("2            Ps", "3            Ps").replace("2            Qs", "4            Qs"))

    def is_right(_):
        out = folder / "hpccoutf.txt"
        text = out.read_text() if out.exists() else ""
        out.unlink(missing_ok=True)
        return "Success=1" in text and "End of HPC Challenge tests" in text
    return Job([program], is_right, folder=folder)


PSEUDO = pathlib.Path("/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz")
SILICON = """&control
 calculation='scf', prefix='si', pseudo_dir='{folder}', outdir='/tmp/si', disk_io='none'
/
&system
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=16.0
/
&electrons
 conv_thr=1.0d-8
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS gamma
"""


def espresso(_mpi, place):
    program = shutil.which("pw.x")
    if not program:
        return Missing("quantum-espresso")
    if not PSEUDO.exists():
        return Missing("quantum-espresso-data")
    folder = place.work / "silicon"
    folder.mkdir(exist_ok=True)
    (folder / "Si.pz-vbc.UPF").write_bytes(gzip.decompress(PSEUDO.read_bytes()))
    (folder / "si.in").write_text(SILICON.format(folder=folder))
    return Job([program, "-in", folder / "si.in"], lambda text: "convergence has been achieved" in text and "JOB DONE" in text,
               variables=["OMP_NUM_THREADS=1"])


def training(steps):
    def prepare(_mpi, _place):
        has = subprocess.run([PYTHON, "-c", "import mpi4py, numpy"], stderr=subprocess.DEVNULL, check=False)
        if has.returncode != 0:
            return Missing("python3-mpi4py python3-numpy")
        return Job([PYTHON, HERE / "training.py", str(steps)], says_right, variables=["OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"])
    return prepare


# NAS parallel benchmarks that somebody has built: is.S.x takes as many ranks as it can have, lu.W.4 four.
NPB = re.compile(r"(bt|cg|ep|ft|is|lu|mg|sp)\.([SWABCDE])\.(x|[1-9]\d*)")
NPB_SECONDS = {"S": 120, "W": 120, "A": 600, "B": 1800}  # more for longer ones


class BadFolder(Exception):
    pass


def npb_ranks(name, most):
    """The most ranks that a benchmark takes: a square, any number, or a power of two."""
    if name in ("bt", "sp"):
        return max(side * side for side in range(1, most + 1) if side * side <= most)
    return most if name == "ep" else 1 << (most.bit_length() - 1)


def npb_is_right(text):
    return bool(re.search(r"Verification\s*=\s*SUCCESSFUL", text))


def npb(file, name, ranks):
    def prepare(_mpi, place):
        wanted = npb_ranks(name, place.ranks) if ranks == "x" else int(ranks)
        return Job([file], npb_is_right, wanted)
    return prepare


def linked_with(file):
    """The MPIs that a program may be of, by its libraries; as `espalier lab run` tells them apart."""
    said = subprocess.run(["ldd", file], capture_output=True, text=True, check=False).stdout
    old_open_mpi = "libmpi.so.12" in said and "libopen-pal.so" in said
    is_mpich = "libmpich.so" in said or ("libmpi.so.12" in said and not old_open_mpi)
    is_open_mpi = "libopen-pal.so" in said or ("libmpi.so" in said and "libmpi.so.12" not in said)
    return tuple(mpi for mpi, is_it in (("mpich", is_mpich), ("openmpi", is_open_mpi)) if is_it)


def npb_programs(folder):
    """Programs of a folder of binaries, by their names. Raises BadFolder."""
    if not folder.is_dir():
        raise BadFolder(f"there is no folder {folder}")
    files = sorted(file.resolve() for file in folder.iterdir() if NPB.fullmatch(file.name))
    if not files:
        raise BadFolder(f"{folder} has no benchmark with a name such as is.S.x or lu.W.4")
    found = []
    for file in files:
        name, letter, ranks = NPB.fullmatch(file.name).groups()
        if not os.access(file, os.X_OK) or not file.is_file():
            raise BadFolder(f"{file} is no program that can be run")
        mpis = linked_with(file)
        if len(mpis) != 1:
            raise BadFolder(f"{file} is linked with {'both' if mpis else 'neither'} MPICH {'and' if mpis else 'nor'} Open MPI")
        found.append(Program(f"npb {file.name}", npb(file, name, ranks), mpis, seconds=NPB_SECONDS.get(letter, 7200)))
    return found


BOTH = ("mpich", "openmpi")
PROGRAMS = [
    Program("petsc cg", petsc("cg", 1)),
    Program("petsc gmres", petsc("gmres", 1), quick=False),
    Program("petsc pipecg", petsc("pipecg", 1), quick=False),
    Program("lammps melt", lammps(200), seconds=300),
    Program("espresso silicon", espresso, quick=False, seconds=600),
    Program("scalapack lu", scalapack, BOTH, quick=False),
    Program("training", training(40), quick=False),
    Program("mixed calls", mixed(4), BOTH),
    Program("is.S", skeleton("is", "S"), BOTH),
    Program("ft.S", skeleton("ft", "S"), BOTH),
    Program("lu.S", skeleton("lu", "S"), BOTH, quick=False),
    Program("mg.S", skeleton("mg", "S", 8), BOTH, quick=False),
    Program("ep.S", skeleton("ep", "S"), BOTH, quick=False),
    Program("hpcc", hpcc, quick=False, seconds=600),
]

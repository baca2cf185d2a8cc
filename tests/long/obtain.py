"""Brings what the long tests need from Debian, at run time: sources of a package, or the package itself.

Nothing is written outside the folder given, but for installed packages (as root only). What cannot be had is None, and
the reason in one line.
"""
import os
import pathlib
import shutil
import subprocess


def say(text):
    print(text, flush=True)


def source_lists(folder):
    """The system's own package sources, as sources of source code."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")]:
        if not path.is_file():
            continue
        lines = path.read_text().splitlines()
        if path.suffix == ".sources":
            lines = ["Types: deb-src" if line.startswith("Types:") else line for line in lines]
        else:
            lines = ["deb-src" + line[3:] for line in lines if line.startswith("deb ")]
        (folder / path.name).write_text("\n".join(lines) + "\n")


def debian_source(package, work):
    """The unpacked source of a package, or None."""
    found = sorted(path for path in work.glob(f"{package}-*") if path.is_dir())
    if found:
        return found[0]
    if not shutil.which("apt-get") or not shutil.which("dpkg-source"):
        say(f"skipped: {package}: no apt-get and dpkg-source here")
        return None
    apt = work / "apt"
    source_lists(apt / "parts")
    for name in ("state/lists/partial", "cache/archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={apt / 'parts'}",
               "-o", f"Dir::State={apt / 'state'}", "-o", "Dir::State::status=/var/lib/dpkg/status",
               "-o", f"Dir::Cache={apt / 'cache'}", "-o", "APT::Sandbox::User=root"]
    for words in (["update", "-q"], ["source", "-q", package]):
        done = subprocess.run(["apt-get", *options, *words], cwd=work, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            say(f"skipped: {package}: apt-get {words[0]}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
            return None
    found = sorted(path for path in work.glob(f"{package}-*") if path.is_dir())
    return found[0] if found else None


def debian_program(package, program):
    """The path of an installed program; the package is installed first if that is possible."""
    found = shutil.which(program) or (program if os.path.exists(program) else None)
    if found:
        return found
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        say(f"skipped: {package}: not installed, and this is not root with apt-get")
        return None
    done = subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", package], capture_output=True,
                          text=True, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    found = shutil.which(program) or (program if os.path.exists(program) else None)
    if not found:
        say(f"skipped: {package}: {(done.stderr.strip().splitlines() or ['no ' + program + ' in it'])[-1]}")
    return found


def gives_way(mpi, work):
    """What is preloaded besides: MPICH over UCX never yields, with this it does (give_way.c)."""
    if mpi != "mpich":
        return []
    library, text = work / "give_way.so", pathlib.Path(__file__).parent.with_name("mpi") / "give_way.c"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, text, "-ldl"], check=True)
    return [library]


def blocks_first(mpi, work):
    """What is preloaded before all others: every communicator begins with calls that block (blocks_first.c)."""
    library, text = work / f"blocks_first.{mpi}.so", pathlib.Path(__file__).with_name("blocks_first.c")
    subprocess.run([f"mpicc.{mpi}", "-O2", "-shared", "-fPIC", "-o", library, text, "-ldl"], check=True)
    return library

#!/usr/bin/env python3
"""`pip install ./python` works without a network, and what it installed plans.

usage: pip_test.py SOURCE FOLDER-OF-LIBESPALIER-CORE
Skipped (exit code 77) with one line where pip, setuptools or wheel is missing. It compiles one unit: some 20 seconds, where ccache does not know it.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, LIBRARY = map(pathlib.Path, sys.argv[1:])


def has_all(python):
    return subprocess.run([python, "-c", "from importlib.util import find_spec as f; exit(not all(map(f, ['pip', 'setuptools', 'wheel'])))"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    python = next((one for one in (sys.executable, "/usr/bin/python3") if pathlib.Path(one).exists() and has_all(one)), None)
    if python is None:
        print("pip, setuptools or wheel is missing")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(SOURCE / "python", folder / "python")  # pip builds in the folder of the sources
        prefix = folder / "prefix"
        prefix.mkdir()
        (prefix / "include").symlink_to(SOURCE / "include")
        (prefix / "lib").symlink_to(LIBRARY)
        offline = {"PIP_NO_INDEX": "1", "ESPALIER_PREFIX": str(prefix), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
        if shutil.which("ccache"):  # by names below the folder, which is another one each time
            offline |= {"CC": "ccache gcc", "CXX": "ccache g++", "CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--target", str(folder / "site"),
                        str(folder / "python")], env=os.environ | offline, check=True, timeout=1400)
        done = subprocess.run([python, "-c", "import espalier; print(espalier.plan(espalier.Machine('proc:4(5us)'), 'barrier').name)"],
                              env=os.environ | {"PYTHONPATH": str(folder / "site")}, stdout=subprocess.PIPE, text=True, check=True)
        assert done.stdout.strip(), "no plan"
        where = subprocess.run([python, "-c", "import espalier._where as w; print(w.LIBRARIES)"], env=os.environ | {"PYTHONPATH": str(folder / "site")},
                               stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        assert where == str(prefix / "lib"), where  # where espalier.groups looks first
    return 0


if __name__ == "__main__":
    sys.exit(main())

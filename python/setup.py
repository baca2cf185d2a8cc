"""Builds the module against libespalier-core: of $ESPALIER_PREFIX, of pkg-config, or of ../build/release.

    pip install --no-build-isolation ./python
"""
import os
import pathlib
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent


def installed():
    """Include folder and library folder of pkg-config's espalier-core, or nothing."""
    try:
        ask = [subprocess.run(["pkg-config", f"--variable={what}", "espalier-core"], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout.strip() for what in ("includedir", "libdir")]
    except (OSError, subprocess.CalledProcessError):
        return None
    return ask


def folders():
    prefix = os.environ.get("ESPALIER_PREFIX")
    if prefix:
        return [f"{prefix}/include", f"{prefix}/lib"]
    beside = HERE.parent / "build" / "release" / "lib"
    found = installed()
    if found:
        return found
    if (beside / "libespalier-core.so").exists():
        return [str(HERE.parent / "include"), str(beside)]
    raise SystemExit("espalier: no libespalier-core is found; install it (make install), or set ESPALIER_PREFIX")


def extension():
    include, library = folders()
    return Extension("espalier._binding", ["espalier/_binding.cpp"], language="c++", include_dirs=[include],
                     library_dirs=[library], runtime_library_dirs=[library], libraries=["espalier-core"],
                     extra_compile_args=["-std=c++20", "-O1", "-fvisibility=hidden"])


class WithPlace(build_py):
    """Tells the package where the libraries are: espalier.groups loads one when it is used."""

    def run(self):
        super().run()
        folder = pathlib.Path(self.build_lib) / "espalier"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_where.py").write_text(f"LIBRARIES = {folders()[1]!r}\n", encoding="utf-8")


setup(name="espalier", version="0.1.0", description="Machines and plans of MPI collectives as values", license="Apache-2.0",
      packages=["espalier"], package_data={"espalier": ["py.typed", "*.pyi"]}, python_requires=">=3.9",
      ext_modules=[extension()], cmdclass={"build_py": WithPlace})

# Recipe for Spack: put this folder into a repository of your own as packages/espalier (Spack's own knows no Espalier), then
#
#   spack develop --path CHECKOUT espalier@main && spack install espalier
#
# There is no address to download from, so `spack develop` names the sources. CMake finds which MPIs are there; each variant brings
# one. tests/install/recipes_test.py compares the options below with CMake's.
try:  # Spack 1.0 and newer
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    CMakePackage = None
from spack.package import *  # noqa: F403  (0.23 and older bring CMakePackage too)


class Espalier(CMakePackage):  # noqa: F405
    """MPI collectives trained to the network they run on: plans along topology-aware trees, preloaded under MPICH and Open MPI."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpich", default=True, description="The library for MPICH")
    variant("openmpi", default=False, description="The library for Open MPI")
    variant("portable", default=False, description="Link all but glibc and MPI statically")
    variant("page", default=False, description="The page of espalier view: packages of npm are downloaded while configuring")
    variant("otf2", default=False, description="espalier trace --otf2")
    variant("python", default=False, description="The Python package")
    variant("werror", default=False, description="Treat warnings as errors")
    variant("sanitize", default="none", values=("none", "address,undefined", "thread"), multi=False,
            description="Sanitizers for every target")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.23:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("node-js@18:", type="build", when="+page")
    depends_on("npm", type="build", when="+page")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("pugixml")
    depends_on("cli11@2.1:", type="build")
    depends_on("hwloc@2:")
    depends_on("scotch@7:")
    depends_on("sqlite@3:")
    depends_on("otf2@3:", when="+otf2")
    depends_on("py-pybind11@2.10:", type="build", when="+python")
    depends_on("python@3.9:", type=("link", "run"), when="+python")
    depends_on("mpich@4:", when="+mpich")
    depends_on("openmpi@4.1:", when="+openmpi")
    # The lab and the tests want both side by side, as Debian has them; Spack has one MPI in a build.
    conflicts("+mpich", when="+openmpi", msg="one build for each MPI")
    conflicts("~mpich", when="~openmpi", msg="choose +mpich or +openmpi")
    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")

    generator("ninja")

    def cmake_args(self):
        sanitize = self.spec.variants["sanitize"].value
        return [
            self.define_from_variant("ESPALIER_PORTABLE", "portable"),
            self.define_from_variant("ESPALIER_PAGE", "page"),
            self.define_from_variant("ESPALIER_WITH_OTF2", "otf2"),
            self.define_from_variant("ESPALIER_PYTHON", "python"),
            self.define_from_variant("ESPALIER_WERROR", "werror"),
            self.define("ESPALIER_SANITIZE", "" if sanitize == "none" else sanitize),
        ]

#!/usr/bin/env python3
"""The recipes in packaging/ name what is there: Spack's the options of CMake, the container's the targets of make.

    recipes_test.py SOURCE

Neither Spack nor a container engine is run: Spack's names are stood in for below.
"""
import importlib.util
import pathlib
import re
import sys
import types
import unittest

SOURCE = pathlib.Path(sys.argv[1])
# Options that a recipe has no use for: fuzzers are not installed, and CMake chooses by what it finds.
LEFT_OUT = {"ESPALIER_FUZZ", "ESPALIER_FOR", "ESPALIER_UNITY"}


class Said:
    """What the recipe declares, by the name of the directive."""

    def __init__(self):
        self.calls = []

    def directive(self, name):
        return lambda *words, **options: self.calls.append((name, words, options))

    def of(self, name):
        return [(words, options) for called, words, options in self.calls if called == name]


class CMakePackage:
    spec = types.SimpleNamespace(variants={})

    def define(self, name, value):
        return (name, value)

    def define_from_variant(self, name, variant):
        return (name, variant)


def load():
    said = Said()
    fake = types.ModuleType("spack.package")
    fake.CMakePackage = CMakePackage
    for name in ("license", "version", "variant", "depends_on", "conflicts", "generator"):
        setattr(fake, name, said.directive(name))
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = fake
    where = SOURCE / "packaging" / "spack" / "package.py"
    spec = importlib.util.spec_from_file_location("package", where)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module.Espalier, said


def cmake_options():
    text = "\n".join(path.read_text() for path in [SOURCE / "CMakeLists.txt", *sorted((SOURCE / "cmake").glob("*.cmake"))])
    return set(re.findall(r"^\s*option\((ESPALIER_\w+)", text, re.MULTILINE)) | set(
        re.findall(r"^\s*set\((ESPALIER_\w+) [^\n]*CACHE", text, re.MULTILINE))


class Recipes(unittest.TestCase):
    def test_spack_passes_every_option_of_cmake(self):
        recipe, said = load()
        CMakePackage.spec.variants = {"sanitize": types.SimpleNamespace(value="none")}
        passed = dict(recipe().cmake_args())
        self.assertEqual(cmake_options() - LEFT_OUT, set(passed))
        variants = {words[0] for words, _ in said.of("variant")}
        for option in ("ESPALIER_PAGE", "ESPALIER_PORTABLE", "ESPALIER_WERROR"):
            self.assertIn(passed[option], variants)
        self.assertEqual("", passed["ESPALIER_SANITIZE"])

    def test_spack_depends_on_each_library_that_cmake_looks_for(self):
        _, said = load()
        needed = {re.split("[@+~]", words[0])[0] for words, _ in said.of("depends_on")}
        for package in ("fmt", "nlohmann-json", "pugixml", "cli11", "hwloc", "scotch", "sqlite", "mpich", "openmpi", "cmake"):
            self.assertIn(package, needed)

    def test_the_container_builds_with_targets_of_make(self):
        text = (SOURCE / "packaging" / "Containerfile").read_text()
        made = re.findall(r"^RUN make (\S+)", text, re.MULTILINE)
        self.assertEqual(["deb"], made)
        makefile = (SOURCE / "Makefile").read_text()
        for target in made:
            self.assertRegex(makefile, rf"(?m)^{target}:")
        folder = re.search(r"COPY --from=build /src/(\S+)/\*\.deb", text).group(1)
        self.assertIn(f"{folder}/*.deb", makefile)

    def test_both_engines_leave_out_the_same_files(self):
        """Podman reads .containerignore, Docker .dockerignore."""
        ignored = [(SOURCE / name).read_text() for name in (".containerignore", ".dockerignore")]
        self.assertEqual(ignored[0], ignored[1])
        self.assertIn("build", ignored[0].splitlines())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])

#!/usr/bin/env python3
"""The table of scripts/check_includes.py and that of src/CMakeLists.txt say the same."""
import importlib.util
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))


class RoomsAgree(unittest.TestCase):
    def test_every_room_uses_in_cmake_what_it_may_include(self):
        spec = importlib.util.spec_from_file_location(
            "check_includes", ROOT / "scripts" / "check_includes.py")
        checker = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode = True
        spec.loader.exec_module(checker)
        in_cmake = {}
        text = re.sub(r"#.*", "", (ROOT / "src" / "CMakeLists.txt").read_text())
        for call in re.findall(r"espalier_(?:mpi_)?room\(([^)]*)\)", text):
            name, *words = call.split()
            uses = words[words.index("USES") + 1:] if "USES" in words else []
            if "LINKS" in uses:
                uses = uses[:uses.index("LINKS")]
            in_cmake[name] = set(uses)
        self.assertGreater(len(in_cmake), 1)
        self.assertEqual(in_cmake, checker.MAY_INCLUDE)


if __name__ == "__main__":
    unittest.main()

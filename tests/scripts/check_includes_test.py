#!/usr/bin/env python3
"""scripts/check_includes.py lets good trees pass and names the line of every bad include."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(sys.argv.pop(1)).resolve()


def check(files):
    """Exit code and messages of the checker on a tree of src/ with these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, "src", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True)
        return run.returncode, run.stderr.replace(root + "/", "")


class CheckIncludes(unittest.TestCase):
    def test_lets_rooms_include_themselves_and_those_above(self):
        code, said = check({
            "base/base/a.hpp": "#include <vector>\n",
            "base/base/b.cpp": '#include "base/a.hpp"\n',
            "plan/tree/t.cpp": '#include "model/m.hpp"\n#include "topology/machine.hpp"\n',
            "plan/tree/t_test.cpp": '#include "support/for_all_seeds.hpp"\n',
            "tool/main.cpp": '#include "cli/run.hpp"\n',
        })
        self.assertEqual((code, said), (0, ""))

    def refused(self, files, *parts):
        code, said = check(files)
        self.assertEqual(code, 1)
        for part in parts:
            self.assertIn(part, said)

    def test_refuses_a_room_that_looks_down(self):
        self.refused({"plan/topology/x.cpp": '#include <string>\n\n#include "tree/comm_tree.hpp"\n'},
                     "src/plan/topology/x.cpp:3: error:", "tree/comm_tree.hpp")

    def test_refuses_in_sub_folders_and_odd_spellings(self):
        self.refused({"plan/topology/simgrid/x.cpp": '  #  include   "model/m.hpp"\n'},
                     "src/plan/topology/simgrid/x.cpp:1: error:")

    def test_refuses_test_support_outside_of_tests(self):
        self.refused({"base/base/x.cpp": '#include "support/for_all_seeds.hpp"\n'}, "src/base/base/x.cpp:1:")

    def test_refuses_mpi_above_its_room(self):
        self.refused({"tool/cli/x.cpp": "#include <mpi.h>\n"}, "src/tool/cli/x.cpp:1:", "mpi.h")

    def test_refuses_cli11_outside_of_the_files_behind_its_front(self):
        self.refused({"tool/cli/show.cpp": "#include <CLI/CLI.hpp>\n",
                      "tool/cli/options.hpp": "#pragma once\n\n#include <CLI/App.hpp>\n",
                      "study/lab/options.cpp": "#include <CLI/CLI.hpp>\n"},
                     "src/tool/cli/show.cpp:1:", "src/tool/cli/options.hpp:3:", "src/study/lab/options.cpp:1:", "cli/options.hpp")

    def test_lets_the_files_behind_its_front_include_cli11(self):
        self.assertEqual(check({"tool/cli/options.cpp": "#include <CLI/CLI.hpp>\n"}), (0, ""))

    def test_refuses_a_room_that_is_not_in_its_table(self):
        self.refused({"plan/attic/x.cpp": "\n"}, 'room "attic"')

    def test_refuses_a_room_in_another_wing(self):
        self.refused({"run/tree/x.cpp": "\n"}, 'room "tree" of wing "run"')

    def test_names_every_line_not_only_the_first(self):
        self.refused({"base/base/x.cpp": '#include "tree/a.hpp"\n#include "cli/b.hpp"\n',
                      "plan/model/y.hpp": '#include "report/c.hpp"\n'},
                     "src/base/base/x.cpp:1:", "src/base/base/x.cpp:2:", "src/plan/model/y.hpp:1:")


if __name__ == "__main__":
    unittest.main()

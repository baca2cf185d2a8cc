#!/usr/bin/env python3
"""scripts/check_local_names.py lets rooms pass whose sources can be compiled together, and names every clash in the others."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(sys.argv.pop(1)).resolve()


def source(body, namespace="espalier::tree"):
    return f"#include <vector>\n\nnamespace {namespace} {{\nnamespace {{\n\n{body}\n\n}}  // namespace\n\nint shown() {{ return 1; }}\n}}\n"


def check(files):
    """Exit code and messages of the checker on a tree of src/ with these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, "src", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        ran = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True, check=False)
        return ran.returncode, ran.stderr.replace(root + "/", "")


class CheckLocalNames(unittest.TestCase):
    def passes(self, files):
        self.assertEqual(check(files), (0, ""))

    def clashes(self, first, second, name):
        code, said = check({"plan/tree/a.cpp": source(first), "plan/tree/b.cpp": source(second)})
        self.assertEqual(code, 1, said)
        self.assertIn(f'error: src/plan/tree/b.cpp:6: "espalier::tree::{name}" is a local name of src/plan/tree/a.cpp:6 too', said)

    def test_two_definitions_of_one_name_clash(self):
        self.clashes("struct Offer {", "struct Offer {", "Offer")
        self.clashes("constexpr int kMost = 1;", "constexpr double kMost = 2;", "kMost")
        self.clashes("constexpr std::string_view kText =", "constexpr std::string_view kText =", "kText")
        self.clashes("using Words = std::vector<int>;", "using Words = std::vector<char>;", "Words")
        self.clashes("enum class Kind { A };", "enum class Kind { B };", "Kind")

    def test_two_functions_would_overload_each_other_in_silence(self):
        self.clashes("int bits(int b) { return b; }", "double bits(double b) { return b; }", "bits")
        self.clashes("std::vector<int> parts(const T& of,", "[[nodiscard]] bool parts();", "parts")

    def test_rooms_tests_and_namespaces_are_apart(self):
        one = source("struct Offer {")
        self.passes({"plan/tree/a.cpp": one, "groups/group/a.cpp": one})
        self.passes({"plan/tree/a.cpp": one, "plan/tree/a_test.cpp": one})
        self.passes({"plan/tree/a.cpp": one, "plan/tree/exact/b.cpp": source("struct Offer {", "espalier::tree::exact")})

    def test_what_is_no_definition_may_come_again(self):
        self.passes({"plan/tree/a.cpp": source("using Words = std::vector<int>;"), "plan/tree/b.cpp": source("using Words = std::vector<int>;")})
        self.passes({"plan/tree/a.cpp": source("constexpr Time kFar = milliseconds(1);"), "plan/tree/b.cpp": source("constexpr Time kNear = milliseconds(2);")})
        self.passes({"plan/tree/a.cpp": source("  int inside;"), "plan/tree/b.cpp": source("  int inside;")})


if __name__ == "__main__":
    unittest.main()

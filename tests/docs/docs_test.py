#!/usr/bin/env python3
"""The tests of documents say no where they should."""
import pathlib
import sys
import tempfile
import unittest

import check_pages
import check_variables
import code_blocks
import compare
import pages
import shell

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class NoTool:
    """A tool with one command."""

    @staticmethod
    def wrong(text):
        words = text.split()
        return "" if words[1] == "show" and "--nothing" not in words else "there is no such thing"


def wrong(text):
    """What the check of blocks says of a document."""
    return [check_pages.wrong_block(block, NoTool, SOURCE) for block in pages.blocks(text)]


class Blocks(unittest.TestCase):
    def test_steps_are_commands_and_what_they_print(self):
        (block,) = pages.blocks("text\n```console varies\n$ a \\\n> b\n1\n\n2\n$ c\n```\n")
        self.assertEqual((block.line, block.last, block.how), (2, 9, "varies"))
        first, second = pages.steps(block)
        self.assertEqual((first.command, first.printed, first.line), ("a \\\nb", ["1", "", "2"], 3))
        self.assertEqual((second.command, second.printed), ("c", []))

    def test_blocks_in_lists_lose_their_indent(self):
        (block,) = pages.blocks("- so:\n  ```c a.c\n  int x;\n    int y;\n  ```\n")
        self.assertEqual((block.file, block.text), ("a.c", "int x;\n  int y;\n"))

    def test_what_is_around_code_belongs_to_the_next_block_only(self):
        text = "<!-- around: x.cpp -->\n```cpp\n```\n\n```cpp\n```\n"
        self.assertEqual([b.around for b in pages.blocks(text)], ["x.cpp", ""])

    def test_a_block_without_an_end_is_refused(self):
        with self.assertRaises(ValueError):
            pages.blocks("```text\n")

    def test_output_without_a_command_is_refused(self):
        with self.assertRaises(ValueError):
            pages.steps(pages.blocks("```console\nhello\n$ a\n```\n")[0])


class Checks(unittest.TestCase):
    def test_commands_that_nobody_runs_are_found(self):
        for text in ("```\nespalier show x\n```\n", "```sh\nmake\n```\n", "```bash\nls\n```\n", "```text\n$ ls\n```\n",
                     "```text\n espalier show x\n```\n", "```console often\n$ ls\n```\n", "```console\n```\n",
                     "```text\n mpiexec -n 2 ./a\n```\n"):
            self.assertTrue(wrong(text)[0], text)
        for text in ("```text\nan espalier show\n```\n", "```console\n$ ls\n```\n", "```sh job.sh\nls\n```\n"):
            self.assertFalse(wrong(text)[0], text)

    def test_commands_and_options_that_do_not_exist_are_found(self):
        self.assertTrue(wrong("```console\n$ espalier sow x\n```\n")[0])
        self.assertTrue(wrong("```console long\n$ espalier show --nothing\n```\n")[0])
        self.assertFalse(wrong("```console\n$ espalier show x\n```\n")[0])
        self.assertEqual(len(list(check_pages.wrong_prose("`espalier sow`, `make nothing` and ESPALIER_NOTHING", NoTool,
                                                          {"demo"}, set()))), 3)
        self.assertEqual(list(check_pages.wrong_prose("`espalier show`, `make demo`", NoTool, {"demo"}, set())), [])

    def test_only_what_a_fresh_machine_needs_is_installed(self):
        says = lambda command: check_pages.wrong_install(command, SOURCE)
        for command in ("sudo apt-get install -y git make", "apt install mpich", "git clone URL x", "cd x", "make", "make demo",
                        "make install PREFIX=/opt/espalier # there"):
            self.assertEqual(says(command), "", command)
        for command in ("apt install emacs", "apt remove git", "make tea", "rm -rf /", "curl URL", "espalier show x"):
            self.assertNotEqual(says(command), "", command)

    def test_files_that_nobody_uses_are_found(self):
        used = "```c a.c\n```\n```console\n$ cc -o a a.c\n```\n"
        self.assertEqual(list(check_pages.wrong_files(pages.blocks(used))), [])
        self.assertEqual(len(list(check_pages.wrong_files(pages.blocks("```c b.c\n```\n" + used)))), 1)

    def test_links_to_nowhere_are_found(self):
        text = "[a](README.md) [b](nowhere.md#x) [c](https://example.org)\n```text\n[d](gone.md)\n```\n"
        self.assertEqual([line for line, _ in check_pages.wrong_links(SOURCE / "README.md", text)], [1])

    def test_variables_that_are_missing_or_stale_are_found(self):
        self.assertEqual(len(list(check_variables.complaints({"ESPALIER_A": "a.cpp"}, {"ESPALIER_B"}))), 2)
        self.assertEqual(list(check_variables.complaints({"ESPALIER_A": "a.cpp"}, {"ESPALIER_A"})), [])
        self.assertEqual(check_variables.IN_SOURCES.findall('f("ESPALIER_LOG"); g("ESPALIER_XY=1"); ESPALIER_MACRO'),
                         ["ESPALIER_LOG", "ESPALIER_XY"])


class Comparing(unittest.TestCase):
    def test_lines_are_equal_or_left_out(self):
        self.assertTrue(compare.matches(["a", "...", "c"], ["a", "b", "b", "c"]))
        self.assertFalse(compare.matches(["a", "...", "c"], ["a", "b"]))
        self.assertFalse(compare.matches(["took 3 ms"], ["took 4 ms"]))
        self.assertFalse(compare.matches([], ["more"]))

    def test_figures_may_vary_but_words_may_not(self):
        self.assertTrue(compare.matches(["took  3.25 ms ███ x"], ["took 40 us █ x"], varies=True))
        self.assertTrue(compare.matches(["uplinks of 96.1 Mbit/s..."], ["uplinks of at least 97.7 Mbit/s; and more"], varies=True))
        self.assertFalse(compare.matches(["uplinks of 96.1 Mbit/s"], ["uplinks of at most 97.7 Mbit/s"], varies=True))
        self.assertTrue(compare.matches(["host ... is 5 % busy"], ["host a1 of b is 60.2 % busy"], varies=True))
        self.assertTrue(compare.matches(["1,440 messages"], ["7 messages"], varies=True))

    def test_lines_of_ours_may_stand_elsewhere_where_figures_vary(self):
        shown = ["a step: 3 ms", "espalier: the profile is in .../x"]
        self.assertTrue(compare.matches(shown, ["espalier: the profile is in /tmp/x", "a step: 4 ms"], varies=True))
        self.assertFalse(compare.matches(shown, ["espalier: the profile is in /tmp/x", "b step: 4 ms"], varies=True))
        self.assertFalse(compare.matches(["b", "espalier: a"], ["espalier: a", "b"]))
        self.assertFalse(compare.matches(["took 3 ms"], ["failed after 3 ms"], varies=True))
        self.assertFalse(compare.matches(["wrong 0"], ["wrong many"], varies=True))
        self.assertFalse(compare.matches(["wrong 0"], ["wrong 3"], varies=True))
        self.assertFalse(compare.matches(["5 ms a step, 0 wrong"], ["6 ms a step, 2 wrong"], varies=True))
        self.assertTrue(compare.matches(["5 ms a step, 0 wrong"], ["6 ms a step, 0 wrong"], varies=True))
        self.assertFalse(compare.matches(["site0 3"], ["site1 3"], varies=True))


    def test_progress_may_stand_between(self):
        self.assertTrue(compare.matches(["a", "b"], ["a", "deciding: 25 of 32, 3 s left", "b"]))
        self.assertTrue(compare.matches(["a", "b"], ["deciding: 5 of 32, 10 s so far", "a", "b"]))
        self.assertTrue(compare.matches(["planning: 1 of 2, 3 s left"], ["planning: 1 of 2, 3 s left"]))
        self.assertFalse(compare.matches(["a"], ["a", "25 of 32 failed"]))


class Shells(unittest.TestCase):
    def test_folders_and_variables_stay_and_codes_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            bash = shell.Shell(folder, {"PATH": "/usr/bin:/bin"})
            self.assertEqual(bash.run("x=5; mkdir a; cd a"), (0, ""))
            self.assertEqual(bash.run("echo $x; basename $PWD; cat"), (0, "5\na\n"))
            self.assertEqual(bash.run("echo e >&2; false"), (1, "e\n"))
            self.assertEqual(bash.run("if then")[0] != 0, True)
            self.assertEqual(bash.run("echo still there"), (0, "still there\n"))
            self.assertIsNone(bash.run("sleep 100", seconds=0.2)[0])
            bash.end()

    def test_a_shell_that_ends_is_no_success(self):
        with tempfile.TemporaryDirectory() as folder:
            bash = shell.Shell(folder, {"PATH": "/usr/bin:/bin"})
            self.assertIsNone(bash.run("exit 0")[0])
            bash.end()


class Code(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            return code_blocks.check(pages.blocks(text)[0], folder, None, SOURCE)

    def test_code_that_does_not_compile_is_refused(self):
        self.assertIn("error", self.check("<!-- around: topology.c -->\n```c\nint x = y;\n```\n"))
        self.assertEqual(self.check("<!-- around: topology.c -->\n```c\nint x = size;\n```\n"), "")
        self.assertIn("around", self.check("```c\nint x;\n```\n"))

    def test_json_that_is_none_is_refused(self):
        self.assertIn("no JSON", self.check("```json\n{,}\n```\n"))
        self.assertEqual(self.check('```json\n{"a": 1}\n```\n'), "")

    def test_targets_that_no_test_builds_are_refused(self):
        self.assertIn("nowhere", self.check("```cmake\ntarget_link_libraries(x PRIVATE espalier::everything)\n```\n"))
        self.assertEqual(self.check("```cmake\ntarget_link_libraries(x PRIVATE espalier::mpich)\n```\n"), "")

    def test_languages_that_nobody_knows_are_refused(self):
        self.assertIn("nobody knows", self.check("```perl\n1;\n```\n"))


if __name__ == "__main__":
    sys.exit(unittest.main())

#!/usr/bin/env python3
"""scripts/check_language.py lets plain comments, pages and names pass, and says where others are."""
import contextlib
import io
import pathlib
import runpy
import sys
import tempfile
import unittest
import unittest.mock

CHECKER = pathlib.Path(sys.argv.pop(1)).resolve()
LONG = "Word " + " ".join(["word"] * 45) + "."
SHORT = "Word " + " ".join(["word"] * 44) + "."


def check(files, *options):
    """Exit code and messages of the checker on a repository with these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), unittest.mock.patch("sys.argv", [str(CHECKER), root, *options]):
            try:
                runpy.run_path(str(CHECKER), run_name="__main__")
            except SystemExit as end:
                return end.code, said.getvalue().replace(root + "/", "")
        raise AssertionError("no exit code")


class CheckLanguage(unittest.TestCase):
    def passes(self, name, text):
        self.assertEqual(check({name: text}), (0, ""))

    def refuses(self, name, text, line, what):
        code, said = check({name: text})
        self.assertEqual(code, 1, said)
        self.assertIn(f"{name}:{line}: error: {what}", said)
        self.assertEqual(said.count("error:"), 1, said)

    def refuses_comment(self, comment):
        self.refuses("src/plan/tree/a.hpp", f"struct A {{\n  int a = 0;  ///< {comment}\n}};\n", 2,
                     f'the comment "{comment}" does not stand alone')

    def test_a_trailing_comment_begins_with_its_subject(self):
        for comment in ("of a plan; none: native", "if so, in all", "by replay", "Of each rank", "else, nothing", "out", "that it sends"):
            self.refuses_comment(comment)
        for comment in ("which plan; absent means the MPI library's own call", "total over all ranks", "in_place of the call",
                        "by-name lookup", "when the call began", "seconds; negative: not known"):
            self.passes("src/plan/tree/a.hpp", f"  int a = 0;  ///< {comment}\n")

    def test_public_headers_are_looked_at_and_lines_that_go_on_are_not(self):
        self.refuses("include/espalier/a.hpp", "int a;  ///< of all\n", 1, 'the comment "of all" does not stand alone')
        self.passes("include/espalier/a.hpp", "int a;  ///< total time\n        ///< of all ranks\n/// Of all: a comment above.\n")

    def test_a_sentence_has_at_most_45_words(self):
        for page in ("README.md", "docs/a.md", "docs/howto/a.md"):
            self.passes(page, f"# A\n\n{SHORT} {SHORT}\n\n- {SHORT}\n- {SHORT}\n")
            self.refuses(page, f"# A\n\n{LONG}\n", 3, "a sentence of 46 words, more than 45")
        self.refuses("docs/a.md", f"- {SHORT}\n  - {LONG}\n", 2, "a sentence of 46 words")
        self.refuses("docs/a.md", LONG.replace("word", "`word`\nword", 1) + "\n", 1, "a sentence of 47 words")

    def test_code_tables_and_generated_pages_have_no_sentences(self):
        self.passes("docs/a.md", f"```text\n{LONG}\n```\n\n| {LONG} |\n|---|\n\n    {LONG}\n\n<!-- {LONG} -->\n")
        self.passes("docs/a.md", f"`{LONG}` is one word, [{SHORT[:-1]}](a.md).\n".replace(SHORT[:-1], "link"))
        self.passes("docs/reference/cli.md", LONG + "\n")

    def test_an_initial_does_not_end_a_sentence(self):
        self.refuses("docs/a.md", LONG.replace("word", "J. Hayes et al. Word", 1) + "\n", 1, "a sentence of 50 words")

    def test_replaced_type_names_do_not_come_back(self):
        self.refuses("src/run/runtime/a.hpp", "struct Course {\n};\n", 1, 'the type name "Course" was replaced by ClassPolicy')
        for line in ("class Terrain final {", "enum class Wish : std::uint8_t {", "using Ground = int;", "  struct Fixture : A {", "class Choosing"):
            code, said = check({"src/run/runtime/a.cpp": line + "\n"})
            self.assertEqual(code, 1, line)
            self.assertIn("was replaced by", said)
        self.passes("src/run/runtime/a.hpp", "struct CourseOfAction {\n};\nint course = 0;  // Course\n")

    def test_the_glossary_names_what_there_is(self):
        row = "| plan | A value. | `Plan::name`, `src/plan.hpp` | way |\n"
        self.assertEqual(check({"docs/glossary.md": row, "src/plan.hpp": "struct Plan { int name; };\n"}), (0, ""))
        code, said = check({"docs/glossary.md": row, "src/plan.hpp": "struct Plans { int name; };\n"})
        self.assertEqual(code, 1)
        self.assertIn('docs/glossary.md:1: error: "Plan::name" is not in the sources', said)

    def test_counts_refuse_nothing(self):
        code, said = check({"src/a/b/a.hpp": "struct A {\n  int a;  ///< of all\n  int b;  ///< total\n};\nstruct C;\n",
                            "src/a/b/c.hpp": "struct A {\n};\nstruct C {\n};\n" + "\n" * 40, "README.md": LONG}, "--counts")
        self.assertEqual(code, 0, said)
        counts = {what: int(count) for count, what in (line.strip().split("  ", 1) for line in said.splitlines())}
        self.assertEqual(counts, {
            "trailing comments": 2, "trailing comments that do not stand alone": 1, "sentences above 45 words": 1,
            "type names defined in more than one file of src": 1, "files of src": 2, "files of src below 40 lines": 1,
            "lines of src": 49})


if __name__ == "__main__":
    unittest.main()

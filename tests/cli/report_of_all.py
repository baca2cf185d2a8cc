#!/usr/bin/env python3
"""The short form of `espalier reproduce all`: one page and JSON with every exhibit; what is there already is not made again.

usage: report_of_all.py ESPALIER
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ESPALIER = sys.argv[1]


def report(folder):
    ran = subprocess.run([ESPALIER, "--quiet", "reproduce", "all", "--quick", "--folder", folder], capture_output=True, text=True,
                         check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == "", ran.stderr
    assert ran.stdout.strip() == f"{folder}/index.html", ran.stdout
    return json.loads(pathlib.Path(folder, "report.json").read_text())


def planted_files_are_refused(part):
    """What another user puts into a folder that everybody writes to is neither taken nor written. Only root can make such files."""
    nobody = 65534
    with tempfile.TemporaryDirectory() as shared:
        os.chmod(shared, 0o1777)
        planted = pathlib.Path(shared, part.name)
        planted.write_text(part.read_text())
        run = pathlib.Path(shared, "run.json")
        run.write_text("{}")
        for file in (planted, run):
            os.chown(file, nobody, nobody)
        for arguments, refused in ((["--folder", shared], planted), (["--folder", f"{shared}/own", "--measured", str(run)], run)):
            ran = subprocess.run([ESPALIER, "--quiet", "reproduce", "all", "--quick", *arguments], capture_output=True, text=True, check=False)
            assert ran.returncode == 2, ran
            assert ran.stderr.startswith(f"{refused}: error: ") and f"of another user (id {nobody})" in ran.stderr, ran.stderr
        assert planted.read_text() == part.read_text()
        assert not pathlib.Path(shared, "index.html").exists()


def main():
    with tempfile.TemporaryDirectory() as folder:
        first = report(folder)
        keys = {one["key"] for one in first["exhibits"]}
        assert len(first["exhibits"]) >= 21, keys
        assert sum(len(one["comparisons"]) for one in first["exhibits"]) >= 80
        # Each exhibit has numbers of its paper beside ours, or says why the paper has none.
        for one in first["exhibits"]:
            assert one["comparisons"] or re.search(r"states no number|not in the paper|states no time|this run has fewer", one["verdict"]), one["title"]
            assert one["verdict"] != "The paper states no number for this exhibit.", (one["paper"], one["key"])
        page = pathlib.Path(folder, "index.html").read_text()
        assert page.count("<section") == len(first["exhibits"])
        assert page.count('<p class="verdict') == len(first["exhibits"])
        # Every paper was measured in a lab too, in runs that are stored with their date and command.
        measured = [one for one in first["exhibits"] if one["mpi"] is not None]
        assert {one["paper"] for one in measured} == {"karonis", "banikazemi", "dichev", "langer", "park"}, measured
        for one in measured:
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", one["date"]) and "--on lab" in one["command"], one
            assert one["rows"] and one["notes"], one["title"]
        assert page.count("a stored run of 20") == len(measured)
        assert not re.search(r"<script|<link|src=|url\(|@import", page), "the page loads something"
        # A broken file and a missing one are made again; the others are taken.
        parts = sorted(pathlib.Path(folder).glob("*-*.json"))
        kept = {part: part.stat().st_mtime_ns for part in parts}
        broken, missing = pathlib.Path(folder, "banikazemi-figure1.json"), pathlib.Path(folder, "park-figure4.json")
        broken.write_text('{"format":"espalier-reproduce-part-1"')
        missing.unlink()
        second = report(folder)
        for part, when in kept.items():
            assert (part.stat().st_mtime_ns != when) == (part in (broken, missing)), part
        for one in first["exhibits"] + second["exhibits"]:
            one.pop("seconds")
            one.pop("date")
        assert first == second
        # Files of others stay, and nothing is made beside them.
        for name in ("index.html", "report.json", "karonis-figure8.json"):
            with tempfile.TemporaryDirectory() as other:
                thesis = pathlib.Path(other, name)
                thesis.write_text("my thesis")
                ran = subprocess.run([ESPALIER, "--quiet", "reproduce", "all", "--quick", "--folder", other], capture_output=True, text=True,
                                     check=False)
                assert ran.returncode == 2, (name, ran)
                assert ran.stderr.startswith(f"{thesis}: error: there is such a file"), (name, ran.stderr)
                assert [one.name for one in pathlib.Path(other).iterdir()] == [name] and thesis.read_text() == "my thesis", name
        if os.geteuid() == 0:
            planted_files_are_refused(parts[0])
        print(f"{len(first['exhibits'])} exhibits")


main()

#!/usr/bin/env python3
"""Bad inputs of every command: each is refused in words, at once, within bounds.

bad_inputs.table has a line a case:  ARGUMENTS => EXIT CODE => WORDS OF THE ERROR
ARGUMENTS are words for a shell without expansions. <a;b;c> stands for each of them, a case each; <> is nothing.
WORDS are the same for all of these, or <x;y;z>: those of each choice.
{name} is a file: one that a line "@name TEXT" makes, or one that make_files() makes. A case begins with "SHELL" if it is a
line for bash, in which $E is the tool.

A case fails if the exit code differs or the words do not stand on standard error, if with exit code 2 no hint is told or
something is on standard output, if the tool is killed, takes more than 2 s of processor time, more than 30 s by the clock or more than 200 MB of memory.

  bad_inputs.py TOOL [--part I/N] [--print] [--only TEXT]
"""
import argparse
import collections
import contextlib
import itertools
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

Ran = collections.namedtuple("Ran", "code out err megabytes seconds hung")
TABLE = pathlib.Path(__file__).with_name("bad_inputs.table")
DEEP = {  # files that are right but for values inside each other without end
    "deeptrace": '{"format":"espalier-trace-1","program":"p","clock":{"kernels":1,"residual_ns":0},"dropped_calls":0,"hosts":["a"],'
                 '"communicators":[{"name":"w","members":[0],"machine":DEEP}],"plans":[],"calls":[]}',
    "deepplacement": '{"format":"espalier-placement-1","ranks":DEEP}',
    "deeprun": '{"format":"espalier-reproduce-1","paper":"karonis2000","date":"x","command":"x","version":"x","mpi":"x",'
               '"exhibits":[{"key":"x","title":"x","notes":[],"rows":[{"a":DEEP}]}]}',
}
CPU_SECONDS = 2
MEMORY_MB = 200
PATIENCE = 30  # seconds by the clock, for what takes a fraction of one: the machine may be busy. More is a hang


def alternatives(line, words):
    """A line for each choice of <a;b;c>, and its words. Words that are <x;y;z> are those of each choice of the last group with as many."""
    parts = re.split(r"<([^<>]*)>", line)
    texts, groups = parts[0::2], [part.split(";") for part in parts[1::2]]
    of_choice = words[1:-1].split(";") if words.startswith("<") and words.endswith(">") else None
    alike = [g for g, group in enumerate(groups) if of_choice and len(group) == len(of_choice)]
    assert alike or not of_choice, f"no group of {line} has as many choices as {words}"
    for chosen in itertools.product(*(range(len(group)) for group in groups)):
        text = "".join(a + b for a, b in itertools.zip_longest(texts, (groups[g][c] for g, c in enumerate(chosen)), fillvalue=""))
        yield text, of_choice[chosen[alike[-1]]] if of_choice else words


def read_table():
    files, cases = {}, []
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            name, text = line[1:].split(" ", 1)
            files[name] = text.encode().decode("unicode_escape").encode("latin-1")
            continue
        what, code, words = (part.strip() for part in line.split(" => "))
        assert words not in ("", "error", "error:"), f"line {number} does not say what must be told"
        cases += [(number, one.strip(), int(code), expected) for one, expected in alternatives(what, words)]
    return files, cases


def sparse(path, size, begin=b""):
    with open(path, "wb") as file:
        file.write(begin)
        file.truncate(size)


def make_files(folder, texts):
    """The files that cases name, by their names."""
    made = {}
    for name, text in texts.items():
        made[name] = folder / name
        made[name].write_bytes(text)
    for name in ("folder", "fifo", "zeros", "manywords", "longname", "unreadable", "sqlite", "loop"):
        made[name] = folder / name
    made["folder"].mkdir()
    os.mkfifo(made["fifo"])
    sparse(made["zeros"], 3 << 30)
    made["manywords"].write_bytes(b"lorem ipsum " * (3 << 20))
    made["longname"].write_bytes(b"n" * (100 << 20))
    made["unreadable"].write_bytes(b"x")
    made["unreadable"].chmod(0)
    made["sqlite"].write_bytes(b"SQLite format 3\0" + b"\x10\x00" + bytes(500))
    made["loop"].symlink_to(made["loop"])
    made["here"] = folder
    deep = b"[" * 300_000 + b"]" * 300_000
    for name, text in DEEP.items():
        made[name] = folder / name
        made[name].write_bytes(text.encode().replace(b"DEEP", deep))
    return {name: str(path) for name, path in made.items()}


def limits():
    os.setpgrp()  # so that a shell can be ended with what it has started
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY_MB << 20, 2 * MEMORY_MB << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_all(group, hung):
    """A shell and what it has started."""
    hung.set()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def run(tool, what, folder):
    is_shell = what.startswith("SHELL ")
    words = ["/bin/bash", "-c", what[6:]] if is_shell else [tool] + shlex.split(what)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "E": tool}
    with open(folder / "out", "w+b") as out, open(folder / "err", "w+b") as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, env=environment,
                                   preexec_fn=limits)
        hung = threading.Event()
        watch = threading.Timer(PATIENCE, end_all, (process.pid, hung))
        watch.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:  # Ctrl-C reaches this process alone
            end_all(process.pid, hung)
            raise
        finally:
            watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        texts = [file.read(1 << 16).decode(errors="replace") for file in (out, err)]
        return Ran(process.returncode, *texts, usage.ru_maxrss >> 10, usage.ru_utime + usage.ru_stime, hung.is_set())


def wrong(code, words, ran):
    """What is wrong with how a case ended; empty if nothing is."""
    if ran.hung:
        return f"it hangs: not ended after {PATIENCE} s by the clock, {ran.seconds:.1f} s of processor time"
    if ran.code != code:
        return f"exit code {ran.code}, not {code}"
    if "internal failure" in ran.err or "out of memory" in ran.err:
        return "an internal failure"
    if words not in ran.err:
        return f'"{words}" is not in the error'
    if code == 2 and "hint: " not in ran.err:
        return "no hint says what to do"
    if code == 2 and ran.out:
        return "something is on standard output"
    return f"{ran.megabytes} MB" if ran.megabytes > MEMORY_MB else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    texts, cases = read_table()
    part, parts = map(int, options.part.split("/"))
    mine = [case for case in cases[part - 1::parts] if options.only in case[1]]
    failures = without_page = 0
    with tempfile.TemporaryDirectory(prefix="bad-inputs-") as name:
        folder = pathlib.Path(name)
        files = make_files(folder, texts)
        work = folder / "work"
        work.mkdir()
        peak, used = 0, 0
        for number, what, code, words in mine:
            line = re.sub(r"\{(\w+)\}", lambda found: files.get(found[1], found[0]), what)
            ran = run(os.path.abspath(options.tool), line, work)
            why = wrong(code, words, ran)
            if why and "this build has no page" in ran.err:  # without Node.js or its packages there is nothing to look at
                without_page += 1
                why = None
            peak, used = max(peak, ran.megabytes), used + ran.seconds
            if options.print:
                print(f"{what}\n    {ran.code} {ran.err.strip() or ran.out[:200]}")
            if why:
                failures += 1
                print(f"{TABLE.name}:{number}: {what}\n  {why}\n  exit code {ran.code}: {ran.err.strip()[:600]}")
    print(f"{len(mine)} of {len(cases)} bad inputs: {failures} not refused as they should be; at most {peak} MB, "
          f"{used:.1f} s of processor time" + (f"; {without_page} skipped: this build has no page" if without_page else ""))
    return 1 if failures or not mine else 0


if __name__ == "__main__":
    sys.exit(main())

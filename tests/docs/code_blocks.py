"""Code in documents compiles, JSON is what it says it is."""
import json
import pathlib
import subprocess

# What the tool reads, by "format".
READERS = {
    "espalier-machine-1": ["espalier", "show", "FILE"],
    "espalier-schedule-1": ["espalier", "verify", "FILE"],
    "espalier-profile-1": ["espalier", "profile", "show", "FILE"],
    "espalier-inventory-1": ["espalier", "place", "--profile", "ep.S", "-n", "4", "-i", "FILE"],
}
MARK = "THE BLOCK"
COMPILERS = {"c": ("mpicc.mpich", "c", []), "cpp": ("mpicxx.mpich", "cpp", ["-std=c++20"])}


def complaint(command, **more):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    return "" if ran.returncode == 0 else f"{' '.join(map(str, command))} gave {ran.returncode}\n{ran.stdout}"


def check_json(block, folder):
    try:
        document = json.loads(block.text)
    except ValueError as error:
        return f"no JSON: {error}"
    reader = READERS.get(document.get("format") if isinstance(document, dict) else "")
    if not reader:
        return ""
    file = pathlib.Path(folder) / ".block.json"
    file.write_text(block.text)
    return complaint([str(file) if word == "FILE" else word for word in reader])


def compiled(block, folder, source):
    compiler, suffix, options = COMPILERS[block.language]
    around = source / "tests" / "docs" / "around" / block.around
    if not block.around or not around.exists():
        return "code needs a file's name behind the language, or <!-- around: FILE --> of tests/docs/around above it"
    frame = around.read_text()
    if MARK not in frame:
        return f"{around} has no line with \"{MARK}\""
    lines = frame.splitlines()
    at = next(i for i, line in enumerate(lines) if MARK in line)
    file = pathlib.Path(folder) / f"block.{suffix}"
    wings = [word for wing in sorted((source / "src").iterdir()) if wing.is_dir() for word in ("-I", wing)]
    file.write_text("\n".join(lines[:at] + block.text.splitlines() + lines[at + 1:]) + "\n")
    return complaint([compiler, *options, "-fsyntax-only", "-Wall", "-I", source / "include", *wings, file])


def check_cmake(block, source):
    """Projects outside are built by tests/install: what is shown is what is built there, but for names of targets."""
    outside = (source / "tests" / "install" / "outside" / "CMakeLists.txt").read_text().replace("${mpi}", "mpich")
    for line in block.text.splitlines():
        words = line.split("#")[0].replace("(", " ").replace(")", " ").split()
        for word in words:
            if (word.startswith("espalier") or word.endswith("_package")) and word not in outside:
                return f"\"{word}\" is nowhere in tests/install/outside, so nobody knows that it works"
    return ""


def check(block, folder, build, source):
    """What is wrong with it, or ""."""
    if block.language == "json":
        return check_json(block, folder)
    if block.language == "cmake":
        return check_cmake(block, source)
    if block.language in COMPILERS:
        return compiled(block, folder, source)
    return f"nobody knows what to do with \"{block.language}\" (tests/docs/pages.py lists the kinds of blocks)"

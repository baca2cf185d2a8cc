#!/usr/bin/env python3
"""scripts/check_single.py in a small project: sources that lean on others are refused, by name; tests and variants are left out.

    check_single_test.py SOURCE_DIR COMPILER
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]


def entry(root, name, *flags):
    path = root / "src" / name
    return {"directory": str(root), "file": str(path), "command": " ".join([compiler, *flags, "-o", f"{name}.o", "-c", str(path)])}


def run(root):
    return subprocess.run([sys.executable, root / "scripts/check_single.py", root / "build"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder).resolve()
    for name in ("src", "build", "scripts"):
        (root / name).mkdir()
    shutil.copy(source / "scripts/check_single.py", root / "scripts")
    (root / "build/build.ninja").write_text("rule CUSTOM_COMMAND\n  command = echo '#define MADE 1' > $out\nbuild made.hpp: CUSTOM_COMMAND\n")
    (root / "src/good.cpp").write_text('#include "build/made.hpp"\nint good() { return MADE; }\n')
    (root / "src/leans.cpp").write_text("std::size_t leans() { return 0; }\n")
    (root / "src/leans_test.cpp").write_text("nonsense\n")
    (root / "src/variant.cpp").write_text("#ifdef SECOND\n#error twice\n#endif\n")
    good, leans, test = entry(root, "good.cpp", f"-I{root}"), entry(root, "leans.cpp"), entry(root, "leans_test.cpp")
    variants = [entry(root, "variant.cpp"), entry(root, "variant.cpp", "-DSECOND")]

    database = root / "build/compile_commands.json"
    database.write_text(json.dumps([good, test, *variants]))
    result = run(root)
    assert result.returncode == 0 and "2 sources, each by itself: all compile" in result.stdout, result.stdout

    database.write_text(json.dumps([good, leans, *variants]))
    result = run(root)
    assert result.returncode == 1, result.stdout
    assert "src/leans.cpp: does not compile by itself" in result.stdout and "1 do not compile" in result.stdout, result.stdout
    assert "src/good.cpp" not in result.stdout, result.stdout

    database.unlink()
    result = run(root)
    assert result.returncode == 1 and "hint: cmake --preset dev" in result.stdout, result.stdout
    assert not list(root.glob("**/*.o")), "an object was written"
print("ok")

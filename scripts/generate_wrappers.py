#!/usr/bin/env python3
"""Makes the wrappers of the interposed MPI functions from src/pmpi/functions.table.

    generate_wrappers.py TABLE OUT.cpp OUT.hpp

The wrappers know no MPI: every argument is as wide as a register, so that a call of the wrong MPI, whose
handles have another width, is handed on as it came. They hand it to the next library that defines the function
(another preload, or MPI itself), or to the body in src/pmpi if this process runs our MPI.
"""
import pathlib
import sys

HEADER = """// Generated from src/pmpi/functions.table by scripts/generate_wrappers.py.
"""


def read_table(path):
    for line in pathlib.Path(path).read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, *arguments = line.split()
            yield name, arguments


def ours(prefix, name):
    return prefix + name.removeprefix("MPI_").lower()


def declaration(name, arguments):
    return f"int {name}({', '.join('std::intptr_t ' + a for a in arguments)})"


def header(functions):
    yield HEADER + '#pragma once\n\n#include <cstdint>\n\nnamespace espalier::pmpi {\n\n'
    for name, arguments in functions:
        yield declaration(ours("intercept_", name), arguments) + ";  // our body\n"
        yield declaration(ours("next_", name), arguments) + ";  // the next library's\n"
    yield "\n}  // namespace espalier::pmpi\n"


def source(functions, header_name):
    yield HEADER + f'#include "{header_name}"\n\n#include "pmpi/next_function.hpp"\n\n'
    for name, arguments in functions:
        types = ", ".join(["std::intptr_t"] * len(arguments))
        values = ", ".join(arguments)
        yield f'extern "C" int P{name}({types});\n'
        yield "\nnamespace espalier::pmpi {\n"
        yield declaration(ours("next_", name), arguments) + " {\n"
        yield f'  static constinit NextFunction<int({types})> next{{"{name}", &P{name}}};\n'
        yield f"  return next.address()({values});\n}}\n"
        yield "}  // namespace espalier::pmpi\n\n"
        yield 'extern "C" __attribute__((visibility("default"))) ' + declaration(name, arguments) + " {\n"
        yield "  namespace pmpi = espalier::pmpi;\n"
        intercept, go_on = ours("intercept_", name), ours("next_", name)
        yield f"  return pmpi::is_our_mpi() ? pmpi::{intercept}({values}) : pmpi::{go_on}({values});\n}}\n\n"


def main():
    table, out_source, out_header = sys.argv[1:]
    functions = list(read_table(table))
    pathlib.Path(out_header).write_text("".join(header(functions)))
    pathlib.Path(out_source).write_text("".join(source(functions, pathlib.Path(out_header).name)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes the wrappers of the interposed MPI functions.

    generate_wrappers.py FUNCTIONS.table COLLECTIVES.table OUT.cpp OUT.hpp

The wrappers know no MPI: every argument is as wide as a register, so that a call of the wrong MPI, whose
handles have another width, is handed on as it came. They hand it to the next library that defines the function
(another preload, or MPI itself), or to the body in src/pmpi if this process runs our MPI.

Which Fortran entry points there are is a matter of the MPI, as seen with nm and a disassembler:
- MPICH 4.0: mpif.h, `use mpi`, and mpi_f08 procedures with buffers call the C function MPI_X, which is ours already;
  mpi_f08 procedures without buffers (mpi_barrier_f08_) call PMPI_X, so these are wrapped.
- Open MPI 4.1: all procedures end in ompi_x_f, which calls PMPI_X; mpi_x_ and its other spellings are the same
  function. All of these are wrapped, and nothing else: so no call comes to us twice. Only mpi_f08 procedures with a LOGICAL
  argument (and mpi_testsome_f08_) call pmpi_x_: these are wrapped beside.
"""
import pathlib
import sys

HEADER = "// Generated from src/pmpi/*.table by scripts/generate_wrappers.py.\n"
EXPORT = 'extern "C" __attribute__((visibility("default"))) '

# What an argument is, by the name that the standard gives it; `as_c` makes the C argument of a Fortran one.
BUFFERS = {"buffer", "sendbuf", "recvbuf"}
COUNTS = {"count", "sendcount", "recvcount"}
INTEGERS = COUNTS | {"root", "ndims", "nnodes", "n", "indegree", "outdegree", "reorder"}
TYPES = {"datatype", "sendtype", "recvtype"}
COUNT_ARRAYS = {"sendcounts", "recvcounts"}
ARRAYS = COUNT_ARRAYS | {"displs", "sdispls", "rdispls", "dims", "periods", "index", "edges", "sources", "degrees", "destinations"}
WEIGHTS = {"weights", "sourceweights", "destweights"}
TYPE_ARRAYS = {"sendtypes": "sendbuf", "recvtypes": "recvbuf"}
LOGICALS = {"flag", "periods", "reorder"}
HANDLES = {"op": "fortran_op", "comm": "fortran_comm", "info": "fortran_info"}


class Function:
    def __init__(self, name, arguments):
        self.name = name
        self.arguments = [a.split(":")[0] for a in arguments]
        self.wide = [a.split(":")[0] for a in arguments if a.endswith(":wide")]
        self.base = name.removeprefix("MPIX_").removeprefix("MPI_").lower()
        self.prefix = "mpix_" if name.startswith("MPIX_") else "mpi_"

    def has_buffers(self):
        return any(a in BUFFERS for a in self.arguments)

    def has_counts(self):
        return any(a in COUNTS | COUNT_ARRAYS for a in self.arguments)

    def is_collective(self):
        return self.has_counts() or self.base == "barrier"

    def is_neighbourhood(self):
        return "neighbor" in self.base


def read_table(path):
    for line in pathlib.Path(path).read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            yield Function(words[0], words[1:])


def derived(of, before, after, arguments):
    return Function(before + of.name.removeprefix("MPI_") + after, of.arguments + arguments)


def lower_first(name):  # MPI_Bcast -> MPI_Ibcast
    return "MPI_I" + name.removeprefix("MPI_").lower()


def passed_functions(functions, collectives, mpi):
    """(function, reason) of all that go on to the MPI library and are counted."""
    persistent = {"mpich": "MPI_", "openmpi": "MPIX_"}[mpi]
    for one in collectives:
        forms = [(Function(lower_first(one.name), one.arguments + ["request"]), "NonBlocking"),
                 (derived(one, persistent, "_init", ["info", "request"]), "Persistent")]
        if one.is_neighbourhood():
            forms = [(form, "Neighbourhood") for form, _ in [(one, "")] + forms]
        for form, reason in forms:
            yield form, reason
            if mpi == "mpich" and one.has_counts():
                yield derived(form, "MPI_", "_c", []), reason
    if mpi == "mpich":
        for one in functions:
            if one.has_counts() and not one.wide:
                yield derived(one, "MPI_", "_c", []), "LargeCounts"


def parameters(arguments):
    return ", ".join("std::intptr_t " + a for a in arguments)


def registers(arguments):
    return ", ".join(["std::intptr_t"] * len(arguments))


def declaration(name, arguments):
    return f"int {name}({parameters(arguments)})"


def header(functions):
    yield HEADER + '#pragma once\n\n#include <cstdint>\n#include <span>\n\n#include "runtime/explain.hpp"\n\n'
    yield "namespace espalier::pmpi {\n\n"
    for one in functions:
        yield declaration("intercept_" + one.base, one.arguments) + ";  // our body\n"
        yield declaration("next_" + one.base, one.arguments) + ";  // the next library's\n"
    yield "\n/// What goes on to the MPI library and is counted; note_passed() counts.\n"
    yield "std::span<const runtime::PassedFunction> passed_functions();\n"
    yield "void note_passed(std::size_t which);\n"
    yield "\n}  // namespace espalier::pmpi\n"


def next_pointer(name, arguments, result="int", otherwise="nullptr"):
    return f'  static constinit NextFunction<{result}({registers(arguments)})> next{{"{name}", {otherwise}}};\n'


def next_c(one, name=None, large=None):
    """next_bcast(...), or next_bcast_c(...); `large` says what takes counts beyond an int. It goes through a pointer that
    leads to the search at first, so that nothing has to be asked and no register to be saved."""
    name = name or one.name
    base = name.removeprefix("MPI_").lower()
    values = ", ".join(one.arguments)
    yield f'extern "C" int P{name}({registers(one.arguments)});\n'
    yield f"namespace espalier::pmpi {{\nnamespace {{\n{declaration('find_next_' + base, one.arguments)};\n"
    yield f"constinit std::atomic<int (*)({registers(one.arguments)})> the_next_{base}{{&find_next_{base}}};\n"
    yield f"[[gnu::noinline, gnu::cold]] {declaration('find_next_' + base, one.arguments)} {{\n"
    yield next_pointer(name, one.arguments, otherwise=f"&P{name}")
    yield f"  the_next_{base}.store(next.address(), std::memory_order_relaxed);\n  return next.address()({values});\n}}\n}}\n"
    if large:
        yield f"#ifdef ESPALIER_LARGE_COUNTS\n[[gnu::noinline, gnu::cold]] static {declaration('large_' + base, one.arguments)} {{\n"
        yield f"  return is_our_mpi() ? {large}({values}) : the_next_{base}.load(std::memory_order_relaxed)({values});\n}}\n#endif\n"
    yield f"{declaration('next_' + base, one.arguments)} {{\n"
    if large:
        yield f"#ifdef ESPALIER_LARGE_COUNTS\n  if ({' || '.join(f'!is_int({a})' for a in one.wide)}) return large_{base}({values});\n#endif\n"
    yield f"  return the_next_{base}.load(std::memory_order_relaxed)({values});\n}}\n}}  // namespace espalier::pmpi\n"


def exported(one, name, ours, following):
    """MPI_Bcast: our body's, or the next library's. Which MPI runs here is known but in the first call, which is kept
    out of the way: so the wrapper is a jump, and saves no register."""
    values = ", ".join(one.arguments)
    opening = declaration(name, one.arguments) + " {\n  using namespace espalier::pmpi;\n"
    if one.is_collective() and following == f"next_{one.base}":
        # Its body hands on what it knows to be native, and all while there is no engine, as where another MPI runs. What
        # else it does is a function by itself: so this is short.
        yield EXPORT + "__attribute__((flatten)) " + opening + f"  return intercept_{one.base}({ours});\n}}\n"
        return
    first = "first_" + name.lower()
    yield f"[[gnu::noinline, gnu::cold]] static {declaration(first, one.arguments)} {{\n  using namespace espalier::pmpi;\n"
    yield f"  return is_our_mpi() ? intercept_{one.base}({ours}) : {following}({values});\n}}\n"
    yield EXPORT + opening + f"  return is_known_to_be_our_mpi() ? intercept_{one.base}({ours}) : {first}({values});\n}}\n"


def wrapper_c(one):
    """MPI_Bcast, and MPI_Bcast_c where the body is fit for it."""
    # The upper half of an int's register is anything.
    narrow = ", ".join(f"static_cast<int>({a})" if a in one.wide else a for a in one.arguments)
    if one.wide:
        yield "#ifdef ESPALIER_LARGE_COUNTS\n"
        yield from next_c(one, one.name + "_c")
        yield from exported(one, one.name + "_c", ", ".join(one.arguments), f"next_{one.base}_c")
        yield "#endif\n"
    yield from next_c(one, large=f"next_{one.base}_c" if one.wide else None)
    yield from exported(one, one.name, narrow, f"next_{one.base}")
    yield "\n"


def wrapper_passed(one, which):
    yield f'extern "C" int P{one.name}({registers(one.arguments)});\n'
    yield EXPORT + declaration(one.name, one.arguments) + " {\n  using namespace espalier::pmpi;\n"
    yield next_pointer(one.name, one.arguments, otherwise=f"&P{one.name}")
    yield f"  if (is_our_mpi()) note_passed({which});\n  return next.address()({', '.join(one.arguments)});\n}}\n"


def fortran_names(one, mpi):
    """The symbol, and its other spellings: empty where Fortran ends in the C function that is wrapped already."""
    if mpi == "mpich":
        return [] if one.has_buffers() else [f"{one.prefix}{one.base}_f08_"]
    name = one.prefix + one.base
    return [name + "_", name, name + "__", name.upper(), f"o{name}_f"]


def fortran_name_groups(one, mpi):
    """Lists of names, each a function of its own with its other spellings."""
    groups = [fortran_names(one, mpi)]
    if mpi == "openmpi" and (LOGICALS & set(one.arguments) or one.base == "testsome"):
        groups.append([f"{one.prefix}{one.base}_f08_"])
    return [names for names in groups if names]


def as_c(argument):
    if argument in BUFFERS:
        return f"fortran_address({argument})"
    if argument in INTEGERS:
        return f"fortran_integer({argument})"
    if argument in TYPES:
        return f"fortran_datatype({argument})"
    if argument in ARRAYS:
        return argument  # an INTEGER is an int, and a LOGICAL 0 or not
    if argument in WEIGHTS:
        return f"fortran_weights({argument})"
    if argument in HANDLES:
        return f"{HANDLES[argument]}({argument})"
    if argument in TYPE_ARRAYS:
        return f"FortranTypes({argument}, {TYPE_ARRAYS[argument]}, comm).address()"
    if argument == "newcomm":
        return "FortranNewComm(newcomm).address()"
    sys.exit(f"generate_wrappers.py: what is argument \"{argument}\"? Give it the standard's name, or teach me.")


def wrapper_fortran(one, mpi, which=None):
    """`which`: the number of a function that is counted and passed on."""
    for names in fortran_name_groups(one, mpi):
        yield from wrapper_fortran_named(one, names, which)


def wrapper_fortran_named(one, names, which):
    arguments = [a for a in one.arguments if a not in ("argc", "argv")] + ["ierror"]
    values = ", ".join(arguments)
    yield EXPORT + f"void {names[0]}({parameters(arguments)}) {{\n  using namespace espalier::pmpi;\n"
    yield next_pointer(names[0], arguments, "void")
    if which is not None:
        yield f"  if (is_our_mpi()) note_passed({which});\n  next.address()({values});\n}}\n"
    elif one.base in ("init", "init_thread"):
        yield f"  next.address()({values});\n  if (is_our_mpi()) after_fortran_init();\n}}\n"
    elif one.base == "finalize":
        yield f"  if (is_our_mpi()) before_fortran_finalize();\n  next.address()({values});\n}}\n"
    else:
        yield f"  if (!is_our_mpi()) return next.address()({values});\n  set_fortran_integer(ierror, intercept_{one.base}("
        yield ", ".join(as_c(a) for a in one.arguments) + "));\n}\n"
    for alias in names[1:]:
        yield EXPORT + f'__attribute__((alias("{names[0]}"))) void {alias}({registers(arguments)});\n'


def of_mpi(functions, collectives, mpi):
    passed = list(passed_functions(functions, collectives, mpi))
    for which, (one, _) in enumerate(passed):
        yield from wrapper_passed(one, which)
        yield from wrapper_fortran(one, mpi, which)
    for one in functions:
        yield from wrapper_fortran(one, mpi)
    yield "namespace espalier::pmpi {\nstd::span<const runtime::PassedFunction> passed_functions() {\n"
    yield f"  static constexpr std::array<runtime::PassedFunction, {len(passed)}> kAll{{{{\n"
    for one, reason in passed:
        yield f'      {{"{one.name}", runtime::Reason::{reason}}},\n'
    yield "  }};\n  return kAll;\n}\n}  // namespace espalier::pmpi\n"


def source(functions, collectives, header_name):
    yield HEADER + f'#include "{header_name}"\n\n#include <array>\n\n'
    yield '#include "pmpi/fortran.hpp"\n#include "pmpi/next_function.hpp"\n\n'
    yield "#if !defined(OPEN_MPI_BUILD) && !defined(ESPALIER_SMPI)\n#define ESPALIER_LARGE_COUNTS  // MPICH 4 has them\n#endif\n\n"
    for one in functions:
        yield from wrapper_c(one)
    yield "#if defined(ESPALIER_SMPI)  // nothing else there is counted\n"
    yield "namespace espalier::pmpi {\nstd::span<const runtime::PassedFunction> passed_functions() { return {}; }\n}\n"
    yield "#elif defined(OPEN_MPI_BUILD)\n"
    yield from of_mpi(functions, collectives, "openmpi")
    yield "#else\n"
    yield from of_mpi(functions, collectives, "mpich")
    yield "#endif\n"


def main():
    functions_table, collectives_table, out_source, out_header = sys.argv[1:]
    functions = list(read_table(functions_table))
    collectives = list(read_table(collectives_table))
    pathlib.Path(out_header).write_text("".join(header(functions)))
    pathlib.Path(out_source).write_text("".join(source(functions, collectives, pathlib.Path(out_header).name)))


if __name__ == "__main__":
    main()

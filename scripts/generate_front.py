#!/usr/bin/env python3
"""Makes the entries of a front library (src/run/front): every name that any of its variants wraps.

    generate_front.py runtime FUNCTIONS.table COLLECTIVES.table OUT.c
    generate_front.py recorder FUNCTIONS.table COLLECTIVES.table OUT.c

An entry is a jump through its slot. Large-count functions have a substitute for MPIs without them (src/run/front/narrow.h). Behind a function that starts MPI the front has something to do. Every argument is as wide as a register, whatever it is, and so is the result: they stay
where they are.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import generate_recorders as recorders  # noqa: E402
import generate_wrappers as wrappers  # noqa: E402


def entries_of(which, functions_table, collectives_table):
    """The number of arguments of each name, in the order of the names; and the arguments of large-count functions."""
    entries, large = {}, {}
    if which == "runtime":
        functions, collectives = wrappers.read_tables(functions_table, collectives_table)
        made = [(kind, wrappers.source(functions, collectives, kind)) for kind in wrappers.kinds() if not kind.is_static]
    else:
        functions = list(recorders.read_table(functions_table))
        made = [(kind, recorders.source(functions, collectives_table, kind)) for kind in recorders.kinds()]
    for kind, text in made:
        for _ in text:
            pass
        large |= {name: arguments for name, arguments in kind.arguments.items() if re.fullmatch(r"MPI_\w+_c", name)}
        for name, arguments in kind.entries.items():
            if entries.setdefault(name, arguments) != arguments:
                sys.exit(f"generate_front.py: {name} has {entries[name]} arguments, and {arguments} in {kind.name}")
    return dict(sorted(entries.items())), large


# MPI_Init and MPI_Init_thread, in all spellings.
INIT = re.compile(r"o?mpi_init(_thread)?(_|__|_f|_f08_)?", re.IGNORECASE)


SEND = {"sendcount": "s", "sendcounts": "S", "sdispls": "S"}
RECEIVE = {"recvcount": "r", "recvcounts": "R", "rdispls": "R"}


def letters(base, arguments):
    """As in front/narrow.h. Displacements of MPI_Neighbor_alltoallw are of type MPI_Aint in any case."""
    displs = {"displs": "R" if "recvcounts" in arguments else "S", "count": "c"}
    if base == "neighbor_alltoallw":
        displs |= {"sdispls": "p", "rdispls": "p"}
    return "".join((SEND | RECEIVE | displs).get(a, "p") for a in arguments)


def place(arguments, name):
    return arguments.index(name) if name in arguments else -1


def substitute(name, arguments, prefix, called):
    """A static function for MPI_Bcast_c that calls MPI_Bcast."""
    narrow = name.removesuffix("_c")
    base = narrow.removeprefix("MPI_").removesuffix("_init").lower()
    base = base.removeprefix("i") if narrow.startswith("MPI_I") else base
    root_side = {"gather": "'r'", "gatherv": "'r'", "scatter": "'s'", "scatterv": "'s'"}.get(base, "0")
    span = "ESPALIER_FOR_GOOD" if narrow.endswith("_init") else "ESPALIER_IN_REQUEST" if "request" in arguments else "ESPALIER_IN_CALL"
    blocks = "ESPALIER_OF_NEIGHBOURS" if "neighbor" in base else \
        "ESPALIER_OF_OWN_GROUP" if base == "reduce_scatter" else "ESPALIER_OF_GROUP"
    places = ", ".join(str(place(arguments, a)) for a in ("sendbuf", "recvbuf", "root", "comm"))
    parameters = ", ".join(f"R a{i}" for i in range(len(arguments)))
    given = ", ".join(f"a{i}" for i in range(len(arguments)))
    passed = ", ".join(f"a[{i}]" for i in range(len(arguments)))
    types = ", ".join(["R"] * len(arguments))
    yield f"static R {prefix}_{name}({parameters}) {{\n"
    yield f'  static const struct espalier_large_function of = {{"{letters(base, arguments)}", {places}, {root_side}, {span}, {blocks}}};\n'
    yield f"  R a[] = {{{given}}};\n  int* made[ESPALIER_MOST_ARRAYS];\n"
    yield "  const R wrong = espalier_narrow(&of, a, made);\n  if (wrong != 0) return wrong;\n"
    yield f"  const R code = ((R(*)({types})){called})({passed});\n"
    yield "  espalier_free_narrow(made);\n  return code;\n}\n"


def substitutes(entries, large):
    numbers = {name: number for number, name in enumerate(entries)}
    there = [name for name in entries if name in large and name.removesuffix("_c") in numbers]
    for prefix, table in (("narrow", "espalier_substitutes"), ("native", "espalier_native_substitutes")):
        for name in there:
            narrow = name.removesuffix("_c")
            called = f"SLOT({numbers[narrow]})" if prefix == "narrow" else f'espalier_native("{narrow}")'
            yield from substitute(name, large[name], prefix, called)
        yield f"\nvoid* const {table}[] = {{\n"
        for name in entries:
            yield f"    (void*)&{prefix}_{name},\n" if name in there else "    0,\n"
        yield "};\n"


def source(which, entries, large):
    yield "/* Generated from the tables of src/run/pmpi and src/run/record by scripts/generate_front.py. */\n"
    yield '#include "front/front.h"\n#include "front/narrow.h"\n\ntypedef intptr_t R;\n'
    yield '#define ENTRY __attribute__((visibility("default")))\n#define SLOT(i) (*(void* volatile*)&espalier_slots[i])\n\n'
    for number, (name, count) in enumerate(entries.items()):
        types = ", ".join(["R"] * count) or "void"
        parameters = ", ".join(f"R a{i}" for i in range(count)) or "void"
        values = ", ".join(f"a{i}" for i in range(count))
        yield f"static R first_{number}({parameters}) {{\n"
        called = f"((R(*)({types}))espalier_resolve({number}, __builtin_return_address(0)))({values})"
        if INIT.fullmatch(name):
            yield f"  const R result = {called};\n  espalier_after_init();\n  return result;\n}}\n"
        else:
            yield f"  return {called};\n}}\n"
        yield f"ENTRY R {name}({types});\nENTRY R {name}({parameters}) {{ return ((R(*)({types}))SLOT({number}))({values}); }}\n"
    for declaration in ("void* espalier_slots[]", "void* const espalier_first_slots[]"):
        yield f"\n{declaration} = {{\n"
        for number in range(len(entries)):
            yield f"    (void*)&first_{number},\n"
        yield "};\n"
    yield "\nconst char* const espalier_names[] = {\n"
    for name in entries:
        yield f'    "{name}",\n'
    yield f"}};\nconst size_t espalier_entry_count = {len(entries)};\n\n"
    yield from substitutes(entries, large)
    yield "/* By its own name it would be that of the copy which comes first. */\nstatic const char here = 0;\n"
    yield f'ENTRY extern const char espalier_mark_{which} __attribute__((alias("here")));\n'
    yield f'const char* const espalier_mark = "espalier_mark_{which}";\n'
    yield f"const void* const espalier_own_mark = &here;\n"
    yield f"const int espalier_records = {int(which == 'recorder')};\n"


def main():
    which, functions_table, collectives_table, out = sys.argv[1:]
    pathlib.Path(out).write_text("".join(source(which, *entries_of(which, functions_table, collectives_table))))


if __name__ == "__main__":
    main()

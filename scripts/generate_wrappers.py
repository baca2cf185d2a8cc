#!/usr/bin/env python3
"""Makes the wrappers of the interposed MPI functions.

    generate_wrappers.py FUNCTIONS.table COLLECTIVES.table FOLDER

writes FOLDER/functions.hpp, FOLDER/collectives.cpp, and FOLDER/functions_KIND.cpp for each kind of MPI. The wrappers know no MPI:
every argument is as wide as a register. They hand a call to its body, or to the next library that defines the function (another
preload, or MPI itself). The bodies of collectives are alike by nature: collectives.cpp has them, which make an mpi::LocalCall of the
arguments. Other bodies are in src/run/pmpi. The wrappers of a variant end with a table of all of them, which the front library reads
(src/run/front).

Which Fortran entry points there are is a matter of the MPI, as seen with nm and a disassembler:
- MPICH 4: mpif.h, `use mpi`, and mpi_f08 procedures with buffers call the C function MPI_X, which is ours already;
  mpi_f08 procedures without buffers (mpi_barrier_f08_) call PMPI_X, so these are wrapped.
- Open MPI 4.1 and 5.0: all procedures end in ompi_x_f, which calls PMPI_X; mpi_x_ and its other spellings are the same
  function. All of these are wrapped, and nothing else: so no call comes to us twice. Only mpi_f08 procedures with a LOGICAL
  argument (and mpi_testsome_f08_) call pmpi_x_: these are wrapped beside.
"""
import pathlib
import sys

HEADER = "// Generated from src/run/pmpi/*.table by scripts/generate_wrappers.py.\n"
EXPORT = 'extern "C" __attribute__((visibility("default"))) '


class Kind:
    """A kind of MPI: what of it is wrapped, and (in `entries`) the number of arguments of each wrapper."""

    def __init__(self, name, fortran, persistent=(), large_counts=False):
        self.name = name
        self.fortran = fortran  # whose interfaces of Fortran, or None
        self.persistent = persistent  # prefixes of MPI_Bcast_init
        self.large_counts = large_counts  # MPI_Bcast_c
        self.is_static = name == "smpi"
        self.entries = {}
        self.arguments = {}  # names of the arguments of each C function

    def entry(self, name, arguments, result="int"):
        """The head of an exported function, which is noted."""
        self.entries[name] = len(arguments)
        self.arguments[name] = arguments
        return EXPORT + f"{result} {name}({parameters(arguments)})"

    def alias(self, name, of, arguments):
        self.entries[name] = len(arguments)
        return EXPORT + f'__attribute__((alias("{of}"))) void {name}({registers(arguments)});\n'


def kinds():
    """Open MPI calls them MPIX_Bcast_init up to 4.1, MPI_Bcast_init since 5.0: the front takes either for the other. Of the
    standard's own binary interface only the C functions are wrapped; SMPI's programs are C, and nothing else is counted there."""
    return [Kind("mpich", "mpich", ["MPI_"], large_counts=True), Kind("openmpi", "openmpi", ["MPIX_", "MPI_"]),
            Kind("mpiabi", None, ["MPI_"], large_counts=True), Kind("smpi", None)]


# What programs ask of Espalier itself (src/run/pmpi/exports.hpp, include/espalier/runtime_calls.h).
OWN_FUNCTIONS = {"espalier_query_count": 1, "espalier_query_last": 1, "espalier_topology_discover_": 0,
                 "espalier_topology_levels_": 2, "espalier_topology_depths_": 2, "espalier_topology_colors_": 3,
                 "espalier_topology_attach_": 2,
                 "espalier_api_plan_of_": 3, "espalier_api_machine_": 4, "espalier_api_multicasts_": 4}

# What an argument is, by the name that the standard gives it; `as_c` makes the C argument of a Fortran one.
BUFFERS = {"buffer", "sendbuf", "recvbuf"}
COUNTS = {"count", "sendcount", "recvcount"}
INTEGERS = COUNTS | {"requestcount", "root", "ndims", "nnodes", "n", "indegree", "outdegree", "reorder"}
TYPES = {"datatype", "sendtype", "recvtype"}
COUNT_ARRAYS = {"sendcounts", "recvcounts"}
ARRAYS = COUNT_ARRAYS | {"displs", "sdispls", "rdispls", "dims", "periods", "index", "edges", "sources", "degrees", "destinations",
                         "provided"}
WEIGHTS = {"weights", "sourceweights", "destweights"}
TYPE_ARRAYS = {"sendtypes": "sendbuf", "recvtypes": "recvbuf"}
LOGICALS = {"flag", "periods", "reorder"}
HANDLES = {"op": "fortran_op", "comm": "fortran_comm", "info": "fortran_info"}


# Of these the C function alone is wrapped: what Fortran makes beside it is not counted.
C_ONLY = {"MPI_Comm_dup", "MPI_Comm_split", "MPI_Comm_split_type", "MPI_Comm_create", "MPI_Comm_create_group",
          "MPI_Intercomm_merge", "MPI_Cart_sub", "MPI_Win_create"}


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


def passed_functions(functions, collectives, kind):
    """(function, reason) of all that go on to the MPI library and are counted."""
    for one in collectives if kind.persistent else []:
        forms = [(Function(lower_first(one.name), one.arguments + ["request"]), "NonBlocking")]
        forms += [(derived(one, prefix, "_init", ["info", "request"]), "Persistent") for prefix in kind.persistent]
        for form, reason in forms:
            yield form, reason
            if kind.large_counts and one.has_counts():
                yield derived(form, "MPI_", "_c", []), reason
    for one in functions if kind.large_counts else []:
        if one.has_counts() and not one.wide:
            yield derived(one, "MPI_", "_c", []), "LargeCounts"


def parameters(arguments):
    return ", ".join("std::intptr_t " + a for a in arguments)


def registers(arguments):
    return ", ".join(["std::intptr_t"] * len(arguments))


def declaration(name, arguments):
    return f"int {name}({parameters(arguments)})"


def header(functions):
    yield HEADER + '#pragma once\n\n#include <cstdint>\n#include <span>\n\n#include "pmpi/native_start.hpp"\n#include "runtime/explain.hpp"\n\n'
    yield "namespace espalier::pmpi {\n\n"
    for one in functions:
        yield declaration("intercept_" + one.base, one.arguments) + ";  // our body\n"
        yield declaration("next_" + one.base, one.arguments) + ";  // the next library's\n"
    yield "\n/// Starts the form that does not block. @return false: it is native, and not started yet\n"
    for one in functions:
        if one.is_collective():
            yield f"bool start_{one.base}({parameters(one.arguments + ['request'])}, int& code, const NativeStart& native);\n"
    yield "/// Makes the persistent form. @return false: it is native\n"
    for one in functions:
        if one.is_collective():
            yield f"bool init_{one.base}({parameters(one.arguments + ['request'])}, int& code);\n"
    yield "/// Whether one might be started along a plan.\nbool may_start();\n"
    yield "\n/// What goes on to the MPI library and is counted; note_passed() counts.\n"
    yield "std::span<const runtime::PassedFunction> passed_functions();\n"
    yield "void note_passed(std::size_t which);\n"
    yield "/// Likewise, after a start or an init that said why the call is native.\n"
    yield "void note_native_start(std::size_t which);\n"
    yield "\n}  // namespace espalier::pmpi\n"


def operation_of(one):
    """Of the enum schedule::Operation."""
    regular = one.base.removesuffix("_block").rstrip("vw") if one.has_counts() else one.base
    special = {"bcast": "Broadcast", "reduce_scatter": "ReduceScatter", "neighbor_allgather": "NeighbourAllgather",
               "neighbor_alltoall": "NeighbourAlltoall"}
    return special.get(regular, regular.capitalize())


def side_of(one, which):
    """What one side of a call sends or receives (`which`: send or recv), as an expression. What there is once is the receiver's."""
    def argument(*names):
        return next((a for a in names if a in one.arguments), None)

    has_single = which == "recv"
    buffer = argument(which + "buf", *(["buffer"] if has_single else []))
    count = argument(which + "count", *(["count"] if has_single else []))
    counts = argument(which + "counts")
    if counts:
        displacements = argument(which[0] + "displs", "displs") or "0"
        types = argument(which + "types")
        if types:
            kind = "neighbour_types" if one.is_neighbourhood() else "types"
            return f"side_of_{kind}({buffer}, {counts}, {displacements}, {types})"
        return f"side_of_blocks({buffer}, {counts}, {displacements}, {argument(which + 'type', 'datatype')})"
    if count:
        # The upper half of an int's register is anything.
        value = count if count in one.wide else f"as<int>({count})"
        return f"side_of({buffer}, {value}, {argument(which + 'type', 'datatype')})"
    return f"side_of({buffer}, 0, 0)" if buffer else None


def collective(one):
    """The body of a collective. What is known to be native goes on at once; all else is a function by itself, so that this is
    short."""
    values = ", ".join(one.arguments)
    yield f"namespace {{\n[[gnu::always_inline]] inline mpi::LocalCall call_{one.base}({parameters(one.arguments)}) {{\n"
    yield f"  mpi::LocalCall call{{schedule::Operation::{operation_of(one)}}};\n"
    if any(a in COUNT_ARRAYS for a in one.arguments):
        yield "  call.irregular = true;\n"
    for which in ("send", "recv"):
        side = side_of(one, which)
        if side:
            yield f"  call.{which} = {side};\n"
    for name, kind in (("op", "MPI_Op"), ("root", "int"), ("comm", "MPI_Comm")):
        if name in one.arguments:
            yield f"  call.{name} = as<{kind}>({name});\n"
    yield f"  return call;\n}}\n[[gnu::noinline]] {declaration('decide_' + one.base, one.arguments)} {{\n"
    yield f"  return decide<next_{one.base}>(call_{one.base}({values}), {values});\n}}\n}}\n"
    yield f"{declaration('intercept_' + one.base, one.arguments)} {{\n"
    yield f"  return is_known_native(call_{one.base}({values})) ? next_{one.base}({values}) : decide_{one.base}({values});\n}}\n\n"


def collectives_source(functions):
    yield HEADER + '#include "pmpi/functions.hpp"\n#include "pmpi/intercept.hpp"\n\nnamespace espalier::pmpi {\n\n'
    for one in functions:
        if one.is_collective():
            yield from collective(one)
            yield f"bool start_{one.base}({parameters(one.arguments + ['request'])}, int& code, const NativeStart& native) {{\n"
            yield f"  return start_call(call_{one.base}({', '.join(one.arguments)}), request, code, native);\n}}\n"
            yield f"bool init_{one.base}({parameters(one.arguments + ['request'])}, int& code) {{\n"
            yield f"  return init_call(call_{one.base}({', '.join(one.arguments)}), request, code);\n}}\n\n"
    yield "}  // namespace espalier::pmpi\n"


def next_pointer(name, arguments, kind, result="int"):
    otherwise = f"&P{name}" if kind.is_static else "nullptr"
    return f'  static constinit NextFunction<{result}({registers(arguments)})> next{{"{name}", {otherwise}}};\n'


def next_c(one, kind, name=None, large=None):
    """next_bcast(...), or next_bcast_c(...); `large` says what takes counts beyond an int. It goes through a pointer that
    leads to the search at first, so that nothing has to be asked and no register to be saved."""
    name = name or one.name
    base = name.removeprefix("MPI_").lower()
    values = ", ".join(one.arguments)
    if kind.is_static:
        yield f'extern "C" int P{name}({registers(one.arguments)});\n'
    yield f"namespace espalier::pmpi {{\nnamespace {{\n{declaration('find_next_' + base, one.arguments)};\n"
    yield f"constinit std::atomic<int (*)({registers(one.arguments)})> the_next_{base}{{&find_next_{base}}};\n"
    yield f"[[gnu::noinline, gnu::cold]] {declaration('find_next_' + base, one.arguments)} {{\n"
    yield next_pointer(name, one.arguments, kind)
    yield f"  the_next_{base}.store(next.address(), std::memory_order_relaxed);\n  return next.address()({values});\n}}\n}}\n"
    yield f"{declaration('next_' + base, one.arguments)} {{\n"
    if large:
        yield f"  if ({' || '.join(f'!is_int({a})' for a in one.wide)}) return {large}({values});\n"
    yield f"  return the_next_{base}.load(std::memory_order_relaxed)({values});\n}}\n}}  // namespace espalier::pmpi\n"


def exported(one, kind, name, ours):
    """MPI_Bcast. A collective's body hands on what it knows to be native; what else it does is a function by itself: so this is
    short."""
    flatten = "__attribute__((flatten)) " if one.is_collective() else ""
    yield kind.entry(name, one.arguments, flatten + "int")
    yield f" {{\n  return espalier::pmpi::intercept_{one.base}({ours});\n}}\n"


def wrapper_c(one, kind):
    """MPI_Bcast, and MPI_Bcast_c where the body is fit for it."""
    # The upper half of an int's register is anything.
    narrow = ", ".join(f"static_cast<int>({a})" if a in one.wide else a for a in one.arguments)
    is_large = bool(one.wide) and kind.large_counts
    if is_large:
        yield from next_c(one, kind, one.name + "_c")
        yield from exported(one, kind, one.name + "_c", ", ".join(one.arguments))
    yield from next_c(one, kind, large=f"next_{one.base}_c" if is_large else None)
    yield from exported(one, kind, one.name, narrow)
    yield "\n"


def blocking_form(one, functions):
    """What a function that does not block or is persistent is the form of, if that is planned; else None. Its counts are 64 bits
    wide in the large-count form, where the body takes them so."""
    is_large = one.name.endswith("_c")
    name = one.name.removesuffix("_c")
    for of in functions:
        forms = {lower_first(of.name), of.name + "_init", of.name.replace("MPI_", "MPIX_", 1) + "_init"}
        if of.is_collective() and name in forms and (of.wide or not is_large):
            return of
    return None


def begin_of(one, of, values):
    """What begins a form of `of` along a plan: start_bcast(...), or init_bcast(...) of a persistent one."""
    if one.name.removesuffix("_c").endswith("_init"):
        return f"init_{of.base}({values}, code)"
    return f"start_{of.base}({values}, code, native_start(native))"


def note_of(of):
    """What counts a native call: a start that was asked for has its own reason."""
    return "note_native_start" if of else "note_passed"


def wrapper_passed(one, kind, which, of):
    yield kind.entry(one.name, one.arguments) + " {\n  using namespace espalier::pmpi;\n"
    yield next_pointer(one.name, one.arguments, kind)
    native = f"{note_of(of)}({which});\n{{}}return next.address()({', '.join(one.arguments)});\n"
    if of:
        is_large = one.name.endswith("_c")
        values = ", ".join(f"static_cast<int>({a})" if a in of.wide and not is_large else a for a in of.arguments + ["request"])
        yield f"  const auto native = [&] {{\n    {native.format('    ')}  }};\n  int code = 0;\n"
        yield f"  return may_start() && {begin_of(one, of, values)} ? code : native();\n}}\n"
    else:
        yield f"  {native.format('  ')}}}\n"


def fortran_names(one, kind):
    """The symbol, and its other spellings: empty where Fortran ends in the C function that is wrapped already."""
    if kind.fortran is None:
        return []
    if kind.fortran == "mpich":
        return [] if one.has_buffers() else [f"{one.prefix}{one.base}_f08_"]
    name = one.prefix + one.base
    return [name + "_", name, name + "__", name.upper(), f"o{name}_f"]


def fortran_name_groups(one, kind):
    """Lists of names, each a function of its own with its other spellings."""
    if one.name in C_ONLY:
        return []
    groups = [fortran_names(one, kind)]
    if kind.fortran == "openmpi" and (LOGICALS & set(one.arguments) or one.base == "testsome"):
        groups.append([f"{one.prefix}{one.base}_f08_"])
    return [names for names in groups if names]


def as_c(argument, one):
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
        which = ("NeighbourTypes", ", " + str(argument == "sendtypes").lower()) if one.is_neighbourhood() else ("Types", "")
        return f"Fortran{which[0]}({argument}, {TYPE_ARRAYS[argument]}, comm{which[1]}).address()"
    if argument == "newcomm":
        return "FortranNewComm(newcomm).address()"
    if argument == "request":
        return "FortranRequest(request).address()"
    if argument in ("freedrequest", "startedrequest"):
        return f"FortranFreedRequest({argument}).address()"
    if argument == "array_of_requests":
        return "FortranRequests(array_of_requests, requestcount).address()"
    if argument == "freedcomm":
        return "FortranFreedComm(freedcomm).address()"
    sys.exit(f"generate_wrappers.py: what is argument \"{argument}\"? Give it the standard's name, or teach me.")


def wrapper_fortran(one, kind, which=None, of=None):
    """`which`: the number of a function that is counted and passed on, unless it is the form of `of` and is started."""
    for names in fortran_name_groups(one, kind):
        yield from wrapper_fortran_named(one, kind, names, which, of)


def wrapper_fortran_named(one, kind, names, which, of):
    arguments = [a for a in one.arguments if a not in ("argc", "argv")] + ["ierror"]
    values = ", ".join(arguments)
    yield kind.entry(names[0], arguments, "void") + " {\n  using namespace espalier::pmpi;\n"
    is_handed_on = which is not None or one.base in ("init", "init_thread", "finalize")
    if is_handed_on:
        yield next_pointer(names[0], arguments, kind, "void")
    if of:
        yield "  if (may_start()) {\n    int code = 0;\n    const FortranNewRequest made(request);\n"
        if not one.name.removesuffix("_c").endswith("_init"):
            handed = ", ".join(arguments[:-1] + ["reinterpret_cast<std::intptr_t>(&error)"])
            yield f"    const auto native = [&] {{\n      int error = 0;\n      {note_of(of)}({which});\n"
            yield f"      next.address()({handed});\n      made.load();\n      return error;\n    }};\n"
        yield f"    if ({begin_of(one, of, ', '.join([*(as_c(a, of) for a in of.arguments), 'made.address()']))}) {{\n"
        yield "      made.store();\n      return set_fortran_integer(ierror, code);\n    }\n  }\n"
    if which is not None:
        yield f"  {note_of(of)}({which});\n  next.address()({values});\n}}\n"
    elif one.base in ("init", "init_thread"):
        yield f"  next.address()({values});\n  after_fortran_init();\n}}\n"
    elif one.base == "finalize":
        yield f"  before_fortran_finalize();\n  next.address()({values});\n}}\n"
    else:
        yield f"  set_fortran_integer(ierror, intercept_{one.base}("
        yield ", ".join(as_c(a, one) for a in one.arguments) + "));\n}\n"
    for name in names[1:]:
        yield kind.alias(name, names[0], arguments)


def passed_table(passed):
    yield "namespace espalier::pmpi {\nstd::span<const runtime::PassedFunction> passed_functions() {\n"
    yield f"  static constexpr std::array<runtime::PassedFunction, {len(passed)}> kAll{{{{\n"
    for one, reason in passed:
        yield f'      {{"{one.name}", runtime::Reason::{reason}}},\n'
    yield "  }};\n  return kAll;\n}\n}  // namespace espalier::pmpi\n"


def wrapper_table(entries):
    """Sorted, as the front looks them up."""
    names = sorted(entries)
    yield "\nnamespace {\nconst espalier_wrapper kWrappers[] = {\n"
    for name in names:
        yield f'    {{"{name}", reinterpret_cast<void*>(&{name})}},\n'
    yield "};\n}  // namespace\n\n"
    yield EXPORT + "const espalier_variant espalier_variant_table;\n"
    yield "const espalier_variant espalier_variant_table{ESPALIER_FRONT_PROTOCOL, ESPALIER_VERSION, kWrappers,\n"
    yield f"                                              {len(names)}, &espalier::pmpi::attach}};\n"


def source(functions, collectives, kind):
    """Fills kind.entries."""
    yield HEADER + '#include "pmpi/functions.hpp"\n\n#include <array>\n\n'
    yield '#define ESPALIER_RUNTIME_CALL __attribute__((visibility("default")))\n#include <espalier/runtime_calls.h>\n\n'
    yield '#include "front/variant.h"\n#include "pmpi/exports.hpp"\n#include "pmpi/fortran.hpp"\n#include "pmpi/next_function.hpp"\n\n'
    for one in functions:
        yield from wrapper_c(one, kind)
    passed = list(passed_functions(functions, collectives, kind))
    for which, (one, _) in enumerate(passed):
        of = blocking_form(one, functions)
        yield from wrapper_passed(one, kind, which, of)
        yield from wrapper_fortran(one, kind, which, of)
    for one in functions:
        yield from wrapper_fortran(one, kind)
    yield from passed_table(passed)
    if not kind.is_static:
        kind.entries.update(OWN_FUNCTIONS)
        yield from wrapper_table(kind.entries)


def read_tables(functions_table, collectives_table):
    return list(read_table(functions_table)), list(read_table(collectives_table))


def main():
    functions_table, collectives_table, folder = sys.argv[1:]
    functions, collectives = read_tables(functions_table, collectives_table)
    folder = pathlib.Path(folder)
    (folder / "functions.hpp").write_text("".join(header(functions)))
    (folder / "collectives.cpp").write_text("".join(collectives_source(functions)))
    for kind in kinds():
        (folder / f"functions_{kind.name}.cpp").write_text("".join(source(functions, collectives, kind)))


if __name__ == "__main__":
    main()

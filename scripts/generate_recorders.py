#!/usr/bin/env python3
"""Makes the wrappers of the functions that the recorder looks at (src/run/record).

    generate_recorders.py FUNCTIONS.table COLLECTIVES.table FOLDER

writes FOLDER/functions_KIND.cpp. As generate_wrappers.py, and with its knowledge of the Fortran interfaces; but each wrapper goes on to the next function as it
was called, from C or from Fortran, and only takes notes before and after.
"""
import pathlib
import sys

sys.dont_write_bytecode = True
import generate_wrappers as wrappers  # noqa: E402

EXPORT = wrappers.EXPORT
SEND_COUNT = ("sendcount", "sendtype")


class Function(wrappers.Function):
    def __init__(self, kind, name, arguments):
        super().__init__(name, [a.removeprefix("wide:") for a in arguments])
        self.kind = kind
        self.wide = [a.removeprefix("wide:") for a in arguments if a.startswith("wide:")]

    def has_buffers(self):
        return "buf" in self.arguments or super().has_buffers()


def read_table(path):
    for line in pathlib.Path(path).read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            yield Function(words[0], words[1], words[2:])


HANDLES = {"datatype": "datatype", "sendtype": "datatype", "recvtype": "datatype", "comm": "comm"}
NUMBERS = {"count", "sendcount", "recvcount", "incount", "dest", "source", "root"}


class Spelling:
    """How the notes take the arguments of a call: from C, with large counts or not, or from Fortran."""

    def __init__(self, language, large=False):
        self.language = language
        self.large = large

    def value(self, argument):
        if argument in HANDLES:
            return argument if self.language == "C" else f"fortran_{HANDLES[argument]}({argument})"
        if argument in NUMBERS:
            if self.language != "C":
                return f"fortran_integer({argument})"
            is_count = argument.endswith("count") and argument != "incount"
            return argument if self.large and is_count else f"static_cast<int>({argument})"
        return argument  # an address

    def name(self):
        return "Language::" + self.language


def sent(one, spell):
    count, type_ = SEND_COUNT if "sendcount" in one.arguments else ("count", "datatype")
    return f"{spell.value(count)}, {spell.value(type_)}, {spell.value('dest')}, {spell.value('comm')}"


def room(one, spell):
    count, type_ = ("recvcount", "recvtype") if "recvcount" in one.arguments else ("count", "datatype")
    return f"{spell.value(count)}, {spell.value(type_)}, {spell.value('source')}, {spell.value('comm')}"


def notes(one, spell):
    """(before, arguments of the call, after)"""
    v, language = spell.value, spell.name()
    arguments = list(one.arguments)
    with_own_status = ["statuses.address()" if a == "status" else a for a in arguments]
    own_status = f"const Statuses statuses(1, status, {language});"
    source_comm = f"{v('source')}, {v('comm')}" if "source" in arguments else ""
    if one.kind in ("send", "bsend"):
        waits = "true" if one.kind == "send" else "false"
        return [f"note_send({sent(one, spell)}, {waits});"], arguments, []
    if one.kind == "isend":
        return [f"note_send({sent(one, spell)}, false);"], arguments, [f"note_isend({sent(one, spell)}, request, {language});"]
    if one.kind == "send_init":
        return [], arguments, [f"note_send_init({sent(one, spell)}, request, {language});"]
    if one.kind == "recv":
        return [own_status], with_own_status, [f"note_recv({source_comm}, statuses.address());"]
    if one.kind in ("irecv", "recv_init"):
        persistent = "true" if one.kind == "recv_init" else "false"
        return [], arguments, [f"note_irecv({room(one, spell)}, request, {persistent}, {language});"]
    if one.kind == "sendrecv":
        return [f"note_post({room(one, spell)});", f"note_send({sent(one, spell)}, false);", own_status], with_own_status, \
               [f"note_recv({source_comm}, statuses.address());", f"note_sent({sent(one, spell)});"]
    if one.kind == "isendrecv":
        return [f"note_send({sent(one, spell)}, false);"], arguments, \
               [f"note_irecv({room(one, spell)}, request, false, {language});"]
    if one.kind == "mprobe":
        flag = "flag" if "flag" in arguments else "0"
        return [], arguments, [f"note_mprobe({v('comm')}, message, {flag}, {language});"]
    if one.kind == "mrecv":
        return [f"const std::intptr_t probed = message_of(message, {language});", own_status], with_own_status, \
               ["note_mrecv(probed, statuses.address());"]
    if one.kind == "imrecv":
        return [f"const std::intptr_t probed = message_of(message, {language});"], arguments, \
               [f"note_imrecv(probed, request, {language});"]
    count = next((v(a) for a in arguments if a in ("count", "incount")), "1")
    requests = "array_of_requests" if "array_of_requests" in arguments else "request"
    if one.kind == "start":
        return [f"note_start({count}, {requests}, {language});"], arguments, []
    if one.kind in ("free", "cancel"):
        return [f"note_{one.kind}(request, {language});"], arguments, []
    if one.kind in ("all", "any", "some"):
        statuses = "array_of_statuses" if "array_of_statuses" in arguments else "status"
        flag = "flag" if "flag" in arguments else "0"
        told = {"all": f"all({flag})", "any": f"any(index, {flag})", "some": "some(outcount, array_of_indices)"}[one.kind]
        passed = ["completion.statuses()" if a == statuses else a for a in arguments]
        return [f"Completion completion({count}, {requests}, {statuses}, {language});"], passed, [f"completion.{told};"]
    if one.kind == "poll":
        return [], arguments, []
    return collective_notes(one, spell)


def kind_name(base):
    return "".join(word.capitalize() for word in base.split("_"))


def collective_notes(one, spell):
    passed = {"op", "displs", "sdispls", "rdispls", "info", "request", "buffer"}
    before = [f"Collective collective;", f"collective.kind = Kind::{kind_name(one.of)};",
              f"collective.language = {spell.name()};", f"collective.large = {'true' if spell.large else 'false'};"]
    for a in one.arguments:
        if a in ("sendbuf", "recvbuf"):
            before.append(f"collective.{a} = {a if spell.language == 'C' else f'fortran_address({a})'};")
        elif a not in passed:
            before.append(f"collective.{a} = {spell.value(a)};")
    if one.kind == "collective":
        return before + ["note_collective(collective);"], one.arguments, []
    persistent = "true" if one.kind == "persistent" else "false"
    return before, one.arguments, [f"note_started_collective(collective, request, {persistent});"]


def collectives(path, kind):
    for one in wrappers.read_table(path):
        blocking = Function("collective", one.name, one.arguments)
        started = Function("started", wrappers.lower_first(one.name), one.arguments + ["request"])
        lasting = [Function("persistent", prefix + one.name.removeprefix("MPI_") + "_init",
                            one.arguments + ["info", "request"]) for prefix in kind.persistent]
        for form in (blocking, started, *lasting):
            form.of = one.base
            form.wide = [a for a in one.arguments if "count" in a]
            yield form


def body(lines, call, after, result):
    yield "  if (!is_recording()) "
    yield f"return {call(None)};\n" if result else f"return {call(None)};\n"
    yield "  const Call here;\n"
    yield f"  if (!here.counts()) return {call(None)};\n"
    for line in lines:
        yield f"  {line}\n"
    yield f"  {'const int code = ' if result else ''}{call(True)};\n"
    if after:
        yield f"  if ({'code' if result else 'fortran_code(ierror)'} == 0) {{\n"
        for line in after:
            yield f"    {line}\n"
        yield "  }\n"
    if result:
        yield "  return code;\n"
    yield "}\n"


def wrapper_c(one, kind, large=False):
    name = one.name + ("_c" if large else "")
    before, passed, after = notes(one, Spelling("C", large))
    yield kind.entry(name, one.arguments) + " {\n"
    yield wrappers.next_pointer(name, one.arguments, kind)
    yield from body(before, lambda own: f"next.address()({', '.join(passed if own else one.arguments)})", after, True)


def wrapper_fortran(one, kind, names):
    arguments = one.arguments + ["ierror"]
    before, passed, after = notes(one, Spelling("MpichF08" if kind.fortran == "mpich" else "Fortran"))
    yield kind.entry(names[0], arguments, "void") + " {\n"
    yield wrappers.next_pointer(names[0], arguments, kind, "void")
    yield from body(before, lambda own: f"next.address()({', '.join((passed if own else one.arguments) + ['ierror'])})", after,
                    False)
    for name in names[1:]:
        yield kind.alias(name, names[0], arguments)


def start_and_end(kind):
    for name, arguments in (("MPI_Init", ["argc", "argv"]), ("MPI_Init_thread", ["argc", "argv", "required", "provided"]),
                            ("MPI_Finalize", [])):
        values = ", ".join(arguments)
        yield kind.entry(name, arguments) + " {\n"
        yield wrappers.next_pointer(name, arguments, kind)
        if arguments:
            yield f"  const int code = next.address()({values});\n  if (code == 0) begin();\n  return code;\n}}\n"
        else:
            yield f"  end();\n  return next.address()({values});\n}}\n"
        one = Function("", name, [a for a in arguments if a not in ("argc", "argv")])
        names = wrappers.fortran_names(one, kind)
        if not names:
            continue
        fortran = one.arguments + ["ierror"]
        yield kind.entry(names[0], fortran, "void") + " {\n"
        yield wrappers.next_pointer(names[0], fortran, kind, "void")
        call = f"  next.address()({', '.join(fortran)});\n"
        yield call + "  begin();\n}\n" if arguments else "  end();\n" + call + "}\n"
        for alias in names[1:]:
            yield kind.alias(alias, names[0], fortran)


def source(functions, collectives_table, kind):
    """Fills kind.entries."""
    yield "// Generated from src/run/record/functions.table by scripts/generate_recorders.py.\n"
    yield '#include "front/variant.h"\n#include "pmpi/fortran.hpp"\n#include "pmpi/next_function.hpp"\n#include "record/notes.hpp"\n\n'
    yield "using namespace espalier::pmpi;\nusing namespace espalier::record;\n\n"
    yield "namespace {\n\n/// ierror may be left out.\n[[maybe_unused]] int fortran_code(std::intptr_t ierror) {\n"
    yield "  return ierror == 0 ? 0 : static_cast<int>(fortran_integer(ierror));\n}\n\n}  // namespace\n\n"
    yield from start_and_end(kind)
    for one in functions + list(collectives(collectives_table, kind)):
        yield from wrapper_c(one, kind)
        if kind.large_counts and one.wide:
            yield from wrapper_c(one, kind, large=True)
        for names in wrappers.fortran_name_groups(one, kind):
            yield from wrapper_fortran(one, kind, names)
    yield from wrappers.wrapper_table(kind.entries)


def kinds():
    return [kind for kind in wrappers.kinds() if not kind.is_static]


def main():
    functions_table, collectives_table, folder = sys.argv[1:]
    for kind in kinds():
        text = "".join(source(list(read_table(functions_table)), collectives_table, kind))
        (pathlib.Path(folder) / f"functions_{kind.name}.cpp").write_text(text)


if __name__ == "__main__":
    main()

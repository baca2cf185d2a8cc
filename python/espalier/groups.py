"""System-ranked process groups for mpi4py programs: cheap to make, numbered by the system.

    with espalier.groups.Groups() as groups:              # over MPI_COMM_WORLD of mpi4py
        row = groups.all.split(colour)
        row.allreduce(values)                             # any writable buffer of numbers, such as a numpy array
        row.free()

A call on a group is made by all its members, in the same order. docs/groups.md says what groups cost, and when to take them instead of communicators. The work is done
by libespalier-group-mpich or -openmpi, whichever MPI mpi4py was built for.
"""
import ctypes
import operator
import pathlib
import sys
import weakref

FOLDER = pathlib.Path(__file__).resolve().parent


def _library(mpi):
    """The library for this MPI: of the installation or the build that this file is in, else where the loader finds it."""
    name = "libespalier-group-" + ("openmpi" if "Open MPI" in mpi.Get_library_version() else "mpich") + ".so"
    try:
        from ._where import LIBRARIES  # written by pip's build
    except ImportError:
        LIBRARIES = FOLDER.parents[2]
    for place in (pathlib.Path(LIBRARIES) / name, FOLDER.parents[2] / name, FOLDER.parents[1] / "lib" / name, name):
        try:
            return ctypes.CDLL(str(place))
        except OSError as error:
            why = error
    raise ImportError(f"espalier.groups: {name} cannot be loaded: {why}; install it (make install)")


def _whole(name, number):
    """A whole number of Python or numpy. ctypes would pass the address of a text as a number."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"espalier.groups: {name}: {number!r} is no whole number") from None


class _Interface:
    """The functions of espalier/group.h, with handles as Fortran has them."""

    def __init__(self):
        from mpi4py import MPI  # not at the top: importing it starts MPI
        self.mpi, self.library = MPI, _library(MPI)
        self.library.espalier_groups_all.restype = ctypes.c_void_p
        self.groups = weakref.WeakSet()  # their handles mean nothing once all is closed

    def call(self, name, *arguments):
        for one in arguments:
            if isinstance(one, int) and not -2**31 <= one < 2**31:
                raise ValueError(f"espalier.groups: {name}: {one} is beyond what MPI counts by; use several calls")
        code = getattr(self.library, "espalier_" + name)(*arguments)
        if code != self.mpi.SUCCESS:
            raise RuntimeError(f"espalier.groups: {name}: {self.mpi.Get_error_string(code)}")

    def message(self, buffer):
        """Address, count and type of a buffer of numbers."""
        view = memoryview(buffer)
        if view.readonly or not view.c_contiguous:
            raise ValueError("espalier.groups: a buffer that is read-only or has gaps; pass a writable array without gaps")
        type_ = self.mpi._typedict.get(view.format.lstrip("@=<" if sys.byteorder == "little" else "@=>!"))
        if type_ is None:
            raise TypeError(f"espalier.groups: MPI has no type for elements of format \"{view.format}\"")
        address = ctypes.addressof(ctypes.c_char.from_buffer(view.cast("B"))) if view.nbytes else None
        return ctypes.c_void_p(address), view.nbytes // view.itemsize, type_.py2f()


class Group:
    """A group that this process may be a member of. Made by Groups.all and by the functions below."""

    def __init__(self, interface, pointer):
        self._interface, self._pointer = interface, ctypes.c_void_p(pointer)
        interface.groups.add(self)

    @property
    def size(self):
        """Number of members; 0 if this process is none."""
        return self._interface.library.espalier_group_size(self._pointer)

    @property
    def rank(self):
        """This process's number, chosen by the system; -1 if it is no member."""
        return self._interface.library.espalier_group_rank(self._pointer)

    def split(self, colour):
        """One group for each colour; None: a member of none."""
        return self._made("group_split", self._interface.mpi.UNDEFINED if colour is None else _whole("colour", colour))

    def along_topology(self):
        """The same members on a tree that follows the machine of Groups()."""
        return self._made("group_along_topology")

    def barrier(self):
        self._interface.call("group_barrier", self._pointer)

    def broadcast(self, buffer, root=0):
        self._interface.call("group_broadcast_f", self._pointer, *self._interface.message(buffer), _whole("root", root))

    def reduce(self, buffer, operation=None, root=0):
        """The root's buffer becomes the result. Operations commute; None: the sum."""
        self._interface.call("group_reduce_f", self._pointer, *self._interface.message(buffer), self._operation(operation), _whole("root", root))

    def allreduce(self, buffer, operation=None):
        self._interface.call("group_allreduce_f", self._pointer, *self._interface.message(buffer), self._operation(operation))

    def free(self):
        """Members give it up together. Twice is once."""
        if self._pointer:
            self._interface.call("group_free", ctypes.byref(self._pointer))

    def _made(self, name, *arguments):
        made = ctypes.c_void_p()
        self._interface.call(name, self._pointer, *arguments, ctypes.byref(made))
        return Group(self._interface, made.value)

    def _operation(self, operation):
        return (self._interface.mpi.SUM if operation is None else operation).py2f()


class Groups:
    """All groups over a communicator. Making and closing it is collective; close() before MPI ends, or use `with`."""

    def __init__(self, communicator=None, degree=0, machine=None):
        self._interface = _Interface()
        world = self._interface.mpi.COMM_WORLD if communicator is None else communicator
        self._pointer = ctypes.c_void_p()
        line = None if machine is None else str(machine).encode()
        self._interface.call("groups_open_f", world.py2f(), _whole("degree", degree), line, ctypes.byref(self._pointer))
        self.all = Group(self._interface, self._interface.library.espalier_groups_all(self._pointer))

    def close(self):
        """Gives up all groups that are left. Twice is once."""
        if not self._pointer:
            return
        for group in self._interface.groups:
            group._pointer = ctypes.c_void_p()
        self._interface.call("groups_close", ctypes.byref(self._pointer))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        # Closing is collective: where one process fails, it would wait for the others and hide why.
        if kind is None:
            self.close()

! Topology for applications in Fortran: see espalier.h, which says what depths and colours are. To be compiled with the
! program; nothing of Espalier is linked: the preloaded library's functions are looked up when they are first called.
! Communicators are INTEGER handles (of mpi_f08: comm%MPI_VAL).
module espalier
  use, intrinsic :: iso_c_binding
  implicit none
  private
  integer, parameter, public :: ESPALIER_OK = 0, ESPALIER_NO_LIBRARY = 1, ESPALIER_UNKNOWN_MACHINE = 2
  integer, parameter, public :: ESPALIER_OTHER_PROCESSES = 3
  ! MPI_UNDEFINED of both MPIs, without their modules.
  integer, parameter, public :: ESPALIER_NO_COLOR = -32766
  public :: espalier_discover, espalier_topology_levels, espalier_topology_depths, espalier_topology_colors

  abstract interface
    function discover_function() bind(c)
      import :: c_int
      integer(c_int) :: discover_function
    end function
    function array_function(comm, values) bind(c)
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int), intent(inout) :: values(*)
      integer(c_int) :: array_function
    end function
    function colors_function(comm, levels, colors) bind(c)
      import :: c_int
      integer(c_int), value :: comm, levels
      integer(c_int), intent(inout) :: colors(*)
      integer(c_int) :: colors_function
    end function
  end interface

  interface
    function dlsym(handle, name) bind(c)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: dlsym
    end function
  end interface

contains
  function library_function(name)
    character(*), intent(in) :: name
    type(c_funptr) :: library_function
    library_function = dlsym(c_null_ptr, name // c_null_char)  ! RTLD_DEFAULT: whoever is in the process
  end function

  ! Collective over MPI_COMM_WORLD.
  subroutine espalier_discover(status)
    integer, intent(out) :: status
    procedure(discover_function), pointer :: call_it
    type(c_funptr) :: found
    found = library_function('espalier_topology_discover_')
    status = ESPALIER_NO_LIBRARY
    if (.not. c_associated(found)) return
    call c_f_procpointer(found, call_it)
    status = call_it()
  end subroutine

  subroutine espalier_topology_levels(comm, levels, status)
    integer, intent(in) :: comm
    integer, intent(out) :: levels, status
    integer(c_int) :: value(1)
    value = 1
    call fill('espalier_topology_levels_', comm, value, status)
    levels = value(1)
  end subroutine

  ! depths(rank + 1), as long as the communicator.
  subroutine espalier_topology_depths(comm, depths, status)
    integer, intent(in) :: comm
    integer, contiguous, intent(out) :: depths(:)
    integer, intent(out) :: status
    depths = 1
    call fill('espalier_topology_depths_', comm, depths, status)
  end subroutine

  subroutine fill(name, comm, values, status)
    character(*), intent(in) :: name
    integer, intent(in) :: comm
    integer, intent(inout) :: values(*)
    integer, intent(out) :: status
    procedure(array_function), pointer :: call_it
    type(c_funptr) :: found
    found = library_function(name)
    status = ESPALIER_NO_LIBRARY
    if (.not. c_associated(found)) return
    call c_f_procpointer(found, call_it)
    status = call_it(comm, values)
  end subroutine

  ! colors(level + 1, rank + 1); ESPALIER_NO_COLOR where a rank has no such level.
  subroutine espalier_topology_colors(comm, colors, status)
    integer, intent(in) :: comm
    integer, contiguous, intent(out) :: colors(:, :)
    integer, intent(out) :: status
    procedure(colors_function), pointer :: call_it
    type(c_funptr) :: found
    found = library_function('espalier_topology_colors_')
    colors = ESPALIER_NO_COLOR
    colors(1, :) = 0
    status = ESPALIER_NO_LIBRARY
    if (.not. c_associated(found)) return
    call c_f_procpointer(found, call_it)
    status = call_it(comm, size(colors, 1), colors)
  end subroutine
end module

! System-ranked process groups for Fortran programs: see espalier/group.h, which says what each function does. To be
! compiled with the program, which is linked with libespalier-group-mpich or -openmpi. Handles are INTEGER (of mpi_f08:
! comm%MPI_VAL); data are passed by c_loc.
module espalier_groups
  use, intrinsic :: iso_c_binding
  implicit none
  public

  interface
    function espalier_groups_open(comm, degree, machine, groups) bind(c, name='espalier_groups_open_f')
      import :: c_int, c_ptr
      integer(c_int), value :: comm, degree
      type(c_ptr), value :: machine  ! a text that ends with c_null_char, or c_null_ptr
      type(c_ptr), intent(out) :: groups
      integer(c_int) :: espalier_groups_open
    end function
    function espalier_groups_close(groups) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: groups
      integer(c_int) :: espalier_groups_close
    end function
    function espalier_groups_all(groups) bind(c)
      import :: c_ptr
      type(c_ptr), value :: groups
      type(c_ptr) :: espalier_groups_all
    end function
    function espalier_group_split(group, colour, made) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: group
      integer(c_int), value :: colour
      type(c_ptr), intent(out) :: made
      integer(c_int) :: espalier_group_split
    end function
    function espalier_group_along_topology(group, made) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: group
      type(c_ptr), intent(out) :: made
      integer(c_int) :: espalier_group_along_topology
    end function
    function espalier_group_free(group) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: group
      integer(c_int) :: espalier_group_free
    end function
    function espalier_group_size(group) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: group
      integer(c_int) :: espalier_group_size
    end function
    function espalier_group_rank(group) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: group
      integer(c_int) :: espalier_group_rank
    end function
    function espalier_group_barrier(group) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: group
      integer(c_int) :: espalier_group_barrier
    end function
    function espalier_group_broadcast(group, data, count, datatype, root) bind(c, name='espalier_group_broadcast_f')
      import :: c_int, c_ptr
      type(c_ptr), value :: group, data
      integer(c_int), value :: count, datatype, root
      integer(c_int) :: espalier_group_broadcast
    end function
    function espalier_group_reduce(group, data, count, datatype, operation, root) bind(c, name='espalier_group_reduce_f')
      import :: c_int, c_ptr
      type(c_ptr), value :: group, data
      integer(c_int), value :: count, datatype, operation, root
      integer(c_int) :: espalier_group_reduce
    end function
    function espalier_group_allreduce(group, data, count, datatype, operation) bind(c, name='espalier_group_allreduce_f')
      import :: c_int, c_ptr
      type(c_ptr), value :: group, data
      integer(c_int), value :: count, datatype, operation
      integer(c_int) :: espalier_group_allreduce
    end function
  end interface
end module

# ESPALIER_REORDER=1: virtual topologies with reorder = true fit the machine.
espalier_mpi_program(reordered reordered.cpp)
set(dealt "ESPALIER_MACHINE=site:2(10ms,100Mbit/s) proc:4(1us) placement=cyclic")
espalier_mpi_test(reordered 8 reordered SETTINGS ESPALIER_REORDER=1 ${dealt})
espalier_mpi_test(reordered_off 8 reordered SETTINGS ESPALIER_REORDER=0 ${dealt} ARGUMENTS off)
espalier_mpi_test(reordered_unknown 4 reordered SETTINGS ESPALIER_REORDER=1 ARGUMENTS off)
# MPICH over UCX knows no processes outside MPI_COMM_WORLD: it neither spawns any nor connects to them.
if("openmpi" IN_LIST ESPALIER_MPIS)
  espalier_mpi_program(outside outside.cpp)
  foreach(how usual bare)
    add_test(NAME mpi.outside_${how}.openmpi
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/launch.py openmpi 4 $<TARGET_FILE:espalier-front>
                     ESPALIER_REORDER=1 "ESPALIER_MACHINE=site:2(10ms,100Mbit/s) proc:2(1us) placement=cyclic" --
                     $<TARGET_FILE:outside.openmpi> ${how})
    set_tests_properties(mpi.outside_${how}.openmpi PROPERTIES TIMEOUT 300 LABELS mpi
                         ENVIRONMENT "LAUNCH_SPAWNS=1;LAUNCH_SECONDS=120")
  endforeach()
endif()
foreach(mpi ${ESPALIER_MPIS})
  if(NOT ESPALIER_FORTRAN_${mpi} OR ESPALIER_SANITIZE)
    continue()
  endif()
  foreach(name reordered_mpif reordered_mpi reordered_f08)
    set(program ${PROJECT_BINARY_DIR}/mpi/${name}.${mpi})
    add_custom_command(OUTPUT ${program}
      COMMAND ${ESPALIER_FORTRAN_${mpi}} -O1 -w -fallow-argument-mismatch -cpp -I ${fortran_dir}
              ${fortran_dir}/${name}.f90 -o ${program}
      DEPENDS ${fortran_dir}/${name}.f90 ${fortran_dir}/reordered.inc)
    add_custom_target(fortran_${name}.${mpi} ALL DEPENDS ${program})
    add_test(NAME mpi.fortran_${name}.${mpi}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/launch.py ${mpi} 8 $<TARGET_FILE:espalier-front>
                     ESPALIER_REORDER=1 ${dealt} -- ${program})
    set_tests_properties(mpi.fortran_${name}.${mpi} PROPERTIES TIMEOUT 300 LABELS mpi)
  endforeach()
endforeach()

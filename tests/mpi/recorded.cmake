# `espalier run --profile` under both MPIs, from C and from all three interfaces of Fortran.
espalier_mpi_program(recorded recorded.cpp)
foreach(mpi ${ESPALIER_MPIS})
  add_dependencies(recorded.${mpi} espalier espalier-profile-${mpi})
  set(fortran_programs "")
  if(ESPALIER_FORTRAN_${mpi} AND NOT ESPALIER_SANITIZE)
    foreach(source recorded_mpif.f90 recorded_mpi.f90 recorded_f08.f90)
      get_filename_component(name ${source} NAME_WE)
      set(program ${PROJECT_BINARY_DIR}/mpi/${name}.${mpi})
      add_custom_command(OUTPUT ${program}
        COMMAND ${ESPALIER_FORTRAN_${mpi}} -O1 -w -fallow-argument-mismatch -cpp -I ${fortran_dir}
                ${fortran_dir}/${source} -o ${program}
        DEPENDS ${fortran_dir}/${source} ${fortran_dir}/recorded.inc)
      add_custom_target(fortran_${name}.${mpi} ALL DEPENDS ${program})
      list(APPEND fortran_programs ${program})
    endforeach()
  endif()
  foreach(case "1 2" "2 3" "3 4" "4 5")
    separate_arguments(case)
    list(GET case 0 seed)
    list(GET case 1 ranks)
    set(programs $<TARGET_FILE:recorded.${mpi}>)
    if(ranks EQUAL 4)
      list(APPEND programs ${fortran_programs})
    endif()
    set(label mpi)
    set(when "")
    espalier_is_only_long_by_turns(${ranks} ${mpi})
    if(is_only_long AND NOT ranks EQUAL 4)  # those of Fortran are run under both
      set(label mpi_long)
      set(when CONFIGURATIONS Long)
    endif()
    add_test(NAME ${label}.recorded_${ranks}.${mpi}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/recorded.py $<TARGET_FILE:espalier> ${mpi} ${ranks}
                     ${seed} ${programs}
             ${when})
    set_tests_properties(${label}.recorded_${ranks}.${mpi} PROPERTIES TIMEOUT 600 LABELS ${label})
  endforeach()
endforeach()
unset(is_only_long)

if(ESPALIER_SANITIZE)  # the examples are built without sanitizers, so the recorder has no runtime in them
  return()
endif()
# On 9 processes LU has park2004's heavy channels, on 8 MG its coarse levels. The programs are the same under both MPIs: 8 under MPICH, 9 under
# Open MPI, with `ctest -C Long` both under both.
foreach(mpi ${ESPALIER_MPIS})
  foreach(case "8 mpich mg is ep cg ft" "9 openmpi lu")
    separate_arguments(case)
    list(POP_FRONT case ranks short_on)
    set(label mpi)
    set(when "")
    if(NOT mpi STREQUAL short_on AND short_on IN_LIST ESPALIER_MPIS)
      set(label mpi_long)
      set(when CONFIGURATIONS Long)
    endif()
    add_test(NAME ${label}.recorded_workloads_${ranks}.${mpi}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/recorded_workloads.py $<TARGET_FILE:espalier> ${mpi}
                     ${PROJECT_BINARY_DIR}/examples ${ranks} ${case}
             ${when})
    set_tests_properties(${label}.recorded_workloads_${ranks}.${mpi} PROPERTIES TIMEOUT 600 LABELS ${label})
  endforeach()
endforeach()

# Fortran programs for both MPIs, by their own compiler wrappers: the module files of each belong to one MPI and compiler.
set(fortran_dir ${CMAKE_CURRENT_LIST_DIR})
foreach(mpi ${ESPALIER_MPIS})
  find_program(ESPALIER_FORTRAN_${mpi} NAMES mpifort.${mpi} mpif90.${mpi})
  if(NOT ESPALIER_FORTRAN_${mpi} OR ESPALIER_SANITIZE)  # a program without the sanitizer cannot have it preloaded
    message(STATUS "no Fortran tests with ${mpi}")
    continue()
  endif()
  foreach(source calls_mpif.f calls_mpi.f90 calls_f08.f90)
    get_filename_component(name ${source} NAME_WE)
    set(program ${PROJECT_BINARY_DIR}/mpi/${name}.${mpi})
    set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules/${name}.${mpi})
    file(MAKE_DIRECTORY ${modules} ${PROJECT_BINARY_DIR}/mpi)
    set(sources ${fortran_dir}/checks.f90 ${fortran_dir}/operator.f90 ${fortran_dir}/${source} ${fortran_dir}/query.c)
    # mpif.h's procedures take any type, which compilers since gfortran 10 must be told.
    add_custom_command(OUTPUT ${program}
      COMMAND ${ESPALIER_FORTRAN_${mpi}} -O1 -w -fallow-argument-mismatch -J ${modules} ${sources} -o ${program}
      DEPENDS ${sources})
    add_custom_target(fortran_${name}.${mpi} ALL DEPENDS ${program})
    add_dependencies(fortran_${name}.${mpi} espalier-${mpi})
    add_test(NAME mpi.fortran_${name}.${mpi}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/launch.py ${mpi} 4 $<TARGET_FILE:espalier-front>
                     ESPALIER_FORCE=1 "ESPALIER_MACHINE=site:2(10ms) proc:2(1us)" -- ${program})
    set_tests_properties(mpi.fortran_${name}.${mpi} PROPERTIES TIMEOUT 300 LABELS mpi)
  endforeach()
  # Persistent collectives, whose names in Open MPI 4 are those of an extension; non-blocking ones that are measured.
  foreach(what persistent measured_starts)
    set(settings ESPALIER_FORCE=1 ESPALIER_NONBLOCKING=1 ESPALIER_MACHINE=random:73:3)
    if(what STREQUAL "measured_starts")
      set(settings ESPALIER_NONBLOCKING=measured "ESPALIER_MACHINE=site:2(10ms,100Mbit/s) proc:1|2(1us)")
    endif()
    foreach(interface mpif f08)
      set(name ${what}_${interface})
      set(program ${PROJECT_BINARY_DIR}/mpi/${name}.${mpi})
      set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules/${name}.${mpi})
      file(MAKE_DIRECTORY ${modules})
      set(sources ${fortran_dir}/checks.f90 ${fortran_dir}/${what}.F90 ${fortran_dir}/query.c)
      set(definitions "")
      if(interface STREQUAL "f08")
        list(APPEND definitions -DWITH_F08)
      endif()
      if(mpi STREQUAL "openmpi" AND OPENMPI_VERSION VERSION_LESS 5)
        list(APPEND definitions -DIS_EXTENSION)
      endif()
      add_custom_command(OUTPUT ${program}
        COMMAND ${ESPALIER_FORTRAN_${mpi}} -O1 -w -fallow-argument-mismatch ${definitions} -J ${modules} ${sources} -o ${program}
        DEPENDS ${sources})
      add_custom_target(fortran_${name}.${mpi} ALL DEPENDS ${program})
      add_dependencies(fortran_${name}.${mpi} espalier-${mpi})
      add_test(NAME mpi.fortran_${name}.${mpi}
               COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/launch.py ${mpi} 3 $<TARGET_FILE:espalier-front>
                       ${settings} -- ${program})
      set_tests_properties(mpi.fortran_${name}.${mpi} PROPERTIES TIMEOUT 300 LABELS mpi)
    endforeach()
  endforeach()
  # Topology for applications.
  set(program ${PROJECT_BINARY_DIR}/mpi/topology_f90.${mpi})
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules/topology_f90.${mpi})
  file(MAKE_DIRECTORY ${modules})
  set(sources ${PROJECT_SOURCE_DIR}/include/espalier.f90 ${fortran_dir}/topology.f90)
  add_custom_command(OUTPUT ${program}
    COMMAND ${ESPALIER_FORTRAN_${mpi}} -O1 -Wall -J ${modules} ${sources} -o ${program}
    DEPENDS ${sources})
  add_custom_target(fortran_topology.${mpi} ALL DEPENDS ${program})
  add_dependencies(fortran_topology.${mpi} espalier-${mpi})
  espalier_topology_tests(fortran_topology ${mpi} ${program})
  # System-ranked groups.
  set(program ${PROJECT_BINARY_DIR}/mpi/groups_f90.${mpi})
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules/groups_f90.${mpi})
  file(MAKE_DIRECTORY ${modules})
  set(sources ${PROJECT_SOURCE_DIR}/include/espalier_groups.f90 ${fortran_dir}/groups.f90)
  add_custom_command(OUTPUT ${program}
    COMMAND ${ESPALIER_FORTRAN_${mpi}} -O1 -J ${modules} ${sources} -o ${program} $<TARGET_FILE:espalier-group-${mpi}>
            -Wl,-rpath,$<TARGET_FILE_DIR:espalier-group-${mpi}>
    DEPENDS ${sources} espalier-group-${mpi})
  add_custom_target(fortran_groups.${mpi} ALL DEPENDS ${program})
  add_test(NAME mpi.fortran_groups.${mpi}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/launch.py ${mpi} 5 - -- ${program})
  set_tests_properties(mpi.fortran_groups.${mpi} PROPERTIES TIMEOUT 300 LABELS mpi)
endforeach()

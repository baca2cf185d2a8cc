# Random sections of MPI, natively and preloaded (sections_test.py): few with `make check`, many with `ctest -C Long`, as many
# as one likes with `make fuzz`.
file(GLOB section_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
espalier_mpi_program(sections ${section_sources} types.cpp operations.cpp)
add_library(naps MODULE sections/naps.c)
set_target_properties(naps PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/mpi)

foreach(mpi ${ESPALIER_MPIS})
  target_link_libraries(sections.${mpi} PRIVATE Threads::Threads)
  set(command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sections_test.py ${mpi} $<TARGET_FILE:espalier-front>
              $<TARGET_FILE:sections.${mpi}>)
  # Launches of Open MPI take longest: it has a part of the settings, and MPICH all of them.
  set(fewer "")
  if(mpi STREQUAL openmpi AND "mpich" IN_LIST ESPALIER_MPIS)
    set(fewer --settings forced,nonblocking,once,default)
  endif()
  add_test(NAME mpi.sections.${mpi} COMMAND ${command} --sections 60 --launch 20 --ranks 3,2 --levels none,multiple,mixed ${fewer})
  add_test(NAME mpi_long.sections.${mpi} COMMAND ${command} --sections 4000 --seed 1000 --levels all --slow 8 --alone all
           CONFIGURATIONS Long)
  set_tests_properties(mpi.sections.${mpi} PROPERTIES TIMEOUT 600 LABELS mpi)
  set_tests_properties(mpi_long.sections.${mpi} PROPERTIES TIMEOUT 7200 LABELS mpi_long)
endforeach()

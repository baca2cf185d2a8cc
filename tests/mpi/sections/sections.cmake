# Random sections of MPI, natively and preloaded (sections_test.py).
file(GLOB section_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
espalier_mpi_program(sections ${section_sources} types.cpp operations.cpp)
foreach(mpi ${ESPALIER_MPIS})
  target_link_libraries(sections.${mpi} PRIVATE Threads::Threads)
endforeach()

# espalier_sections(NAME MPI CONFIGURATIONS... [ARGUMENTS ...])
function(espalier_sections label mpi)
  add_test(NAME ${label}.${mpi}
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/mpi/sections/sections_test.py ${mpi}
                   $<TARGET_FILE:espalier-front> $<TARGET_FILE:sections.${mpi}> ${ARGN})
endfunction()

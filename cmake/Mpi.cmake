# The rooms that include <mpi.h>, once for each MPI: Debian's MPICH and Open MPI stand side by side, and FindMPI
# knows only one of them.
set(ESPALIER_MPIS mpich openmpi)
pkg_check_modules(MPICH REQUIRED IMPORTED_TARGET mpich)
pkg_check_modules(OPENMPI REQUIRED IMPORTED_TARGET ompi-c)
add_library(espalier_with_mpich INTERFACE)
target_link_libraries(espalier_with_mpich INTERFACE PkgConfig::MPICH)
add_library(espalier_with_openmpi INTERFACE)
target_link_libraries(espalier_with_openmpi INTERFACE PkgConfig::OPENMPI)
target_compile_definitions(espalier_with_openmpi INTERFACE OPEN_MPI_BUILD)

# espalier_mpi_room(NAME USES room...): espalier_NAME_mpich and espalier_NAME_openmpi.
function(espalier_mpi_room name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  foreach(mpi ${ESPALIER_MPIS})
    set(uses ${ROOM_USES})
    list(TRANSFORM uses PREPEND espalier_)
    list(TRANSFORM uses REPLACE "^espalier_mpi$" "espalier_mpi_${mpi}")
    add_library(espalier_${name}_${mpi} STATIC ${sources})
    target_include_directories(espalier_${name}_${mpi} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(espalier_${name}_${mpi} PUBLIC ${uses} espalier_with_${mpi})
    target_compile_definitions(espalier_${name}_${mpi} PRIVATE ESPALIER_VERSION="${PROJECT_VERSION}")
    # Preloaded libraries may use the static block: no call for a thread's own variables.
    target_compile_options(espalier_${name}_${mpi} PRIVATE -ftls-model=initial-exec)
  endforeach()
endfunction()

# The preloaded libraries: the room pmpi and the wrappers made from its table, nothing visible but MPI_*.
function(espalier_preloads)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/pmpi)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${made}/pmpi)
  add_custom_command(
    OUTPUT ${made}/pmpi/functions.cpp ${made}/pmpi/functions.hpp
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py ${dir}/functions.table
            ${made}/pmpi/functions.cpp ${made}/pmpi/functions.hpp
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py ${dir}/functions.table)
  add_custom_target(espalier_wrappers DEPENDS ${made}/pmpi/functions.cpp ${made}/pmpi/functions.hpp)
  foreach(mpi ${ESPALIER_MPIS})
    target_include_directories(espalier_pmpi_${mpi} PUBLIC ${made})
    add_dependencies(espalier_pmpi_${mpi} espalier_wrappers)
    add_library(espalier-${mpi} SHARED ${made}/pmpi/functions.cpp)
    set_target_properties(espalier-${mpi} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${dir}/exports.map)
    target_link_libraries(espalier-${mpi} PRIVATE
      -Wl,--whole-archive espalier_pmpi_${mpi} -Wl,--no-whole-archive)
    if(NOT ESPALIER_SANITIZE)
      # A program may carry other versions of these.
      target_link_options(espalier-${mpi} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    target_link_options(espalier-${mpi} PRIVATE
      -Wl,--version-script=${dir}/exports.map -Wl,--no-undefined -Wl,--gc-sections -Wl,-z,now)
  endforeach()
endfunction()

# The rooms that include <mpi.h>, once for each MPI that is there: Debian's MPICH and Open MPI stand side by side, and FindMPI
# knows only one of them.
set(ESPALIER_MPIS "")
if(MPICH_FOUND)
  list(APPEND ESPALIER_MPIS mpich)
  add_library(espalier_with_mpich INTERFACE)
  target_link_libraries(espalier_with_mpich INTERFACE PkgConfig::MPICH)
endif()
if(OPENMPI_FOUND)
  list(APPEND ESPALIER_MPIS openmpi)
  add_library(espalier_with_openmpi INTERFACE)
  target_link_libraries(espalier_with_openmpi INTERFACE PkgConfig::OPENMPI)
  target_compile_definitions(espalier_with_openmpi INTERFACE OPEN_MPI_BUILD)
endif()

# SimGrid's SMPI simulates ranks inside one process: no preload, the runtime is linked into the programs.
set(ESPALIER_SMPI "")
if(SIMGRID_FOUND)
  set(ESPALIER_SMPI smpi)
  add_library(espalier_with_smpi INTERFACE)
  target_include_directories(espalier_with_smpi SYSTEM INTERFACE ${SIMGRID_INCLUDEDIR}/smpi)
  target_link_libraries(espalier_with_smpi INTERFACE PkgConfig::SIMGRID)
  target_compile_definitions(espalier_with_smpi INTERFACE ESPALIER_SMPI)
endif()

# espalier_mpi_room(NAME [NO_SMPI] USES room...): espalier_NAME_mpich, espalier_NAME_openmpi and espalier_NAME_smpi.
function(espalier_mpi_room name)
  cmake_parse_arguments(ROOM "NO_SMPI" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(mpis ${ESPALIER_MPIS} ${ESPALIER_SMPI})
  if(ROOM_NO_SMPI)
    list(REMOVE_ITEM mpis smpi)
  endif()
  foreach(mpi ${mpis})
    set(uses ${ROOM_USES})
    list(TRANSFORM uses PREPEND espalier_)
    list(TRANSFORM uses REPLACE "^espalier_(p?mpi)$" "espalier_\\1_${mpi}")
    add_library(espalier_${name}_${mpi} STATIC ${sources})
    espalier_unity(espalier_${name}_${mpi})
    target_include_directories(espalier_${name}_${mpi} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(espalier_${name}_${mpi} PUBLIC ${uses} espalier_with_${mpi})
    target_compile_definitions(espalier_${name}_${mpi} PRIVATE ESPALIER_VERSION="${PROJECT_VERSION}")
    if(NOT mpi STREQUAL smpi)
      target_compile_options(espalier_${name}_${mpi} PRIVATE $<$<CONFIG:Release>:-O3>)
    endif()
    if(mpi STREQUAL smpi)
      # Each rank has a copy of the program and all its variables: none may be merged with another copy's.
      target_compile_options(espalier_${name}_${mpi} PRIVATE -fno-gnu-unique)
    else()
      # Preloaded libraries may use the static block: no call for a thread's own variables.
      target_compile_options(espalier_${name}_${mpi} PRIVATE -ftls-model=initial-exec)
      # A short call takes 200 ns, of which a tenth goes into calls between files.
      set_target_properties(espalier_${name}_${mpi} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ON)
    endif()
  endforeach()
endfunction()

# The preloaded libraries: the room pmpi and the wrappers made from its table, nothing visible but MPI's functions.
function(espalier_preloads)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/pmpi)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${made}/pmpi)
  add_custom_command(
    OUTPUT ${made}/pmpi/functions.cpp ${made}/pmpi/functions.hpp
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py ${dir}/functions.table
            ${dir}/collectives.table ${made}/pmpi/functions.cpp ${made}/pmpi/functions.hpp
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py ${dir}/functions.table ${dir}/collectives.table)
  add_custom_target(espalier_wrappers DEPENDS ${made}/pmpi/functions.cpp ${made}/pmpi/functions.hpp)
  if(ESPALIER_SMPI)
    add_library(espalier_runtime_smpi STATIC ${made}/pmpi/functions.cpp)
    target_link_libraries(espalier_runtime_smpi PUBLIC espalier_pmpi_smpi)
    target_include_directories(espalier_pmpi_smpi PUBLIC ${made} ${PROJECT_SOURCE_DIR}/include)
    add_dependencies(espalier_pmpi_smpi espalier_wrappers)
  endif()
  foreach(mpi ${ESPALIER_MPIS})
    target_include_directories(espalier_pmpi_${mpi} PUBLIC ${made} ${PROJECT_SOURCE_DIR}/include)
    add_dependencies(espalier_pmpi_${mpi} espalier_wrappers)
    add_library(espalier-${mpi} SHARED ${made}/pmpi/functions.cpp)
    set_target_properties(espalier-${mpi} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ON
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${dir}/exports.map)
    target_link_libraries(espalier-${mpi} PRIVATE
      -Wl,--whole-archive espalier_pmpi_${mpi} -Wl,--no-whole-archive)
    if(NOT ESPALIER_SANITIZE)
      # A program may carry other versions of these.
      target_link_options(espalier-${mpi} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    target_link_options(espalier-${mpi} PRIVATE
      -Wl,--as-needed -Wl,--version-script=${dir}/exports.map -Wl,--no-undefined -Wl,--gc-sections -Wl,-z,now)
  endforeach()
endfunction()

# The recorders that `espalier run --profile` preloads: the room record and the wrappers made from its table. Libraries of
# their own, so that programs which are not recorded have no wrapper before their messages.
function(espalier_recorders)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/generated/record)
  set(scripts ${PROJECT_SOURCE_DIR}/scripts/generate_recorders.py ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py)
  file(MAKE_DIRECTORY ${made})
  add_custom_command(
    OUTPUT ${made}/functions.cpp
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_recorders.py ${dir}/record/functions.table ${dir}/pmpi/collectives.table
            ${made}/functions.cpp
    DEPENDS ${scripts} ${dir}/record/functions.table ${dir}/pmpi/collectives.table)
  add_custom_target(espalier_recorder_wrappers DEPENDS ${made}/functions.cpp)
  foreach(mpi ${ESPALIER_MPIS})
    add_library(espalier-profile-${mpi} SHARED ${made}/functions.cpp)
    add_dependencies(espalier-profile-${mpi} espalier_recorder_wrappers)
    set_target_properties(espalier-profile-${mpi} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ON
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${dir}/pmpi/exports.map)
    target_link_libraries(espalier-profile-${mpi} PRIVATE espalier_record_${mpi})
    if(NOT ESPALIER_SANITIZE)
      target_link_options(espalier-profile-${mpi} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    target_link_options(espalier-profile-${mpi} PRIVATE
      -Wl,--as-needed -Wl,--version-script=${dir}/pmpi/exports.map -Wl,--no-undefined -Wl,--gc-sections -Wl,-z,now)
  endforeach()
endfunction()

# What programs link with that use include/espalier/group.hpp: libespalier-group-mpich.so and -openmpi.so.
function(espalier_group_libraries)
  foreach(mpi ${ESPALIER_MPIS} ${ESPALIER_SMPI})
    target_include_directories(espalier_group_mpi_${mpi} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  endforeach()
  foreach(mpi ${ESPALIER_MPIS})
    add_library(espalier-group-${mpi} SHARED $<TARGET_OBJECTS:espalier_group_mpi_${mpi}>)
    set_target_properties(espalier-group-${mpi} PROPERTIES LINKER_LANGUAGE CXX INTERPROCEDURAL_OPTIMIZATION_RELEASE ON
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    target_include_directories(espalier-group-${mpi} INTERFACE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(espalier-group-${mpi} PUBLIC espalier_with_${mpi} PRIVATE espalier_group espalier_model
      espalier_topology)
    target_link_options(espalier-group-${mpi} PRIVATE -Wl,--no-undefined -Wl,--gc-sections)
  endforeach()
endfunction()

# espalier_smpi_program(NAME source...): a program for smpirun with the runtime inside. smpirun loads it once for each
# rank, hence a shared object, as smpicxx makes them; and small, since each rank has a copy. Nothing without SimGrid.
function(espalier_smpi_program name)
  if(NOT ESPALIER_SMPI)
    return()
  endif()
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/smpi
    CXX_VISIBILITY_PRESET default)
  target_compile_options(${name} PRIVATE -fno-gnu-unique)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE
    -Wl,--whole-archive espalier_runtime_smpi espalier_pmpi_smpi -Wl,--no-whole-archive)
  target_link_options(${name} PRIVATE -Wl,--as-needed -Wl,-z,defs -Wl,--gc-sections -Wl,-s)
endfunction()

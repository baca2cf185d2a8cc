# The rooms that include <mpi.h>, once for each MPI that is there: Debian's MPICH and Open MPI stand side by side, and FindMPI
# knows only one of them.
set(ESPALIER_MPIS "")
if(MPICH_FOUND)
  list(APPEND ESPALIER_MPIS mpich)
endif()
if(OPENMPI_FOUND)
  list(APPEND ESPALIER_MPIS openmpi)
endif()
# The binary interfaces that there are variants for: theirs, and the standard's own, which needs no MPI to be built.
set(ESPALIER_VARIANTS ${ESPALIER_MPIS} mpiabi)
# espalier_headers_X: its mpi.h alone; espalier_with_X: its library too, for programs.
foreach(mpi ${ESPALIER_MPIS})
  string(TOUPPER ${mpi} module)
  add_library(espalier_headers_${mpi} INTERFACE)
  target_include_directories(espalier_headers_${mpi} SYSTEM INTERFACE ${${module}_INCLUDE_DIRS})
  target_compile_options(espalier_headers_${mpi} INTERFACE ${${module}_CFLAGS_OTHER})
  add_library(espalier_with_${mpi} INTERFACE)
  target_link_libraries(espalier_with_${mpi} INTERFACE espalier_headers_${mpi} PkgConfig::${module})
endforeach()
if(OPENMPI_FOUND)
  target_compile_definitions(espalier_headers_openmpi INTERFACE OPEN_MPI_BUILD)
endif()
add_library(espalier_headers_mpiabi INTERFACE)
target_include_directories(espalier_headers_mpiabi SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/src/run/front/abi)
target_compile_definitions(espalier_headers_mpiabi INTERFACE ESPALIER_MPIABI)

# SimGrid's SMPI simulates ranks inside one process: no preload, the runtime is linked into the programs.
set(ESPALIER_SMPI "")
if(SIMGRID_FOUND)
  set(ESPALIER_SMPI smpi)
  add_library(espalier_with_smpi INTERFACE)
  target_include_directories(espalier_with_smpi SYSTEM INTERFACE ${SIMGRID_INCLUDEDIR}/smpi)
  target_link_libraries(espalier_with_smpi INTERFACE PkgConfig::SIMGRID)
  target_compile_definitions(espalier_with_smpi INTERFACE ESPALIER_SMPI)
  add_library(espalier_headers_smpi ALIAS espalier_with_smpi)
endif()

# espalier_unused_if_sanitized(TARGET MPI): no test runs SMPI (SimGrid swaps stacks behind the sanitizers' backs) or the standard's
# interface (its stub of an MPI has no sanitizer) in such a build.
function(espalier_unused_if_sanitized target mpi)
  if(ESPALIER_SANITIZE AND mpi MATCHES "^(smpi|mpiabi)$")
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# espalier_mpi_room(NAME [NO_SMPI] [NO_ABI] USES room...): espalier_NAME_mpich, _openmpi, _mpiabi and _smpi.
function(espalier_mpi_room name)
  cmake_parse_arguments(ROOM "NO_SMPI;NO_ABI" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ESPALIER_WING}/${name}/*.cpp)
  set(mpis ${ESPALIER_VARIANTS} ${ESPALIER_SMPI})
  if(ROOM_NO_SMPI)
    list(REMOVE_ITEM mpis smpi)
  endif()
  if(ROOM_NO_ABI)
    list(REMOVE_ITEM mpis mpiabi)
  endif()
  # Objects of their own in the archive. Who links with the front takes the front's block, and the spare one is left out; the
  # recorder takes the others without the engine.
  set(separate mpi/thread_block.cpp mpi/self_test.cpp mpi/gather_tree.cpp mpi/own_neighbours.cpp pmpi/next_function.cpp pmpi/fortran.cpp)
  list(TRANSFORM separate PREPEND ${ESPALIER_WING}/)
  set_source_files_properties(${separate} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(mpi ${mpis})
    set(uses ${ROOM_USES})
    list(TRANSFORM uses PREPEND espalier_)
    list(TRANSFORM uses REPLACE "^espalier_(p?mpi)$" "espalier_\\1_${mpi}")
    # x_on_smpi.cpp is compiled for SMPI alone, x_on_mpiabi_and_smpi.cpp for these two (mpi/mpi_traits.hpp).
    set(own ${sources})
    foreach(source ${sources})
      if(source MATCHES "_on_([a-z_]+)[.]cpp$")
        string(REPLACE "_and_" ";" served ${CMAKE_MATCH_1})
        if(NOT mpi IN_LIST served)
          list(REMOVE_ITEM own ${source})
        endif()
      endif()
    endforeach()
    add_library(espalier_${name}_${mpi} STATIC ${own})
    espalier_unity(espalier_${name}_${mpi})
    espalier_unused_if_sanitized(espalier_${name}_${mpi} ${mpi})
    target_include_directories(espalier_${name}_${mpi} PUBLIC ${ESPALIER_WING})
    target_link_libraries(espalier_${name}_${mpi} PUBLIC ${uses} espalier_headers_${mpi})
    target_compile_definitions(espalier_${name}_${mpi} PRIVATE ESPALIER_VERSION="${PROJECT_VERSION}")
    if(mpi STREQUAL smpi)
      # Each rank has a copy of the program and all its variables: none may be merged with another copy's. No more than -O1: times
      # are simulated, and SimGrid takes most of the real one.
      target_compile_options(espalier_${name}_${mpi} PRIVATE -fno-gnu-unique)
    else()
      # A thread's variables are in the front's block, which is there from the start: no call to reach them.
      target_compile_options(espalier_${name}_${mpi} PRIVATE -ftls-model=initial-exec $<$<CONFIG:Release>:-O3>)
      # A short call takes 200 ns, of which a tenth goes into calls between files. With link-time optimisation g++ 12.2 takes
      # stores and loads of the same pointer type for different ones (in record/write_profile.cpp it read the memory of a
      # vector before it was set; mpi.recorded_4 and _5 see that).
      target_compile_options(espalier_${name}_${mpi} PRIVATE -fno-strict-aliasing)
      set_target_properties(espalier_${name}_${mpi} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ON)
    endif()
  endforeach()
endfunction()

# espalier_front(NAME WHICH TABLE): the library NAME that is preloaded or linked, without any MPI: entries for all that the
# variants wrap (docs/adr/0019-one-front-library.md). Plain C, so without sanitizers.
function(espalier_front name which table)
  set(dir ${ESPALIER_WING})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/generated/front_${which}.c)
  set(scripts ${PROJECT_SOURCE_DIR}/scripts/generate_front.py ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py
              ${PROJECT_SOURCE_DIR}/scripts/generate_recorders.py)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_front.py ${which} ${table} ${dir}/pmpi/collectives.table ${made}
    DEPENDS ${scripts} ${table} ${dir}/pmpi/collectives.table)
  add_library(${name}-front SHARED ${made} ${dir}/front/front.c ${dir}/front/find_mpi.c ${dir}/front/bound_to.c
    ${dir}/front/decline.c ${dir}/front/narrow.c ${dir}/front/sign.c)
  set_target_properties(${name}-front PROPERTIES OUTPUT_NAME ${name} C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${dir}/front/exports.map)
  target_include_directories(${name}-front PRIVATE ${dir})
  target_compile_definitions(${name}-front PRIVATE ESPALIER_VERSION="${PROJECT_VERSION}" ESPALIER_VARIANT_PREFIX="lib${name}-")
  # Always optimised: an entry must be a jump, so that what stands behind it sees who called.
  # What a program's error handler throws passes through.
  target_compile_options(${name}-front PRIVATE -fno-sanitize=all -O2 -fexceptions -fasynchronous-unwind-tables)
  target_link_options(${name}-front PRIVATE -fno-sanitize=all
    -Wl,--as-needed -Wl,--version-script=${dir}/front/exports.map -Wl,--no-undefined -Wl,-z,now)
  target_link_libraries(${name}-front PRIVATE ${CMAKE_DL_LIBS})
endfunction()

# espalier_variant(NAME MPI SOURCE): the library NAME-MPI that the front opens under its MPI, which it finds there: nothing of
# MPI is linked, and nothing visible but its table.
function(espalier_variant name mpi source)
  set(map ${ESPALIER_WING}/front/variant.map)
  add_library(${name}-${mpi} SHARED ${source})
  espalier_unused_if_sanitized(${name}-${mpi} ${mpi})
  set_target_properties(${name}-${mpi} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${map} LINK_DEPENDS_NO_SHARED ON)
  target_compile_definitions(${name}-${mpi} PRIVATE ESPALIER_VERSION="${PROJECT_VERSION}")
  target_compile_options(${name}-${mpi} PRIVATE -fno-strict-aliasing $<$<CONFIG:Release>:-O3>)
  if(NOT ESPALIER_SANITIZE)
    # A program may carry other versions of these.
    target_link_options(${name}-${mpi} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  target_link_options(${name}-${mpi} PRIVATE
    -Wl,--as-needed -Wl,--version-script=${map} -Wl,--gc-sections -Wl,-z,now)
  add_dependencies(${name}-${mpi} ${name}-front)
endfunction()

# libespalier.so and its variants: the room pmpi and the wrappers made from its table.
function(espalier_preloads)
  set(dir ${ESPALIER_WING}/pmpi)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${made}/pmpi)
  foreach(mpi ${ESPALIER_VARIANTS} smpi)
    list(APPEND sources ${made}/pmpi/functions_${mpi}.cpp)
  endforeach()
  add_custom_command(
    OUTPUT ${sources} ${made}/pmpi/functions.hpp ${made}/pmpi/collectives.cpp
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py ${dir}/functions.table
            ${dir}/collectives.table ${made}/pmpi
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py ${dir}/functions.table ${dir}/collectives.table)
  add_custom_target(espalier_wrappers DEPENDS ${sources} ${made}/pmpi/functions.hpp ${made}/pmpi/collectives.cpp)
  if(ESPALIER_SMPI)
    add_library(espalier_runtime_smpi STATIC ${made}/pmpi/functions_smpi.cpp)
    espalier_unused_if_sanitized(espalier_runtime_smpi smpi)
    target_link_libraries(espalier_runtime_smpi PUBLIC espalier_pmpi_smpi)
  endif()
  foreach(mpi ${ESPALIER_VARIANTS} ${ESPALIER_SMPI})
    target_include_directories(espalier_pmpi_${mpi} PUBLIC ${made} ${PROJECT_SOURCE_DIR}/include)
    target_sources(espalier_pmpi_${mpi} PRIVATE ${made}/pmpi/collectives.cpp)
    add_dependencies(espalier_pmpi_${mpi} espalier_wrappers)
  endforeach()
  espalier_front(espalier runtime ${dir}/functions.table)
  target_sources(espalier-front PRIVATE ${ESPALIER_WING}/front/thread_block.c)
  foreach(mpi ${ESPALIER_VARIANTS})
    espalier_variant(espalier ${mpi} ${made}/pmpi/functions_${mpi}.cpp)
    # The front first: it holds the block of the thread's variables.
    target_link_libraries(espalier-${mpi} PRIVATE espalier-front
      -Wl,--whole-archive espalier_pmpi_${mpi} -Wl,--no-whole-archive)
  endforeach()
endfunction()

# The recorder that `espalier run --profile` preloads: the room record and the wrappers made from its table. A library of its
# own, so that programs which are not recorded have no wrapper before their messages.
function(espalier_recorders)
  set(dir ${ESPALIER_WING})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/generated/record)
  set(scripts ${PROJECT_SOURCE_DIR}/scripts/generate_recorders.py ${PROJECT_SOURCE_DIR}/scripts/generate_wrappers.py)
  file(MAKE_DIRECTORY ${made})
  foreach(mpi ${ESPALIER_VARIANTS})
    list(APPEND sources ${made}/functions_${mpi}.cpp)
  endforeach()
  add_custom_command(
    OUTPUT ${sources}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_recorders.py ${dir}/record/functions.table
            ${dir}/pmpi/collectives.table ${made}
    DEPENDS ${scripts} ${dir}/record/functions.table ${dir}/pmpi/collectives.table)
  add_custom_target(espalier_recorder_wrappers DEPENDS ${sources})
  espalier_front(espalier-profile recorder ${dir}/record/functions.table)
  foreach(mpi ${ESPALIER_VARIANTS})
    espalier_variant(espalier-profile ${mpi} ${made}/functions_${mpi}.cpp)
    add_dependencies(espalier-profile-${mpi} espalier_recorder_wrappers)
    target_link_libraries(espalier-profile-${mpi} PRIVATE espalier_record_${mpi})
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
# rank, hence a shared object, as smpicxx makes them; and small, since each rank has a copy. Its MPI functions are ours also where
# ranks share the program, which is loaded behind SimGrid's then (-Bsymbolic). Nothing without SimGrid.
function(espalier_smpi_program name)
  if(NOT ESPALIER_SMPI)
    return()
  endif()
  add_library(${name} MODULE ${ARGN})
  espalier_unused_if_sanitized(${name} smpi)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/smpi
    CXX_VISIBILITY_PRESET default)
  target_compile_options(${name} PRIVATE -fno-gnu-unique)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE
    -Wl,--whole-archive espalier_runtime_smpi espalier_pmpi_smpi -Wl,--no-whole-archive)
  target_link_options(${name} PRIVATE -Wl,--as-needed -Wl,-z,defs -Wl,--gc-sections -Wl,-s -Wl,-Bsymbolic)
endfunction()

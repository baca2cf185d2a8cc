# espalier_unity(TARGET): its sources are compiled together, at most 40 at a time. Most of the time of a compiler goes into
# headers, which are then read once.
function(espalier_unity target)
  if(ESPALIER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 40)
  endif()
endfunction()

add_custom_target(unit_tests)  # the test programs of all rooms: `make check-quick`

# All include roots, for tests that include rooms without linking them.
set(ESPALIER_WINGS base plan find place groups run study tool)
list(TRANSFORM ESPALIER_WINGS PREPEND ${PROJECT_SOURCE_DIR}/src/)

# espalier_wing(NAME): the rooms below stand in src/NAME. A wing is an include root: lines name the room, not the wing.
macro(espalier_wing name)
  set(ESPALIER_WING ${PROJECT_SOURCE_DIR}/src/${name})
endmacro()

# espalier_room(NAME [FAST|COLD] [USES room...] [LINKS library...])
#
# A folder of a wing is a room: every *.cpp in it (and in its sub-folders) is one static library, every *_test.cpp one
# test program. FAST: its speed matters. COLD: nothing waits for it, other rooms do its long work. USES are the rooms it may
# include; scripts/check_includes.py holds the same table.
# Its sources are compiled together (ESPALIER_UNITY): so names local to a file must differ (scripts/check_local_names.py).
function(espalier_room name)
  cmake_parse_arguments(ROOM "FAST;COLD" "" "USES;LINKS" ${ARGN})
  set(dir ${ESPALIER_WING}/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")

  add_library(espalier_${name} STATIC ${sources})
  espalier_unity(espalier_${name})
  target_include_directories(espalier_${name} PUBLIC ${ESPALIER_WING})
  if(ROOM_FAST)
    target_compile_options(espalier_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  elseif(ROOM_COLD)
    target_compile_options(espalier_${name} PRIVATE ${ESPALIER_QUICK_TO_COMPILE})
  endif()
  list(TRANSFORM ROOM_USES PREPEND espalier_)
  target_link_libraries(espalier_${name} PUBLIC ${ROOM_USES} ${ROOM_LINKS})

  if(tests AND GTest_FOUND AND NOT ESPALIER_FUZZ)
    add_executable(${name}_test ${tests})
    espalier_unity(${name}_test)
    target_compile_options(${name}_test PRIVATE ${ESPALIER_QUICK_TO_COMPILE})
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name}_test PRIVATE ESPALIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name}_test PRIVATE espalier_${name} GTest::gtest_main)
    gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 600 PROPERTIES TIMEOUT 1500 LABELS unit)
    add_dependencies(unit_tests ${name}_test)
  endif()
endfunction()

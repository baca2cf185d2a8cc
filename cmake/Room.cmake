# espalier_room(NAME [USES room...] [LINKS library...])
#
# A folder of src/ is a room: every *.cpp in it (and in its sub-folders) is one static library, every *_test.cpp one
# test program. USES are the rooms it may include; scripts/check_includes.py holds the same table.
function(espalier_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LINKS" ${ARGN})
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")

  add_library(espalier_${name} STATIC ${sources})
  target_include_directories(espalier_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ROOM_USES PREPEND espalier_)
  target_link_libraries(espalier_${name} PUBLIC ${ROOM_USES} ${ROOM_LINKS})

  if(tests AND GTest_FOUND AND NOT ESPALIER_FUZZ)
    add_executable(${name}_test ${tests})
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name}_test PRIVATE ESPALIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name}_test PRIVATE espalier_${name} GTest::gtest_main)
    gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
  endif()
endfunction()

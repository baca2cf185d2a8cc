# The toolchain of the preset `fuzz`: libFuzzer is clang's, of any version.
execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../scripts/tool.sh clang++ OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT found)
  message(FATAL_ERROR "No clang++ 14 or newer, for fuzzing (Debian: clang, libclang-rt-dev)")
endif()
set(CMAKE_CXX_COMPILER ${found})
string(REPLACE "clang++" "clang" found ${found})
set(CMAKE_C_COMPILER ${found})

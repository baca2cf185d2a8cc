# Compiler flags for every target, and ccache where it is installed.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # false alarms of g++ 12 on std::string (GCC bug 105651)
endif()
if(ESPALIER_WERROR)
  add_compile_options(-Werror)
endif()
# Ranks on different CPUs must plan alike: g++ fuses a*b+c on arm64 and not on x86-64.
add_compile_options(-ffp-contract=off)

if(ESPALIER_SANITIZE)
  add_compile_options(-fsanitize=${ESPALIER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ESPALIER_SANITIZE})
endif()
if(ESPALIER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(ESPALIER_MAX_PROCESSES=1024)  # see src/topology/machine_spec.hpp
endif()

# Every room may end up in the preloaded library, which shows nothing but its own entry points.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

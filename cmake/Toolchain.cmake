# Compiler flags for every target, and ccache where it is installed.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Most rooms read, write and draw: -O1 compiles them in two thirds of the time. Rooms that plan, simulate or send ask for
# more (espalier_room: FAST; the MPI rooms).
foreach(language C CXX)
  string(REPLACE "-O3" "-O1" CMAKE_${language}_FLAGS_RELEASE "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()

# For tests, and for rooms that only call others (espalier_room: COLD): g++ takes two thirds of the time of -O1, and less than with -O0,
# which writes out every function of the standard library.
set(ESPALIER_QUICK_TO_COMPILE $<$<CONFIG:Release>:-Og>)

add_compile_options(-Wall -Wextra -Wconversion)
if(NOT ESPALIER_UNITY)
  add_compile_options(-Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wshadow=local)  # a local name may be a name of another file in the same unit
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # false alarms of g++ 12 on std::string (GCC bug 105651)
endif()
if(ESPALIER_WERROR)
  add_compile_options(-Werror)
endif()
# Ranks on different CPUs must plan alike: g++ fuses a*b+c on arm64 and not on x86-64.
add_compile_options(-ffp-contract=off)

if(ESPALIER_SANITIZE)
  # Not optimised, and lines of a stack need no more than -g1: instrumented code takes twice as long to compile with -O1, and no
  # test waits for it. ThreadSanitizer is quick to compile, and slow to run without -O1. Indices of vectors are checked too.
  set(sanitizer_flags "-O0 -g1")
  if(ESPALIER_SANITIZE MATCHES "thread")
    set(sanitizer_flags "-O1 -g1")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options(-Wno-maybe-uninitialized)  # false alarms of g++ on std::variant, with these flags alone
    endif()
  endif()
  set(CMAKE_C_FLAGS_RELWITHDEBINFO ${sanitizer_flags})
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO ${sanitizer_flags})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_compile_options(-fsanitize=${ESPALIER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ESPALIER_SANITIZE})
  if(ESPALIER_SANITIZE MATCHES "address" AND ESPALIER_SANITIZE MATCHES "undefined")
    # AddressSanitizer ends programs there too; these take a quarter of the compiler's time.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # calls, not code in line at every access: a twelfth of the compiler's time
      add_compile_options(--param=asan-instrumentation-with-call-threshold=0)
    endif()
  endif()
endif()
if(ESPALIER_FUZZ)
  # Two thirds of what -O2 -g and all of undefined take to compile; AddressSanitizer finds what the four would.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=null,alignment,object-size,vptr -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(ESPALIER_MAX_PROCESSES=1024)  # see src/plan/topology/machine_spec.hpp
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Link-time optimisation of a library in one part: five sixths of the processor time that many parts take, which are
  # written out and read again. Without it this changes nothing.
  add_link_options(-flto-partition=one)
endif()

# Every room may end up in the preloaded library, which shows nothing but its own entry points.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

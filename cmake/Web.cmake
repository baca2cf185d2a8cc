# The page of `espalier view`, from web/ (ADR 26). Packages of npm are had while configuring, since building needs no network;
# without them there is one line, and a tool that says what is missing.
#
# espalier_page(TARGET): compiles the page into the target, or why there is none.
option(ESPALIER_PAGE "Build the page of espalier view, if there is Node.js" ON)
set(ESPALIER_PAGE_SCRIPT ${PROJECT_SOURCE_DIR}/scripts/build_page.py)
set(ESPALIER_WEB ${PROJECT_BINARY_DIR}/web)
if(PROJECT_BINARY_DIR MATCHES "^${PROJECT_SOURCE_DIR}/build/[^/]+$")
  set(ESPALIER_WEB ${PROJECT_SOURCE_DIR}/build/web)  # one for all presets
endif()

# Sets ESPALIER_PAGE, or ESPALIER_NO_PAGE to the reason.
function(espalier_find_page)
  set(reason "")
  if(NOT ESPALIER_PAGE)
    set(reason "ESPALIER_PAGE is off")
  elseif(ESPALIER_FOR STREQUAL demo)
    set(reason "make demo leaves it out")
  elseif(ESPALIER_SANITIZE)
    set(reason "builds with sanitizers leave it out")
  else()
    find_program(ESPALIER_NODE NAMES node nodejs)
    find_program(ESPALIER_NPM npm)
    if(NOT ESPALIER_NODE OR NOT ESPALIER_NPM)
      set(reason "Node.js with npm not found (Debian: nodejs npm)")
    else()
      execute_process(
        COMMAND ${Python3_EXECUTABLE} ${ESPALIER_PAGE_SCRIPT} packages ${PROJECT_SOURCE_DIR}/web ${ESPALIER_WEB}
                --node ${ESPALIER_NODE} --npm ${ESPALIER_NPM}
        OUTPUT_VARIABLE reason OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
      if(failed AND reason STREQUAL "")
        set(reason "scripts/build_page.py failed")
      endif()
    endif()
    if(NOT reason STREQUAL "")
      message(STATUS "without the page of espalier view: ${reason}")
    endif()
  endif()
  set(ESPALIER_NO_PAGE "${reason}" PARENT_SCOPE)
endfunction()

function(espalier_page target)
  set(made ${PROJECT_BINARY_DIR}/generated/page.cpp)
  if(NOT ESPALIER_NO_PAGE STREQUAL "")
    add_custom_command(OUTPUT ${made}
      COMMAND ${Python3_EXECUTABLE} ${ESPALIER_PAGE_SCRIPT} none ${made} --why ${ESPALIER_NO_PAGE}
      DEPENDS ${ESPALIER_PAGE_SCRIPT} VERBATIM)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
    add_custom_command(OUTPUT ${made}
      COMMAND ${Python3_EXECUTABLE} ${ESPALIER_PAGE_SCRIPT} build ${PROJECT_SOURCE_DIR}/web ${ESPALIER_WEB} ${made}
              --node ${ESPALIER_NODE}
      DEPENDS ${ESPALIER_PAGE_SCRIPT} ${sources} ${PROJECT_SOURCE_DIR}/web/index.html ${PROJECT_SOURCE_DIR}/web/tsconfig.json
              ${PROJECT_SOURCE_DIR}/web/vite.config.mjs
      COMMENT "the page of espalier view" VERBATIM)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/package-lock.json)
  set_source_files_properties(${made} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # it changes alone
  target_sources(${target} PRIVATE ${made})
endfunction()

if(NOT ESPALIER_FUZZ)
  espalier_find_page()
else()
  set(ESPALIER_NO_PAGE "fuzzers need none")
endif()

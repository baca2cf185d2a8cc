# What programs link with that use include/espalier without MPI: libespalier-core.so. It shows the public classes and
# functions alone; the rooms are inside.
function(espalier_core_library)
  target_include_directories(espalier_api PUBLIC ${PROJECT_SOURCE_DIR}/include)
  if(ESPALIER_FUZZ)
    return()
  endif()
  add_library(espalier-core SHARED $<TARGET_OBJECTS:espalier_api> $<TARGET_OBJECTS:espalier_base>)
  set_target_properties(espalier-core PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME core)
  target_include_directories(espalier-core INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(espalier-core INTERFACE cxx_std_20)
  target_link_libraries(espalier-core PRIVATE $<BUILD_INTERFACE:espalier_api>)
  target_link_options(espalier-core PRIVATE -Wl,--no-undefined -Wl,--gc-sections -Wl,--exclude-libs,libpugixml.a)
endfunction()

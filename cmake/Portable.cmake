# ESPALIER_PORTABLE, for `make tarball`: the tool, the programs and the preloaded libraries need nothing at run time but glibc
# and, where they talk to it, an MPI. What Debian has as static libraries is linked in, and hidden: an MPI in the same process
# may have other versions of it. libespalier-core and -group keep the C++ runtime of those who link with them.
set(espalier_static "")
foreach(library hwloc scotch scotcherr sqlite3)
  find_library(ESPALIER_STATIC_${library} lib${library}.a REQUIRED)
  list(APPEND espalier_static lib${library}.a)
endforeach()
list(JOIN espalier_static : espalier_static)

# hwloc asks udev for properties of disks, which no plan needs, and there is no static libudev.
add_library(espalier_no_udev STATIC ${PROJECT_SOURCE_DIR}/packaging/no_udev.c)
set_target_properties(espalier_no_udev PROPERTIES C_VISIBILITY_PRESET hidden)
set_target_properties(PkgConfig::HWLOC PROPERTIES INTERFACE_LINK_LIBRARIES
  "${ESPALIER_STATIC_hwloc};espalier_no_udev;Threads::Threads;${CMAKE_DL_LIBS};m")
set_target_properties(PkgConfig::SQLITE PROPERTIES INTERFACE_LINK_LIBRARIES
  "${ESPALIER_STATIC_sqlite3};Threads::Threads;${CMAKE_DL_LIBS};m")
set(SCOTCH_LIBRARY ${ESPALIER_STATIC_scotch})
set(SCOTCHERR_LIBRARY ${ESPALIER_STATIC_scotcherr})

add_link_options(-Wl,--exclude-libs,${espalier_static} -Wl,--gc-sections)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-libstdc++>
                 $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-libgcc>)

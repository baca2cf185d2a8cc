# Everything from Debian (packages.debian); nothing is downloaded or bundled.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_library(PUGIXML_STATIC libpugixml.a REQUIRED)  # the preloaded library brings its own
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
# libscotch comes without files for CMake or pkg-config; its header is <scotch/scotch.h>.
find_library(SCOTCH_LIBRARY scotch REQUIRED)
find_library(SCOTCHERR_LIBRARY scotcherr REQUIRED)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
if(NOT ESPALIER_FUZZ)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid)
  include(GoogleTest)
endif()

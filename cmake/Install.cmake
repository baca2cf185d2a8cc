# What `make install` and the Debian packages bring (docs/api.md has the list). Everything lies in bin, lib, include and share
# of one prefix and finds the rest from where it lies, so a prefix can be moved.
set(headers contract.hpp error.hpp expected.hpp types.hpp units.hpp)  # links to src/base/base: their targets are copied
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/src/base/base/)
file(GLOB own_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/espalier/*)
foreach(header ${own_headers})
  if(NOT IS_SYMLINK ${header})
    list(APPEND headers ${header})
  endif()
endforeach()
set(made ${PROJECT_BINARY_DIR}/packaging)

# Manual pages and completions, from what the tool says of itself.
add_custom_command(OUTPUT ${made}/pages.stamp
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_pages.py $<TARGET_FILE:espalier> ${made}/share
          ${PROJECT_VERSION}
  COMMAND ${CMAKE_COMMAND} -E touch ${made}/pages.stamp
  DEPENDS espalier ${PROJECT_SOURCE_DIR}/scripts/make_pages.py)
add_custom_target(espalier_pages ALL DEPENDS ${made}/pages.stamp)

# pkg-config, CMake, environment modules.
function(espalier_pc PC_NAME PC_LIBRARY PC_REQUIRES PC_DESCRIPTION)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/espalier.pc.in ${made}/espalier-${PC_NAME}.pc @ONLY)
endfunction()
espalier_pc(core espalier-core "" "Machines, models, trees and plans of MPI collectives")
set(module_mpich mpich)
set(module_openmpi ompi-c)
foreach(mpi ${ESPALIER_MPIS})
  espalier_pc(${mpi} espalier ${module_${mpi}} "Collectives of ${mpi} along plans; link in front of MPI")
  espalier_pc(group-${mpi} espalier-group-${mpi} ${module_${mpi}} "System-ranked process groups for ${mpi}")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/packaging/espalierConfig.cmake.in ${made}/espalierConfig.cmake @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/packaging/modulefile.in ${made}/${PROJECT_VERSION} @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${made}/espalierConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# Which folders are new, for `make uninstall`.
configure_file(${PROJECT_SOURCE_DIR}/packaging/manifest.cmake.in ${made}/manifest.cmake @ONLY)
install(CODE "set(ESPALIER_STEP begin)" COMPONENT manifest)
install(SCRIPT ${made}/manifest.cmake COMPONENT manifest)

install(TARGETS espalier-core LIBRARY DESTINATION lib COMPONENT core)
install(FILES ${headers} DESTINATION include/espalier COMPONENT core)
install(FILES ${made}/espalier-core.pc DESTINATION lib/pkgconfig COMPONENT core)
install(FILES ${made}/espalierConfig.cmake ${made}/espalierConfigVersion.cmake DESTINATION lib/cmake/espalier
  COMPONENT core)
install(FILES ${PROJECT_SOURCE_DIR}/include/espalier.h ${PROJECT_SOURCE_DIR}/include/espalier.f90
  ${PROJECT_SOURCE_DIR}/include/espalier_groups.f90 DESTINATION include
  COMPONENT core)
# What is preloaded or linked, what `espalier run --profile` preloads, and their variants: all in one folder, without any MPI.
set(installed espalier-front espalier-profile-front)
foreach(mpi ${ESPALIER_VARIANTS})
  list(APPEND installed espalier-${mpi} espalier-profile-${mpi})
endforeach()
install(TARGETS ${installed} LIBRARY DESTINATION lib COMPONENT runtime)
foreach(mpi ${ESPALIER_MPIS})
  set(libraries espalier-group-${mpi})
  install(TARGETS ${libraries} LIBRARY DESTINATION lib COMPONENT ${mpi})
  install(FILES ${made}/espalier-${mpi}.pc ${made}/espalier-group-${mpi}.pc DESTINATION lib/pkgconfig COMPONENT ${mpi})
  set(programs espalier-measure.${mpi})
  if(TARGET espalier-discover.${mpi})
    list(APPEND programs espalier-discover.${mpi})
  endif()
  install(TARGETS ${programs} RUNTIME DESTINATION bin COMPONENT ${mpi})
  list(APPEND installed ${libraries} ${programs})
endforeach()
install(TARGETS espalier RUNTIME DESTINATION bin COMPONENT tool)
if(TARGET espalier-python)
  install(TARGETS espalier-python LIBRARY DESTINATION ${ESPALIER_PYTHON_PLACE} COMPONENT python)
  install(FILES python/espalier/__init__.py python/espalier/__init__.pyi python/espalier/ddp.py python/espalier/ddp.pyi
          python/espalier/groups.py python/espalier/groups.pyi
          python/espalier/py.typed DESTINATION ${ESPALIER_PYTHON_PLACE} COMPONENT python)
  list(APPEND installed espalier-python)
endif()
install(TARGETS espalier-lab-shim LIBRARY DESTINATION lib COMPONENT tool)
install(DIRECTORY ${made}/share/ DESTINATION share COMPONENT tool)
install(FILES ${made}/${PROJECT_VERSION} DESTINATION share/modulefiles/espalier COMPONENT tool)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/machines ${PROJECT_SOURCE_DIR}/data/lab-runs DESTINATION share/espalier COMPONENT tool)
# Documents, and what they link: so that links and the pages' commands work in the installed folder too (tests/install/links.py).
install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md packages.debian DESTINATION share/doc/espalier COMPONENT tool)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data DESTINATION share/doc/espalier COMPONENT tool)
install(FILES include/espalier.h include/espalier.f90 DESTINATION share/doc/espalier/include COMPONENT tool)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/install/outside DESTINATION share/doc/espalier/tests/install COMPONENT tool)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION share/doc/espalier COMPONENT tool)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION share/doc/espalier COMPONENT tool FILES_MATCHING
  PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "*.c" PATTERN "*.py")

install(CODE "set(ESPALIER_STEP end)" COMPONENT manifest)
install(SCRIPT ${made}/manifest.cmake COMPONENT manifest)

add_custom_target(installed DEPENDS espalier espalier-core espalier-lab-shim espalier_pages ${installed})

# A Debian package for each component: `make deb`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME espalier)
set(CPACK_PACKAGE_CONTACT "Espalier <root@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/deb)
set(CPACK_COMPONENTS_ALL core runtime ${ESPALIER_MPIS} tool)
if(TARGET espalier-python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  # The module is for one minor version of Python, that of this release of Debian.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-espalier)
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libespalier-core (= ${PROJECT_VERSION}), python3 (>= 3.${Python3_VERSION_MINOR}~), python3 (<< 3.${next_minor})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-mpi4py, python3-numpy, python3-torch")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "machines, plans and training with Espalier in Python\n The module espalier, with type stubs.")
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)  # variants need the front
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_CORE_PACKAGE_NAME libespalier-core)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libespalier)
set(CPACK_DEBIAN_MPICH_PACKAGE_NAME libespalier-mpich)
set(CPACK_DEBIAN_MPICH_PACKAGE_DEPENDS "libespalier (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_OPENMPI_PACKAGE_DEPENDS "libespalier (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_OPENMPI_PACKAGE_NAME libespalier-openmpi)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME espalier)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "libespalier, libespalier-mpich, libespalier-openmpi, environment-modules")
set(CPACK_COMPONENT_CORE_DESCRIPTION "machines, models, trees and plans of MPI collectives\n Library and headers.")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "collectives of any MPI along plans\n One library, preloaded or linked.")
set(CPACK_COMPONENT_MPICH_DESCRIPTION "process groups and programs for MPICH\n For MPICH 4.")
set(CPACK_COMPONENT_OPENMPI_DESCRIPTION "process groups and programs for Open MPI\n For the Open MPI of this release.")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "plans, runs and explains MPI collectives\n The tool, its manual pages and completions.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/packaging/deb.cmake.in ${made}/deb.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${made}/deb.cmake)
include(CPack)

# The Python package: python/espalier, with one small module over libespalier-core. `make install` puts it beside the library;
# without CMake: pip install --no-build-isolation ./python.
option(ESPALIER_PYTHON "The Python package, if pybind11 and Python's headers are there" ON)
if(NOT ESPALIER_PYTHON OR ESPALIER_FUZZ OR ESPALIER_PORTABLE OR ESPALIER_SANITIZE)
  return()
endif()
find_package(Python3 QUIET COMPONENTS Interpreter Development.Module)
find_path(PYBIND11_INCLUDE pybind11/pybind11.h)
if(NOT Python3_Development.Module_FOUND OR NOT PYBIND11_INCLUDE)
  message(STATUS "No Python package: it needs pybind11-dev and python3-dev")
  return()
endif()

set(package ${PROJECT_BINARY_DIR}/python/espalier)
add_library(espalier-python MODULE ${PROJECT_SOURCE_DIR}/python/espalier/_binding.cpp)
set_target_properties(espalier-python PROPERTIES OUTPUT_NAME _binding PREFIX "" SUFFIX .${Python3_SOABI}.so
  LIBRARY_OUTPUT_DIRECTORY ${package} CXX_VISIBILITY_PRESET hidden INSTALL_RPATH "$ORIGIN/../../..")
target_include_directories(espalier-python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS} ${PYBIND11_INCLUDE})
target_link_libraries(espalier-python PRIVATE espalier-core)
foreach(file __init__.py __init__.pyi ddp.py ddp.pyi groups.py groups.pyi py.typed)
  configure_file(${PROJECT_SOURCE_DIR}/python/espalier/${file} ${package}/${file} COPYONLY)
endforeach()
set(ESPALIER_PYTHON_PLACE lib/python3/dist-packages/espalier)

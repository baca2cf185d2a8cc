#include "launch/program.hpp"

#include <sstream>

#include "launch/ask.hpp"
#include "launch/elf.hpp"

namespace espalier::launch {
namespace {

/// The names before "=>" of the loader's list.
std::vector<std::string> all_libraries(const Elf& elf, const std::string& file) {
  std::istringstream lines(output_of({elf.interpreter, "--list", file}));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow;
    if (words >> name >> arrow && arrow == "=>") names.push_back(name);
  }
  return names;
}

}  // namespace

Expected<std::optional<Mpi>> mpi_of_program(const std::string& file) {
  auto elf = read_elf(file);
  if (!elf) return elf.error();
  if (!*elf) return std::optional<Mpi>{};
  if ((*elf)->is_static()) {
    return Error{file, "it is linked statically, and no library can be preloaded into it",
                 "link it with the shared library of its MPI"};
  }
  auto mpi = mpi_among((*elf)->needed, file);
  if (!mpi || *mpi) return mpi;
  return mpi_among(all_libraries(**elf, file), file);
}

}  // namespace espalier::launch

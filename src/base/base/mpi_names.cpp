#include "base/mpi_names.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace espalier {
namespace {

/// Beginnings of names, in small letters and without blanks and dashes: a version may follow.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherNames{
    {{"openmpi", "openmpi"}, {"ompi", "openmpi"}, {"mpich", "mpich"}}};

}  // namespace

std::string mpi_meant(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      plain += static_cast<char>(c - 'A' + 'a');
    } else if (c != ' ' && c != '-' && c != '_') {
      plain += c;
    }
  }
  for (const auto& [beginning, ours] : kOtherNames) {
    if (name != ours && plain.starts_with(beginning)) {
      return fmt::format("did you mean \"{}\"? ", ours);
    }
  }
  return "";
}

}  // namespace espalier

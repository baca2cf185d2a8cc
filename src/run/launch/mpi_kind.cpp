#include "launch/mpi_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace espalier::launch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The first "4.1.4" behind this word.
std::string number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return "";
  std::size_t begin = at + word.size();
  while (begin < text.size() && !is_digit(text[begin]) && text[begin] != '\n') ++begin;
  std::size_t end = begin;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == 'a' ||
                               text[end] == 'b' || text[end] == 'r' || text[end] == 'c')) {
    ++end;
  }
  std::string number(text.substr(begin, end - begin));
  while (!number.empty() && !is_digit(number.back())) number.pop_back();
  return number;
}

struct Mark {
  std::string_view word;
  Family family;
};
// MVAPICH and Intel MPI are made from MPICH and name it too: theirs come first.
constexpr std::array kLibraries{
    Mark{"MVAPICH Version", Family::Mvapich}, Mark{"MVAPICH2 Version", Family::Mvapich},
    Mark{"Intel(R) MPI Library", Family::IntelMpi}, Mark{"Open MPI v", Family::OpenMpi},
    Mark{"MPICH Version", Family::Mpich}};
constexpr std::array kLaunchers{Mark{"Intel(R) MPI Library", Family::IntelMpi},
                                Mark{"(OpenRTE)", Family::OpenMpi},
                                Mark{"(Open MPI)", Family::OpenMpi},
                                Mark{"(PRRTE)", Family::OpenMpi},
                                Mark{"MVAPICH", Family::Mvapich},
                                Mark{"Version:", Family::Mpich}};

std::string_view name_of(Family family) {
  switch (family) {
    case Family::Mpich:
      return "MPICH";
    case Family::OpenMpi:
      return "Open MPI";
    case Family::IntelMpi:
      return "Intel MPI";
    case Family::Mvapich:
      return "MVAPICH";
    case Family::Other:
      return "an MPI";
  }
  return "an MPI";
}

/// The standard's own binary interface, whosever MPI is behind it.
bool is_standard(const SomeMpi& mpi) { return mpi.soname.starts_with("libmpi_abi.so"); }

constexpr std::string_view kServed =
    "served are MPICH, Intel MPI and MVAPICH (libmpich.so.12, libmpi.so.12), and Open MPI 4 and 5 "
    "(libmpi.so.40)";

}  // namespace

std::string_view name_of(Mpi mpi) { return mpi == Mpi::Mpich ? "MPICH" : "Open MPI"; }

std::optional<Mpi> mpi_named(std::string_view name) {
  if (name == "mpich") return Mpi::Mpich;
  if (name == "openmpi") return Mpi::OpenMpi;
  return std::nullopt;
}

bool is_mpi_library(std::string_view soname) {
  for (const std::string_view prefix : {"libmpi.so", "libmpich.so", "libmpi_intel.so",
                                        "libmpi_mt.so", "libmpi_abi.so", "libmsmpi"}) {
    if (soname.starts_with(prefix)) return true;
  }
  return false;
}

SomeMpi mpi_library(std::string_view soname, std::string_view file, std::string_view text) {
  SomeMpi mpi{Family::Other, "", std::string(soname), std::string(file)};
  for (const Mark& mark : kLibraries) {
    if (text.find(mark.word) == std::string_view::npos) continue;
    mpi.family = mark.family;
    mpi.version = number_behind(text, mark.word);
    return mpi;
  }
  if (text.empty() && soname.starts_with("libmpich.so.12")) mpi.family = Family::Mpich;
  if (text.empty() && soname.starts_with("libmpi.so.40")) mpi.family = Family::OpenMpi;
  return mpi;
}

std::optional<SomeMpi> mpi_launcher(std::string_view file, std::string_view text) {
  const bool is_hydra = text.find("HYDRA") != std::string_view::npos;
  for (const Mark& mark : kLaunchers) {
    if (mark.family == Family::Mpich && !is_hydra) continue;
    if (text.find(mark.word) == std::string_view::npos) continue;
    // prterun and prun tell PRRTE's version, which says nothing of Open MPI's.
    const bool is_prrte = mark.word == "(PRRTE)";
    return SomeMpi{mark.family, is_prrte ? "" : number_behind(text, mark.word), "",
                   std::string(file)};
  }
  return std::nullopt;
}

std::string title_of(const SomeMpi& mpi) {
  std::string title(name_of(mpi.family));
  if (mpi.family == Family::Other && mpi.soname.starts_with("libmpi_abi.so")) {
    title = "an MPI through the standard's own binary interface";
  } else if (mpi.family == Family::Other && mpi.soname.starts_with("libmpi.so.12")) {
    title = "an MPI of MPICH's kind";
  }
  return mpi.version.empty() ? title : fmt::format("{} {}", title, mpi.version);
}

Expected<Mpi> served_by(const SomeMpi& mpi, const std::string& where) {
  const bool is_launcher = mpi.soname.empty();
  const std::string_view major = std::string_view(mpi.version).substr(0, mpi.version.find('.'));
  if (mpi.family == Family::OpenMpi && (major.empty() || major == "4" || major == "5") &&
      (is_launcher || is_standard(mpi) || mpi.soname.starts_with("libmpi.so.40"))) {
    return Mpi::OpenMpi;
  }
  // Any Hydra starts programs of MPICH's kind; the programs themselves tell which MPI they need.
  const bool is_of_mpichs_kind = mpi.family == Family::Mpich || mpi.family == Family::IntelMpi ||
                                 mpi.family == Family::Mvapich;
  if (is_of_mpichs_kind &&
      (is_launcher || is_standard(mpi) || mpi.soname.starts_with("libmpich.so.12") ||
       mpi.soname.starts_with("libmpi.so.12"))) {
    return Mpi::Mpich;
  }
  const std::string what = is_launcher ? fmt::format("it is the launcher of {}", title_of(mpi))
                                       : fmt::format("it is linked with {} ({})", title_of(mpi),
                                                     mpi.file.empty() ? mpi.soname : mpi.file);
  return Error{where, what + ", which Espalier has no library for", std::string(kServed)};
}

const Variant& variant_for(const SomeMpi& mpi) {
  if (is_standard(mpi)) return kVariants[2];
  return kVariants[mpi.family == Family::OpenMpi ? 1 : 0];
}

const Variant& variant_for(Mpi mpi) { return kVariants[mpi == Mpi::OpenMpi ? 1 : 0]; }

bool was_tried(const SomeMpi& mpi) {
  if (is_standard(mpi)) return false;
  constexpr std::array kMpich{"4.0.", "4.2."};
  constexpr std::array kOpenMpi{"4.1.", "5.0."};
  const auto is_one_of = [&mpi](const auto& versions) {
    return std::any_of(versions.begin(), versions.end(),
                       [&](const char* one) { return mpi.version.starts_with(one); });
  };
  return (mpi.family == Family::Mpich && is_one_of(kMpich)) ||
         (mpi.family == Family::OpenMpi && is_one_of(kOpenMpi));
}

std::optional<Mpi> mpi_of_launcher(std::string_view text) {
  const auto found = mpi_launcher("", text);
  if (!found) return std::nullopt;
  const auto served = served_by(*found, "");
  return served ? std::optional(*served) : std::nullopt;
}

}  // namespace espalier::launch

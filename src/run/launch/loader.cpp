#include "launch/loader.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "launch/ask.hpp"

namespace espalier::launch {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostLibraries = 5000;
constexpr std::uint64_t kMostLibraryBytes = std::uint64_t{256} << 20U;

/// One that has been found, and who wanted it first.
struct Loaded {
  Elf elf;
  std::string origin;  ///< its folder, for $ORIGIN
  const Loaded* wanted_by = nullptr;
};

/// "$ORIGIN/../lib:/opt/lib"
std::vector<std::string> folders_in(const std::string& list, const std::string& origin) {
  std::vector<std::string> folders;
  for (std::size_t at = 0; !list.empty() && at <= list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    std::string folder = list.substr(at, end - at);
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
      for (std::size_t found = 0; (found = folder.find(token, found)) != std::string::npos;) {
        folder.replace(found, token.size(), origin);
        found += origin.size();
      }
    }
    folders.push_back(folder.empty() ? "." : folder);
    at = end + 1;
  }
  return folders;
}

class LibrarySearch {
 public:
  LibrarySearch(std::uint16_t machine, const SearchPlaces& places)
      : machine_(machine), places_(places) {
    if (auto cache = read_named_file(places.cache, {.takes_binary = true}))
      cache_ = *std::move(cache);
  }

  std::vector<Library> all_of(const Elf& elf, const std::string& file) {
    std::deque<Loaded> loaded;  // references to its elements stay
    loaded.push_back({elf, folder_of(file), nullptr});
    std::vector<Library> found;
    std::set<std::string> known;
    for (std::size_t i = 0; i < loaded.size() && loaded.size() < kMostLibraries; ++i) {
      for (const std::string& name : loaded[i].elf.needed) {
        if (!known.insert(name).second) continue;
        Elf its;
        const std::string where = find(name, loaded[i], its);
        found.push_back({file_name(name), where});
        if (where.empty()) continue;
        if (!its.soname.empty()) known.insert(its.soname);
        loaded.push_back({std::move(its), folder_of(where), &loaded[i]});
      }
    }
    return found;
  }

 private:
  static std::string folder_of(const std::string& file) {
    std::error_code error;
    return fs::absolute(file, error).parent_path().string();
  }

  /// The loader passes over files of other computers.
  bool fits(const std::string& file, Elf& elf) const {
    const auto read = read_elf(file);
    if (!read || !*read || (*read)->machine != machine_) return false;
    elf = **read;
    return true;
  }

  std::string find_in(const std::vector<std::string>& folders, const std::string& name,
                      Elf& elf) const {
    for (const std::string& folder : folders) {
      std::string file = (fs::path(folder) / name).string();
      if (fits(file, elf)) return file;
    }
    return "";
  }

  std::string find(const std::string& name, const Loaded& by, Elf& elf) const {
    if (name.find('/') != std::string::npos) {
      const auto file = folders_in(name, by.origin);
      return fits(file.front(), elf) ? file.front() : "";
    }
    std::string file;
    if (by.elf.runpath.empty()) {
      for (const Loaded* one = &by; one != nullptr && file.empty(); one = one->wanted_by) {
        if (one->elf.runpath.empty())
          file = find_in(folders_in(one->elf.rpath, one->origin), name, elf);
      }
    }
    if (file.empty()) file = find_in(places_.variable, name, elf);
    if (file.empty()) file = find_in(folders_in(by.elf.runpath, by.origin), name, elf);
    for (const std::string& cached : files_in_cache(cache_, name)) {
      if (file.empty() && fits(cached, elf)) file = cached;
    }
    if (file.empty()) file = find_in(places_.usual, name, elf);
    return file;
  }

  std::uint16_t machine_;
  const SearchPlaces& places_;
  std::string cache_;
};

/// The texts in a file that begin so, each to its end.
std::string texts_that_begin(const std::string& content, std::string_view begin) {
  constexpr std::size_t kLongest = 200;
  std::string all;
  for (std::size_t at = 0; (at = content.find(begin, at)) != std::string::npos;) {
    const std::size_t end = std::min(content.find_first_of(std::string_view("\0\n", 2), at),
                                     std::min(at + kLongest, content.size()));
    all += content.substr(at, end - at) + "\n";
    at = end;
  }
  return all;
}

/// Whether this is a date as `date` prints it: "Wed Apr 17 15:30:02 CDT 2024".
bool is_date(std::string_view text) {
  return text.size() >= 26 && text.size() <= 32 && text[3] == ' ' && text[13] == ':' &&
         text[16] == ':' && text[19] == ' ';
}

/// "4.2.1", "4.3.0b1"
bool is_version(std::string_view text) {
  return text.size() >= 3 && text.size() <= 12 && text[0] >= '1' && text[0] <= '9' &&
         text.find_first_not_of("0123456789.abrc") == std::string_view::npos &&
         text.find('.') != std::string_view::npos;
}

}  // namespace

std::string mpich_version_in(std::string_view content) {
  std::string_view before;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t end = std::min(content.find('\0', at), content.size());
    const std::string_view text = content.substr(at, end - at);
    at = end + 1;
    if (text.empty()) continue;
    if (is_version(text) && is_date(before)) return std::string(text);
    if (is_version(before) && is_date(text)) return std::string(before);
    before = text;
  }
  return "";
}

namespace {

std::uint16_t machine_here() {
  static const std::uint16_t kMachine = [] {
    const auto own = read_elf("/proc/self/exe");
    return own && *own ? (*own)->machine : std::uint16_t{0};
  }();
  return kMachine;
}

}  // namespace

std::vector<Library> libraries_of(const Elf& elf, const std::string& file,
                                  const SearchPlaces& places) {
  if (elf.machine != machine_here()) return {};
  return LibrarySearch(elf.machine, places).all_of(elf, file);
}

std::string version_text_of(const std::string& library) {
  const auto content = read_named_file(library, {.most = kMostLibraryBytes, .takes_binary = true});
  if (!content) return "";
  std::string text;
  // Both make their texts from numbers when they are asked, but offer these.
  const std::string open_mpi = text_of_symbol(library, "ompi_version_string");
  if (!open_mpi.empty()) text += "Open MPI v" + open_mpi + "\n";
  std::string mpich = text_of_symbol(library, "MPII_Version_string");
  if (mpich.empty() && content->find("MPICH Version:") != std::string::npos) {
    mpich = mpich_version_in(*content);
  }
  if (!mpich.empty()) text += "MPICH Version: " + mpich + "\n";
  for (const std::string_view begin : {"MVAPICH Version", "MVAPICH2 Version",
                                       "Intel(R) MPI Library", "Open MPI v", "MPICH Version"}) {
    text += texts_that_begin(*content, begin);
  }
  return text;
}

std::string version_text_of_launcher(const std::string& file) {
  const auto elf = read_elf(file);
  if (!elf || !*elf) return "";
  for (const std::string& name : (*elf)->needed) {
    if (name.starts_with("libopen-rte.so")) return "(OpenRTE)";
    if (name.starts_with("libprrte.so")) return "(PRRTE)";
  }
  const auto content = read_named_file(file, {.most = kMostLibraryBytes, .takes_binary = true});
  if (!content) return "";
  // mpiexec of Open MPI 5 only sets this variable and becomes prterun.
  if (content->find("PRTE_MCA_schizo_proxy") != std::string::npos) return "(PRRTE)";
  if (content->find("HYDRA build details") == std::string::npos) return "";
  const std::string intel = texts_that_begin(*content, "Intel(R) MPI Library");
  return intel.empty() ? "HYDRA\nVersion:" : intel;
}

std::string version_of_launcher(const std::string& file, const std::string& path) {
  return is_in_path(file, path) ? output_of({file, "--version"}) : version_text_of_launcher(file);
}

}  // namespace espalier::launch

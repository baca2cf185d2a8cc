#include "launch/elf.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>

namespace espalier::launch {
namespace {

constexpr std::uint64_t kMostBytes = 1U << 24U;  // of any table: far more than there are

class File {
 public:
  explicit File(const std::string& path) : path_(path), stream_(path, std::ios::binary) {}
  [[nodiscard]] bool is_open() const { return stream_.is_open(); }

  /// Nothing if the file is shorter.
  std::optional<std::string> read(std::uint64_t offset, std::uint64_t length) {
    if (length > kMostBytes || offset > (std::uint64_t{1} << 62U)) return std::nullopt;
    std::string bytes(length, '\0');
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(bytes.data(), static_cast<std::streamsize>(length));
    if (stream_.gcount() != static_cast<std::streamsize>(length)) return std::nullopt;
    return bytes;
  }
  template <typename T>
  std::optional<std::vector<T>> read_all(std::uint64_t offset, std::uint64_t count) {
    const auto bytes = read(offset, count * sizeof(T));
    if (!bytes) return std::nullopt;
    std::vector<T> all(count);
    std::memcpy(all.data(), bytes->data(), bytes->size());
    return all;
  }
  [[nodiscard]] Error broken() const {
    return {path_, "it is no whole program for this kind of computer", "build it again"};
  }

 private:
  std::string path_;
  std::ifstream stream_;
};

/// Where in the file an address of the running program is.
std::optional<std::uint64_t> offset_of(const std::vector<Elf64_Phdr>& segments,
                                       std::uint64_t address) {
  for (const Elf64_Phdr& s : segments) {
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) {
      return s.p_offset + (address - s.p_vaddr);
    }
  }
  return std::nullopt;
}

/// The strings at these places of the string table.
std::optional<std::vector<std::string>> needed_of(File& file,
                                                  const std::vector<Elf64_Phdr>& segments,
                                                  const std::vector<Elf64_Dyn>& dynamic) {
  std::uint64_t table = 0, size = 0;
  std::vector<std::uint64_t> places;
  for (const Elf64_Dyn& entry : dynamic) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) table = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
    if (entry.d_tag == DT_NEEDED) places.push_back(entry.d_un.d_val);
  }
  if (places.empty()) return std::vector<std::string>{};
  const auto offset = offset_of(segments, table);
  const auto strings = offset ? file.read(*offset, size) : std::nullopt;
  if (!strings) return std::nullopt;
  std::vector<std::string> names;
  for (const std::uint64_t place : places) {
    if (place >= strings->size()) return std::nullopt;
    names.emplace_back(strings->c_str() + place);
  }
  return names;
}

}  // namespace

Expected<std::optional<Elf>> read_elf(const std::string& path) {
  File file(path);
  if (!file.is_open()) return Error{path, "it cannot be read", "check its name and permissions"};
  const auto magic = file.read(0, SELFMAG);
  if (!magic || *magic != ELFMAG) return std::optional<Elf>{};
  const auto header = file.read_all<Elf64_Ehdr>(0, 1);
  if (!header || header->front().e_ident[EI_CLASS] != ELFCLASS64 ||
      header->front().e_ident[EI_DATA] != ELFDATA2LSB ||
      header->front().e_phentsize != sizeof(Elf64_Phdr)) {
    return file.broken();
  }
  const auto segments = file.read_all<Elf64_Phdr>(header->front().e_phoff, header->front().e_phnum);
  if (!segments) return file.broken();
  Elf elf;
  for (const Elf64_Phdr& segment : *segments) {
    if (segment.p_type == PT_INTERP) {
      const auto name = file.read(segment.p_offset, segment.p_filesz);
      if (!name) return file.broken();
      elf.interpreter = name->c_str();
    }
    if (segment.p_type == PT_DYNAMIC) {
      const auto dynamic =
          file.read_all<Elf64_Dyn>(segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
      const auto needed = dynamic ? needed_of(file, *segments, *dynamic) : std::nullopt;
      if (!needed) return file.broken();
      elf.needed = *needed;
    }
  }
  return std::optional<Elf>(elf);
}

}  // namespace espalier::launch

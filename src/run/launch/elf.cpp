#include "launch/elf.hpp"

#include <elf.h>

#include <cstring>

#include "launch/elf_file.hpp"

namespace espalier::launch {
namespace {

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

/// What the loader is told: false if it is broken.
bool read_dynamic(ElfFile& file, const std::vector<Elf64_Phdr>& segments,
                  const std::vector<Elf64_Dyn>& dynamic, Elf& elf) {
  std::uint64_t table = 0, size = 0;
  for (const Elf64_Dyn& entry : dynamic) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) table = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
  }
  const auto offset = offset_of(segments, table);
  const auto strings = offset ? file.read(*offset, size) : std::nullopt;
  for (const Elf64_Dyn& entry : dynamic) {
    if (entry.d_tag == DT_NULL) break;
    const bool is_text = entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME ||
                         entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
    if (!is_text) continue;
    if (!strings || entry.d_un.d_val >= strings->size()) return false;
    const std::string text = strings->c_str() + entry.d_un.d_val;
    if (entry.d_tag == DT_NEEDED) elf.needed.push_back(text);
    if (entry.d_tag == DT_SONAME) elf.soname = text;
    if (entry.d_tag == DT_RPATH) elf.rpath = text;
    if (entry.d_tag == DT_RUNPATH) elf.runpath = text;
  }
  return true;
}

}  // namespace

Expected<std::optional<Elf>> read_elf(const std::string& path) {
  ElfFile file(path);
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
  elf.machine = header->front().e_machine;
  for (const Elf64_Phdr& segment : *segments) {
    if (segment.p_type == PT_INTERP) {
      const auto name = file.read(segment.p_offset, segment.p_filesz);
      if (!name) return file.broken();
      elf.interpreter = name->c_str();
    }
    if (segment.p_type == PT_DYNAMIC) {
      const auto dynamic =
          file.read_all<Elf64_Dyn>(segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
      if (!dynamic || !read_dynamic(file, *segments, *dynamic, elf)) return file.broken();
    }
  }
  return std::optional<Elf>(elf);
}

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "arm64";
    case EM_PPC64:
      return "ppc64";
    case EM_RISCV:
      return "riscv";
    case EM_S390:
      return "s390";
    default:
      return "machine " + std::to_string(machine);
  }
}

}  // namespace espalier::launch

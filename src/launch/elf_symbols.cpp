#include "launch/elf_symbols.hpp"

#include <elf.h>

#include <algorithm>

#include "launch/elf_file.hpp"

namespace espalier::launch {
namespace {

/// @param kind SHT_DYNSYM, which stays in a file when it is stripped, or SHT_SYMTAB
std::optional<Symbols> read(ElfFile& file, std::uint32_t kind) {
  const auto header = file.read_all<Elf64_Ehdr>(0, 1);
  if (!header || std::memcmp(header->front().e_ident, ELFMAG, SELFMAG) != 0 ||
      header->front().e_ident[EI_CLASS] != ELFCLASS64 ||
      header->front().e_ident[EI_DATA] != ELFDATA2LSB ||
      header->front().e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  const auto sections = file.read_all<Elf64_Shdr>(header->front().e_shoff, header->front().e_shnum);
  if (!sections) return std::nullopt;
  const auto table = std::find_if(sections->begin(), sections->end(),
                                  [kind](const Elf64_Shdr& s) { return s.sh_type == kind; });
  if (table == sections->end() || table->sh_link >= sections->size()) return std::nullopt;
  const auto symbols =
      file.read_all<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym));
  const Elf64_Shdr& names = (*sections)[table->sh_link];
  const auto text = file.read(names.sh_offset, names.sh_size);
  if (!symbols || !text) return std::nullopt;
  Symbols result;
  for (const Elf64_Sym& symbol : *symbols) {
    if (symbol.st_name == 0 || symbol.st_name >= text->size()) continue;
    auto& list = symbol.st_shndx == SHN_UNDEF ? result.wanted : result.offered;
    list.emplace_back(text->c_str() + symbol.st_name);
  }
  return result;
}

}  // namespace

Symbols read_symbols(const std::string& path) {
  ElfFile file(path);
  if (!file.is_open()) return {};
  return read(file, SHT_DYNSYM).value_or(Symbols{});
}

bool contains_function(const std::string& path, std::string_view name) {
  ElfFile file(path);
  if (!file.is_open()) return false;
  const auto symbols = read(file, SHT_SYMTAB);
  return symbols && std::find(symbols->offered.begin(), symbols->offered.end(), name) !=
                        symbols->offered.end();
}

}  // namespace espalier::launch

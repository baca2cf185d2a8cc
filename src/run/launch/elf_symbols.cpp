#include <elf.h>

#include <algorithm>

#include "launch/elf.hpp"
#include "launch/elf_file.hpp"

namespace espalier::launch {
namespace {

struct SymbolTable {
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  std::string names;

  /// Empty for a place outside of it.
  [[nodiscard]] const char* name_of(const Elf64_Sym& symbol) const {
    return symbol.st_name < names.size() ? names.c_str() + symbol.st_name : "";
  }
};

/// @param kind SHT_DYNSYM, which stays in a file when it is stripped, or SHT_SYMTAB
std::optional<SymbolTable> read_table(ElfFile& file, std::uint32_t kind) {
  const auto header = file.read_all<Elf64_Ehdr>(0, 1);
  if (!header || std::memcmp(header->front().e_ident, ELFMAG, SELFMAG) != 0 ||
      header->front().e_ident[EI_CLASS] != ELFCLASS64 ||
      header->front().e_ident[EI_DATA] != ELFDATA2LSB ||
      header->front().e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  auto sections = file.read_all<Elf64_Shdr>(header->front().e_shoff, header->front().e_shnum);
  if (!sections) return std::nullopt;
  const auto table = std::find_if(sections->begin(), sections->end(),
                                  [kind](const Elf64_Shdr& s) { return s.sh_type == kind; });
  if (table == sections->end() || table->sh_link >= sections->size()) return std::nullopt;
  auto symbols = file.read_all<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym));
  const Elf64_Shdr& names = (*sections)[table->sh_link];
  auto text = file.read(names.sh_offset, names.sh_size);
  if (!symbols || !text) return std::nullopt;
  return SymbolTable{*std::move(sections), *std::move(symbols), *std::move(text)};
}

std::optional<Symbols> read(ElfFile& file, std::uint32_t kind) {
  const auto table = read_table(file, kind);
  if (!table) return std::nullopt;
  Symbols result;
  for (const Elf64_Sym& symbol : table->symbols) {
    const std::string_view name = table->name_of(symbol);
    if (name.empty()) continue;
    (symbol.st_shndx == SHN_UNDEF ? result.wanted : result.offered).emplace_back(name);
  }
  return result;
}

}  // namespace

Symbols read_symbols(const std::string& path) {
  ElfFile file(path);
  if (!file.is_open()) return {};
  return read(file, SHT_DYNSYM).value_or(Symbols{});
}

std::string text_of_symbol(const std::string& path, std::string_view name) {
  constexpr std::uint64_t kLongest = 200;
  ElfFile file(path);
  const auto table = file.is_open() ? read_table(file, SHT_DYNSYM) : std::nullopt;
  if (!table) return "";
  for (const Elf64_Sym& symbol : table->symbols) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= table->sections.size() ||
        symbol.st_size > kLongest || name != table->name_of(symbol)) {
      continue;
    }
    const Elf64_Shdr& section = table->sections[symbol.st_shndx];
    if (section.sh_type != SHT_PROGBITS || symbol.st_value < section.sh_addr) continue;
    const auto text =
        file.read(section.sh_offset + (symbol.st_value - section.sh_addr), symbol.st_size);
    if (text) return text->c_str();
  }
  return "";
}

bool contains_function(const std::string& path, std::string_view name) {
  ElfFile file(path);
  if (!file.is_open()) return false;
  const auto symbols = read(file, SHT_SYMTAB);
  return symbols && std::find(symbols->offered.begin(), symbols->offered.end(), name) !=
                        symbols->offered.end();
}

}  // namespace espalier::launch

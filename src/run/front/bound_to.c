/* Reads what the loader wrote into a library: where each PMPI_* function was found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "front/find_mpi.h"

#if __SIZEOF_POINTER__ == 8
#define SYMBOL_OF ELF64_R_SYM
#else
#define SYMBOL_OF ELF32_R_SYM
#endif

struct Tables {
  const ElfW(Sym) * symbols;
  const char* strings;
  ElfW(Addr) base;
};

static int is_mpis(const char* name) {
  return strncmp(name, "PMPI_", 5) == 0 || strncmp(name, "PMPIX_", 6) == 0;
}

static const char* first_elsewhere(const struct Tables* tables, const ElfW(Rela) * list,
                                   size_t bytes, const struct espalier_mpi* mpi) {
  for (size_t i = 0; i < bytes / sizeof *list; ++i) {
    const ElfW(Sym)* symbol = &tables->symbols[SYMBOL_OF(list[i].r_info)];
    const char* name = tables->strings + symbol->st_name;
    if (symbol->st_shndx != SHN_UNDEF || !is_mpis(name)) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader keeps addresses as numbers
    const char* address = *(const char* const*)(tables->base + list[i].r_offset);
    if (address == NULL) continue; /* weak: this MPI does not have it */
    if (address < (const char*)mpi->begin || address >= (const char*)mpi->end) return name;
  }
  return NULL;
}

int espalier_is_bound_to(void* library, const struct espalier_mpi* mpi, const char** wrong) {
  struct link_map* object = NULL;
  if (dlinfo(library, RTLD_DI_LINKMAP, &object) != 0) return 0;
  struct Tables tables = {NULL, NULL, object->l_addr};
  const ElfW(Rela) * lists[2] = {NULL, NULL};
  size_t bytes[2] = {0, 0};
  for (const ElfW(Dyn)* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables.symbols = espalier_address_in(object, entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        tables.strings = espalier_address_in(object, entry->d_un.d_ptr);
        break;
      case DT_RELA:
        lists[0] = espalier_address_in(object, entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        bytes[0] = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        lists[1] = espalier_address_in(object, entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        bytes[1] = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (tables.symbols == NULL || tables.strings == NULL) return 0;
  for (int i = 0; i < 2; ++i) {
    *wrong = lists[i] == NULL ? NULL : first_elsewhere(&tables, lists[i], bytes[i], mpi);
    if (*wrong != NULL) return 0;
  }
  return 1;
}

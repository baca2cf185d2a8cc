#define _GNU_SOURCE
#include "front/find_mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static int starts_with(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The library that holds an address; NULL for none. */
static struct link_map* object_of(const void* address) {
  Dl_info info;
  void* map = NULL;
  if (address == NULL || dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0) return NULL;
  return map;
}

/* A handle of what is loaded already. */
static void* reopened(const struct link_map* object, int flags) {
  /* The program itself has no name. */
  const char* name = object->l_name == NULL || *object->l_name == '\0' ? NULL : object->l_name;
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD | flags);
}

/* Nothing of our own: the program itself finds the front first. */
static void* find_through(const struct link_map* object, const char* name) {
  void* handle = object == NULL ? NULL : reopened(object, 0);
  if (handle == NULL) return NULL;
  void* found = dlsym(handle, name);
  dlclose(handle);
  return found != NULL && object_of(found) == object_of((const void*)&espalier_find_mpi) ? NULL
                                                                                         : found;
}

/* Libraries of any MPI, those of Fortran too. */
static int is_of_mpi(const char* file) { return starts_with(base_name(file), "libmpi"); }
/* Libraries with MPI's C functions. */
static int is_mpi(const char* file) {
  const char* name = base_name(file);
  return starts_with(name, "libmpi.so") || starts_with(name, "libmpich.so") ||
         starts_with(name, "libmpi_abi.so");
}

/* Names of libraries; they are opened afterwards, since the loader is locked meanwhile. */
struct Files {
  const char* names[32];
  size_t count;
};
static int note_file(struct dl_phdr_info* info, size_t size, void* data) {
  struct Files* files = data;
  (void)size;
  if (is_of_mpi(info->dlpi_name) && files->count < sizeof files->names / sizeof *files->names) {
    files->names[files->count++] = info->dlpi_name;
  }
  return 0;
}

void* espalier_find_beside(const void* caller, const char* name) {
  void* found = find_through(object_of(caller), name);
  struct Files files = {{NULL}, 0};
  if (found == NULL) dl_iterate_phdr(note_file, &files);
  for (size_t i = 0; i < files.count && found == NULL; ++i) {
    void* handle = dlopen(files.names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) continue;
    found = dlsym(handle, name);
    dlclose(handle);
  }
  return found;
}

static int count_mpis(struct dl_phdr_info* info, size_t size, void* count) {
  (void)size;
  if (is_mpi(info->dlpi_name)) ++*(int*)count;
  return 0;
}
int espalier_several_mpis(void) {
  int count = 0;
  dl_iterate_phdr(count_mpis, &count);
  return count > 1;
}

struct Mapping {
  ElfW(Addr) base;
  ElfW(Addr) begin;
  ElfW(Addr) end;
};
static int measure(struct dl_phdr_info* info, size_t size, void* data) {
  struct Mapping* mapping = data;
  (void)size;
  if (info->dlpi_addr != mapping->base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const ElfW(Addr) begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const ElfW(Addr) end = begin + info->dlpi_phdr[i].p_memsz;
    if (begin < mapping->begin) mapping->begin = begin;
    if (end > mapping->end) mapping->end = end;
  }
  return 1;
}

struct espalier_mpi espalier_find_mpi(const void* caller) {
  struct espalier_mpi mpi = {NULL, NULL, NULL, NULL};
  void* init = find_through(object_of(caller), "PMPI_Init");
  if (init == NULL) init = dlsym(RTLD_DEFAULT, "PMPI_Init");
  if (init == NULL) init = espalier_find_beside(NULL, "PMPI_Init");
  const struct link_map* object = object_of(init);
  if (object == NULL) return mpi;
  mpi.handle = reopened(object, 0);
  mpi.file = object->l_name;
  struct Mapping mapping = {object->l_addr, ~(ElfW(Addr))0, 0};
  dl_iterate_phdr(measure, &mapping);
  // NOLINTBEGIN(performance-no-int-to-ptr): the loader keeps addresses as numbers
  mpi.begin = (const void*)mapping.begin;
  mpi.end = (const void*)mapping.end;
  // NOLINTEND(performance-no-int-to-ptr)
  return mpi;
}

void espalier_show_to_all(const struct espalier_mpi* mpi) {
  struct link_map* object = NULL;
  if (dlinfo(mpi->handle, RTLD_DI_LINKMAP, &object) == 0) reopened(object, RTLD_GLOBAL);
}

/* "libmpi.so.40", as the library names itself. */
static const char* soname_of(const struct espalier_mpi* mpi) {
  struct link_map* object = NULL;
  if (dlinfo(mpi->handle, RTLD_DI_LINKMAP, &object) != 0) return "";
  const char* strings = NULL;
  size_t at = 0;
  for (const ElfW(Dyn)* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = espalier_address_in(object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SONAME) at = entry->d_un.d_val;
  }
  return strings == NULL || at == 0 ? "" : strings + at;
}

/* The number behind a word. */
static int major_behind(const char* text, const char* word) {
  const char* at = strstr(text, word);
  if (at == NULL) return -1;
  at += strlen(word);
  while (*at != '\0' && *at != '\n' && (*at < '0' || *at > '9')) ++at;
  return atoi(at);
}

enum espalier_interface espalier_interface_of(const struct espalier_mpi* mpi, char* text,
                                              int room) {
  /* MPI's limit is 8,192 in the largest; what it says before MPI_Init is allowed to be asked. */
  static char said[16384];
  int length = 0;
  int (*ask)(char*, int*) = (int (*)(char*, int*))dlsym(mpi->handle, "PMPI_Get_library_version");
  if (ask == NULL || ask(said, &length) != 0) said[0] = '\0';
  strncpy(text, said, (size_t)room - 1);
  text[room - 1] = '\0';
  text[strcspn(text, "\n\r,")] = '\0';

  const char* soname = soname_of(mpi);
  if (starts_with(soname, "libmpi_abi.so")) return ESPALIER_STANDARD;
  if (starts_with(soname, "libmpi.so.40")) {
    const int major = major_behind(said, "Open MPI v");
    return major == 4 || major == 5 ? ESPALIER_OPEN_MPI : ESPALIER_NO_INTERFACE;
  }
  if (starts_with(soname, "libmpich.so.12") || starts_with(soname, "libmpi.so.12")) {
    const int is_known = strstr(said, "MPICH Version") != NULL || strstr(said, "MVAPICH") != NULL ||
                         strstr(said, "Intel(R) MPI Library") != NULL;
    return is_known ? ESPALIER_MPICH : ESPALIER_NO_INTERFACE;
  }
  return ESPALIER_NO_INTERFACE;
}

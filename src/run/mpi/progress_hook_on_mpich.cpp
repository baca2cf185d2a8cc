// MPICH exports no hook, but looks for messages by ucp_worker_progress(), which another library
// defines: so it is called through an entry of MPICH's table of imported functions. Ours takes the
// place of that function there, in MPICH alone, and calls it first.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "mpi/mpi_api.hpp"
#include "mpi/progress_hook.hpp"

namespace espalier::mpi {
namespace {

using WorkerProgress = unsigned (*)(void*);
void (*the_work)() = nullptr;
WorkerProgress the_next = nullptr;
// Each thread for itself: one of ours may be in MPI besides the program's.
thread_local bool is_working = false;
thread_local unsigned looks_of_work = 0;

/// Calls of MPI that our work makes need not look for messages once more. But one of them may wait:
/// it goes on with whatever is under way, and the last step of MPI_Comm_idup is a collective that
/// blocks. Whoever looks so often gets messages.
unsigned progress_and_work(void* worker) {
  constexpr unsigned kLooksThatWait = 64;
  if (is_working) return ++looks_of_work % kLooksThatWait == 0 ? the_next(worker) : 0;
  const unsigned events = the_next(worker);
  is_working = true;
  looks_of_work = 0;
  the_work();
  is_working = false;
  return events;
}

/// Tables of a library, as the loader has mapped it.
struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * calls = nullptr;
  std::size_t call_bytes = 0;
};

/// Some loaders add the library's address to what stands in its tables, some do not.
template <typename T>
const T* address_in(const link_map& library, ElfW(Addr) address) {
  const ElfW(Addr) absolute = address < library.l_addr ? library.l_addr + address : address;
  return reinterpret_cast<const T*>(absolute);  // NOLINT(performance-no-int-to-ptr): the loader's
}

Tables tables_of(const link_map& library) {
  Tables tables;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) value = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) tables.symbols = address_in<ElfW(Sym)>(library, value);
    if (entry->d_tag == DT_STRTAB) tables.strings = address_in<char>(library, value);
    if (entry->d_tag == DT_JMPREL) tables.calls = address_in<ElfW(Rela)>(library, value);
    if (entry->d_tag == DT_PLTRELSZ) tables.call_bytes = entry->d_un.d_val;
  }
  return tables;
}

struct RelroSearch {
  ElfW(Addr) base;
  ElfW(Addr) address;
  bool is_inside;
};

/// Whether the loader has made an address read-only. It leaves a page alone of which only a part
/// was to be.
bool is_protected(const link_map& library, const void* address) {
  RelroSearch search{library.l_addr, reinterpret_cast<ElfW(Addr)>(address), false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        auto& wanted = *static_cast<RelroSearch*>(data);
        if (info->dlpi_addr != wanted.base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
          const auto page = static_cast<ElfW(Addr)>(::sysconf(_SC_PAGESIZE));
          const ElfW(Addr) end = (begin + part.p_memsz) / page * page;
          if (part.p_type == PT_GNU_RELRO && wanted.address >= begin && wanted.address < end) {
            wanted.is_inside = true;
          }
        }
        return 1;
      },
      &search);
  return search.is_inside;
}

/// Lets the loader's table be written to, or no more. @return whether the system allows it
bool protect(const void* address, int how) {
  const auto page = static_cast<ElfW(Addr)>(::sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a page of the loader's
  auto* const begin = reinterpret_cast<void*>(reinterpret_cast<ElfW(Addr)>(address) / page * page);
  return ::mprotect(begin, page, how) == 0;
}

/// Where MPICH keeps the address of ucp_worker_progress(), and whether it is read-only.
struct Entry {
  WorkerProgress* place = nullptr;  ///< nullptr: there is none, or MPICH has not called it yet
  bool is_protected = false;
};
Entry find_entry() {
  Dl_info found{};
  link_map* library = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&PMPI_Wait), &found, reinterpret_cast<void**>(&library),
              RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  const Tables tables = tables_of(*library);
  if (tables.symbols == nullptr || tables.strings == nullptr) return {};
  for (std::size_t i = 0; i < tables.call_bytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(tables.calls[i].r_info)];
    if (std::strcmp(tables.strings + symbol.st_name, "ucp_worker_progress") != 0) continue;
    const ElfW(Addr) at = library->l_addr + tables.calls[i].r_offset;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's
    auto* const entry = reinterpret_cast<WorkerProgress*>(at);
    Dl_info target{};
    const bool is_bound = dladdr(reinterpret_cast<void*>(*entry), &target) != 0 &&
                          target.dli_fbase != found.dli_fbase;
    if (!is_bound) return {};
    return {entry, is_protected(*library, entry)};
  }
  return {};
}

}  // namespace

// Debian 13 links MPICH so that the table is read-only once it is filled.
bool has_progress_hook() {
  const Entry entry = find_entry();
  if (entry.place == nullptr || !entry.is_protected) return entry.place != nullptr;
  return protect(entry.place, PROT_READ | PROT_WRITE) && protect(entry.place, PROT_READ);
}

void set_progress_hook(void (*work)()) {
  const Entry entry = find_entry();
  the_work = work;
  the_next = *entry.place;
  if (entry.is_protected) protect(entry.place, PROT_READ | PROT_WRITE);
  __atomic_store_n(entry.place, &progress_and_work, __ATOMIC_RELEASE);
  if (entry.is_protected) protect(entry.place, PROT_READ);
}

// Whoever waits looks at its requests only when some request was completed, and messages to this
// process itself are not counted as such. A generalized request is.
void tell_completion() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Grequest_start([](void*, MPI_Status*) { return MPI_SUCCESS; },
                      [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; },
                      nullptr, &request);
  PMPI_Grequest_complete(request);
  PMPI_Request_free(&request);
}

// A probe that finds nothing goes on with everything.
void drive_progress() {}

bool may_hook_among_threads() { return false; }

}  // namespace espalier::mpi

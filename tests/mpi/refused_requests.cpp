// MPI has no request left for a planned call that does not block, or for a persistent one: whoever
// starts it gets the error and no request, once; no rank waits for ever, and later calls are right.
// With --measured 1, where native calls are timed: the program keeps the native request.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "mpi/persistent.hpp"

namespace espalier::mpi_test {
namespace {

bool refuses = false;  // whether MPI has no request left
int refused = 0;       // requests that it did not make
int handled = 0;       // calls of the program's error handler

void count_errors(MPI_Comm*, int*, ...) { ++handled; }

/// Receives of nothing are the requests of planned calls.
bool is_refused(const void* buffer, int count) {
  if (!refuses || buffer != nullptr || count != 0) return false;
  ++refused;
  return true;
}

int irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
          MPI_Request* request) {
  if (is_refused(buffer, count)) return MPI_ERR_OTHER;
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int recv_init(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (is_refused(buffer, count)) return MPI_ERR_OTHER;
  return PMPI_Recv_init(buffer, count, type, from, tag, comm, request);
}

/// A function of MPI that our library is to call in place of MPI's.
struct InPlace {
  const char* name;
  std::uintptr_t function;
  int found = 0;
};

/// Writes its address where the loader wrote that of MPI's. The library looks at these addresses
/// only when it starts: a program that brings such functions along has native calls.
void replace_in(const ElfW(Rela) * list, std::size_t bytes, const ElfW(Sym) * symbols,
                const char* strings, ElfW(Addr) base, InPlace& one) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t r = 0; r < bytes / sizeof *list; ++r) {
    const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(list[r].r_info)];
    if (symbol.st_shndx != SHN_UNDEF || std::strcmp(strings + symbol.st_name, one.name) != 0)
      continue;
    const std::uintptr_t at = base + list[r].r_offset;
    void* const begin = reinterpret_cast<void*>(at / page * page);
    if (mprotect(begin, 2 * page, PROT_READ | PROT_WRITE) != 0) continue;
    std::memcpy(reinterpret_cast<void*>(at), &one.function, sizeof one.function);
    ++one.found;
  }
}

int in_library(dl_phdr_info* object, std::size_t, void* data) {
  if (std::strstr(object->dlpi_name, "/libespalier-") == nullptr) return 0;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_DYNAMIC) continue;
    entry = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + part.p_vaddr);
  }
  ElfW(Addr) of[DT_JMPREL + 1] = {};
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag >= 0 && entry->d_tag <= DT_JMPREL) of[entry->d_tag] = entry->d_un.d_ptr;
  }
  const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(of[DT_SYMTAB]);
  const auto* strings = reinterpret_cast<const char*>(of[DT_STRTAB]);
  auto& one = *static_cast<InPlace*>(data);
  replace_in(reinterpret_cast<const ElfW(Rela)*>(of[DT_RELA]), of[DT_RELASZ], symbols, strings,
             object->dlpi_addr, one);
  replace_in(reinterpret_cast<const ElfW(Rela)*>(of[DT_JMPREL]), of[DT_PLTRELSZ], symbols, strings,
             object->dlpi_addr, one);
  return 0;
}

template <typename Function>
bool replace(const char* name, Function function) {
  InPlace one{name, reinterpret_cast<std::uintptr_t>(function)};
  dl_iterate_phdr(in_library, &one);
  return one.found > 0;
}

int start(const Members& all, int* sum, MPI_Request* request) {
  return MPI_Iallreduce(&all.rank, sum, 1, MPI_INT, MPI_SUM, all.comm, request);
}

/// Of both kinds, and a persistent one.
void later_calls_are_right(const Members& all, const std::string& after, Failures& failures) {
  int sum = -1, again = -1, third = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  start(all, &sum, &request);
  wait(request);
  MPI_Allreduce(&all.rank, &again, 1, MPI_INT, MPI_SUM, all.comm);
  PERSISTENT(Allreduce)
  (&all.rank, &third, 1, MPI_INT, MPI_SUM, all.comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  wait(request);
  MPI_Request_free(&request);
  failures.expect(sum == all.sum() && again == all.sum() && third == all.sum(), "after " + after);
  failures.expect(handled == 0, "an error after " + after);
  handled = 0;
}

/// What a refused start leaves.
void expect_refusal(int code, MPI_Request request, const std::string& what, Failures& failures) {
  failures.expect(last_was_planned() && refused == 1, what + " was native");
  failures.expect(code != MPI_SUCCESS, what + ": no error");
  failures.expect(request == MPI_REQUEST_NULL, what + ": a request");
  failures.expect(handled == 1, what + ": the handler, " + std::to_string(handled) + " times");
  handled = refused = 0;
}

void on_all_ranks(const Members& all, Failures& failures) {
  int sum = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  refuses = true;
  const int code = start(all, &sum, &request);
  refuses = false;
  expect_refusal(code, request, "a start", failures);
  later_calls_are_right(all, "a start that all ranks were refused", failures);
}

/// The others have started it, and learn that it ends without this rank.
void on_one_rank(const Members& all, Failures& failures) {
  static int sum = -1;  // MPI may still write to what a failed call was given
  MPI_Request request = MPI_REQUEST_NULL;
  refuses = all.rank == 0;
  const int code = start(all, &sum, &request);
  refuses = false;
  if (all.rank == 0) {
    expect_refusal(code, request, "a start of rank 0", failures);
  } else {
    failures.expect(code == MPI_SUCCESS, "rank 0 alone is refused");
    failures.expect(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS, "a sum without rank 0");
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    handled = 0;
  }
  later_calls_are_right(all, "a start that rank 0 was refused", failures);
}

void persistent(const Members& all, Failures& failures) {
  int sum = -1;
  for (int i = 0; i < 3; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    refuses = true;
    const int code = PERSISTENT(Allreduce)(&all.rank, &sum, 1, MPI_INT, MPI_SUM, all.comm,
                                           MPI_INFO_NULL, &request);
    refuses = false;
    expect_refusal(code, request, "a persistent call", failures);
  }
  later_calls_are_right(all, "persistent calls that were refused", failures);
}

/// The first starts are native, and all but the first of them are timed.
void timed(const Members& all, Failures& failures) {
  constexpr int kNative = 6;
  for (int i = 0; i < kNative; ++i) {
    int sum = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    refuses = true;
    failures.expect(start(all, &sum, &request) == MPI_SUCCESS, "a native start");
    refuses = false;
    failures.expect(!last_was_planned() && request != MPI_REQUEST_NULL, "the native request");
    wait(request);
    failures.expect(sum == all.sum(), "a native sum");
  }
  failures.expect(refused > 0, "no native start was to be timed");
  failures.expect(handled == 0, "the handler of a native start");
}

int run(int argc, char** argv) {
  Failures failures;
  failures.expect(replace("PMPI_Irecv", irecv) && replace("PMPI_Recv_init", recv_init),
                  "our library calls MPI's functions");
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);  // MPICH's for all errors of MPI_Wait
  using Test = void (*)(const Members&, Failures&);
  const bool is_measured = option(argc, argv, "--measured", 0) != 0;
  for (const Test test : {&on_all_ranks, &on_one_rank, &persistent, &timed}) {
    if ((test == &timed) != is_measured) continue;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, handler);
    const Members all(copy);
    int sum = 0;  // the first calls make the hidden communicator
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&all.rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    test(all, failures);
    MPI_Comm_free(&copy);
  }
  MPI_Errhandler_free(&handler);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}

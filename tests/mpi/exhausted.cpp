// All communicators belong to the program: it gets as many as without the library, also if some are
// hidden behind its own by then; and where there is none left for us, calls are the MPI library's.
//
//   exhausted [--most N]   as many as MPI has, but no more than N (Open MPI has 65,531)
//   exhausted --by NAME    likewise, made by MPI_NAME: Cart_sub, Comm_create_group,
//   Intercomm_merge,
//                          or windows, of which each has a communicator
//
// Most of them are duplicates of MPI_COMM_SELF that stay: for those nobody waits for anybody.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

void expect_sum(MPI_Comm comm, Failures& failures, const char* when) {
  int size = 0, one = 1, sum = 0;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  failures.expect(sum == size, std::string("a wrong sum ") + when);
}

/// Past the library. Errors are returned meanwhile.
std::vector<MPI_Comm> all_there_are(std::size_t most) {
  std::vector<MPI_Comm> made;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (MPI_Comm one = MPI_COMM_NULL; made.size() < most; made.push_back(one)) {
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &one) != MPI_SUCCESS) break;
    PMPI_Comm_set_errhandler(one, MPI_ERRORS_ARE_FATAL);
  }
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return made;
}

void free_all(std::vector<MPI_Comm>& comms) {
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  comms.clear();
}

/// The first call on a communicator when all others are taken.
void hide_where_none_is_left(std::size_t most, Failures& failures) {
  std::vector<MPI_Comm> comms = all_there_are(most);
  for (int i = 0; i < 3; ++i) {
    expect_sum(comms.back(), failures, "on the last communicator");
    expect_sum(comms.front(), failures, "on the first one of all");
  }
  free_all(comms);
}

/// As many communicators as there are, each used at once, while errors are fatal.
void make_all(std::size_t most, Failures& failures) {
  std::vector<MPI_Comm> comms(most);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (std::size_t i = 0; i < comms.size(); ++i) {
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[i]);
    }
    if (i < 200 || i + 20 > most) expect_sum(comms[i], failures, "on a new communicator");
  }
  for (std::size_t i = 0; i < comms.size(); i += 40) {
    expect_sum(comms[i], failures, "when all are there");
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comms[i], &handler);
    failures.expect(handler == MPI_ERRORS_ARE_FATAL, "another error handler than the parent's");
    MPI_Errhandler_free(&handler);
  }
  free_all(comms);
  for (int i = 0; i < 3; ++i) expect_sum(MPI_COMM_WORLD, failures, "at last");
}

/// A copy function may give the communicator that is copied another error handler, which stays.
int give_handler(MPI_Comm comm, int /*keyval*/, void* handler, void* /*value*/, void* /*copied*/,
                 int* is_copied) {
  *is_copied = 0;
  return MPI_Comm_set_errhandler(comm, *static_cast<MPI_Errhandler*>(handler));
}
void do_nothing(MPI_Comm* /*comm*/, int* /*code*/, ...) {}
void keep_what_copies_set(Failures& failures) {
  MPI_Comm parent = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Errhandler given = MPI_ERRHANDLER_NULL, now = MPI_ERRHANDLER_NULL;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_errhandler(do_nothing, &given);
  MPI_Comm_create_keyval(give_handler, MPI_COMM_NULL_DELETE_FN, &keyval, &given);
  MPI_Comm_set_attr(parent, keyval, nullptr);
  MPI_Comm_dup(parent, &copy);
  MPI_Comm_get_errhandler(parent, &now);
  failures.expect(now == given, "the error handler of a copy function is gone");
  for (MPI_Errhandler* one : {&given, &now}) MPI_Errhandler_free(one);
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&parent);
}

/// Some ranks run out of communicators among themselves, while one of all ranks has a hidden one
/// behind it. That one stays: the other ranks know of nothing.
void some_run_short(std::size_t most, Failures& failures) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm all = MPI_COMM_NULL, some = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &some);
  for (int i = 0; i < 3; ++i) expect_sum(all, failures, "before some run short");
  if (some != MPI_COMM_NULL) {
    MPI_Comm_set_errhandler(some, MPI_ERRORS_RETURN);
    std::vector<MPI_Comm> comms;
    for (MPI_Comm one = MPI_COMM_NULL; comms.size() < most; comms.push_back(one)) {
      if (MPI_Comm_dup(some, &one) != MPI_SUCCESS) break;
    }
    free_all(comms);
  }
  for (int i = 0; i < 3; ++i) expect_sum(all, failures, "after some ran short");
  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  MPI_Comm_free(&all);
}

/// Takes communicators of this rank alone until no more than `left` of MPICH's 2,048 are left.
std::vector<MPI_Comm> ballast(std::size_t left) {
  constexpr std::size_t kOfMpich = 2048;
  std::vector<MPI_Comm> made(kOfMpich - std::min(left, kOfMpich));
  for (MPI_Comm& one : made) MPI_Comm_dup(MPI_COMM_SELF, &one);
  return made;
}

/// Something that takes a communicator each time it is made.
struct Kind {
  MPI_Comm parent = MPI_COMM_NULL;  ///< errors go to its handler
  std::function<int(bool)> make;    ///< makes one more. @param natively past the library
  std::function<void()> free_all;
};

using MakeComm = std::function<int(bool, MPI_Comm*)>;
using MakeWindow = std::function<int(bool, MPI_Win*)>;

Kind communicators_by(MPI_Comm parent, MakeComm make) {
  const auto made = std::make_shared<std::vector<MPI_Comm>>();
  return {parent,
          [=](bool natively) {
            MPI_Comm one = MPI_COMM_NULL;
            const int code = make(natively, &one);
            if (code == MPI_SUCCESS) made->push_back(one);
            return code;
          },
          [=] { free_all(*made); }};
}

Kind windows_by(MPI_Comm parent, MakeWindow make) {
  const auto made = std::make_shared<std::vector<MPI_Win>>();
  return {parent,
          [=](bool natively) {
            MPI_Win one = MPI_WIN_NULL;
            const int code = make(natively, &one);
            if (code == MPI_SUCCESS) made->push_back(one);
            return code;
          },
          [=] {
            for (MPI_Win& window : *made) MPI_Win_free(&window);
            made->clear();
          }};
}

Kind by_cart_sub() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int periodic = 1;
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
  return communicators_by(grid, [grid](bool natively, MPI_Comm* made) {
    const int remains = 1;
    return (natively ? PMPI_Cart_sub : MPI_Cart_sub)(grid, &remains, made);
  });
}

Kind by_group() {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  return communicators_by(MPI_COMM_WORLD, [all](bool natively, MPI_Comm* made) {
    return (natively ? PMPI_Comm_create_group : MPI_Comm_create_group)(MPI_COMM_WORLD, all, 5,
                                                                       made);
  });
}

Kind by_merge() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int side = rank == 0 ? 0 : 1;
  MPI_Comm own = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - side, 5, &both);
  return communicators_by(both, [both, side](bool natively, MPI_Comm* made) {
    return (natively ? PMPI_Intercomm_merge : MPI_Intercomm_merge)(both, side, made);
  });
}

Kind by_window() {
  return windows_by(MPI_COMM_WORLD, [](bool natively, MPI_Win* made) {
    static int word = 0;
    return (natively ? PMPI_Win_create : MPI_Win_create)(&word, sizeof word, 1, MPI_INFO_NULL,
                                                         MPI_COMM_WORLD, made);
  });
}

/// Beside used communicators as many as natively beside unused ones, while errors are fatal.
void make_all_by(const std::string& which, std::size_t most, Failures& failures) {
  const std::map<std::string, Kind (*)()> makers{{"Cart_sub", by_cart_sub},
                                                 {"Comm_create_group", by_group},
                                                 {"Intercomm_merge", by_merge},
                                                 {"Win_create", by_window}};
  const Kind kind = makers.at(which)();
  constexpr std::size_t kUsed = 40;
  std::vector<MPI_Comm> used(kUsed);
  for (MPI_Comm& comm : used) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_set_errhandler(kind.parent, MPI_ERRORS_RETURN);
  std::size_t natively = 0;
  while (natively < most && kind.make(true) == MPI_SUCCESS) ++natively;
  kind.free_all();
  PMPI_Comm_set_errhandler(kind.parent, MPI_ERRORS_ARE_FATAL);
  failures.expect(natively > 1, which + ": none natively");
  for (int i = 0; i < 3; ++i) {
    for (MPI_Comm comm : used) expect_sum(comm, failures, "before all are taken");
  }
  failures.expect(espalier_query_count("hidden") >= kUsed, which + ": nothing is hidden");
  for (std::size_t i = 0; i < natively; ++i) kind.make(false);
  for (MPI_Comm comm : used) expect_sum(comm, failures, "when all are taken");
  kind.free_all();
  free_all(used);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%zu by %s\n", natively, which.c_str());
}

int run(int argc, char** argv) {
  Failures failures;
  const std::size_t asked = option(argc, argv, "--most", 400);
  if (argc > 2 && std::strcmp(argv[1], "--by") == 0) {
    std::vector<MPI_Comm> taken = ballast(asked);
    make_all_by(argv[2], asked, failures);
    free_all(taken);
    return failures.exit_code();
  }
  std::vector<MPI_Comm> taken = ballast(asked);
  std::vector<MPI_Comm> first = all_there_are(asked);
  const std::size_t most = first.size();
  free_all(first);
  keep_what_copies_set(failures);
  some_run_short(most, failures);  // first: whoever ran short takes no hidden ones any more
  hide_where_none_is_left(most, failures);
  make_all(most, failures);
  free_all(taken);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%zu communicators\n", most);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}

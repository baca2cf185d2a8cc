// Irregular calls that are wrong: blocks longer than the receiver's place for them end in
// MPI_ERR_TRUNCATE there, without a byte written beyond it and without a rank left waiting; wrong
// arguments give the native call's error class. The communicator works afterwards.
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

int handled = 0;
void count_error(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++handled; }

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

class WrongBlocks {
 public:
  WrongBlocks() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced_);
    MPI_Type_commit(&spaced_);
  }
  ~WrongBlocks() {
    MPI_Type_free(&spaced_);
    MPI_Comm_free(&comm_);
  }

  int run() {
    works("nothing");
    for (const int length : {1, 100, 3000, 50000}) {
      for (const bool with_gaps : {false, true}) {
        for (int victim = 0; victim < size_; ++victim) too_long(length, with_gaps, victim);
      }
    }
    wrong_arguments();
    return failures_.everywhere();
  }

 private:
  [[nodiscard]] std::size_t n() const { return static_cast<std::size_t>(size_); }

  void works(const std::string& after) {
    std::vector<int> counts(n(), 1), displs(n()), all(n(), -1);
    std::iota(displs.begin(), displs.end(), 0);
    MPI_Allgatherv(&rank_, 1, MPI_INT, all.data(), counts.data(), displs.data(), MPI_INT, comm_);
    failures_.expect(last_was_planned(), "native after " + after + ": " + last_text());
    failures_.expect(all == displs, "wrong after " + after);
    std::vector<int> sums(1, rank_);
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 1, MPI_INT, MPI_SUM, comm_);
    failures_.expect(sums[0] == size_ * (size_ - 1) / 2, "wrong sum after " + after);
  }

  /// `victim` has room for one element less than comes from rank 1 (or from the root).
  void too_long(int length, bool with_gaps, int victim) {
    const MPI_Datatype type = with_gaps ? spaced_ : MPI_INT;
    const std::size_t step = with_gaps ? 2 : 1;  // ints from element to element
    const std::size_t elements = static_cast<std::size_t>(length);
    const std::vector<int> counts(n(), length);
    std::vector<int> displs(n());
    for (std::size_t r = 0; r < n(); ++r) displs[r] = static_cast<int>(r) * (length + 1);
    const std::vector<int> in((elements + 1) * n() * step, rank_ + 1);
    const auto check = [&](const char* name, int wrong, std::size_t end,
                           const std::function<int(std::vector<int>&, const int*)>& call) {
      std::vector<int> out((elements + 1) * n() * step, -7);
      std::vector<int> room = counts;
      if (rank_ == victim) --room[static_cast<std::size_t>(wrong)];
      const int code = call(out, room.data());
      const std::string what = std::string(name) + " of " + std::to_string(length) +
                               (with_gaps ? " with gaps" : "") + " to " + std::to_string(victim);
      failures_.expect(last_was_planned(), what + " was native: " + last_text());
      failures_.expect(class_of(code) == (rank_ == victim ? MPI_ERR_TRUNCATE : MPI_SUCCESS),
                       what + ": class " + std::to_string(class_of(code)));
      if (rank_ == victim) {
        failures_.expect(out[end * step] == -7, what + ": written beyond the end");
      }
      works(what);
    };
    const std::size_t of_one = static_cast<std::size_t>(displs[1]) + elements - 1;
    check("allgatherv", 1, of_one, [&](std::vector<int>& out, const int* room) {
      return MPI_Allgatherv(in.data(), length, type, out.data(), room, displs.data(), type, comm_);
    });
    check("alltoallv", 1, of_one, [&](std::vector<int>& out, const int* room) {
      return MPI_Alltoallv(in.data(), counts.data(), displs.data(), type, out.data(), room,
                           displs.data(), type, comm_);
    });
    check("gatherv", 1, of_one, [&](std::vector<int>& out, const int* room) {
      return MPI_Gatherv(in.data(), length, type, out.data(), room, displs.data(), type, victim,
                         comm_);
    });
    // Whoever has room for nothing waits for nothing, with us as natively.
    if (length == 1) return;
    check("scatterv", 0, elements - 1, [&](std::vector<int>& out, const int* room) {
      return MPI_Scatterv(in.data(), counts.data(), displs.data(), type, out.data(), room[0], type,
                          (victim + 1) % size_, comm_);
    });
  }

  void wrong_arguments() {
    std::vector<int> in(n(), rank_), out(n(), -1), counts(n(), 1), displs(n()), negative(n(), 1);
    std::iota(displs.begin(), displs.end(), 0);
    negative.back() = -1;
    const std::vector<MPI_Datatype> types(n(), MPI_INT), nothing(n(), MPI_DATATYPE_NULL);
    struct Case {
      const char* name;
      std::function<int(bool)> call;  // true: through MPI_X
      bool may_pass = false;
    };
    const auto gatherv = [&](bool ours, int count, MPI_Datatype type, const int* all, int root) {
      return (ours ? MPI_Gatherv : PMPI_Gatherv)(in.data(), count, type, out.data(), all,
                                                 displs.data(), type, root, comm_);
    };
    const auto scatterv = [&](bool ours, const int* all, int count, MPI_Datatype type, int root) {
      return (ours ? MPI_Scatterv : PMPI_Scatterv)(in.data(), all, displs.data(), type, out.data(),
                                                   count, type, root, comm_);
    };
    const auto allgatherv = [&](bool ours, int count, MPI_Datatype type, const int* all) {
      return (ours ? MPI_Allgatherv : PMPI_Allgatherv)(in.data(), count, type, out.data(), all,
                                                       displs.data(), type, comm_);
    };
    const auto alltoallv = [&](bool ours, MPI_Datatype type, const int* all) {
      return (ours ? MPI_Alltoallv : PMPI_Alltoallv)(in.data(), all, displs.data(), type,
                                                     out.data(), all, displs.data(), type, comm_);
    };
    const auto alltoallw = [&](bool ours, const MPI_Datatype* all_types, const int* all) {
      return (ours ? MPI_Alltoallw : PMPI_Alltoallw)(in.data(), all, displs.data(), all_types,
                                                     out.data(), all, displs.data(), all_types,
                                                     comm_);
    };
    const int* right = counts.data();
    const std::array cases{
        Case{"gatherv to nobody", [&](bool o) { return gatherv(o, 1, MPI_INT, right, size_); }},
        Case{"gatherv of less than nothing",
             [&](bool o) { return gatherv(o, -1, MPI_INT, negative.data(), 0); }},
        Case{"gatherv of no type",
             [&](bool o) { return gatherv(o, 1, MPI_DATATYPE_NULL, right, 0); }},
        Case{"scatterv from nobody", [&](bool o) { return scatterv(o, right, 1, MPI_INT, -3); }},
        Case{"scatterv of no type",
             [&](bool o) { return scatterv(o, right, 1, MPI_DATATYPE_NULL, 0); }},
        Case{"scatterv of less than nothing",
             [&](bool o) { return scatterv(o, negative.data(), -1, MPI_INT, 0); }},
        Case{"allgatherv of less than nothing",
             [&](bool o) { return allgatherv(o, -1, MPI_INT, right); }},
        Case{"allgatherv with a negative count",
             [&](bool o) { return allgatherv(o, 1, MPI_INT, negative.data()); }, true},
        Case{"allgatherv of no type",
             [&](bool o) { return allgatherv(o, 1, MPI_DATATYPE_NULL, right); }},
        Case{"alltoallv with a negative count",
             [&](bool o) { return alltoallv(o, MPI_INT, negative.data()); }},
        Case{"alltoallv of no type",
             [&](bool o) { return alltoallv(o, MPI_DATATYPE_NULL, right); }},
        Case{"alltoallw with a negative count",
             [&](bool o) { return alltoallw(o, types.data(), negative.data()); }},
        Case{"alltoallw of no types", [&](bool o) { return alltoallw(o, nothing.data(), right); }},
    };
    for (const Case& one : cases) {
      const int native = class_of(one.call(false));
      const int ours = class_of(one.call(true));
      // Open MPI 4.1.4 does not look at the counts of allgatherv.
      const bool is_found = native != MPI_SUCCESS || one.may_pass;
      failures_.expect(ours == native && is_found, std::string(one.name) + ": class " +
                                                       std::to_string(ours) + ", native " +
                                                       std::to_string(native));
      works(one.name);
    }
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(comm_, handler);
    for (const Case& one : cases) {
      handled = 0;
      one.call(true);
      if (one.may_pass) continue;
      failures_.expect(handled == 1, std::string(one.name) + ": handler called " +
                                         std::to_string(handled) + " times");
    }
    only_the_root_is_wrong();
    MPI_Errhandler_free(&handler);
  }

  /// It alone sees it; the others send, and all stay in step.
  void only_the_root_is_wrong() {
    std::vector<int> out(n(), -1), displs(n()), counts(n(), rank_ == 0 ? -1 : 1);
    handled = 0;
    MPI_Gatherv(&rank_, 1, MPI_INT, out.data(), counts.data(), displs.data(), MPI_INT, 0, comm_);
    failures_.expect(handled == (rank_ == 0 ? 1 : 0), "a gatherv that is wrong at its root");
    works("a gatherv that is wrong at its root");
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Datatype spaced_ = MPI_DATATYPE_NULL;
  int rank_ = 0, size_ = 1;
  Failures failures_;
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(
      argc, argv, [] { return espalier::mpi_test::WrongBlocks().run() == 0 ? 0 : 1; });
}

// The irregular calls on many simulated ranks: several roots, lengths (none, one rank with
// everything, uneven, long), displacements from the end and with gaps, in place and not, on all
// ranks and on a part of them. Results are compared with what they must be, gaps too; every call
// must have run along a plan.
#include <algorithm>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace {

using espalier::mpi_test::Failures;

/// Element i of what rank `from` has for rank `to`.
std::int64_t value(int from, int to, int i) {
  return (std::int64_t{from} * 1000 + to) * 100000 + i;
}
constexpr std::int64_t kUntouched = -7;

/// How many elements there are between two ranks.
enum class Lengths { None, One, Uneven, Long };

/// Blocks one after the other from the last to the first, an element free between them.
struct Side {
  std::vector<int> counts, displs;
  std::vector<std::int64_t> data;

  explicit Side(std::vector<int> lengths) : counts(std::move(lengths)), displs(counts.size()) {
    int at = 1;
    for (std::size_t b = counts.size(); b-- > 0;) {
      displs[b] = at;
      at += counts[b] + 1;
    }
    data.assign(static_cast<std::size_t>(at), kUntouched);
  }
  void fill(std::size_t block, int from, int to) {
    for (int i = 0; i < counts[block]; ++i) {
      data[static_cast<std::size_t>(displs[block] + i)] = value(from, to, i);
    }
  }
};

class Checks {
 public:
  Checks(MPI_Comm comm, std::string name, Failures& failures)
      : comm_(comm), name_(std::move(name)), failures_(failures) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }

  /// Exchanges are fewer: SimGrid takes its time for thousands of messages at once.
  void all(bool in_place) {
    for (const Lengths lengths : {Lengths::None, Lengths::One, Lengths::Uneven, Lengths::Long}) {
      lengths_ = lengths;
      for (const int root : {0, size_ / 3, size_ - 1}) {
        for (const bool too : {false, true}) {
          gatherv(root, too);
          scatterv(root, too);
        }
      }
      allgatherv(in_place);
      if (lengths != Lengths::None) alltoallv(in_place);
      in_place = !in_place;
    }
    lengths_ = Lengths::Uneven;
    alltoallw(in_place);
  }

 private:
  /// The same both ways, for exchanges in place.
  [[nodiscard]] int length(int a, int b) const {
    const int sum = a + b;
    switch (lengths_) {
      case Lengths::None:
        return 0;
      case Lengths::One:
        return a == 1 || b == 1 ? 50 : 0;
      case Lengths::Uneven:
        return sum % 3 == 0 ? 0 : sum % 17;
      case Lengths::Long:
        return sum % 23 == 0 ? 3000 : 2;
    }
    return 0;
  }
  [[nodiscard]] std::vector<int> lengths_to(int fixed) const {
    std::vector<int> all;
    for (int r = 0; r < size_; ++r) all.push_back(length(r, fixed));
    return all;
  }
  [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(rank_); }

  void done(int code, bool right, const char* what, bool in_place) {
    const std::string call = name_ + ": " + what + ", lengths " +
                             std::to_string(static_cast<int>(lengths_)) +
                             (in_place ? ", in place" : "");
    failures_.expect(code == MPI_SUCCESS, call + " returns an error");
    failures_.expect(espalier::mpi_test::last_was_planned(),
                     call + " was native: " + espalier::mpi_test::last_text());
    failures_.expect(right, call + ": wrong data along " + espalier::mpi_test::last_text());
  }

  /// What each rank has for the root.
  void gatherv(int root, bool in_place) {
    Side in({length(rank_, root)});
    in.fill(0, rank_, root);
    const bool here = rank_ == root;
    Side out(here ? lengths_to(root) : std::vector<int>{});
    Side expected = out;
    for (int r = 0; here && r < size_; ++r) expected.fill(static_cast<std::size_t>(r), r, root);
    if (here && in_place) out.fill(me(), rank_, root);
    const int code = MPI_Gatherv(here && in_place ? MPI_IN_PLACE : in.data.data() + in.displs[0],
                                 in.counts[0], MPI_INT64_T, out.data.data(), out.counts.data(),
                                 out.displs.data(), MPI_INT64_T, root, comm_);
    done(code, out.data == expected.data, "gatherv", in_place);
  }

  void scatterv(int root, bool in_place) {
    const bool here = rank_ == root;
    Side in(here ? lengths_to(root) : std::vector<int>{});
    for (int r = 0; here && r < size_; ++r) in.fill(static_cast<std::size_t>(r), root, r);
    const Side before = in;
    Side out({length(rank_, root)});
    Side expected = out;
    const bool nowhere = here && in_place;
    if (!nowhere) expected.fill(0, root, rank_);
    const int code = MPI_Scatterv(in.data.data(), in.counts.data(), in.displs.data(), MPI_INT64_T,
                                  nowhere ? MPI_IN_PLACE : out.data.data() + out.displs[0],
                                  out.counts[0], MPI_INT64_T, root, comm_);
    done(code, out.data == expected.data && in.data == before.data, "scatterv", in_place);
  }

  void allgatherv(bool in_place) {
    Side in({length(rank_, 0)});
    in.fill(0, rank_, 0);
    Side out(lengths_to(0));
    Side expected = out;
    for (int r = 0; r < size_; ++r) expected.fill(static_cast<std::size_t>(r), r, 0);
    if (in_place) out.fill(me(), rank_, 0);
    const int code = MPI_Allgatherv(in_place ? MPI_IN_PLACE : in.data.data() + in.displs[0],
                                    in.counts[0], MPI_INT64_T, out.data.data(), out.counts.data(),
                                    out.displs.data(), MPI_INT64_T, comm_);
    done(code, out.data == expected.data, "allgatherv", in_place);
  }

  /// Input and expected result.
  void sides(Side& in, Side& expected) const {
    for (int r = 0; r < size_; ++r) {
      in.fill(static_cast<std::size_t>(r), rank_, r);
      expected.fill(static_cast<std::size_t>(r), r, rank_);
    }
  }
  void alltoallv(bool in_place) {
    Side in(lengths_to(rank_)), out(lengths_to(rank_)), expected(lengths_to(rank_));
    sides(in, expected);
    if (in_place) out = in;
    const int code = MPI_Alltoallv(in_place ? MPI_IN_PLACE : in.data.data(), in.counts.data(),
                                   in.displs.data(), MPI_INT64_T, out.data.data(),
                                   out.counts.data(), out.displs.data(), MPI_INT64_T, comm_);
    done(code, out.data == expected.data, "alltoallv", in_place);
  }

  /// Types of pairs and of single numbers in turn.
  void alltoallw(bool in_place) {
    MPI_Datatype two = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT64_T, &two);
    MPI_Type_commit(&two);
    Side in(lengths_to(rank_)), out(lengths_to(rank_)), expected(lengths_to(rank_));
    sides(in, expected);
    if (in_place) out = in;
    std::vector<MPI_Datatype> types(static_cast<std::size_t>(size_), MPI_INT64_T);
    std::vector<int> counts = in.counts, displs = in.displs;
    for (std::size_t r = 0; r < types.size(); ++r) {
      displs[r] *= 8;
      if (counts[r] % 2 != 0) continue;
      counts[r] /= 2;
      types[r] = two;
    }
    const int code = MPI_Alltoallw(in_place ? MPI_IN_PLACE : in.data.data(), counts.data(),
                                   displs.data(), types.data(), out.data.data(), counts.data(),
                                   displs.data(), types.data(), comm_);
    done(code, out.data == expected.data, "alltoallw", in_place);
    MPI_Type_free(&two);
  }

  MPI_Comm comm_;
  std::string name_;
  Failures& failures_;
  int rank_ = 0;
  int size_ = 1;
  Lengths lengths_ = Lengths::None;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = 0;
  {
    Failures failures;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Checks(MPI_COMM_WORLD, "world", failures).all(false);
    MPI_Comm part = MPI_COMM_NULL;  // in another order, and of uneven sizes on each machine
    MPI_Comm_split(MPI_COMM_WORLD, rank % 5 == 0 ? 0 : 1, -rank, &part);
    Checks(part, "part", failures).all(true);
    MPI_Comm_free(&part);
    failures.expect(espalier_query_count("native") == 0, "some calls were native");
    failed = failures.everywhere();
    if (rank == 0 && failed == 0) {
      std::printf("%llu planned calls, all right\n",
                  static_cast<unsigned long long>(espalier_query_count("planned")));
    }
  }
  MPI_Finalize();
  return failed == 0 ? 0 : 1;
}

// Thousands of random calls, each run through MPI_X (interposed) and PMPI_X (native), compared byte
// for byte: results, gaps, margins. Every call must have been planned, but for communicators of one
// process. Ranks draw the same numbers, so they make the same calls.
//
//   differential [--seed S] [--cases N] [--max-count C]
#include "mpi/differential.hpp"

namespace espalier::mpi_test {
namespace {

class Vectors : public Differential {
 public:
  static constexpr std::uint64_t kMaxCount = 20000;
  using Differential::Differential;

  void run(std::uint64_t seed) {
    Random shared(seed);
    label_ = "--seed " + std::to_string(seed) + ": ";
    const Comm& comm = comms_[shared.below(comms_.size())];
    const int count = pick_count(shared);
    switch (shared.below(10)) {
      case 0:
        expect_ok(MPI_Barrier(comm.handle), "barrier");
        expect_planned(comm, "barrier");
        break;
      case 1:
      case 2:
      case 3:
        broadcast(shared, comm, count);
        break;
      default:
        reduce(shared, comm, count);
    }
  }

 private:
  void broadcast(Random& shared, const Comm& comm, int count) {
    const TestType& type = types_[shared.below(types_.size())];
    const int root = pick_root(shared, comm);
    const std::uint64_t seed = shared.next();
    const bool mixed = shared.chance(30) && type.is_of_ints;
    const std::string what = "broadcast of " + std::to_string(count) + " " + type.name + " from " +
                             std::to_string(root) + " of " + std::to_string(comm.size);
    Memory ours(type, count, seed + static_cast<std::uint64_t>(comm.rank));
    Memory theirs(type, count, seed + static_cast<std::uint64_t>(comm.rank));
    if (mixed && comm.rank % 2 == 1) {  // the same bytes under another name
      const int ints = static_cast<int>(type.size / 4) * count;
      std::vector<char> data = ours.packed(type, count);
      expect_ok(MPI_Bcast(data.data(), ints, MPI_INT, root, comm.handle), what);
      ours.unpack(type, count, data);
    } else {
      expect_ok(MPI_Bcast(ours.address(), count, type.type, root, comm.handle), what);
    }
    expect_planned(comm, what);
    expect_ok(PMPI_Bcast(theirs.address(), count, type.type, root, comm.handle), what);
    failures_.expect(ours.bytes() == theirs.bytes(), label_ + what + ": other bytes than native");
  }

  void reduce(Random& shared, const Comm& comm, int count) {
    const TestOperation& operation = operations_[shared.below(operations_.size())];
    const TestType& type = operation.type;
    const bool to_all = shared.chance(50);
    const bool in_place = shared.chance(30);
    const int root = pick_root(shared, comm);
    const std::uint64_t seed = shared.next() + 3 * static_cast<std::uint64_t>(comm.rank);
    const bool has_result = to_all || comm.rank == root;
    const std::string what = std::string(to_all ? "allreduce" : "reduce") + ", " + operation.name +
                             ", " + std::to_string(count) + " elements, root " +
                             std::to_string(root) + " of " + std::to_string(comm.size) +
                             (in_place ? ", in place" : "");

    Memory input(type, count, seed), ours(type, count, seed + 1), theirs(type, count, seed + 1);
    std::vector<char> data = input.packed(type, count);
    if (operation.tame != nullptr) operation.tame(data);
    input.unpack(type, count, data);
    const bool in_place_here = in_place && has_result;
    if (in_place_here) {
      ours.unpack(type, count, data);
      theirs.unpack(type, count, data);
    }
    // The reference is never in place: MPICH 4.0.2's own MPI_Reduce crashes there with operations
    // that do not commute and some roots.
    const auto input_before = input.bytes();
    const auto ours_before = ours;
    const void* from = in_place_here ? MPI_IN_PLACE : input.address();
    void* to = has_result ? ours.address() : nullptr;
    void* native_to = has_result ? theirs.address() : nullptr;
    if (to_all) {
      expect_ok(MPI_Allreduce(from, to, count, type.type, operation.op, comm.handle), what);
      expect_planned(comm, what);
      expect_ok(
          PMPI_Allreduce(input.address(), native_to, count, type.type, operation.op, comm.handle),
          what);
    } else {
      expect_ok(MPI_Reduce(from, to, count, type.type, operation.op, root, comm.handle), what);
      expect_planned(comm, what);
      expect_ok(PMPI_Reduce(input.address(), native_to, count, type.type, operation.op, root,
                            comm.handle),
                what);
    }
    failures_.expect(input.bytes() == input_before, label_ + what + ": the input has changed");
    const std::vector<char> result = ours.packed(type, count);
    if (to_all) expect_alike(comm, result, what);
    if (!has_result) {
      failures_.expect(ours.bytes() == ours_before.bytes(),
                       label_ + what + ": writes without a buffer");
      return;
    }
    compare(operation, comm, result, theirs.packed(type, count), what);
    if (!operation.gaps_are_kept) return;
    // With the data put back, everything is as it was: nothing else was written.
    Memory restored = ours;
    Memory before = ours_before;
    restored.unpack(type, count, before.packed(type, count));
    failures_.expect(restored.bytes() == before.bytes(),
                     label_ + what + ": writes between elements");
  }

  /// Programs branch on the result of an allreduce: not one bit may differ between ranks.
  void expect_alike(const Comm& comm, const std::vector<char>& result, const std::string& what) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : result) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    std::uint64_t ends[2] = {hash, ~hash};
    PMPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, comm.handle);
    failures_.expect(ends[0] == ~ends[1], label_ + what + ": ranks have different bits");
  }
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::run_differential<espalier::mpi_test::Vectors>(argc, argv);
}

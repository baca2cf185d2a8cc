// Thousands of random calls, each run through MPI_X (interposed) and PMPI_X (native), compared byte
// for byte: results, gaps, margins. Every call must have been planned, but for communicators of one
// process. Ranks draw the same numbers, so they make the same calls.
//
//   differential [--seed S] [--cases N] [--max-count C]
#include <cmath>
#include <cstring>

#include "mpi/operations.hpp"

namespace espalier::mpi_test {
namespace {

struct Comm {
  MPI_Comm handle;
  int rank, size;
};

class Differential {
 public:
  Differential(std::uint64_t seed, std::uint64_t max_count)
      : types_(make_types()), operations_(make_operations()), max_count_(max_count) {
    add(MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Random shared(seed);
    for (int i = 0; i < 4; ++i) {  // parts, in any order
      const std::uint64_t colours = 1 + shared.below(3);
      const std::uint64_t key = shared.next();
      Random own(key + static_cast<std::uint64_t>(rank));
      MPI_Comm part = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(own.below(colours)),
                     static_cast<int>(own.below(1000)), &part);
      add(part);
    }
  }
  ~Differential() {
    for (std::size_t i = 1; i < comms_.size(); ++i) MPI_Comm_free(&comms_[i].handle);
  }

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

  [[nodiscard]] const Failures& failures() const { return failures_; }

 private:
  void add(MPI_Comm handle) {
    Comm comm{handle, 0, 1};
    MPI_Comm_rank(handle, &comm.rank);
    MPI_Comm_size(handle, &comm.size);
    comms_.push_back(comm);
  }

  int pick_count(Random& shared) const {
    switch (shared.below(8)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return static_cast<int>(shared.below(max_count_));
      case 3:
        return static_cast<int>(2 * shared.below(200) + 1);
      default:
        return static_cast<int>(shared.below(40));
    }
  }

  void expect_ok(int code, const std::string& what) {
    failures_.expect(code == MPI_SUCCESS, label_ + what + " returns an error");
  }
  void expect_planned(const Comm& comm, const std::string& what) {
    const bool is_exempt = comm.size == 1 && last_text() == "one process";
    failures_.expect(last_was_planned() || is_exempt,
                     label_ + what + " was native: " + last_text());
  }

  void broadcast(Random& shared, const Comm& comm, int count) {
    const TestType& type = types_[shared.below(types_.size())];
    const int root = static_cast<int>(shared.below(static_cast<std::uint64_t>(comm.size)));
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
    const int root = static_cast<int>(shared.below(static_cast<std::uint64_t>(comm.size)));
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
    compare(operation, comm, data, result, theirs.packed(type, count), what);
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

  template <typename Float>
  static double largest_error(const std::vector<char>& ours, const std::vector<char>& theirs) {
    double largest = 0;
    for (std::size_t i = 0; i + sizeof(Float) <= ours.size(); i += sizeof(Float)) {
      Float a = 0, b = 0;
      std::memcpy(&a, ours.data() + i, sizeof a);
      std::memcpy(&b, theirs.data() + i, sizeof b);
      const double error = std::abs(static_cast<double>(a) - static_cast<double>(b));
      if (!(error <= largest)) largest = error;  // also if it is no number
    }
    return largest;
  }

  void compare(const TestOperation& operation, const Comm& comm, const std::vector<char>& /*input*/,
               const std::vector<char>& ours, const std::vector<char>& theirs,
               const std::string& what) {
    if (operation.exactness == Exactness::Bits) {
      failures_.expect(ours == theirs, label_ + what + ": other bytes than native");
      return;
    }
    // Summands are below 701: n - 1 additions, each off by half an ulp of at most 701 n.
    const bool is_float = operation.exactness == Exactness::Float;
    const double epsilon = is_float ? std::pow(2.0, -24) : std::pow(2.0, -53);
    const double bound = 2 * epsilon * comm.size * 701.0 * comm.size;
    const double error =
        is_float ? largest_error<float>(ours, theirs) : largest_error<double>(ours, theirs);
    failures_.expect(error <= bound, label_ + what + ": off by " + std::to_string(error));
  }

  std::vector<TestType> types_;
  std::vector<TestOperation> operations_;
  std::vector<Comm> comms_;
  std::uint64_t max_count_;
  std::string label_;
  Failures failures_;
};

int run(int argc, char** argv) {
  const std::uint64_t seed = option(argc, argv, "--seed", 1);
  const std::uint64_t cases = option(argc, argv, "--cases", 300);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!library_is_there()) {
    std::fprintf(stderr, "the library is not preloaded\n");
    return 1;
  }
  int failed = 0;
  {
    Differential test(seed / 1000, option(argc, argv, "--max-count", 20000));
    for (std::uint64_t i = 0; i < cases; ++i) test.run(seed + i);
    failed = test.failures().everywhere();
  }
  if (rank == 0) {
    std::printf("%d ranks: %llu cases, %d failures\n", size, static_cast<unsigned long long>(cases),
                failed);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = espalier::mpi_test::run(argc, argv);
  MPI_Finalize();
  return code;
}

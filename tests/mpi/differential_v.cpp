// Thousands of random irregular calls, each run through MPI_X (interposed) and PMPI_X (native) and
// compared byte for byte: results, gaps, margins, the input. Every call must have been planned, but
// for communicators of one process. Ranks draw the same numbers, so they make the same calls.
//
//   differential_v [--seed S] [--cases N] [--max-count C] [--operations 2]   2: gatherv, scatterv
#include <algorithm>
#include <tuple>

#include "mpi/block_memory.hpp"

namespace espalier::mpi_test {
namespace {

using Block = BlockMemory::Block;
using Blocks = std::vector<Block>;

struct Comm {
  MPI_Comm handle;
  int rank, size;
};

/// Elements that go from one rank to another, and of which type each sees them.
struct Flow {
  Block sent, received;
};

class Differential {
 public:
  Differential(std::uint64_t seed, std::uint64_t max_count, std::uint64_t operations)
      : types_(make_types()), max_count_(max_count), operations_(operations) {
    add(MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Random shared(seed);
    for (int i = 0; i < 4; ++i) {  // parts, in any order
      const std::uint64_t colours = 1 + shared.below(3);
      Random own(shared.next() + static_cast<std::uint64_t>(rank));
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
    comm_ = comms_[shared.below(comms_.size())];
    root_ = static_cast<int>(shared.below(static_cast<std::uint64_t>(comm_.size)));
    in_place_ = shared.chance(30);
    kind_ = shared.below(5);
    giant_ = shared.below(size());
    type_ = shared.below(types_.size());
    const std::uint64_t own_seed = shared.next() + 1009 * static_cast<std::uint64_t>(comm_.rank);
    own_ = Random(own_seed);
    static constexpr const char* kNames[]{"gatherv", "scatterv", "allgatherv", "alltoallv",
                                          "alltoallw"};
    const std::uint64_t operation = shared.below(operations_);
    label_ = "--seed " + std::to_string(seed) + ": " + kNames[operation] + " of " +
             (operation == 4 ? "any types" : types_[type_].name) + ", root " +
             std::to_string(root_) + " of " + std::to_string(comm_.size) +
             (in_place_ ? ", in place" : "");
    // Alone, Open MPI 4.1.4 takes the displacements of alltoallw for extents (coll/self).
    if (operation == 4 && comm_.size == 1) return;
    switch (operation) {
      case 0:
        return gatherv(shared);
      case 1:
        return scatterv(shared);
      case 2:
        return allgatherv(shared);
      default:
        return alltoall(shared, operation == 4);
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
  [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(comm_.rank); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(comm_.size); }
  [[nodiscard]] bool is_root() const { return comm_.rank == root_; }

  /// Few, none for most, all from one rank, or a lot.
  int pick_count(Random& shared, std::size_t from) const {
    const auto up_to = [&](std::uint64_t n) { return static_cast<int>(shared.below(n)); };
    switch (kind_) {
      case 0:
        return shared.chance(80) ? 0 : up_to(30);
      case 1:
        return from == giant_ ? up_to(max_count_) : 0;
      case 2:
        return up_to(max_count_ / size() + 1);
      default:
        return up_to(40);
    }
  }
  /// A type of ints may be plain ints at one end.
  [[nodiscard]] Flow flow(std::size_t type, int count, bool ints_sent, bool ints_received) const {
    const TestType& chosen = types_[type];
    const Block plain{types_.data(), count * static_cast<int>(chosen.size / 4)};
    const Block usual{&chosen, count};
    return {ints_sent && chosen.is_of_ints ? plain : usual,
            ints_received && chosen.is_of_ints ? plain : usual};
  }
  /// Between the root and each rank.
  std::vector<Flow> pick_flows(Random& shared) const {
    const bool ints_sent = shared.chance(20), ints_received = shared.chance(20);
    std::vector<Flow> flows;
    for (std::size_t r = 0; r < size(); ++r) {
      flows.push_back(flow(type_, pick_count(shared, r), ints_sent, ints_received));
    }
    return flows;
  }
  static Blocks received(const std::vector<Flow>& flows) {
    Blocks all;
    for (const Flow& flow : flows) all.push_back(flow.received);
    return all;
  }
  static Blocks sent(const std::vector<Flow>& flows) {
    Blocks all;
    for (const Flow& flow : flows) all.push_back(flow.sent);
    return all;
  }

  void expect(bool holds, const char* what) { failures_.expect(holds, label_ + ": " + what); }
  void expect_planned(int code) {
    expect(code == MPI_SUCCESS, "returns an error");
    const bool is_exempt = comm_.size == 1 && last_text() == "one process";
    failures_.expect(last_was_planned() || is_exempt, label_ + " was native: " + last_text());
  }
  void expect_same(const BlockMemory& ours, const BlockMemory& theirs) {
    // Alone, both are native, and MPICH 4.0.2 has its own idea of an allgatherv in place.
    if (comm_.size == 1) return;
    failures_.expect(ours.bytes() == theirs.bytes(),
                     label_ + ": other bytes than native along " + last_text());
  }

  void gatherv(Random& shared) {
    const std::vector<Flow> flows = pick_flows(shared);
    BlockMemory in({flows[me()].sent}, false, own_);
    const BlockMemory before = in;
    if (!is_root()) {  // the rest means nothing here
      void* const nowhere = in.address();
      expect_planned(MPI_Gatherv(in.block(0), in.counts()[0], in.type(), nowhere, nullptr, nullptr,
                                 MPI_DATATYPE_NULL, root_, comm_.handle));
      PMPI_Gatherv(in.block(0), in.counts()[0], in.type(), nullptr, nullptr, nullptr, MPI_INT,
                   root_, comm_.handle);
      return expect_same(in, before);
    }
    BlockMemory ours(received(flows), false, own_);
    BlockMemory theirs = ours, input = ours;
    expect_planned(MPI_Gatherv(in_place_ ? MPI_IN_PLACE : in.block(0), in.counts()[0],
                               in_place_ ? MPI_DATATYPE_NULL : in.type(), ours.address(),
                               ours.counts(), ours.displacements(), ours.type(), root_,
                               comm_.handle));
    PMPI_Gatherv(in_place_ ? input.block(me()) : in.block(0),
                 in_place_ ? input.counts()[me()] : in.counts()[0],
                 in_place_ ? input.type() : in.type(), theirs.address(), theirs.counts(),
                 theirs.displacements(), theirs.type(), root_, comm_.handle);
    expect_same(ours, theirs);
    expect_same(in, before);
  }

  void scatterv(Random& shared) {
    const std::vector<Flow> flows = pick_flows(shared);
    BlockMemory ours({flows[me()].received}, false, own_);
    BlockMemory theirs = ours;
    if (!is_root()) {
      void* const nowhere = ours.address();
      expect_planned(MPI_Scatterv(nowhere, nullptr, nullptr, MPI_DATATYPE_NULL, ours.block(0),
                                  ours.counts()[0], ours.type(), root_, comm_.handle));
      PMPI_Scatterv(nullptr, nullptr, nullptr, MPI_INT, theirs.block(0), theirs.counts()[0],
                    theirs.type(), root_, comm_.handle);
      return expect_same(ours, theirs);
    }
    BlockMemory in(sent(flows), false, own_);
    const BlockMemory before = in;
    expect_planned(MPI_Scatterv(in.address(), in.counts(), in.displacements(), in.type(),
                                in_place_ ? MPI_IN_PLACE : ours.block(0), ours.counts()[0],
                                in_place_ ? MPI_DATATYPE_NULL : ours.type(), root_, comm_.handle));
    PMPI_Scatterv(in.address(), in.counts(), in.displacements(), in.type(),
                  in_place_ ? MPI_IN_PLACE : theirs.block(0), theirs.counts()[0], theirs.type(),
                  root_, comm_.handle);
    expect_same(ours, theirs);
    expect_same(in, before);
  }

  void allgatherv(Random& shared) {
    const std::vector<Flow> flows = pick_flows(shared);
    BlockMemory in({flows[me()].sent}, false, own_);
    const BlockMemory before = in;
    BlockMemory ours(received(flows), false, own_);
    BlockMemory theirs = ours, input = ours;
    expect_planned(MPI_Allgatherv(in_place_ ? MPI_IN_PLACE : in.block(0), in.counts()[0],
                                  in_place_ ? MPI_DATATYPE_NULL : in.type(), ours.address(),
                                  ours.counts(), ours.displacements(), ours.type(), comm_.handle));
    PMPI_Allgatherv(in_place_ ? input.block(me()) : in.block(0),
                    in_place_ ? input.counts()[me()] : in.counts()[0],
                    in_place_ ? input.type() : in.type(), theirs.address(), theirs.counts(),
                    theirs.displacements(), theirs.type(), comm_.handle);
    expect_same(ours, theirs);
    expect_same(in, before);
  }

  /// Blocks between each two ranks; in place they are as long both ways.
  void alltoall(Random& shared, bool any_types) {
    const std::uint64_t state = shared.next();
    const bool ints_sent = shared.chance(20) && !in_place_;
    const bool ints_received = shared.chance(20) && !in_place_;
    const auto between = [&](std::size_t from, std::size_t to) {
      const std::size_t a = in_place_ ? std::min(from, to) : from;
      const std::size_t b = in_place_ ? std::max(from, to) : to;
      Random pair(state + a * 4001 + b);
      const std::size_t type = any_types ? pair.below(types_.size()) : type_;
      const int count = pick_count(pair, a);
      return flow(type, count, ints_sent || (any_types && !in_place_ && pair.chance(20)),
                  ints_received);
    };
    Blocks out, back;
    for (std::size_t r = 0; r < size(); ++r) {
      out.push_back(between(me(), r).sent);
      back.push_back(between(r, me()).received);
    }
    BlockMemory ours(back, any_types, own_);
    BlockMemory in = in_place_ ? ours : BlockMemory(out, any_types, own_);
    const BlockMemory before = in;
    BlockMemory theirs = ours;
    const auto [sendbuf, counts, displacements] =
        in_place_ ? std::tuple<const void*, const int*, const int*>(MPI_IN_PLACE, nullptr, nullptr)
                  : std::tuple<const void*, const int*, const int*>(in.address(), in.counts(),
                                                                    in.displacements());
    if (any_types) {
      expect_planned(MPI_Alltoallw(sendbuf, counts, displacements, in_place_ ? nullptr : in.types(),
                                   ours.address(), ours.counts(), ours.displacements(),
                                   ours.types(), comm_.handle));
      PMPI_Alltoallw(in.address(), in.counts(), in.displacements(), in.types(), theirs.address(),
                     theirs.counts(), theirs.displacements(), theirs.types(), comm_.handle);
    } else {
      expect_planned(MPI_Alltoallv(sendbuf, counts, displacements,
                                   in_place_ ? MPI_DATATYPE_NULL : in.type(), ours.address(),
                                   ours.counts(), ours.displacements(), ours.type(), comm_.handle));
      PMPI_Alltoallv(in.address(), in.counts(), in.displacements(), in.type(), theirs.address(),
                     theirs.counts(), theirs.displacements(), theirs.type(), comm_.handle);
    }
    expect_same(ours, theirs);
    expect_same(in, before);
  }

  std::vector<TestType> types_;
  std::vector<Comm> comms_;
  std::uint64_t max_count_, operations_;
  Failures failures_;
  // Of the case that runs.
  Comm comm_{};
  int root_ = 0;
  bool in_place_ = false;
  std::uint64_t kind_ = 0;
  std::size_t giant_ = 0;  // of some kinds: the rank with everything
  std::size_t type_ = 0;
  Random own_{0};
  std::string label_;
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
    Differential test(seed / 1000, option(argc, argv, "--max-count", 20000),
                      option(argc, argv, "--operations", 5));
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
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}

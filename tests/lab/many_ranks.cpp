// Many ranks: how long they take to start, and N calls whose results and messages are checked.
//
//   many_ranks [--calls N]
//
// One line by rank 0: seconds from main() to the end of MPI_Init, of the first call, inside all
// calls (plans of four roots are made in them, by all ranks on the cores there are);
// calls, wrong results, calls along plans, ranks whose messages or bytes on some level were not
// those of their parts of the plans; the largest resident memory of a rank, in KiB; then messages
// and bytes of all ranks for each level. The plans are compared where ESPALIER_MACHINE names the
// machine.
#include <sys/resource.h>
#include <time.h>

#include <array>
#include <memory>
#include <vector>

#include "collective/hierarchy.hpp"
#include "mpi/harness.hpp"
#include "runtime/plan_cache.hpp"
#include "topology/load_machine.hpp"

namespace espalier::mpi_test {
namespace {

using schedule::Operation;

double now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Sent {
  std::uint64_t messages = 0, bytes = 0;
};

/// What this rank sends along plans for the machine that was named; nothing if none was.
class Expected {
 public:
  Expected() {
    const char* const named = std::getenv("ESPALIER_MACHINE");
    if (named == nullptr || *named == '\0') return;
    auto loaded = topology::load_machine(named);
    if (!loaded) return;
    machine_ = std::make_unique<const topology::Machine>(std::move(loaded->machine));
    hierarchy_ = std::make_unique<const collective::Hierarchy>(*machine_);
    chooser_ = std::make_unique<select::Chooser>(*hierarchy_, select::Rules{.force = true});
  }
  [[nodiscard]] bool is_there() const { return machine_ != nullptr; }
  [[nodiscard]] std::size_t levels() const { return is_there() ? machine_->levels().size() : 4; }

  /// One call more. Plans are kept, as the library keeps them.
  void add(int rank, const runtime::PlanKey& key, std::vector<Sent>& sent) {
    const runtime::CachedPlan* plan = plans_.find(key);
    if (plan == nullptr) {
      plan = plans_.insert(key, make_plan(*chooser_, static_cast<Rank>(rank), key));
    }
    for (const runtime::Lane& lane : plan->prepared.lanes) {
      for (std::uint32_t m = lane.first; lane.sends && m < lane.first + lane.count; ++m) {
        ++sent[lane.link.level].messages;
        sent[lane.link.level].bytes +=
            plan->prepared.program.units(plan->prepared.messages[m].region) * key.element;
      }
    }
  }

 private:
  std::unique_ptr<const topology::Machine> machine_;
  std::unique_ptr<const collective::Hierarchy> hierarchy_;
  std::unique_ptr<select::Chooser> chooser_;
  runtime::PlanCache plans_;
};

/// The calls of a step of a program, with data that tell who sent them.
class Calls {
 public:
  Calls(int rank, int size) : rank_(rank), size_(size) {}

  /// Call number `number`. @return whether this rank's result is right
  bool run(int number) {
    const int count = kCounts[static_cast<std::size_t>(number / 5) % kCounts.size()];
    const int root = number / 5 % kRoots * (size_ / kRoots);
    const auto n = static_cast<std::size_t>(count);
    const auto elements = static_cast<std::uint64_t>(count);
    std::vector<double> in(n, rank_ + number), out(n, -1);
    const double sum = size_ * (size_ - 1) / 2.0 + 1.0 * size_ * number;
    const auto holds = [](const std::vector<double>& data, double value) {
      return data == std::vector<double>(data.size(), value);
    };
    switch (number % 5) {
      case 0:
        key = {{Operation::Broadcast, static_cast<Rank>(root), 8 * elements, 1, true}};
        MPI_Bcast(in.data(), count, MPI_DOUBLE, root, MPI_COMM_WORLD);
        return holds(in, root + number);
      case 1:
        key = {{Operation::Reduce, static_cast<Rank>(root), elements, 8, true}};
        MPI_Reduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
        return rank_ != root || holds(out, sum);
      case 2:
        key = {{Operation::Allreduce, 0, elements, 8, true}};
        MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return holds(out, sum);
      case 3:
        key = {{Operation::Barrier, 0, 0, 1, true}};
        MPI_Barrier(MPI_COMM_WORLD);
        return true;
      default: {
        key = {{Operation::Allgather, 0, 8, 1, true}};
        std::vector<double> all(static_cast<std::size_t>(size_));
        const double mine = rank_ + number;
        MPI_Allgather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int r = 0; r < size_; ++r) {
          if (all[static_cast<std::size_t>(r)] != r + number) return false;
        }
        return true;
      }
    }
  }
  runtime::PlanKey key;  ///< the last call

 private:
  static constexpr std::array kCounts{1, 128, 2048};
  static constexpr int kRoots = 4;
  int rank_, size_;
};

int run(double begin, int argc, char** argv) {
  const double started = now();
  const auto calls = static_cast<int>(option(argc, argv, "--calls", 1000));
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Expected expected;
  const std::size_t levels = expected.levels();
  std::vector<Sent> planned(levels);
  Calls program(rank, size);
  std::array<long, 3> counts{};  // wrong results, calls along plans, other messages than planned
  double first = 0, took = 0;
  PMPI_Barrier(MPI_COMM_WORLD);
  for (int number = 0; number < calls; ++number) {
    const double begun = now();
    counts[0] += program.run(number) ? 0 : 1;
    took += now() - begun;
    if (number == 0) first = took;
    if (!library_is_there() || !last_was_planned()) continue;
    ++counts[1];
    if (expected.is_there()) expected.add(rank, program.key, planned);
  }
  std::vector<std::uint64_t> sent(2 * levels);
  for (std::size_t l = 0; library_is_there() && l < levels; ++l) {
    sent[2 * l] = espalier_query_count(("messages." + std::to_string(l)).c_str());
    sent[2 * l + 1] = espalier_query_count(("bytes." + std::to_string(l)).c_str());
    const bool is_as_planned =
        sent[2 * l] == planned[l].messages && sent[2 * l + 1] == planned[l].bytes;
    if (expected.is_there() && !is_as_planned) counts[2] = 1;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::array<double, 4> most{started - begin, first, took, static_cast<double>(usage.ru_maxrss)};
  PMPI_Allreduce(MPI_IN_PLACE, most.data(), 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, counts.data(), 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, sent.data(), static_cast<int>(sent.size()), MPI_UINT64_T, MPI_SUM,
                 MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf(
        "init %.3f first %.3f all %.3f calls %d wrong %ld planned %ld unlike %ld memory %.0f",
        most[0], most[1], most[2], calls, counts[0], counts[1] / size, counts[2], most[3]);
    for (std::size_t l = 0; l < levels; ++l) {
      std::printf(" level%zu %llu %llu", l, static_cast<unsigned long long>(sent[2 * l]),
                  static_cast<unsigned long long>(sent[2 * l + 1]));
    }
    std::printf("\n");
  }
  return counts[0] == 0 && counts[2] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  const double begin = espalier::mpi_test::now();
  return espalier::mpi_test::under_mpi(
      argc, argv, [begin](int c, char** v) { return espalier::mpi_test::run(begin, c, v); });
}

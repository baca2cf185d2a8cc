// The messages and bytes that left each rank over each level are those of its part of the plan.
#include <vector>

#include "collective/hierarchy.hpp"
#include "mpi/harness.hpp"
#include "runtime/plan_cache.hpp"
#include "topology/load_machine.hpp"

namespace espalier::mpi_test {
namespace {

struct Count {
  std::uint64_t messages = 0, bytes = 0;
};

std::vector<Count> executed(std::size_t levels) {
  std::vector<Count> counts(levels);
  for (std::size_t l = 0; l < levels; ++l) {
    counts[l] = {espalier_query_count(("messages." + std::to_string(l)).c_str()),
                 espalier_query_count(("bytes." + std::to_string(l)).c_str())};
  }
  return counts;
}

int run() {
  Failures failures;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto loaded = topology::load_machine(std::getenv("ESPALIER_MACHINE"));
  const topology::Machine& machine = loaded->machine;
  const collective::Hierarchy hierarchy(machine);
  select::Chooser chooser(hierarchy, {.force = true});
  const std::size_t levels = machine.levels().size();
  const auto check = [&](const runtime::PlanKey& key, const char* what, auto call) {
    std::vector<Count> expected = executed(levels);
    const runtime::CachedPlan plan = make_plan(chooser, static_cast<Rank>(rank), key);
    for (const runtime::Lane& lane : plan.prepared.lanes) {
      for (std::uint32_t m = lane.first; lane.sends && m < lane.first + lane.count; ++m) {
        ++expected[lane.link.level].messages;
        expected[lane.link.level].bytes +=
            plan.prepared.program.units(plan.prepared.messages[m].region) * key.element;
      }
    }
    call();
    failures.expect(last_text() == plan.name, last_text() + " ran, not " + plan.name);
    const std::vector<Count> now = executed(levels);
    for (std::size_t l = 0; l < levels; ++l) {
      failures.expect(
          now[l].messages == expected[l].messages && now[l].bytes == expected[l].bytes,
          std::string(what) + ": other messages or bytes on level " + std::to_string(l));
    }
  };
  using schedule::Operation;
  for (const int count : {1, 100, 5000, 100000}) {
    std::vector<double> in(static_cast<std::size_t>(count)), out(in);
    const auto n = static_cast<std::uint64_t>(count);
    for (Rank root = 0; root < machine.size(); root += 3) {
      const int r = static_cast<int>(root);
      check({{Operation::Broadcast, root, 8 * n, 1, true}}, "broadcast",
            [&] { MPI_Bcast(in.data(), count, MPI_DOUBLE, r, MPI_COMM_WORLD); });
      check({{Operation::Reduce, root, n, 8, true}}, "reduce", [&] {
        MPI_Reduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, r, MPI_COMM_WORLD);
      });
    }
    check({{Operation::Allreduce, 0, n, 8, true}}, "allreduce", [&] {
      MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
    check({{Operation::Scan, 0, n, 8, true}}, "scan",
          [&] { MPI_Scan(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    check({{Operation::Exscan, 0, n, 8, true}, true}, "exscan in place", [&] {
      MPI_Exscan(MPI_IN_PLACE, out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
  }
  for (const int count : {1, 100, 5000}) {
    const auto n = static_cast<std::uint64_t>(count);
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<double> block(n), all(n * ranks), result(n * ranks);
    for (Rank root = 1; root < machine.size(); root += 3) {
      const int r = static_cast<int>(root);
      check({{Operation::Gather, root, 8 * n, 1, true}}, "gather", [&] {
        MPI_Gather(block.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, r,
                   MPI_COMM_WORLD);
      });
      check({{Operation::Scatter, root, 8 * n, 1, true}}, "scatter", [&] {
        MPI_Scatter(all.data(), count, MPI_DOUBLE, block.data(), count, MPI_DOUBLE, r,
                    MPI_COMM_WORLD);
      });
    }
    check({{Operation::Allgather, 0, 8 * n, 1, true}, true}, "allgather in place", [&] {
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_DOUBLE,
                    MPI_COMM_WORLD);
    });
    check({{Operation::Alltoall, 0, 8 * n, 1, true}}, "alltoall", [&] {
      MPI_Alltoall(all.data(), count, MPI_DOUBLE, result.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
    });
    check({{Operation::ReduceScatter, 0, n, 8, true}}, "reduce-scatter", [&] {
      MPI_Reduce_scatter_block(all.data(), block.data(), count, MPI_DOUBLE, MPI_SUM,
                               MPI_COMM_WORLD);
    });
    std::vector<std::uint64_t> counts(ranks, n);  // unequal, of as many elements
    counts.front() = 0;
    counts.back() = 2 * n;
    const std::vector<int> as_ints(counts.begin(), counts.end());
    check({{Operation::ReduceScatter, 0, n, 8, true, false, counts}}, "unequal reduce-scatter",
          [&] {
            MPI_Reduce_scatter(all.data(), result.data(), as_ints.data(), MPI_DOUBLE, MPI_SUM,
                               MPI_COMM_WORLD);
          });
  }
  check({{Operation::Barrier, 0, 0, 1, true}}, "barrier", [] { MPI_Barrier(MPI_COMM_WORLD); });
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}

// espalier::mpi::Communicator: every call gives what it must, along plans or not, and plan_of()
// says beforehand which plan it takes. Linked with the library, or without it ("alone").
#include <algorithm>
#include <espalier/communicator.hpp>
#include <numeric>

#include "base/random.hpp"
#include "mpi/harness.hpp"

using espalier::Operation;
using espalier::mpi::Communicator;
using espalier::mpi_test::Failures;

namespace {

Failures failures;
bool is_alone = false;

/// An element that MPI has no type for.
struct Pair {
  int a = 0;
  double b = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// What plan_of() said is what happened.
void expect_plan(const Communicator& comm, const espalier::Call& call, const auto& run) {
  const espalier::mpi::CallPlan before = comm.plan_of(call);
  failures.expect(run() == MPI_SUCCESS, "the call failed");
  const std::string what = "operation " + std::to_string(static_cast<int>(call.operation));
  if (is_alone) {
    failures.expect(!before.planned && before.why == "no library", what + ": not alone");
    return;
  }
  if (before.why.ends_with("from the second call on")) return;
  failures.expect(before.planned == espalier::mpi_test::last_was_planned(),
                  what + ": planned or not? " + before.why);
  if (!before.planned) return;
  const std::string label = espalier::mpi_test::last_text();
  const bool is_as_said =
      before.name == "by counts" ? label.ends_with(before.name) : before.name.starts_with(label);
  failures.expect(is_as_said && before.predicted.has_value(),
                  what + ": said " + before.name + ", was " + label);
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

void check_reductions(const Communicator& comm) {
  const int rank = comm.rank(), size = comm.size();
  constexpr int kCount = 300;
  const std::vector<int> mine = numbers(rank, kCount);
  const int ranks_sum = size * (size - 1) / 2;
  const auto is_sum = [&](const std::vector<int>& found, int of, int sum, int shift = 0) {
    for (int i = 0; i < static_cast<int>(found.size()); ++i) {
      if (found[static_cast<std::size_t>(i)] != sum + of * (i + shift)) return false;
    }
    return true;
  };
  espalier::Call call{.count = kCount, .element = espalier::Bytes{sizeof(int)}};
  const auto expect = [&](Operation operation, const auto& run) {
    call.operation = operation;
    expect_plan(comm, call, run);
  };
  std::vector<int> found(kCount, -1);
  expect(Operation::Allreduce, [&] { return comm.allreduce(mine, found, MPI_SUM); });
  failures.expect(is_sum(found, size, ranks_sum), "allreduce");
  found = mine;
  failures.expect(comm.allreduce(found, MPI_SUM) == MPI_SUCCESS, "allreduce in place");
  failures.expect(is_sum(found, size, ranks_sum), "allreduce in place");
  call.root = static_cast<espalier::Rank>(size - 1);
  found.assign(kCount, -1);
  std::vector<int> nothing;
  expect(Operation::Reduce,
         [&] { return comm.reduce(mine, rank == size - 1 ? found : nothing, MPI_SUM, size - 1); });
  if (rank == size - 1) failures.expect(is_sum(found, size, ranks_sum), "reduce");
  call.root = 0;
  expect(Operation::Scan, [&] { return comm.scan(mine, found, MPI_SUM); });
  failures.expect(is_sum(found, rank + 1, rank * (rank + 1) / 2), "scan");
  expect(Operation::Exscan, [&] { return comm.exscan(mine, found, MPI_SUM); });
  if (rank > 0) failures.expect(is_sum(found, rank, rank * (rank - 1) / 2), "exscan");

  const std::vector<int> all = numbers(rank, kCount * size);
  expect(Operation::ReduceScatter, [&] { return comm.reduce_scatter(all, found, MPI_SUM); });
  failures.expect(is_sum(found, size, ranks_sum, rank * kCount), "reduce_scatter");
  std::vector<int> counts = numbers(1, size);  // block r has r + 1
  call.counts.assign(counts.begin(), counts.end());
  const std::vector<int> steps = numbers(rank, size * (size + 1) / 2);
  found.assign(static_cast<std::size_t>(rank) + 1, -1);
  expect(Operation::ReduceScatter,
         [&] { return comm.reduce_scatter(steps, found, counts, MPI_SUM); });
  failures.expect(is_sum(found, size, ranks_sum, rank * (rank + 1) / 2), "reduce_scatter, counts");
}

void check_moves(const Communicator& comm) {
  const int rank = comm.rank(), size = comm.size(), root = size / 2;
  const auto ranks = static_cast<std::size_t>(size);
  constexpr std::size_t kCount = 50;
  espalier::Call call{.root = static_cast<espalier::Rank>(root),
                      .count = kCount,
                      .element = espalier::Bytes{sizeof(Pair)}};
  const auto expect = [&](Operation operation, const auto& run) {
    call.operation = operation;
    expect_plan(comm, call, run);
  };
  const auto block = [&](int from, int to) {
    return std::vector<Pair>(kCount, Pair{from, 1.0 * to});
  };
  const auto blocks = [&](auto of) {
    std::vector<Pair> result;
    for (int r = 0; r < size; ++r) {
      const std::vector<Pair> one = of(r);
      result.insert(result.end(), one.begin(), one.end());
    }
    return result;
  };
  std::vector<Pair> data = rank == root ? block(7, 7) : block(0, 0);
  expect(Operation::Broadcast, [&] { return comm.broadcast(data, root); });
  failures.expect(data == block(7, 7), "broadcast");
  std::vector<Pair> all(kCount * ranks), nothing;
  expect(Operation::Gather,
         [&] { return comm.gather(block(rank, 0), rank == root ? all : nothing, root); });
  const auto gathered = blocks([&](int r) { return block(r, 0); });
  if (rank == root) failures.expect(all == gathered, "gather");
  all.assign(all.size(), {});
  expect(Operation::Allgather, [&] { return comm.allgather(block(rank, 0), all); });
  failures.expect(all == gathered, "allgather");
  const auto sent = blocks([&](int r) { return block(rank, r); });
  expect(Operation::Alltoall, [&] { return comm.alltoall(sent, all); });
  failures.expect(all == blocks([&](int r) { return block(r, rank); }), "alltoall");
  expect(Operation::Scatter,
         [&] { return comm.scatter(rank == root ? sent : nothing, data, root); });
  failures.expect(data == block(root, rank), "scatter");
  expect(Operation::Barrier, [&] { return comm.barrier(); });
}

/// Block r has r elements, all of them r; with a gap of one behind each where asked for.
void check_blocks(const Communicator& comm) {
  const int rank = comm.rank(), size = comm.size(), root = size - 1;
  const auto ranks = static_cast<std::size_t>(size);
  const std::vector<int> counts = numbers(0, size);
  std::vector<int> starts;
  for (int r = 0; r < size; ++r) starts.push_back(r * (r - 1) / 2 + r);
  const std::vector<long> mine(static_cast<std::size_t>(rank), rank);
  std::vector<long> packed, apart;
  for (int r = 0; r < size; ++r) {
    packed.insert(packed.end(), static_cast<std::size_t>(r), r);
    apart.insert(apart.end(), static_cast<std::size_t>(r), r);
    apart.push_back(-1);
  }
  espalier::Call call{.root = static_cast<espalier::Rank>(root),
                      .element = espalier::Bytes{sizeof(long)},
                      .counts = {counts.begin(), counts.end()}};
  const auto expect = [&](Operation operation, const auto& run) {
    call.operation = operation;
    expect_plan(comm, call, run);
  };
  std::vector<long> found(apart.size(), -1);
  expect(Operation::Gather, [&] { return comm.gatherv(mine, found, {counts, starts}, root); });
  if (rank == root) failures.expect(found == apart, "gatherv");
  found.assign(packed.size(), -1);
  expect(Operation::Allgather, [&] { return comm.allgatherv(mine, found, {counts}); });
  failures.expect(found == packed, "allgatherv");
  found.assign(mine.size(), -1);
  expect(Operation::Scatter, [&] { return comm.scatterv(packed, {counts}, found, root); });
  failures.expect(found == mine, "scatterv");
  // To rank r go r elements; everybody gets as many from each as its rank.
  const std::vector<int> taken(ranks, rank);
  found.assign(ranks * static_cast<std::size_t>(rank), -1);
  call.counts.assign(ranks * ranks, 1);
  expect(Operation::Alltoall, [&] { return comm.alltoallv(packed, {counts}, found, {taken}); });
  failures.expect(found == std::vector<long>(found.size(), rank), "alltoallv");
  std::vector<int> bytes_from, bytes_to;
  for (int r = 0; r < size; ++r) {
    bytes_from.push_back(r * (r - 1) / 2 * static_cast<int>(sizeof(long)));
    bytes_to.push_back(r * rank * static_cast<int>(sizeof(long)));
  }
  const std::vector<MPI_Datatype> types(ranks, MPI_LONG);
  found.assign(found.size(), -1);
  failures.expect(comm.alltoallw(packed.data(), {counts, bytes_from}, types, found.data(),
                                 {taken, bytes_to}, types) == MPI_SUCCESS,
                  "alltoallw");
  failures.expect(found == std::vector<long>(found.size(), rank), "alltoallw");
}

/// Random ones, from a seed that all ranks share.
void check_multicasts(Communicator& comm, std::uint64_t seed) {
  espalier::Random rng(seed);
  const auto size = static_cast<std::uint64_t>(comm.size());
  const std::uint64_t most = rng.below(4) == 0 ? 40 : 4;
  const std::size_t count = 1 + rng.below(most);
  std::vector<std::vector<std::uint32_t>> data(count), wanted(count);
  std::vector<espalier::mpi::Multicast> several;
  for (std::size_t m = 0; m < count; ++m) {
    const int root = static_cast<int>(rng.below(size));
    const std::size_t length = rng.below(3) == 0 ? 0 : rng.below(rng.below(2) == 0 ? 100 : 30000);
    std::vector<int> to;
    for (std::uint64_t r = 0; r < size; ++r) {
      if (rng.below(2) == 0) to.insert(to.begin(), static_cast<int>(r));
    }
    std::vector<std::uint32_t> sent(length);
    for (std::uint32_t& word : sent) word = static_cast<std::uint32_t>(rng.below(1U << 31U));
    const bool is_in =
        comm.rank() == root || std::find(to.begin(), to.end(), comm.rank()) != to.end();
    data[m] = comm.rank() == root ? sent : std::vector<std::uint32_t>(length, 1);
    wanted[m] = is_in ? sent : data[m];
    several.push_back(espalier::mpi::multicast_of(data[m], root, to));
  }
  failures.expect(count == 1
                      ? comm.multicast(data[0], several[0].root, several[0].to) == MPI_SUCCESS
                      : comm.multicasts(several) == MPI_SUCCESS,
                  "multicasts failed");
  failures.expect(data == wanted, "multicasts, seed " + std::to_string(seed));
}

/// Whether a call compiles.
template <typename In, typename Out>
concept Allgathers = requires(const Communicator& comm, const std::vector<In>& in,
                              std::vector<Out>& out) {
  comm.allgather(in, out);
};
template <typename In, typename Out>
concept Scatters = requires(const Communicator& comm, const std::vector<In>& in,
                            std::vector<Out>& out, std::span<const int> counts) {
  comm.scatterv(in, {counts}, out, 0);
};
template <typename In, typename Out>
concept ReduceScatters = requires(const Communicator& comm, const std::vector<In>& in,
                                  std::vector<Out>& out) {
  comm.reduce_scatter(in, out, MPI_SUM);
};
static_assert(Allgathers<double, double> && !Allgathers<double, float>);
static_assert(Scatters<long, long> && !Scatters<int, long>);
static_assert(ReduceScatters<float, float> && !ReduceScatters<float, double>);

void check_refusals(Communicator& comm) {
  MPI_Comm_set_errhandler(comm.handle(), MPI_ERRORS_RETURN);
  std::vector<int> data(3);
  failures.expect(comm.multicast(data, comm.size(), {0}) == MPI_ERR_RANK, "a root that is none");
  failures.expect(comm.multicast(data, 0, {0, 0}) == MPI_ERR_RANK, "a rank listed twice");
  failures.expect(comm.multicast(data, 0, {-1}) == MPI_ERR_RANK, "a rank that is none");
  int kind = MPI_SUCCESS;
  std::vector<int> shorter(2);
  MPI_Error_class(comm.allreduce(data, shorter, MPI_SUM), &kind);
  failures.expect(kind == MPI_ERR_COUNT, "lengths that differ");
  std::vector<int> two_blocks_each(2 * static_cast<std::size_t>(comm.size()));
  const std::vector<int> one(1);
  MPI_Error_class(comm.allgather(one, two_blocks_each), &kind);
  failures.expect(kind == MPI_ERR_COUNT, "an allgather of half a block");
  MPI_Error_class(comm.alltoall(two_blocks_each, std::vector<int>(comm.size())), &kind);
  failures.expect(kind == MPI_ERR_COUNT, "an alltoall of blocks that differ");
  const std::vector<int> counts(static_cast<std::size_t>(comm.size()), 4);
  MPI_Error_class(comm.gatherv(data, shorter, {counts}, comm.rank()), &kind);
  failures.expect(kind == MPI_ERR_COUNT, "blocks that do not fit");
  const std::vector<int> none(counts.size(), 0), less(counts.size() - 1, 0);
  const std::vector<MPI_Datatype> types(counts.size(), MPI_INT), fewer(less.size(), MPI_INT);
  const auto exchange = [&](espalier::mpi::Blocks given, std::span<const MPI_Datatype> of) {
    MPI_Error_class(comm.alltoallw(data.data(), given, of, data.data(), {none, none}, types),
                    &kind);
    failures.expect(kind == MPI_ERR_COUNT, "alltoallw sends what does not fit");
    MPI_Error_class(comm.alltoallw(MPI_IN_PLACE, {}, {}, data.data(), given, of), &kind);
    failures.expect(kind == MPI_ERR_COUNT, "alltoallw in place takes what does not fit");
  };
  exchange({none}, types);
  exchange({none, less}, types);
  exchange({less, none}, types);
  exchange({none, none}, fewer);
  const std::vector<int> negative(counts.size(), -1);
  exchange({negative, none}, types);
  const auto plan = comm.plan_of({.operation = Operation::Broadcast, .root = 1000});
  failures.expect(!plan.planned && plan.why == "there is no such root", "a plan for no root");
}

/// Calls are left to MPI where that is wanted on one rank, until it is wanted no more.
void check_opting_out(const Communicator& comm) {
  const espalier::Call call{
      .operation = Operation::Allreduce, .count = 1, .element = espalier::Bytes{sizeof(int)}};
  std::vector<int> one(1);
  const auto add = [&] { return comm.allreduce(one, MPI_SUM); };
  const bool was_planned = comm.plan_of(call).planned;
  failures.expect(comm.use_plans(comm.rank() != 0) == MPI_SUCCESS, "use_plans");
  failures.expect(!comm.plan_of(call).planned, "planned though it is switched off");
  expect_plan(comm, call, add);
  failures.expect(comm.use_plans(true) == MPI_SUCCESS, "use_plans");
  failures.expect(comm.plan_of(call).planned == was_planned, "not as it was");
  expect_plan(comm, call, add);
}

void check_topology(const Communicator& comm) {
  const auto topology = comm.topology();
  using espalier::mpi::Status;
  failures.expect(topology.status == (is_alone ? Status::NoLibrary : Status::Ok), "topology");
  failures.expect(espalier::mpi::machine_json(comm.handle()).has_value() == !is_alone, "machine");
  const Communicator near = comm.cluster(1);
  if (is_alone) {
    failures.expect(topology.levels == 1 && !near, "one level");
    return;
  }
  for (int r = 0; r < comm.size(); ++r) {
    failures.expect(topology.level_between(comm.rank(), r) < topology.levels, "levels");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  is_alone = argc > 1 && std::string(argv[1]) == "alone";
  {
    Communicator world(MPI_COMM_WORLD);
    espalier::mpi::discover();
    Communicator part = world.split(world.rank() % 2, -world.rank());
    for (Communicator* comm : {&world, &part}) {
      for (int round = 0; round < 2; ++round) {
        check_reductions(*comm);
        check_moves(*comm);
        check_blocks(*comm);
      }
      for (std::uint64_t seed = 1; seed <= 25; ++seed) check_multicasts(*comm, seed);
    }
    check_topology(world);
    Communicator copy = world.split(0, world.rank());
    check_opting_out(copy);
    check_refusals(copy);
    Communicator moved = std::move(part);
    check_multicasts(moved, 99);
    check_moves(moved);
  }
  const int wrong = failures.everywhere();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

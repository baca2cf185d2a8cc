// MPICH's choices by size: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", IJHPCA 19(1), 2005, with the thresholds of MPICH 4's settings
// (MPIR_CVAR_BCAST_SHORT_MSG_SIZE and so on). Open MPI's rules have many more cases, and are taken
// for the best of the same algorithms. Handshakes: transport.hpp.
#include "select/native_model.hpp"

#include <algorithm>
#include <bit>

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

const BlindTree kBinomial{collective::Shape::Binomial, 0};

std::vector<Plan> some_of(Operation operation) {
  switch (operation) {
    case Operation::Broadcast:
      return {kBinomial, Classical{"scatter-ring"}};
    case Operation::Reduce:
      return {kBinomial, Classical{"rabenseifner"}};
    case Operation::Allreduce:
      return {Classical{"recursive-doubling"}, Classical{"rabenseifner"}, Classical{"ring"}};
    case Operation::Barrier:
      return {Classical{"dissemination"}};
    case Operation::Gather:
    case Operation::Scatter:
      // Not linear, which Open MPI takes for few ranks or large blocks: it would be taken for what
      // both do, whenever it is fast.
      return {Classical{"binomial"}};
    case Operation::Allgather:
      return {Classical{"recursive-doubling"}, Classical{"bruck"}, Classical{"ring"}};
    case Operation::Alltoall:
      return {Classical{"bruck"}, Classical{"direct"}, Classical{"pairwise"}};
    case Operation::ReduceScatter:
      return {Classical{"recursive-halving"}, Classical{"butterfly"}, Classical{"pairwise"}};
    case Operation::Scan:
    case Operation::Exscan:
      return {Classical{"recursive-doubling"}};
    case Operation::Unknown:
      break;
  }
  return {};
}

/// Nothing where it is as good as the best of several.
std::optional<Plan> of_mpich(const Collective& call) {
  const std::uint64_t bytes = call.count * call.element.value;  // the vector, or one block
  const std::uint64_t all = bytes * call.size;                  // bytes of all blocks
  const bool power_of_two = std::has_single_bit(call.size);
  switch (call.operation) {
    case Operation::Broadcast:
      if (bytes < 12288 || call.size < 8) return kBinomial;
      if (bytes < 524288 && power_of_two) return Classical{"scatter-recursive-doubling"};
      return Classical{"scatter-ring"};
    case Operation::Reduce:
      if (bytes <= 2048 || call.count < std::bit_floor(call.size)) return kBinomial;
      return Classical{"rabenseifner"};
    case Operation::Allreduce:
      if (bytes <= 2048 || call.count < std::bit_floor(call.size)) {
        return Classical{"recursive-doubling"};
      }
      return Classical{"rabenseifner"};
    case Operation::Allgather:
      if (all < 524288 && power_of_two) return Classical{"recursive-doubling"};
      if (all < 81920) return Classical{"bruck"};
      return Classical{"ring"};
    case Operation::Alltoall:
      if (bytes <= 256 && call.size >= 8) return Classical{"bruck"};
      if (bytes <= 32768) return Classical{"direct"};
      return Classical{"pairwise"};
    default:
      return std::nullopt;
  }
}

bool reaches_far(const topology::Machine& machine) {
  const auto& clusters = machine.clusters();
  return std::any_of(clusters.begin(), clusters.end(), [](const topology::Cluster& cluster) {
    return cluster.channel.latency >= kFarLatency;
  });
}

/// What is left of a plan's time without its bytes: latencies.
Time latencies_of(const Plan& plan, const Predictor& predictor, const Collective& call) {
  Collective empty = call;
  empty.count = empty.size;  // one byte for each part that it may be cut into
  empty.element = Bytes{1};
  return predictor(plan, empty);
}

/// Bytes of the longest message of an algorithm, or of a tree without a name.
std::uint64_t longest_message(const std::string& name, const Collective& call) {
  const std::uint64_t bytes = call.count * call.element.value;  // the vector, or one block
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Reduce:
    case Operation::Allreduce:
      if (name == "ring") return bytes / call.size;
      return name.starts_with("scatter-") || name == "rabenseifner" ? bytes / 2 : bytes;
    case Operation::Gather:
    case Operation::Scatter:
    case Operation::Allgather:
    case Operation::Alltoall:
      return name == "binomial" || name == "recursive-doubling" || name == "bruck"
                 ? bytes * call.size / 2  // blocks of half of the ranks together
                 : bytes;
    case Operation::ReduceScatter:
      return name == "pairwise" ? bytes : bytes * call.size / 2;
    default:
      return bytes;
  }
}

}  // namespace

std::vector<Plan> native_plans(NativeMpi mpi, const Collective& call) {
  if (mpi == NativeMpi::Mpich) {
    if (auto plan = of_mpich(call)) return {*std::move(plan)};
  }
  return some_of(call.operation);
}

/// Whole messages have them on all ways; halves do in algorithms that halve again and again, as
/// long as it matters; a scatter has them, but not the ring that comes after it.
Time handshakes(NativeMpi mpi, const Plan& plan, const Predictor& predictor,
                const Collective& call) {
  if (!reaches_far(predictor.hierarchy().machine())) return {};
  const Transport transport = transport_of(mpi);
  const auto* classical = std::get_if<Classical>(&plan);
  const std::string name = classical == nullptr ? "" : classical->name;
  if (longest_message(name, call) < transport.eager_bytes) return {};
  const bool scatters = name.starts_with("scatter-");
  const Time ways = latencies_of(scatters ? Plan{kBinomial} : plan, predictor, call);
  return {transport.handshake_latencies * ways.picoseconds};
}

bool is_flattered(NativeMpi mpi, const topology::Machine& machine) {
  return mpi == NativeMpi::OpenMpi && reaches_far(machine);
}

std::optional<Time> predict_native(NativeMpi mpi, const Predictor& predictor,
                                   const Collective& call) {
  std::optional<Time> least;
  for (const Plan& plan : native_plans(mpi, call)) {
    if (!can_do(plan, predictor.hierarchy(), call)) continue;
    const Time time = predictor(plan, call) + handshakes(mpi, plan, predictor, call);
    if (!least || time < *least) least = time;
  }
  if (!least && mpi == NativeMpi::Mpich) {
    return predict_native(NativeMpi::Unknown, predictor, call);
  }
  return least;
}

}  // namespace espalier::select

#include "schedule/collective.hpp"

#include <array>

namespace espalier::schedule {
namespace {

constexpr std::array<std::string_view, kAnyOperationCount> kNames{"broadcast",
                                                                  "reduce",
                                                                  "allreduce",
                                                                  "barrier",
                                                                  "gather",
                                                                  "scatter",
                                                                  "allgather",
                                                                  "alltoall",
                                                                  "reduce-scatter",
                                                                  "scan",
                                                                  "exscan",
                                                                  "unknown",
                                                                  "neighbour-allgather",
                                                                  "neighbour-alltoall"};

}  // namespace

std::string_view name_of(Operation operation) {
  return kNames[static_cast<std::size_t>(operation)];
}

std::optional<Operation> operation_named(std::string_view name) {
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    if (kNames[i] == name) return static_cast<Operation>(i);
  }
  return std::nullopt;
}

std::optional<Operation> called_operation_named(std::string_view name) {
  for (const Operation one : {Operation::NeighbourAllgather, Operation::NeighbourAlltoall}) {
    if (name_of(one) == name) return one;
  }
  return operation_named(name);
}

bool reduces(Operation operation) {
  return operation == Operation::Reduce || operation == Operation::Allreduce ||
         operation == Operation::ReduceScatter || operation == Operation::Scan ||
         operation == Operation::Exscan;
}

bool has_root(Operation operation) {
  return operation == Operation::Broadcast || operation == Operation::Reduce ||
         operation == Operation::Gather || operation == Operation::Scatter;
}

std::uint64_t units_in(const Collective& call, Rank rank) {
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Barrier:
    case Operation::Unknown:
      return 0;
    case Operation::Scatter:
      return rank == call.root ? call.block() * call.size : 0;
    case Operation::Alltoall:
    case Operation::ReduceScatter:
      return call.block() * call.size;
    case Operation::NeighbourAlltoall:
      return call.graph->destinations.of(rank).size();
    default:
      return call.block();
  }
}

std::uint64_t units_out(const Collective& call, Rank rank) {
  switch (call.operation) {
    case Operation::Barrier:
    case Operation::Unknown:
      return 0;
    case Operation::Reduce:
      return rank == call.root ? call.block() : 0;
    case Operation::Gather:
      return rank == call.root ? call.block() * call.size : 0;
    case Operation::Allgather:
    case Operation::Alltoall:
      return call.block() * call.size;
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      return call.graph->sources.of(rank).size();
    default:
      return call.block();
  }
}

}  // namespace espalier::schedule

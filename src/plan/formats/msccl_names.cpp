#include "formats/msccl_text.hpp"

namespace espalier::formats {

using schedule::Collective;
using schedule::Operation;

std::string_view msccl_name(Operation operation) {
  switch (operation) {
    case Operation::Broadcast:
      return "broadcast";
    case Operation::Reduce:
      return "reduce";
    case Operation::Allreduce:
      return "allreduce";
    case Operation::Gather:
      return "gather";
    case Operation::Scatter:
      return "scatter";
    case Operation::Allgather:
      return "allgather";
    case Operation::Alltoall:
      return "alltoall";
    case Operation::ReduceScatter:
      return "reducescatter";
    default:
      return {};
  }
}

std::uint64_t msccl_chunks_per_loop(const Collective& call) {
  switch (call.operation) {
    case Operation::Allgather:
    case Operation::Alltoall:
    case Operation::ReduceScatter:
      return call.count * call.size;
    default:
      return call.count;
  }
}

std::uint64_t msccl_input_chunks(const Collective& call) {
  switch (call.operation) {
    case Operation::Scatter:
    case Operation::Alltoall:
    case Operation::ReduceScatter:
      return call.count * call.size;
    default:
      return call.count;
  }
}

std::uint64_t msccl_output_chunks(const Collective& call) {
  switch (call.operation) {
    case Operation::Gather:
    case Operation::Alltoall:
    case Operation::Allgather:
      return call.count * call.size;
    default:
      return call.count;
  }
}

}  // namespace espalier::formats

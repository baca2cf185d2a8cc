#include "mpi/node_segment.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "mpi/node_combine.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using shared::Copies;

namespace {

void go_on_in_segment(void* of) { let_go_on(*static_cast<Channel*>(of)); }

/// Whether others wait for this rank in such a call.
bool waits_for(const Collective& call, Rank rank) {
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Scatter:
      return rank == call.root;
    case Operation::Gather:
      return rank != call.root;
    default:
      return true;
  }
}

}  // namespace

std::unique_ptr<NodeSegment> NodeSegment::make(Channel& channel, SegmentStore& store,
                                               const SegmentWanted& wanted) {
  std::vector<Rank> all(channel.size());
  std::iota(all.begin(), all.end(), Rank{0});
  AgreedSegment agreed = agree_on_segment(channel, store, wanted, all);
  if (!agreed.segment) return nullptr;
  return std::unique_ptr<NodeSegment>(new NodeSegment(channel, std::move(agreed)));
}

NodeSegment::NodeSegment(Channel& channel, AgreedSegment agreed)
    : channel_(channel),
      segment_(std::move(agreed.segment)),
      member_((*segment_)->member),
      reads_peers_(agreed.reads_peers) {
  member_ = member_.again(access_to(**segment_, agreed.is_crowded, {go_on_in_segment, &channel}));
}

bool NodeSegment::may_serve(const Collective& call) {
  if (call.irregular()) return false;
  const shared::Geometry geometry{call.size};
  switch (call.operation) {
    case Operation::Scatter:
    case Operation::Alltoall:
      return geometry.piece_of_each(1) > 0;
    case Operation::Reduce:
    case Operation::Allreduce:
    case Operation::Scan:
    case Operation::Exscan:
      return call.element.value <= geometry.slot_bytes;
    case Operation::ReduceScatter:
      return geometry.piece_of_each(call.element.value) > 0;
    default:
      return true;
  }
}

bool NodeSegment::serves(const Collective& call, const ElementBuffers& buffers) {
  return may_serve(call) && (!schedule::reduces(call.operation) || !has_gaps(buffers.layout));
}

int NodeSegment::run(const Collective& call, const ElementCall& elements, Copies copies) {
  std::byte* const out = elements.buffers.base[static_cast<std::size_t>(Buffer::Out)];
  const Layout& layout = elements.buffers.layout;
  if (call.operation == Operation::Broadcast && !layout.dense) {
    // Only a root has elements with gaps here; others take bytes.
    const std::uint64_t count = call.count / static_cast<std::uint64_t>(layout.size);
    std::vector<std::byte> packed(call.count);
    const int code = pack(layout, out, count, packed.data(), channel_.self());
    const int ran = run_bytes(call, elements, packed.data(), copies);
    return code != MPI_SUCCESS ? code : ran;
  }
  return run_bytes(call, elements, out, copies);
}

int NodeSegment::run_bytes(const Collective& call, const ElementCall& elements, std::byte* out,
                           Copies copies) {
  const bool is_right = schedule::reduces(call.operation) ? reduce_right(call, elements, out)
                                                          : move_right(call, elements, out, copies);
  if (is_right) return MPI_SUCCESS;
  const bool is_lost = copies == Copies::One && member_.has_lost_member();
  return is_lost ? MPI_ERR_OTHER : MPI_ERR_TRUNCATE;
}

bool NodeSegment::move_right(const Collective& call, const ElementCall& elements, std::byte* out,
                             Copies copies) {
  const std::byte* const in = elements.buffers.base[static_cast<std::size_t>(Buffer::In)];
  const std::uint64_t signature = elements.signature;
  const std::uint64_t bytes = call.count * call.element.value;
  switch (call.operation) {
    case Operation::Broadcast:
      return member_.broadcast(signature, call.root, out, bytes, copies);
    case Operation::Gather:
      return member_.gather(signature, call.root, in, out, bytes, copies);
    case Operation::Scatter:
      return member_.scatter(signature, call.root, in, out, bytes, copies);
    case Operation::Allgather:
      return member_.allgather(signature, in, out, bytes, copies);
    case Operation::Alltoall:
      return member_.alltoall(signature, in, out, bytes, copies);
    default:
      return member_.barrier(signature);
  }
}

bool NodeSegment::reduce_right(const Collective& call, const ElementCall& elements,
                               std::byte* out) {
  const std::byte* const in = elements.buffers.base[static_cast<std::size_t>(Buffer::In)];
  const std::uint64_t signature = elements.signature;
  const std::uint64_t element = call.element.value;
  const std::uint64_t bytes = call.count * element;
  const NodeCombine combine(elements.reduction, elements.buffers.layout);
  switch (call.operation) {
    case Operation::Reduce:
      return member_.reduce(signature, call.root, in, out, bytes, element, combine.get());
    case Operation::Allreduce:
      return member_.allreduce(signature, in, out, bytes, element, combine.get());
    case Operation::ReduceScatter:
      return member_.reduce_scatter(signature, in, out, bytes, element, combine.get());
    default:
      return member_.scan(signature, in, out, bytes, element, combine.get(),
                          call.operation == Operation::Exscan);
  }
}

std::uint64_t NodeSegment::steps_of(const Collective& call, Copies copies) const {
  const std::uint64_t element = call.element.value;
  const std::uint64_t bytes = call.count * element;
  switch (call.operation) {
    case Operation::Barrier:
      return 1;
    case Operation::Reduce:
    case Operation::Allreduce:
      return member_.steps_of_reduce(bytes, element);
    case Operation::Scatter:
    case Operation::Alltoall:
    case Operation::ReduceScatter:
      return member_.steps_of(bytes, true, copies, element);
    default:
      return member_.steps_of(bytes, false, copies, element);
  }
}

void NodeSegment::skip(const Collective& call, std::uint64_t signature, Copies copies) {
  const std::uint64_t steps = steps_of(call, copies);
  if (steps > 0 && waits_for(call, channel_.rank())) {
    member_.refuse(signature, steps, true);
  } else {
    member_.skip(steps);
  }
}

}  // namespace espalier::mpi

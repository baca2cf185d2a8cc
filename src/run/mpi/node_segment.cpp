#include "mpi/node_segment.hpp"

#include <unistd.h>

#include <random>
#include <utility>
#include <vector>

#include "mpi/mpi_traits.hpp"
#include "mpi/node_combine.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;

namespace {

/// What rank 0 tells the others of the segment that it made.
struct Invitation {
  std::uint64_t is_made = 0;
  std::uint64_t process = 0;
  std::uint64_t file = 0;
  std::uint64_t nonce = 0;
};

std::uint64_t* nonce_of(const shared::Mapping& mapping) {
  return reinterpret_cast<std::uint64_t*>(mapping.data());
}
std::uint32_t* sleepers_of(const shared::Mapping& mapping) {
  return reinterpret_cast<std::uint32_t*>(mapping.data() + shared::kLine);
}

/// Rank 0's segment, with its nonce; or nothing.
Expected<shared::Mapping> make_first(std::uint64_t bytes, Invitation& invitation) {
  auto made = shared::Mapping::create(bytes);
  if (!made) return made;
  std::random_device device;
  invitation = {1, static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(made->file()),
                (std::uint64_t{device()} << 32U) | device()};
  *nonce_of(*made) = invitation.nonce;
  return made;
}

/// The segment that rank 0 made; nothing if this rank cannot see it.
Expected<shared::Mapping> open_first(std::uint64_t bytes, const Invitation& invitation) {
  auto opened = shared::Mapping::open(static_cast<int>(invitation.process),
                                      static_cast<int>(invitation.file), bytes);
  if (opened && *nonce_of(*opened) != invitation.nonce) {
    return Error{"shared memory", "another file", ""};
  }
  return opened;
}

bool has_named_layout(const Layout& layout) {
  return layout.dense && layout.true_lb == 0 && layout.extent == layout.size;
}

void go_on(void* of) {
  Channel& channel = *static_cast<Channel*>(of);
  int is_there = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel.comm(), &is_there, MPI_STATUS_IGNORE);
  if (channel.step_pending) channel.step_pending();
}

}  // namespace

bool SharedBudget::take(std::uint64_t bytes, std::uint64_t most) {
  const bool is_left = taken_.fetch_add(bytes) + bytes <= most;
  if (!is_left) taken_.fetch_sub(bytes);
  return is_left;
}

void SharedBudget::use() {
  const std::uint64_t now = taken_.load();
  for (std::uint64_t highest = most_.load(); highest < now;) {
    if (most_.compare_exchange_weak(highest, now)) break;
  }
}

std::unique_ptr<NodeSegment> NodeSegment::make(Channel& channel, SharedBudget& budget,
                                               std::uint64_t limit, int processes) {
  if (kIsSimulated || channel.size() > kMostMembers) return nullptr;
  shared::Geometry geometry;
  geometry.members = channel.size();
  const bool has_room = budget.take(geometry.part_bytes(), limit);
  Invitation invitation;
  Expected<shared::Mapping> mapping = Error{};
  if (channel.rank() == 0 && has_room) mapping = make_first(geometry.bytes(), invitation);
  const int told = PMPI_Bcast(&invitation, 4, MPI_UINT64_T, 0, channel.comm());
  if (channel.rank() != 0 && has_room && told == MPI_SUCCESS && invitation.is_made != 0) {
    mapping = open_first(geometry.bytes(), invitation);
  }
  int is_there = mapping ? 1 : 0;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &is_there, 1, MPI_INT, MPI_MIN, channel.comm());
  if (code != MPI_SUCCESS || is_there == 0) {
    if (has_room) budget.give_back(geometry.part_bytes());
    return nullptr;
  }
  mapping->close_file();
  const bool crowded = processes > ::sysconf(_SC_NPROCESSORS_ONLN);
  return std::unique_ptr<NodeSegment>(
      new NodeSegment(channel, budget, std::move(*mapping), geometry, crowded));
}

NodeSegment::NodeSegment(Channel& channel, SharedBudget& budget, shared::Mapping mapping,
                         const shared::Geometry& geometry, bool crowded)
    : channel_(channel),
      budget_(budget),
      mapping_(std::move(mapping)),
      member_(mapping_.data(), geometry, channel.rank(),
              shared::DirectAccess(sleepers_of(mapping_), crowded, {go_on, &channel})) {
  budget_.use();
}

NodeSegment::~NodeSegment() { budget_.give_back(member_.geometry().part_bytes()); }

bool NodeSegment::serves(const Collective& call, const ElementBuffers& buffers) const {
  if (call.irregular()) return false;
  const shared::Geometry& geometry = member_.geometry();
  switch (call.operation) {
    case Operation::Scatter:
    case Operation::Alltoall:
      return geometry.piece_of_each(1) > 0;
    case Operation::Reduce:
    case Operation::Allreduce:
    case Operation::Scan:
    case Operation::Exscan:
      return has_named_layout(buffers.layout) && call.element.value <= geometry.slot_bytes;
    case Operation::ReduceScatter:
      return has_named_layout(buffers.layout) && geometry.piece_of_each(call.element.value) > 0;
    default:
      return true;
  }
}

int NodeSegment::run(const Collective& call, const ElementCall& elements) {
  std::byte* const out = elements.buffers.base[static_cast<std::size_t>(Buffer::Out)];
  const Layout& layout = elements.buffers.layout;
  if (call.operation == Operation::Broadcast && !layout.dense) {
    // Only a root has elements with gaps here; others take bytes.
    const std::uint64_t count = call.count / static_cast<std::uint64_t>(layout.size);
    std::vector<std::byte> packed(call.count);
    const int code = pack(layout, out, count, packed.data(), channel_.self());
    const bool is_right = run_right(call, elements, packed.data());
    return code != MPI_SUCCESS || is_right ? code : MPI_ERR_TRUNCATE;
  }
  return run_right(call, elements, out) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

bool NodeSegment::run_right(const Collective& call, const ElementCall& elements, std::byte* out) {
  const std::byte* const in = elements.buffers.base[static_cast<std::size_t>(Buffer::In)];
  const std::uint64_t signature = elements.signature;
  const std::uint64_t element = call.element.value;
  const std::uint64_t bytes = call.count * element;
  switch (call.operation) {
    case Operation::Barrier:
      return member_.barrier(signature);
    case Operation::Broadcast:
      return member_.broadcast(signature, call.root, out, bytes);
    case Operation::Gather:
      return member_.gather(signature, call.root, in, out, bytes);
    case Operation::Scatter:
      return member_.scatter(signature, call.root, in, out, bytes);
    case Operation::Allgather:
      return member_.allgather(signature, in, out, bytes);
    case Operation::Alltoall:
      return member_.alltoall(signature, in, out, bytes);
    default:
      break;
  }
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

void NodeSegment::skip(const Collective& call) {
  const bool moves = call.operation == Operation::Gather || call.operation == Operation::Scatter;
  if (!moves || call.irregular()) return;
  member_.skip(
      member_.steps_of(call.count * call.element.value, call.operation == Operation::Scatter));
}

}  // namespace espalier::mpi

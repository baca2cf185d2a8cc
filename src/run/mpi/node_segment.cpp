#include "mpi/node_segment.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "mpi/node_combine.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;

namespace {

/// What rank 0 tells the others of a segment: one that it made, or one that they had before.
struct Invitation {
  enum What : std::uint64_t { Nothing, Made, Again };
  std::uint64_t what = Nothing;
  std::uint64_t process = 0;
  std::uint64_t file = 0;
  std::uint64_t nonce = 0;
  std::uint64_t steps = 0;  // that were done on it
};
constexpr int kNumbers = sizeof(Invitation) / sizeof(std::uint64_t);

shared::Geometry geometry_of(Rank members) {
  shared::Geometry geometry;
  geometry.members = members;
  return geometry;
}

std::uint64_t* nonce_of(const shared::Mapping& mapping) {
  return reinterpret_cast<std::uint64_t*>(mapping.data());
}
std::uint32_t* sleepers_of(const shared::Mapping& mapping) {
  return reinterpret_cast<std::uint32_t*>(mapping.data() + shared::kLine);
}

SharedSegment segment_at(shared::Mapping mapping, const shared::Geometry& geometry,
                         std::uint32_t rank) {
  SharedSegment::Member member(mapping.data(), geometry, rank, shared::DirectAccess());
  const std::uint64_t nonce = *nonce_of(mapping);
  return {std::move(mapping), std::move(member), nonce};
}

/// Rank 0's segment, with its nonce; or nothing.
std::optional<SharedSegment> make_first(const shared::Geometry& geometry, Invitation& invitation) {
  auto made = shared::Mapping::create(geometry.bytes());
  if (!made) return std::nullopt;
  std::random_device device;
  invitation = {Invitation::Made, static_cast<std::uint64_t>(::getpid()),
                static_cast<std::uint64_t>(made->file()),
                (std::uint64_t{device()} << 32U) | device() | 1U};
  *nonce_of(*made) = invitation.nonce;
  return segment_at(std::move(*made), geometry, 0);
}

/// The segment that rank 0 made; nothing if this rank cannot see it.
std::optional<SharedSegment> open_first(const shared::Geometry& geometry, std::uint32_t rank,
                                        const Invitation& invitation) {
  auto opened = shared::Mapping::open(static_cast<int>(invitation.process),
                                      static_cast<int>(invitation.file), geometry.bytes());
  if (!opened || *nonce_of(*opened) != invitation.nonce) return std::nullopt;
  return segment_at(std::move(*opened), geometry, rank);
}

/// Rank 0 tells the others. @return whether that worked
bool tell(Channel& channel, Invitation& invitation) {
  return PMPI_Bcast(&invitation, kNumbers, MPI_UINT64_T, 0, channel.comm()) == MPI_SUCCESS;
}
/// The last reason that some rank has.
NoSegment why_not_all(Channel& channel, NoSegment own) {
  int last = static_cast<int>(own);
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, channel.comm());
  return code == MPI_SUCCESS ? static_cast<NoSegment>(last) : NoSegment::Messages;
}

/// What this rank has of a segment, and of the cap for it.
struct Share {
  std::optional<SharedSegment> segment;
  bool has_room = false;                 // taken from the cap
  NoSegment why = NoSegment::Forgotten;  // if there is no segment

  [[nodiscard]] NoSegment why_not() const { return segment ? NoSegment::HasOne : why; }
};

/// Rank 0 offers one that the ranks had before, or a new one.
Share offer(SegmentStore& store, const NodeSegment::Wanted& wanted,
            const shared::Geometry& geometry, bool may_be_used_again, Invitation& invitation) {
  Share share;
  if (wanted.fears_devices) {
    share.why = NoSegment::Devices;
    return share;
  }
  if (may_be_used_again) share.segment = store.find(wanted.ranks, 0);
  if (share.segment) {
    const SharedSegment& spare = *share.segment;
    invitation = {Invitation::Again, 0, 0, spare.nonce, spare.member.steps()};
    share.has_room = true;
    return share;
  }
  share.has_room = store.take(geometry.part_bytes(), wanted.limit);
  share.why = share.has_room ? NoSegment::NotMade : NoSegment::Limit;
  if (share.has_room) share.segment = make_first(geometry, invitation);
  return share;
}

/// Another rank takes what was offered, if it can.
Share accept(SegmentStore& store, const NodeSegment::Wanted& wanted,
             const shared::Geometry& geometry, std::uint32_t rank, const Invitation& invitation) {
  Share share;
  if (wanted.fears_devices) {
    share.why = NoSegment::Devices;
  } else if (invitation.what == Invitation::Again) {
    share.segment = store.find(wanted.ranks, invitation.nonce);
    share.has_room = share.segment.has_value();
    if (share.segment && share.segment->member.steps() != invitation.steps) share.segment.reset();
  } else if (invitation.what == Invitation::Made) {
    share.has_room = store.take(geometry.part_bytes(), wanted.limit);
    share.why = share.has_room ? NoSegment::Unseen : NoSegment::Limit;
    if (share.has_room) share.segment = open_first(geometry, rank, invitation);
  }
  return share;
}

/// A segment on all ranks or on none. Collective.
std::optional<SharedSegment> agreed_segment(Channel& channel, SegmentStore& store,
                                            const NodeSegment::Wanted& wanted,
                                            bool may_be_used_again) {
  const shared::Geometry geometry = geometry_of(channel.size());
  Invitation invitation;
  Share share;
  if (channel.rank() == 0) {
    share = offer(store, wanted, geometry, may_be_used_again, invitation);
  }
  const bool is_told = tell(channel, invitation);
  if (is_told && channel.rank() != 0) {
    share = accept(store, wanted, geometry, channel.rank(), invitation);
  }
  const NoSegment why = why_not_all(channel, is_told ? share.why_not() : NoSegment::Messages);
  if (why == NoSegment::HasOne) {
    share.segment->mapping.close_file();
    store.use();
    return std::optional<SharedSegment>(std::move(share.segment));
  }
  share.segment.reset();
  if (share.has_room) store.give_back(geometry.part_bytes());
  // Somebody has forgotten the old one: then a new one.
  const bool asks_again = why == NoSegment::Forgotten && invitation.what == Invitation::Again;
  if (asks_again) return agreed_segment(channel, store, wanted, false);
  store.note_refusal(why);
  return std::nullopt;
}

/// Asks for a message that never comes, from this rank itself: a probe that finds something makes
/// no progress in either MPI, and messages of the next calls may lie there already.
void go_on(void* of) {
  Channel& channel = *static_cast<Channel*>(of);
  int is_there = 0;
  PMPI_Iprobe(static_cast<int>(channel.rank()), MPI_ANY_TAG, channel.comm(), &is_there,
              MPI_STATUS_IGNORE);
  drive_progress();
  if (channel.step_pending) channel.step_pending();
}

/// How many processors the members may use together: a batch system or a container may have given
/// them fewer than the host has. Collective.
int processors_of(Channel& channel) {
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) std::memset(&mine, 0xff, sizeof mine);
  const int code = PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, channel.comm());
  return code == MPI_SUCCESS ? CPU_COUNT(&all) : CPU_SETSIZE;
}

}  // namespace

std::unique_ptr<NodeSegment> NodeSegment::make(Channel& channel, SegmentStore& store,
                                               const Wanted& wanted) {
  std::optional<SharedSegment> segment = agreed_segment(channel, store, wanted, true);
  if (!segment) return nullptr;
  const int processors = processors_of(channel);
  const bool is_crowded = static_cast<int>(channel.size()) > processors ||
                          wanted.processes > ::sysconf(_SC_NPROCESSORS_ONLN);
  return std::unique_ptr<NodeSegment>(
      new NodeSegment(channel, store, wanted, std::move(*segment), is_crowded));
}

NodeSegment::NodeSegment(Channel& channel, SegmentStore& store, const Wanted& wanted,
                         SharedSegment segment, bool is_crowded)
    : channel_(channel),
      store_(store),
      ranks_(wanted.ranks),
      mapping_(std::move(segment.mapping)),
      nonce_(segment.nonce),
      member_(segment.member.again(
          shared::DirectAccess(sleepers_of(mapping_), is_crowded, {go_on, &channel}))) {}

NodeSegment::~NodeSegment() {
  if (has_failed_) {
    store_.give_back(member_.geometry().part_bytes());
  } else {
    store_.keep(ranks_, {std::move(mapping_), std::move(member_), nonce_});
  }
}

bool NodeSegment::may_serve(const Collective& call) {
  if (call.irregular()) return false;
  const shared::Geometry geometry = geometry_of(call.size);
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

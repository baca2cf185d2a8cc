#include "mpi/agreed_segment.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/entropy.hpp"
#include "mpi/progress_hook.hpp"
#include "shared/fold.hpp"

namespace espalier::mpi {
namespace {

/// What the first rank of a node tells its mates of a segment: one that it made, or one that they
/// had before.
struct Invitation {
  enum What : std::uint64_t { Nothing, Made, Again };
  std::uint64_t what = Nothing;
  std::uint64_t process = 0;
  std::uint64_t file = 0;
  std::uint64_t nonce = 0;
  std::uint64_t steps = 0;  // that were done on it
};
constexpr int kNumbers = sizeof(Invitation) / sizeof(std::uint64_t);

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

/// The first rank's segment, with its nonce; or nothing.
std::optional<SharedSegment> make_first(const shared::Geometry& geometry, Invitation& invitation) {
  auto made = shared::Mapping::create(geometry.bytes());
  if (!made) return std::nullopt;
  invitation = {Invitation::Made, static_cast<std::uint64_t>(::getpid()),
                static_cast<std::uint64_t>(made->file()), fresh_number() | 1U};
  *nonce_of(*made) = invitation.nonce;
  return segment_at(std::move(*made), geometry, 0);
}

/// The segment that the first rank made; nothing if this rank cannot see it.
std::optional<SharedSegment> open_first(const shared::Geometry& geometry, std::uint32_t rank,
                                        const Invitation& invitation) {
  auto opened = shared::Mapping::open(static_cast<int>(invitation.process),
                                      static_cast<int>(invitation.file), geometry.bytes());
  if (!opened || *nonce_of(*opened) != invitation.nonce) return std::nullopt;
  return segment_at(std::move(*opened), geometry, rank);
}

/// The first rank tells its mates. @return whether that worked
bool tell(Channel& channel, const std::vector<Rank>& mates, Invitation& invitation) {
  if (mates.size() == channel.size()) {
    return PMPI_Bcast(&invitation, kNumbers, MPI_UINT64_T, 0, channel.comm()) == MPI_SUCCESS;
  }
  // Nothing else is under way there: all ranks agree behind this.
  constexpr int kTag = 0;
  const auto first = static_cast<int>(mates.front());
  if (channel.rank() != mates.front()) {
    return PMPI_Recv(&invitation, kNumbers, MPI_UINT64_T, first, kTag, channel.comm(),
                     MPI_STATUS_IGNORE) == MPI_SUCCESS;
  }
  bool is_told = true;
  for (std::size_t i = 1; i < mates.size(); ++i) {
    is_told &= PMPI_Send(&invitation, kNumbers, MPI_UINT64_T, static_cast<int>(mates[i]), kTag,
                         channel.comm()) == MPI_SUCCESS;
  }
  return is_told;
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

/// The first rank offers one that the ranks had before, or a new one.
/// @param ranks the mates as ranks of MPI_COMM_WORLD
Share offer(SegmentStore& store, const SegmentWanted& wanted, const std::vector<Rank>& ranks,
            const shared::Geometry& geometry, bool may_be_used_again, Invitation& invitation) {
  Share share;
  if (wanted.fears_devices) {
    share.why = NoSegment::Devices;
    return share;
  }
  if (may_be_used_again) share.segment = store.find(ranks, 0);
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
Share accept(SegmentStore& store, const SegmentWanted& wanted, const std::vector<Rank>& ranks,
             const shared::Geometry& geometry, std::uint32_t rank, const Invitation& invitation) {
  Share share;
  if (wanted.fears_devices) {
    share.why = NoSegment::Devices;
  } else if (invitation.what == Invitation::Again) {
    share.segment = store.find(ranks, invitation.nonce);
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
AgreedSegment agreed(Channel& channel, SegmentStore& store, const SegmentWanted& wanted,
                     const std::vector<Rank>& mates, bool may_be_used_again) {
  const auto own = std::find(mates.begin(), mates.end(), channel.rank());
  const auto index = static_cast<std::uint32_t>(own - mates.begin());
  const bool is_alone = mates.size() == 1;
  std::vector<Rank> ranks;
  for (const Rank mate : mates) ranks.push_back(wanted.members[mate]);
  const shared::Geometry geometry{static_cast<Rank>(mates.size())};
  Invitation invitation;
  Share share;
  if (is_alone) {
    share.why = NoSegment::HasOne;  // it needs none
  } else if (index == 0) {
    share = offer(store, wanted, ranks, geometry, may_be_used_again, invitation);
  }
  const bool is_told = is_alone || tell(channel, mates, invitation);
  if (is_told && index != 0) share = accept(store, wanted, ranks, geometry, index, invitation);
  const NoSegment why = why_not_all(channel, is_told ? share.why_not() : NoSegment::Messages);
  if (why == NoSegment::HasOne) {
    store.use();
    if (is_alone) return {true};
    share.segment->mapping.close_file();
    return {true,
            std::make_unique<UsedSegment>(store, std::move(ranks), *std::move(share.segment))};
  }
  share.segment.reset();
  if (share.has_room) store.give_back(geometry.part_bytes());
  // Somebody has forgotten an old one: then all make new ones.
  if (why == NoSegment::Forgotten && may_be_used_again) {
    return agreed(channel, store, wanted, mates, false);
  }
  store.note_refusal(why);
  return {};
}

void go_on(void* of) { let_go_on(*static_cast<Channel*>(of)); }

/// The members tell each other by what their memory can be read. @return whether this one can read
/// that of all others
bool meet_peers(SharedSegment& segment) {
  const shared::Geometry& geometry = segment.member.geometry();
  std::vector<shared::ProcessCard> cards(geometry.members);
  const shared::ProcessCard own = shared::own_card();
  const bool is_right =
      segment.member.allgather(0, reinterpret_cast<const std::byte*>(&own),
                               reinterpret_cast<std::byte*>(cards.data()), sizeof own);
  if (!is_right) return false;
  segment.peers =
      std::make_unique<const shared::PeerMemory>(std::move(cards), segment.member.rank());
  return segment.peers->can_read_all();
}

/// What the members of a segment have come to.
struct Means {
  /// Processors that they may use together: a batch system or a container may have given them fewer
  /// than the host has.
  int processors = CPU_SETSIZE;
  bool reads_peers = false;  ///< all can read the memory of all others
};

/// All members ask.
Means common_means(Channel& channel, SharedSegment& segment, bool reads_peers) {
  struct Known {
    cpu_set_t processors;
    std::uint64_t cannot_read;
  } all;
  static_assert(sizeof all % sizeof(std::uint64_t) == 0);
  CPU_ZERO(&all.processors);
  if (::sched_getaffinity(0, sizeof all.processors, &all.processors) != 0) {
    std::memset(&all.processors, 0xff, sizeof all.processors);
  }
  segment.peers.reset();
  segment.member = segment.member.again(access_to(segment, true, {go_on, &channel}));
  all.cannot_read = reads_peers && meet_peers(segment) ? 0 : 1;
  const shared::Combine& combine =
      *shared::combine_of(shared::Kind::UInt64, shared::Arithmetic::BitOr);
  auto* const bytes = reinterpret_cast<std::byte*>(&all);
  const bool is_right =
      segment.member.allreduce(0, bytes, bytes, sizeof all, sizeof(std::uint64_t), combine);
  if (!is_right) return {};
  return {CPU_COUNT(&all.processors), all.cannot_read == 0};
}

}  // namespace

shared::DirectAccess access_to(const SharedSegment& segment, bool is_crowded,
                               shared::Progress progress) {
  return shared::DirectAccess(sleepers_of(segment.mapping), is_crowded, progress,
                              segment.peers.get());
}

/// Asks for a message that never comes, from this rank itself: a probe that finds something makes
/// no progress in either MPI, and messages of the next calls may lie there already.
void let_go_on(Channel& channel) {
  int is_there = 0;
  PMPI_Iprobe(static_cast<int>(channel.rank()), MPI_ANY_TAG, channel.comm(), &is_there,
              MPI_STATUS_IGNORE);
  drive_progress();
  if (channel.step_pending) channel.step_pending();
}

AgreedSegment agree_on_segment(Channel& channel, SegmentStore& store, const SegmentWanted& wanted,
                               const std::vector<Rank>& mates) {
  AgreedSegment all = agreed(channel, store, wanted, mates, true);
  if (!all.segment) return all;
  SharedSegment& segment = **all.segment;
  const Means means = common_means(channel, segment, wanted.reads_peers);
  all.reads_peers = means.reads_peers;
  if (!all.reads_peers) segment.peers.reset();
  if (wanted.reads_peers && !all.reads_peers) store.note_unreadable();
  all.is_crowded = static_cast<int>(mates.size()) > means.processors ||
                   wanted.processes > ::sysconf(_SC_NPROCESSORS_ONLN);
  return all;
}

}  // namespace espalier::mpi

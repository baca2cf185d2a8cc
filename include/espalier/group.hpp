#pragma once

// System-ranked process groups for MPI programs: what they cost, and when to use them instead of
// communicators, is in docs/groups.md. Link with libespalier-group-mpich or -openmpi.
//
//   espalier::Groups groups(MPI_COMM_WORLD);
//   espalier::Group row = groups.all().split(colour);
//   row.allreduce(values, espalier::sum);
//   row.free();
//
// Rules, as MPI's: a call on a group is made by all its members, in the same order; one thread at a
// time. Progress is made inside the calls here and nowhere else. A misuse throws std::logic_error;
// errors of MPI go to the error handler of the communicator, and if that returns, to
// Groups::error(). So does MPI_ERR_TRUNCATE on a member whose call differs in kind or length from
// that of a neighbour in the tree.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include "espalier/group_operations.hpp"

namespace espalier {

class Group;
class GroupRuntime;  // internal

using GroupRank = std::uint32_t;

/// LogGP figures of the network, the same on all ranks; they choose degrees and segments.
struct GroupNetwork {
  std::uint64_t latency_ns = 0;
  std::uint64_t overhead_ns = 0;  ///< time that a message costs its sender, and its receiver
  std::uint64_t bytes_per_second = 0;
};

/// Where a rank lies: numbers of its clusters, from the outermost (a site) inwards (a node).
using ClusterPath = std::vector<std::uint32_t>;

struct GroupsOptions {
  unsigned degree = 0;  ///< degree of trees, 1 to 254; 0: chosen by `network`, 3 without it
  std::optional<GroupNetwork> network;
  std::size_t typical_bytes = 4096;  ///< message size that the degree is chosen for
  /// For Group::along_topology(): the clusters of a rank of the communicator, or a machine as
  /// `espalier` reads it (a file, or "site:2 node:4 proc:8") with a place for each rank; places
  /// beyond the last rank stay empty. If one rank cannot read it, finds fewer places than ranks, or
  /// cannot take other options, Groups throws on all of them.
  std::function<ClusterPath(int rank)> clusters = nullptr;
  std::string machine = {};
};

/// The ways of section 2, 4 and 5 of the paper in docs/groups.md.
enum class GroupScheme : std::uint8_t {
  RankAndHash,
  ShrinkAndBalance,
  ShrinkByChildren,
  Centralized
};

struct SplitOptions {
  GroupScheme scheme = GroupScheme::RankAndHash;  ///< the only one that takes colours
  unsigned degree = 0;                            ///< 0: as all others
};

/// Where a root's data enter or leave the tree.
enum class GroupRoot : std::uint8_t {
  Cheapest,   ///< OwnTree as soon as the calls so far are worth it; needs `network`
  Forward,    ///< data pass through the tree's root
  AnyVertex,  ///< data flow along the tree's edges, from the call's root or to it
  OwnTree     ///< one more tree with this root, made by the first such call
};

struct CollectiveOptions {
  /// Data go in segments of so many bytes, 65,504 at most; 0: chosen. The same on all members.
  std::size_t segment_bytes = 0;
  GroupRoot root = GroupRoot::Cheapest;
};

/// A collective under way; the data must stay where they are until it is over. Whoever lets go of
/// the request does not end the collective: it goes on inside other calls here, and ~Groups() waits
/// for it, so the data must stay until then. A request is of no use once its Groups are gone.
class [[gnu::visibility("default")]] GroupRequest {
 public:
  [[nodiscard]] bool test();  ///< makes progress
  void wait();

 private:
  friend class Group;
  GroupRuntime* runtime_ = nullptr;
  std::uint64_t group_ = 0;
  std::uint32_t sequence_ = 0;
};

/// A group that is being made. If nobody waits for it, it is made and given up by ~Groups().
class [[gnu::visibility("default")]] NewGroup {
 public:
  [[nodiscard]] bool test();  ///< makes progress
  Group wait();               ///< may be called once

 private:
  friend class Group;
  GroupRuntime* runtime_ = nullptr;
  std::uint64_t construction_ = 0;
};

struct GroupParcel {
  GroupRank from = 0;
  std::vector<std::byte> data;
};

/// A handle, copied freely; that of one who is no member has size 0.
class [[gnu::visibility("default")]] Group {
 public:
  [[nodiscard]] bool member() const { return runtime_ != nullptr; }
  [[nodiscard]] GroupRank size() const;
  [[nodiscard]] GroupRank rank() const;  ///< chosen by the system
  /// The parent's rank in the communicator of Groups, -1 for the tree's root: for those who want to
  /// see the tree. @pre member()
  [[nodiscard]] int tree_parent() const;

  /// One group a colour (>= 0); MPI_UNDEFINED: into none.
  Group split(int colour, SplitOptions options = {}) const {
    return isplit(colour, options).wait();
  }
  /// One group of those who say yes.
  Group enroll(bool joins, SplitOptions options = {}) const;
  /// The same members as a group of its own, `root` as the tree's root and rank 0.
  Group rooted_at(GroupRank root, SplitOptions options = {}) const;
  /// Whether so many broadcasts or reductions with that root are worth a tree (GroupRoot::OwnTree),
  /// by the figures of the network: the same answer on all members. Without figures: no. Who does
  /// not know the number leaves it to GroupRoot::Cheapest.
  [[nodiscard]] bool worth_a_tree(GroupRank root, std::size_t bytes, std::uint32_t calls) const;
  /// The same members with ranks by key, then by present rank.
  Group ranked_by(std::uint64_t key, SplitOptions options = {}) const;
  /// The same members on a tree that follows the topology that GroupsOptions tells of: the members
  /// of each cluster are connected. Degree 2 or more.
  Group along_topology(SplitOptions options = {}) const;
  [[nodiscard]] NewGroup isplit(int colour, SplitOptions options = {}) const;
  [[nodiscard]] NewGroup ienroll(bool joins, SplitOptions options = {}) const;
  [[nodiscard]] NewGroup irooted_at(GroupRank root, SplitOptions options = {}) const;
  [[nodiscard]] NewGroup iranked_by(std::uint64_t key, SplitOptions options = {}) const;
  [[nodiscard]] NewGroup ialong_topology(SplitOptions options = {}) const;

  /// A communicator of the members with the same ranks, the caller's to free. O(m) memory, as any
  /// communicator. @return MPI's code
  int to_communicator(MPI_Comm * comm) const;

  /// Returns at once; the memory goes when all members have called it. @pre one's own calls on the
  /// group are over and all that was sent is, or will be, received
  void free();

  void barrier() const { ibarrier().wait(); }
  /// Data are contiguous ranges of trivially copyable elements (std::vector, std::span, ...).
  template <std::ranges::contiguous_range Data>
  void broadcast(Data && data, GroupRank root, CollectiveOptions options = {}) const {
    ibroadcast(data, root, options).wait();
  }
  /// The root's data become the result, those of others stay. Operations must commute.
  template <std::ranges::contiguous_range Data, typename Operation>
  void reduce(Data && data, Operation operation, GroupRank root, CollectiveOptions options = {})
      const {
    ireduce(data, operation, root, options).wait();
  }
  template <std::ranges::contiguous_range Data, typename Operation>
  void allreduce(Data && data, Operation operation, CollectiveOptions options = {}) const {
    iallreduce(data, operation, options).wait();
  }
  [[nodiscard]] GroupRequest ibarrier() const;
  template <std::ranges::contiguous_range Data>
  [[nodiscard]] GroupRequest ibroadcast(Data && data, GroupRank root,
                                        CollectiveOptions options = {}) const {
    return start_broadcast(bytes_of(data), root, options);
  }
  template <std::ranges::contiguous_range Data, typename Operation>
  [[nodiscard]] GroupRequest ireduce(Data && data, Operation operation, GroupRank root,
                                     CollectiveOptions options = {}) const {
    using T = std::ranges::range_value_t<Data>;
    return start_reduce(bytes_of(data), elementwise<T>(operation), root, options);
  }
  template <std::ranges::contiguous_range Data, typename Operation>
  [[nodiscard]] GroupRequest iallreduce(Data && data, Operation operation,
                                        CollectiveOptions options = {}) const {
    using T = std::ranges::range_value_t<Data>;
    return start_allreduce(bytes_of(data), elementwise<T>(operation), options);
  }
  // The operation is MPI's, built-in or made by MPI_Op_create as commutative. Types are without
  // gaps. Both must live until it is over.
  [[nodiscard]] GroupRequest ireduce(void* data, int count, MPI_Datatype type, MPI_Op operation,
                                     GroupRank root, CollectiveOptions options = {}) const;
  [[nodiscard]] GroupRequest iallreduce(void* data, int count, MPI_Datatype type, MPI_Op operation,
                                        CollectiveOptions options = {}) const;

  /// Sends a copy to one member. Returns at once, or, if 16 are under way to it already, when that
  /// member has made progress. The first message to a rank asks for its id along the
  /// group, so members on the way have to make progress; the last 16 are remembered. Two messages
  /// between the same members keep their order.
  template <std::ranges::contiguous_range Data>
  void send(GroupRank to, const Data& data) const {
    send_bytes(to, std::as_bytes(std::span(data)));
  }
  [[nodiscard]] GroupParcel receive() const;
  [[nodiscard]] GroupParcel receive(GroupRank from) const;
  [[nodiscard]] std::optional<GroupParcel> try_receive() const;

 private:
  friend class Groups;
  friend class NewGroup;
  template <typename Data>
  static std::span<std::byte> bytes_of(Data & data) {
    static_assert(std::is_trivially_copyable_v<std::ranges::range_value_t<Data>>);
    return std::as_writable_bytes(std::span(data));
  }
  [[nodiscard]] GroupRequest start_broadcast(std::span<std::byte>, GroupRank,
                                             const CollectiveOptions&) const;
  [[nodiscard]] GroupRequest start_reduce(std::span<std::byte>, ElementOperation, GroupRank,
                                          const CollectiveOptions&) const;
  [[nodiscard]] GroupRequest start_allreduce(std::span<std::byte>, ElementOperation,
                                             const CollectiveOptions&) const;
  template <typename Ticket>
  [[nodiscard]] GroupRequest request(const Ticket& ticket) const;
  void send_bytes(GroupRank to, std::span<const std::byte> data) const;
  [[nodiscard]] GroupParcel await(std::optional<GroupRank> from) const;

  GroupRuntime* runtime_ = nullptr;
  std::uint64_t tag_ = 0;
};

/// What this process holds.
struct GroupStatistics {
  std::size_t live_groups = 0;       ///< includes the group of all processes, and trees for roots
  std::size_t trees_for_roots = 0;   ///< trees of GroupRoot::OwnTree, of groups not freed here
  std::size_t bytes = 0;             ///< memory of groups, made or under way
  std::size_t endpoint_bytes = 0;    ///< memory of posted receives; constant
  std::size_t waiting_messages = 0;  ///< messages of calls that were not made here yet
  std::size_t held_messages = 0;     ///< messages that wait for room to be sent
  std::size_t sends_under_way = 0;  ///< sends under way: 15 to one process, and one message's parts
  std::size_t most_sends_under_way = 0;
  std::uint64_t messages_sent = 0;
};

/// All groups of the processes of one communicator, over a hidden duplicate of it.
class [[gnu::visibility("default")]] Groups {
 public:
  /// Collective.
  explicit Groups(MPI_Comm comm, GroupsOptions options = {});
  /// Collective, before MPI_Finalize. Waits for calls that are still under way, whose requests
  /// nobody has waited for, then gives up all groups that are left. Waits for nobody once error()
  /// is another than MPI_SUCCESS. After MPI_Finalize it only gives memory back that MPI does not
  /// use.
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  /// The group of all processes: its ranks are those of the communicator.
  [[nodiscard]] Group all() const;
  /// Hands on what has come. For programs that are elsewhere for long.
  void progress();
  [[nodiscard]] GroupStatistics statistics() const;
  /// MPI_SUCCESS, or the first code that was not; every wait ends then.
  [[nodiscard]] int error() const;

 private:
  std::unique_ptr<GroupRuntime> runtime_;
};

}  // namespace espalier

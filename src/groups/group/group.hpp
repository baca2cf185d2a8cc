#pragma once

#include <functional>
#include <optional>

#include "group/choose_root.hpp"
#include "group/process.hpp"

namespace espalier::group {

class Splitting;

/// A system-ranked group: a cheap handle; the group itself lives in its Process until free().
///
/// O(k) memory, whatever its size. The ranks are chosen by the system. A handle of one who is no
/// member has size 0 and can do nothing.
class Group {
 public:
  Group() = default;

  [[nodiscard]] bool member() const { return process_ != nullptr; }
  /// Its name: the same on all members, and no other group's. 0: no member.
  [[nodiscard]] Tag tag() const { return tag_; }
  [[nodiscard]] Rank size() const;
  [[nodiscard]] Rank rank() const;
  /// What this process knows of the group's tree.
  [[nodiscard]] const GroupView& view() const;

  /// One group for each colour; kNoColour: into none.
  [[nodiscard]] Splitting split(Colour colour, SplitOptions options = {}) const;
  /// One group of those who say yes.
  [[nodiscard]] Splitting enroll(bool joins, SplitOptions options = {}) const;
  /// The same members on a tree with another root, whose rank is 0 there.
  [[nodiscard]] Splitting rooted_at(Rank root, SplitOptions options = {}) const;

  /// The same members with ranks of the user's choice: by key, then by present rank. The extra sort
  /// costs log^2 m messages a member and O(1) memory (ranked_by_key.hpp).
  [[nodiscard]] Splitting ranked_by(std::uint64_t key, SplitOptions options = {}) const;

  /// The same members on a tree that follows the topology (along_topology.hpp): a second pass.
  /// @param path one's own clusters, from the outermost inwards
  [[nodiscard]] Splitting along(Words path, SplitOptions options = {}) const;

  /// Counts a broadcast or reduction that is to be made and says which way it should go: the plain
  /// one, or, once the calls with its root are worth it, a tree of their own (root_accounts.hpp).
  /// All members must ask alike.
  [[nodiscard]] RootWay choose_way(const RootUse& call, RootWay plain,
                                   const model::CostModel& model) const;

  [[nodiscard]] Ticket barrier() const;
  [[nodiscard]] Ticket broadcast(std::span<std::byte> data, Rank root,
                                 std::size_t segment_bytes = 0,
                                 std::optional<RootWay> way = std::nullopt) const;
  /// The root's data are replaced by the result; those of the others stay.
  [[nodiscard]] Ticket reduce(std::span<std::byte> data, Combine combine, Rank root,
                              std::size_t segment_bytes = 0,
                              std::optional<RootWay> way = std::nullopt) const;
  [[nodiscard]] Ticket allreduce(std::span<std::byte> data, Combine combine,
                                 std::size_t segment_bytes = 0) const;

  /// To one member. Its id is asked for the first time and then remembered (kCachedIds of them).
  void send(Rank to, std::span<const std::byte> data) const;
  /// The next message that has come, in the order of arrival; from `from` alone if it is given.
  [[nodiscard]] std::optional<Parcel> receive(std::optional<Rank> from = std::nullopt) const;
  static constexpr std::size_t kCachedIds = 16;

  /// Gives its memory back. @pre all operations of all members are over
  void free();
  /// Like free(), but only this process's own operations must be over. A collective call that
  /// returns at once; memory is given back when all members have called it.
  /// @pre all that was sent is, or will be, received
  void retire();

 private:
  friend class Process;
  friend class Splitting;
  using Maker = std::function<std::unique_ptr<Construction>(Tag, const GroupView& parent)>;
  Group(Process& process, Tag tag) : process_(&process), tag_(tag) {}
  [[nodiscard]] Splitting make(Colour colour, bool settled, const Maker& maker) const;
  [[nodiscard]] Ticket start(TreeOperation::Call call, std::optional<RootWay> way) const;
  Process* process_ = nullptr;
  Tag tag_ = 0;
};

/// A construction under way.
class Splitting {
 public:
  /// One that is under way, by its name.
  Splitting(Process& process, Tag tag) : process_(&process), tag_(tag) {}
  [[nodiscard]] Tag tag() const { return tag_; }
  /// Whether one's own part is over.
  [[nodiscard]] bool test() const;
  /// The new group; size 0 if this process is no member. @pre test(); called once
  [[nodiscard]] Group group();

 private:
  Process* process_;
  Tag tag_;
};

}  // namespace espalier::group

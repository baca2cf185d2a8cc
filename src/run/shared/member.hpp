#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "shared/access.hpp"
#include "shared/geometry.hpp"
#include "shared/one_copy.hpp"

namespace espalier::shared {

/// Combines the inputs of several members.
class Combine {
 public:
  virtual ~Combine() = default;
  /// out = inputs[0] op inputs[1] op ..., in this order, from the right: x0 op (x1 op (x2 ...)).
  /// All members get the same bits. @param bytes of each input: whole elements
  virtual void fold(std::span<const std::byte* const> inputs, std::byte* out,
                    std::uint64_t bytes) const = 0;
};

/// One member of a segment, and the collectives that its members do together.
///
/// All members do the same calls in the same order. A call is a number of steps, the same for all
/// (steps.hpp). Nobody need wait for others at the end of a call, or before the segment goes.
///
/// Calls move bytes; in place is allowed wherever input and result begin at the same address.
/// Every call returns false if some member was seen to do another call (by its signature). It then
/// waits for nobody any more, and combines nothing.
template <typename Access>
class Member : private OneCopy<Access> {
 public:
  /// @param memory the segment, zeros at first; it must stay
  Member(std::byte* memory, const Geometry& geometry, std::uint32_t rank, Access access)
      : Member(memory, geometry, rank, std::move(access), 0) {}
  /// A member that goes on behind the last step of this one. All members of the segment do so.
  [[nodiscard]] Member again(Access access) const {
    Member next(memory_, geometry_, rank_, std::move(access), step_);
    next.calls_ = calls_ + 1;
    return next;
  }
  [[nodiscard]] const Access& access() const { return access_; }
  using OneCopy<Access>::has_lost_member;

  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  /// Steps done so far.
  [[nodiscard]] std::uint64_t steps() const { return step_; }

  bool barrier(std::uint64_t signature) {
    begin(signature, 0);
    claim(0);
    post();
    await_all();
    leave();
    return is_right_;
  }

  /// The first half of a barrier over several segments: `leader` knows that all are here.
  bool report(std::uint64_t signature, std::uint32_t leader) {
    begin(signature, 0);
    if (rank_ == leader) {
      await_all();
    } else {
      claim(0);
      post();
    }
    leave();
    return is_right_;
  }
  /// The second half: nobody goes on before `leader`.
  bool release(std::uint64_t signature, std::uint32_t leader) {
    begin(signature, 0);
    if (rank_ == leader) {
      claim(0);
      post();
    } else {
      await(leader);
    }
    leave();
    return is_right_;
  }

  /// In place of a call of so many steps, by a member whose flag others wait for and that failed:
  /// they see a signature that is not theirs. @pre steps > 0
  /// @param waits for what others have not left yet, as every step does. Whoever saw another call
  ///   in this one waits for nobody: those that make this call have left all earlier ones
  void refuse(std::uint64_t signature, std::uint64_t steps, bool waits) {
    constexpr std::uint64_t kFailed = 0x5bd1e995bd1e9955U;
    begin(signature ^ kFailed, 0);
    if (waits) claim(0);
    post();
    for (std::uint64_t i = 0; i < steps; ++i) leave();
  }

  /// @param copies the same on all members, here and below
  bool broadcast(std::uint64_t signature, std::uint32_t root, std::byte* user, std::uint64_t bytes,
                 Copies copies = Copies::Two) {
    if (copies == Copies::One) {
      return move(signature, {.is_rooted = true, .root_writes = true, .root = root},
                  {user, user, bytes});
    }
    const std::uint64_t piece = begin(signature, bytes, geometry_.piece(bytes, 1));
    for_pieces(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      if (rank_ == root) {
        show(user + at, length);
      } else {
        await(root);
        get(root, user + at, length);
      }
    });
    return is_right_;
  }

  /// @param in,out `bytes` of each member to P times as many
  bool allgather(std::uint64_t signature, const std::byte* in, std::byte* out, std::uint64_t bytes,
                 Copies copies = Copies::Two) {
    if (copies == Copies::One) return move(signature, {.collects = true}, {in, out, bytes});
    const std::uint64_t piece = begin(signature, bytes, geometry_.piece(bytes, 1));
    for_pieces(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      show(in + at, length);
      collect(in + at, out + at, bytes, length);
    });
    return is_right_;
  }

  bool gather(std::uint64_t signature, std::uint32_t root, const std::byte* in, std::byte* out,
              std::uint64_t bytes, Copies copies = Copies::Two) {
    if (copies == Copies::One) {
      return move(signature, {.is_rooted = true, .collects = true, .root = root}, {in, out, bytes});
    }
    const std::uint64_t piece = begin(signature, bytes, geometry_.piece(bytes, 1));
    for_pieces(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      if (rank_ != root) {
        show(in + at, length);
      } else {
        collect(in + at, out + at, bytes, length);
      }
    });
    return is_right_;
  }

  /// @pre geometry().piece_of_each(1) > 0
  bool scatter(std::uint64_t signature, std::uint32_t root, const std::byte* in, std::byte* out,
               std::uint64_t bytes, Copies copies = Copies::Two) {
    if (copies == Copies::One) {
      return move(signature,
                  {.is_rooted = true, .root_writes = true, .has_parts = true, .root = root},
                  {in, out, bytes});
    }
    const std::uint64_t piece = begin_parts(signature, bytes, 1);
    for_pieces(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      if (rank_ == root) {
        claim(length * geometry_.members);
        put_parts(in + at, bytes, length);
        post();
        own(in + rank_ * bytes + at, out + at, length);
      } else {
        await(root);
        access_.read(out + at, part(root, rank_, length), length);
      }
    });
    return is_right_;
  }

  /// @pre geometry().piece_of_each(1) > 0
  bool alltoall(std::uint64_t signature, const std::byte* in, std::byte* out, std::uint64_t bytes,
                Copies copies = Copies::Two) {
    if (copies == Copies::One) {
      return move(signature, {.has_parts = true, .collects = true}, {in, out, bytes});
    }
    const std::uint64_t piece = begin_parts(signature, bytes, 1);
    for_pieces(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      claim(length * geometry_.members);
      put_parts(in + at, bytes, length);
      post();
      own(in + rank_ * bytes + at, out + rank_ * bytes + at, length);
      for_others([&](std::uint32_t other) {
        await(other);
        access_.read(out + other * bytes + at, part(other, rank_, length), length);
      });
    });
    return is_right_;
  }

  /// @param element bytes of an element, of which `bytes` is a multiple
  bool allreduce(std::uint64_t signature, const std::byte* in, std::byte* out, std::uint64_t bytes,
                 std::uint64_t element, const Combine& combine) {
    const std::uint64_t piece = begin(signature, bytes, geometry_.piece(bytes, element));
    for_slices(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      show(in + at, length);
      await_all();
      if (!is_right_) return;
      if (!is_sliced(length)) {
        fold_all({}, length, out + at, combine, geometry_.members);
        return;
      }
      fold_slice(length, element, combine);
      for (std::uint32_t other = 0; other < geometry_.members; ++other) {
        await(other);
        get_slice(other, out + at, length, element);
      }
    });
    return is_right_;
  }

  /// @param out at the root only
  bool reduce(std::uint64_t signature, std::uint32_t root, const std::byte* in, std::byte* out,
              std::uint64_t bytes, std::uint64_t element, const Combine& combine) {
    const std::uint64_t piece = begin(signature, bytes, geometry_.piece(bytes, element));
    for_slices(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      show(in + at, length);
      if (rank_ == root || is_sliced(length)) await_all();
      if (!is_right_) return;
      if (!is_sliced(length)) {
        if (rank_ == root) fold_all({}, length, out + at, combine, geometry_.members);
        return;
      }
      fold_slice(length, element, combine);
      for (std::uint32_t other = 0; rank_ == root && other < geometry_.members; ++other) {
        await(other);
        get_slice(other, out + at, length, element);
      }
    });
    return is_right_;
  }

  /// @param in P blocks; out one. @pre geometry().piece_of_each(element) > 0
  bool reduce_scatter(std::uint64_t signature, const std::byte* in, std::byte* out,
                      std::uint64_t bytes, std::uint64_t element, const Combine& combine) {
    const std::uint64_t piece = begin_parts(signature, bytes, element);
    for_pieces(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      claim(length * geometry_.members);
      put_parts(in + at, bytes, length);
      put_part(rank_, in + at, bytes, length);
      post();
      await_all();
      if (is_right_) fold_all({rank_, true}, length, out + at, combine, geometry_.members);
    });
    return is_right_;
  }

  /// @param without_own exscan: the result of member 0 is not touched
  bool scan(std::uint64_t signature, const std::byte* in, std::byte* out, std::uint64_t bytes,
            std::uint64_t element, const Combine& combine, bool without_own) {
    const std::uint64_t piece = begin(signature, bytes, geometry_.piece(bytes, element));
    const std::uint32_t count = without_own ? rank_ : rank_ + 1;
    for_pieces(bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      show(in + at, length);
      for (std::uint32_t other = 0; other < count; ++other) await(other);
      if (count > 0 && is_right_) fold_all({}, length, out + at, combine, count);
    });
    return is_right_;
  }

  /// Stays in step with others, who do a call of so many steps without this member.
  void skip(std::uint64_t steps) {
    count_call();
    for (std::uint64_t i = 0; i < steps; ++i) leave();
  }

  /// Steps of a call but reduce and allreduce. @param has_parts a member writes a part for each:
  /// scatter, alltoall, reduce_scatter
  [[nodiscard]] std::uint64_t steps_of(std::uint64_t bytes, bool has_parts,
                                       Copies copies = Copies::Two,
                                       std::uint64_t element = 1) const {
    const std::uint64_t piece =
        has_parts ? piece_of_each(bytes, element) : geometry_.piece(bytes, element);
    const std::uint64_t first = copies == Copies::One && bytes > 0 ? 1 : 0;
    return first + (bytes + piece - 1) / piece;
  }

  /// Steps of a reduce or allreduce.
  [[nodiscard]] std::uint64_t steps_of_reduce(std::uint64_t bytes, std::uint64_t element) const {
    const std::uint64_t piece = geometry_.piece(bytes, element);
    const std::uint64_t last = bytes % piece;
    const auto steps = [&](std::uint64_t length) -> std::uint64_t {
      return is_sliced(length) ? 2 : 1;
    };
    return bytes / piece * steps(piece) + (last == 0 ? 0 : steps(last));
  }

  /// Whether members reduce slices of a piece of this length, each its own: else all reduce all.
  [[nodiscard]] bool is_sliced(std::uint64_t length) const {
    return geometry_.members > 2 && length >= geometry_.sliced_from;
  }

 private:
  using Base = OneCopy<Access>;
  using Base::access_, Base::await, Base::await_all, Base::begin, Base::begin_parts, Base::calls_;
  using Base::claim, Base::claim_room, Base::count_call, Base::data, Base::flag, Base::for_others;
  using Base::for_pieces, Base::geometry_, Base::is_right_, Base::leave, Base::memory_;
  using Base::move, Base::own, Base::part, Base::piece_of_each, Base::post, Base::put;
  using Base::put_part, Base::put_parts, Base::rank_, Base::room, Base::step_;

  Member(std::byte* memory, const Geometry& geometry, std::uint32_t rank, Access access,
         std::uint64_t steps)
      : Base(memory, geometry, rank, std::move(access), steps) {
    inputs_.reserve(geometry.members);
  }

  /// Which part of the slots is folded: the whole, or what is there for one member.
  struct Which {
    std::uint32_t member = 0;
    bool is_part = false;
  };

  /// Does the pieces of a reduction. A piece in slices has two steps, of which fold_slice() leaves
  /// one.
  template <typename Visit>
  void for_slices(std::uint64_t bytes, std::uint64_t piece, Visit visit) {
    for (std::uint64_t at = 0; at < bytes; at += piece) {
      const std::uint64_t length = std::min(piece, bytes - at);
      const std::uint64_t end = step_ + (is_sliced(length) ? 2 : 1);
      if (is_right_) visit(at, length);
      // NOLINTNEXTLINE(bugprone-infinite-loop): leave() counts steps
      while (step_ < end) leave();
    }
  }
  /// Writes what this member has in this step and raises its flag.
  void show(const std::byte* from, std::uint64_t length) {
    claim(length);
    put(from, length);
    post();
  }
  /// What every member shows, and this one's own, to where their blocks of `block` bytes lie.
  void collect(const std::byte* mine, std::byte* to, std::uint64_t block, std::uint64_t length) {
    own(mine, to + rank_ * block, length);
    for_others([&](std::uint32_t other) {
      await(other);
      get(other, to + other * block, length);
    });
  }
  void get(std::uint32_t other, std::byte* to, std::uint64_t length) {
    access_.read(to, data(other, length), length);
  }
  /// Folds the slots of members 0 .. count-1.
  void fold_all(Which which, std::uint64_t length, std::byte* out, const Combine& combine,
                std::uint32_t count) {
    inputs_.clear();
    for (std::uint32_t other = 0; other < count; ++other) {
      inputs_.push_back(which.is_part ? part(other, which.member, length) : data(other, length));
      access_.reads(inputs_.back(), length);
    }
    combine.fold(inputs_, out, length);
  }

  struct Slice {
    std::uint64_t at = 0, length = 0;
  };
  [[nodiscard]] Slice slice(std::uint32_t member, std::uint64_t length,
                            std::uint64_t element) const {
    const std::uint64_t elements = length / element;
    const std::uint64_t first = elements * member / geometry_.members * element;
    const std::uint64_t end = elements * (member + 1) / geometry_.members * element;
    return {first, end - first};
  }
  /// Folds this member's slice of all slots of this step into its slot of the next one, where it
  /// goes on.
  void fold_slice(std::uint64_t length, std::uint64_t element, const Combine& combine) {
    const Slice mine = slice(rank_, length, element);
    inputs_.clear();
    for (std::uint32_t other = 0; other < geometry_.members; ++other) {
      inputs_.push_back(data(other, length) + mine.at);
      access_.reads(inputs_.back(), mine.length);
    }
    ++step_;
    claim_room();
    std::byte* const result = room(rank_);
    access_.writes(result, mine.length);
    if (mine.length > 0) combine.fold(inputs_, result, mine.length);
    access_.store(flag(geometry_.left_at(rank_)), step_);
    post();
  }
  void get_slice(std::uint32_t member, std::byte* out, std::uint64_t length,
                 std::uint64_t element) {
    const Slice theirs = slice(member, length, element);
    access_.read(out + theirs.at, room(member), theirs.length);
  }

  std::vector<const std::byte*> inputs_;
};

}  // namespace espalier::shared

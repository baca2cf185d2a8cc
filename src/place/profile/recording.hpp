#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "profile/fold.hpp"
#include "profile/profile.hpp"

namespace espalier::profile {

/// Records what one process does: its trace, and how much it sent to whom. A trace that needs more
/// than `most_items` is cut; pairs are still counted.
class Recording {
 public:
  Recording(Rank me, Rank size, std::size_t most_items = std::size_t{1} << 18);

  /// Adds to the computation before the next action.
  void compute(Time takes) { before_ += takes; }
  /// @param in_collective a message that stands for part of a collective
  void send(Rank to, std::uint64_t bytes, bool in_collective = false);
  void recv(Rank from, std::uint64_t bytes);
  /// A receive with this much room is posted; a send was waited for. Short messages are left out.
  void post(Rank from, std::uint64_t room);
  void sent(Rank to, std::uint64_t bytes);
  /// @param root a rank of the world
  void collective(schedule::Operation operation, std::uint64_t bytes, Rank root,
                  std::uint32_t communicator);
  /// The number of a communicator with these members, ranks of the world in their order there.
  [[nodiscard]] std::uint32_t communicator(const std::vector<Rank>& members);
  void spend_in_mpi(Time time, bool in_collective = false) {
    in_mpi_ += time;
    if (in_collective) in_collectives_ += time;
  }
  /// How long the program has run when it ends.
  void run_for(Time time) { ran_ = time; }
  /// Counts a call that is not recorded, such as a collective between groups.
  void leave_out() { ++left_out_; }

  [[nodiscard]] const std::vector<Rank>& members(std::uint32_t communicator) const {
    return shape_.communicators[communicator];
  }
  /// Items of the trace that are kept now.
  [[nodiscard]] std::size_t items() const { return folder_.size(); }
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// Drops the trace, for good.
  void cut();
  /// The recording as words, for the process that joins all recordings.
  [[nodiscard]] std::vector<std::uint64_t> pack() const;

 private:
  struct Sum {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  void add(Action action);
  void add_message(ActionKind kind, Rank peer, std::uint64_t bytes);

  Rank me_;
  std::size_t most_items_;
  bool is_cut_ = false;
  std::uint64_t left_out_ = 0;
  Time before_;
  Time ran_, in_mpi_, in_collectives_;
  static constexpr std::size_t kWindow = 256;
  Folder folder_{kWindow};
  Profile shape_;  ///< its communicators; the rest is used while a trace is cut
  std::vector<Sum> called_;
  std::vector<Sum> executed_;
};

struct Joined {
  Profile profile;
  std::uint64_t left_out = 0;  ///< calls that the profile does not contain
  /// Processes whose trace was too long; if any, the profile has no trace.
  std::uint64_t cut_traces = 0;
};

/// All processes' recordings, by rank, as one profile. Communicators with the same members are one.
Expected<Joined> join(std::string name, std::span<const std::vector<std::uint64_t>> packed);

}  // namespace espalier::profile

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "collective/hierarchy.hpp"
#include "mpi/block_payload.hpp"
#include "mpi/element_payload.hpp"
#include "mpi/pending_call.hpp"
#include "schedule/schedule.hpp"

namespace espalier::fake {

/// A call of all ranks of a fake world: its programs, everybody's buffers, and what must come out.
/// Elements are 64-bit numbers, reductions are sums. Calls of blocks are alltoallv.
class FakeCall {
 public:
  FakeCall(schedule::Collective call, std::vector<schedule::Program> programs, Random& rng);

  /// Begins a rank's part.
  void begin(mpi::Channel& channel, mpi::Execution& execution);
  /// A rank's part, to be started by mpi::PendingCalls.
  [[nodiscard]] std::unique_ptr<mpi::PendingCall> pending(mpi::Channel& channel,
                                                          std::uint64_t signature = 5);
  /// What is wrong with a rank's result; empty: nothing.
  [[nodiscard]] std::string wrong(Rank rank) const;
  [[nodiscard]] const schedule::Collective& call() const { return call_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  /// Bytes of the longest message that some rank sends, with its header.
  [[nodiscard]] std::uint64_t longest_message() const;

 private:
  using Numbers = std::vector<std::int64_t>;
  [[nodiscard]] mpi::BlockBuffers block_buffers(Rank rank);
  [[nodiscard]] std::unique_ptr<mpi::Payload> payload(mpi::Channel& channel, std::uint64_t number);
  [[nodiscard]] Numbers expected(Rank rank) const;

  std::string name_;
  schedule::Collective call_;
  std::vector<runtime::PreparedProgram> programs_;
  std::vector<Numbers> in_, out_, scratch_;
  std::vector<mpi::ElementCall> elements_;
  std::vector<std::unique_ptr<mpi::Payload>> payloads_;
};

/// A call along some plan of a random machine: any operation, size, root and plan.
[[nodiscard]] FakeCall random_call(const collective::Hierarchy& hierarchy, Random& rng,
                                   std::uint64_t most_elements);
/// An alltoallv along some plan.
[[nodiscard]] FakeCall random_blocks(const collective::Hierarchy& hierarchy, Random& rng,
                                     std::uint64_t most_elements);

}  // namespace espalier::fake

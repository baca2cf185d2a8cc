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

/// A rank's part of a call, from its begin to its end.
class RankRun {
 public:
  RankRun() = default;
  virtual ~RankRun() = default;
  RankRun(const RankRun&) = delete;
  RankRun& operator=(const RankRun&) = delete;
  /// Goes on without waiting. @return whether something happened
  virtual bool step() = 0;
  [[nodiscard]] virtual bool is_done() const = 0;
  /// MPI's error code. @pre is_done()
  [[nodiscard]] virtual int code() const = 0;
};

/// A call of all ranks of a fake world, with everybody's buffers.
class AnyCall {
 public:
  AnyCall() = default;
  AnyCall(AnyCall&&) = default;
  AnyCall& operator=(AnyCall&&) = default;
  virtual ~AnyCall() = default;

  /// Begins a rank's part. The call must stay until that is over.
  [[nodiscard]] virtual std::unique_ptr<RankRun> begin(mpi::Channel& channel) = 0;
  /// What is wrong with a rank's result; empty: nothing.
  [[nodiscard]] virtual std::string wrong(Rank rank) const = 0;
  /// Bytes of the longest message that some rank sends, with its header.
  [[nodiscard]] virtual std::uint64_t longest_message() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  /// How many calls of a channel it takes: so many are under way at once.
  [[nodiscard]] virtual std::uint64_t numbers() const { return 1; }
};

/// A call along programs. Elements are 64-bit numbers, reductions are sums. Calls of blocks are
/// alltoallv.
class FakeCall : public AnyCall {
 public:
  FakeCall(schedule::Collective call, std::vector<schedule::Program> programs, Random& rng);

  [[nodiscard]] std::unique_ptr<RankRun> begin(mpi::Channel& channel) override;
  /// A rank's part, to be started by mpi::PendingCalls.
  [[nodiscard]] std::unique_ptr<mpi::PendingCall> pending(mpi::Channel& channel,
                                                          std::uint64_t signature = 5);
  [[nodiscard]] std::string wrong(Rank rank) const override;
  [[nodiscard]] const schedule::Collective& call() const { return call_; }
  [[nodiscard]] std::string name() const override { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  [[nodiscard]] std::uint64_t longest_message() const override;

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
/// Likewise, of this operation.
[[nodiscard]] FakeCall random_call_of(schedule::Operation operation,
                                      const collective::Hierarchy& hierarchy, Random& rng,
                                      std::uint64_t most_elements);
/// An alltoallv along some plan.
[[nodiscard]] FakeCall random_blocks(const collective::Hierarchy& hierarchy, Random& rng,
                                     std::uint64_t most_elements);

}  // namespace espalier::fake

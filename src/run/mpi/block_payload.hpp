#pragma once

#include <deque>

#include "mpi/block_message.hpp"
#include "mpi/execution.hpp"

namespace espalier::mpi {

/// Whole blocks, of lengths that only their senders know: a unit of the program is a block.
///
/// A message is a header with the lengths of its blocks (runtime/block_header.hpp) and their data,
/// together in one MPI message if that is short, else one after the other. So the receiver always
/// knows how much comes: nothing is probed for. The header has tag 2 t, the data 2 t + 1, for tag t
/// of the plan.
class BlockPayload : public Payload {
 public:
  BlockPayload(const runtime::PreparedProgram& program, BlockBuffers buffers, const SelfLane& self)
      : program_(program), self_(self), store_(program.program, std::move(buffers), self) {}

  void start(Execution& execution, std::uint32_t message) override;
  void complete(Execution& execution, const Part& part, std::uint64_t came) override;
  [[nodiscard]] int run_here(const schedule::Op& op) override;

  /// Whether some block was longer than the user's place for it. It was passed on nevertheless, so
  /// that nobody waits for us.
  [[nodiscard]] bool overflowed() const { return store_.overflowed(); }

 private:
  /// A message that is under way.
  struct Transfer {
    std::uint32_t open = 0;  // MPI messages under way
    bool is_head = false;    // a receive whose header is still to come
    Parcel parcel;           // what is sent
    Memory head;             // for receives, where the header comes
    std::vector<std::uint64_t> lengths;
    Arrival arrival;
  };
  std::uint32_t new_transfer();
  void receive_head(Execution& execution, std::uint32_t message, std::uint32_t slot);
  void open_head(Execution& execution, const Part& part, std::uint64_t came);
  [[nodiscard]] std::uint64_t blocks_of(std::uint32_t message) const {
    return program_.program.units(program_.messages[message].region);
  }

  const runtime::PreparedProgram& program_;
  SelfLane self_;
  BlockStore store_;
  std::deque<Transfer> transfers_;  // by slot; addresses stay
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace espalier::mpi

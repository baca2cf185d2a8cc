#pragma once

#include "mpi/execution.hpp"

namespace espalier::mpi {

/// A call whose data are elements of one layout, as it is executed.
struct ElementCall {
  const runtime::PreparedProgram* program = nullptr;
  ElementBuffers buffers;
  Reduction reduction;
  std::uint64_t signature = 0;  ///< the call's signature; ranks with different ones get an error
};

/// Elements, sent from and received where they lie.
class ElementPayload : public Payload {
 public:
  explicit ElementPayload(Channel& channel) : channel_(channel) {}
  /// The call that start() and the rest are about; it must stay.
  void take(const ElementCall& call, std::uint64_t number) {
    call_ = &call;
    self_ = channel_.self(channel_.tags().tag(number, call.signature, 0));
  }

  void start(Execution& execution, std::uint32_t message) override;
  void complete(Execution& execution, const Part& part, std::uint64_t came) override;
  [[nodiscard]] int run_here(const schedule::Op& op) override;
  [[nodiscard]] std::uint64_t known_bytes(std::uint32_t message) const override;

 private:
  Channel& channel_;
  const ElementCall* call_ = nullptr;
  SelfLane self_;
};

/// Runs a short call one step after the other (short_run.cpp): quicker than an Execution.
/// @return an MPI error code
/// @param left_messages output: see Execution::left_messages()
/// @pre is_short(call); no execution is under way on the channel
[[nodiscard]] bool is_short(const ElementCall& call);
[[nodiscard]] int run_short(Channel& channel, const ElementCall& call, std::uint64_t number,
                            bool& left_messages);

}  // namespace espalier::mpi

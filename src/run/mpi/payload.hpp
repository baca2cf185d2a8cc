#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "schedule/program.hpp"

namespace espalier::mpi {

class Execution;

/// One MPI message of an execution that is under way.
struct Part {
  std::uint32_t op = 0;       ///< step of the program
  std::uint32_t message = 0;  ///< message of the program
  std::uint32_t lane = 0;     ///< lane of that message
  std::uint32_t slot = 0;     ///< a number of the payload's own
  Rank peer = 0;
  bool sends = false;
  bool synchronous = false;
  std::uint64_t bytes = 0;  ///< bytes that are sent, or that must come
};

/// What the messages of a program carry: elements, whole blocks, or blocks with roles. Execution
/// says when a message may leave or is wanted; the payload cuts it into MPI messages.
class Payload {
 public:
  Payload() = default;
  virtual ~Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  /// Starts a message: calls Execution::send() or receive() for each part of it, at least once.
  virtual void start(Execution& execution, std::uint32_t message) = 0;
  /// A part is complete. May start more parts of its message.
  /// @param came bytes that came; 0 for sends
  virtual void complete(Execution& execution, const Part& part, std::uint64_t came) = 0;
  /// Runs a Copy or a Reduce. @return an MPI error code
  [[nodiscard]] virtual int run_here(const schedule::Op& op) = 0;
  /// Bytes of a message, where all ranks know them; else 0.
  [[nodiscard]] virtual std::uint64_t known_bytes(std::uint32_t /*message*/) const { return 0; }
};

}  // namespace espalier::mpi

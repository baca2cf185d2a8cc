#pragma once

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "cli/output.hpp"

namespace espalier::cli {

/// A socket of this host without a file. Each process that starts MPI with our library in it sends
/// a byte there, if ESPALIER_SIGN names it (src/run/front/sign.c).
class Sign {
 public:
  Sign();
  /// Empty: the system has no such sockets.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool has_come() const;

 private:
  FileDescriptor socket_;
  std::string name_;
};

/// Whether a launcher has started this process: what all ranks miss, all of them would tell.
[[nodiscard]] bool is_started_by_launcher();

/// Runs a command, which keeps our standard streams. If no sign has come when it ends, a line on
/// standard error says so. Signals that others send to us are handed on. Our end is the command's:
/// its exit code, or its signal.
[[nodiscard]] Outcome run_watched(const std::vector<std::string>& words, const Sign& sign);

}  // namespace espalier::cli

#pragma once

#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "lab/launch.hpp"

namespace espalier::lab {

/// Becomes this command on a host; returns only if that fails. Signals stay as they are: those that
/// the tool ignores are the caller's to restore.
Error exec_on_host(const OpenLab& lab, std::size_t host, const std::vector<std::string>& command);

/// For a program that is neither there nor in PATH.
[[nodiscard]] Error no_program(const std::string& program);

/// A library that stands beside the tool (lib/ next to bin/).
Expected<std::string> find_library(const std::string& self, const std::string& name);

/// While this lives, SIGINT, SIGTERM and SIGHUP end what run_launch() runs but not this process,
/// which has a lab to take down: it looks at signal_asked(). Then they do again what they did.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  std::array<struct sigaction, 3> old_{};
};
/// The signal that asked this process to stop; 0: none did.
[[nodiscard]] int signal_asked();

/// Runs a launch from the host of rank 0 and waits for it: its exit code, or 128 + the signal. What
/// it started is ended with it, also when we are interrupted. Nothing is started once we were.
/// @param output where its standard output goes; "" for ours
Expected<int> run_launch(const OpenLab& lab, const LaunchRequest& request, const Launch& launch,
                         const std::string& output = "");

/// What programs find out about the lab goes with it: their cache is in the memory of their host,
/// where nobody but the lab's user can have put a link. Whoever names a folder for caches, outside
/// or in the environment of the ranks, keeps it.
void add_own_cache(std::vector<std::string>& environment, const StateFolder& folder,
                   bool is_set_outside);

/// The request with what every run in this lab has: its host file, remote shell and shim, and for
/// Espalier's library the machine.
Expected<LaunchRequest> completed(LaunchRequest request, const OpenLab& lab,
                                  const std::string& self);

}  // namespace espalier::lab

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lab/lab.hpp"

namespace espalier::lab {

/// How processes of a lab ended, so that a broken lab can say so. The words stand in the file of
/// the holders' process ids, behind these: lines "oom_kill N" and "ended PID SIGNAL SENDER".

/// In a process of the lab: a signal that ends it leaves a line in the folder. SIGKILL leaves none.
void leave_word_of_signals(const std::string& folder);

/// How many processes the kernel's out-of-memory killer has ended since it started (oom_kill of
/// /proc/vmstat); 0 where Linux does not tell.
[[nodiscard]] std::uint64_t oom_kills();
/// The line that keeps oom_kills() of the moment when the lab began.
[[nodiscard]] std::string oom_line();

/// A process of a lab that is gone.
struct Gone {
  std::string what;  ///< "host site0-node1", "the router"
  pid_t pid = 0;     ///< process id; 0 if it is not known
};
/// "host site0-node1's process 1234 was ended by signal 15, sent by process 77; the kernel's ..."
/// @param words what the holders' file says
[[nodiscard]] std::string endings_text(const std::vector<Gone>& gone, const std::string& words,
                                       std::uint64_t oom_kills_now);
/// endings_text() of all processes that this lab has lost.
[[nodiscard]] std::string why_broken(const OpenLab& lab);

}  // namespace espalier::lab

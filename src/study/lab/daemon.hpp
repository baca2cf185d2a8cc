#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"

namespace espalier::lab {

/// A process in the background that has been started and may not be ready yet.
struct Starting {
  pid_t pid = 0;
  FileDescriptor answer;  ///< pipe on which the process says that it is ready, or why not
};

/// Starts a process without a terminal, without our open files and with a name of its own. It does
/// `prepare`, tells how that went, and then `stay`, which does not return.
///
/// Until it is ready it dies with us: nothing half-made stays behind if we are killed.
/// @param folder the lab's folder, where the process leaves a line if a signal ends it (ending.hpp)
Expected<Starting> start_daemon(const std::string& name, const std::string& folder,
                                const std::function<std::optional<Error>()>& prepare,
                                const std::function<void()>& stay);

/// Its process id once it is ready.
Expected<pid_t> wait_until_ready(Starting daemon);

}  // namespace espalier::lab

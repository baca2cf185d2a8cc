#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "lab/hosts.hpp"
#include "lab/plan.hpp"
#include "lab/state.hpp"

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

/// Starts the process that holds the namespaces of one host: network, UTS (hostname), IPC and
/// mounts, with /tmp, /dev/shm, /etc/hosts, /etc/hostname, /sys and the boot id of their own. MPI
/// libraries take two processes that share any of these for neighbours in one memory.
Expected<Starting> start_host(const StateFolder& folder, const LabHost& host);

/// Namespaces for a process that belongs to the lab and to no host: the router.
std::optional<Error> make_own_namespaces(const StateFolder& folder);

/// Moves this process into the namespaces of the one that holds a host.
std::optional<Error> enter_host(pid_t holder);
/// Moves this process into the network namespace of a host only; for the router.
std::optional<Error> enter_network(pid_t holder);

/// Starts the process that carries frames between the hosts as the plan and the links' cells say.
/// @param holders the process that holds each host, in the order of the plan's hosts
Expected<Starting> start_router(const StateFolder& folder, const LabPlan& plan,
                                std::span<const pid_t> holders);

}  // namespace espalier::lab

#pragma once

#include <optional>
#include <string>

#include "lab/daemon.hpp"
#include "lab/hosts.hpp"
#include "lab/state.hpp"

namespace espalier::lab {

/// Starts the process that holds the namespaces of one host: network, UTS (hostname), IPC and
/// mounts, with /tmp, /dev/shm, /etc/hosts, /etc/hostname, /sys and the boot id of their own. MPI
/// libraries take two processes that share any of these for neighbours in one memory.
Expected<Starting> start_host(const StateFolder& folder, const Host& host);

/// Namespaces for a process that belongs to the lab and to no host: the router.
std::optional<Error> make_own_namespaces(const StateFolder& folder);

/// Moves this process into the namespaces of the one that holds a host.
std::optional<Error> enter_host(pid_t holder);
/// Moves this process into the network namespace of a host only; for the router.
std::optional<Error> enter_network(pid_t holder);

}  // namespace espalier::lab

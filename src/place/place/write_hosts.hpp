#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "map/problem.hpp"

namespace espalier::place {

/// Formats of files that tell a launcher where each process runs.
enum class HostsForm : std::uint8_t {
  OpenMpiRankfile,   ///< lines such as "rank 0=n1 slot=0"; mpiexec --host n1:2 --rankfile FILE
  OpenMpiHostfile,   ///< one host a rank; mpiexec --hostfile FILE --map-by seq:OVERSUBSCRIBE
  MpichMachinefile,  ///< lines such as "n1:2", in the order of ranks; mpiexec -f FILE
  SlurmHostfile,     ///< one host a rank; SLURM_HOSTFILE=FILE srun --distribution=arbitrary
};
/// "openmpi-rankfile", ...
[[nodiscard]] std::string_view name_of(HostsForm form);
[[nodiscard]] std::optional<HostsForm> hosts_form_named(std::string_view name);

[[nodiscard]] std::string write_hosts(const map::Problem& problem, const map::Placement& placement,
                                      HostsForm form);
/// What to know about such a file, one sentence; empty if there is nothing. MPICH's launcher takes
/// a host that comes again in its file for another one.
[[nodiscard]] std::string note_on_hosts(const map::Problem& problem,
                                        const map::Placement& placement, HostsForm form);
/// The command line that uses such a file.
[[nodiscard]] std::string launch_line(const map::Problem& problem, const map::Placement& placement,
                                      HostsForm form, const std::string& file);

}  // namespace espalier::place

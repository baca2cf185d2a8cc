#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.hpp"

namespace espalier::doctor {

/// All variables of the environment.
using Environment = std::map<std::string, std::string>;
[[nodiscard]] Environment own_environment();
/// The value of a variable; empty if it is not set.
[[nodiscard]] std::string value_of(const Environment& environment, const std::string& name);

/// Our own libraries, the MPIs that they are linked with, and all launchers in PATH.
[[nodiscard]] Findings check_mpis(const Environment& environment);

/// What the doctor is asked about.
enum class Asked : std::uint8_t { AboutAll, AboutPrograms };

/// What other commands look for when they run: the recorder of espalier run --profile, programs
/// that espalier discover, bench and reproduce start. Asked about programs, those of experiments
/// that are not there share one note.
[[nodiscard]] Findings check_commands(const Environment& environment, Asked asked);

/// One program: what it is, its MPI and which library of ours serves it, what stands in the way of
/// preloading, and which of its collectives can be planned.
[[nodiscard]] Findings check_program(const std::string& name, const Environment& environment);

/// LD_PRELOAD and /etc/ld.so.preload: libraries that are not there, tools that interpose MPI too,
/// ours twice, sanitizers.
/// @param system what /etc/ld.so.preload holds
[[nodiscard]] Findings check_preloads(const Environment& environment, const std::string& system);

/// ESPALIER_*: names that there are not, values that cannot be, files that cannot be read or
/// written.
[[nodiscard]] Findings check_settings(const Environment& environment);
/// Variables that look like ours and are none.
[[nodiscard]] Findings unknown_settings(const Environment& environment);
/// Operations and algorithms of ESPALIER_ALGORITHM that there are not, one finding each.
[[nodiscard]] Findings wrong_algorithms(const std::string& value);

/// What was measured before: whether it can be kept, and what of it is old or broken.
/// @param now seconds since 1970
[[nodiscard]] Findings check_caches(const Environment& environment, std::int64_t now);

/// This node as hwloc sees it; shared memory, temporary files, and what `espalier lab` needs.
[[nodiscard]] Findings check_node(const Environment& environment);

struct Interface {
  std::string name;
  bool is_up = false;
  bool is_loopback = false;
  std::vector<std::string> addresses;
};
[[nodiscard]] std::vector<Interface> own_interfaces();
[[nodiscard]] Findings check_network(std::span<const Interface> interfaces);

/// ssh and Slurm: what starts processes on other hosts.
[[nodiscard]] Findings check_launching(const Environment& environment);

/// The tool that interposes MPI's functions too, by the name of its library: mpiP, Score-P ...
[[nodiscard]] std::optional<std::string> tool_named(std::string_view library);

}  // namespace espalier::doctor

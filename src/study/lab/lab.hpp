#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "lab/cpu_groups.hpp"
#include "lab/link_board.hpp"
#include "lab/plan.hpp"
#include "lab/rank_board.hpp"
#include "lab/state.hpp"
#include "topology/machine.hpp"

namespace espalier::lab {

inline constexpr Time kLongestQueue = milliseconds(200);

/// How a lab is brought up. What is absent is as usual, or as it was in a lab that is up.
struct UpSettings {
  std::optional<Time> longest_queue;    ///< usually kLongestQueue
  std::optional<bool> slow_by_library;  ///< the library in the ranks slows hosts, not cgroups
};

enum class UpResult { Started, WasUp, RouterRestarted, Rebuilt };

/// Brings up the machine's lab. One that is up and whole is left alone; of a broken one only the
/// router is started again if all hosts are there, so that connections survive; else all is
/// rebuilt. Refuses settings that a lab which is up does not have, and to take the place of another
/// machine's lab of which anything is there.
/// @param self the espalier tool, which hosts call to reach each other as through ssh
Expected<UpResult> up(const StateFolder& folder, const topology::Machine& machine,
                      const UpSettings& settings, const std::string& self);

struct DownResult {
  bool was_there = false;
  std::vector<std::string> left;  ///< foreign files in the lab's folder, which stay there
};

/// Ends all processes of the lab and removes its files and its folder; also what is left of a
/// broken one. A folder that is no lab's and not empty is refused, and nothing in it is touched; an
/// empty one stays.
Expected<DownResult> down(const StateFolder& folder);

/// A lab that is up, wholly or partly.
struct OpenLab {
  StateFolder folder;
  topology::Machine machine;
  LabPlan plan;
  std::vector<pid_t> holders;  ///< process that holds each host; 0 if it is gone
  pid_t router = 0;            ///< process id of the router; 0 if it is gone
  LinkBoard board;
  RankBoard ranks;
  std::optional<CpuGroups> cpu;  ///< absent if the library slows ranks

  [[nodiscard]] bool is_whole() const;
};
Expected<OpenLab> open_lab(const StateFolder& folder);

/// The index of a host, or an error that names those that there are.
Expected<std::size_t> host_called(const LabPlan& plan, const std::string& name);

}  // namespace espalier::lab

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/expected.hpp"
#include "lab/state.hpp"

namespace espalier::lab {

inline constexpr const char* kCgroupMounts = "/sys/fs/cgroup";

/// Hosts as groups of processes whose processor time the kernel caps: cgroups of version 2
/// (cpu.max), or of version 1 (cpu.cfs_quota_us). Below one folder for each lab, which is named
/// after the lab's state, so that `down` finds it whatever else was lost.
class CpuGroups {
 public:
  /// Makes the lab's folder and tries it out; an error says why the kernel does not let us.
  static Expected<CpuGroups> make(const StateFolder& folder,
                                  const std::string& mounts = kCgroupMounts);
  /// Of a lab that is up; nothing if it has none. Also from inside one of its hosts.
  static std::optional<CpuGroups> of(const StateFolder& folder);

  /// The host's group, made if it is not there: so many thousandths of a core's time.
  std::optional<Error> cap(const std::string& host, std::int64_t permille) const;
  /// No cap; the group, if there is one, stays.
  std::optional<Error> uncap(const std::string& host) const;
  /// Moves a process, with all its threads, into the host's group.
  std::optional<Error> join(const std::string& host, pid_t process) const;
  /// Moves it where the lab was started, if it is in a group of this lab.
  std::optional<Error> leave(pid_t process) const;
  /// The mounted tree of groups, which hosts need to see.
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  CpuGroups(std::string root, bool is_v2, std::string lab, std::string outside)
      : root_(std::move(root)), is_v2_(is_v2), lab_(std::move(lab)), outside_(std::move(outside)) {}
  std::string group(const std::string& host) const;
  std::optional<Error> write_cap(const std::string& host, std::int64_t permille) const;
  std::optional<Error> try_out() const;

  std::string root_;
  bool is_v2_;
  std::string lab_;      // the name of the lab's folder below the root
  std::string outside_;  // the group in which the lab was started, below the root
};

/// Removes the lab's folder of groups, which must not hold processes any more.
std::optional<Error> remove_cpu_groups(const StateFolder& folder,
                                       const std::string& mounts = kCgroupMounts);

}  // namespace espalier::lab

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/expected.hpp"
#include "lab/state.hpp"

namespace espalier::lab {

inline constexpr const char* kCgroupMounts = "/sys/fs/cgroup";

/// Processor time that a group has in each period, in microseconds.
struct CpuCap {
  std::int64_t quota_us = 0;
  std::int64_t period_us = 0;
  friend bool operator==(const CpuCap&, const CpuCap&) = default;
};

/// So many thousandths of a core's time: in periods of 10 ms, and in longer ones where the quota
/// would be below the kernel's least, 1 ms. One thousandth is 1 ms in its longest period, 1 s.
[[nodiscard]] CpuCap cap_of(std::int64_t permille);

/// Hosts as groups of processes whose processor time the kernel caps: cgroups of version 2
/// (cpu.max), or of version 1 (cpu.cfs_quota_us). Below one folder for each lab, which is named
/// after the lab's state, so that `down` finds it whatever else was lost.
class CpuGroups {
 public:
  /// Makes the lab's folder and tries it out; an error says why the kernel does not let us.
  static Expected<CpuGroups> make(const StateFolder& folder,
                                  const std::string& mounts = kCgroupMounts);
  /// The groups of a lab that is up; absent if it has none. Works inside a host of the lab too.
  static std::optional<CpuGroups> of(const StateFolder& folder);

  /// Limits a host to so many thousandths of a core's time. Makes the host's group if need be.
  std::optional<Error> cap(const std::string& host, std::int64_t permille) const;
  /// Lifts the limit; the group, if there is one, stays.
  std::optional<Error> uncap(const std::string& host) const;
  /// Moves a process, with all its threads, into the host's group.
  std::optional<Error> join(const std::string& host, pid_t process) const;
  /// Moves a process out of this lab's groups, into the group in which the lab was started.
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

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "doctor/checks.hpp"
#include "topology/readers.hpp"

namespace espalier::doctor {
namespace {

constexpr const char* kNodeArea = "node";
constexpr std::uint64_t kMiB = 1024 * 1024;

Finding check_hwloc() {
  const auto node = topology::discover_local_node();
  if (!node) return {kNodeArea, Severity::Warning, "hwloc", node.error().what, node.error().hint};
  std::string levels;
  for (const auto& level : node->machine.levels()) {
    levels += (levels.empty() ? "" : " > ") + level.channel;
  }
  return {kNodeArea, Severity::Ok, "hwloc",
          fmt::format("sees {} cores{}", node->machine.size(),
                      levels.empty() ? "" : ", in levels " + levels),
          ""};
}

/// MPI libraries keep their messages inside a node there: docker gives 64 MiB.
Finding check_shm() {
  struct statvfs info {};
  if (::access("/dev/shm", W_OK) != 0 || ::statvfs("/dev/shm", &info) != 0) {
    return {kNodeArea, Severity::Warning, "/dev/shm",
            "it cannot be written: processes of a node have no shared memory",
            "mount a tmpfs there, with mode 1777"};
  }
  const std::uint64_t free = info.f_bavail * info.f_frsize / kMiB;
  if (free < 128) {
    return {kNodeArea, Severity::Warning, "/dev/shm", fmt::format("only {} MiB are free", free),
            "make it larger (docker run --shm-size=1g), or remove what ended programs left there"};
  }
  return {kNodeArea, Severity::Ok, "/dev/shm",
          fmt::format("{} MiB of shared memory are free", free), ""};
}

Finding check_temporary(const Environment& environment) {
  std::string folder = value_of(environment, "TMPDIR");
  if (folder.empty()) folder = "/tmp";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return {kNodeArea, Severity::Warning, folder,
            "it cannot be written, and Open MPI keeps its sessions there",
            "set TMPDIR to a folder that you may write to"};
  }
  return {kNodeArea, Severity::Ok, folder, "temporary files can be written", ""};
}

bool has_capability(unsigned bit) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("CapEff:")) continue;
    return ((std::strtoull(line.c_str() + 7, nullptr, 16) >> bit) & 1U) != 0;
  }
  return false;
}

Finding check_lab() {
  constexpr unsigned kNetAdmin = 12, kSysAdmin = 21;  // <linux/capability.h>
  std::vector<std::string_view> missing;
  if (::geteuid() != 0) missing.emplace_back("root");
  if (!has_capability(kNetAdmin)) missing.emplace_back("CAP_NET_ADMIN");
  if (!has_capability(kSysAdmin)) missing.emplace_back("CAP_SYS_ADMIN");
  if (::access("/dev/net/tun", W_OK) != 0) missing.emplace_back("/dev/net/tun");
  if (missing.empty())
    return {kNodeArea, Severity::Ok, "lab", "espalier lab can make networks here", ""};
  return {kNodeArea, Severity::Note, "lab",
          fmt::format("espalier lab lacks {}", fmt::join(missing, ", ")),
          "run it as root where there is TUN; programs under espalier run need nothing of it"};
}

}  // namespace

Findings check_node(const Environment& environment) {
  Findings all{check_hwloc(), check_shm(), check_temporary(environment), check_lab()};
  const bool is_allowed = !value_of(environment, "OMPI_ALLOW_RUN_AS_ROOT").empty() &&
                          !value_of(environment, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM").empty();
  if (::geteuid() == 0 && !is_allowed) {
    all.push_back({kNodeArea, Severity::Note, "root", "Open MPI's mpiexec refuses to run as root",
                   "be another user, or write mpiexec --allow-run-as-root, or set "
                   "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }
  return all;
}

}  // namespace espalier::doctor

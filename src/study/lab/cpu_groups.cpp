#include "lab/cpu_groups.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/file_descriptor.hpp"

namespace espalier::lab {
namespace {

constexpr std::int64_t kPeriodUs = 10'000;
constexpr std::int64_t kLeastQuotaUs = 1'000;  // the kernel's own limit

Error group_error(const std::string& path, const char* doing) {
  return {"lab", fmt::format("cannot {} {}: {}", doing, path, std::strerror(errno)), ""};
}

/// One write, as the kernel wants it.
std::optional<Error> put(const std::string& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) < 0) return group_error(path, "write");
  return std::nullopt;
}

std::optional<Error> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return group_error(path, "make");
  return std::nullopt;
}

struct Controller {
  std::string root;
  bool is_v2 = false;
};

std::vector<Controller> controllers(const std::string& mounts) {
  std::vector<Controller> found;
  if (const auto text = read_text(mounts + "/cgroup.controllers")) {
    std::istringstream words(*text);
    for (std::string word; words >> word;) {
      if (word == "cpu") found.push_back({mounts, true});
    }
  }
  for (const char* v1 : {"/cpu", "/cpu,cpuacct", "/cpuacct,cpu"}) {
    if (exists(mounts + v1 + "/cpu.cfs_quota_us")) found.push_back({mounts + v1, false});
  }
  return found;
}

/// "/run/espalier-lab" is "espalier-lab:run:espalier-lab": a colon is in no state's path.
std::string name_for(const StateFolder& folder) {
  std::string name = "espalier-lab" + folder.path;
  std::replace(name.begin(), name.end(), '/', ':');
  return name;
}

/// The group that we are in ourselves, below the controller's root.
std::string own_group(bool is_v2) {
  const auto text = read_text("/proc/self/cgroup");
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool fits = is_v2 ? names == ",," : names.find(",cpu,") != std::string::npos;
    if (fits) return line.substr(second + 1);
  }
  return "/";
}

std::optional<Error> remove_folder(const std::string& path) {
  constexpr int kTurns = 200;  // turns of 10 ms each, until killed processes are gone
  for (int turn = 0; turn < kTurns; ++turn) {
    if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return std::nullopt;
    if (errno != EBUSY) break;
    const timespec span{0, 10'000'000};
    ::nanosleep(&span, nullptr);
  }
  return group_error(path, "remove");
}

}  // namespace

CpuCap cap_of(std::int64_t permille) {
  const std::int64_t quota = permille * kPeriodUs / 1000;
  if (quota >= kLeastQuotaUs) return {quota, kPeriodUs};
  return {kLeastQuotaUs, kLeastQuotaUs * 1000 / std::max<std::int64_t>(1, permille)};
}

std::string CpuGroups::group(const std::string& host) const {
  return fmt::format("{}/{}/{}", root_, lab_, host);
}

std::optional<Error> CpuGroups::write_cap(const std::string& host, std::int64_t permille) const {
  const auto [quota, period] = cap_of(permille);
  if (is_v2_) return put(group(host) + "/cpu.max", fmt::format("{} {}", quota, period));
  if (auto e = put(group(host) + "/cpu.cfs_period_us", std::to_string(period))) return e;
  return put(group(host) + "/cpu.cfs_quota_us", std::to_string(quota));
}

std::optional<Error> CpuGroups::try_out() const {
  if (auto e = make_folder(fmt::format("{}/{}", root_, lab_))) return e;
  if (is_v2_) {
    if (auto e = put(root_ + "/cgroup.subtree_control", "+cpu")) return e;
    if (auto e = put(fmt::format("{}/{}/cgroup.subtree_control", root_, lab_), "+cpu")) return e;
  }
  if (auto e = cap("tried-out", 500)) return e;
  return remove_folder(group("tried-out"));
}

Expected<CpuGroups> CpuGroups::make(const StateFolder& folder, const std::string& mounts) {
  Error why{"lab", "no cgroup can cap processor time here", ""};
  for (const Controller& c : controllers(mounts)) {
    const CpuGroups groups(c.root, c.is_v2, name_for(folder), own_group(c.is_v2));
    if (auto refused = groups.try_out()) {
      why = *refused;
      continue;
    }
    const std::string text = fmt::format("{}\n{}\n{}\n{}\n", groups.root_, c.is_v2 ? 2 : 1,
                                         groups.lab_, groups.outside_);
    if (auto e = write_text(folder.cpu(), text, 0644)) return *e;
    return groups;
  }
  return why;
}

std::optional<CpuGroups> CpuGroups::of(const StateFolder& folder) {
  const auto text = read_text(folder.cpu());
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  std::string root, version, lab, outside;
  std::getline(in, root);
  std::getline(in, version);
  std::getline(in, lab);
  if (!std::getline(in, outside)) return std::nullopt;
  // A host's own /sys has no groups; they are mounted there for it.
  const std::string inside = folder.own() + "/cgroup";
  return CpuGroups(exists(inside) ? inside : root, version == "2", lab, outside);
}

std::optional<Error> CpuGroups::cap(const std::string& host, std::int64_t permille) const {
  if (auto e = make_folder(group(host))) return e;
  return write_cap(host, permille);
}

std::optional<Error> CpuGroups::uncap(const std::string& host) const {
  if (!exists(group(host))) return std::nullopt;
  if (is_v2_) return put(group(host) + "/cpu.max", fmt::format("max {}", kPeriodUs));
  return put(group(host) + "/cpu.cfs_quota_us", "-1");
}

std::optional<Error> CpuGroups::join(const std::string& host, pid_t process) const {
  return put(group(host) + "/cgroup.procs", std::to_string(process));
}

std::optional<Error> CpuGroups::leave(pid_t process) const {
  const auto groups = read_text(fmt::format("/proc/{}/cgroup", process));
  if (groups && groups->find("/" + lab_ + "/") == std::string::npos) return std::nullopt;
  return put(fmt::format("{}{}/cgroup.procs", root_, outside_), std::to_string(process));
}

std::optional<Error> remove_cpu_groups(const StateFolder& folder, const std::string& mounts) {
  for (const Controller& c : controllers(mounts)) {
    const std::string lab = fmt::format("{}/{}", c.root, name_for(folder));
    std::error_code bad;
    for (const auto& entry : std::filesystem::directory_iterator(lab, bad)) {
      if (!entry.is_directory(bad)) continue;
      if (auto e = remove_folder(entry.path().string())) return e;
    }
    // Where the file system cannot be written to, removing nothing is an error too.
    if (!std::filesystem::exists(lab, bad)) continue;
    if (auto e = remove_folder(lab)) return e;
  }
  return std::nullopt;
}

}  // namespace espalier::lab

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "lab/cpu_groups.hpp"
#include "lab/daemon.hpp"

namespace espalier::lab {
namespace {

Error host_error(const std::string& doing) {
  const bool forbidden = errno == EPERM || errno == EACCES;
  return {"lab",
          fmt::format("{}cannot {}: {}", forbidden ? "a lab needs root, namespaces and TUN; " : "",
                      doing, std::strerror(errno)),
          ""};
}

std::optional<Error> mount_at(const std::string& what, const std::string& where, const char* type,
                              unsigned long flags, const std::string& options = "") {
  if (::mount(what.c_str(), where.c_str(), type, flags, options.c_str()) == 0) return std::nullopt;
  return host_error(fmt::format("mount {}", where));
}

std::optional<Error> lay_over(const std::string& what, const std::string& where) {
  // Not every system has all of these files; one that is not there misleads nobody.
  if (::access(where.c_str(), F_OK) != 0) return std::nullopt;
  return mount_at(what, where, nullptr, MS_BIND);
}

/// The mount that marks this process as the lab's comes first: from then on `down` finds it.
std::optional<Error> separate(const StateFolder& folder, int namespaces) {
  if (::unshare(namespaces | CLONE_NEWNS) != 0) return host_error("make namespaces");
  if (auto e = mount_at("none", "/", nullptr, MS_REC | MS_PRIVATE)) return e;
  return mount_at(folder.mark(), folder.own(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");
}

/// Files of the host and settings that do not exist here (no IPv6, say) are passed over.
void write_setting(const char* path, const char* value) { std::ofstream(path) << value; }

void set_network_up() {
  write_setting("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
  write_setting("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
  // A window that shrinks between two collectives, or remembers an earlier program, would make
  // each measurement depend on the one before.
  write_setting("/proc/sys/net/ipv4/tcp_slow_start_after_idle", "0");
  write_setting("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
  // 16 MiB: enough to fill 1 Gbit/s over 60 ms there and back.
  write_setting("/proc/sys/net/ipv4/tcp_wmem", "4096 262144 16777216");
  write_setting("/proc/sys/net/ipv4/tcp_rmem", "4096 262144 16777216");
}

std::string new_boot_id() {
  std::ifstream in("/proc/sys/kernel/random/uuid");
  std::string id;
  std::getline(in, id);
  return id + "\n";
}

/// A private /tmp that still shows what was in the real one, so that programs may lie there;
/// an empty one where the kernel has no overlays.
std::optional<Error> own_temporary_files(const std::string& own) {
  for (const char* name : {"/changed", "/work"}) {
    if (::mkdir((own + name).c_str(), 01777) != 0) return host_error("make a private /tmp");
  }
  if (::chmod((own + "/changed").c_str(), 01777) != 0) return host_error("make a private /tmp");
  const std::string options =
      fmt::format("lowerdir=/tmp,upperdir={0}/changed,workdir={0}/work", own);
  if (!mount_at("overlay", "/tmp", "overlay", 0, options)) return std::nullopt;
  return mount_at("tmpfs", "/tmp", "tmpfs", 0, "mode=1777");
}

/// The lab's state as it is outside, if it lies below a folder of which the host has just got its
/// own. An overlay shows neither what is mounted below it nor what is changed there later.
std::optional<Error> show_state(const FileDescriptor& state, const std::string& path,
                                std::string_view own) {
  if (!path.starts_with(own)) return std::nullopt;
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  return mount_at(fmt::format("/proc/self/fd/{}", state.get()), path, nullptr, MS_BIND | MS_REC);
}

std::optional<Error> become(const StateFolder& folder, const LabHost& host) {
  if (auto e = separate(folder, CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC)) return e;
  const FileDescriptor state(::open(folder.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!state) return host_error(fmt::format("open {}", folder.path));
  set_network_up();
  if (::sethostname(host.name.c_str(), host.name.size()) != 0)
    return host_error("set the hostname");
  const std::string own = folder.own();
  if (auto e = write_text(own + "/hostname", host.name + "\n", 0644)) return e;
  if (auto e = write_text(own + "/boot_id", new_boot_id(), 0444)) return e;
  if (auto e = lay_over(own + "/hostname", "/etc/hostname")) return e;
  if (auto e = lay_over(folder.hosts(), "/etc/hosts")) return e;
  if (auto e = lay_over(own + "/boot_id", "/proc/sys/kernel/random/boot_id")) return e;
  if (auto e = mount_at("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")) return e;
  if (auto e = show_state(state, folder.path, "/dev/shm/")) return e;
  // Groups of processor time, which the new /sys would hide from who goes on to another host.
  if (const auto groups = CpuGroups::of(folder)) {
    const std::string seen = own + "/cgroup";
    if (::mkdir(seen.c_str(), 0755) != 0) return host_error("show cgroups to the host");
    if (auto e = mount_at(groups->root(), seen, nullptr, MS_BIND)) return e;
  }
  // The devices below /sys/class/net are those of whoever mounted it.
  if (auto e = mount_at("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)) return e;
  if (auto e = own_temporary_files(own)) return e;
  return show_state(state, folder.path, "/tmp/");
}

std::optional<Error> enter(pid_t holder, int namespaces) {
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, holder, 0)));
  if (!process || ::setns(process.get(), namespaces) != 0) return host_error("enter the host");
  return std::nullopt;
}

}  // namespace

Expected<Starting> start_host(const StateFolder& folder, const LabHost& host) {
  return start_daemon(
      "lab-host", folder.path, [&] { return become(folder, host); },
      [] {
        while (true) ::pause();
      });
}

std::optional<Error> make_own_namespaces(const StateFolder& folder) {
  return separate(folder, CLONE_NEWNET);
}

std::optional<Error> enter_host(pid_t holder) {
  return enter(holder, CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS);
}

std::optional<Error> enter_network(pid_t holder) { return enter(holder, CLONE_NEWNET); }

}  // namespace espalier::lab

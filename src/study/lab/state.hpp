#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::lab {

inline constexpr const char* kDefaultState = "/run/espalier-lab";

/// The folder of one lab: its machine, its hosts' processes, the links' cells.
///
/// Nothing else outlives the lab's processes: namespaces, mounts and network devices belong to
/// them and go with them.
struct StateFolder {
  std::string path;

  /// Says that the folder is a lab's: without it nothing there is written or removed.
  [[nodiscard]] std::string sign() const { return path + "/espalier-lab"; }
  [[nodiscard]] std::string machine() const { return path + "/machine.json"; }
  [[nodiscard]] std::string holders() const { return path + "/holders"; }
  [[nodiscard]] std::string router() const { return path + "/router"; }
  [[nodiscard]] std::string links() const { return path + "/links"; }
  [[nodiscard]] std::string ranks() const { return path + "/ranks"; }
  /// Names the lab's folder of cgroups, if it has one.
  [[nodiscard]] std::string cpu() const { return path + "/cpu"; }
  [[nodiscard]] std::string hosts() const { return path + "/hosts"; }
  [[nodiscard]] std::string shell() const { return path + "/rsh"; }
  /// An empty folder; in a host's own view of the files its private memory is mounted there.
  [[nodiscard]] std::string own() const { return path + "/own"; }
  /// Of programs on a host: in its own memory.
  [[nodiscard]] std::string cache() const { return own() + "/cache"; }
  /// What that mount is called: by it /proc tells who belongs to this lab.
  [[nodiscard]] std::string mark() const { return "espalier-lab:" + path; }
};

/// Absolute, without links and dots; refuses names that /proc or mount would have to escape.
Expected<StateFolder> state_folder(const std::string& path);

/// Holds the folder for one command at a time. Made if it is not there.
class StateLock {
 public:
  /// Waits until nobody else holds it, but not for ever.
  static Expected<StateLock> take(const StateFolder& folder,
                                  std::chrono::milliseconds patience = std::chrono::minutes(2));
  StateLock(StateLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  StateLock& operator=(StateLock&&) = delete;
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;
  ~StateLock();

 private:
  explicit StateLock(int fd) : fd_(fd) {}
  int fd_;
};

[[nodiscard]] bool exists(const std::string& path);
Expected<std::string> read_text(const std::string& path);
/// Written beside it, then renamed: a reader sees all of it or what was there before.
std::optional<Error> write_text(const std::string& path, const std::string& text, mode_t mode);

/// The machine of the lab that is up, or was.
Expected<topology::Machine> saved_machine(const StateFolder& folder);
/// Process ids from a file of ours; none if it is not there.
[[nodiscard]] std::vector<pid_t> saved_pids(const std::string& path);

/// Why nothing in this folder may be written or removed: it is neither empty nor a lab's, or
/// belongs to another user. A lab's has a file in it that says so (StateFolder::sign()).
/// @pre the folder is there
std::optional<Error> why_not_a_labs(const StateFolder& folder);

/// Why a lab's files there are not to be believed: others may have written them.
std::optional<Error> why_not_trusted(const StateFolder& folder);

/// Says that the folder is a lab's.
std::optional<Error> put_sign(const StateFolder& folder);

/// Removes the files that labs make, by their names, and nothing else.
/// @return what else is there, and stays
/// @pre !why_not_a_labs(folder)
Expected<std::vector<std::string>> remove_lab_files(const StateFolder& folder);

/// What the last system call on a file said (errno): "PATH: cannot open: No such file or
/// directory".
[[nodiscard]] inline Error system_error(const std::string& path, const char* doing) {
  return {path, fmt::format("{}: {}", doing, std::strerror(errno)), ""};
}

}  // namespace espalier::lab

#include "lab/processes.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace espalier::lab {
namespace {

/// Whether a line of mountinfo ends in "- tmpfs MARK options".
bool has_mark(std::istream& mounts, const std::string& mark) {
  const std::string wanted = fmt::format(" - tmpfs {} ", mark);
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(wanted) != std::string::npos) return true;
  }
  return false;
}

void pause_briefly() {
  const timespec span{0, 10'000'000};
  ::nanosleep(&span, nullptr);
}

}  // namespace

bool belongs_to(const StateFolder& folder, pid_t pid) {
  std::ifstream mounts(fmt::format("/proc/{}/mountinfo", pid));
  return mounts && has_mark(mounts, folder.mark());
}

std::vector<pid_t> processes_of(const StateFolder& folder) {
  std::vector<pid_t> found;
  std::error_code bad;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", bad)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || *end != '\0' || pid == ::getpid()) continue;
    if (belongs_to(folder, pid)) found.push_back(pid);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<Error> end_processes(const StateFolder& folder) {
  constexpr int kTurns = 500;  // turns of 10 ms each
  std::vector<pid_t> left;
  for (int turn = 0; turn < kTurns; ++turn) {
    left = processes_of(folder);
    if (left.empty()) return std::nullopt;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    pause_briefly();
  }
  return Error{"lab", fmt::format("{} processes do not end, {} among them", left.size(), left[0]),
               "try espalier lab down again"};
}

void end_marked_processes(const StateFolder& folder, const std::string& variable) {
  const std::string wanted = '\0' + variable + '\0';
  for (const pid_t pid : processes_of(folder)) {
    std::ifstream in(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    std::string environment{std::istreambuf_iterator<char>(in), {}};
    environment.insert(environment.begin(), '\0');
    if (environment.find(wanted) != std::string::npos) ::kill(pid, SIGKILL);
  }
}

}  // namespace espalier::lab

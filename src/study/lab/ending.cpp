#include "lab/ending.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "lab/state.hpp"

namespace espalier::lab {
namespace {

int the_folder = -1;  // file descriptor of the lab's folder: a host cannot open it by its path

char* put_text(char* at, const char* text) {
  while (*text != '\0') *at++ = *text++;
  return at;
}

char* put_text(char* at, long number) {
  char digits[24];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *at++ = digits[--count];
  return at;
}

/// Nothing in it but what a signal handler may call.
void leave_word(int signal, siginfo_t* info, void* /*context*/) {
  char line[128];
  char* end = put_text(put_text(line, "ended "), static_cast<long>(::getpid()));
  end = put_text(put_text(end, " "), signal);
  const bool is_sent = info != nullptr && (info->si_code == SI_USER || info->si_code == SI_QUEUE ||
                                           info->si_code == SI_TKILL);
  end = put_text(put_text(put_text(end, " "), is_sent ? static_cast<long>(info->si_pid) : 0), "\n");
  const int file = ::openat(the_folder, "holders", O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0 && ::write(file, line, static_cast<std::size_t>(end - line)) >= 0) ::close(file);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

struct ProcessEnding {
  int signal = 0;
  pid_t sender = 0;
};

struct EndingWords {
  std::uint64_t oom_kills = 0;
  bool has_oom_kills = false;
  std::map<pid_t, ProcessEnding> endings;
};

EndingWords read_ending_words(const std::string& text) {
  EndingWords words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string first;
    in >> first;
    if (first == "oom_kill") words.has_oom_kills = static_cast<bool>(in >> words.oom_kills);
    pid_t pid = 0;
    ProcessEnding ending;
    if (first == "ended" && in >> pid >> ending.signal >> ending.sender)
      words.endings[pid] = ending;
  }
  return words;
}

std::string ending_text(const Gone& one, const EndingWords& words) {
  if (one.pid == 0) return fmt::format("{} is gone", one.what);
  const std::string who = fmt::format("{}'s process {}", one.what, one.pid);
  const auto found = words.endings.find(one.pid);
  if (found == words.endings.end()) {
    return fmt::format("{} ended without a word, as after signal 9 (SIGKILL)", who);
  }
  const ProcessEnding& ending = found->second;
  std::string text =
      fmt::format("{} was ended by signal {} (SIG{})", who, ending.signal,
                  ::sigabbrev_np(ending.signal) != nullptr ? ::sigabbrev_np(ending.signal) : "?");
  if (ending.sender != 0) text += fmt::format(", sent by process {}", ending.sender);
  return text;
}

}  // namespace

void leave_word_of_signals(const std::string& folder) {
  the_folder = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (the_folder < 0) return;
  struct sigaction action {};
  action.sa_sigaction = leave_word;
  action.sa_flags = SA_SIGINFO;
  for (const int signal : {SIGTERM, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS,
                           SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGXFSZ}) {
    ::sigaction(signal, &action, nullptr);
  }
}

std::uint64_t oom_kills() {
  std::ifstream in("/proc/vmstat");
  std::string name;
  for (std::uint64_t value = 0; in >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return 0;
}

std::string oom_line() { return fmt::format("oom_kill {}\n", oom_kills()); }

std::string endings_text(const std::vector<Gone>& gone, const std::string& words,
                         std::uint64_t oom_kills_now) {
  constexpr std::size_t kMostNamed = 3;
  const EndingWords known = read_ending_words(words);
  std::string text;
  for (std::size_t i = 0; i < gone.size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "" : "; ") + ending_text(gone[i], known);
  }
  if (gone.size() > kMostNamed) {
    text += fmt::format("; and {} more are gone", gone.size() - kMostNamed);
  }
  if (!known.has_oom_kills) return text;
  const std::uint64_t kills =
      oom_kills_now >= known.oom_kills ? oom_kills_now - known.oom_kills : 0;
  return text +
         fmt::format(
             "; since the lab began the kernel's out-of-memory killer has ended {} processes "
             "of this computer (oom_kill of /proc/vmstat)",
             kills == 0 ? "no" : std::to_string(kills));
}

std::string why_broken(const OpenLab& lab) {
  const std::vector<pid_t> holders = saved_pids(lab.folder.holders());
  const std::vector<pid_t> routers = saved_pids(lab.folder.router());
  std::vector<Gone> gone;
  for (std::size_t h = 0; h < lab.holders.size(); ++h) {
    if (lab.holders[h] != 0) continue;
    gone.push_back({"host " + lab.plan.hosts[h].name, h < holders.size() ? holders[h] : 0});
  }
  if (lab.router == 0) gone.push_back({"the router", routers.empty() ? 0 : routers.front()});
  const auto words = read_text(lab.folder.holders());
  return endings_text(gone, words ? *words : "", oom_kills());
}

}  // namespace espalier::lab

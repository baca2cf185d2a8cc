#include "lab/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/file.hpp"
#include "lab/daemon.hpp"
#include "lab/processes.hpp"
#include "lab/slow_hosts.hpp"
#include "topology/views.hpp"
#include "topology/writers.hpp"

namespace espalier::lab {
namespace {

volatile sig_atomic_t asked_to_stop = 0;  // number of the signal that asked us to stop

void remember(int signal) { asked_to_stop = signal; }

void set_signal(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // no SA_RESTART, so that a signal ends waiting
  ::sigaction(signal, &action, nullptr);
}

constexpr std::array<int, 3> kHeld{SIGINT, SIGTERM, SIGHUP};

/// Whoever started us may want it so: nohup, or `&` in a script.
bool is_ignored(int signal) {
  struct sigaction now {};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

void remember_signals() {
  for (const int s : kHeld) {
    if (!is_ignored(s)) set_signal(s, remember);
  }
}

/// Hands on what we are asked, once, then insists. A run that was stopped did not end well,
/// whatever its launcher says of it.
int wait_for(pid_t child) {
  int status = 0;
  bool told = false;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    if (asked_to_stop == 0) continue;
    ::kill(child, told ? SIGKILL : asked_to_stop);
    told = true;
  }
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return told && code == 0 ? 128 + asked_to_stop : code;
}

/// A file of this run that goes with it; "" for none.
struct TemporaryFile {
  std::string path;
  ~TemporaryFile() { (void)remove_own_file(path); }
};

}  // namespace

HeldSignals::HeldSignals() {
  for (std::size_t i = 0; i < kHeld.size(); ++i) ::sigaction(kHeld[i], nullptr, &old_[i]);
  remember_signals();
}

HeldSignals::~HeldSignals() {
  for (std::size_t i = 0; i < kHeld.size(); ++i) ::sigaction(kHeld[i], &old_[i], nullptr);
}

int signal_asked() { return asked_to_stop; }

Error exec_on_host(const OpenLab& lab, std::size_t host, const std::vector<std::string>& command) {
  const std::string& name = lab.plan.hosts[host].name;
  if (lab.holders[host] == 0) {
    return {"lab", fmt::format("host {} is gone", name), "repair it: espalier lab up MACHINE"};
  }
  if (lab.cpu) {
    const bool is_slow = cpu_share(lab.ranks, lab.plan.hosts[host]) < kAllOfACore;
    if (auto e = is_slow ? lab.cpu->join(name, ::getpid()) : lab.cpu->leave(::getpid())) return *e;
  }
  std::error_code bad;
  const std::string here = std::filesystem::current_path(bad).string();
  if (auto error = enter_host(lab.holders[host])) return *error;
  if (bad || ::chdir(here.c_str()) != 0) {
    if (::chdir("/") != 0) return {"lab", "cannot change to /", ""};
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  return {"lab", fmt::format("cannot start {}: {}", command[0], std::strerror(errno)), ""};
}

Error no_program(const std::string& program) {
  const bool is_here = program.find('/') == std::string::npos && exists("./" + program);
  if (program.find('/') != std::string::npos) {
    return {"lab run", fmt::format("there is no program {}", program),
            exists(program) ? "its owner may not run it: chmod +x"
                            : "is it compiled, and in that folder?"};
  }
  return {"lab run", fmt::format("there is no program \"{}\" in PATH", program),
          is_here ? fmt::format("did you mean ./{}?", program)
                  : "write where it is: ./program, or its whole path"};
}

Expected<std::string> find_library(const std::string& self, const std::string& name) {
  if (self.find_first_of(" :") != std::string::npos) {
    return Error{
        self,
        "a lab preloads libraries, and LD_PRELOAD cannot name a folder with a blank or a colon",
        "install Espalier in another folder"};
  }
  const auto beside = std::filesystem::path(self).parent_path().parent_path();
  const std::string path = (beside / "lib" / name).string();
  if (exists(path)) return path;
  return Error{"lab run", fmt::format("{} is not there", path), "build it: make"};
}

void add_own_cache(std::vector<std::string>& environment, const StateFolder& folder,
                   bool is_set_outside) {
  const auto says_cache = [](const std::string& v) { return v.starts_with("XDG_CACHE_HOME="); };
  if (is_set_outside || std::any_of(environment.begin(), environment.end(), says_cache)) return;
  environment.push_back("XDG_CACHE_HOME=" + folder.cache());
}

Expected<LaunchRequest> completed(LaunchRequest request, const OpenLab& lab,
                                  const std::string& self) {
  auto shim = find_library(self, "libespalier-lab-shim.so");
  if (!shim) return shim.error();
  request.shim = *shim;
  request.hostfile = fmt::format("{}/hostfile.{}", lab.folder.path, ::getpid());
  request.remote_shell = lab.folder.shell();
  request.rank_cells = lab.folder.ranks();
  const auto says_machine = [](const std::string& v) { return v.starts_with("ESPALIER_MACHINE="); };
  if (std::none_of(request.environment.begin(), request.environment.end(), says_machine)) {
    if (request.ranks < lab.machine.size()) {
      std::vector<Rank> first(request.ranks);
      std::iota(first.begin(), first.end(), Rank{0});
      request.part_file = fmt::format("{}/machine.{}.json", lab.folder.path, ::getpid());
      request.part_machine = topology::write_json(topology::restrict_machine(lab.machine, first));
    }
    request.environment.push_back("ESPALIER_MACHINE=" + (request.part_file.empty()
                                                             ? lab.folder.machine()
                                                             : request.part_file));
  }
  add_own_cache(request.environment, lab.folder, std::getenv("XDG_CACHE_HOME") != nullptr);
  return request;
}

Expected<int> run_launch(const OpenLab& lab, const LaunchRequest& request, const Launch& launch,
                         const std::string& output) {
  const TemporaryFile hostfile{request.hostfile};
  if (auto e = write_text(hostfile.path, launch.hostfile, 0644)) return *e;
  const TemporaryFile part{request.part_file};
  if (!part.path.empty()) {
    if (auto e = write_text(part.path, request.part_machine, 0644)) return *e;
  }
  if (!output.empty()) {
    if (auto e = remove_own_file(output)) return *e;  // left over from a killed process
  }
  const std::size_t first = host_of_rank(lab.plan.hosts, lab.machine.size())[0];
  const std::string mark = fmt::format("ESPALIER_LAB_RUN={}", ::getpid());
  remember_signals();
  if (signal_asked() != 0) return 128 + signal_asked();
  const pid_t child = ::fork();
  if (child < 0) return Error{"lab run", "cannot start a process", ""};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (const int s : kHeld) {
      if (!is_ignored(s)) set_signal(s, SIG_DFL);
    }
    // The tool ignores these, which other programs do not expect.
    for (const int s : {SIGPIPE, SIGXFSZ}) set_signal(s, SIG_DFL);
    ::putenv(const_cast<char*>(mark.c_str()));
    if (!output.empty()) {
      const int file =
          ::open(output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
      if (file < 0 || ::dup2(file, 1) < 0) ::_exit(126);
    }
    const std::string text = to_string(exec_on_host(lab, first, launch.command)) + "\n";
    ::_exit(::write(2, text.data(), text.size()) < 0 ? 126 : 127);
  }
  const int code = wait_for(child);
  // Nothing is left of a run that ended well; of one that was killed, what it had started far away.
  end_marked_processes(lab.folder, mark);
  return code;
}

}  // namespace espalier::lab

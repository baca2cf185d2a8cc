#pragma once

#include <sys/types.h>

#include <utility>

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "lab/state.hpp"

namespace espalier::lab {

/// For a lab that is up only as long as this process works in it: another process takes it down if
/// this one ends without a word, by SIGKILL too.
class TakenDownAfterUs {
 public:
  /// @param folder the lab's folder; the lab need not be up yet
  static Expected<TakenDownAfterUs> watch(const StateFolder& folder);
  /// The lab is down by now, or stays: nobody watches any more.
  ~TakenDownAfterUs();
  TakenDownAfterUs(TakenDownAfterUs&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), to_watcher_(std::move(other.to_watcher_)) {}
  TakenDownAfterUs& operator=(TakenDownAfterUs&&) = delete;
  TakenDownAfterUs(const TakenDownAfterUs&) = delete;
  TakenDownAfterUs& operator=(const TakenDownAfterUs&) = delete;

 private:
  TakenDownAfterUs(pid_t pid, FileDescriptor to_watcher)
      : pid_(pid), to_watcher_(std::move(to_watcher)) {}

  pid_t pid_;                  // the watcher
  FileDescriptor to_watcher_;  // a pipe: its end without a byte means that we are gone
};

}  // namespace espalier::lab

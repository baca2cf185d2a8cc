#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "mpi/polling.hpp"

namespace espalier::mpi {

/// MPI requests under way, each with what its owner needs to know when it is complete. A test looks
/// at a few of them, others each time: constant work, however many there are.
template <typename Part>
class Requests {
 public:
  /// Requests that one test looks at, at most.
  static constexpr std::size_t kAtOnce = 32;

  [[nodiscard]] bool empty() const { return handles_.empty(); }
  [[nodiscard]] std::size_t size() const { return handles_.size(); }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  void add(MPI_Request handle, const Part& about) {
    handles_.push_back(handle);
    parts_.push_back(about);
  }

  /// Tests some, and calls act(part, status, has_code) for each that is complete. has_code: the
  /// status has an error code of its own. act() may add requests.
  /// @param error MPI's first one
  /// @return whether some were complete
  template <typename Act>
  bool test(int& error, Act act) {
    if (next_ >= handles_.size()) next_ = 0;
    const std::size_t count = std::min(handles_.size() - next_, kAtOnce);
    if (count == 0) return false;
    int completed = 0;
    const int code = PMPI_Testsome(static_cast<int>(count), &handles_[next_], &completed,
                                   indices_.data(), statuses_.data());
    return take(code, std::max(completed, 0), count, error, act);
  }
  /// Waits for one, and acts as test().
  template <typename Act>
  void wait(int& error, Act act) {
    next_ = 0;
    const int code = PMPI_Waitany(static_cast<int>(handles_.size()), handles_.data(),
                                  indices_.data(), statuses_.data());
    if (code == MPI_SUCCESS && handles_[first()] != MPI_REQUEST_NULL) {
      PMPI_Request_free(&handles_[first()]);  // persistent ones outlive their completion
    }
    take(code, code == MPI_SUCCESS ? 1 : 0, 0, error, act);
  }

  /// Frees all requests after an error. @param receives(part) whether to cancel that request
  template <typename Receives>
  void give_up(Receives receives) {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] == MPI_REQUEST_NULL) continue;
      if (receives(parts_[i])) PMPI_Cancel(&handles_[i]);
      PMPI_Request_free(&handles_[i]);
    }
    handles_.clear();
    parts_.clear();
  }

 private:
  [[nodiscard]] std::size_t first() const { return static_cast<std::size_t>(indices_[0]); }

  template <typename Act>
  bool take(int code, int completed, std::size_t tested, int& error, Act act) {
    const bool has_codes = is_in_status(code);
    if (code != MPI_SUCCESS && !has_codes && error == MPI_SUCCESS) error = code;
    const auto n = static_cast<std::size_t>(completed);
    for (std::size_t i = 0; i < n; ++i) {
      done_[i] = parts_[next_ + static_cast<std::size_t>(indices_[i])];
    }
    // The last ones take the places of those that are complete, from behind.
    std::sort(indices_.begin(), indices_.begin() + completed, std::greater<>());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = next_ + static_cast<std::size_t>(indices_[i]);
      handles_[at] = handles_.back();
      parts_[at] = parts_.back();
      handles_.pop_back();
      parts_.pop_back();
    }
    next_ += tested > n ? tested - n : 0;
    for (std::size_t i = 0; i < n; ++i) act(done_[i], statuses_[i], has_codes);
    return n > 0;
  }

  std::vector<MPI_Request> handles_;
  std::vector<Part> parts_;  // what each request is about
  std::size_t next_ = 0;     // first one that the next test looks at
  std::array<int, kAtOnce> indices_{};
  std::array<MPI_Status, kAtOnce> statuses_{};
  std::array<Part, kAtOnce> done_{};
};

}  // namespace espalier::mpi

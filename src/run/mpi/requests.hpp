#pragma once

#include <cstddef>
#include <vector>

#include "mpi/polling.hpp"

namespace espalier::mpi {

/// MPI requests under way, each with what its owner needs to know when it is complete.
template <typename Posted>
struct Requests {
  std::vector<MPI_Request> handles;
  std::vector<Posted> posted;  ///< what each request is about

  void add(MPI_Request handle, const Posted& about) {
    handles.push_back(handle);
    posted.push_back(about);
  }
  void clear() {
    handles.clear();
    posted.clear();
  }

  /// Waits until some requests are complete, and calls act(posted, status, has_code) for each.
  /// has_code: the status has an error code of its own. act() may add requests.
  /// @param error MPI's first one, which ends the waiting
  /// @param stalled is called now and then where nothing comes for long
  template <typename Stalled, typename Act>
  void wait_for_some(double stall_seconds, int& error, Stalled stalled, Act act) {
    const auto n = static_cast<int>(handles.size());
    if (n == 0) {  // impossible for verified programs
      error = MPI_ERR_INTERN;
      return;
    }
    indices.resize(handles.size());
    statuses.resize(handles.size());
    int completed = 0;
    bool has_codes = false;
    const auto note_unless_in_status = [&](int code) {
      has_codes = is_in_status(code);
      if (!has_codes && error == MPI_SUCCESS) error = code;
    };
#ifdef ESPALIER_SMPI  // a poll costs simulated time, and its MPI_Waitsome polls
    static_cast<void>(stall_seconds);
    static_cast<void>(stalled);
    note_unless_in_status(PMPI_Waitany(n, handles.data(), indices.data(), statuses.data()));
    completed = error == MPI_SUCCESS ? 1 : 0;
    for (int i = 0; i < completed; ++i) {  // persistent ones outlive their completion
      MPI_Request& handle = handles[static_cast<std::size_t>(indices[0])];
      if (handle != MPI_REQUEST_NULL) PMPI_Request_free(&handle);
    }
#else
    poll(
        stall_seconds,
        [&] {
          note_unless_in_status(
              PMPI_Testsome(n, handles.data(), &completed, indices.data(), statuses.data()));
          return completed > 0 || error != MPI_SUCCESS;
        },
        stalled);
#endif
    for (int i = 0; i < completed; ++i) {
      const Posted done = posted[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])];
      act(done, statuses[static_cast<std::size_t>(i)], has_codes);
    }
    remove_completed();
  }

  /// Frees all requests after an error. @param receives(posted) whether to cancel that request
  template <typename Receives>
  void give_up(Receives receives) {
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (handles[i] == MPI_REQUEST_NULL) continue;
      if (receives(posted[i])) PMPI_Cancel(&handles[i]);
      PMPI_Request_free(&handles[i]);
    }
    clear();
  }

  void remove_completed() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (handles[i] == MPI_REQUEST_NULL) continue;
      handles[kept] = handles[i];
      posted[kept++] = posted[i];
    }
    handles.resize(kept);
    posted.resize(kept);
  }

  std::vector<int> indices;          // which requests are complete
  std::vector<MPI_Status> statuses;  // statuses of the complete requests
};

}  // namespace espalier::mpi

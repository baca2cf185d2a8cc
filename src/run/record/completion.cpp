// Calls that complete requests: which of them, and what came.
#include <cstdio>
#include <cstring>

#include "record/notes.hpp"
#include "record/recorder.hpp"

namespace espalier::record {
namespace {

/// Releases 4.0 of MPICH, as their text of the version says ("MPICH Version: 4.0.2").
bool f08_counts_from_zero() {
  static const bool does = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) return false;
    int major = 0;
    int minor = -1;
    return std::sscanf(text, "MPICH Version: %d.%d", &major, &minor) == 2 && major == 4 &&
           minor == 0;
  }();
  return does;
}

}  // namespace

/// Only where one of the requests is known; most calls on sends alone have none.
struct Completion::State {
  State(std::intptr_t count, std::intptr_t address, Language spoken)
      : language(spoken), statuses(count, address, spoken) {}

  Language language;
  Statuses statuses;
  std::vector<std::intptr_t> handles;  ///< handles of all requests

  [[nodiscard]] MPI_Status status(std::size_t i) const {
    MPI_Status told;
    std::memcpy(&told, as<const char*>(statuses.address()) + i * sizeof told, sizeof told);
    return told;
  }
  /// Fortran counts from 1, but for mpi_f08 of some releases.
  [[nodiscard]] std::size_t index(int told) const {
    const bool from_zero =
        language == Language::C || (language == Language::MpichF08 && f08_counts_from_zero());
    return static_cast<std::size_t>(told) - (from_zero ? 0 : 1);
  }
  void complete(std::size_t request, std::size_t status_at) const {
    const Locked recorder;
    if (recorder && request < handles.size()) {
      recorder->complete(handles[request], status(status_at));
    }
  }
};

Completion::Completion(std::intptr_t count, std::intptr_t requests, std::intptr_t statuses,
                       Language language)
    : given_(statuses) {
  const Locked recorder;
  if (!recorder || recorder->requests.empty() || count <= 0) return;
  bool knows_one = false;
  std::vector<std::intptr_t> handles(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < handles.size(); ++i) {
    handles[i] = handle_at(requests, i, language);
    knows_one = knows_one || recorder->requests.contains(handles[i]);
  }
  if (!knows_one) return;
  state_ = std::make_unique<State>(count, statuses, language);
  state_->handles = std::move(handles);
}
Completion::~Completion() = default;

std::intptr_t Completion::statuses() const { return state_ ? state_->statuses.address() : given_; }

void Completion::all(std::intptr_t flag) {
  if (!state_ || (flag != 0 && *as<const int*>(flag) == 0)) return;
  for (std::size_t i = 0; i < state_->handles.size(); ++i) state_->complete(i, i);
}

void Completion::any(std::intptr_t index, std::intptr_t flag) {
  if (!state_ || (flag != 0 && *as<const int*>(flag) == 0)) return;
  const int told = *as<const int*>(index);
  if (told != MPI_UNDEFINED) state_->complete(state_->index(told), 0);
}

void Completion::some(std::intptr_t outcount, std::intptr_t indices) {
  if (!state_) return;
  const int count = *as<const int*>(outcount);
  if (count == MPI_UNDEFINED) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    state_->complete(state_->index(as<const int*>(indices)[i]), i);
  }
}

}  // namespace espalier::record

// Calls that complete requests: which of them, and what came.
#include <cstring>

#include "record/notes.hpp"
#include "record/recorder.hpp"

namespace espalier::record {

/// Only where one of the requests is known; most calls on sends alone have none.
struct Completion::State {
  State(std::intptr_t count, std::intptr_t address, Language spoken)
      : language(spoken), statuses(count, address, spoken) {}

  Language language;
  Statuses statuses;
  std::vector<std::intptr_t> handles;  ///< of all

  [[nodiscard]] MPI_Status status(std::size_t i) const {
    MPI_Status told;
    std::memcpy(&told, as<const char*>(statuses.address()) + i * sizeof told, sizeof told);
    return told;
  }
  /// Fortran counts from 1.
  [[nodiscard]] std::size_t index(int told) const {
    return static_cast<std::size_t>(told - (language == Language::Fortran ? 1 : 0));
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

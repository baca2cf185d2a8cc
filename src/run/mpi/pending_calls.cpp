#include "mpi/pending_calls.hpp"

#include <algorithm>
#include <utility>

namespace espalier::mpi {

void PendingCalls::start(std::unique_ptr<PendingCall> call) {
  const std::uint64_t number = channel_.reserve_number();
  if (call != nullptr) call->make_ready(number);
  queued_.push_back({number, std::move(call)});
  begin_queued();
}

void PendingCalls::do_in_order(std::function<void()> between) {
  queued_.push_back({channel_.reserve_number(), nullptr, std::move(between)});
  begin_queued();
}

void PendingCalls::begin_queued() {
  while (!queued_.empty() && channel_.may_begin(queued_.front().number)) {
    Queued first = std::move(queued_.front());
    queued_.pop_front();
    channel_.keep_pace_at(first.number);
    if (first.between) {
      first.between();
    } else if (first.call == nullptr) {
      channel_.tell_failure(first.number);
    }
    if (first.call == nullptr) continue;
    PendingCall& call = *under_way_.emplace_back(std::move(first.call));
    call.execution.begin(call.plan->prepared, *call.payload, first.number, call.plan->signature);
  }
}

bool PendingCalls::step(std::size_t most) {
  bool has_moved = false;
  const std::size_t count = std::min(most, under_way_.size());
  for (std::size_t i = 0; i < count && !under_way_.empty(); ++i) {
    if (next_ >= under_way_.size()) next_ = 0;
    PendingCall& call = *under_way_[next_];
    has_moved |= call.execution.step();
    if (!call.execution.is_done()) {
      ++next_;
      continue;
    }
    has_moved = true;
    std::unique_ptr<PendingCall> done = std::move(under_way_[next_]);
    under_way_[next_] = std::move(under_way_.back());
    under_way_.pop_back();
    end(std::move(done));
  }
  begin_queued();
  return has_moved;
}

void PendingCalls::look_for_mismatch() {
  const auto oldest = std::min_element(
      under_way_.begin(), under_way_.end(),
      [](const auto& a, const auto& b) { return a->execution.number() < b->execution.number(); });
  if (oldest != under_way_.end()) (*oldest)->execution.look_for_mismatch();
}

void PendingCalls::end(std::unique_ptr<PendingCall> call) {
  const Execution& execution = call->execution;
  if (execution.code() != MPI_SUCCESS && !execution.was_told()) {
    channel_.tell_failure(execution.number());
  }
  call->note(execution.code());
  if (call->error == MPI_SUCCESS && call->end) call->note(call->end());
  call->ended(call->error);
  // MPI may still use its memory.
  if (execution.left_messages()) {
    static_cast<void>(call.release());
  } else if (call->take_back) {
    const auto take_back = call->take_back;  // it may delete the call
    take_back(std::move(call));
  }
}

void PendingCalls::abandon() {
  for (auto& call : under_way_) {
    channel_.remove(call->execution);
    static_cast<void>(call.release());
  }
  under_way_.clear();
  queued_.clear();
}

}  // namespace espalier::mpi

// Calls that MPI does not have: multicasts, and what would become of a call. The data of multicasts
// are bytes: what they are of is the caller's affair.
#include <algorithm>
#include <cstring>

#include "mpi/byte_buffer.hpp"
#include "mpi/engine.hpp"

namespace espalier::mpi {

using runtime::MulticastCall;
using schedule::Buffer;
using schedule::Operation;

CallOutlook Engine::outlook(const runtime::PlanKey& key, MPI_Comm handle) {
  Communicator* comm = find(handle);
  if (comm == nullptr) return {false, "native", "no communicator"};
  CallOutlook result = comm->outlook(key);
  // A gatherv has the plan at first, and other trees when its root has told one.
  if (result.planned && key.irregular && key.operation == Operation::Scatter &&
      runtime::is_by_counts(world_->settings, key.operation)) {
    result.name = "by counts";
    result.why = "the root chooses a tree by the lengths, which it alone knows; else " + result.why;
  }
  return result;
}

bool Engine::multicasts(std::span<const Multicast> several, MPI_Comm handle, int& code) {
  Communicator* comm = enter(handle);
  if (comm == nullptr || !comm->can_multicast()) return false;
  code = MPI_SUCCESS;
  while (!several.empty() && code == MPI_SUCCESS) {
    const std::size_t now = std::min(several.size(), runtime::kMulticastsAtOnce);
    code = run_multicasts(*comm, several.first(now));
    several = several.subspan(now);
  }
  return true;
}

int Engine::run_multicasts(Communicator& comm, std::span<const Multicast> several) {
  if (several.size() > 1) {
    std::vector<MulticastCall> calls;
    for (const Multicast& one : several) calls.push_back(one.call);
    const runtime::CachedPlan& plan = comm.multicast_plan(calls);
    if (plan.planned) return run_multicast(comm, plan, several);
  }
  int code = MPI_SUCCESS;
  for (std::size_t m = 0; m < several.size() && code == MPI_SUCCESS; ++m) {
    const auto one = several.subspan(m, 1);
    code = run_multicast(comm, comm.multicast_plan({one.front().call}), one);
  }
  return code;
}

int Engine::run_multicast(Communicator& comm, const runtime::CachedPlan& plan,
                          std::span<const Multicast> several) {
  const auto self = static_cast<Rank>(comm.rank());
  std::vector<const Multicast*> mine;
  std::uint64_t bytes = 0;
  for (const Multicast& one : several) {
    if (!one.call.has(self)) continue;
    mine.push_back(&one);
    bytes += one.call.bytes;
  }
  // The data of several go through one buffer, those of one are sent and received where they lie.
  const bool is_staged = mine.size() > 1;
  ElementMemory staged(byte_layout(), is_staged ? bytes : 0);
  const auto copy_each = [&](auto copy) {
    std::byte* at = staged.address();
    for (const Multicast* one : mine) {
      if (is_staged && one->call.bytes > 0) copy(*one, at);
      at += one->call.bytes;
    }
  };
  copy_each([&](const Multicast& one, std::byte* at) {
    if (one.call.root == self) std::memcpy(at, one.data, one.call.bytes);
  });
  ElementCall execution;
  execution.buffers.layout = byte_layout();
  auto& out = execution.buffers.base[static_cast<std::size_t>(Buffer::Out)];
  out = is_staged      ? staged.address()
        : mine.empty() ? nullptr
                       : static_cast<std::byte*>(mine.front()->data);
  Call call{Operation::Broadcast, bytes, staged.size()};
  int code = MPI_SUCCESS;
  run(comm, plan, execution, call, code);
  if (code != MPI_SUCCESS) leave(comm, staged);
  if (code != MPI_SUCCESS) return code;
  copy_each([&](const Multicast& one, std::byte* at) {
    if (one.call.root != self) std::memcpy(one.data, at, one.call.bytes);
  });
  return code;
}

}  // namespace espalier::mpi

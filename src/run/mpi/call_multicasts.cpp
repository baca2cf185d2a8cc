// Multicasts, which MPI does not have. Their data are bytes: what they are of is the caller's
// affair.
#include <algorithm>
#include <cstring>

#include "mpi/calls.hpp"
#include "mpi/planned_call.hpp"

namespace espalier::mpi {

using runtime::MulticastCall;
using schedule::Operation;

namespace {

int run_along(Communicator& comm, const runtime::CachedPlan& plan,
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
  Elements elements;
  elements.buffers.layout = byte_layout();
  elements.bytes = bytes;
  elements.copied = staged.size();
  output(elements.buffers) = is_staged      ? staged.address()
                             : mine.empty() ? nullptr
                                            : static_cast<std::byte*>(mine.front()->data);
  const int code = run(comm, plan, Operation::Broadcast, elements);
  leave_if_failed(comm, code, staged);
  if (code != MPI_SUCCESS) {
    comm.hidden().mark_failed();
    return code;
  }
  copy_each([&](const Multicast& one, std::byte* at) {
    if (one.call.root != self) std::memcpy(one.data, at, one.call.bytes);
  });
  return code;
}

int run_at_once(Communicator& comm, std::span<const Multicast> several) {
  if (several.size() > 1) {
    std::vector<MulticastCall> calls;
    for (const Multicast& one : several) calls.push_back(one.call);
    const runtime::CachedPlan& plan = comm.plans().multicast(calls);
    if (plan.planned) return run_along(comm, plan, several);
  }
  int code = MPI_SUCCESS;
  for (std::size_t m = 0; m < several.size() && code == MPI_SUCCESS; ++m) {
    const auto one = several.subspan(m, 1);
    code = run_along(comm, comm.plans().multicast({one.front().call}), one);
  }
  return code;
}

}  // namespace

int multicasts(Communicator& comm, std::span<const Multicast> several) {
  int code = MPI_SUCCESS;
  while (!several.empty() && code == MPI_SUCCESS) {
    const std::size_t now = std::min(several.size(), runtime::kMulticastsAtOnce);
    code = run_at_once(comm, several.first(now));
    several = several.subspan(now);
  }
  return code;
}

}  // namespace espalier::mpi

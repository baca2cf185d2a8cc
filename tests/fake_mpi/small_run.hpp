#pragma once

#include <vector>

#include "fake_mpi/fake_ranks.hpp"

namespace espalier::fake {

/// A program of rank `rank`, with numbers of its own, run by hand.
struct SmallRun {
  SmallRun(mpi::Channel& channel, schedule::Program steps)
      : program(runtime::prepare(std::move(steps), [](Rank) { return runtime::PeerLink{}; })),
        payload(channel),
        execution(channel) {
    call.program = &program;
    call.buffers.layout = {MPI_INT64_T, 8, 8, 0, 8, true};
    call.buffers.base.fill(reinterpret_cast<std::byte*>(numbers.data()));
  }
  void begin(mpi::Channel& channel) {
    const std::uint64_t number = channel.take_number();
    payload.take(call, number);
    execution.begin(program, payload, number, 0);
  }
  std::vector<std::int64_t> numbers = std::vector<std::int64_t>(8);
  runtime::PreparedProgram program;
  mpi::ElementCall call;
  mpi::ElementPayload payload;
  mpi::Execution execution;
};

}  // namespace espalier::fake

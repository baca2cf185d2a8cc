// One step and one call of an execution on a fake MPI (tests/fake_mpi), by the number of messages.
// A step that finds nothing costs the same however many messages are under way; a call costs its
// messages. The fake's own work is in these times.
#include <benchmark/benchmark.h>

#include "fake_mpi/fake_mpi.hpp"
#include "mpi/element_payload.hpp"
#include "schedule/program_builder.hpp"

namespace espalier {
namespace {

using schedule::Buffer;

/// Rank 0 sends numbers to rank 1, one a message, or receives them from there.
struct Numbers {
  Numbers(std::uint64_t messages, bool sends) : numbers(messages) {
    schedule::ProgramBuilder builder(0);
    for (std::uint64_t m = 0; m < messages; ++m) {
      const auto one = slice(sends ? Buffer::In : Buffer::Out, m, 1);
      sends ? builder.send(1, one) : builder.recv(1, one);
    }
    program =
        runtime::prepare(std::move(builder).build(), [](Rank) { return runtime::PeerLink{}; });
    call.program = &program;
    call.buffers.layout = {MPI_INT64_T, 8, 8, 0, 8, true};
    call.buffers.base.fill(reinterpret_cast<std::byte*>(numbers.data()));
  }
  std::vector<std::int64_t> numbers;
  runtime::PreparedProgram program;
  mpi::ElementCall call;
};

void idle_step(benchmark::State& state) {
  fake::World world(2);
  mpi::ChannelOptions options;
  options.window = static_cast<std::uint32_t>(state.range(0));  // all of them under way
  mpi::Channel channel(MPI_COMM_WORLD, 0, 2, runtime::Tags(32767), options);
  Numbers receives(static_cast<std::uint64_t>(state.range(0)), false);
  mpi::ElementPayload payload(channel);
  payload.take(receives.call, 0);
  mpi::Execution execution(channel);
  execution.begin(receives.program, payload, channel.take_number(), 0);
  for (auto _ : state) benchmark::DoNotOptimize(execution.step());
}
BENCHMARK(idle_step)->Arg(16)->Arg(1024)->Arg(100'000);

void whole_call(benchmark::State& state) {
  const auto messages = static_cast<std::uint64_t>(state.range(0));
  mpi::ChannelOptions options;
  options.synchronous_after = ~std::uint64_t{0};
  Numbers sends(messages, true);
  for (auto _ : state) {
    fake::World world(2);
    mpi::Channel channel(MPI_COMM_WORLD, 0, 2, runtime::Tags(32767), options);
    mpi::ElementPayload payload(channel);
    payload.take(sends.call, 0);
    mpi::Execution execution(channel);
    execution.begin(sends.program, payload, channel.take_number(), 0);
    while (!execution.is_done()) execution.step();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(whole_call)->Arg(16)->Arg(1024)->Arg(100'000);

}  // namespace
}  // namespace espalier

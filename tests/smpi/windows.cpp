// An alltoall of which no rank posts all messages at once. All ranks go through the others
// beginning with the next one, for sends and for receives alike, and each send waits for its
// receive. With two of each under way nobody posts what another one waits for: SimGrid would see a
// deadlock.
#include <utility>
#include <vector>

#include "collective/alltoall.hpp"
#include "collective/participants.hpp"
#include "mpi/executor.hpp"
#include "mpi/harness.hpp"
#include "mpi/wire.hpp"

namespace espalier::mpi {
namespace {

constexpr std::uint64_t kBlock = 128 * 1024;  // waits for its receiver

std::byte value(int from, int to) { return static_cast<std::byte>(from * 16 + to); }

int exchange(MPI_Comm comm, int rank, int size) {
  mpi_test::Failures failures;
  schedule::ProgramBuilder builder(static_cast<Rank>(rank));
  collective::direct_alltoall_by_rank(
      builder, collective::all_participants(static_cast<Rank>(size), static_cast<Rank>(rank)),
      kBlock, 0);
  const runtime::PreparedProgram program =
      runtime::prepare(std::move(builder).build(), [](Rank) { return runtime::PeerLink{}; });

  const std::size_t bytes = kBlock * static_cast<std::size_t>(size);
  std::vector<std::byte> in(bytes), out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) in[i] = value(rank, static_cast<int>(i / kBlock));

  ChannelOptions options;
  options.window = 2;
  options.parts_under_way = kPartsUnderWay;
  Executor executor(comm, rank, size, runtime::Tags(32767), options);
  ElementCall call;
  call.program = &program;
  call.buffers.layout = layout_of(MPI_BYTE);
  call.buffers.base = {in.data(), out.data(), nullptr};
  failures.expect(executor.run(call) == MPI_SUCCESS, "the call failed");
  bool right = true;
  for (std::size_t i = 0; i < bytes; ++i) {
    right = right && out[i] == value(static_cast<int>(i / kBlock), rank);
  }
  failures.expect(right, "a block is wrong");
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int code = espalier::mpi::exchange(comm, rank, size);
  PMPI_Comm_free(&comm);
  MPI_Finalize();
  return code;
}

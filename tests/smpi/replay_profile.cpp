// replay_profile FILE: a recorded or made profile under SMPI, message by message; prints the
// simulated seconds. Point-to-point messages alone. Computation takes its time on a host of speed 1
// (1 Gf).
#define OMPI_SKIP_MPICXX
#include <mpi.h>
#include <smpi/smpi.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <vector>

#include "profile/json.hpp"

namespace {

using espalier::profile::Action;
using espalier::profile::ActionKind;

struct Replay {
  std::vector<std::vector<char>> sent;
  std::vector<MPI_Request> requests;
  std::vector<char> room;

  void run(const std::vector<Action>& actions, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Action& a = actions[i];
      if (a.kind == ActionKind::Compute) smpi_execute_flops(1e9 * espalier::to_seconds(a.takes));
      if (a.kind == ActionKind::Send) {
        sent.emplace_back(a.bytes + 1);
        requests.emplace_back();
        MPI_Isend(sent.back().data(), static_cast<int>(a.bytes), MPI_BYTE, static_cast<int>(a.peer),
                  0, MPI_COMM_WORLD, &requests.back());
      }
      if (a.kind == ActionKind::Recv) {
        room.resize(a.bytes + 1);
        MPI_Recv(room.data(), static_cast<int>(room.size()), MPI_BYTE, static_cast<int>(a.peer), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      if (a.kind == ActionKind::Loop) {
        for (std::uint64_t t = 0; t < a.times; ++t) run(actions, i + 1, i + 1 + a.body);
        i += a.body;
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ostringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  const auto profile = espalier::profile::read_json(text.str(), argv[1]);
  if (!profile) MPI_Abort(MPI_COMM_WORLD, 2);
  const auto& actions = profile->processes[static_cast<std::size_t>(rank)].actions;
  Replay replay;
  // Processes leave MPI_Init up to milliseconds apart; what is predicted begins at one moment.
  const double begin = 10;
  const double left = begin - MPI_Wtime();
  const timespec nap{static_cast<time_t>(left), static_cast<long>(left * 1e9) % 1'000'000'000};
  if (left < 0 || smpi_nanosleep(&nap, nullptr) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  replay.run(actions, 0, actions.size());
  double mine = MPI_Wtime() - begin, all = 0;
  MPI_Waitall(static_cast<int>(replay.requests.size()), replay.requests.data(),
              MPI_STATUSES_IGNORE);
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.9f\n", all);
  MPI_Finalize();
  return 0;
}

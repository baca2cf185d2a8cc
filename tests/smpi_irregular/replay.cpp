// replay PLANS: runs the messages of plans under SMPI and prints what each took, as lines of
//   name<TAB>predicted picoseconds<TAB>picoseconds
// PLANS is written by irregular_cases. A plan: a line `plan BLOCKING PREDICTED NAME`, then for each
// rank `rank COUNT` and so many lines `s|r PEER BYTES TAG NEEDS...`: a send may go when the
// receives with those numbers, counted within the rank, are over. BLOCKING: one op after the other,
// by MPI_Send and MPI_Recv. What is sent does not matter here: the runtime's tests look at data.
#include <mpi.h>
#include <smpi/smpi.h>
#include <smpi/smpi_helpers_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Op {
  bool sends = false;
  int peer = 0;
  std::size_t bytes = 0;
  int tag = 0;
  std::vector<std::size_t> needs;
};

struct Plan {
  bool blocking = false;
  long long predicted = 0;
  std::string name;
  std::vector<Op> mine;
};

std::vector<Plan> read(const char* path, int rank, int size) {
  std::ifstream file(path);
  std::vector<Plan> plans;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream head(line);
    std::string word;
    Plan plan;
    head >> word >> plan.blocking >> plan.predicted >> std::ws;
    std::getline(head, plan.name);
    for (int r = 0; r < size; ++r) {
      std::size_t count = 0;
      std::getline(file, line);
      std::istringstream(line.substr(5)) >> count;
      for (std::size_t i = 0; i < count; ++i) {
        std::getline(file, line);
        if (r != rank) continue;
        std::istringstream words(line);
        Op op;
        words >> word >> op.peer >> op.bytes >> op.tag;
        op.sends = word == "s";
        for (std::size_t need = 0; words >> need;) op.needs.push_back(need);
        plan.mine.push_back(std::move(op));
      }
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

double begin_together() {
  double moment = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &moment, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  moment = std::ceil(moment) + 1;
  const double wait = moment - MPI_Wtime();
  const timespec time{static_cast<time_t>(wait),
                      static_cast<long>((wait - std::floor(wait)) * 1e9)};
  smpi_nanosleep(&time, nullptr);
  return moment;
}

void run_blocking(const std::vector<Op>& ops, char* data) {
  for (const Op& op : ops) {
    const int bytes = static_cast<int>(op.bytes);
    if (op.sends) {
      MPI_Send(data, bytes, MPI_BYTE, op.peer, op.tag, MPI_COMM_WORLD);
    } else {
      MPI_Recv(data, bytes, MPI_BYTE, op.peer, op.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

/// Receives are posted at once; sends go in their order as soon as they may.
void run_at_once(const std::vector<Op>& ops, char* data) {
  std::vector<MPI_Request> receives, sends;
  std::vector<bool> is_over(ops.size(), false), is_sent(ops.size(), false);
  std::vector<std::size_t> op_of;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].sends) continue;
    op_of.push_back(i);
    receives.emplace_back();
    MPI_Irecv(data, static_cast<int>(ops[i].bytes), MPI_BYTE, ops[i].peer, ops[i].tag,
              MPI_COMM_WORLD, &receives.back());
  }
  for (std::size_t left = receives.size() + 1; left > 0; --left) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!ops[i].sends || is_sent[i]) continue;
      if (!std::all_of(ops[i].needs.begin(), ops[i].needs.end(),
                       [&](std::size_t n) { return is_over[n]; })) {
        continue;
      }
      is_sent[i] = true;
      sends.emplace_back();
      MPI_Isend(data, static_cast<int>(ops[i].bytes), MPI_BYTE, ops[i].peer, ops[i].tag,
                MPI_COMM_WORLD, &sends.back());
    }
    if (left == 1) break;
    int which = 0;
    MPI_Waitany(static_cast<int>(receives.size()), receives.data(), &which, MPI_STATUS_IGNORE);
    is_over[op_of[static_cast<std::size_t>(which)]] = true;
  }
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const Plan& plan : read(argv[1], rank, size)) {
    std::size_t most = 1;
    for (const Op& op : plan.mine) most = std::max(most, op.bytes);
    char* data = static_cast<char*>(SMPI_SHARED_MALLOC(most));
    const double begin = begin_together();
    (plan.blocking ? run_blocking : run_at_once)(plan.mine, data);
    double end = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
      std::printf("%s\t%lld\t%.0f\n", plan.name.c_str(), plan.predicted, (end - begin) * 1e12);
      std::fflush(stdout);
    }
    SMPI_SHARED_FREE(data);
  }
  MPI_Finalize();
  return 0;
}

// The communication of MG (NAS-95-020): the faces of every level of a V cycle, between neighbours
// of a hypercube. On the coarse levels only processes with bit 2 set work, for their partners too:
// of 16 processes 4 to 7 and 12 to 15.
#include "skeleton.hpp"

namespace {

using npb::Count;
constexpr Count kEdge[5] = {32, 128, 256, 256, 512}, kSteps[5] = {4, 4, 4, 20, 20};
constexpr Count kFlops = 58;

void faces(npb::Job& job, Count edge, bool is_halved) {
  const Count face = edge * edge * 16 / static_cast<Count>(job.size());
  for (int d = 0; (1 << d) < job.size(); ++d) {
    if (is_halved && d == 2) continue;
    job.exchange(job.rank() ^ (1 << d), face < 8 ? 8 : face);
  }
}

}  // namespace

int main(int argc, char** argv) {
  npb::Job job("mg", argc, argv);
  if (!job.is_power_of_two()) job.refuse("runs on a power of two");
  const auto size = static_cast<Count>(job.size());
  const bool has_coarse = size >= 8;
  const bool keeps = !has_coarse || ((job.rank() >> 2) & 1) != 0;
  const int partner = job.rank() ^ 4;
  const Count steps = job.steps(kSteps);
  for (Count step = 0; step < steps; ++step) {
    for (Count edge = job.of(kEdge); edge >= 4; edge /= 2) {  // down the V, and up again
      const bool is_coarse = has_coarse && edge <= 8;
      if (is_coarse && edge * 2 > 8) {  // half of the processes hand over, and wait for the way up
        const Count all = 64 * edge * edge / size + 64;
        if (keeps) {
          job.receive(partner, all);
        } else {
          job.send(partner, all);
        }
      }
      if (is_coarse && !keeps) continue;
      job.compute(edge * edge * edge * kFlops / size);
      for (int i = 0; i < (is_coarse ? 4 : 2); ++i) faces(job, edge, is_coarse);
    }
    if (has_coarse && keeps) job.send(partner, 1024);
    if (!keeps) job.receive(partner, 1024);
  }
  const double mine[2] = {1, job.rank() + 1.0};
  double norms[2] = {};
  MPI_Allreduce(mine, norms, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  job.expect(norms[0] == job.size() && norms[1] == 0.5 * job.size() * (job.size() + 1));
  return job.finish();
}

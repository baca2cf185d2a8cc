// The communication of LU (D. Bailey et al., "NAS parallel benchmark 2.0", NAS-95-020): wavefronts
// over the planes of a cube on a 2-D grid of processes, down and up, faces, a norm. --heavy N
// inserts park2004's redundant round trips between the second and third row, in the first and the
// last column.
#include "skeleton.hpp"

namespace {

using npb::Count;
constexpr Count kEdge[5] = {12, 33, 64, 102, 162}, kSteps[5] = {50, 300, 250, 250, 250};
constexpr Count kFlops = 1820;  // of a point and time step, class A

struct Grid {
  int rows, columns, row, column;
};

int heavy_partner(const npb::Job& job, const Grid& g) {
  if (job.heavy() == 0 || g.rows < 3 || (g.column != 0 && g.column + 1 != g.columns)) return -1;
  if (g.row == 1) return job.rank() + g.columns;
  return g.row == 2 ? job.rank() - g.columns : -1;
}

void sweep(npb::Job& job, const Grid& g, bool down) {
  const Count edge = job.of(kEdge);
  const Count along_row = 40 * npb::divided(edge, g.columns);  // 5 doubles a point
  const Count along_column = 40 * npb::divided(edge, g.rows);
  const Count work = edge * edge * kFlops / (2 * static_cast<Count>(job.size()));
  const int heavy = heavy_partner(job, g), sign = down ? 1 : -1;
  const bool row_before = down ? g.row > 0 : g.row + 1 < g.rows;
  const bool row_after = down ? g.row + 1 < g.rows : g.row > 0;
  const bool column_before = down ? g.column > 0 : g.column + 1 < g.columns;
  const bool column_after = down ? g.column + 1 < g.columns : g.column > 0;
  for (Count plane = 2; plane < edge; ++plane) {
    if (row_before) job.receive(job.rank() - sign * g.columns, along_row);
    if (column_before) job.receive(job.rank() - sign, along_column);
    job.compute(work);
    if (row_after) job.send(job.rank() + sign * g.columns, along_row);
    if (column_after) job.send(job.rank() + sign, along_column);
    for (Count i = 0; heavy >= 0 && i < job.heavy(); ++i) job.exchange(heavy, along_row);
  }
}

}  // namespace

int main(int argc, char** argv) {
  npb::Job job("lu", argc, argv);
  const int rows = npb::rows_of(job.size()), columns = job.size() / rows;
  const Grid g{rows, columns, job.rank() / columns, job.rank() % columns};
  const Count edge = job.of(kEdge);
  const Count row_face = 80 * edge * npb::divided(edge, columns);  // two planes of five doubles
  const Count column_face = 80 * edge * npb::divided(edge, rows);
  std::vector<npb::Job::Face> faces;
  if (g.row > 0) faces.push_back({job.rank() - columns, row_face});
  if (g.row + 1 < rows) faces.push_back({job.rank() + columns, row_face});
  if (g.column > 0) faces.push_back({job.rank() - 1, column_face});
  if (g.column + 1 < columns) faces.push_back({job.rank() + 1, column_face});
  const Count steps = job.steps(kSteps);
  for (Count step = 0; step < steps; ++step) {
    sweep(job, g, true);
    sweep(job, g, false);
    job.exchange(faces);
  }
  const std::vector<double> mine(5, job.rank() + 1);
  std::vector<double> norm(5);
  MPI_Allreduce(mine.data(), norm.data(), 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  job.expect(norm[4] == 0.5 * job.size() * (job.size() + 1));
  return job.finish();
}

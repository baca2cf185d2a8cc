// The communication of CG (NAS-95-020): sums along the rows of a 2-D grid of processes, an exchange
// with the transposed process, two dot products a step.
#include "skeleton.hpp"

namespace {

using npb::Count;
constexpr Count kRows[5] = {1400, 7000, 14000, 75000, 150000}, kSteps[5] = {15, 15, 15, 75, 75},
                kNonzeros[5] = {7, 8, 11, 13, 15};

}  // namespace

int main(int argc, char** argv) {
  npb::Job job("cg", argc, argv);
  if (!job.is_power_of_two()) job.refuse("runs on a power of two");
  int bits = 0;
  while ((1 << bits) < job.size()) ++bits;
  const int columns = 1 << ((bits + 1) / 2), rows = job.size() / columns, wide = columns / rows;
  const int row = job.rank() / columns, column = job.rank() % columns;
  const int transposed = column / wide * columns + row * wide + column % wide;
  const Count n = job.of(kRows), part = 8 * npb::divided(n, rows);
  const Count nonzeros = n * (job.of(kNonzeros) + 1) * (job.of(kNonzeros) + 1);
  const Count steps = job.steps(kSteps);
  for (Count step = 0; step < steps; ++step) {
    for (int inner = 0; inner < 25; ++inner) {
      job.compute(2 * nonzeros / static_cast<Count>(job.size()) +
                  10 * n / static_cast<Count>(rows));
      for (int bit = columns / 2; bit > 0; bit /= 2)
        job.exchange(row * columns + (column ^ bit), part);
      if (transposed != job.rank()) {
        job.exchange(transposed, part * static_cast<Count>(rows) / static_cast<Count>(columns));
      }
      for (int dot = 0; dot < 2; ++dot) {
        for (int bit = columns / 2; bit > 0; bit /= 2)
          job.exchange(row * columns + (column ^ bit), 8);
      }
    }
  }
  return job.finish();
}

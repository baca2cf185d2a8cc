#include "pmpi/known_native.hpp"

#include "mpi/layout.hpp"

namespace espalier::pmpi {
namespace {

bool is_predefined(MPI_Op op) {
  if (op == MPI_Op{}) return true;
  for (const MPI_Op one : {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR,
                           MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC}) {
    if (op == one) return true;
  }
  return false;
}

}  // namespace

void KnownNative::remember(const CallShape& shape, MPI_Comm comm, std::uint64_t generation,
                           int size, std::uint64_t* calls, runtime::Reason reason) {
  if (!is_predefined(shape.op)) return;
  for (const MPI_Datatype type : shape.types) {
    if (type != MPI_Datatype{} && !mpi::is_named(type)) return;
  }
  Entry& entry = entries_[index_of(shape)];
  entry = {shape, comm, generation, size, 0, {calls, reason}};
  if (shape.counts != nullptr) entry.counts = sum_of(shape, size);
}

}  // namespace espalier::pmpi

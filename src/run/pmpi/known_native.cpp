#include "pmpi/known_native.hpp"

namespace espalier::pmpi {
namespace {

/// Told by their handles alone: arguments that are not significant may be anything, and asking MPI
/// about them would end the program.
template <typename Handle, typename... Handles>
bool is_one_of(Handle handle, Handles... known) {
  return ((handle == known) || ...);
}

bool comes_with_mpi_op(MPI_Op op) {
  return is_one_of(op, MPI_Op{}, MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR,
                   MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC);
}

bool comes_with_mpi_type(MPI_Datatype type) {
  return is_one_of(type, MPI_Datatype{}, MPI_DATATYPE_NULL, MPI_BYTE, MPI_PACKED, MPI_CHAR,
                   MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
                   MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
                   MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_INT8_T, MPI_INT16_T,
                   MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T,
                   MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_INT, MPI_FLOAT_INT,
                   MPI_2INT, MPI_CHARACTER, MPI_LOGICAL, MPI_INTEGER, MPI_REAL,
                   MPI_DOUBLE_PRECISION, MPI_COMPLEX, MPI_DOUBLE_COMPLEX);
}

}  // namespace

void KnownNative::remember(const mpi::LocalCall& call, std::uint64_t generation, int size,
                           Told told) {
  if ((combines(call.operation) && !comes_with_mpi_op(call.op)) ||
      (depends_on_recv(call) && !comes_with_mpi_type(call.recv.type)) ||
      (depends_on_send(call) && !comes_with_mpi_type(call.send.type)) ||
      (depends_on_counts(call) && call.recv.counts == nullptr)) {
    return;
  }
  entries_[index_of(call)] = {
      generation,      call.comm,      told,    call.recv.count,
      call.recv.type,  call.root,      size,    is_in_place(call),
      call.send.count, call.send.type, call.op, depends_on_counts(call) ? sum_of(call, size) : 0};
}

}  // namespace espalier::pmpi

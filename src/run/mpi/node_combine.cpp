#include "mpi/node_combine.hpp"

#include <optional>

namespace espalier::mpi {
namespace {

std::optional<shared::Kind> kind_in_memory(const Layout& layout) {
  const MPI_Datatype type = layout.type;
  const auto is_one_of = [type](auto... types) { return ((type == types) || ...); };
  if (type == MPI_DOUBLE) return shared::Kind::Double;
  if (type == MPI_FLOAT) return shared::Kind::Float;
  const bool is_signed = is_one_of(MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T);
  const bool is_unsigned = is_one_of(MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
                                     MPI_UINT32_T, MPI_UINT64_T);
  if (is_signed && layout.size == 4) return shared::Kind::Int32;
  if (is_signed && layout.size == 8) return shared::Kind::Int64;
  if (is_unsigned && layout.size == 4) return shared::Kind::UInt32;
  if (is_unsigned && layout.size == 8) return shared::Kind::UInt64;
  return std::nullopt;
}

std::optional<shared::Arithmetic> arithmetic_of(MPI_Op op) {
  if (op == MPI_SUM) return shared::Arithmetic::Sum;
  if (op == MPI_PROD) return shared::Arithmetic::Product;
  if (op == MPI_MAX) return shared::Arithmetic::Max;
  if (op == MPI_MIN) return shared::Arithmetic::Min;
  if (op == MPI_BAND) return shared::Arithmetic::BitAnd;
  if (op == MPI_BOR) return shared::Arithmetic::BitOr;
  if (op == MPI_BXOR) return shared::Arithmetic::BitXor;
  return std::nullopt;
}

const shared::Combine* own_loop(MPI_Op op, const Layout& layout) {
  const auto kind = kind_in_memory(layout);
  const auto arithmetic = kind ? arithmetic_of(op) : std::nullopt;
  return arithmetic ? shared::combine_of(*kind, *arithmetic) : nullptr;
}

}  // namespace

NodeCombine::NodeCombine(const Reduction& reduction, const Layout& layout)
    : combine_(own_loop(reduction.op, layout)) {
  if (combine_ != nullptr) return;
  const auto size = static_cast<std::uint64_t>(layout.size);
  by_mpi_.emplace(
      [op = reduction.op, type = layout.type, size](const std::byte* first, std::byte* second,
                                                    std::uint64_t bytes) {
        PMPI_Reduce_local(first, second, static_cast<int>(bytes / size), type, op);
      },
      size);
  combine_ = &*by_mpi_;
}

}  // namespace espalier::mpi

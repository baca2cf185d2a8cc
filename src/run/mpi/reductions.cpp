#include "mpi/reductions.hpp"

#include <algorithm>
#include <array>

#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {
namespace {

// MPI 3.1, 5.9.2: which types each operation takes.
constexpr unsigned kNone = 0;
constexpr unsigned kInteger = 1U << 0U;
constexpr unsigned kFloating = 1U << 1U;
constexpr unsigned kLogical = 1U << 2U;
constexpr unsigned kComplex = 1U << 3U;
constexpr unsigned kByte = 1U << 4U;
constexpr unsigned kPair = 1U << 5U;
constexpr unsigned kFortranInteger = 1U << 6U;  // kInteger without logical operations

unsigned kind_of(MPI_Datatype type) {
  const auto is_one_of = [type](auto... types) { return ((type == types) || ...); };
  if (type == MPI_DATATYPE_NULL) return kNone;
  if (is_one_of(MPI_INT, MPI_LONG, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG,
                MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR,
                MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T,
                MPI_UINT32_T, MPI_UINT64_T)) {
    return kInteger;
  }
  if (is_one_of(MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE)) return kFloating;
  if (is_one_of(MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
                MPI_LONG_DOUBLE_INT)) {
    return kPair;
  }
  if (type == MPI_C_BOOL) return kLogical;
  if (is_one_of(MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX)) return kComplex;
  if (type == MPI_BYTE) return kByte;
  if (is_one_of(MPI_AINT, MPI_OFFSET, MPI_COUNT)) return kFortranInteger;
  if (kIsSimulated) return kNone;
  // Those that the compiler does not have are MPI_DATATYPE_NULL.
  if (is_one_of(MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8)) {
    return kFortranInteger;
  }
  if (is_one_of(MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8)) return kFloating;
  if (is_one_of(MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_2INTEGER)) return kPair;
  if (is_one_of(MPI_LOGICAL)) return kLogical;
  if (is_one_of(MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16)) return kComplex;
  return kNone;
}

struct Rule {
  MPI_Op op;
  unsigned kinds;
};

/// Nothing for operations of the user.
std::optional<unsigned> kinds_taken(MPI_Op op) {
  constexpr unsigned kIntegers = kInteger | kFortranInteger;
  const std::array rules{Rule{MPI_SUM, kIntegers | kFloating | kComplex},
                         Rule{MPI_PROD, kIntegers | kFloating | kComplex},
                         Rule{MPI_MAX, kIntegers | kFloating},
                         Rule{MPI_MIN, kIntegers | kFloating},
                         Rule{MPI_LAND, kInteger | kLogical},
                         Rule{MPI_LOR, kInteger | kLogical},
                         Rule{MPI_LXOR, kInteger | kLogical},
                         Rule{MPI_BAND, kIntegers | kByte},
                         Rule{MPI_BOR, kIntegers | kByte},
                         Rule{MPI_BXOR, kIntegers | kByte},
                         Rule{MPI_MAXLOC, kPair},
                         Rule{MPI_MINLOC, kPair},
                         Rule{MPI_REPLACE, kNone},
                         Rule{MPI_NO_OP, kNone}};
  const auto* const it =
      std::find_if(rules.begin(), rules.end(), [op](const Rule& rule) { return rule.op == op; });
  return it == rules.end() ? std::nullopt : std::optional(it->kinds);
}

}  // namespace

bool is_named_operation(MPI_Op op) { return kinds_taken(op).has_value(); }

std::optional<CheckedReduction> check_reduction(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return std::nullopt;
  const auto taken = kinds_taken(op);
  if (!taken) {
    int commutes = 0;
    if (PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS) return std::nullopt;
    return CheckedReduction{{op, false}, commutes != 0};
  }
  const unsigned kind = kind_of(type);
  if ((*taken & kind) == 0) return std::nullopt;
  const bool exact = (kind & (kFloating | kComplex | kPair)) == 0;
  return CheckedReduction{{op, exact}, true};
}

}  // namespace espalier::mpi

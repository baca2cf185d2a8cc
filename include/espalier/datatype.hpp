#pragma once

// MPI's datatype of a C++ type: its own for numbers, else as many bytes.

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <complex>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace espalier::mpi {
inline namespace api {

/// MPI_DATATYPE_NULL where MPI has none.
template <typename T>
[[nodiscard]] MPI_Datatype mpi_type() {
  if constexpr (std::same_as<T, char>) return MPI_CHAR;
  if constexpr (std::same_as<T, signed char>) return MPI_SIGNED_CHAR;
  if constexpr (std::same_as<T, unsigned char>) return MPI_UNSIGNED_CHAR;
  if constexpr (std::same_as<T, std::byte>) return MPI_BYTE;
  if constexpr (std::same_as<T, short>) return MPI_SHORT;
  if constexpr (std::same_as<T, unsigned short>) return MPI_UNSIGNED_SHORT;
  if constexpr (std::same_as<T, int>) return MPI_INT;
  if constexpr (std::same_as<T, unsigned>) return MPI_UNSIGNED;
  if constexpr (std::same_as<T, long>) return MPI_LONG;
  if constexpr (std::same_as<T, unsigned long>) return MPI_UNSIGNED_LONG;
  if constexpr (std::same_as<T, long long>) return MPI_LONG_LONG;
  if constexpr (std::same_as<T, unsigned long long>) return MPI_UNSIGNED_LONG_LONG;
  if constexpr (std::same_as<T, float>) return MPI_FLOAT;
  if constexpr (std::same_as<T, double>) return MPI_DOUBLE;
  if constexpr (std::same_as<T, long double>) return MPI_LONG_DOUBLE;
  if constexpr (std::same_as<T, bool>) return MPI_CXX_BOOL;
  if constexpr (std::same_as<T, std::complex<float>>) return MPI_CXX_FLOAT_COMPLEX;
  if constexpr (std::same_as<T, std::complex<double>>) return MPI_CXX_DOUBLE_COMPLEX;
  return MPI_DATATYPE_NULL;
}

/// What MPI's reductions take.
template <typename T>
concept Number = std::is_arithmetic_v<T> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>>;

/// What can be sent: MPI's own type, or one of sizeof(T) bytes that goes with this.
template <typename T>
class Datatype {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Datatype() : type_(mpi_type<T>()) {
    if (type_ != MPI_DATATYPE_NULL) return;
    MPI_Type_contiguous(static_cast<int>(sizeof(T)), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    is_made_ = true;
  }
  ~Datatype() {
    if (is_made_) MPI_Type_free(&type_);
  }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
  bool is_made_ = false;
};

}  // namespace api
}  // namespace espalier::mpi

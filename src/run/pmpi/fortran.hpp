#pragma once

#include <cstdint>
#include <memory>

namespace espalier::pmpi {

// Arguments of Fortran procedures, all of them addresses, as the C functions take them; for the
// generated wrappers, which know no MPI. An INTEGER is an int in both MPIs.

/// A choice buffer: MPI_BOTTOM and MPI_IN_PLACE of Fortran are addresses of their own.
[[nodiscard]] std::intptr_t fortran_address(std::intptr_t buffer);
/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are addresses of their own, too.
[[nodiscard]] std::intptr_t fortran_weights(std::intptr_t weights);
[[nodiscard]] std::intptr_t fortran_integer(std::intptr_t address);
[[nodiscard]] std::intptr_t fortran_datatype(std::intptr_t address);
[[nodiscard]] std::intptr_t fortran_op(std::intptr_t address);
[[nodiscard]] std::intptr_t fortran_comm(std::intptr_t address);
[[nodiscard]] std::intptr_t fortran_info(std::intptr_t address);
/// ierror may be left out under mpi_f08: a null address.
void set_fortran_integer(std::intptr_t address, int value);

/// The datatypes of MPI_Alltoallw, one for each process; not looked at where the data is in place.
class FortranTypes {
 public:
  FortranTypes(std::intptr_t types, std::intptr_t buffer, std::intptr_t comm);
  ~FortranTypes();
  FortranTypes(const FortranTypes&) = delete;
  FortranTypes& operator=(const FortranTypes&) = delete;
  [[nodiscard]] std::intptr_t address() const;

 protected:
  FortranTypes();
  void take(std::intptr_t types, std::size_t count);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// Those of MPI_Neighbor_alltoallw, one for each neighbour.
class FortranNeighbourTypes : public FortranTypes {
 public:
  /// @param sends types of what is sent, not of what is received
  FortranNeighbourTypes(std::intptr_t types, std::intptr_t buffer, std::intptr_t comm, bool sends);
};

/// A communicator that a C function makes, given back as Fortran's at the end of the call.
class FortranNewComm {
 public:
  explicit FortranNewComm(std::intptr_t address);
  ~FortranNewComm();
  FortranNewComm(const FortranNewComm&) = delete;
  FortranNewComm& operator=(const FortranNewComm&) = delete;
  [[nodiscard]] std::intptr_t address() const;

 protected:
  struct Handle;
  std::intptr_t fortran_;
  std::unique_ptr<Handle> handle_;
};

/// A communicator that a C function frees; likewise.
class FortranFreedComm : public FortranNewComm {
 public:
  explicit FortranFreedComm(std::intptr_t address);
};

/// A request that a C function makes. store() gives it back as Fortran's.
class FortranNewRequest {
 public:
  explicit FortranNewRequest(std::intptr_t address);
  ~FortranNewRequest();
  FortranNewRequest(const FortranNewRequest&) = delete;
  FortranNewRequest& operator=(const FortranNewRequest&) = delete;
  [[nodiscard]] std::intptr_t address() const;
  void store() const;
  /// Takes the request that a Fortran function has made.
  void load() const;

 private:
  struct Handle;
  std::intptr_t fortran_;

 protected:
  std::unique_ptr<Handle> handle_;
};

/// A request that a C function takes and leaves as it is.
class FortranRequest : public FortranNewRequest {
 public:
  explicit FortranRequest(std::intptr_t address);
};

/// A request that a C function frees or starts, given back as Fortran's at the end of the call.
class FortranFreedRequest : public FortranRequest {
 public:
  using FortranRequest::FortranRequest;
  ~FortranFreedRequest() { store(); }
  FortranFreedRequest(const FortranFreedRequest&) = delete;
  FortranFreedRequest& operator=(const FortranFreedRequest&) = delete;
};

/// Requests that a C function starts; likewise.
class FortranRequests {
 public:
  FortranRequests(std::intptr_t array, std::intptr_t count);
  ~FortranRequests();
  FortranRequests(const FortranRequests&) = delete;
  FortranRequests& operator=(const FortranRequests&) = delete;
  [[nodiscard]] std::intptr_t address() const;

 private:
  struct Handles;
  std::intptr_t fortran_;
  std::unique_ptr<Handles> handles_;
};

/// MPI_Init and MPI_Finalize of Fortran run as they are; this is what we do behind and before.
void after_fortran_init();
void before_fortran_finalize();

}  // namespace espalier::pmpi

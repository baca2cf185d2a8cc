#include "pmpi/fortran.hpp"

#include <dlfcn.h>

#include <vector>

#include "mpi/mpi_api.hpp"
#include "mpi/own_neighbours.hpp"
#include "pmpi/registers.hpp"

// Common blocks of Open MPI: whoever defines them first in the process, all mean the same one.
// Weak: MPIs without Fortran, and other MPIs, have none.
extern "C" __attribute__((weak)) int mpi_fortran_bottom_, mpi_fortran_in_place_;
extern "C" __attribute__((weak)) int mpi_fortran_unweighted_, mpi_fortran_weights_empty_;

namespace espalier::pmpi {
namespace {

/// An address as what it points to.
template <typename T>
T* at(std::intptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): it was one
}

}  // namespace

// MPICH's procedures with buffers go on to C themselves: of its addresses only weights come here.
std::intptr_t fortran_address(std::intptr_t buffer) {
  if (buffer == 0) return buffer;
  if (buffer == in_register(&mpi_fortran_bottom_)) return in_register(MPI_BOTTOM);
  if (buffer == in_register(&mpi_fortran_in_place_)) return in_register(MPI_IN_PLACE);
  return buffer;
}

std::intptr_t fortran_weights(std::intptr_t weights) {
  // The constants of MPICH's mpi_f08 are in its library, if that is there.
  static void* const unweighted =
      dlsym(RTLD_DEFAULT, "__mpi_f08_link_constants_MOD_mpi_unweighted");
  static void* const empty = dlsym(RTLD_DEFAULT, "__mpi_f08_link_constants_MOD_mpi_weights_empty");
  const auto is = [&](void* constant) {
    return weights == in_register(constant) && constant != nullptr;
  };
  if (is(unweighted) || is(&mpi_fortran_unweighted_)) return in_register(MPI_UNWEIGHTED);
  if (is(empty) || is(&mpi_fortran_weights_empty_)) return in_register(MPI_WEIGHTS_EMPTY);
  return weights;
}

std::intptr_t fortran_integer(std::intptr_t address) { return *at<MPI_Fint>(address); }
std::intptr_t fortran_datatype(std::intptr_t address) {
  return in_register(PMPI_Type_f2c(*at<MPI_Fint>(address)));
}
std::intptr_t fortran_op(std::intptr_t address) {
  return in_register(PMPI_Op_f2c(*at<MPI_Fint>(address)));
}
std::intptr_t fortran_comm(std::intptr_t address) {
  return in_register(PMPI_Comm_f2c(*at<MPI_Fint>(address)));
}
std::intptr_t fortran_info(std::intptr_t address) {
  return in_register(PMPI_Info_f2c(*at<MPI_Fint>(address)));
}

void set_fortran_integer(std::intptr_t address, int value) {
  if (address != 0) *at<MPI_Fint>(address) = value;
}

struct FortranTypes::Handles {
  std::vector<MPI_Datatype> types;
};

FortranTypes::FortranTypes() : handles_(std::make_unique<Handles>()) {}
FortranTypes::FortranTypes(std::intptr_t types, std::intptr_t buffer, std::intptr_t comm)
    : FortranTypes() {
  const MPI_Comm handle = PMPI_Comm_f2c(*at<MPI_Fint>(comm));
  if (handle == MPI_COMM_NULL || fortran_address(buffer) == in_register(MPI_IN_PLACE)) return;
  int inter = 0, size = 0;
  PMPI_Comm_test_inter(handle, &inter);
  if (inter != 0) {
    PMPI_Comm_remote_size(handle, &size);
  } else {
    PMPI_Comm_size(handle, &size);
  }
  take(types, static_cast<std::size_t>(size));
}
void FortranTypes::take(std::intptr_t types, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    handles_->types.push_back(PMPI_Type_f2c(at<MPI_Fint>(types)[i]));
  }
}
FortranTypes::~FortranTypes() = default;
std::intptr_t FortranTypes::address() const { return in_register(handles_->types.data()); }

FortranNeighbourTypes::FortranNeighbourTypes(std::intptr_t types, std::intptr_t buffer,
                                             std::intptr_t comm, bool sends) {
  const MPI_Comm handle = PMPI_Comm_f2c(*at<MPI_Fint>(comm));
  if (handle == MPI_COMM_NULL || fortran_address(buffer) == in_register(MPI_IN_PLACE)) return;
  const mpi::OwnNeighbours own = mpi::own_neighbours_of(handle);
  take(types, sends ? own.destinations.size() : own.sources.size());
}

struct FortranNewComm::Handle {
  MPI_Comm comm = MPI_COMM_NULL;
};

FortranNewComm::FortranNewComm(std::intptr_t address)
    : fortran_(address), handle_(std::make_unique<Handle>()) {}
FortranNewComm::~FortranNewComm() { *at<MPI_Fint>(fortran_) = PMPI_Comm_c2f(handle_->comm); }
std::intptr_t FortranNewComm::address() const { return in_register(&handle_->comm); }

FortranFreedComm::FortranFreedComm(std::intptr_t address) : FortranNewComm(address) {
  handle_->comm = PMPI_Comm_f2c(*at<MPI_Fint>(address));
}

struct FortranNewRequest::Handle {
  MPI_Request request = MPI_REQUEST_NULL;
};

FortranNewRequest::FortranNewRequest(std::intptr_t address)
    : fortran_(address), handle_(std::make_unique<Handle>()) {}
FortranNewRequest::~FortranNewRequest() = default;
std::intptr_t FortranNewRequest::address() const { return in_register(&handle_->request); }
void FortranNewRequest::store() const {
  *at<MPI_Fint>(fortran_) = PMPI_Request_c2f(handle_->request);
}
void FortranNewRequest::load() const {
  handle_->request = PMPI_Request_f2c(*at<MPI_Fint>(fortran_));
}

FortranRequest::FortranRequest(std::intptr_t address) : FortranNewRequest(address) {
  handle_->request = PMPI_Request_f2c(*at<MPI_Fint>(address));
}

struct FortranRequests::Handles {
  std::vector<MPI_Request> requests;
};

FortranRequests::FortranRequests(std::intptr_t array, std::intptr_t count)
    : fortran_(array), handles_(std::make_unique<Handles>()) {
  const int all = static_cast<int>(*at<MPI_Fint>(count));
  for (int i = 0; i < all; ++i) {
    handles_->requests.push_back(PMPI_Request_f2c(at<MPI_Fint>(array)[i]));
  }
}
FortranRequests::~FortranRequests() {
  for (std::size_t i = 0; i < handles_->requests.size(); ++i) {
    at<MPI_Fint>(fortran_)[i] = PMPI_Request_c2f(handles_->requests[i]);
  }
}
std::intptr_t FortranRequests::address() const {
  static MPI_Request none = MPI_REQUEST_NULL;  // Open MPI wants an address for no requests, too
  return in_register(handles_->requests.empty() ? &none : handles_->requests.data());
}

}  // namespace espalier::pmpi

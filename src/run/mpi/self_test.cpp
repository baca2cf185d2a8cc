#include "mpi/self_test.hpp"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "mpi/mpi_traits.hpp"
#include "mpi/wire.hpp"

namespace espalier::mpi {
namespace {

/// Errors that belong to no communicator come back as codes meanwhile. Only of MPI_COMM_WORLD:
/// MPICH 4.2 takes its handler for MPI_COMM_SELF's as long as nobody has given that one its own.
class ReturnsErrors {
 public:
  ReturnsErrors() {
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~ReturnsErrors() {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    PMPI_Errhandler_free(&before_);
  }
  ReturnsErrors(const ReturnsErrors&) = delete;
  ReturnsErrors& operator=(const ReturnsErrors&) = delete;

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// A communicator of this process alone, where nobody else's messages are.
class OwnCommunicator {
 public:
  OwnCommunicator() {
    if (PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm_) != MPI_SUCCESS) comm_ = MPI_COMM_NULL;
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~OwnCommunicator() {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

bool has_size(MPI_Datatype type, std::size_t bytes) {
  int size = -1;
  return PMPI_Type_size(type, &size) == MPI_SUCCESS && size == static_cast<int>(bytes);
}

bool communicators_work() {
  int size = -1, rank = -1;
  if (PMPI_Comm_size(MPI_COMM_SELF, &size) != MPI_SUCCESS || size != 1) return false;
  if (PMPI_Comm_rank(MPI_COMM_SELF, &rank) != MPI_SUCCESS || rank != 0) return false;
  return PMPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS &&
         PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank >= 0 && rank < size;
}

/// What the roll call sends.
bool least_numbers_work() {
  if (!has_size(MPI_UINT64_T, 8)) return false;
  const std::array<std::uint64_t, 2> one{7, 1};
  std::array<std::uint64_t, 2> other{3, 5};
  return PMPI_Reduce_local(one.data(), other.data(), 2, MPI_UINT64_T, MPI_MIN) == MPI_SUCCESS &&
         other[0] == 3 && other[1] == 1;
}

bool types_work() {
  const std::array<std::pair<MPI_Datatype, std::size_t>, 17> known{
      {{MPI_BYTE, 1},
       {MPI_PACKED, 1},
       {MPI_CHAR, 1},
       {MPI_SIGNED_CHAR, 1},
       {MPI_SHORT, sizeof(short)},
       {MPI_INT, sizeof(int)},
       {MPI_UNSIGNED, sizeof(unsigned)},
       {MPI_LONG, sizeof(long)},
       {MPI_LONG_LONG, sizeof(long long)},
       {MPI_FLOAT, sizeof(float)},
       {MPI_DOUBLE, sizeof(double)},
       {MPI_C_BOOL, sizeof(bool)},
       {MPI_INT16_T, 2},
       {MPI_INT64_T, 8},
       {MPI_AINT, sizeof(MPI_Aint)},
       {MPI_2INT, 2 * sizeof(int)},
       {MPI_DOUBLE_INT, sizeof(double) + sizeof(int)}}};
  return std::all_of(known.begin(), known.end(),
                     [](const auto& one) { return has_size(one.first, one.second); });
}

template <typename T>
bool combines(MPI_Datatype type, MPI_Op op, T left, T right, T wanted) {
  return PMPI_Reduce_local(&left, &right, 1, type, op) == MPI_SUCCESS && right == wanted;
}
bool operations_work() {
  return combines(MPI_DOUBLE, MPI_SUM, 0.5, 0.25, 0.75) && combines(MPI_INT, MPI_MAX, 3, 5, 5) &&
         combines(MPI_LONG, MPI_PROD, 3L, 5L, 15L) && combines(MPI_INT, MPI_BXOR, 6, 5, 3) &&
         combines(MPI_INT, MPI_LAND, 6, 0, 0) && combines(MPI_INT, MPI_BOR, 6, 1, 7);
}

/// A message to oneself, with bytes around the status that must stay as they are.
bool messages_work(MPI_Comm own) {
  constexpr unsigned char kGuard = 0x5A;
  constexpr int kTag = 4711;
  struct {
    std::array<unsigned char, 64> before;
    MPI_Status status;
    std::array<unsigned char, 64> behind;
  } guarded;
  std::memset(&guarded, kGuard, sizeof guarded);
  const std::array<int, 3> sent{11, 12, 13};
  std::array<int, 4> received{};
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Irecv(received.data(), 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, own, &request) !=
          MPI_SUCCESS ||
      PMPI_Send(sent.data(), 3, MPI_INT, 0, kTag, own) != MPI_SUCCESS ||
      PMPI_Wait(&request, &guarded.status) != MPI_SUCCESS) {
    return false;
  }
  int count = -1;
  const bool is_counted = PMPI_Get_count(&guarded.status, MPI_INT, &count) == MPI_SUCCESS;
  const auto is_kept = [](unsigned char byte) { return byte == kGuard; };
  return is_counted && count == 3 && received_bytes(guarded.status) == sizeof sent &&
         request == MPI_REQUEST_NULL && guarded.status.MPI_SOURCE == 0 &&
         guarded.status.MPI_TAG == kTag && std::equal(sent.begin(), sent.end(), received.begin()) &&
         std::all_of(guarded.before.begin(), guarded.before.end(), is_kept) &&
         std::all_of(guarded.behind.begin(), guarded.behind.end(), is_kept);
}

bool says(int error, const char* word) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (PMPI_Error_string(error, text.data(), &length) != MPI_SUCCESS) return false;
  std::string lower(text.data());
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.find(word) != std::string::npos;
}

bool constants_work(MPI_Comm own) {
  void* bound = nullptr;
  int flag = 0, level = -1;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&bound), &flag) !=
          MPI_SUCCESS ||
      flag == 0 || *static_cast<int*>(bound) < 32767) {
    return false;
  }
  if (PMPI_Query_thread(&level) != MPI_SUCCESS || level < MPI_THREAD_SINGLE ||
      level > MPI_THREAD_MULTIPLE) {
    return false;
  }
  // Answered at once, whatever it means there.
  MPI_Status nobody;
  flag = 0;
  if (PMPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, own, &flag, &nobody) != MPI_SUCCESS || flag == 0 ||
      nobody.MPI_SOURCE != MPI_PROC_NULL) {
    return false;
  }
  MPI_Comm none = own;
  if (PMPI_Comm_split(own, MPI_UNDEFINED, 0, &none) != MPI_SUCCESS || none != MPI_COMM_NULL) {
    return false;
  }
  return says(MPI_ERR_TRUNCATE, "truncated") && says(MPI_ERR_COMM, "communicator") &&
         says(MPI_ERR_COUNT, "count");
}

/// Last: a wrong value would be taken for an address.
bool special_addresses_work(MPI_Comm own) {
  int number = 42, back = 0;
  if (PMPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, own) != MPI_SUCCESS ||
      number != 42) {
    return false;
  }
  return PMPI_Sendrecv(&number, 1, MPI_INT, 0, 1, &back, 1, MPI_INT, 0, 1, own,
                       MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         back == 42;
}

}  // namespace

// `mpirun --with-ft ulfm` of Open MPI 5 sets it. A program that revokes a communicator does not
// revoke the hidden one, where others would wait for ever.
bool is_fault_tolerant() {
  constexpr bool kMayBeOpenMpi =
      kNativeMpi == select::NativeMpi::OpenMpi || kNativeMpi == select::NativeMpi::Unknown;
  if (!kMayBeOpenMpi) return false;
  const char* const told = std::getenv("OMPI_MCA_mpi_ft_enable");
  if (told == nullptr) return false;
  constexpr std::array kYes{"1", "true", "t", "yes", "y", "on", "enabled"};
  return std::any_of(kYes.begin(), kYes.end(),
                     [told](const char* yes) { return ::strcasecmp(told, yes) == 0; });
}

SelfTest test_mpi() {
  const ReturnsErrors errors;
  if (!communicators_work() || !least_numbers_work()) {
    return {false, "this MPI has other handles than its library says"};
  }
  SelfTest result{true, nullptr};
  const OwnCommunicator own;
  if (own.get() == MPI_COMM_NULL) {
    result.wrong = "this MPI makes no communicator of one process";
  } else if (!types_work()) {
    result.wrong = "this MPI has other datatypes than its library says";
  } else if (!operations_work()) {
    result.wrong = "this MPI has other operations than its library says";
  } else if (!messages_work(own.get())) {
    result.wrong = "this MPI has another MPI_Status than its library says";
  } else if (!constants_work(own.get())) {
    result.wrong = "this MPI has other constants than its library says";
  } else if (!special_addresses_work(own.get())) {
    result.wrong = "this MPI has another MPI_IN_PLACE than its library says";
  }
  return result;
}

}  // namespace espalier::mpi

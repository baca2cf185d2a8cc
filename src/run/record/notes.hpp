#pragma once

// What the generated wrappers call (functions.table): no MPI here, every argument as wide as a
// register, handles as C has them. None of this throws.
#include <cstdint>
#include <memory>

namespace espalier::record {

/// mpi_f08 of MPICH 4.0 counts requests from 0 in what MPI_Waitany and its like say; earlier and
/// later ones from 1.
enum class Language : std::uint8_t { C, Fortran, MpichF08 };

/// Whether calls are recorded: between MPI_Init and MPI_Finalize of the MPI that we are built for.
[[nodiscard]] bool is_recording();
/// begin() is called behind MPI_Init, end() before MPI_Finalize.
void begin();
void end();

/// A call, from its beginning to its end: what the thread did before was computation. A call
/// within a call is part of that.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// Whether this is not a call within a call.
  [[nodiscard]] bool counts() const { return counts_; }

 private:
  std::int64_t entered_ = 0;
  bool counts_ = false;
};

/// @param waits until it is over, as MPI_Send does and MPI_Bsend does not
void note_send(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm,
               bool waits);
/// The second half of an exchange: its send is over; its receive is posted.
void note_sent(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm);
void note_post(std::intptr_t count, std::intptr_t type, std::intptr_t source, std::intptr_t comm);

// Requests that a call has made, by their handle's address.
void note_send_init(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm,
                    std::intptr_t request, Language language);
/// A send that was noted and will be waited for.
void note_isend(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm,
                std::intptr_t request, Language language);
void note_irecv(std::intptr_t count, std::intptr_t type, std::intptr_t source, std::intptr_t comm,
                std::intptr_t request, bool persistent, Language language);
void note_start(std::intptr_t count, std::intptr_t requests, Language language);
void note_free(std::intptr_t request, Language language);
void note_cancel(std::intptr_t request, Language language);

/// The statuses of a call: the program's, or, where it wants none, ours.
class Statuses {
 public:
  Statuses(std::intptr_t count, std::intptr_t address, Language language);
  ~Statuses();
  Statuses(const Statuses&) = delete;
  Statuses& operator=(const Statuses&) = delete;
  /// The address to pass on to MPI.
  [[nodiscard]] std::intptr_t address() const { return address_; }

 private:
  std::intptr_t address_;
  std::unique_ptr<std::uint64_t[]> many_;
  std::uint64_t one_[8] = {};
};

void note_recv(std::intptr_t source, std::intptr_t comm, std::intptr_t status);
void note_mprobe(std::intptr_t comm, std::intptr_t message, std::intptr_t flag, Language language);
/// A message's handle is gone after the call: it is kept from before.
[[nodiscard]] std::intptr_t message_of(std::intptr_t message, Language language);
void note_mrecv(std::intptr_t message, std::intptr_t status);
void note_imrecv(std::intptr_t message, std::intptr_t request, Language language);

/// A call that may complete requests; made before it, since their handles are gone after it.
class Completion {
 public:
  Completion(std::intptr_t count, std::intptr_t requests, std::intptr_t statuses,
             Language language);
  ~Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  [[nodiscard]] std::intptr_t statuses() const;
  /// Addresses of what the call says; 0 where it says no such thing.
  void all(std::intptr_t flag);
  void any(std::intptr_t index, std::intptr_t flag);
  void some(std::intptr_t outcount, std::intptr_t indices);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::intptr_t given_;
};

enum class Kind : std::uint8_t {
  Barrier,
  Bcast,
  Gather,
  Gatherv,
  Scatter,
  Scatterv,
  Allgather,
  Allgatherv,
  Alltoall,
  Alltoallv,
  Alltoallw,
  Reduce,
  Allreduce,
  ReduceScatter,
  ReduceScatterBlock,
  Scan,
  Exscan,
  NeighborAllgather,
  NeighborAllgatherv,
  NeighborAlltoall,
  NeighborAlltoallv,
  NeighborAlltoallw,
};

/// The arguments of a collective that matter, named as in the standard.
struct Collective {
  Kind kind{};
  Language language = Language::C;
  bool large = false;  ///< arrays of counts are of MPI_Count
  std::intptr_t count = 0, datatype = 0, root = 0, comm = 0;
  std::intptr_t sendbuf = 0, sendcount = 0, sendtype = 0, sendcounts = 0, sendtypes = 0;
  std::intptr_t recvbuf = 0, recvcount = 0, recvtype = 0, recvcounts = 0, recvtypes = 0;
};
void note_collective(const Collective& call);
/// @param request what the call has made
void note_started_collective(const Collective& call, std::intptr_t request, bool persistent);

}  // namespace espalier::record

#pragma once

// What differs between the MPI libraries in how messages are sent, waited for and received.
#include <cstdint>

#include "mpi/piece.hpp"

namespace espalier::mpi {

#ifdef ESPALIER_SMPI
/// SimGrid's SMPI simulates time: a poll costs some, and whoever waits is asleep.
inline constexpr bool kPollsCostTime = true;
/// It has no connections. Messages that leave together share the link and arrive together, so
/// several to one rank go one by one, else nothing would be pipelined.
inline constexpr std::uint32_t kPartsUnderWay = 1;
/// It has no handshakes to save, and simulates each part of a message as a flow of its own.
inline constexpr bool kCutsFarMessages = false;
#else
inline constexpr bool kPollsCostTime = false;
inline constexpr std::uint32_t kPartsUnderWay = 0;
inline constexpr bool kCutsFarMessages = true;
#endif

/// Bytes that a receive of MPI_BYTE or of whole elements brought.
[[nodiscard]] inline std::uint64_t received_bytes(const MPI_Status& status) {
#if defined(OPEN_MPI_BUILD)
  return status._ucount;  // MPI_Get_count costs a tenth of a short call
#else
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  return static_cast<std::uint64_t>(bytes);
#endif
}

/// Starts a send. @return an MPI error code
[[nodiscard]] inline int start_send(const Piece& piece, int peer, int tag, MPI_Comm comm,
                                    bool synchronous, MPI_Request* request) {
#ifdef ESPALIER_SMPI
  // SMPI takes no time of blocking sends and of MPI_Sendrecv for messages that wait for their
  // receiver, but of MPI_Isend it does. A persistent send is what its MPI_Sendrecv is made of.
  constexpr std::uint64_t kWaitsForReceiver = 64 * 1024;  // smpi/async-small-thresh
  if (piece.bytes >= kWaitsForReceiver) {
    const int code =
        PMPI_Send_init(piece.address, piece.count, piece.type, peer, tag, comm, request);
    return code == MPI_SUCCESS ? PMPI_Start(request) : code;
  }
#endif
  return synchronous ? PMPI_Issend(piece.address, piece.count, piece.type, peer, tag, comm, request)
                     : PMPI_Isend(piece.address, piece.count, piece.type, peer, tag, comm, request);
}

}  // namespace espalier::mpi

#pragma once

// How messages are sent and waited for.
#include <cstdint>

#include "mpi/mpi_traits.hpp"
#include "mpi/piece.hpp"

namespace espalier::mpi {

/// A poll costs simulated time, and whoever waits is asleep: there a call waits instead of polling.
inline constexpr bool kPollsCostTime = kIsSimulated;
/// SMPI has no connections. Messages that leave together share the link and arrive together, so
/// several to one rank go one by one there, else nothing would be pipelined.
inline constexpr std::uint32_t kPartsUnderWay = kIsSimulated ? 1 : 0;
/// SMPI has no handshakes to save, and simulates each part of a message as a flow of its own.
inline constexpr bool kCutsFarMessages = !kIsSimulated;

/// Starts a send. @return an MPI error code
[[nodiscard]] inline int start_send(const Piece& piece, int peer, int tag, MPI_Comm comm,
                                    bool synchronous, MPI_Request* request) {
  // SMPI takes no time of blocking sends and of MPI_Sendrecv for messages that wait for their
  // receiver, but of MPI_Isend it does. A persistent send is what its MPI_Sendrecv is made of.
  constexpr std::uint64_t kWaitsForReceiver = 64 * 1024;  // smpi/async-small-thresh
  if constexpr (kIsSimulated) {
    if (piece.bytes >= kWaitsForReceiver) {
      const int code =
          PMPI_Send_init(piece.address, piece.count, piece.type, peer, tag, comm, request);
      return code == MPI_SUCCESS ? PMPI_Start(request) : code;
    }
  }
  return synchronous ? PMPI_Issend(piece.address, piece.count, piece.type, peer, tag, comm, request)
                     : PMPI_Isend(piece.address, piece.count, piece.type, peer, tag, comm, request);
}

}  // namespace espalier::mpi

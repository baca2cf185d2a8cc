#pragma once

#include <cstdint>

#include "topology/transport.hpp"

namespace espalier::select {

using topology::kTransport;
using topology::Transport;

/// The MPI library that native calls go to, as far as its behaviour is known.
enum class NativeMpi : std::uint8_t { Unknown, Mpich, OpenMpi, Smpi };

/// How an MPI library carries its own messages, as measured: UCX over TCP (MPICH) takes four
/// latencies from 32 KiB, Open MPI's ob1 over TCP two from 64 KiB.
[[nodiscard]] constexpr Transport transport_of(NativeMpi mpi) {
  Transport transport;
  if (mpi != NativeMpi::Mpich) return transport;
  transport.eager_bytes = 32768;
  transport.handshake_latencies = 4;
  return transport;
}

}  // namespace espalier::select

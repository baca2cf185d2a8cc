#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace espalier::select {

/// The MPI library that native calls go to, as far as its behaviour is known.
enum class NativeMpi : std::uint8_t { Unknown, Mpich, OpenMpi, Smpi };

/// Latencies from here on are far: MPI's handshakes take two to four of them.
inline constexpr Time kFarLatency{100'000'000};  // 100 us

/// Bytes of a message below both MPIs' eager limits, with room for a header. Plans for MPI are cut
/// to it.
inline constexpr std::uint64_t kEagerBytes = 16384;

/// How an MPI library carries its own messages over far links. Messages of `eager_bytes` and more
/// wait for a handshake, which takes `handshake_latencies`.
struct Transport {
  std::uint64_t eager_bytes = 65536;
  std::int64_t handshake_latencies = 2;
};

/// As measured: UCX over TCP (MPICH) four latencies from 32 KiB, Open MPI's ob1 over TCP two from
/// 64 KiB.
[[nodiscard]] constexpr Transport transport_of(NativeMpi mpi) {
  if (mpi == NativeMpi::Mpich) return {32768, 4};
  return {65536, 2};
}

}  // namespace espalier::select

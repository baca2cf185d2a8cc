#pragma once

#include <functional>
#include <span>

#include "mpi/block_store.hpp"
#include "mpi/piece.hpp"
#include "runtime/prepared.hpp"

namespace espalier::mpi {

/// Data up to this travels with its header; more follows by itself, when both ends know how much
/// it is, and is sent from and received where it lies.
inline constexpr std::uint64_t kInlineBytes = 4096;

/// A message of blocks, ready to leave.
struct Parcel {
  std::vector<std::byte> head;  ///< the header, and the data if it is short
  std::vector<Segment> rest;    ///< the data if it is long
  Memory packed;                ///< what of it had to be copied
  std::uint64_t bytes = 0;      ///< data bytes of all blocks
};

/// @return an MPI error code
[[nodiscard]] int make_parcel(std::span<const BlockView> blocks, const SelfLane& self,
                              Parcel& parcel);
/// The same behind a head that is there already. @return an MPI error code
[[nodiscard]] int add_data(std::span<const BlockView> blocks, const SelfLane& self, Parcel& parcel);

/// Bytes side by side as one MPI message.
[[nodiscard]] Piece bytes_piece(std::byte* address, std::uint64_t bytes);

/// Copies data that came with its header to where it shall go.
void spread(std::span<const std::byte> data, std::span<const Segment> places);

/// Calls visit(piece) for each MPI message that the segments take, one after the other. Cut by
/// bytes, so it comes out the same at both ends wherever their segments lie.
void for_each_piece(std::span<const Segment> segments, std::uint64_t max_bytes,
                    const std::function<void(Piece)>& visit);

/// Calls send(piece, whether it is the head) for each MPI message that a parcel takes. @return how
/// many there are
[[nodiscard]] std::uint32_t send_parcel(Parcel& parcel, const runtime::PeerLink& link,
                                        std::uint64_t max_bytes,
                                        const std::function<void(const Piece&, bool)>& send);

}  // namespace espalier::mpi

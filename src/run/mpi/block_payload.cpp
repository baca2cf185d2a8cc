#include "mpi/block_payload.hpp"

#include <algorithm>
#include <utility>

#include "runtime/block_header.hpp"

namespace espalier::mpi {

std::uint32_t BlockPayload::new_transfer() {
  if (free_slots_.empty()) {
    transfers_.emplace_back();
    return static_cast<std::uint32_t>(transfers_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void BlockPayload::start(Execution& execution, std::uint32_t message) {
  const std::uint32_t slot = new_transfer();
  const runtime::Lane& lane = execution.lane_of(message);
  if (!lane.sends) return receive_head(execution, message, slot);
  Transfer& transfer = transfers_[slot];
  Parcel& parcel = transfer.parcel;
  const int code = make_parcel(store_.read(program_.messages[message].region), self_, parcel);
  if (code != MPI_SUCCESS) return execution.note(code);
  execution.channel().count_sent(lane.link.level, parcel.bytes);
  const std::uint32_t tag = 2 * program_.messages[message].tag;
  transfer.open =
      send_parcel(parcel, lane.link, execution.channel().options().max_piece_bytes,
                  [&](const Piece& piece, bool is_head) {
                    execution.send(message, piece, execution.tag(is_head ? tag : tag + 1), slot);
                  });
}

void BlockPayload::receive_head(Execution& execution, std::uint32_t message, std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  transfer.is_head = true;
  transfer.open = 1;
  const std::uint64_t most = blocks_of(message) * runtime::kMaxEntryBytes + kInlineBytes;
  transfer.head = new_memory(most);
  execution.receive(message, bytes_piece(transfer.head.get(), most),
                    execution.tag(2 * program_.messages[message].tag), slot);
}

void BlockPayload::open_head(Execution& execution, const Part& part, std::uint64_t came) {
  Transfer& transfer = transfers_[part.slot];
  const runtime::Message& message = program_.messages[part.message];
  transfer.is_head = false;
  const std::span<const std::byte> head(transfer.head.get(), came);
  auto header = runtime::read_block_header(head, blocks_of(part.message));
  const bool is_short = header && header->total <= kInlineBytes;
  if (!header || came != header->size + (is_short ? header->total : 0)) {
    return execution.note(MPI_ERR_TRUNCATE);  // another call's message
  }
  transfer.lengths = std::move(header->lengths);
  transfer.arrival = store_.expect(message.region, transfer.lengths);
  if (is_short) return spread(head.subspan(header->size), transfer.arrival.blocks);
  const std::uint64_t most =
      bytes_in_one(execution.lane_of(part.message).link, bytes_of(transfer.arrival.blocks),
                   execution.channel().options().max_piece_bytes);
  for_each_piece(transfer.arrival.blocks, most, [&](const Piece& piece) {
    execution.receive(part.message, piece, execution.tag(2 * message.tag + 1), part.slot);
    ++transfer.open;
  });
}

void BlockPayload::complete(Execution& execution, const Part& part, std::uint64_t came) {
  Transfer& transfer = transfers_[part.slot];
  --transfer.open;
  if (!part.sends) {
    if (transfer.is_head) {
      open_head(execution, part, came);
    } else if (came != part.bytes) {
      return execution.note(MPI_ERR_TRUNCATE);
    }
  }
  if (execution.code() != MPI_SUCCESS || transfer.open > 0) return;
  Transfer done = std::exchange(transfer, {});
  free_slots_.push_back(part.slot);
  if (part.sends) return;
  execution.note(store_.arrived(program_.messages[part.message].region, done.lengths,
                                std::move(done.arrival)));
}

int BlockPayload::run_here(const schedule::Op& op) {
  return op.kind == schedule::OpKind::Copy ? store_.copy(op) : MPI_ERR_INTERN;
}

}  // namespace espalier::mpi

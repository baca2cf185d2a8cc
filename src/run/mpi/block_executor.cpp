#include "mpi/block_executor.hpp"

#include <algorithm>
#include <utility>

#include "mpi/polling.hpp"
#include "runtime/block_header.hpp"

namespace espalier::mpi {

using runtime::Lane;
using schedule::OpKind;

BlockExecutor::BlockExecutor(Executor& channel, const SelfLane& self, int size, runtime::Tags tags,
                             const ExecutorOptions& options)
    : channel_(channel),
      self_(self),
      tags_(tags),
      options_(options),
      flows_(static_cast<std::size_t>(size)) {}

int BlockExecutor::run(BlockExecution execution) {
  call_ = &execution;
  error_ = MPI_SUCCESS;
  store_.emplace(execution.program->program, std::move(execution.buffers), self_);
  begin();
  run_copies();
  while (open_ops_ > 0 && error_ == MPI_SUCCESS) {
    wait_for_some();
    run_copies();
  }
  if (error_ != MPI_SUCCESS) give_up();
  if (store_ && store_->overflowed()) note(MPI_ERR_TRUNCATE);
  store_.reset();
  transfers_.clear();
  call_ = nullptr;
  channel_.skip_call();
  return error_;
}

void BlockExecutor::begin() {
  const runtime::PreparedProgram& program = *call_->program;
  open_ops_ = program.waits.size();
  waits_ = program.waits;
  open_messages_ = program.message_count;
  lanes_.assign(program.lanes.size(), {});
  copies_.clear();
  next_copy_ = 0;
  for (std::uint32_t op = 0; op < program.waits.size(); ++op) {
    if (program.waits[op] == 0) make_ready(op);
  }
}

void BlockExecutor::make_ready(std::uint32_t op) {
  const runtime::PreparedProgram& program = *call_->program;
  const OpKind kind = program.program.ops[op].kind;
  if (kind == OpKind::Copy) return copies_.push_back(op);
  if (kind != OpKind::Send && kind != OpKind::Recv) return note(MPI_ERR_INTERN);
  if (open_messages_[op] == 0) return finish_op(op);
  for (std::uint32_t m = program.first_message[op]; m < program.first_message[op + 1]; ++m) {
    lanes_[program.lanes_of_op[m]].ready.push_back(program.messages_of_op[m]);
    pump(program.lanes_of_op[m]);
  }
}

void BlockExecutor::finish_op(std::uint32_t op) {
  --open_ops_;
  for (const std::uint32_t next : call_->program->dependents_of(op)) {
    if (--waits_[next] == 0) make_ready(next);
  }
}

void BlockExecutor::run_copies() {
  while (next_copy_ < copies_.size() && error_ == MPI_SUCCESS) {
    const std::uint32_t op = copies_[next_copy_++];
    note(store_->copy(call_->program->program.ops[op]));
    finish_op(op);
  }
}

void BlockExecutor::pump(std::uint32_t index) {
  const Lane& lane = call_->program->lanes[index];
  while (lanes_[index].next < lanes_[index].ready.size() && error_ == MPI_SUCCESS) {
    LaneState& state = lanes_[index];
    if (lane.sends && (state.under_way >= options_.send_window ||
                       flows_[lane.peer].synchronous >= kSynchronousUnderWay)) {
      return;
    }
    ++state.under_way;
    const auto transfer = static_cast<std::uint32_t>(transfers_.size());
    transfers_.emplace_back();
    transfers_.back().lane = index;
    transfers_.back().message = &call_->program->messages[state.ready[state.next++]];
    if (lane.sends) {
      send(transfer);
    } else {
      receive_head(transfer);
    }
  }
}

void BlockExecutor::send(std::uint32_t index) {
  Transfer& transfer = transfers_[index];
  const Lane& lane = lane_of(transfer);
  Parcel& parcel = transfer.parcel;
  note(make_parcel(store_->read(transfer.message->region), self_, parcel));
  if (error_ != MPI_SUCCESS) return;
  channel_.count_sent(lane.link.level, parcel.bytes);
  Flow& flow = flows_[lane.peer];
  flow.since_synchronous += parcel.bytes + kEnvelopeBytes;
  const bool synchronous = flow.since_synchronous > options_.synchronous_after;
  if (synchronous) {
    flow.since_synchronous = 0;
    ++flow.synchronous;
  }
  const bool is_short = parcel.rest.empty();
  Piece head;
  head.address = parcel.head.data();
  head.count = static_cast<int>(parcel.head.size());
  send_piece(index, head, head_tag(transfer), is_short && synchronous);
  bool is_first = true;  // whoever has its first part has posted receives for all
  const std::uint64_t most =
      bytes_in_one(lane.link, bytes_of(parcel.rest), options_.max_piece_bytes);
  for_each_piece(parcel.rest, most, [&](const Piece& piece) {
    send_piece(index, piece, rest_tag(transfer), std::exchange(is_first, false) && synchronous);
  });
}

void BlockExecutor::send_piece(std::uint32_t index, const Piece& piece, int tag, bool synchronous) {
  const int peer = static_cast<int>(lane_of(transfers_[index]).peer);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto start = synchronous ? PMPI_Issend : PMPI_Isend;
  note(start(piece.address, piece.count, piece.type, peer, tag, self_.comm, &request));
  requests_.add(request, {index, synchronous, piece.bytes});
  ++transfers_[index].open;
}

void BlockExecutor::receive_head(std::uint32_t index) {
  Transfer& transfer = transfers_[index];
  const std::uint64_t blocks = call_->program->program.units(transfer.message->region);
  transfer.is_head = true;
  transfer.parcel.head.resize(blocks * runtime::kMaxEntryBytes + kInlineBytes);
  MPI_Request request = MPI_REQUEST_NULL;
  note(PMPI_Irecv(transfer.parcel.head.data(), static_cast<int>(transfer.parcel.head.size()),
                  MPI_BYTE, static_cast<int>(lane_of(transfer).peer), head_tag(transfer),
                  self_.comm, &request));
  requests_.add(request, {index, false, 0});
  transfer.open = 1;
}

void BlockExecutor::open_head(std::uint32_t index, std::uint64_t bytes) {
  Transfer& transfer = transfers_[index];
  const std::uint64_t blocks = call_->program->program.units(transfer.message->region);
  transfer.is_head = false;
  const std::span<const std::byte> head(transfer.parcel.head.data(), bytes);
  auto header = runtime::read_block_header(head, blocks);
  const bool is_short = header && header->total <= kInlineBytes;
  if (!header || bytes != header->size + (is_short ? header->total : 0)) {
    return note(MPI_ERR_TRUNCATE);  // another call's message
  }
  transfer.lengths = std::move(header->lengths);
  transfer.arrival = store_->expect(transfer.message->region, transfer.lengths);
  if (!is_short) return receive_rest(index);
  const std::byte* next = head.data() + header->size;
  for (const Segment& block : transfer.arrival.blocks) {
    std::copy_n(next, block.bytes, block.address);
    next += block.bytes;
  }
}

void BlockExecutor::receive_rest(std::uint32_t index) {
  Transfer& transfer = transfers_[index];
  transfer.parcel = {};
  const std::uint64_t most = bytes_in_one(lane_of(transfer).link, bytes_of(transfer.arrival.blocks),
                                          options_.max_piece_bytes);
  for_each_piece(transfer.arrival.blocks, most, [&](const Piece& piece) {
    MPI_Request request = MPI_REQUEST_NULL;
    note(PMPI_Irecv(piece.address, piece.count, piece.type,
                    static_cast<int>(lane_of(transfer).peer), rest_tag(transfer), self_.comm,
                    &request));
    requests_.add(request, {index, false, piece.bytes});
    ++transfer.open;
  });
}

void BlockExecutor::finish_transfer(std::uint32_t index) {
  Transfer done = std::move(transfers_[index]);
  transfers_[index] = {};
  if (!call_->program->lanes[done.lane].sends) {
    note(store_->arrived(done.message->region, done.lengths, std::move(done.arrival)));
    if (error_ != MPI_SUCCESS) return;
  }
  --lanes_[done.lane].under_way;
  if (--open_messages_[done.message->op] == 0) finish_op(done.message->op);
  pump(done.lane);
}

void BlockExecutor::wait_for_some() {
  requests_.wait_for_some(
      options_.stall_seconds, error_,
      [this] {
        int code = MPI_SUCCESS;
        const int mine = tags_.tag(channel_.calls(), call_->signature, 0);
        if (another_call_is_there(self_.comm, tags_, mine, MPI_ANY_SOURCE, code))
          note(MPI_ERR_TRUNCATE);
        note(code);
      },
      [this](const Posted& done, const MPI_Status& status, bool has_code) {
        complete(done, status, has_code);
      });
}

void BlockExecutor::complete(const Posted& done, const MPI_Status& status, bool has_code) {
  Transfer& transfer = transfers_[done.transfer];
  const Lane& lane = lane_of(transfer);
  if (has_code) note(status.MPI_ERROR);
  if (done.synchronous) --flows_[lane.peer].synchronous;
  if (error_ != MPI_SUCCESS) return;
  --transfer.open;
  if (!lane.sends) {
    const std::uint64_t bytes = received_bytes(status);
    if (transfer.is_head) {
      open_head(done.transfer, bytes);
    } else if (bytes != done.bytes) {
      note(MPI_ERR_TRUNCATE);
    }
  }
  if (error_ == MPI_SUCCESS && transfer.open == 0) return finish_transfer(done.transfer);
  if (done.synchronous) pump(transfer.lane);
}

void BlockExecutor::give_up() {
  const bool is_under_way = !requests_.handles.empty();
  requests_.give_up([this](const Posted& posted) {
    return call_ != nullptr && !lane_of(transfers_[posted.transfer]).sends;
  });
  if (is_under_way) {
    abandoned_.push_back({std::exchange(transfers_, {}), std::move(*store_)});
    store_.reset();
  }
  for (Flow& flow : flows_) flow.synchronous = 0;
}

}  // namespace espalier::mpi

#include "formats/msccl_buffers.hpp"

namespace espalier::formats {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using schedule::slice;

MscclBuffers::MscclBuffers(const MscclText& text, Rank rank) : scratch_(text.gpus[rank].scratch) {
  if (text.call.operation == Operation::Broadcast) {
    input_.buffer = Buffer::Out;
  } else if (text.in_place) {
    put_in_place(text.call, rank);
  }
}

void MscclBuffers::put_in_place(const Collective& call, Rank rank) {
  const std::uint64_t own = call.count * rank;
  switch (call.operation) {
    case Operation::Allreduce:
    case Operation::Alltoall:
      input_ = {Buffer::Out, 0};
      break;
    case Operation::Allgather:
      input_ = {Buffer::Out, own};
      break;
    case Operation::Gather:  // the other ranks have nothing but In
      if (rank != call.root) return;
      input_ = {Buffer::Out, own};
      break;
    case Operation::Reduce:
      return work_in_scratch(call, rank, call.count, 0);
    case Operation::ReduceScatter:
      return work_in_scratch(call, rank, call.count * call.size, own);
    case Operation::Scatter:
      if (rank == call.root) work_in_scratch(call, rank, call.count * call.size, own);
      return;
    default:
      return;
  }
  const std::uint64_t units = units_in(call, rank);
  before_ = {slice(Buffer::In, 0, units), slice(Buffer::Out, input_.offset, units)};
}

void MscclBuffers::work_in_scratch(const Collective& call, Rank rank, std::uint64_t units,
                                   std::uint64_t own) {
  input_ = {Buffer::Scratch, scratch_};
  output_ = {Buffer::Scratch, scratch_ + own};
  before_ = {slice(Buffer::In, 0, units), slice(Buffer::Scratch, scratch_, units)};
  if (units_out(call, rank) > 0) {
    after_ = {slice(Buffer::Scratch, scratch_ + own, call.count),
              slice(Buffer::Out, 0, call.count)};
  }
  scratch_ += units;
}

schedule::Region MscclBuffers::region(const MscclSlice& part, std::uint64_t count) const {
  if (part.buffer == 's') return slice(Buffer::Scratch, part.offset, count);
  const BufferStart& place = part.buffer == 'i' ? input_ : output_;
  return slice(place.buffer, place.offset + part.offset, count);
}

}  // namespace espalier::formats

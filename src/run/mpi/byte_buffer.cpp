#include "mpi/byte_buffer.hpp"

#include "mpi/staging.hpp"

namespace espalier::mpi {

ByteBuffer::ByteBuffer(const UserData& data, bool apart) : data_(data) {
  if (data.bytes() == 0) return;
  if (data.layout.dense && !apart) {
    address_ = data.address + data.layout.true_lb;
    return;
  }
  copy_ = ElementMemory(byte_layout(), data.bytes());
  address_ = copy_.address();
}

int ByteBuffer::load(const SelfLane& self) const {
  if (copy_.address() == nullptr) return MPI_SUCCESS;
  return pack(data_.layout, data_.address, data_.count, copy_.address(), self);
}

int ByteBuffer::store(const SelfLane& self) const {
  if (copy_.address() == nullptr) return MPI_SUCCESS;
  return unpack(data_.layout, data_.address, data_.count, copy_.address(), self);
}

}  // namespace espalier::mpi

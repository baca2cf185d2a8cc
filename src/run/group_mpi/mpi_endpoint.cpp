#include "group_mpi/mpi_endpoint.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace espalier::group_mpi {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kMostTests = 32;  // most sends that one progress() tests

/// What precedes the words of a message, as long as group::wire_size() counts. Every rank runs
/// the same library.
struct Header {
  group::Tag tag = 0;
  std::uint32_t words = 0;
  std::uint8_t kind = 0, ids = 0;
  std::uint16_t unused = 0;
};
static_assert(sizeof(Header) == 16);

}  // namespace

MpiEndpoint::MpiEndpoint(MPI_Comm comm) : comm_(comm), receives_(kReceives) {
  int rank = 0;
  ok(PMPI_Comm_rank(comm, &rank));
  self_ = static_cast<group::Id>(rank);
  for (Slot& slot : receives_) {
    slot.bytes.resize(kSlotBytes);
    post(slot);
  }
}

bool MpiEndpoint::ok(int code) {
  if (error_ == MPI_SUCCESS) error_ = code;
  return error_ == MPI_SUCCESS;
}

void MpiEndpoint::post(Slot& slot) {
  if (error_ != MPI_SUCCESS) return;
  ok(PMPI_Irecv(slot.bytes.data(), static_cast<int>(kSlotBytes), MPI_BYTE, MPI_ANY_SOURCE, kTag,
                comm_, &slot.request));
}

void MpiEndpoint::send(group::Id to, group::Message message) {
  message.from = self_;
  ++sent_;
  if (to == self_) {
    to_self_.push_back(std::move(message));
    return;
  }
  const Header header{message.tag, message.words.size(), static_cast<std::uint8_t>(message.kind),
                      message.ids, 0};
  const auto words = std::as_bytes(std::span<const std::uint32_t>(message.words));
  const std::size_t first = std::min(words.size(), kSlotBytes - sizeof(Header));
  std::vector<std::byte> bytes(sizeof(Header) + first);
  std::memcpy(bytes.data(), &header, sizeof(Header));
  std::copy_n(words.begin(), first, bytes.begin() + sizeof(Header));
  start_send(to, std::move(bytes));
  for (std::size_t at = first; at < words.size(); at += kSlotBytes) {
    const auto part = words.subspan(at, std::min(kSlotBytes, words.size() - at));
    start_send(to, {part.begin(), part.end()});
  }
}

void MpiEndpoint::start_send(group::Id to, std::vector<std::byte> bytes) {
  if (error_ != MPI_SUCCESS) return;
  Slot slot{MPI_REQUEST_NULL, std::move(bytes), to};
  int done = 0;
  if (!ok(PMPI_Isend(slot.bytes.data(), static_cast<int>(slot.bytes.size()), MPI_BYTE,
                     static_cast<int>(to), kTag, comm_, &slot.request))) {
    return;
  }
  // A short message has mostly left already. If that cannot be told, MPI may still read it.
  ok(PMPI_Test(&slot.request, &done, MPI_STATUS_IGNORE));
  if (done != 0) return;
  sends_.push_back(std::move(slot));
  ++under_way_to_[to];
  most_sends_ = std::max(most_sends_, sends_.size());
}

bool MpiEndpoint::has_room(group::Id to) const {
  const auto it = under_way_to_.find(to);
  return it == under_way_to_.end() || it->second < kWindow;
}

void MpiEndpoint::refuse_call() {
  ok(MPI_ERR_TRUNCATE);  // first: the handler may throw
  PMPI_Comm_call_errhandler(comm_, MPI_ERR_TRUNCATE);
}

/// Tests a few of the sends under way, the next few another time.
void MpiEndpoint::reap() {
  for (std::size_t i = 0; i < kMostTests && !sends_.empty(); ++i) {
    if (next_to_test_ >= sends_.size()) next_to_test_ = 0;
    Slot& slot = sends_[next_to_test_];
    int done = 0;
    if (!ok(PMPI_Test(&slot.request, &done, MPI_STATUS_IGNORE))) return;
    if (done == 0) {
      ++next_to_test_;
      continue;
    }
    const auto count = under_way_to_.find(slot.to);
    if (--count->second == 0) under_way_to_.erase(count);
    if (&slot != &sends_.back()) slot = std::move(sends_.back());
    sends_.pop_back();
  }
}

bool MpiEndpoint::progress(const Deliver& deliver) {
  bool any = false;
  reap();
  while (error_ == MPI_SUCCESS) {
    while (!to_self_.empty()) {
      const group::Message message = std::move(to_self_.front());
      to_self_.pop_front();
      deliver(message);
      any = true;
    }
    Slot& slot = receives_[oldest_];
    int done = 0, count = 0;
    MPI_Status status;
    if (!ok(PMPI_Test(&slot.request, &done, &status)) || done == 0) break;
    if (!ok(PMPI_Get_count(&status, MPI_BYTE, &count))) break;
    take(static_cast<group::Id>(status.MPI_SOURCE),
         std::span<const std::byte>(slot.bytes).first(static_cast<std::size_t>(count)), deliver);
    post(slot);
    oldest_ = (oldest_ + 1) % receives_.size();
    any = true;
  }
  return any;
}

void MpiEndpoint::take(group::Id from, std::span<const std::byte> bytes, const Deliver& deliver) {
  const auto append = [](group::Words& words, std::span<const std::byte> part) {
    std::vector<std::uint32_t> copy(part.size() / sizeof(std::uint32_t));
    if (!copy.empty()) std::memcpy(copy.data(), part.data(), part.size());
    words.append(copy);
    return static_cast<std::uint32_t>(copy.size());
  };
  if (const auto it = partial_.find(from); it != partial_.end()) {
    it->second.missing -= append(it->second.message.words, bytes);
    if (it->second.missing > 0) return;
    const group::Message whole = std::move(it->second.message);
    partial_.erase(it);
    return deliver(whole);
  }
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  group::Message message{header.tag, from, static_cast<group::Kind>(header.kind), header.ids, {}};
  const std::uint32_t here = append(message.words, bytes.subspan(sizeof(Header)));
  if (here == header.words) return deliver(message);
  partial_[from] = {std::move(message), header.words - here};
}

void MpiEndpoint::close() {
  if (error_ != MPI_SUCCESS) {
    abandon();  // nothing is known of what would be waited for
    return;
  }
  for (Slot& slot : sends_) PMPI_Wait(&slot.request, MPI_STATUS_IGNORE);
  sends_.clear();
  under_way_to_.clear();
  for (Slot& slot : receives_) {
    if (slot.request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&slot.request);
    PMPI_Wait(&slot.request, MPI_STATUS_IGNORE);
  }
  receives_.clear();
}

void MpiEndpoint::abandon() {
  for (Slot& slot : receives_) {
    if (slot.request != MPI_REQUEST_NULL) PMPI_Cancel(&slot.request);
  }
  leave();
}

/// Never freed: where a slot's bytes are, its request may still read or write.
void MpiEndpoint::leave() {
  auto* left = new std::vector<Slot>(std::move(receives_));
  left->insert(left->end(), std::make_move_iterator(sends_.begin()),
               std::make_move_iterator(sends_.end()));
  sends_.clear();
  under_way_to_.clear();
}

}  // namespace espalier::group_mpi

#include "mpi/role_executor.hpp"

#include <algorithm>
#include <utility>

#include "mpi/polling.hpp"

namespace espalier::mpi {

using runtime::RoleEntry;
using runtime::Roles;

namespace {

constexpr std::uint64_t kSent = ~std::uint64_t{0};

}  // namespace

RoleExecutor::RoleExecutor(Executor& channel, const SelfLane& self, Rank size, runtime::Tags tags,
                           const ExecutorOptions& options)
    : channel_(channel), self_(self), size_(size), tags_(tags), options_(options), flows_(size) {}

int RoleExecutor::scatter(Roles roles, const RoleCall& call) {
  BlockBuffers& buffers = *call.buffers;
  std::vector<BlockView> blocks;
  blocks.reserve(roles.size());
  for (const RoleEntry& role : roles) blocks.push_back(buffers.in[role.rank]);
  pass_on(roles, blocks, channel_.calls(), call);
  put_own(blocks.front(), buffers.out.front());
  wait_for_all(call);
  return end_call();
}

int RoleExecutor::receive(const RoleCall& call) {
  const Head head = take_head(call);
  if (error_ != MPI_SUCCESS) return end_call();
  const Roles roles = head.header.roles;
  const BlockPlace& place = call.buffers->out.front();
  const std::uint64_t own = roles.front().bytes;
  // The own block is received into the user's buffer if possible; the others are staged.
  const bool is_direct = place.layout == nullptr && fits(place, own);
  const std::uint64_t staged = head.header.total - (is_direct ? own : 0);
  staged_.push_back(new_memory(staged));
  std::byte* next = staged_.back().get();
  std::vector<Segment> places;
  std::vector<BlockView> blocks;
  for (const RoleEntry& role : roles) {
    const bool is_own = blocks.empty();
    std::byte* const at = is_own && is_direct ? place.address : next;
    if (at == next) next += role.bytes;
    places.push_back({at, role.bytes});
    blocks.push_back({at, role.bytes, nullptr});
  }
  receive_data(head, places, call);
  if (error_ != MPI_SUCCESS) return end_call();
  pass_on(roles, blocks, channel_.calls(), call);
  if (!is_direct) put_own(blocks.front(), place);
  wait_for_all(call);
  return end_call();
}

void RoleExecutor::begin_telling(Roles roles, const RoleCall& call) {
  telling_signature_ = call.signature;
  std::vector<BlockView> nothing(roles.size());
  pass_on(roles, nothing, channel_.calls() + 1, call);
}

int RoleExecutor::finish_telling() {
  wait_for_all({telling_signature_, {}, nullptr});
  return end_call();
}

int RoleExecutor::hear(const RoleCall& call, Told& told) {
  const Head head = take_head(call);
  if (error_ == MPI_SUCCESS && head.header.total != 0) note(MPI_ERR_TRUNCATE);
  if (error_ != MPI_SUCCESS) return end_call();
  const std::vector<BlockView> nothing(head.header.roles.size());
  pass_on(head.header.roles, nothing, channel_.calls(), call);
  told = {head.source, head.header.roles};
  wait_for_all(call);
  return end_call();
}

/// Sends to each child its sub-tree and the blocks of that.
void RoleExecutor::pass_on(Roles roles, std::span<const BlockView> blocks, std::uint64_t number,
                           const RoleCall& call) {
  for_each_child(roles, [&](Roles child) {
    if (error_ != MPI_SUCCESS) return;
    const auto at = static_cast<std::size_t>(child.data() - roles.data());
    send(child, blocks.subspan(at, child.size()), number, call);
  });
}

void RoleExecutor::send(Roles roles, std::span<const BlockView> blocks, std::uint64_t number,
                        const RoleCall& call) {
  const Rank to = roles.front().rank;
  const runtime::PeerLink link = call.link_to(to);
  Parcel& parcel = parcels_.emplace_back();
  append_role_header(number, roles, parcel.head);
  note(add_data(blocks, self_, parcel));
  if (error_ != MPI_SUCCESS) return;
  channel_.count_sent(link.level, parcel.bytes);
  Flow& flow = flows_[to];
  flow.since_synchronous += parcel.bytes + kEnvelopeBytes;
  // A call sends at most one message to a rank, and waits for it: no more is ever ahead.
  const bool synchronous = flow.since_synchronous > options_.synchronous_after;
  if (synchronous) flow.since_synchronous = 0;
  Piece head;
  head.address = parcel.head.data();
  head.count = static_cast<int>(parcel.head.size());
  post(head, to, tags_.role_tag(number, call.signature), synchronous);
  const std::uint64_t most = bytes_in_one(link, bytes_of(parcel.rest), options_.max_piece_bytes);
  for_each_piece(parcel.rest, most, [&](const Piece& piece) {
    post(piece, to, tags_.role_data_tag(number, call.signature), false);
  });
}

void RoleExecutor::post(const Piece& piece, Rank to, int tag, bool synchronous) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto start = synchronous ? PMPI_Issend : PMPI_Isend;
  note(start(piece.address, piece.count, piece.type, static_cast<int>(to), tag, self_.comm,
             &request));
  requests_.push_back(request);
  expected_.push_back(kSent);
}

/// The head of this call. Drops heads that a failed earlier call left under the same tag. Heads of
/// later calls cannot come: see Executor::keep_pace().
RoleExecutor::Head RoleExecutor::take_head(const RoleCall& call) {
  const std::uint64_t number = channel_.calls();
  while (error_ == MPI_SUCCESS) {
    Head head = receive_head(call);
    if (error_ != MPI_SUCCESS || head.header.call == number) return head;
    if (head.header.call > number) note(MPI_ERR_INTERN);
  }
  return {};
}

RoleExecutor::Head RoleExecutor::receive_head(const RoleCall& call) {
  head_.resize(runtime::kMaxRoleHeadBytes + size_ * runtime::kMaxRoleEntryBytes + kInlineBytes);
  MPI_Request request = MPI_REQUEST_NULL;
  note(PMPI_Irecv(head_.data(), static_cast<int>(head_.size()), MPI_BYTE, MPI_ANY_SOURCE,
                  tags_.role_tag(channel_.calls(), call.signature), self_.comm, &request));
  requests_.push_back(request);
  expected_.push_back(head_.size());
  wait_for_all(call);
  if (error_ != MPI_SUCCESS) return {};
  const MPI_Status& status = statuses_.back();
  const std::span<const std::byte> bytes(head_.data(), received_bytes(status));
  auto header = runtime::read_role_header(bytes, size_);
  const std::uint64_t along = header && header->total <= kInlineBytes ? header->total : 0;
  if (!header || bytes.size() != header->size + along ||
      header->roles.front().rank != static_cast<Rank>(self_.rank)) {
    note(MPI_ERR_TRUNCATE);  // possible only if ranks run different programs
    return {};
  }
  const auto data = bytes.subspan(header->size);
  return {static_cast<Rank>(status.MPI_SOURCE), std::move(*header), {data.begin(), data.end()}};
}

void RoleExecutor::receive_data(const Head& head, std::span<const Segment> places,
                                const RoleCall& call) {
  if (head.header.total <= kInlineBytes) {
    const std::byte* next = head.data.data();
    for (const Segment& place : places) {
      std::copy_n(next, place.bytes, place.address);
      next += place.bytes;
    }
    return;
  }
  const std::uint64_t most =
      bytes_in_one(call.link_to(head.source), head.header.total, options_.max_piece_bytes);
  for_each_piece(places, most, [&](const Piece& piece) {
    MPI_Request request = MPI_REQUEST_NULL;
    note(PMPI_Irecv(piece.address, piece.count, piece.type, static_cast<int>(head.source),
                    tags_.role_data_tag(channel_.calls(), call.signature), self_.comm, &request));
    requests_.push_back(request);
    expected_.push_back(piece.bytes);
  });
  const std::vector<std::uint64_t> expected = expected_;
  wait_for_all(call);
  for (std::size_t i = 0; i < expected.size() && error_ == MPI_SUCCESS; ++i) {
    if (received_bytes(statuses_[i]) != expected[i]) note(MPI_ERR_TRUNCATE);
  }
}

void RoleExecutor::put_own(const BlockView& own, const BlockPlace& place) {
  if (error_ != MPI_SUCCESS) return;
  if (own.address == place.address && own.layout == place.layout) return;  // in place
  if (!fits(place, own.bytes)) {
    overflowed_ = true;
    return;
  }
  if (own.layout == nullptr) return note(put(place, own.address, own.bytes, self_));
  const Memory packed = new_memory(own.bytes);
  note(pack(own, packed.get(), self_));
  if (error_ == MPI_SUCCESS) note(put(place, packed.get(), own.bytes, self_));
}

void RoleExecutor::wait_for_all(const RoleCall& call) {
  const auto n = static_cast<int>(requests_.size());
  statuses_.resize(requests_.size());
  if (n == 0 || error_ != MPI_SUCCESS) return;
  const auto note_all = [&](int code) {
    if (!is_in_status(code)) return note(code);
    for (const MPI_Status& status : statuses_) {
      if (status.MPI_ERROR != MPI_ERR_PENDING) note(status.MPI_ERROR);
    }
  };
#ifdef ESPALIER_SMPI  // a poll costs simulated time
  (void)call;
  note_all(PMPI_Waitall(n, requests_.data(), statuses_.data()));
#else
  poll(
      options_.stall_seconds,
      [&] {
        int done = 0;
        note_all(PMPI_Testall(n, requests_.data(), &done, statuses_.data()));
        return done != 0 || error_ != MPI_SUCCESS;
      },
      [&] {
        int code = MPI_SUCCESS;
        const int mine = tags_.tag(channel_.calls(), call.signature, 0);
        if (another_call_is_there(self_.comm, tags_, mine, MPI_ANY_SOURCE, code)) {
          note(MPI_ERR_TRUNCATE);
        }
        note(code);
      });
#endif
  if (error_ != MPI_SUCCESS) return;
  requests_.clear();
  expected_.clear();
}

int RoleExecutor::end_call() {
  if (error_ != MPI_SUCCESS) give_up();
  if (std::exchange(overflowed_, false)) note(MPI_ERR_TRUNCATE);
  parcels_.clear();
  staged_.clear();
  channel_.skip_call();
  return std::exchange(error_, MPI_SUCCESS);
}

void RoleExecutor::give_up() {
  bool any = false;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (expected_[i] != kSent) PMPI_Cancel(&requests_[i]);
    PMPI_Request_free(&requests_[i]);
    any = true;
  }
  if (any) {
    abandoned_.push_back(
        {std::exchange(parcels_, {}), std::exchange(staged_, {}), std::exchange(head_, {})});
  }
  requests_.clear();
  expected_.clear();
}

}  // namespace espalier::mpi

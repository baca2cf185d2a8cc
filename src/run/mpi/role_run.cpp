#include "mpi/role_run.hpp"

#include <algorithm>
#include <utility>

#include "mpi/wire.hpp"

namespace espalier::mpi {

using runtime::RoleEntry;
using runtime::Roles;

RoleRun::RoleRun(Channel& channel, RoleCall call, std::uint64_t number)
    : channel_(channel), call_(std::move(call)), number_(number), execution_(channel) {}

RoleRun::~RoleRun() { give_up_head(); }

void RoleRun::scatter(Roles roles) {
  told_.roles.assign(roles.begin(), roles.end());
  for (const RoleEntry& role : roles) blocks_.push_back(call_.buffers->in[role.rank]);
  begin(kNoRank);
}

void RoleRun::tell(Roles roles) {
  told_.roles.assign(roles.begin(), roles.end());
  blocks_.resize(roles.size());
  begin(kNoRank);
}

void RoleRun::receive() {
  channel_.wait_to_begin(number_);
  post_head();
}

void RoleRun::begin(Rank from) {
  program_ = runtime::prepare(runtime::scatter_program(told_.roles, from, call_.buffers != nullptr),
                              call_.link_to);
  execution_.begin(program_, *this, number_, call_.signature);
}

bool RoleRun::step() {
  if (!waits_for_head()) return execution_.step();
  test_head();
  return !waits_for_head();
}

int RoleRun::finish() {
  while (waits_for_head() && error_ == MPI_SUCCESS) {
    if constexpr (kPollsCostTime) {
      MPI_Status status;
      note(PMPI_Wait(&head_request_, &status));
      if (error_ == MPI_SUCCESS) take_head(status);
    } else {
      poll(
          channel_.options().stall_seconds, [this] { return step() || error_ != MPI_SUCCESS; },
          [this](Suspicion& suspicion) {
            const int mine = channel_.tags().tag(number_, call_.signature, 0);
            note(look_for_another_call(channel_.comm(), channel_.tags(), mine, MPI_ANY_SOURCE,
                                       suspicion));
          });
    }
  }
  if (error_ != MPI_SUCCESS) {
    give_up_head();
  } else {
    static_cast<void>(execution_.finish());
  }
  return code();
}

int RoleRun::code() const {
  if (error_ != MPI_SUCCESS) return error_;
  if (execution_.code() != MPI_SUCCESS) return execution_.code();
  return overflowed_ ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

void RoleRun::post_head() {
  has_first_of_head_ = false;
  head_ = new_memory(kFirstHeadBytes);
  note(PMPI_Irecv(head_.get(), static_cast<int>(kFirstHeadBytes), MPI_BYTE, MPI_ANY_SOURCE,
                  channel_.tags().role_tag(number_, call_.signature), channel_.comm(),
                  &head_request_));
}

/// Its tag is that of the data. They come behind it, in MPI's order, and are asked for after it.
void RoleRun::post_rest_of_head(Rank from) {
  const std::span<const std::byte> first(head_.get(), kFirstHeadBytes);
  const std::uint64_t most =
      runtime::most_role_header_bytes(first, channel_.size()).value_or(0) + kInlineBytes;
  if (most < kFirstHeadBytes) return note(MPI_ERR_TRUNCATE);  // no head is that long
  Memory whole = new_memory(most);
  std::copy(first.begin(), first.end(), whole.get());
  head_ = std::move(whole);
  has_first_of_head_ = true;
  note(PMPI_Irecv(head_.get() + kFirstHeadBytes, static_cast<int>(most - kFirstHeadBytes), MPI_BYTE,
                  static_cast<int>(from), channel_.tags().role_data_tag(number_, call_.signature),
                  channel_.comm(), &head_request_));
}

void RoleRun::test_head() {
  int is_there = 0;
  MPI_Status status;
  note(PMPI_Test(&head_request_, &is_there, &status));
  if (is_there != 0 && error_ == MPI_SUCCESS) take_head(status);
}

void RoleRun::take_head(const MPI_Status& status) {
  const auto from = static_cast<Rank>(status.MPI_SOURCE);
  const std::uint64_t came = received_bytes(status);
  if (has_first_of_head_) return read_head(from, kFirstHeadBytes + came);
  if (came == kFirstHeadBytes) return post_rest_of_head(from);
  read_head(from, came);
}

/// Drops heads that a failed earlier call left under the same tag. Heads of later calls cannot
/// come: see Channel::may_begin().
void RoleRun::read_head(Rank from, std::uint64_t count) {
  const std::span<const std::byte> bytes(head_.get(), count);
  auto header = runtime::read_role_header(bytes, channel_.size());
  const std::uint64_t along = header && header->total <= kInlineBytes ? header->total : 0;
  if (!header || bytes.size() != header->size + along ||
      header->roles.front().rank != channel_.rank()) {
    return note(MPI_ERR_TRUNCATE);  // possible only if ranks run different programs
  }
  if (header->call < number_) return post_head();
  if (header->call > number_) return note(MPI_ERR_INTERN);
  told_ = {from, header->roles};
  if (call_.buffers == nullptr && header->total != 0) return note(MPI_ERR_TRUNCATE);
  lay_out(*header);
  spread(bytes.subspan(header->size, along),
         along > 0 ? std::span<const Segment>(places_) : std::span<const Segment>());
  begin(header->total > kInlineBytes ? from : kNoRank);
}

/// The own block is received into the user's buffer if possible; the others are staged.
void RoleRun::lay_out(const runtime::RoleHeader& header) {
  if (call_.buffers == nullptr) return blocks_.resize(header.roles.size());
  const BlockPlace& place = call_.buffers->out.front();
  const std::uint64_t own = header.roles.front().bytes;
  const bool is_direct = place.layout == nullptr && fits(place, own);
  staged_ = new_memory(header.total - (is_direct ? own : 0));
  std::byte* next = staged_.get();
  for (const RoleEntry& role : header.roles) {
    std::byte* const at = blocks_.empty() && is_direct ? place.address : next;
    if (at == next) next += role.bytes;
    places_.push_back({at, role.bytes});
    blocks_.push_back({at, role.bytes, nullptr});
  }
}

void RoleRun::start(Execution& execution, std::uint32_t message) {
  const runtime::Lane& lane = execution.lane_of(message);
  const schedule::Region& region = program_.messages[message].region;
  const std::uint64_t max_bytes = channel_.options().max_piece_bytes;
  const int data_tag = channel_.tags().role_data_tag(number_, call_.signature);
  if (!lane.sends) {
    for_each_piece(places_, bytes_in_one(lane.link, bytes_of(places_), max_bytes),
                   [&](const Piece& piece) { execution.receive(message, piece, data_tag); });
    return;
  }
  Parcel& parcel = parcels_.emplace_back();
  append_role_header(number_, Roles(told_.roles).subspan(region.offset, region.length),
                     parcel.head);
  const int code =
      add_data(std::span(blocks_).subspan(region.offset, region.length), channel_.self(), parcel);
  if (code != MPI_SUCCESS) return execution.note(code);
  channel_.count_sent(lane.link.level, parcel.bytes);
  static_cast<void>(
      send_parcel(parcel, lane.link, max_bytes, [&](const Piece& piece, bool is_head) {
        if (is_head) return send_head(execution, message, piece);
        execution.send(message, piece, data_tag);
      }));
}

void RoleRun::send_head(Execution& execution, std::uint32_t message, const Piece& head) {
  auto* const at = static_cast<std::byte*>(head.address);
  const std::uint64_t first = std::min(head.bytes, kFirstHeadBytes);
  execution.send(message, bytes_piece(at, first),
                 channel_.tags().role_tag(number_, call_.signature));
  if (first < kFirstHeadBytes) return;
  execution.send(message, bytes_piece(at + first, head.bytes - first),
                 channel_.tags().role_data_tag(number_, call_.signature));
}

void RoleRun::complete(Execution& execution, const Part& part, std::uint64_t came) {
  if (!part.sends && came != part.bytes) execution.note(MPI_ERR_TRUNCATE);
}

/// The only step of this kind: the own block to its place.
int RoleRun::run_here(const schedule::Op& /*op*/) {
  const BlockView& own = blocks_.front();
  const BlockPlace& place = call_.buffers->out.front();
  if (own.address == place.address && own.layout == place.layout) return MPI_SUCCESS;  // in place
  overflowed_ = !fits(place, own.bytes);
  if (overflowed_) return MPI_SUCCESS;
  if (own.layout == nullptr) return put(place, own.address, own.bytes, channel_.self());
  const Memory packed = new_memory(own.bytes);
  const int code = pack(own, packed.get(), channel_.self());
  return code != MPI_SUCCESS ? code : put(place, packed.get(), own.bytes, channel_.self());
}

void RoleRun::give_up_head() {
  if (!waits_for_head()) return;
  PMPI_Cancel(&head_request_);
  PMPI_Request_free(&head_request_);
  has_left_head_ = true;
}

}  // namespace espalier::mpi

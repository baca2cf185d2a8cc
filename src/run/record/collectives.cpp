// Collectives: as called where all blocks are alike, else as the messages that they have to send.
#include <numeric>

#include "profile/rounds.hpp"
#include "record/notes.hpp"
#include "record/recorder.hpp"

namespace espalier::record {
namespace {

using schedule::Operation;

/// What one process does in a call: an operation with blocks alike, or messages, all sends first.
struct Part {
  Operation operation = Operation::Barrier;
  std::uint64_t bytes = 0;
  Rank root = 0;
  bool is_messages = false;
  std::vector<Message> sends, receives;
};

/// Calls with blocks of unequal lengths come apart up to so many members; a loop's body stays
/// within what the folding compares. Beyond, the mean block stands for all.
constexpr std::size_t kMostApart = 48;

/// Counts and types of each member, whoever called.
struct Blocks {
  const Collective& call;
  std::intptr_t counts, types, type;

  [[nodiscard]] std::uint64_t bytes(std::size_t i) const {
    const std::intptr_t count = call.large
                                    ? static_cast<std::intptr_t>(as<const MPI_Count*>(counts)[i])
                                    : as<const int*>(counts)[i];
    if (types == 0) return bytes_of(count, as<MPI_Datatype>(type));
    return bytes_of(count, call.language == Language::C
                               ? as<const MPI_Datatype*>(types)[i]
                               : PMPI_Type_f2c(as<const MPI_Fint*>(types)[i]));
  }
  [[nodiscard]] std::uint64_t sum(std::size_t count) const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < count; ++i) total += bytes(i);
    return total;
  }
};

std::uint64_t block(std::intptr_t count, std::intptr_t type) {
  return bytes_of(count, as<MPI_Datatype>(type));
}

/// Everybody to the root, or the root to everybody, each with its own length, one after the other:
/// what both MPIs do.
Part with_root(const Collective& call, const Communicator& comm, bool gathers) {
  Part part;
  part.operation = gathers ? Operation::Gather : Operation::Scatter;
  const std::size_t size = comm.members.size();
  const bool is_root = call.root == comm.me;
  const Blocks blocks{call, gathers ? call.recvcounts : call.sendcounts, 0,
                      gathers ? call.recvtype : call.sendtype};
  const auto mine = [&] {
    return gathers ? block(call.sendcount, call.sendtype) : block(call.recvcount, call.recvtype);
  };
  part.is_messages = size <= kMostApart;
  part.bytes = is_root ? blocks.sum(size) / size : mine();
  if (!part.is_messages) return part;
  std::vector<Message>& out = gathers == is_root ? part.receives : part.sends;
  if (!is_root) {
    out.push_back({comm.peer(call.root), mine()});
    return part;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (static_cast<int>(i) != comm.me) out.push_back({comm.members[i], blocks.bytes(i)});
  }
  return part;
}

Part everybody(const Collective& call, const Communicator& comm) {
  const std::size_t size = comm.members.size();
  const bool in_place = call.sendbuf == in_register(MPI_IN_PLACE);
  const Blocks in{call, call.recvcounts, call.recvtypes, call.recvtype};
  const Blocks out = in_place ? in : Blocks{call, call.sendcounts, call.sendtypes, call.sendtype};
  Part part;
  part.operation = Operation::Alltoall;
  part.is_messages = size <= kMostApart;
  part.bytes = profile::mean_block_of_alltoall(in.sum(size), size);
  if (!part.is_messages) return part;
  const auto me = static_cast<std::size_t>(comm.me);
  for (std::size_t step = 1; step < size; ++step) {  // pairwise: MPI sends empty ones too
    const std::size_t to = (me + step) % size, from = (me + size - step) % size;
    part.sends.push_back({comm.members[to], out.bytes(to)});
    part.receives.push_back({comm.members[from], in.bytes(from)});
  }
  return part;
}

Part neighbours(const Collective& call, const Communicator& comm) {
  const bool is_one_block =
      call.kind == Kind::NeighborAllgather || call.kind == Kind::NeighborAllgatherv;
  const Blocks in{call, call.recvcounts, call.recvtypes, call.recvtype};
  const Blocks out{call, call.sendcounts, call.sendtypes, call.sendtype};
  Part part;
  part.is_messages = true;
  for (std::size_t i = 0; i < comm.dests.size(); ++i) {
    const bool alike = is_one_block || call.sendcounts == 0;
    const std::uint64_t bytes = alike ? block(call.sendcount, call.sendtype) : out.bytes(i);
    if (comm.dests[i] != kNoRank) part.sends.push_back({comm.dests[i], bytes});
  }
  for (std::size_t i = 0; i < comm.sources.size(); ++i) {
    const std::uint64_t bytes =
        call.recvcounts == 0 ? block(call.recvcount, call.recvtype) : in.bytes(i);
    if (comm.sources[i] != kNoRank) part.receives.push_back({comm.sources[i], bytes});
  }
  return part;
}

Part part_of(const Collective& call, const Communicator& comm) {
  const std::size_t size = comm.members.size();
  const bool is_root = call.root == comm.me;
  // What is not significant on a process may be anything: only what a call needs is looked at.
  const auto all = [&] { return block(call.count, call.datatype); };
  const auto sent = [&] { return block(call.sendcount, call.sendtype); };
  const auto received = [&] { return block(call.recvcount, call.recvtype); };
  const auto simple = [](Operation operation, std::uint64_t bytes) {
    Part part;
    part.operation = operation;
    part.bytes = bytes;
    return part;
  };
  switch (call.kind) {
    case Kind::Barrier:
      return simple(Operation::Barrier, 0);
    case Kind::Bcast:
      return simple(Operation::Broadcast, all());
    case Kind::Reduce:
      return simple(Operation::Reduce, all());
    case Kind::Allreduce:
      return simple(Operation::Allreduce, all());
    case Kind::Scan:
      return simple(Operation::Scan, all());
    case Kind::Exscan:
      return simple(Operation::Exscan, all());
    case Kind::Gather:
      return simple(Operation::Gather, is_root ? received() : sent());
    case Kind::Scatter:
      return simple(Operation::Scatter, is_root ? sent() : received());
    case Kind::Allgather:
      return simple(Operation::Allgather, received());
    case Kind::Alltoall:
      return simple(Operation::Alltoall, received());
    case Kind::ReduceScatterBlock:
      return simple(Operation::ReduceScatter, block(call.recvcount, call.datatype));
    case Kind::ReduceScatter:
      return simple(Operation::ReduceScatter,
                    Blocks{call, call.recvcounts, 0, call.datatype}.sum(size) / size);
    case Kind::Allgatherv:
      return simple(Operation::Allgather,
                    Blocks{call, call.recvcounts, 0, call.recvtype}.sum(size) / size);
    case Kind::Gatherv:
      return with_root(call, comm, true);
    case Kind::Scatterv:
      return with_root(call, comm, false);
    case Kind::Alltoallv:
    case Kind::Alltoallw:
      return everybody(call, comm);
    default:
      return neighbours(call, comm);
  }
}

bool is_neighbourhood(Kind kind) { return kind >= Kind::NeighborAllgather; }

/// Nothing if it is not recorded: between groups, or with processes of other worlds.
const Communicator* communicator_of(Recorder& recorder, const Collective& call) {
  const auto comm = as<MPI_Comm>(call.comm);
  Communicator* known = recorder.find(comm);
  if (known == nullptr) return nullptr;
  if (known->is_inter || !known->is_ours) {
    recorder.recording.leave_out();
    return nullptr;
  }
  if (is_neighbourhood(call.kind)) recorder.learn_neighbours(comm, *known);
  return known;
}

}  // namespace

void note_collective(const Collective& call) {
  const Locked recorder;
  if (!recorder) return;
  recorder->is_in_collective();
  const Communicator* comm = communicator_of(*recorder, call);
  if (comm == nullptr) return;
  const Part part = part_of(call, *comm);
  recorder->take_computation();
  profile::Recording& recording = recorder->recording;
  if (!part.is_messages) {
    const Rank root = comm->peer(call.root);
    recording.collective(part.operation, part.bytes, root == kNoRank ? comm->members[0] : root,
                         comm->number);
    return;
  }
  for (const Message& m : part.sends) recording.send(m.peer, m.bytes, /*in_collective=*/true);
  for (const Message& m : part.receives) recording.recv(m.peer, m.bytes);
}

/// Started at one place and waited for at another: all sends stand at the first, all receives at
/// the second. Anything else might wait for itself when replayed.
void note_started_collective(const Collective& call, std::intptr_t request, bool persistent) {
  const Locked recorder;
  if (!recorder) return;
  recorder->is_in_collective();
  const Communicator* comm = communicator_of(*recorder, call);
  if (comm == nullptr) return;
  Part part = part_of(call, *comm);
  if (!part.is_messages) {
    profile::Profile shape;
    shape.communicators = {{}, comm->members};  // number 0 is the world, whatever its members
    profile::Action action;
    action.kind = profile::ActionKind::Collective;
    action.communicator = 1;
    action.operation = part.operation;
    action.bytes = part.bytes;
    const Rank root = comm->peer(call.root);
    action.peer = root == kNoRank ? comm->members[0] : root;
    profile::for_each_message(shape, action, comm->members[static_cast<std::size_t>(comm->me)],
                              [&part](bool is_send, Rank peer, std::uint64_t bytes) {
                                (is_send ? part.sends : part.receives).push_back({peer, bytes});
                              });
  }
  Request made;
  made.is_persistent = persistent;
  made.is_active = !persistent;
  made.in_collective = true;
  made.sends = std::move(part.sends);
  made.receives = std::move(part.receives);
  if (!persistent) {
    recorder->take_computation();
    for (const Message& m : made.sends) recorder->recording.send(m.peer, m.bytes, true);
  }
  recorder->requests[handle_at(request, 0, call.language)] = std::move(made);
}

}  // namespace espalier::record

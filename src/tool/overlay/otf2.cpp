#include "overlay/otf2.hpp"

#include <fmt/format.h>

#if defined(ESPALIER_OTF2)
#include <otf2/otf2.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>
#endif

namespace espalier::overlay {

#if !defined(ESPALIER_OTF2)

bool can_write_otf2() { return false; }

std::optional<Error> write_otf2(const trace::Trace& /*trace*/, const std::string& /*folder*/) {
  return Error{"--otf2", "this build cannot write OTF2",
               "install libotf2-trace-dev and build again; --perfetto needs nothing"};
}

#else

namespace {

using schedule::Operation;
using trace::Nanoseconds;

/// What MPI and OTF2 call a collective.
struct CallKind {
  const char* name;
  OTF2_RegionRole role;
  std::optional<OTF2_CollectiveOp> operation;  ///< absent: OTF2 has no word for it
};

CallKind kind_of(const trace::Plan& plan) {
  const bool is_v = plan.irregular;
  switch (plan.call.operation) {
    case Operation::Broadcast:
      return {"MPI_Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_BCAST};
    case Operation::Scatter:
      if (is_v) return {"MPI_Scatterv", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_SCATTERV};
      return {"MPI_Scatter", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_COLLECTIVE_OP_SCATTER};
    case Operation::Reduce:
      return {"MPI_Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_REDUCE};
    case Operation::Gather:
      if (is_v) return {"MPI_Gatherv", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_GATHERV};
      return {"MPI_Gather", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_COLLECTIVE_OP_GATHER};
    case Operation::Barrier:
      return {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_COLLECTIVE_OP_BARRIER};
    case Operation::Allreduce:
      return {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLREDUCE};
    case Operation::Allgather:
      if (is_v)
        return {"MPI_Allgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLGATHERV};
      return {"MPI_Allgather", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLGATHER};
    case Operation::Alltoall:
      if (is_v)
        return {"MPI_Alltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALLV};
      return {"MPI_Alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_COLLECTIVE_OP_ALLTOALL};
    case Operation::ReduceScatter:
      // Calls of equal blocks too: traces do not tell the two functions apart.
      return {"MPI_Reduce_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL,
              OTF2_COLLECTIVE_OP_REDUCE_SCATTER};
    case Operation::Scan:
      return {"MPI_Scan", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_SCAN};
    case Operation::Exscan:
      return {"MPI_Exscan", OTF2_REGION_ROLE_COLL_OTHER, OTF2_COLLECTIVE_OP_EXSCAN};
    case Operation::NeighbourAllgather:
      return {"MPI_Neighbor_allgather", OTF2_REGION_ROLE_COLL_OTHER, {}};
    case Operation::NeighbourAlltoall:
      return {"MPI_Neighbor_alltoall", OTF2_REGION_ROLE_COLL_OTHER, {}};
    case Operation::Unknown:
      break;
  }
  return {"collective", OTF2_REGION_ROLE_COLL_OTHER, {}};
}

/// Bytes that a rank hands in and gets back; 0 where not all ranks know the lengths.
struct CallBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};
CallBytes bytes_of(const trace::Plan& plan, Rank self) {
  const schedule::Collective& call = plan.call;
  if (plan.irregular || schedule::is_neighbourhood(call.operation)) return {};
  const bool is_broadcast = call.operation == Operation::Broadcast;
  const std::uint64_t in =
      is_broadcast && self == call.root ? call.count : schedule::units_in(call, self);
  const std::uint64_t out = is_broadcast && self == call.root ? 0 : schedule::units_out(call, self);
  return {in * call.element.value, out * call.element.value};
}

/// What happens on a rank. OTF2 refuses an event that is earlier than the one before it of the same
/// rank, so they are sorted by time over all calls: calls on different communicators stand in the
/// trace by their first entry, which may be another rank's.
struct RankEvent {
  enum class Kind : std::uint8_t { Enter, SendBegin, RecvBegin, SendEnd, RecvEnd, Leave };
  Nanoseconds at = 0;
  Kind kind = Kind::Enter;
  const trace::Call* call = nullptr;
  Rank self = 0;  ///< rank in the call's communicator
  const trace::Message* message = nullptr;
  std::uint64_t request = 0;
};

OTF2_FlushType flush(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                     void* /*caller*/, bool /*final*/) {
  return OTF2_FLUSH;
}

class Otf2Writer {
 public:
  Otf2Writer(const trace::Trace& trace, OTF2_Archive* archive) : trace_(trace), archive_(archive) {}

  /// @return whether all events were taken
  bool write() {
    static constexpr OTF2_FlushCallbacks callbacks{flush, nullptr};  // OTF2 keeps the address
    OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_SetCreator(archive_, "espalier");
    OTF2_Archive_OpenEvtFiles(archive_);
    for (Rank rank = 0; rank < trace_.size(); ++rank) write_events(rank);
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (Rank rank = 0; rank < trace_.size(); ++rank) {
      OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, rank));
    }
    OTF2_Archive_CloseDefFiles(archive_);
    write_definitions();
    return is_whole_;
  }

 private:
  [[nodiscard]] const std::vector<Rank>& members_of(const trace::Call& call) const {
    return trace_.communicators[call.communicator].members;
  }

  void write_events(Rank rank) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, rank);
    std::vector<RankEvent> events;
    for (const trace::Call& call : trace_.calls) {
      const auto& members = members_of(call);
      const auto own = std::find(members.begin(), members.end(), rank);
      if (own == members.end()) continue;
      add_call(events, call, static_cast<Rank>(own - members.begin()));
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const RankEvent& a, const RankEvent& b) { return a.at < b.at; });
    for (const RankEvent& event : events) {
      write_event(writer, event);
    }
    counts_.push_back(std::exchange(written_, 0));
    OTF2_Archive_CloseEvtWriter(archive_, writer);
  }

  void add_call(std::vector<RankEvent>& events, const trace::Call& call, Rank self) {
    using Kind = RankEvent::Kind;
    const auto add = [&](Nanoseconds at, Kind kind, const trace::Message& m) {
      if (at != trace::kNever) events.push_back({at, kind, &call, self, &m, request_});
    };
    events.push_back({call.begin[self], Kind::Enter, &call, self});
    for (const trace::Message& m : call.messages) {
      ++request_;
      const bool is_whole = m.send_begin != trace::kNever && m.recv_end != trace::kNever;
      if (!is_whole) continue;
      if (m.from == self) {
        add(m.send_begin, Kind::SendBegin, m);
        add(m.send_end, Kind::SendEnd, m);
      }
      if (m.to == self) {
        add(m.recv_begin, Kind::RecvBegin, m);
        add(m.recv_end, Kind::RecvEnd, m);
      }
    }
    events.push_back({call.end[self], Kind::Leave, &call, self});
  }

  /// Counts a record of the rank at hand, and whether it was taken.
  void note(OTF2_ErrorCode code) {
    ++written_;
    is_whole_ = is_whole_ && code == OTF2_SUCCESS;
  }

  void write_event(OTF2_EvtWriter* writer, const RankEvent& event) {
    using Kind = RankEvent::Kind;
    const trace::Message* const m = event.message;
    const OTF2_CommRef comm = event.call->communicator;
    const OTF2_TimeStamp at = stamp(event.at);
    switch (event.kind) {
      case Kind::Enter:
        return write_begin(writer, event, at);
      case Kind::SendBegin:
        return note(OTF2_EvtWriter_MpiIsend(writer, nullptr, at, m->to, comm, m->tag, m->bytes,
                                            event.request));
      case Kind::SendEnd:
        return note(OTF2_EvtWriter_MpiIsendComplete(writer, nullptr, at, event.request));
      case Kind::RecvBegin:
        return note(OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, at, event.request));
      case Kind::RecvEnd:
        return note(OTF2_EvtWriter_MpiIrecv(writer, nullptr, at, m->from, comm, m->tag, m->bytes,
                                            event.request));
      case Kind::Leave:
        return write_end(writer, event, at);
    }
  }

  /// The call's region, and within it the plan's, in which the messages are.
  void write_begin(OTF2_EvtWriter* writer, const RankEvent& event, OTF2_TimeStamp at) {
    const CallKind kind = kind_of(trace_.plans[event.call->plan]);
    note(OTF2_EvtWriter_Enter(writer, nullptr, at, region_of(kind)));
    if (kind.operation) note(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, at));
    note(OTF2_EvtWriter_Enter(writer, nullptr, at, event.call->plan));
  }

  void write_end(OTF2_EvtWriter* writer, const RankEvent& event, OTF2_TimeStamp at) {
    const trace::Plan& plan = trace_.plans[event.call->plan];
    const CallKind kind = kind_of(plan);
    note(OTF2_EvtWriter_Leave(writer, nullptr, at, event.call->plan));
    if (kind.operation) {
      const CallBytes bytes = bytes_of(plan, event.self);
      const bool has_root = schedule::has_root(plan.call.operation);
      note(OTF2_EvtWriter_MpiCollectiveEnd(
          writer, nullptr, at, *kind.operation, event.call->communicator,
          has_root ? plan.call.root : OTF2_UNDEFINED_UINT32, bytes.sent, bytes.received));
    }
    note(OTF2_EvtWriter_Leave(writer, nullptr, at, region_of(kind)));
  }

  /// Regions of functions are numbered behind those of plans.
  OTF2_RegionRef region_of(const CallKind& kind) {
    const auto known = std::find_if(functions_.begin(), functions_.end(), [&](const auto& one) {
      return std::string_view(one.name) == kind.name;
    });
    const auto index = known - functions_.begin();
    if (known == functions_.end()) functions_.push_back(kind);
    return static_cast<OTF2_RegionRef>(trace_.plans.size()) + static_cast<OTF2_RegionRef>(index);
  }

  OTF2_TimeStamp stamp(Nanoseconds at) {
    last_ = std::max(last_, static_cast<std::uint64_t>(at));
    return static_cast<OTF2_TimeStamp>(at);
  }

  OTF2_StringRef text(OTF2_GlobalDefWriter* writer, const std::string& words) {
    const auto [it, is_new] = strings_.try_emplace(words, strings_.size());
    if (is_new) OTF2_GlobalDefWriter_WriteString(writer, it->second, words.c_str());
    return it->second;
  }

  void write_definitions() {
    OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_);
    constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;
    OTF2_GlobalDefWriter_WriteClockProperties(writer, kTicksPerSecond, 0, last_ + 1,
                                              OTF2_UNDEFINED_TIMESTAMP);
    const OTF2_StringRef none = text(writer, "");
    for (std::uint32_t p = 0; p < trace_.plans.size(); ++p) {
      const trace::Plan& plan = trace_.plans[p];
      const std::string call = plan.irregular
                                   ? std::string(name_of(plan.call.operation))
                                   : fmt::format("{} of {} B", name_of(plan.call.operation),
                                                 plan.call.count * plan.call.element.value);
      OTF2_GlobalDefWriter_WriteRegion(
          writer, p, text(writer, fmt::format("{}: {}", call, plan.name)), text(writer, plan.name),
          text(writer, fmt::format("messages of {}", kind_of(plan).name)),
          OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, none, 0, 0);
    }
    for (const CallKind& function : functions_) {
      OTF2_GlobalDefWriter_WriteRegion(writer, region_of(function), text(writer, function.name),
                                       text(writer, function.name), none, function.role,
                                       OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, none, 0, 0);
    }
    write_locations(writer);
    write_communicators(writer);
    OTF2_Archive_CloseGlobalDefWriter(archive_, writer);
  }

  void write_locations(OTF2_GlobalDefWriter* writer) {
    const OTF2_StringRef node = text(writer, "node");
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (Rank rank = 0; rank < trace_.size(); ++rank) {
      const auto [it, is_new] = hosts.try_emplace(trace_.hosts[rank], hosts.size());
      if (is_new) {
        OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, it->second,
                                                 text(writer, trace_.hosts[rank]), node,
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
      }
      const OTF2_StringRef name = text(writer, fmt::format("rank {}", rank));
      OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                              it->second, OTF2_UNDEFINED_LOCATION_GROUP);
      OTF2_GlobalDefWriter_WriteLocation(writer, rank, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                         counts_[rank], rank);
    }
  }

  void write_communicators(OTF2_GlobalDefWriter* writer) {
    const OTF2_StringRef none = text(writer, "");
    std::vector<std::uint64_t> all;
    for (Rank rank = 0; rank < trace_.size(); ++rank) all.push_back(rank);
    OTF2_GlobalDefWriter_WriteGroup(writer, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(all.size()), all.data());
    for (std::uint32_t c = 0; c < trace_.communicators.size(); ++c) {
      const trace::Communicator& one = trace_.communicators[c];
      const std::vector<std::uint64_t> members(one.members.begin(), one.members.end());
      OTF2_GlobalDefWriter_WriteGroup(writer, c + 1, none, OTF2_GROUP_TYPE_COMM_GROUP,
                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                      static_cast<std::uint32_t>(members.size()), members.data());
      OTF2_GlobalDefWriter_WriteComm(writer, c, text(writer, one.name), c + 1, OTF2_UNDEFINED_COMM,
                                     OTF2_COMM_FLAG_NONE);
    }
  }

  const trace::Trace& trace_;
  OTF2_Archive* archive_;
  std::map<std::string, OTF2_StringRef> strings_;
  std::vector<CallKind> functions_;    // MPI functions that were called
  std::vector<std::uint64_t> counts_;  // [rank] records
  std::uint64_t written_ = 0;          // records of the rank at hand
  bool is_whole_ = true;
  std::uint64_t request_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace

bool can_write_otf2() { return true; }

std::optional<Error> write_otf2(const trace::Trace& trace, const std::string& folder) {
  std::error_code wrong;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, wrong))) {
    return Error{"--otf2", fmt::format("there is a \"{}\" already", folder),
                 "name a folder that is to be made"};
  }
  if (!std::filesystem::create_directory(folder, wrong)) {
    return Error{"--otf2", fmt::format("\"{}\" cannot be made: {}", folder, wrong.message()),
                 "name a folder that is to be made, in one that can be written to"};
  }
  constexpr std::uint64_t kEventChunk = 1U << 20U, kDefinitionChunk = 4U << 20U;
  OTF2_Archive* const archive =
      OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                        kDefinitionChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) {
    return Error{"--otf2", fmt::format("\"{}\" cannot be written", folder), "name another folder"};
  }
  const bool is_whole = Otf2Writer(trace, archive).write();
  if (OTF2_Archive_Close(archive) != OTF2_SUCCESS || !is_whole) {
    return Error{"--otf2", fmt::format("\"{}\" was not written whole", folder),
                 "is the disk full?"};
  }
  return std::nullopt;
}

#endif

}  // namespace espalier::overlay

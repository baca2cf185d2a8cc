#include "mpi/tracer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "mpi/call_trace.hpp"
#include "mpi/environment.hpp"
#include "mpi/gather_tree.hpp"
#include "schedule/schedule.hpp"
#include "trace/json.hpp"

namespace espalier::mpi {
namespace {

constexpr int kTraceTag = 1;
constexpr int kClockTrips = 16;

using trace::Event;
using trace::Nanoseconds;

Event event_of(const TraceEvent& seen) {
  using What = Event::What;
  const What what = seen.sends ? (seen.ends ? What::SendEnd : What::SendBegin)
                               : (seen.ends ? What::RecvEnd : What::RecvBegin);
  return {trace::monotonic_now(),
          static_cast<std::uint32_t>(seen.call),
          what,
          seen.peer,
          seen.tag,
          static_cast<std::uint32_t>(seen.bytes)};
}

/// The program's name and this host's, as the system has them.
std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string_view whole(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return std::string(whole.substr(whole.rfind('/') + 1));
}

/// Rank 0's side: to `other` and back, some times.
trace::Offset ask_clock(MPI_Comm comm, int other) {
  std::array<trace::RoundTrip, kClockTrips> trips{};
  for (trace::RoundTrip& trip : trips) {
    trip.left = trace::monotonic_now();
    PMPI_Send(&trip.left, 1, MPI_INT64_T, other, kTraceTag, comm);
    PMPI_Recv(&trip.there, 1, MPI_INT64_T, other, kTraceTag, comm, MPI_STATUS_IGNORE);
    trip.back = trace::monotonic_now();
  }
  return trace::offset_from(trips);
}

void tell_clock(MPI_Comm comm) {
  for (int i = 0; i < kClockTrips; ++i) {
    Nanoseconds now = 0;
    PMPI_Recv(&now, 1, MPI_INT64_T, 0, kTraceTag, comm, MPI_STATUS_IGNORE);
    now = trace::monotonic_now();
    PMPI_Send(&now, 1, MPI_INT64_T, 0, kTraceTag, comm);
  }
}

/// The lowest rank that reads the same clock, for each rank.
std::vector<int> leaders_of(MPI_Comm comm, int size) {
  const trace::KernelClock own = trace::look_at_clock();
  const std::array<std::int64_t, 2> mine{own.zero, own.within};
  std::vector<std::int64_t> all(static_cast<std::size_t>(size) * 2);
  PMPI_Allgather(mine.data(), 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm);
  std::vector<int> leaders;
  std::vector<int> found;  // few: one for each kernel
  const auto clock_of = [&](int rank) {
    const auto at = static_cast<std::size_t>(rank) * 2;
    return trace::KernelClock{all[at], all[at + 1]};
  };
  for (int rank = 0; rank < size; ++rank) {
    const auto same = std::find_if(found.begin(), found.end(), [&](int leader) {
      return is_same_clock(clock_of(leader), clock_of(rank));
    });
    leaders.push_back(same != found.end() ? *same : rank);
    if (same == found.end()) found.push_back(rank);
  }
  return leaders;
}

std::string told_of(const trace::Trace& trace, const std::string& file) {
  std::uint64_t messages = 0;
  for (const trace::Call& call : trace.calls) messages += call.messages.size();
  std::string text = fmt::format("espalier: the trace of {} planned calls, {} messages, is in {}\n",
                                 trace.calls.size(), messages, file);
  if (trace.native.value_or(0) > 0) {
    text += fmt::format("espalier: {} native calls of rank 0 are not in it\n", *trace.native);
  }
  if (trace.untraced > 0) {
    text += fmt::format("espalier: {} planned calls of rank 0 that do not block are not in it\n",
                        trace.untraced);
  }
  if (trace.dropped > 0) {
    text += fmt::format("espalier: {} later calls are not in it: the memory for it was used up\n",
                        trace.dropped);
  }
  if (trace.clocks.kernels > 1) {
    text += fmt::format(
        "espalier: {} clocks were compared: times of different hosts may be off by {:.1f} us\n",
        trace.clocks.kernels, static_cast<double>(trace.clocks.residual) / 1e3);
  }
  return text;
}

}  // namespace

std::uint32_t CommunicatorLog::index_of(const runtime::CachedPlan& plan, bool irregular) {
  const auto known = seen_.find(&plan);
  if (known != seen_.end() && known->second.signature == plan.signature &&
      known->second.name == plan.name) {
    return known->second.index;
  }
  if (log.is_full()) return trace::Log::kNoPlan;
  const std::uint32_t index =
      log.add_plan({plan.call, irregular, plan.name, plan.predicted,
                    irregular ? 0 : schedule::hash_of(plan.prepared.program)});
  if (seen_.size() >= kMostSeen) seen_.clear();
  seen_.insert_or_assign(&plan, Seen{plan.signature, plan.name, index});
  return index;
}

Tracer::Tracer(const runtime::Settings& settings, MPI_Comm over, int world_rank)
    : settings_(settings), rank_(world_rank), comm_(hidden_copy(over, world_rank)), budget_(0) {
  if (!comm_) return;
  PMPI_Comm_size(comm_.get(), &size_);
  budget_.set(std::min(kTraceBytesOfEach, kTraceBytesOfAll / static_cast<std::uint64_t>(size_)));
  leaders_ = leaders_of(comm_.get(), size_);
  at_begin_ = measure_clocks();
}

std::vector<trace::Offset> Tracer::measure_clocks() const {
  std::vector<trace::Offset> offsets(static_cast<std::size_t>(size_));
  if (rank_ != 0) {
    if (leaders_[static_cast<std::size_t>(rank_)] == rank_) tell_clock(comm_.get());
    return offsets;
  }
  for (int other = 1; other < size_; ++other) {
    const auto at = static_cast<std::size_t>(other);
    if (leaders_[at] == other) offsets[at] = ask_clock(comm_.get(), other);
  }
  return offsets;
}

CommunicatorLog& Tracer::join(Channel& channel, trace::Communicator about) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = (static_cast<std::uint64_t>(rank_) << 32U) + ++joined_;
  }
  PMPI_Bcast(&id, 1, MPI_UINT64_T, 0, channel.comm());
  auto made = std::make_unique<CommunicatorLog>(id, std::move(about), budget_);
  CommunicatorLog& log = *made;
  channel.trace = [&log](const TraceEvent& seen) { log.log.add(event_of(seen)); };
  const std::lock_guard lock(mutex_);
  logs_.push_back(std::move(made));
  return log;
}

void CallTrace::begin(Communicator& comm, const runtime::CachedPlan& plan, bool irregular) {
  number_ = comm.hidden().channel().calls();
  const std::uint32_t index = log_->index_of(plan, irregular);
  log_->log.begin(number_, index, trace::monotonic_now());
}

std::uint64_t Tracer::followed() {
  const std::lock_guard lock(mutex_);
  std::uint64_t calls = 0;
  for (const auto& one : logs_) calls += one->log.calls();
  return calls;
}

std::string Tracer::packed() {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const auto& one : logs_) all += one->log.pack();
  logs_.clear();
  return all;
}

void Tracer::finish(std::uint64_t native, std::uint64_t planned) {
  const std::uint64_t traced = followed();
  const std::vector<trace::Offset> at_end = measure_clocks();
  std::vector<int> ranks(static_cast<std::size_t>(size_));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto gather = [&](const std::string& mine) {
    return gather_in_tree(comm_.get(), ranks, static_cast<std::size_t>(rank_), mine, kTraceTag);
  };
  std::vector<std::string> hosts = gather(processor_name());
  std::vector<std::string> logs = gather(packed());
  if (rank_ != 0) return;
  std::vector<std::vector<trace::PackedLog>> unpacked;
  trace::Clocks clocks{0, 0};
  std::vector<Nanoseconds> residuals;
  for (int rank = 0; rank < size_; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const auto leader = static_cast<std::size_t>(leaders_[at]);
    const trace::ClockFit fit{at_begin_[leader], at_end[leader]};
    clocks.kernels += leader == at ? 1 : 0;
    if (leader == at) residuals.push_back(fit.residual());
    unpacked.push_back(trace::unpack(logs[at]));
    logs[at] = std::string();
    for (trace::PackedLog& log : unpacked.back()) {
      for (Event& event : log.events) event.at = leader == 0 ? event.at : fit.ours(event.at);
    }
  }
  clocks.residual = trace::worst_between(residuals);
  trace::Trace joined = trace::join(unpacked);
  joined.program = own_program();
  joined.hosts = std::move(hosts);
  joined.clocks = clocks;
  joined.native = native;
  joined.untraced = planned - std::min(planned, traced);
  const std::string& file = settings_.trace;
  std::string text;
  if (const auto wrong = replace_named_file(file, trace::write_json(joined))) {
    text =
        fmt::format("espalier: ESPALIER_TRACE: cannot write \"{:.200}\": {}\n", file, wrong->what);
  } else {
    text = told_of(joined, file);
  }
  write_message(text);
}

}  // namespace espalier::mpi

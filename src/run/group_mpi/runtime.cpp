#include "group_mpi/runtime.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "base/contract.hpp"
#include "group/along_topology.hpp"
#include "group/choose_root.hpp"
#include "topology/load_machine.hpp"

namespace espalier {
namespace {

constexpr unsigned kUsualDegree = 3;
// Fits into a posted receive, with both headers, and into elements of 1, 2, 4, 8 and 16 bytes.
constexpr std::size_t kUsualSegment = group_mpi::MpiEndpoint::kSlotBytes - 32;
// A segment is never sent in parts at different times; so long that a window is full.
constexpr std::size_t kLongestSegment =
    group_mpi::MpiEndpoint::kWindow * group_mpi::MpiEndpoint::kSlotBytes - 32;

Rank size_of(MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  return static_cast<Rank>(size);
}

std::optional<model::LogGP> model_of(const GroupsOptions& options, Rank size) {
  if (!options.network || size < 2) return std::nullopt;
  const GroupNetwork& n = *options.network;
  expects(n.bytes_per_second > 0, "Groups: a network that moves no bytes");
  const Time overhead = nanoseconds(static_cast<std::int64_t>(n.overhead_ns));
  return model::LogGP(size, {nanoseconds(static_cast<std::int64_t>(n.latency_ns)), overhead,
                             overhead, bytes_per_second(n.bytes_per_second)});
}

Rank degree_of(const GroupsOptions& options, const std::optional<model::LogGP>& network) {
  expects(options.degree < 255, "Groups: a tree's degree is at most 254");
  if (options.degree > 0) return options.degree;
  if (!network) return kUsualDegree;
  return group::choose_tree(network->size(), Bytes{options.typical_bytes}, *network).degree;
}

std::optional<group::Words> path_of(const GroupsOptions& options, MPI_Comm comm) {
  int self = 0;
  PMPI_Comm_rank(comm, &self);
  if (options.clusters) {
    group::Words path;
    path.append(options.clusters(self));
    const bool has_none =
        std::any_of(path.begin(), path.end(), [](auto name) { return name == kNoRank; });
    expects(!has_none, "Groups: 0xffffffff is no name of a cluster");
    return path;
  }
  if (options.machine.empty()) return std::nullopt;
  const auto loaded = topology::load_machine(options.machine);
  if (!loaded) throw std::invalid_argument(to_string(loaded.error()));
  expects(loaded->machine.size() >= size_of(comm),
          "Groups: the machine has fewer places than there are ranks");
  return group::cluster_path(loaded->machine, static_cast<Rank>(self));
}

GroupSettings settings_of(const GroupsOptions& options, MPI_Comm comm) {
  GroupSettings settings;
  settings.path = path_of(options, comm);
  settings.network = model_of(options, size_of(comm));
  settings.degree = degree_of(options, settings.network);
  return settings;
}

/// A file may be missing on one host. If only the ranks there refused, the others would wait for
/// them for ever.
GroupSettings agreed_settings(const GroupsOptions& options, MPI_Comm comm) {
  GroupSettings settings;
  std::exception_ptr wrong;
  try {
    settings = settings_of(options, comm);
  } catch (...) {
    wrong = std::current_exception();
  }
  int is_right = wrong ? 0 : 1, all_are = 1;
  const int code = PMPI_Allreduce(&is_right, &all_are, 1, MPI_INT, MPI_MIN, comm);
  if (wrong) std::rethrow_exception(wrong);
  if (code == MPI_SUCCESS && all_are == 0) {
    throw std::invalid_argument("Groups: another rank could not take its options or its machine");
  }
  return settings;
}

}  // namespace

GroupRuntime::GroupRuntime(mpi::OwnedComm hidden, const GroupsOptions& options)
    : comm(std::move(hidden)),
      settings(agreed_settings(options, comm.get())),  // may refuse: before anything is posted
      endpoint(comm.get()),
      process(endpoint, size_of(comm.get()), settings.degree) {}

/// Nobody leaves before nobody is needed: calls that nobody has waited for come to their ends, all
/// groups are given up, then all processes meet. Once MPI has failed operations stay under way for
/// ever, and nobody is waited for; nor is after MPI_Finalize, when MPI may not even be asked.
GroupRuntime::~GroupRuntime() {
  int is_over = 0;
  PMPI_Finalized(&is_over);
  if (is_over != 0) {
    endpoint.leave();
    comm.abandon();
    return;
  }
  const auto is_well = [&] { return endpoint.error() == MPI_SUCCESS; };
  if (is_well()) until([&] { return process.is_quiet(); });
  if (is_well()) {
    process.retire_all();
    until([&] { return process.live_groups() == 1 && process.held_messages() == 0; });
  }
  if (is_well()) {
    const group::Ticket last = process.world().barrier();
    until([&] { return last.test(); });
  }
  endpoint.close();
  if (endpoint.error() != MPI_SUCCESS) comm.abandon();
}

bool GroupRuntime::progress() {
  const bool any =
      endpoint.progress([this](const group::Message& message) { process.receive(message); });
  process.pump();
  return any;
}

std::size_t GroupRuntime::segment(const group::GroupView& view, std::size_t bytes,
                                  std::size_t asked) const {
  const std::optional<model::LogGP>& network = settings.network;
  if (asked == 0 && !network) return kUsualSegment;
  if (asked == 0) {
    asked = group::choose_segment(view.size, Bytes{bytes}, view.degree, *network).segment_bytes;
  }
  return asked == 0 ? kLongestSegment : std::min(asked, kLongestSegment);
}

}  // namespace espalier

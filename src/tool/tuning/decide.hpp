#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topology/machine.hpp"
#include "tuning/native_algorithms.hpp"
#include "tuning/native_times.hpp"

namespace espalier::tuning {

/// Which ranks of a job a communicator has. Tuning files know little more of it than its size.
enum class Members : std::uint8_t {
  All,
  OneOfEachHost,
  OneHost,  ///< all ranks of one host; left to the library, and asked only what it loses
};
[[nodiscard]] std::string_view name_of(Members members);

/// What was decided for calls around one size.
struct SizeRule {
  std::uint64_t bytes = 0;  ///< bytes of the vector, or of one block
  Candidate choice;         ///< no algorithm: the library's own choice stays
  bool by_host = false;     ///< the call goes among the leaders of hosts, and inside each
  Time native;              ///< time of what the library takes by default
  Time tuned;
  std::optional<Time> preloaded;  ///< Espalier's library; absent: its plans gain nothing
};

struct OperationRules {
  Operation operation = Operation::Barrier;
  std::vector<SizeRule> rows;  ///< rows by rising size
  bool is_left_out = false;    ///< sizes want different algorithms, but ranks would not agree
};

struct ScopeRules {
  Members members = Members::All;
  Rank ranks = 0;
  std::vector<OperationRules> operations;
};

/// What ranks of one host lose, since rules of the same communicator size are for others.
struct HostLoss {
  Operation operation = Operation::Barrier;
  std::uint64_t bytes = 0;
  Time native, tuned;
};

/// All that a tuning file is written from.
struct Tuning {
  select::NativeMpi mpi = select::NativeMpi::Unknown;
  Rank ranks = 0;
  std::size_t hosts = 0;
  Rank ranks_of_host = 0;  ///< 0: hosts differ
  std::vector<ScopeRules> scopes;
  std::vector<HostLoss> host_losses;  ///< worst of each operation
  /// The same for the first ranks of the machine, by rising number of them: TuningRules::first.
  std::vector<Tuning> of_first = {};
};

struct TuningRules {
  bool ordered = true;  ///< only what is right for operators that do not commute
  std::vector<Operation> operations;
  /// Besides all ranks, how many of the first have rules too; rising, from 2 to all but one.
  std::vector<Rank> first = {};
};

/// nullptr if there are none.
[[nodiscard]] const OperationRules* rules_in(const ScopeRules& scope, Operation operation);
/// The rules that communicators of each size get from files that know nothing but the size. Of two
/// with the same size: first those of TuningRules::first, then those of all ranks.
[[nodiscard]] std::map<Rank, const ScopeRules*> rules_by_size(const Tuning& tuning);

/// A communicator shape with the machine as it sees it.
struct Scope {
  Members members;
  std::unique_ptr<const topology::Machine> machine;  ///< the machine stays at one address
  std::unique_ptr<const NativeTimes> times;
};

/// The first ranks of the machine, all of them as one communicator.
/// @pre 2 <= ranks <= machine.size()
[[nodiscard]] Scope scope_of_first(const topology::Machine& machine, select::NativeMpi mpi,
                                   Rank ranks);
/// The same; and where hosts have several of these ranks each, one of each host and those of the
/// first host.
[[nodiscard]] std::vector<Scope> scopes_of(const topology::Machine& machine, select::NativeMpi mpi,
                                           Rank ranks);
[[nodiscard]] const Scope* scope_of(const std::vector<Scope>& scopes, Members members);
/// How the first ranks of the machine lie on hosts, if each host that has some has as many; else
/// {0, 0}.
struct HostShape {
  std::size_t hosts = 0;
  Rank ranks_of_host = 0;
};
[[nodiscard]] HostShape host_shape(const topology::Machine& machine, Rank ranks);

/// The fastest of the candidates: by prediction, on few ranks by simulation of those near the best.
/// Ties go to the first.
struct Timed {
  Candidate candidate;
  Time time = kForever;
};
[[nodiscard]] std::optional<Timed> fastest(const std::vector<Candidate>& candidates,
                                           const NativeTimes& times,
                                           const schedule::Collective& call);
[[nodiscard]] Time time_of(const Candidate& candidate, const NativeTimes& times,
                           const schedule::Collective& call);

/// Sizes that decisions are made for, each for the calls around it; of blocks, where a call has one
/// for each rank.
[[nodiscard]] std::vector<std::uint64_t> probed_bytes(Operation operation);
/// A row holds from this size on: half way to the row before, by ratio. 0 for the first.
[[nodiscard]] std::uint64_t first_bytes(const OperationRules& rules, std::size_t row);

/// What Espalier's library takes for the call under this MPI; absent if it leaves it native.
[[nodiscard]] std::optional<Time> preloaded_time(const Scope& scope,
                                                 const schedule::Collective& call);

/// The time that Open MPI is assumed to need without a file; kForever if no usual algorithm is
/// known.
[[nodiscard]] Time assumed_native(const NativeTimes& times, const schedule::Collective& call);

/// Decisions for Open MPI's coll/tuned.
[[nodiscard]] Tuning decide_open_mpi(const topology::Machine& machine, const TuningRules& rules);

}  // namespace espalier::tuning

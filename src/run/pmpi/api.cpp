// What include/espalier/communicator.hpp and topology.hpp call.
#define ESPALIER_RUNTIME_CALL __attribute__((visibility("default")))
#include <espalier/runtime_calls.h>

#include <algorithm>
#include <cstring>

#include "mpi/engine.hpp"
#include "pmpi/intercept.hpp"
#include "topology/views.hpp"
#include "topology/writers.hpp"

namespace espalier::pmpi {
namespace {

using schedule::Operation;

/// Calls each(engine) where there is one.
template <typename Each>
int with_engine(Each each) noexcept {
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr) return kNoLibrary;
  try {
    return each(*engine);
  } catch (const std::exception& bug) {
    die(bug.what());
  }
}

std::uint64_t mean_of(std::span<const std::uint64_t> counts) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return counts.empty() ? 0 : sum / counts.size();
}

/// The call as the functions of mpi/calls.hpp look for its plan.
runtime::SharedCall shared_call(const espalier_call& call, std::size_t ranks) {
  runtime::SharedCall shared;
  shared.operation = static_cast<Operation>(call.operation);
  if (has_root(shared.operation)) shared.root = static_cast<Rank>(call.root);
  if (shared.operation == Operation::Barrier) return shared;
  const std::span counts(call.counts, call.counts == nullptr ? 0 : ranks);
  if (reduces(shared.operation)) {
    shared.count = call.irregular != 0 ? mean_of(counts) : call.count;
    shared.element = call.element;
    shared.commutative = call.commutative != 0;
    shared.counts.assign(counts.begin(), counts.end());
    return shared;
  }
  shared.count = call.count * call.element;
  if (call.irregular == 0) return shared;
  shared.irregular = true;
  shared.count = select::kUnknownBlock;
  if (shared.operation != Operation::Allgather) return shared;
  for (const std::uint64_t count : counts) shared.counts.push_back(count * call.element);
  return shared;
}

template <std::size_t Room>
void write(const std::string& from, char (&to)[Room]) {
  const std::size_t length = std::min(from.size(), Room - 1);
  std::memcpy(to, from.data(), length);
  to[length] = 0;
}

std::int64_t picoseconds_of(const std::optional<Time>& time) {
  return time ? time->picoseconds : -1;
}

}  // namespace
}  // namespace espalier::pmpi

using espalier::Rank;
using espalier::mpi::Engine;
using espalier::pmpi::with_engine;

int espalier_api_plan_of_(int comm, const espalier_call* call, espalier_call_plan* plan) {
  return with_engine([&](Engine& engine) -> int {
    const MPI_Comm handle = PMPI_Comm_f2c(comm);
    int size = 0;
    PMPI_Comm_size(handle, &size);
    const auto outlook =
        engine.outlook(espalier::pmpi::shared_call(*call, static_cast<std::size_t>(size)), handle);
    plan->planned = outlook.planned ? 1 : 0;
    espalier::pmpi::write(outlook.name, plan->name);
    espalier::pmpi::write(outlook.why, plan->why);
    plan->predicted_ps = espalier::pmpi::picoseconds_of(outlook.predicted);
    plan->native_ps = espalier::pmpi::picoseconds_of(outlook.native_predicted);
    return espalier::pmpi::kOk;
  });
}

int espalier_api_machine_(int comm, char* text, std::uint64_t room, std::uint64_t* length) {
  return with_engine([&](Engine& engine) -> int {
    const auto placed = engine.machine().placed(PMPI_Comm_f2c(comm));
    if (placed.ranks.empty()) return espalier::pmpi::kOtherProcesses;
    if (placed.machine == nullptr) return espalier::pmpi::kUnknownMachine;
    const std::string json = write_json(submachine(*placed.machine, placed.ranks));
    *length = json.size();
    if (room == 0) return espalier::pmpi::kOk;
    const std::uint64_t shown = std::min<std::uint64_t>(room - 1, json.size());
    std::memcpy(text, json.data(), shown);
    text[shown] = 0;
    return espalier::pmpi::kOk;
  });
}

int espalier_api_multicasts_(int comm, const espalier_multicast* several, int count, int* code) {
  *code = MPI_SUCCESS;
  const int answer = with_engine([&](Engine& engine) -> int {
    std::vector<espalier::mpi::Multicast> all;
    for (const espalier_multicast& one : std::span(several, static_cast<std::size_t>(count))) {
      const std::span to(one.to, static_cast<std::size_t>(one.to_count));
      all.push_back({one.data, {static_cast<Rank>(one.root), one.bytes, {to.begin(), to.end()}}});
    }
    const auto outcome = engine.multicasts(all, PMPI_Comm_f2c(comm));
    *code = outcome.code;
    return outcome.planned ? espalier::pmpi::kOk : espalier::pmpi::kUnknownMachine;
  });
  if (*code != MPI_SUCCESS) espalier::pmpi::hand_to_user(PMPI_Comm_f2c(comm), *code);
  return answer;
}

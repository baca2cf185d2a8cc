#include "mpi/planned_call.hpp"

#include <algorithm>
#include <utility>

#include "mpi/call_trace.hpp"
#include "mpi/seconds_now.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using schedule::Operation;

namespace {

constexpr std::string_view kWhyThroughMemory = "all ranks share a node";

int run_traced(Communicator& comm, const CachedPlan& plan, const Elements& elements) {
  const CallTrace traced(comm, plan);
  return comm.hidden().executor().run(elements);
}

shared::Copies copies_of(const CachedPlan& plan) {
  return plan.is_one_copy ? shared::Copies::One : shared::Copies::Two;
}

}  // namespace

Outcome Planned::ended(Communicator& comm, int code) const {
  if (code != MPI_SUCCESS) comm.hidden().mark_failed();
  // Field by field: copied whole, it would wait for what was written to it just before.
  return {.planned = true, .code = code, .plan = outcome.plan, .timing = outcome.timing};
}

Planned plan_call(Communicator& comm, runtime::SharedCall call, bool in_place) {
  runtime::PlanKey key{std::move(call), in_place};
  const Communicator::Next next = comm.next(key);
  Planned planned{next.plan, {}};
  if (next.plan == nullptr) {
    planned.outcome = native(comm, key.operation, next.why);
    if (!next.is_for_good) planned.outcome.native_for_good = nullptr;
  } else {
    planned.outcome.plan = comm.hidden().memory().name_of(*next.plan);
  }
  if (next.timed != nullptr) planned.outcome.timing = {next.timed, seconds_now()};
  return planned;
}

std::unique_ptr<PendingCall> plan_pending(Communicator& comm, const Starting& how,
                                          runtime::SharedCall call, bool in_place) {
  runtime::PlanKey key{std::move(call), in_place};
  auto plan =
      how.is_persistent ? comm.plan_to_bind(std::move(key)) : comm.starts().plan(std::move(key));
  if (plan == nullptr) return nullptr;
  auto channel = how.is_persistent ? comm.persistent().take(comm.hidden().channel()) : nullptr;
  if (how.is_persistent && channel == nullptr) return nullptr;
  auto pending = std::make_unique<PendingCall>(channel != nullptr ? channel->channel
                                                                  : comm.hidden().channel());
  pending->own_channel = std::move(channel);
  pending->plan = std::move(plan);
  return pending;
}

Outcome start(Communicator& comm, Operation operation, std::unique_ptr<PendingCall> call,
              const Starting& how) {
  const CachedPlan& plan = *call->plan;
  ElementCall& elements = call->elements;
  elements.program = &plan.prepared;
  elements.signature = plan.signature;
  elements.buffers.base[static_cast<std::size_t>(schedule::Buffer::Scratch)] =
      call->add_memory(elements.buffers.layout,
                       plan.prepared.program.scratch_units / elements.buffers.units_per_element);
  auto payload = std::make_unique<ElementPayload>(call->execution.channel());
  call->of_elements = payload.get();
  call->payload = std::move(payload);
  return start_payload(comm, operation, std::move(call), how);
}

Outcome start_payload(Communicator& comm, Operation operation, std::unique_ptr<PendingCall> call,
                      const Starting& how) {
  ++comm.counts.planned[static_cast<std::size_t>(operation)];
  Outcome outcome{.planned = true, .plan = call->plan->name};
  outcome.code = how.is_persistent ? comm.persistent().bind(std::move(call), how.request)
                                   : comm.starts().start(std::move(call), how.request);
  return outcome;
}

Outcome native(Communicator& comm, Operation operation, runtime::Reason why) {
  std::uint64_t& calls = comm.counts.native(operation, why);
  ++calls;
  Outcome outcome;
  outcome.why = why;
  outcome.native_for_good = is_for_good(why) ? &calls : nullptr;
  outcome.size = comm.size();
  return outcome;
}

void leave_call(Communicator& comm, const CachedPlan& plan) {
  comm.hidden().mark_failed();
  NodeSegment* const segment = plan.is_collective ? comm.hidden().memory().segment() : nullptr;
  if (segment != nullptr && NodeSegment::may_serve(plan.call) && !plan.has_gaps) {
    segment->skip(plan.call, plan.signature, copies_of(plan));
  } else {
    comm.hidden().executor().skip_call();
  }
}

int run(Communicator& comm, const CachedPlan& plan, Operation operation, Elements& elements) {
  const double begin = comm.keeps_log() ? seconds_now() : 0;
  elements.signature = plan.signature;
  if (comm.hidden().memory().segment() != nullptr && plan.is_collective &&
      NodeSegment::serves(plan.call, elements.buffers)) {
    comm.staging_bytes = std::max(comm.staging_bytes, elements.copied);
    const int code = comm.hidden().memory().segment()->run(plan.call, elements, copies_of(plan));
    const bool is_predicted = comm.keeps_log() && !plan.is_one_copy;
    note_planned(
        comm,
        {operation, elements.bytes, comm.hidden().memory().name_of(plan), kWhyThroughMemory,
         is_predicted ? select::predict_shared_memory(comm.plans().group()->machine(), plan.call)
                      : std::nullopt},
        begin);
    return code;
  }
  if (plan.over_memory != nullptr) {
    comm.staging_bytes = std::max(comm.staging_bytes, elements.copied);
    const int code = comm.hidden().memory().node_level().run(plan, elements);
    comm.hidden().executor().note_left_messages(
        comm.hidden().memory().node_level().left_messages());
    note_planned(comm, {operation, elements.bytes, plan.name, plan.why, plan.predicted}, begin);
    return code;
  }
  const std::uint64_t scratch_units = plan.prepared.program.scratch_units;
  ElementMemory scratch(elements.buffers.layout,
                        scratch_units / elements.buffers.units_per_element);
  elements.buffers.base[static_cast<std::size_t>(schedule::Buffer::Scratch)] = scratch.address();
  comm.staging_bytes = std::max(comm.staging_bytes, scratch.size() + elements.copied);
  elements.program = &plan.prepared;
  const int code = run_traced(comm, plan, elements);
  note_planned(comm, {operation, elements.bytes, plan.name, plan.why, plan.predicted}, begin);
  leave_if_failed(comm, code, scratch);
  return code;
}

int run(Communicator& comm, const CachedPlan& plan, Operation operation, Elements& elements,
        Staged& staged) {
  const int loaded = staged.load();
  for (const ElementMemory& one : staged.memory) elements.copied += one.size();
  const int ran = run(comm, plan, operation, elements);
  for (ElementMemory& one : staged.memory) leave_if_failed(comm, ran, one);
  const int code = loaded != MPI_SUCCESS ? loaded : ran;
  return code == MPI_SUCCESS && staged.end ? staged.end() : code;
}

void note_planned(Communicator& comm, const Ran& ran, double begin) {
  ++comm.counts.planned[static_cast<std::size_t>(ran.operation)];
  if (!comm.keeps_log()) return;
  const double predicted = ran.predicted ? to_microseconds(*ran.predicted) : -1;
  comm.log.add({comm.name(), ran.operation, select::size_class(Bytes{ran.bytes}),
                std::string(ran.plan), std::string(ran.why), 1, predicted,
                (seconds_now() - begin) * 1e6});
}

}  // namespace espalier::mpi

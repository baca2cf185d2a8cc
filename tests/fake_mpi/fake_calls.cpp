#include "fake_mpi/fake_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/block_header.hpp"
#include "select/candidates.hpp"

namespace espalier::fake {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;

namespace {

constexpr std::int64_t kUnwritten = -987654321;

mpi::Layout number_layout() { return {MPI_INT64_T, 8, 8, 0, 8, true}; }

struct ProgramRun : RankRun {
  explicit ProgramRun(mpi::Channel& channel) : execution(channel) {}
  bool step() override { return execution.step(); }
  [[nodiscard]] bool is_done() const override { return execution.is_done(); }
  [[nodiscard]] int code() const override { return execution.code(); }
  mpi::Execution execution;
};

FakeCall along_some_plan(Collective call, const collective::Hierarchy& hierarchy, Random& rng) {
  const auto all = select::candidates(hierarchy, call);
  const auto& chosen = all[rng.below(all.size())];
  std::vector<schedule::Program> programs;
  for (Rank r = 0; r < call.size; ++r) programs.push_back(chosen.program_of(r));
  const std::string name = fmt::format("{} {}", schedule::name_of(call.operation), chosen.name);
  FakeCall made(std::move(call), std::move(programs), rng);
  made.set_name(name);
  return made;
}

}  // namespace

FakeCall::FakeCall(Collective call, std::vector<schedule::Program> programs, Random& rng)
    : call_(std::move(call)), in_(call_.size), out_(call_.size), scratch_(call_.size) {
  elements_.resize(call_.size);
  payloads_.resize(call_.size);
  for (Rank r = 0; r < call_.size; ++r) {
    programs_.push_back(
        runtime::prepare(std::move(programs[r]), [](Rank) { return runtime::PeerLink{}; }));
    std::uint64_t in = units_in(call_, r), out = units_out(call_, r);
    if (call_.irregular()) {
      in = out = 0;
      for (Rank s = 0; s < call_.size; ++s) in += call_.counts[r * call_.size + s];
      for (Rank s = 0; s < call_.size; ++s) out += call_.counts[s * call_.size + r];
    }
    in_[r].resize(in);
    for (std::int64_t& number : in_[r]) number = static_cast<std::int64_t>(rng.below(1000));
    out_[r].assign(out, kUnwritten);
    scratch_[r].assign(programs_[r].program.scratch_units, kUnwritten);
  }
  if (call_.operation == Operation::Broadcast) {
    for (std::int64_t& number : out_[call_.root]) number = static_cast<std::int64_t>(rng.below(99));
  }
}

mpi::BlockBuffers FakeCall::block_buffers(Rank rank) {
  mpi::BlockBuffers buffers;
  std::uint64_t sent = 0, received = 0;
  for (Rank other = 0; other < call_.size; ++other) {
    const std::uint64_t out = call_.counts[rank * call_.size + other];
    const std::uint64_t in = call_.counts[other * call_.size + rank];
    buffers.in.push_back({reinterpret_cast<const std::byte*>(in_[rank].data() + sent), 8 * out});
    buffers.out.push_back({reinterpret_cast<std::byte*>(out_[rank].data() + received), 8 * in});
    sent += out;
    received += in;
  }
  return buffers;
}

std::uint64_t FakeCall::longest_message() const {
  std::uint64_t units = 0, block = 1;
  for (const runtime::PreparedProgram& program : programs_) {
    for (const runtime::Message& message : program.messages) {
      units = std::max(units, program.program.units(message.region));
    }
  }
  for (const std::uint64_t count : call_.counts) block = std::max(block, count);
  return units * (8 * block + (call_.irregular() ? runtime::kMaxEntryBytes : 0));
}

std::unique_ptr<mpi::Payload> FakeCall::payload(mpi::Channel& channel, std::uint64_t number) {
  const Rank rank = channel.rank();
  if (call_.irregular()) {
    return std::make_unique<mpi::BlockPayload>(programs_[rank], block_buffers(rank),
                                               channel.self());
  }
  mpi::ElementCall& mine = elements_[rank];
  mine.program = &programs_[rank];
  mine.buffers.layout = number_layout();
  mine.buffers.base = {reinterpret_cast<std::byte*>(in_[rank].data()),
                       reinterpret_cast<std::byte*>(out_[rank].data()),
                       reinterpret_cast<std::byte*>(scratch_[rank].data())};
  mine.reduction = {MPI_SUM, true};
  auto made = std::make_unique<mpi::ElementPayload>(channel);
  made->take(mine, number);
  return made;
}

std::unique_ptr<RankRun> FakeCall::begin(mpi::Channel& channel) {
  const Rank rank = channel.rank();
  const std::uint64_t number = channel.take_number();
  payloads_[rank] = payload(channel, number);
  auto run = std::make_unique<ProgramRun>(channel);
  run->execution.begin(programs_[rank], *payloads_[rank], number, 5);
  return run;
}

std::unique_ptr<mpi::PendingCall> FakeCall::pending(mpi::Channel& channel,
                                                    std::uint64_t signature) {
  auto made = std::make_unique<mpi::PendingCall>(channel);
  auto plan = std::make_shared<runtime::CachedPlan>();
  plan->prepared = programs_[channel.rank()];
  plan->signature = signature;
  made->plan = std::move(plan);
  made->payload = payload(channel, channel.calls());
  return made;
}

FakeCall::Numbers FakeCall::expected(Rank rank) const {
  const Rank p = call_.size;
  const std::uint64_t n = call_.count;
  Numbers result;
  const auto sum_up_to = [&](Rank ranks, std::uint64_t from) {
    for (std::uint64_t i = 0; i < n; ++i) {
      std::int64_t sum = 0;
      for (Rank r = 0; r < ranks; ++r) sum += in_[r][from + i];
      result.push_back(sum);
    }
  };
  const auto append = [&](const Numbers& from, std::uint64_t at, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) result.push_back(from[at + i]);
  };
  switch (call_.operation) {
    case Operation::Broadcast:
      return out_[call_.root];
    case Operation::Reduce:
    case Operation::Allreduce:
      sum_up_to(p, 0);
      break;
    case Operation::ReduceScatter:
      sum_up_to(p, rank * n);
      break;
    case Operation::Scan:
      sum_up_to(rank + 1, 0);
      break;
    case Operation::Exscan:
      sum_up_to(rank, 0);
      break;
    case Operation::Gather:
    case Operation::Allgather:
      for (Rank r = 0; r < p; ++r) append(in_[r], 0, n);
      break;
    case Operation::Scatter:
      append(in_[call_.root], rank * n, n);
      break;
    case Operation::Alltoall:
      for (Rank r = 0; r < p; ++r) {
        std::uint64_t at = rank * n, count = n;
        if (call_.irregular()) {
          at = 0;
          for (Rank s = 0; s < rank; ++s) at += call_.counts[r * p + s];
          count = call_.counts[r * p + rank];
        }
        append(in_[r], at, count);
      }
      break;
    default:
      break;
  }
  return result;
}

std::string FakeCall::wrong(Rank rank) const {
  const bool is_rooted =
      call_.operation == Operation::Reduce || call_.operation == Operation::Gather;
  const bool has_none = (is_rooted && rank != call_.root) ||
                        (call_.operation == Operation::Exscan && rank == 0) ||
                        call_.operation == Operation::Barrier;
  if (has_none) return {};
  const Numbers wanted = expected(rank);
  if (wanted.size() != out_[rank].size()) return "a buffer of another size";
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (out_[rank][i] != wanted[i]) {
      return fmt::format("rank {}, number {}: {} instead of {}", rank, i, out_[rank][i], wanted[i]);
    }
  }
  return {};
}

FakeCall random_call(const collective::Hierarchy& hierarchy, Random& rng,
                     std::uint64_t most_elements) {
  const auto operation = static_cast<Operation>(rng.below(schedule::kOperationCount));
  return random_call_of(operation, hierarchy, rng, most_elements);
}

FakeCall random_call_of(Operation operation, const collective::Hierarchy& hierarchy, Random& rng,
                        std::uint64_t most_elements) {
  Collective call;
  call.operation = operation;
  call.size = hierarchy.machine().size();
  if (has_root(call.operation)) call.root = static_cast<Rank>(rng.below(call.size));
  call.count = call.operation == Operation::Barrier ? 0 : rng.below(most_elements + 1);
  call.element = Bytes{8};
  return along_some_plan(std::move(call), hierarchy, rng);
}

FakeCall random_blocks(const collective::Hierarchy& hierarchy, Random& rng,
                       std::uint64_t most_elements) {
  Collective call;
  call.operation = Operation::Alltoall;
  call.size = hierarchy.machine().size();
  call.element = Bytes{8};
  call.counts.resize(std::size_t{call.size} * call.size);
  for (std::uint64_t& count : call.counts) {
    count = rng.chance(30) ? 0 : rng.below(most_elements + 1);
  }
  return along_some_plan(std::move(call), hierarchy, rng);
}

}  // namespace espalier::fake

#include "cli/call_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "cli/options.hpp"
#include "cli/rank_list.hpp"
#include "schedule/longest_block.hpp"
#include "schedule/operation_names.hpp"

namespace espalier::cli {
namespace {

using schedule::Collective;
using schedule::Operation;

Error at(std::string where, Error error) {
  if (error.where.empty()) error.where = std::move(where);
  return error;
}

Expected<Operation> operation_from(const std::string& text) {
  if (const auto operation = schedule::operation_called(text)) return *operation;
  if (is_irregular(text)) {
    return Error{"OPERATION",
                 fmt::format("{} needs the lengths of its blocks", schedule::usual_name(text)),
                 "give --counts: equal, uniform, powerlaw, or a file"};
  }
  return Error{"OPERATION", fmt::format("there is no operation \"{:.60}\"", text),
               operations_hint(text)};
}

/// Options that mean nothing to this operation are refused, not passed over.
std::optional<Error> without_effect(const CallOptions& options, Operation operation) {
  const auto refuse = [&](const char* option, const char* why) {
    return Error{option, fmt::format("{} {}", name_of(operation), why), "leave it out"};
  };
  if (!options.root.empty() && !has_root(operation)) return refuse("--root", "has no root");
  if (!options.size.empty() && operation == Operation::Barrier) {
    return refuse("--size", "carries no data");
  }
  if (!options.element.empty() && !reduces(operation)) {
    return refuse("--element", "combines nothing");
  }
  if (options.ordered && !reduces(operation)) return refuse("--ordered", "combines nothing");
  return std::nullopt;
}

}  // namespace

bool is_irregular(const std::string& operation) {
  const std::string name = schedule::usual_name(operation);
  return name == "scatterv" || name == "gatherv" || name == "allgatherv" || name == "alltoallv";
}

std::string operations_hint(const std::string& word, bool with_irregular) {
  std::vector<std::string> known;
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    known.emplace_back(name_of(static_cast<Operation>(o)));
  }
  if (with_irregular) {
    known.insert(known.end(), {"scatterv", "gatherv", "allgatherv", "alltoallv"});
  }
  return fmt::format("{}the operations are: {}", did_you_mean(schedule::usual_name(word), known),
                     fmt::join(known, ", "));
}

namespace {

/// Who has entered a barrier is remembered for each message, a bit for each rank. With so many
/// ranks 262,144 messages take some 270 MB.
constexpr std::uint64_t kBarrierRanks = 4096;

}  // namespace

std::uint64_t verified_messages(Operation operation) {
  // What a partial result holds is remembered rank by rank.
  return std::uint64_t{1} << (reduces(operation) ? 17U : 18U);
}

bool is_verified(const schedule::Collective& call, std::uint64_t messages) {
  if (call.size <= kAlwaysVerifiedUpTo) return true;
  if (call.operation == Operation::Barrier) {
    return messages * call.size <= verified_messages(call.operation) * kBarrierRanks;
  }
  const bool has_pairs =
      call.operation == Operation::Alltoall || call.operation == Operation::ReduceScatter;
  const std::uint64_t blocks = has_pairs ? std::uint64_t{call.size} * call.size : 0;
  return std::max(messages, blocks) <= verified_messages(call.operation);
}

bool is_verified(const schedule::Schedule& schedule) {
  std::uint64_t messages = 0;
  for (const schedule::Program& program : schedule.programs) {
    messages += static_cast<std::uint64_t>(
        std::count_if(program.ops.begin(), program.ops.end(),
                      [](const schedule::Op& op) { return op.kind == schedule::OpKind::Send; }));
  }
  return is_verified(schedule.call, messages);
}

std::string not_verified(Operation operation) {
  if (operation == Operation::Barrier) {
    return fmt::format(
        "not verified: above {} ranks that is done for up to {} messages times ranks",
        kAlwaysVerifiedUpTo, verified_messages(operation) * kBarrierRanks);
  }
  return fmt::format("not verified: above {} ranks that is done for up to {} messages",
                     kAlwaysVerifiedUpTo, verified_messages(operation));
}

void declare(App& app, CallOptions& options, bool required) {
  app.add_option("OPERATION", options.operation,
                 "broadcast, reduce, allreduce, barrier, gather, scatter, allgather, alltoall, "
                 "reduce-scatter, scan or exscan; with --counts scatterv, gatherv, allgatherv or "
                 "alltoallv. MPI's names do too: MPI_Bcast, bcast.")
      .required(required);
  app.add_option("-m,--machine", options.machine, "The machine: see MACHINES.")
      .type_name("MACHINE");
  app.add_option("-r,--root", options.root,
                 "Of operations with a root, or its place: Lyon, Lyon.n1.0. Default: 0.")
      .type_name("RANK");
  app.add_option("-s,--size", options.size, "Of the message or block. Default: 1KiB.")
      .type_name("BYTES");
  app.add_option("--element", options.element, "Of reductions. Default: 8.").type_name("BYTES");
  app.add_flag("--ordered", options.ordered,
               "The reduction does not commute: ranks are combined in order.");
}

std::optional<Error> why_no_operation(const std::string& word) {
  const auto operation = operation_from(word);
  return operation ? std::nullopt : std::optional(operation.error());
}

Expected<Collective> call_from(const CallOptions& options, const topology::Machine& machine) {
  const Rank ranks = machine.size();
  auto operation = operation_from(options.operation);
  if (!operation) return operation.error();
  if (auto wrong = without_effect(options, *operation)) return *std::move(wrong);
  auto root = rank_or_place(given_or(options.root, kUsualRoot), machine);
  if (!root) return at("--root", root.error());
  auto size = parse_bytes(given_or(options.size, kUsualSize));
  if (!size) return at("--size", size.error());
  auto element = parse_bytes(given_or(options.element, "8"));
  if (!element) return at("--element", element.error());
  if (element->value == 0) {
    return Error{"--element", "an element of 0 B holds nothing", "give at least 1"};
  }
  if (!reduces(*operation)) element = Bytes{1};
  if (*operation == Operation::Barrier) size = Bytes{0};
  if (const std::uint64_t most = longest_block(*operation, ranks); size->value > most) {
    return Error{
        "--size",
        fmt::format("{} among {} ranks are too many bytes to count", to_string(*size), ranks),
        fmt::format("give at most {}", to_string(Bytes{most}))};
  }
  if (size->value % element->value != 0) {
    return Error{"--size",
                 fmt::format("{} is not a whole number of elements of {}", to_string(*size),
                             to_string(*element)),
                 "give a multiple of --element"};
  }
  if (size->value == 0 && *operation != Operation::Barrier) {
    return Error{"--size", "of 0 B nothing has to move",
                 fmt::format("give at least {}", to_string(*element))};
  }
  return Collective{*operation,       ranks, *root, size->value / element->value, *element,
                    !options.ordered, {}};
}

}  // namespace espalier::cli

#include "cli/call_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "cli/options.hpp"
#include "cli/rank_list.hpp"

namespace espalier::cli {
namespace {

using schedule::Collective;
using schedule::Operation;

Error at(std::string where, Error error) {
  if (error.where.empty()) error.where = std::move(where);
  return error;
}

Expected<Operation> operation_from(const std::string& text) {
  if (const auto operation = schedule::operation_named(text)) return *operation;
  if (text.ends_with('v') && schedule::operation_named(text.substr(0, text.size() - 1))) {
    return Error{"OPERATION", fmt::format("{} needs the lengths of its blocks", text),
                 "give --counts to espalier plan: --counts uniform, or a file"};
  }
  return Error{"OPERATION", fmt::format("there is no operation \"{}\"", text),
               operations_hint(text)};
}

/// "MPI_Bcast" and "bcast" are a broadcast.
std::string without_mpi(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(c));
  });
  if (word.starts_with("mpi-")) word.erase(0, 4);
  return word == "bcast" ? "broadcast" : word;
}

}  // namespace

std::string operations_hint(const std::string& word) {
  std::vector<std::string> known;
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    known.emplace_back(name_of(static_cast<Operation>(o)));
  }
  return fmt::format("{}the operations are: {}", did_you_mean(without_mpi(word), known),
                     fmt::join(known, ", "));
}

void declare(App& app, CallOptions& options, bool required) {
  app.add_option("OPERATION", options.operation,
                 "broadcast, reduce, allreduce, barrier, gather, scatter, allgather, "
                 "alltoall, reduce-scatter, scan or exscan.")
      .required(required);
  app.add_option("-m,--machine", options.machine, "The machine: see MACHINES.")
      .type_name("MACHINE");
  app.add_option("-r,--root", options.root, "Of operations with a root. Default: 0.")
      .type_name("RANK");
  app.add_option("-s,--size", options.size, "Of the message or block. Default: 1KiB.")
      .type_name("BYTES");
  app.add_option("--element", options.element, "Of reductions. Default: 8.").type_name("BYTES");
  app.add_flag("--ordered", options.ordered,
               "The reduction does not commute: ranks are combined in order.");
}

Expected<Collective> call_from(const CallOptions& options, Rank ranks) {
  auto operation = operation_from(options.operation);
  if (!operation) return operation.error();
  auto root = parse_rank(options.root, ranks);
  if (!root) return at("--root", root.error());
  auto size = parse_bytes(options.size);
  if (!size) return at("--size", size.error());
  auto element = parse_bytes(options.element);
  if (!element) return at("--element", element.error());
  const bool reduces = *operation == Operation::Reduce || *operation == Operation::Allreduce ||
                       *operation == Operation::ReduceScatter || *operation == Operation::Scan ||
                       *operation == Operation::Exscan;
  if (!reduces) element = Bytes{1};
  if (*operation == Operation::Barrier) size = Bytes{0};
  if (element->value == 0 || size->value % element->value != 0) {
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

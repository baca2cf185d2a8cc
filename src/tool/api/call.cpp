#include "api/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "schedule/longest_block.hpp"
#include "schedule/operation_names.hpp"

namespace espalier {

static_assert(static_cast<int>(Operation::Exscan) + 1 == schedule::kOperationCount);
static_assert(static_cast<int>(Operation::ReduceScatter) ==
              static_cast<int>(schedule::Operation::ReduceScatter));

std::string_view name_of(Operation operation) {
  return schedule::name_of(static_cast<schedule::Operation>(operation));
}

std::optional<Operation> operation_named(std::string_view name) {
  const auto found = schedule::operation_called(name);
  if (!found) return std::nullopt;
  return static_cast<Operation>(*found);
}

namespace api {
namespace {

bool has_root(Operation operation) {
  return operation == Operation::Broadcast || operation == Operation::Reduce ||
         operation == Operation::Gather || operation == Operation::Scatter;
}

bool has_counts(Operation operation) {
  return operation == Operation::Gather || operation == Operation::Scatter ||
         operation == Operation::Allgather || operation == Operation::Alltoall ||
         operation == Operation::ReduceScatter;
}

std::optional<Error> check_counts(const Call& call, Rank ranks) {
  if (call.counts.empty()) return std::nullopt;
  if (!has_counts(call.operation)) {
    return Error{
        "counts",
        fmt::format("{} has no blocks of unequal lengths", espalier::name_of(call.operation)),
        "leave counts empty, and give count"};
  }
  const std::uint64_t pairs = std::uint64_t{ranks} * ranks;
  const std::uint64_t wanted = call.operation == Operation::Alltoall ? pairs : ranks;
  if (call.counts.size() == wanted) return std::nullopt;
  return Error{"counts",
               fmt::format("there are {}, but {} among {} ranks has {} blocks", call.counts.size(),
                           espalier::name_of(call.operation), ranks, wanted),
               "give one for each block"};
}

std::optional<Error> check_lengths(const Call& call, Rank ranks) {
  if (call.element.value == 0) {
    return Error{"element", "elements of 0 bytes", "give the size of one element"};
  }
  std::uint64_t longest = call.count;
  for (const std::uint64_t count : call.counts) longest = std::max(longest, count);
  const auto operation = static_cast<schedule::Operation>(call.operation);
  if (longest <= longest_block(operation, ranks) / call.element.value) return std::nullopt;
  return Error{"count",
               fmt::format("{} elements of {} bytes among {} ranks are too many to count", longest,
                           call.element.value, ranks),
               "take shorter messages"};
}

}  // namespace

Expected<schedule::Collective> inside_of(const Call& call, Rank ranks) {
  if (has_root(call.operation)) {
    if (auto wrong = check_rank(call.root, ranks, "root")) return *wrong;
  }
  if (auto wrong = check_counts(call, ranks)) return *wrong;
  if (auto wrong = check_lengths(call, ranks)) return *wrong;
  schedule::Collective inside{static_cast<schedule::Operation>(call.operation),
                              ranks,
                              has_root(call.operation) ? call.root : 0,
                              call.operation == Operation::Barrier ? 0 : call.count,
                              call.element,
                              call.commutative,
                              call.counts};
  if (inside.irregular()) inside.count = 0;
  return inside;
}

Call outside_of(const schedule::Collective& call) {
  return {static_cast<Operation>(call.operation),
          call.root,
          call.count,
          call.element,
          call.commutative,
          call.counts};
}

std::optional<Error> check_rank(Rank rank, Rank size, const std::string& where) {
  if (rank < size) return std::nullopt;
  return Error{where, fmt::format("there is no rank {}; the machine has {} processes", rank, size),
               fmt::format("ranks are 0 to {}", size - 1)};
}

std::optional<Error> check_ranks(std::span<const Rank> ranks, Rank size, const std::string& where) {
  std::vector<bool> seen(size, false);
  for (const Rank rank : ranks) {
    if (auto wrong = check_rank(rank, size, where)) return wrong;
    if (seen[rank]) {
      return Error{where, fmt::format("rank {} is named twice", rank), "name each rank once"};
    }
    seen[rank] = true;
  }
  return std::nullopt;
}

}  // namespace api
}  // namespace espalier

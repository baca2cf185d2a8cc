#include "choice_check/random_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/random.hpp"
#include "topology/readers.hpp"

namespace espalier::choice_check {
namespace {

using schedule::Collective;
using schedule::Operation;

constexpr Rank kMostRanks = 40;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;

template <std::size_t N>
const char* one_of(Random& rng, const char* const (&words)[N]) {
  return words[rng.below(N)];
}

/// A machine of one to three levels as one line of text.
std::string machine_text(Random& rng) {
  const auto levels = 1 + rng.below(3);
  std::string text;
  Rank clusters = 1;
  for (std::uint64_t l = 0; l < levels; ++l) {
    const char* const outer[] = {"200us", "1ms", "2ms", "10ms", "30ms"};
    const char* const middle[] = {"5us", "50us", "300us", "2ms"};
    const char* const inner[] = {"1us", "2us", "5us", "50us"};
    const char* latency = l == 0   ? one_of(rng, outer)
                          : l == 1 ? one_of(rng, middle)
                                   : one_of(rng, inner);
    const char* const rates[] = {"10Mbit/s", "50Mbit/s", "100Mbit/s", "1Gbit/s", "10Gbit/s"};
    const char* const costs[] = {"", "", ",send=1us,recv=1us", ",send=5us,recv=3us"};
    std::string figures = fmt::format("{},{}", latency, one_of(rng, rates));
    if (rng.chance(30)) figures += fmt::format(",backbone={}", one_of(rng, rates));
    if (l + 1 == levels) figures += one_of(rng, costs);
    std::string widths;
    Rank next = 0;
    const Rank width = static_cast<Rank>(2 + rng.below(5));
    const bool unequal = clusters > 1 && rng.chance(40);
    for (Rank c = 0; c < (unequal ? clusters : 1); ++c) {
      const Rank here = unequal ? static_cast<Rank>(1 + rng.below(6)) : width;
      widths += fmt::format("{}{}", widths.empty() ? "" : "|", here);
      next += here;
    }
    clusters = unequal ? next : clusters * width;
    text += fmt::format("{}l{}:{}({})", text.empty() ? "" : " ", l, widths, figures);
  }
  if (rng.chance(30)) text += " placement=cyclic";
  return text;
}

Collective random_call(Random& rng, Rank size) {
  const auto operation = static_cast<Operation>(rng.below(schedule::kOperationCount));
  const bool blocks = operation == Operation::Allgather || operation == Operation::Alltoall ||
                      operation == Operation::Gather || operation == Operation::Scatter ||
                      operation == Operation::ReduceScatter;
  const std::uint64_t most = blocks ? kMostBytes / 8 : kMostBytes;
  std::uint64_t bytes = std::uint64_t{8} << rng.below(18);
  bytes = std::min(most, bytes + rng.below(bytes));
  const bool reduces_them = reduces(operation);
  const Bytes element{reduces_them ? 8U : 1U};
  return {operation,
          size,
          has_root(operation) ? static_cast<Rank>(rng.below(size)) : 0,
          operation == Operation::Barrier ? 0 : std::max<std::uint64_t>(1, bytes / element.value),
          element,
          true,
          {}};
}

}  // namespace

RandomCase random_case(std::uint64_t seed) {
  Random rng(seed);
  std::string text;
  std::optional<topology::Machine> machine;
  while (!machine || machine->size() < 2 || machine->size() > kMostRanks) {
    text = machine_text(rng);
    machine = *topology::parse_synthetic(text);
  }
  Collective call = random_call(rng, machine->size());
  return {std::move(text), *std::move(machine), std::move(call)};
}

}  // namespace espalier::choice_check

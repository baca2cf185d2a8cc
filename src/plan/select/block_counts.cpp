#include "select/block_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <system_error>

#include "base/file.hpp"
#include "base/random.hpp"

namespace espalier::select {
namespace {

using Counts = std::vector<std::uint64_t>;
using Wide = unsigned __int128;

/// About `total` dealt out by weight, nobody getting nothing who has a weight.
Counts by_weight(const std::vector<std::uint64_t>& weights, std::uint64_t total) {
  Wide sum = 0;
  for (const std::uint64_t w : weights) sum += w;
  Counts counts(weights.size(), 0);
  for (std::size_t r = 0; r < weights.size(); ++r) {
    if (weights[r] == 0) continue;
    counts[r] =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(Wide{total} * weights[r] / sum));
  }
  return counts;
}

std::vector<std::uint64_t> weights_of(const std::string& name, const topology::Machine& machine,
                                      Random& rng) {
  const Rank size = machine.size();
  std::vector<std::uint64_t> weights(size, 1000);
  if (name == "cpu-speed") {
    for (Rank r = 0; r < size; ++r) weights[r] = machine.costs(r).speed_millionths;
  } else if (name == "uniform") {
    for (std::uint64_t& w : weights) w = 1 + rng.below(1'000'000);
  } else if (name == "giant") {
    weights[rng.below(size)] = 9000ULL * size;
  } else if (name == "powerlaw") {
    std::vector<Rank> order(size);
    std::iota(order.begin(), order.end(), Rank{0});
    rng.shuffle(std::span(order));
    for (Rank k = 0; k < size; ++k) weights[order[k]] = 1'000'000'000 / (k + 1);
  } else if (name == "zeros") {
    for (std::uint64_t& w : weights) w = rng.chance(75) ? 0 : 1000;
    if (std::all_of(weights.begin(), weights.end(), [](auto w) { return w == 0; })) {
      weights[0] = 1000;
    }
  }
  return weights;
}

Expected<Counts> read_counts(const std::string& path, std::size_t size) {
  const auto text = read_named_file(path, {.takes_pipes = true});
  std::error_code ignored;
  if (!text && (path == "-" || std::filesystem::exists(path, ignored))) return text.error();
  if (!text) {
    return Error{
        "--counts",
        fmt::format("\"{:.60}\" is neither a distribution nor a file that can be read", path),
        fmt::format("the distributions are: {}; lengths stand in a file, or come from "
                    "standard input: echo 10 20 30 | espalier ... --counts -",
                    fmt::join(count_distributions(), ", "))};
  }
  std::istringstream file(*text);
  Counts counts;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) {
      std::uint64_t count = 0;
      const char* end = word.data() + word.size();
      const auto [at, code] = std::from_chars(word.data(), end, count);
      constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
      if (code != std::errc() || at != end || count > kMost) {
        return Error{fmt::format("{}:{}", path == "-" ? "standard input" : path, number),
                     fmt::format("\"{:.60}\" is not a length", word),
                     "write whole numbers of bytes, up to 2^40, with blanks between them"};
      }
      counts.push_back(count);
    }
  }
  if (counts.size() == size) return counts;
  return Error{
      path, fmt::format("{} lengths, but there are {} blocks on this machine", counts.size(), size),
      "give one for each rank, of an alltoallv one for each pair"};
}

/// A distribution as written, or that of a file.
struct Asked {
  std::string name;  ///< distribution; empty: a file
  std::uint64_t seed = 1;
};
Expected<Asked> understand(const std::string& text) {
  const std::size_t colon = text.find(':');
  Asked asked{text.substr(0, colon), 1};
  const auto& known = count_distributions();
  if (std::find(known.begin(), known.end(), asked.name) == known.end()) return Asked{};
  if (colon == std::string::npos) return asked;
  if (asked.name == "equal" || asked.name == "cpu-speed") {
    return Error{"--counts", fmt::format("{} draws nothing, so it has no seed", asked.name),
                 fmt::format("write {} alone", asked.name)};
  }
  const char* end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data() + colon + 1, end, asked.seed);
  if (code == std::errc() && at == end) return asked;
  return Error{"--counts", fmt::format("\"{}\" is not a seed", text.substr(colon + 1)),
               fmt::format("write {}:7, say", asked.name)};
}

Counts drawn(const Asked& asked, const topology::Machine& machine, Bytes mean) {
  Random rng(asked.seed);
  if (mean.value == 0) return Counts(machine.size(), 0);
  return by_weight(weights_of(asked.name, machine, rng), mean.value * machine.size());
}

}  // namespace

const std::vector<std::string>& count_distributions() {
  static const std::vector<std::string> kAll{"equal", "cpu-speed", "uniform",
                                             "giant", "powerlaw",  "zeros"};
  return kAll;
}

Expected<Counts> counts_from(const std::string& text, const topology::Machine& machine,
                             Bytes mean) {
  const Expected<Asked> asked = understand(text);
  if (!asked) return asked.error();
  if (asked->name.empty()) return read_counts(text, machine.size());
  return drawn(*asked, machine, mean);
}

Expected<Counts> pair_counts_from(const std::string& text, const topology::Machine& machine,
                                  Bytes mean) {
  Expected<Asked> asked = understand(text);
  if (!asked) return asked.error();
  if (asked->name.empty()) {
    return read_counts(text, std::size_t{machine.size()} * machine.size());
  }
  Counts all;
  for (Rank from = 0; from < machine.size(); ++from, ++asked->seed) {
    const Counts row = drawn(*asked, machine, mean);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace espalier::select

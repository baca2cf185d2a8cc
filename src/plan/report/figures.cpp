#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/units.hpp"
#include "report/text.hpp"

namespace espalier::report {

using espalier::rounded;  // the overload for times

std::string rounded(Bandwidth rate) {
  if (rate.unlimited()) return "unlimited";
  const auto bits = static_cast<double>(rate.bits_per_second);
  if (bits >= 1e12) return fmt::format("{:.4g} Tbit/s", bits / 1e12);
  if (bits >= 1e9) return fmt::format("{:.4g} Gbit/s", bits / 1e9);
  if (bits >= 1e6) return fmt::format("{:.4g} Mbit/s", bits / 1e6);
  if (bits >= 1e3) return fmt::format("{:.4g} kbit/s", bits / 1e3);
  return fmt::format("{} bit/s", rate.bits_per_second);
}

namespace {

/// Whether to_string() has few digits, and no unit of powers of 1000.
bool is_short_in_binary(Bytes bytes) {
  const std::string exact = to_string(bytes);
  return bytes.value < 1000 ||
         (exact.ends_with("iB") && exact.size() <= std::string_view("1234 KiB").size());
}

std::string in_decimal(Bytes bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes.value);
  std::size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

}  // namespace

std::vector<std::string> rounded(std::span<const Bytes> all) {
  const bool is_binary = std::all_of(all.begin(), all.end(), is_short_in_binary);
  std::vector<std::string> words;
  for (const Bytes bytes : all) words.push_back(is_binary ? to_string(bytes) : in_decimal(bytes));
  return words;
}

namespace {

void add(std::string& sentence, const std::string& piece) {
  if (piece.empty()) return;
  if (!sentence.empty()) sentence += ", ";
  sentence += piece;
}

std::string cost_in_words(std::string_view what, const topology::Cost& cost) {
  if (cost == topology::Cost{}) return "";
  if (cost.rate.unlimited()) return fmt::format("{} {}", what, rounded(cost.fixed));
  if (cost.fixed == Time{}) return fmt::format("{} {}", what, rounded(cost.rate));
  return fmt::format("{} {} + {}", what, rounded(cost.fixed), rounded(cost.rate));
}

}  // namespace

std::string in_words(const topology::Channel& channel) {
  std::string words;
  if (channel.latency != Time{}) add(words, rounded(channel.latency));
  if (!channel.backbone.unlimited()) add(words, "backbone " + rounded(channel.backbone));
  if (!channel.flow_cap.unlimited()) add(words, rounded(channel.flow_cap) + " a flow");
  return words;
}

std::string in_words(const topology::Uplink& uplink) {
  std::string words;
  if (uplink.out == uplink.in) {
    if (!uplink.out.unlimited()) add(words, rounded(uplink.out));
    if (uplink.half_duplex) words += words.empty() ? "half duplex" : " half duplex";
  } else {
    if (!uplink.out.unlimited()) add(words, "out " + rounded(uplink.out));
    if (!uplink.in.unlimited()) add(words, "in " + rounded(uplink.in));
  }
  if (uplink.latency != Time{}) add(words, "+ " + rounded(uplink.latency));
  return words;
}

std::string in_words(const topology::NodeCosts& costs) {
  std::string words;
  add(words, cost_in_words("send", costs.send));
  add(words, cost_in_words("recv", costs.recv));
  if (!costs.reduce.unlimited()) add(words, "reduce " + rounded(costs.reduce));
  if (costs.speed_millionths != topology::NodeCosts{}.speed_millionths) {
    add(words, "speed " + millionths_to_string(costs.speed_millionths));
  }
  return words;
}

std::string pairs_in_words(const topology::Machine& machine, const topology::Cluster& cluster) {
  const auto pairs = machine.pairs(cluster);
  if (pairs.empty()) return "";
  const auto [low, high] =
      std::minmax_element(pairs.begin(), pairs.end(),
                          [](const auto& a, const auto& b) { return a.latency < b.latency; });
  std::string words = counted(pairs.size(), "pair") + " " + rounded(low->latency);
  if (low->latency != high->latency) words += " to " + rounded(high->latency);
  return words;
}

}  // namespace espalier::report

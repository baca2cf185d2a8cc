#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "report/text.hpp"

namespace espalier::report {
namespace {

void add(std::string& sentence, const std::string& piece) {
  if (piece.empty()) return;
  if (!sentence.empty()) sentence += ", ";
  sentence += piece;
}

std::string cost_in_words(std::string_view what, const topology::Cost& cost) {
  if (cost == topology::Cost{}) return "";
  if (cost.rate.unlimited()) return fmt::format("{} {}", what, to_string(cost.fixed));
  if (cost.fixed == Time{}) return fmt::format("{} {}", what, to_string(cost.rate));
  return fmt::format("{} {} + {}", what, to_string(cost.fixed), to_string(cost.rate));
}

}  // namespace

std::string in_words(const topology::Channel& channel) {
  std::string words;
  if (channel.latency != Time{}) add(words, to_string(channel.latency));
  if (!channel.backbone.unlimited()) add(words, "backbone " + to_string(channel.backbone));
  if (!channel.flow_cap.unlimited()) add(words, to_string(channel.flow_cap) + " a flow");
  return words;
}

std::string in_words(const topology::Uplink& uplink) {
  std::string words;
  if (uplink.out == uplink.in) {
    if (!uplink.out.unlimited()) add(words, to_string(uplink.out));
    if (uplink.half_duplex) words += words.empty() ? "half duplex" : " half duplex";
  } else {
    if (!uplink.out.unlimited()) add(words, "out " + to_string(uplink.out));
    if (!uplink.in.unlimited()) add(words, "in " + to_string(uplink.in));
  }
  if (uplink.latency != Time{}) add(words, "+ " + to_string(uplink.latency));
  return words;
}

std::string in_words(const topology::NodeCosts& costs) {
  std::string words;
  add(words, cost_in_words("send", costs.send));
  add(words, cost_in_words("recv", costs.recv));
  if (!costs.reduce.unlimited()) add(words, "reduce " + to_string(costs.reduce));
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
  std::string words = counted(pairs.size(), "pair") + " " + to_string(low->latency);
  if (low->latency != high->latency) words += " to " + to_string(high->latency);
  return words;
}

}  // namespace espalier::report

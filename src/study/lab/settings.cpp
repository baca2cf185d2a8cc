#include "lab/settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace espalier::lab {
namespace {

/// "level0" where the channel has no name.
bool is_level(const topology::Machine& machine, std::uint32_t level, const std::string& name) {
  const topology::LevelName& known = machine.levels()[level];
  return (!name.empty() && name == known.channel) || name == fmt::format("level{}", level);
}

bool is_called(const LabLink& link, const std::string& name) {
  if (link.name == name) return true;
  const std::size_t colon = link.name.find(':');
  if (link.kind == LinkKind::Uplink) return link.name.substr(0, colon) == name;
  if (link.kind != LinkKind::Way) return false;
  const std::string way = link.name.substr(colon + 1);
  if (way == name) return true;
  const std::size_t both = name.find("<>");
  if (both == std::string::npos) return false;
  const std::string a = name.substr(0, both);
  const std::string b = name.substr(both + 2);
  return way == fmt::format("{}>{}", a, b) || way == fmt::format("{}>{}", b, a);
}

}  // namespace

bool Change::is_empty() const {
  return !latency && !bandwidth && !cut && !loss_ppm && !reorder_ppm && !jitter && !cross;
}

Expected<std::uint64_t> parse_millionths(const char* option, const std::string& text) {
  char* end = nullptr;
  double share = std::strtod(text.c_str(), &end);
  const bool has_number = end != text.c_str();
  if (*end == '%') {
    share /= 100;
    ++end;
  }
  if (!has_number || *end != '\0' || !(share >= 0 && share <= 1)) {
    return Error{option, fmt::format("\"{}\" is no share", text), "0.1% or 0.001"};
  }
  return static_cast<std::uint64_t>(std::llround(share * 1e6));
}

Expected<ChosenLinks> links_called(const topology::Machine& machine, const LabPlan& plan,
                                   const std::string& name) {
  ChosenLinks chosen;
  for (std::uint32_t l = 0; l < plan.links.size(); ++l) {
    const LabLink& link = plan.links[l];
    const bool of_level = is_level(machine, link.level, name);
    const bool itself = is_called(link, name);
    const bool is_way = link.kind == LinkKind::Way;
    if (itself || (of_level && is_way)) chosen.latency.push_back(l);
    if (itself || (of_level && link.kind == LinkKind::Uplink)) chosen.bandwidth.push_back(l);
    if (itself || (of_level && is_way)) chosen.cut.push_back(l);
  }
  if (!chosen.cut.empty()) return chosen;
  return Error{"lab", fmt::format("there is no link \"{}\"", name),
               "give a channel (wan), a part of the machine (anl), two of them (sdsc<>anl), or a "
               "link's whole name as espalier lab stats --all prints it"};
}

void apply(const Change& change, const ChosenLinks& chosen, std::span<LinkCell> cells) {
  if (change.latency) {
    for (const std::uint32_t l : chosen.latency) {
      cells[l].delay_ns = change.latency->picoseconds / 1000;
    }
  }
  if (change.bandwidth) {
    for (const std::uint32_t l : chosen.bandwidth) {
      cells[l].bits_per_second = change.bandwidth->bits_per_second;
    }
  }
  for (const std::uint32_t l : chosen.latency) {
    if (change.loss_ppm) cells[l].loss_ppm = *change.loss_ppm;
    if (change.reorder_ppm) cells[l].reorder_ppm = *change.reorder_ppm;
    if (change.jitter) cells[l].jitter_ns = change.jitter->picoseconds / 1000;
  }
  if (change.cross) {
    for (const std::uint32_t l : chosen.bandwidth) {
      cells[l].cross_bits_per_second = change.cross->bits_per_second;
    }
  }
  if (change.cut) {
    for (const std::uint32_t l : chosen.cut) cells[l].is_cut = *change.cut ? 1 : 0;
  }
}

}  // namespace espalier::lab

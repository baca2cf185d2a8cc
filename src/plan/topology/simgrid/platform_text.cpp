#include "topology/simgrid/platform_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::topology::simgrid {
namespace {

/// As SMPI reads it: from 0 bytes on, seconds and seconds a byte.
std::string cost_xml(const Cost& cost) {
  const double per_byte =
      cost.rate.unlimited() ? 0.0 : 8.0 / static_cast<double>(cost.rate.bits_per_second);
  return fmt::format("0:{}e-12:{:.17g}", cost.fixed.picoseconds, per_byte);
}

}  // namespace

std::string to_xml(Bandwidth rate) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  return rate.bits_per_second > kMost ? "1EBps" : fmt::format("{}bps", rate.bits_per_second);
}

std::string to_xml(Time time) { return fmt::format("{}ps", time.picoseconds); }

Pass reversed(const Pass& pass) {
  const std::string_view direction = pass.direction;
  return {pass.link, direction == "UP" ? "DOWN" : direction == "DOWN" ? "UP" : ""};
}

Passes join(Passes first, const Passes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool End::symmetrical() const {
  return std::equal(
      up.begin(), up.end(), down.rbegin(), down.rend(), [](const Pass& a, const Pass& b) {
        return a.link == b.link && reversed(a).direction == std::string_view(b.direction);
      });
}

PlatformText::PlatformText(const Machine& machine)
    : machine_(machine), names_(platform_names(machine)) {
  const auto placement = machine.placement();
  in_order_ = std::is_sorted(placement.begin(), placement.end());
}

void PlatformText::begin() {
  line(0,
       "<?xml version=\"1.0\"?>\n"
       "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
       "<platform version=\"4.1\">");
}

std::string PlatformText::end() {
  line(0, "</platform>");
  return std::move(out_);
}

void PlatformText::line(std::uint32_t depth, const std::string& text) {
  out_.append(2 * depth, ' ');
  out_ += text;
  out_ += '\n';
}

void PlatformText::host(std::uint32_t depth, Leaf leaf) {
  const NodeCosts& costs = machine_.leaf_costs(leaf);
  std::string props;
  const auto prop = [&](const char* id, const std::string& value) {
    props += fmt::format("<prop id=\"{}\" value=\"{}\"/>", id, value);
  };
  if (costs.send != Cost{}) {
    prop("smpi/os", cost_xml(costs.send));
    prop("smpi/ois", cost_xml(costs.send));  // of MPI_Isend
  }
  if (costs.recv != Cost{}) prop("smpi/or", cost_xml(costs.recv));
  if (!costs.reduce.unlimited()) prop("espalier/reduce", simgrid::to_xml(costs.reduce));
  if (!in_order_) prop("espalier/rank", fmt::format("{}", machine_.rank_at(leaf)));
  const std::uint64_t speed = std::max<std::uint64_t>(1, costs.speed_millionths);
  const std::string open = fmt::format("<host id=\"{}\" speed=\"{}kf\"", names_.hosts[leaf], speed);
  line(depth, props.empty() ? open + "/>" : open + ">" + props + "</host>");
}

void PlatformText::link(std::uint32_t depth, const std::string& id, Bandwidth rate, Time latency,
                        const char* policy) {
  line(depth, fmt::format("<link id=\"{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"{}\"/>",
                          id, simgrid::to_xml(rate), simgrid::to_xml(latency), policy));
}

void PlatformText::pipe(std::uint32_t depth, const std::string& id, Bandwidth rate, Time latency) {
  link(depth, id, rate, latency, rate.unlimited() ? "SHARED" : "FATPIPE");
}

void PlatformText::uplink(std::uint32_t depth, const std::string& id, const Uplink& uplink,
                          End& end) {
  if (uplink == Uplink{}) return;
  if (uplink.half_duplex) {
    link(depth, id, uplink.out, uplink.latency, "SHARED");
    end.up = end.down = {{id}};
  } else if (uplink.out == uplink.in) {
    link(depth, id, uplink.out, uplink.latency, "SPLITDUPLEX");
    end.up = {{id, "UP"}};
    end.down = {{id, "DOWN"}};
  } else {
    link(depth, id + "-out", uplink.out, uplink.latency, "SHARED");
    link(depth, id + "-in", uplink.in, uplink.latency, "SHARED");
    end.up = {{id + "-out"}};
    end.down = {{id + "-in"}};
  }
}

Passes PlatformText::backbone(std::uint32_t depth, ClusterId cluster) {
  const Bandwidth rate = machine_.clusters()[cluster].channel.backbone;
  if (rate.unlimited()) return {};
  const std::string id = zone_name(cluster) + "/backbone";
  link(depth, id, rate, Time{0}, "SHARED");
  return {{id}};
}

std::vector<Pass> PlatformText::pairs(std::uint32_t depth, ClusterId cluster) {
  std::vector<Pass> passes;
  for (const PairLink& pair : machine_.pairs(machine_.clusters()[cluster])) {
    const std::string id = fmt::format("{}/pair-{}-{}", zone_name(cluster), pair.a, pair.b);
    if (pair.capacity.unlimited()) {
      pipe(depth, id, kUnlimited, pair.latency);
      passes.push_back({id});
    } else {
      link(depth, id, pair.capacity, pair.latency, "SPLITDUPLEX");
      passes.push_back({id, "UP"});
    }
  }
  return passes;
}

void PlatformText::one_way(std::uint32_t depth, const End& from, const End& to,
                           const Passes& passes, bool symmetrical) {
  const bool zones = !from.gateway.empty();
  std::string text =
      fmt::format("<{} src=\"{}\" dst=\"{}\"", zones ? "zoneRoute" : "route", from.id, to.id);
  if (zones) text += fmt::format(" gw_src=\"{}\" gw_dst=\"{}\"", from.gateway, to.gateway);
  text += symmetrical ? ">" : " symmetrical=\"NO\">";
  for (const Pass& pass : passes) {
    text += fmt::format("<link_ctn id=\"{}\"", pass.link);
    if (*pass.direction != '\0') text += fmt::format(" direction=\"{}\"", pass.direction);
    text += "/>";
  }
  line(depth, text + (zones ? "</zoneRoute>" : "</route>"));
}

void PlatformText::both_ways(std::uint32_t depth, const End& a, const End& b,
                             const Passes& middle) {
  Passes back;
  for (auto pass = middle.rbegin(); pass != middle.rend(); ++pass) back.push_back(reversed(*pass));
  const bool symmetrical = a.symmetrical() && b.symmetrical();
  one_way(depth, a, b, join(join(a.up, middle), b.down), symmetrical);
  if (!symmetrical) one_way(depth, b, a, join(join(b.up, back), a.down), false);
}

}  // namespace espalier::topology::simgrid

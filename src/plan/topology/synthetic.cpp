#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "topology/machine_spec.hpp"
#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

constexpr std::string_view kHint =
    "write levels from the outside in, such as \"site:2(30ms,100Mbit/s) proc:16(5us)\"";

struct Refused {
  Error error;
};
[[noreturn]] void refuse(std::string what, std::string_view hint = kHint) {
  throw Refused{{"machine", std::move(what), std::string(hint)}};
}

/// One value for all elements of a level, or one for each.
template <typename T>
struct Values {
  std::vector<T> list;
  [[nodiscard]] bool given() const { return !list.empty(); }
  [[nodiscard]] bool varies() const { return list.size() > 1; }
  [[nodiscard]] const T& at(std::size_t element) const {
    return list.size() == 1 ? list.front() : list[element];
  }
};

struct LevelText {
  std::string member;
  std::string channel_name;
  Values<std::uint64_t> count;
  // of the cluster that the members are in
  Values<Time> latency;
  Values<Bandwidth> backbone, cap;
  // of each member
  Values<Bandwidth> out, in;
  Values<Time> hop;
  Values<std::string> duplex;
  Values<Cost> send, recv;
  Values<Bandwidth> reduce;
  Values<std::uint64_t> speed;
  std::vector<std::string> keys;  // those that are given

  [[nodiscard]] bool varies() const {
    return count.varies() || latency.varies() || backbone.varies() || cap.varies() ||
           out.varies() || in.varies() || hop.varies() || duplex.varies() || send.varies() ||
           recv.varies() || reduce.varies() || speed.varies();
  }
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::uint64_t whole_number(std::string_view text) {
  std::uint64_t n = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("\"{}\" is not a whole number", text.substr(0, 40)));
  }
  return n;
}

template <typename T>
T checked(Expected<T> value) {
  if (!value) refuse(value.error().what, value.error().hint);
  return *std::move(value);
}

/// "100us|300us*4" by `parse`; no longer than a machine can be.
template <typename T>
Values<T> list_of(std::string_view text, const std::function<T(std::string_view)>& parse) {
  Values<T> values;
  while (true) {
    const std::size_t bar = text.find('|');
    std::string_view item = trimmed(text.substr(0, bar));
    std::uint64_t times_of = 1;
    if (const std::size_t star = item.find('*'); star != std::string_view::npos) {
      times_of = whole_number(trimmed(item.substr(star + 1)));
      item = trimmed(item.substr(0, star));
    }
    if (times_of == 0 || times_of > kMaxProcesses - values.list.size()) {
      refuse(fmt::format("\"*{}\": a list of {} values", times_of, times_of),
             fmt::format("1us*3 stands for 1us|1us|1us; lists have 1 to {} values", kMaxProcesses));
    }
    values.list.insert(values.list.end(), times_of, parse(item));
    if (bar == std::string_view::npos) return values;
    text.remove_prefix(bar + 1);
  }
}

Values<Time> times_of(std::string_view text) {
  return list_of<Time>(text, [](std::string_view t) { return checked(parse_time(t)); });
}
Values<Bandwidth> bandwidths(std::string_view text) {
  return list_of<Bandwidth>(text, [](std::string_view t) { return checked(parse_bandwidth(t)); });
}
Values<std::string> words(std::string_view text) {
  return list_of<std::string>(text, [](std::string_view t) { return std::string(t); });
}
/// "20us", or "20us+1GB/s": a fixed cost and one for the bytes.
Values<Cost> cost_list(std::string_view text) {
  return list_of<Cost>(text, [](std::string_view t) {
    const std::size_t plus = t.find('+');
    Cost cost{checked(parse_time(t.substr(0, plus))), kUnlimited};
    if (plus != std::string_view::npos) cost.rate = checked(parse_bandwidth(t.substr(plus + 1)));
    return cost;
  });
}

/// Each figure is given once: "uplink" is both "out" and "in".
void note_key(LevelText& level, std::string_view key) {
  const std::vector<std::string> given = key == "uplink"
                                             ? std::vector<std::string>{"out", "in"}
                                             : std::vector<std::string>{std::string(key)};
  for (const std::string& one : given) {
    if (std::find(level.keys.begin(), level.keys.end(), one) != level.keys.end()) {
      refuse(fmt::format("level \"{:.40}\": two values for {}", level.member,
                         key == "uplink" ? "the bandwidth" : fmt::format("\"{:.40}\"", key)),
             "give one; one for each member is written 1us|2us|3us");
    }
    level.keys.push_back(one);
  }
}

void read_key(LevelText& level, std::string_view key, std::string_view value) {
  if (value.empty()) {
    refuse(fmt::format("level \"{:.40}\": \"{:.40}=\" has no value", level.member, key),
           "write one, or leave it out");
  }
  note_key(level, key);
  if (key == "name") {
    level.channel_name = std::string(value);
  } else if (key == "latency") {
    level.latency = times_of(value);
    for (Time& latency : level.latency.list) latency = std::max(latency, kLeastLatency);
  } else if (key == "backbone") {
    level.backbone = bandwidths(value);
  } else if (key == "cap") {
    level.cap = bandwidths(value);
  } else if (key == "uplink") {
    level.out = level.in = bandwidths(value);
  } else if (key == "out") {
    level.out = bandwidths(value);
  } else if (key == "in") {
    level.in = bandwidths(value);
  } else if (key == "hop") {
    level.hop = times_of(value);
  } else if (key == "duplex") {
    level.duplex = words(value);
  } else if (key == "send") {
    level.send = cost_list(value);
  } else if (key == "recv") {
    level.recv = cost_list(value);
  } else if (key == "reduce") {
    level.reduce = bandwidths(value);
  } else if (key == "speed") {
    level.speed = list_of<std::uint64_t>(
        value, [](std::string_view t) { return checked(parse_millionths(t)); });
  } else {
    const std::vector<std::string> known{"name",   "latency", "uplink",   "out", "in",
                                         "duplex", "hop",     "backbone", "cap", "send",
                                         "recv",   "reduce",  "speed"};
    refuse(fmt::format("unknown key \"{}\"", key.substr(0, 40)),
           fmt::format("{}known: {}", did_you_mean(key, known), fmt::join(known, " ")));
  }
}

void read_attribute(LevelText& level, std::string_view text) {
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    read_key(level, trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1)));
    return;
  }
  const std::string_view first = trimmed(text.substr(0, text.find_first_of("|*")));
  if (parse_time(first)) {
    read_key(level, "latency", text);
  } else if (parse_bandwidth(first)) {
    read_key(level, "uplink", text);
  } else {
    if (first.starts_with('-')) {
      refuse(fmt::format("\"{:.40}\" is negative", text), "times and bandwidths begin at 0");
    }
    const Error no_time = parse_time(first).error();
    const Error no_bandwidth = parse_bandwidth(first).error();
    // The unit is right, the number is not.
    for (const Error& wrong : {no_time, no_bandwidth}) {
      for (const char* what : {"of zero", "too large", "finer than"}) {
        if (wrong.what.find(what) != std::string::npos) refuse(wrong.what, wrong.hint);
      }
    }
    const bool meant_time = no_time.hint.starts_with("did you mean");
    const std::string& hint = meant_time ? no_time.hint : no_bandwidth.hint;
    const bool is_number =
        !first.empty() && first.find_first_not_of(".0123456789") == std::string_view::npos;
    refuse(
        fmt::format("\"{}\" is neither a time nor a bandwidth nor key=value", text.substr(0, 40)),
        is_number ? fmt::format("write its unit: {0}us, or {0}Gbit/s", first)
        : hint.starts_with("did you mean") ? hint
                                           : kHint);
  }
}

[[noreturn]] void refuse_count(std::string_view member, std::string_view count) {
  refuse(fmt::format("\"{:.40}:{:.40}\" is too many", member, count),
         fmt::format("a machine has at most {} processes", kMaxProcesses));
}

/// How many members a level has, of which people forget to write the number.
std::uint64_t count_of(std::string_view member, std::string_view text) {
  std::uint64_t n = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (!text.empty() && code == std::errc() && end == text.data() + text.size()) return n;
  if (code == std::errc::result_out_of_range) refuse_count(member, text);
  if (text.find(':') != std::string_view::npos) {
    refuse(fmt::format("\"{:.40}:{:.40}\": two levels and no blank between them", member, text),
           "levels stand apart, such as \"site:2 proc:4\"");
  }
  refuse(text.empty()
             ? fmt::format("level \"{:.40}\" has no count", member)
             : fmt::format("level \"{:.40}\": \"{:.40}\" is not a whole number", member, text),
         fmt::format("write how many there are, such as \"{:.40}:2\"", member));
}

LevelText read_level(std::string_view& rest) {
  const std::string_view whole = rest;
  LevelText level;
  std::size_t at = 0;
  while (at < rest.size() && is_word(rest[at])) ++at;
  level.member = std::string(rest.substr(0, at));
  if (level.member.empty() || at == rest.size() || rest[at] != ':') {
    refuse(fmt::format("expected a level such as \"node:4\" at \"{}\"", rest.substr(0, 30)));
  }
  rest.remove_prefix(at + 1);
  at = std::min(rest.find_first_of(" \t\r\n("), rest.size());
  level.count = list_of<std::uint64_t>(
      rest.substr(0, at), [&](std::string_view text) { return count_of(level.member, text); });
  rest = trimmed(rest.substr(at));
  if (!rest.starts_with('(')) return level;
  const std::size_t close = rest.find(')');
  if (close == std::string_view::npos) {
    refuse(fmt::format("the bracket after \"{}\" is never closed", level.member));
  }
  std::string_view attributes = rest.substr(1, close - 1);
  while (!trimmed(attributes).empty()) {
    const std::size_t comma = std::min(attributes.find(','), attributes.size());
    const std::string_view attribute = trimmed(attributes.substr(0, comma));
    if (attribute.empty()) {
      refuse(fmt::format("level \"{:.40}\": nothing stands between two commas", level.member));
    }
    read_attribute(level, attribute);
    attributes.remove_prefix(std::min(comma + 1, attributes.size()));
  }
  rest.remove_prefix(close + 1);
  if (!rest.empty() && std::string_view(" \t\r\n").find(rest.front()) == std::string_view::npos) {
    const std::string_view before = whole.substr(0, whole.size() - rest.size());
    refuse(fmt::format("no blank between \"{:.60}\" and \"{:.30}\"", before, rest),
           fmt::format("levels stand apart: \"{:.60} {:.30}\"", before, rest));
  }
  rest = trimmed(rest);
  return level;
}

/// What a list has one value for: each cluster that holds members of its level, or each member.
enum class Each : std::uint8_t { Cluster, Member };

/// Turns the levels into a tree. A level below which nothing varies is written once with its count.
class TreeOfLevels {
 public:
  explicit TreeOfLevels(std::vector<LevelText> levels)
      : levels_(std::move(levels)), parents_(levels_.size(), 0), members_(levels_.size(), 0) {
    varies_from_.assign(levels_.size() + 1, false);
    for (std::size_t l = levels_.size(); l-- > 0;) {
      varies_from_[l] = varies_from_[l + 1] || levels_[l].varies();
    }
  }

  MachineSpec build() {
    MachineSpec spec;
    spec.where = "machine";
    for (const LevelText& level : levels_) {
      spec.levels.push_back({{level.channel_name, level.member}, {}, {}});
    }
    fill(spec.whole, 0);
    for (std::size_t l = 0; l < levels_.size(); ++l) check_lengths(l);
    return spec;
  }

 private:
  /// Gives `cluster` its channel and its members, which are of level l.
  void fill(MemberSpec& cluster, std::size_t l) {
    const LevelText& level = levels_[l];
    const std::size_t parent = parents_[l]++;
    cluster.where = "machine";
    if (level.latency.given())
      cluster.channel.latency = pick(level.latency, parent, l, Each::Cluster);
    if (level.backbone.given())
      cluster.channel.backbone = pick(level.backbone, parent, l, Each::Cluster);
    if (level.cap.given()) cluster.channel.flow_cap = pick(level.cap, parent, l, Each::Cluster);
    const std::uint64_t count = pick(level.count, parent, l, Each::Cluster);
    if (count == 0) refuse(fmt::format("\"{}:0\": a count of 0", level.member));
    if (count > kMaxProcesses) refuse_count(level.member, std::to_string(count));
    if (!varies_from_[l]) {
      cluster.members.push_back(member(l, count, 0));
      members_[l] += count;
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) cluster.members.push_back(member(l, 1, i));
  }

  MemberSpec member(std::size_t l, std::uint64_t count, std::uint64_t index) {
    const LevelText& level = levels_[l];
    const std::size_t element = count == 1 ? members_[l]++ : 0;
    if (members_[l] > kMaxProcesses) refuse("more members than a machine can have");
    MemberSpec spec;
    spec.where = "machine";
    spec.count = count;
    spec.uplink = uplink(level, element, l);
    if (level.send.given()) spec.costs.send = pick(level.send, element, l, Each::Member);
    if (level.recv.given()) spec.costs.recv = pick(level.recv, element, l, Each::Member);
    if (level.reduce.given()) spec.costs.reduce = pick(level.reduce, element, l, Each::Member);
    if (level.speed.given())
      spec.costs.speed_millionths = pick(level.speed, element, l, Each::Member);
    if (l + 1 == levels_.size()) return spec;
    spec.name = count == 1 ? fmt::format("{}{}", level.member, index)
                           : fmt::format("{}[0-{}]", level.member, count - 1);
    fill(spec, l + 1);
    return spec;
  }

  Uplink uplink(const LevelText& level, std::size_t element, std::size_t l) const {
    Uplink uplink;
    if (level.out.given()) uplink.out = pick(level.out, element, l, Each::Member);
    if (level.in.given()) uplink.in = pick(level.in, element, l, Each::Member);
    if (level.hop.given()) uplink.latency = pick(level.hop, element, l, Each::Member);
    if (level.duplex.given()) {
      const std::string& duplex = pick(level.duplex, element, l, Each::Member);
      if (duplex != "half" && duplex != "full") {
        refuse(fmt::format("duplex is \"{}\"", duplex.substr(0, 40)), "write half or full");
      }
      uplink.half_duplex = duplex == "half";
    }
    return uplink;
  }

  template <typename T>
  const T& pick(const Values<T>& values, std::size_t element, std::size_t l, Each each) const {
    if (values.list.size() > 1 && element >= values.list.size())
      refuse_length(l, values.list.size(), each);
    return values.at(element);
  }

  void check_lengths(std::size_t l) const {
    const LevelText& level = levels_[l];
    const auto check = [&](std::size_t length, std::size_t elements, Each each) {
      if (length > 1 && length != elements) refuse_length(l, length, each);
    };
    for (const std::size_t length : {level.count.list.size(), level.latency.list.size(),
                                     level.backbone.list.size(), level.cap.list.size()}) {
      check(length, parents_[l], Each::Cluster);
    }
    for (const std::size_t length :
         {level.out.list.size(), level.in.list.size(), level.hop.list.size(),
          level.duplex.list.size(), level.send.list.size(), level.recv.list.size(),
          level.reduce.list.size(), level.speed.list.size()}) {
      check(length, members_[l], Each::Member);
    }
  }
  [[noreturn]] void refuse_length(std::size_t l, std::size_t length, Each each) const {
    const std::uint64_t expected = number_of(each, l);
    refuse(fmt::format("level \"{}\": a list of {} values; {} {} expected, one for each {}",
                       levels_[l].member, length, expected, expected == 1 ? "is" : "are",
                       each == Each::Member ? "member" : "cluster that holds its members"),
           "counts, latency, backbone and cap take one value for each cluster of the level above, "
           "all else one for each member");
  }
  /// By the counts as they are written: the tree may not be built yet. A list of counts that does
  /// not fit itself is refused first.
  std::uint64_t number_of(Each each, std::size_t l) const {
    std::uint64_t clusters = 1;
    for (std::size_t k = 0; k < l; ++k) clusters = members_of(k, clusters);
    return each == Each::Cluster ? clusters : members_of(l, clusters);
  }
  std::uint64_t members_of(std::size_t l, std::uint64_t clusters) const {
    const std::vector<std::uint64_t>& counts = levels_[l].count.list;
    if (counts.size() > 1 && counts.size() != clusters) {
      refuse_length(l, counts.size(), Each::Cluster);
    }
    if (counts.size() == 1) {
      const std::uint64_t count = std::min<std::uint64_t>(counts[0], kMaxProcesses);
      return std::min<std::uint64_t>(clusters * count, kMaxProcesses);
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) sum += std::min<std::uint64_t>(count, kMaxProcesses);
    return std::min<std::uint64_t>(sum, kMaxProcesses);
  }

  std::vector<LevelText> levels_;
  std::vector<bool> varies_from_;
  std::vector<std::size_t> parents_;  // clusters seen so far whose members are of this level
  std::vector<std::size_t> members_;  // members of this level seen so far
};

MachineSpec read(std::string_view text) {
  std::string_view rest = trimmed(text);
  std::vector<LevelText> levels;
  PlacementKind placement = PlacementKind::Block;
  constexpr std::string_view kPlacement = "placement=";
  while (!rest.empty()) {
    if (rest.starts_with(kPlacement)) {
      const std::string_view value = rest.substr(kPlacement.size());
      if (value != "block" && value != "cyclic") {
        refuse(fmt::format("\"{}\" is no placement", value.substr(0, 40)),
               "end with placement=block or placement=cyclic");
      }
      if (value == "cyclic") placement = PlacementKind::Cyclic;
      break;
    }
    levels.push_back(read_level(rest));
    if (levels.size() > 60) refuse("more than 60 levels");
  }
  if (levels.empty()) refuse("no levels");
  MachineSpec spec = TreeOfLevels(std::move(levels)).build();
  spec.placement = placement;
  return spec;
}

}  // namespace

bool begins_with_level(std::string_view text) {
  text = trimmed(text);
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), is_word);
}

bool looks_synthetic(std::string_view text) {
  text = trimmed(text);
  const std::size_t after = text.find(':') + 1;  // 0 without one
  return begins_with_level(text) && after < text.size() && text[after] >= '0' && text[after] <= '9';
}

Expected<Machine> parse_synthetic(std::string_view text) {
  try {
    return build_machine(read(text));
  } catch (const Refused& refused) {
    return refused.error;
  }
}

}  // namespace espalier::topology

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json_reader.hpp"
#include "profile/json.hpp"

namespace espalier::profile {
namespace {

constexpr std::string_view kSee = "see docs/formats.md, espalier-profile-1";

class Reader : public JsonReader {
 public:
  explicit Reader(const std::string& file) : JsonReader(file, kProfileFormat, kSee) {}

  Profile profile(const LocatedJson& json) {
    expect_kind(json, Kind::Object, "the profile");
    check_format(json);
    refuse_unknown(json,
                   {"format", "name", "processes", "communicators", "pairs", "executed", "trace"});
    const LocatedJson& count = member(json, "processes");
    size_ = static_cast<Rank>(number(count, "\"processes\"", kMaxProfiledProcesses));
    if (size_ == 0) refuse(count, "no processes", "a program has at least one");
    Profile profile = silent_profile("", size_);
    if (const LocatedJson* name = json.find("name")) {
      expect_kind(*name, Kind::String, "\"name\"");
      profile.name = name->text;
    }
    if (const LocatedJson* list = json.find("communicators")) communicators(*list, profile);
    if (const LocatedJson* list = json.find("trace")) trace(*list, profile);
    const LocatedJson* const called = json.find("pairs");
    const LocatedJson* const executed = json.find("executed");
    if (called == nullptr || executed == nullptr) count_pairs(profile);
    if (called != nullptr) profile.pairs = pairs(*called, "\"pairs\"");
    if (executed != nullptr) {
      profile.executed = pairs(*executed, "\"executed\"");
      profile.is_executed_left_out = false;
    }
    return profile;
  }

 private:
  Rank rank(const LocatedJson& json, std::string_view name) const {
    return static_cast<Rank>(number(json, name, size_ - 1));
  }
  void expect_length(const LocatedJson& json, std::size_t length, std::string_view name) const {
    expect_kind(json, Kind::Array, name);
    if (json.items.size() == length) return;
    refuse(json, fmt::format("{} has {} items, not {}", name, json.items.size(), length),
           std::string(kSee));
  }

  void communicators(const LocatedJson& json, Profile& profile) const {
    expect_kind(json, Kind::Array, "\"communicators\"");
    for (const LocatedJson& item : json.items) {
      expect_kind(item, Kind::Array, "a communicator");
      std::vector<Rank> members;
      for (const LocatedJson& m : item.items) members.push_back(rank(m, "a member"));
      std::vector<Rank> sorted = members;
      std::sort(sorted.begin(), sorted.end());
      if (members.empty() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        refuse(item, "a communicator without members, or with one of them twice",
               "list each rank once, in the order of the communicator");
      }
      profile.communicators.push_back(std::move(members));
    }
  }

  std::vector<Pair> pairs(const LocatedJson& json, std::string_view name) const {
    expect_kind(json, Kind::Array, name);
    std::vector<Pair> result;
    for (const LocatedJson& item : json.items) {
      expect_length(item, 4, "a pair");
      result.push_back({rank(item.items[0], "the sender"), rank(item.items[1], "the receiver"),
                        number(item.items[2], "messages", kMaxCount),
                        number(item.items[3], "bytes", kMaxCount)});
    }
    return merged(std::move(result));
  }

  /// 0 if it is left out.
  [[nodiscard]] Time time(const LocatedJson& item, const std::string& key) const {
    const LocatedJson* const found = item.find(key);
    if (found == nullptr) return {};
    return Time{static_cast<std::int64_t>(number(*found, "\"" + key + "\"", kMaxTime))};
  }

  void trace(const LocatedJson& json, Profile& profile) {
    expect_kind(json, Kind::Array, "\"trace\"");
    if (json.items.size() != size_) {
      refuse(json, fmt::format("{} traces for {} processes", json.items.size(), size_),
             "give each process its trace, in order; without \"actions\" if it did nothing");
    }
    for (Rank r = 0; r < size_; ++r) {
      const LocatedJson& item = json.items[r];
      expect_kind(item, Kind::Object, "a trace");
      refuse_unknown(item, {"rank", "ran_ps", "in_mpi_ps", "in_collectives_ps", "actions"});
      const LocatedJson& named = member(item, "rank");
      if (number(named, "\"rank\"", size_ - 1) != r) {
        refuse(named, fmt::format("rank {} in the place of rank {}", named.text, r),
               "put the traces in the order of the ranks");
      }
      Process& process = profile.processes[r];
      process.ran = time(item, "ran_ps");
      process.in_mpi = time(item, "in_mpi_ps");
      process.in_collectives = time(item, "in_collectives_ps");
      if (const LocatedJson* list = item.find("actions")) {
        actions(*list, profile, r, 0, 1, process.actions);
      }
    }
  }

  void actions(const LocatedJson& json, const Profile& profile, Rank me, std::uint64_t depth,
               std::uint64_t times, std::vector<Action>& out) const {
    expect_kind(json, Kind::Array, "\"actions\"");
    for (const LocatedJson& item : json.items) {
      expect_kind(item, Kind::Array, "an action");
      if (item.items.empty() || item.items[0].kind != Kind::String) {
        refuse(item, "an action without a name", std::string(kSee));
      }
      const std::string& name = item.items[0].text;
      if (name == "loop") {
        loop(item, profile, me, depth, times, out);
      } else {
        out.push_back(simple(item, name, profile, me));
      }
    }
  }
  void loop(const LocatedJson& item, const Profile& profile, Rank me, std::uint64_t depth,
            std::uint64_t times, std::vector<Action>& out) const {
    expect_length(item, 3, "a loop");
    if (depth >= kMaxLoopDepth) {
      refuse(item, fmt::format("loops deeper than {}", kMaxLoopDepth), "unfold some of them");
    }
    Action action;
    action.kind = ActionKind::Loop;
    action.times = number(item.items[1], "the count of a loop", kMaxCount / times);
    const std::size_t at = out.size();
    out.push_back(action);
    actions(item.items[2], profile, me, depth + 1, std::max<std::uint64_t>(1, action.times) * times,
            out);
    out[at].body = static_cast<std::uint32_t>(out.size() - at - 1);
    if (action.times == 0 || out[at].body == 0) out.resize(at);  // nothing happens in it
  }
  static std::optional<ActionKind> message_kind(std::string_view name) {
    if (name == "send") return ActionKind::Send;
    if (name == "recv") return ActionKind::Recv;
    if (name == "post") return ActionKind::Post;
    if (name == "sent") return ActionKind::Sent;
    return std::nullopt;
  }
  Action simple(const LocatedJson& item, const std::string& name, const Profile& profile,
                Rank me) const {
    Action action;
    if (name == "compute") {
      expect_length(item, 2, "a computation");
      action.takes = Time{static_cast<std::int64_t>(number(item.items[1], "its time", kMaxTime))};
      return action;
    }
    if (const auto kind = message_kind(name)) {
      expect_length(item, 3, "a message");
      action.kind = *kind;
      action.peer = rank(item.items[1], "the other process");
      action.bytes = number(item.items[2], "bytes", kMaxCount);
      return action;
    }
    const auto operation = schedule::operation_named(name);
    if (!operation) {
      refuse(item, fmt::format("there is no action \"{}\"", name.substr(0, 60)),
             "known: compute, send, recv, loop, and collectives as espalier plan calls them");
    }
    expect_length(item, 4, "a collective");
    action.kind = ActionKind::Collective;
    action.operation = *operation;
    action.bytes = number(item.items[1], "bytes", kMaxCount / size_);
    action.peer = rank(item.items[2], "the root");
    action.communicator = static_cast<std::uint32_t>(
        number(item.items[3], "the communicator", profile.communicators.size() - 1));
    const std::vector<Rank>& members = profile.communicators[action.communicator];
    if (std::find(members.begin(), members.end(), me) == members.end()) {
      refuse(item,
             fmt::format("process {} is no member of communicator {}", me, action.communicator),
             "its actions name only communicators that it is in");
    }
    return action;
  }

  static constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 62;
  Rank size_ = 0;
};

}  // namespace

Expected<Profile> read_json(std::string_view text, const std::string& file) {
  auto json = parse_located_json(text, file);
  if (!json) return json.error();
  try {
    return Reader(file).profile(*json);
  } catch (const JsonReader::Refused& refused) {
    return refused.error;
  }
}

}  // namespace espalier::profile

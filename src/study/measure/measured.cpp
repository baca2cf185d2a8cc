#include "measure/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace espalier::measure {
namespace {

using schedule::Operation;

constexpr const char* kMulticast = "multicast";

Error unreadable(const std::string& line) {
  return {"bench", fmt::format("cannot read what was measured: \"{}\"", line), ""};
}

Expected<MeasuredTimes> read_line(const std::string& line) {
  std::istringstream in(line);
  std::string measured;
  std::string operation;
  std::string root;
  std::string wrong;
  std::string first;
  std::string times;
  MeasuredTimes m;
  in >> measured >> operation >> m.call.size.value >> root >> wrong >> m.wrong >> first >>
      m.first_us >> times;
  m.call.is_multicast = operation == kMulticast;
  const auto known = m.call.is_multicast ? CallKind{Operation::Broadcast} : kind_named(operation);
  if (!in || !known || wrong != "wrong" || first != "first_us" || times != "times_us") {
    return unreadable(line);
  }
  m.call.kind = *known;
  m.call.root = kEveryRoot;
  if (root != "all") {
    const char* end = root.data() + root.size();
    if (std::from_chars(root.data(), end, m.call.root).ptr != end) return unreadable(line);
  }
  for (double t = 0; in >> t;) m.times_us.push_back(t);
  if (m.times_us.empty() || !in.eof()) return unreadable(line);
  m.summary = summarize(m.times_us);
  return m;
}

}  // namespace

std::string argument_of(const MeasuredCall& call) {
  const std::string root = call.root == kEveryRoot ? "all" : std::to_string(call.root);
  const std::string members =
      call.members.empty() ? "" : fmt::format(":{}", fmt::join(call.members, "+"));
  const std::string counts =
      call.counts.empty()
          ? ""
          : fmt::format("{}{}", call.members.empty() ? "::" : ":", fmt::join(call.counts, "+"));
  const std::string name = call.is_multicast ? kMulticast : name_of(call.kind);
  return fmt::format("{}:{}:{}{}{}", name, call.size.value, root, members, counts);
}

bool has_library(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("library saw ")) return line != "library saw 0";
  }
  return false;
}

Expected<std::vector<MeasuredTimes>> read_measured(const std::string& text,
                                                   const std::vector<MeasuredCall>& asked) {
  std::vector<MeasuredTimes> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("measured ")) continue;
    auto measured = read_line(line);
    if (!measured) return measured.error();
    if (all.size() == asked.size()) return unreadable(line);
    measured->call.members = asked[all.size()].members;  // the program does not print members
    measured->call.counts = asked[all.size()].counts;    // nor counts
    if (measured->call != asked[all.size()]) return unreadable(line);
    all.push_back(*std::move(measured));
  }
  if (all.size() == asked.size()) return all;
  return Error{"bench", fmt::format("{} of {} calls were measured", all.size(), asked.size()), ""};
}

Expected<Clocks> clocks_called(const std::string& name) {
  for (const Clocks clocks : {Clocks::Shared, Clocks::Acknowledged}) {
    if (name == name_of(clocks)) return clocks;
  }
  return Error{"--clocks", fmt::format("there are no clocks \"{}\"", name), "shared or ack"};
}

const char* name_of(Clocks clocks) { return clocks == Clocks::Shared ? "shared" : "ack"; }

const char* description_of(Clocks clocks) {
  return clocks == Clocks::Shared
             ? "one clock for all ranks; from the common start to the end of the last rank"
             : "the root's clock alone: one receiver at a time acknowledges, less half a round "
               "trip; the time of the latest receiver";
}

Expected<Taken> taken_called(const std::string& name) {
  if (name == "median") return Taken::Median;
  if (name == "least") return Taken::Least;
  return Error{"--take", fmt::format("\"{:.60}\" is not one of the times", name),
               "median or least"};
}

double MeasuredTimes::time_us(Taken taken) const {
  return taken == Taken::Median ? summary.median
                                : *std::min_element(times_us.begin(), times_us.end());
}

bool can_measure(Clocks clocks, const CallKind& kind) {
  return clocks == Clocks::Shared || kind == CallKind{Operation::Broadcast, false} ||
         kind == CallKind{Operation::Scatter, false};
}

std::string name_of(const CallKind& kind) {
  return std::string(name_of(kind.operation)) + (kind.irregular ? "v" : "");
}

std::optional<CallKind> kind_named(const std::string& name) {
  if (const auto operation = schedule::operation_named(name)) return CallKind{*operation, false};
  for (const Operation operation :
       {Operation::Gather, Operation::Scatter, Operation::Allgather, Operation::Alltoall}) {
    if (name == name_of(CallKind{operation, true})) return CallKind{operation, true};
  }
  return std::nullopt;
}

std::vector<MeasuredCall> all_calls(const std::vector<CallKind>& kinds,
                                    const std::vector<Bytes>& sizes,
                                    const std::vector<Rank>& roots) {
  std::vector<MeasuredCall> calls;
  for (const CallKind& kind : kinds) {
    if (kind.operation == Operation::Barrier) {
      calls.push_back({kind, Bytes{0}, 0, {}});
      continue;
    }
    for (const Bytes size : sizes) {
      if (!has_root(kind.operation)) {
        calls.push_back({kind, size, 0, {}});
        continue;
      }
      for (const Rank root : roots) calls.push_back({kind, size, root, {}});
    }
  }
  return calls;
}

}  // namespace espalier::measure

#include "view/timeline_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json.hpp"
#include "report/simulated_plan.hpp"

namespace espalier::view {
namespace {

using sim::CriticalStep;
using sim::SimResult;

/// Picoseconds in a tick.
std::int64_t tick_of(const SimResult& result) {
  Time last = result.finish;
  if (last == kForever) {
    last = Time{0};
    for (const Time finish : result.rank_finish) {
      if (finish != kForever) last = std::max(last, finish);
    }
    for (const sim::MessageTrace& m : result.timeline) {
      if (m.send_begin != kForever) last = std::max(last, m.send_begin);
    }
  }
  return std::max<std::int64_t>(1, last.picoseconds >> 20U);
}

/// Appends "name":[...] with a number of each element.
template <typename List, typename Number>
void add_column(std::string& text, std::string_view name, const List& list, Number number) {
  fmt::format_to(std::back_inserter(text), "{}\"{}\":[", text.back() == '{' ? "" : ",", name);
  bool is_first = true;
  for (const auto& one : list) {
    if (!is_first) text += ',';
    is_first = false;
    number(text, one);
  }
  text += ']';
}

class TimelineWriter {
 public:
  TimelineWriter(const SimResult& result, const topology::Machine& machine)
      : result_(result), machine_(machine), tick_(tick_of(result)) {}

  std::string write(std::string_view kind) const {
    std::string text;
    fmt::format_to(std::back_inserter(text),
                   "{{\"kind\":\"{}\",\"tick_ps\":{},\"finish_ps\":", kind, tick_);
    text += result_.finish == kForever ? "null" : std::to_string(result_.finish.picoseconds);
    text += ",\"messages\":{";
    messages(text);
    text += "},\"steps\":{";
    steps(text);
    text += "},\"rank_finish\":{";
    add_column(text, "at", result_.rank_finish, [&](std::string& t, Time at) { time(t, at); });
    text += "},\"critical_path\":{";
    path(text);
    text += "},\"bottleneck\":";
    text += bottleneck();
    return text + "}";
  }

 private:
  static void integer(std::string& text, std::uint64_t value) {
    fmt::format_to(std::back_inserter(text), "{}", value);
  }
  void time(std::string& text, Time at) const {
    if (at == kForever) {
      text += "null";
    } else {
      fmt::format_to(std::back_inserter(text), "{}", at.picoseconds / tick_);
    }
  }
  template <typename Trace>
  auto times(Time Trace::*member) const {
    return [this, member](std::string& text, const Trace& one) { time(text, one.*member); };
  }

  /// The simulation looks for the way of a message only when it leaves.
  std::uint32_t level_of(const sim::MessageTrace& m) const {
    return m.flows == kForever ? machine_.path(m.from, m.to).level : m.level;
  }

  void messages(std::string& text) const {
    using sim::MessageTrace;
    const auto& list = result_.timeline;
    add_column(text, "from", list,
               [](std::string& t, const MessageTrace& m) { integer(t, m.from); });
    add_column(text, "to", list, [](std::string& t, const MessageTrace& m) { integer(t, m.to); });
    add_column(text, "bytes", list,
               [](std::string& t, const MessageTrace& m) { integer(t, m.bytes.value); });
    add_column(text, "level", list,
               [this](std::string& t, const MessageTrace& m) { integer(t, level_of(m)); });
    add_column(text, "send_begin", list, times(&MessageTrace::send_begin));
    add_column(text, "send_end", list, times(&MessageTrace::send_end));
    add_column(text, "flows", list, times(&MessageTrace::flows));
    add_column(text, "arrived", list, times(&MessageTrace::arrived));
    add_column(text, "recv_begin", list, times(&MessageTrace::recv_begin));
    add_column(text, "recv_end", list, times(&MessageTrace::recv_end));
  }

  void steps(std::string& text) const {
    using sim::StepTrace;
    add_column(text, "rank", result_.steps,
               [](std::string& t, const StepTrace& s) { integer(t, s.rank); });
    add_column(text, "begin", result_.steps, times(&StepTrace::begin));
    add_column(text, "end", result_.steps, times(&StepTrace::end));
  }

  void path(std::string& text) const {
    const auto& list = result_.critical_path;
    add_column(text, "kind", list, [](std::string& t, const CriticalStep& s) {
      fmt::format_to(std::back_inserter(t), "\"{}\"", report::name_of(s.kind));
    });
    add_column(text, "rank", list,
               [](std::string& t, const CriticalStep& s) { integer(t, s.rank); });
    add_column(text, "peer", list, [](std::string& t, const CriticalStep& s) {
      if (s.peer == kNoRank) {
        t += "null";
      } else {
        integer(t, s.peer);
      }
    });
    add_column(text, "begin", list, times(&CriticalStep::begin));
    add_column(text, "end", list, times(&CriticalStep::end));
    add_column(text, "slowed_by", list, [&](std::string& t, const CriticalStep& s) {
      t += s.slowed_by == sim::kNoResource ? "null" : words(s.slowed_by);
    });
  }

  std::string words(sim::ResourceId id) const {
    return Json(sim::describe(result_.resources[id].resource, machine_)).dump();
  }

  std::string bottleneck() const {
    return result_.bottleneck == sim::kNoResource ? "null" : words(result_.bottleneck);
  }

  const SimResult& result_;
  const topology::Machine& machine_;
  std::int64_t tick_;
};

/// A measured message as a simulated one.
sim::MessageTrace as_simulated(const trace::Message& m, trace::Nanoseconds begin,
                               const topology::Machine& machine) {
  const auto at = [begin](trace::Nanoseconds when) {
    return when == trace::kNever ? kForever : nanoseconds(std::max<std::int64_t>(0, when - begin));
  };
  sim::MessageTrace result;
  result.from = m.from;
  result.to = m.to;
  result.bytes = Bytes{m.bytes};
  result.level = machine.path(m.from, m.to).level;
  result.send_begin = result.flows = at(m.send_begin);
  result.send_end = at(m.send_end);
  result.arrived = result.recv_begin = result.recv_end = at(m.recv_end);
  return result;
}

}  // namespace

std::string measured_document(const trace::Call& call, const topology::Machine& machine) {
  SimResult seen;
  const trace::Nanoseconds begin = begin_of(call);
  seen.finish = nanoseconds(end_of(call) - begin);
  for (const trace::Nanoseconds at : call.end) seen.rank_finish.push_back(nanoseconds(at - begin));
  for (const trace::Message& m : call.messages) {
    seen.timeline.push_back(as_simulated(m, begin, machine));
  }
  return TimelineWriter(seen, machine).write("measured");
}

std::string timeline_document(const SimResult& result, const topology::Machine& machine) {
  return TimelineWriter(result, machine).write("simulated");
}

}  // namespace espalier::view

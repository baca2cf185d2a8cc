// Trace-event JSON, as Perfetto and chrome://tracing read it: "Trace Event Format", Google, 2016.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/json.hpp"
#include "trace/json.hpp"

namespace espalier::trace {
namespace {

std::string quoted(const std::string& text) { return Json(text).dump(); }

/// Microseconds, exactly: the format has no other unit.
std::string microseconds_of(Nanoseconds at) {
  return fmt::format("{}{}.{:03}", at < 0 ? "-" : "", std::abs(at / 1000), std::abs(at % 1000));
}

class EventWriter {
 public:
  explicit EventWriter(const Trace& trace) : trace_(trace) {}

  std::string write() {
    text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    for (Rank r = 0; r < trace_.size(); ++r) {
      add("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}}", r,
          quoted(fmt::format("rank {} on {}", r, trace_.hosts[r])));
      add("{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{0},\"args\":{{\"sort_index\":{0}"
          "}}}}",
          r);
      for (const auto& [lane, name] : {std::pair{kCalls, "calls"}, std::pair{kSends, "sends"},
                                       std::pair{kReceives, "receives"}}) {
        add("{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":"
            "\"{}\"}}}}",
            r, lane, name);
      }
    }
    for (const Call& call : trace_.calls) add_call(call);
    return text_ + "\n]}\n";
  }

 private:
  static constexpr int kCalls = 1, kSends = 2, kReceives = 3;

  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += text_.back() == '[' ? "\n" : ",\n";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  void add_call(const Call& call) {
    const Plan& plan = trace_.plans[call.plan];
    const std::vector<Rank>& members = trace_.communicators[call.communicator].members;
    const std::string name = quoted(fmt::format("{}", name_of(plan.call.operation)));
    for (std::size_t r = 0; r < members.size(); ++r) {
      add("{{\"ph\":\"X\",\"cat\":\"call\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},"
          "\"args\":{{\"number\":{},\"plan\":{},\"bytes\":{},\"communicator\":{}}}}}",
          name, members[r], kCalls, microseconds_of(call.begin[r]),
          microseconds_of(std::max(call.end[r] - call.begin[r], Nanoseconds{0})), call.number,
          quoted(plan.name), plan.call.count * plan.call.element.value,
          quoted(trace_.communicators[call.communicator].name));
    }
    for (const Message& m : call.messages) add_message(m, members, call.number);
  }

  /// Sends and receives of a rank overlap, which slices of one thread may not: pairs of events with
  /// an id of their own ("b" and "e") may.
  void add_message(const Message& m, const std::vector<Rank>& members, std::uint64_t call) {
    ++id_;
    const Rank from = members[m.from], to = members[m.to];
    const auto end = [&](Rank rank, Rank other, std::string_view verb, Nanoseconds begin,
                         Nanoseconds finish) {
      if (begin == kNever || finish == kNever) return;
      for (const auto& [phase, at] : {std::pair{'b', begin}, std::pair{'e', finish}}) {
        add("{{\"ph\":\"{}\",\"cat\":\"message\",\"id\":\"{}{}\",\"name\":\"{} {}\",\"pid\":{},"
            "\"tid\":{},\"ts\":{},\"args\":{{\"bytes\":{},\"call\":{},\"tag\":{}}}}}",
            phase, verb.substr(0, 1), id_, verb, other, rank, verb == "to" ? kSends : kReceives,
            microseconds_of(at), m.bytes, call, m.tag);
      }
    };
    end(from, to, "to", m.send_begin, m.send_end);
    end(to, from, "from", m.recv_begin, m.recv_end);
    if (m.send_begin == kNever || m.recv_end == kNever) return;
    // An arrow binds to the slice of its thread at that time: the calls. By clocks of two hosts it
    // might end before it begins, which readers refuse.
    add("{{\"ph\":\"s\",\"cat\":\"message\",\"id\":{},\"name\":\"message\",\"pid\":{},\"tid\":{},"
        "\"ts\":{}}}",
        id_, from, kCalls, microseconds_of(m.send_begin));
    add("{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"message\",\"id\":{},\"name\":\"message\",\"pid\":{},"
        "\"tid\":{},\"ts\":{}}}",
        id_, to, kCalls, microseconds_of(std::max(m.send_begin, m.recv_end)));
  }

  const Trace& trace_;
  std::string text_;
  std::uint64_t id_ = 0;
};

}  // namespace

std::string write_trace_events(const Trace& trace) { return EventWriter(trace).write(); }

}  // namespace espalier::trace

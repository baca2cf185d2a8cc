#include <fmt/format.h>

#include <iterator>

#include "base/json.hpp"
#include "trace/json.hpp"

namespace espalier::trace {
namespace {

Json text_of(const std::string& text) { return Json::parse(Json(text).dump()); }

/// Appends "name":[...] with a number of each element; null for what was not seen.
template <typename List, typename Number>
void column(std::string& text, std::string_view name, const List& list, Number number) {
  fmt::format_to(std::back_inserter(text), "{}\"{}\":[", text.back() == '{' ? "" : ",", name);
  bool is_first = true;
  for (const auto& one : list) {
    if (!is_first) text += ',';
    is_first = false;
    const std::int64_t value = static_cast<std::int64_t>(number(one));
    if (value == kNever) {
      text += "null";
    } else {
      fmt::format_to(std::back_inserter(text), "{}", value);
    }
  }
  text += ']';
}

void call_json(std::string& text, const Call& call) {
  fmt::format_to(std::back_inserter(text), "{{\"communicator\":{},\"plan\":{},\"number\":{}",
                 call.communicator, call.plan, call.number);
  const auto itself = [](Nanoseconds at) { return at; };
  column(text, "begin", call.begin, itself);
  column(text, "end", call.end, itself);
  text += ",\"messages\":{";
  const auto& all = call.messages;
  column(text, "from", all, [](const Message& m) { return m.from; });
  column(text, "to", all, [](const Message& m) { return m.to; });
  column(text, "tag", all, [](const Message& m) { return m.tag; });
  column(text, "bytes", all, [](const Message& m) { return m.bytes; });
  column(text, "send_begin", all, [](const Message& m) { return m.send_begin; });
  column(text, "send_end", all, [](const Message& m) { return m.send_end; });
  column(text, "recv_begin", all, [](const Message& m) { return m.recv_begin; });
  column(text, "recv_end", all, [](const Message& m) { return m.recv_end; });
  text += "}}";
}

Json plan_json(const Plan& plan) {
  Json programs = Json::array();
  for (const std::uint64_t hash : plan.programs) programs.push_back(fmt::format("{:016x}", hash));
  return {{"operation", schedule::name_of(plan.call.operation)},
          {"processes", plan.call.size},
          {"root", plan.call.root},
          {"count", plan.call.count},
          {"element_bytes", plan.call.element.value},
          {"commutative", plan.call.commutative},
          {"irregular", plan.irregular},
          {"name", plan.name},
          {"predicted_ps", plan.predicted ? Json(plan.predicted->picoseconds) : Json()},
          {"programs", programs}};
}

}  // namespace

std::string write_json(const Trace& trace) {
  Json head{{"format", kTraceFormat},
            {"program", text_of(trace.program)},
            {"unit", "ns"},
            {"clock", {{"kernels", trace.clocks.kernels}, {"residual_ns", trace.clocks.residual}}},
            {"dropped_calls", trace.dropped},
            {"native_calls", trace.native ? Json(*trace.native) : Json()},
            {"untraced_calls", trace.untraced},
            {"hosts", Json::array()},
            {"communicators", Json::array()},
            {"plans", Json::array()}};
  for (const std::string& host : trace.hosts) head["hosts"].push_back(text_of(host));
  for (const Communicator& one : trace.communicators) {
    head["communicators"].push_back({{"name", text_of(one.name)},
                                     {"members", one.members},
                                     {"machine", Json::parse(one.machine)}});
  }
  for (const Plan& plan : trace.plans) head["plans"].push_back(plan_json(plan));
  std::string text = head.dump();
  text.pop_back();
  text += ",\n\"calls\":[";
  for (std::size_t c = 0; c < trace.calls.size(); ++c) {
    text += c == 0 ? "\n" : ",\n";
    call_json(text, trace.calls[c]);
  }
  return text + "]}\n";
}

}  // namespace espalier::trace

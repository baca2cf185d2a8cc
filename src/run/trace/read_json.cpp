#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/known_formats.hpp"
#include "trace/json.hpp"

namespace espalier::trace {
namespace {

constexpr std::uint64_t kMostTraceBytes = std::uint64_t{1} << 30U;
constexpr const char* kHint = "a trace is what espalier run --trace writes";
constexpr std::string_view kTraceSigns[] = {kTraceFormat};

/// Says what is wrong by throwing; read_json() catches.
struct Wrong {
  std::string what;
  std::string hint;
};

void demand(bool holds, std::string_view what) {
  if (!holds) throw Wrong{std::string(what), kHint};
}

Rank rank_below(const Json& json, std::size_t size, std::string_view name) {
  const auto rank = json.get<std::uint64_t>();
  demand(rank < size, fmt::format("{} {} of {} processes", name, rank, size));
  return static_cast<Rank>(rank);
}

Nanoseconds instant(const Json& json) {
  if (json.is_null()) return kNever;
  const auto at = json.get<std::int64_t>();
  demand(at >= 0, "a time before the trace");
  return at;
}

std::vector<Nanoseconds> instants(const Json& json, std::size_t size, std::string_view name) {
  demand(json.is_array() && json.size() == size, fmt::format("\"{}\" needs {} times", name, size));
  std::vector<Nanoseconds> result;
  for (const Json& one : json) result.push_back(instant(one));
  demand(std::find(result.begin(), result.end(), kNever) == result.end(),
         fmt::format("\"{}\" has a rank without a time", name));
  return result;
}

Communicator communicator_from(const Json& json, std::size_t world) {
  Communicator result;
  result.name = json.at("name").get<std::string>();
  for (const Json& member : json.at("members")) {
    result.members.push_back(rank_below(member, world, "member"));
  }
  demand(!result.members.empty(), "a communicator without members");
  result.machine = json.at("machine").dump();
  return result;
}

Plan plan_from(const Json& json) {
  Plan plan;
  const auto operation = json.at("operation").get<std::string>();
  const auto known = schedule::called_operation_named(operation);
  demand(known.has_value(), fmt::format("there is no operation \"{:.40}\"", operation));
  plan.call.operation = *known;
  plan.call.size = json.at("processes").get<Rank>();
  plan.call.root = rank_below(json.at("root"), plan.call.size, "root");
  plan.call.count = json.at("count").get<std::uint64_t>();
  plan.call.element.value = json.at("element_bytes").get<std::uint64_t>();
  demand(plan.call.element.value > 0 && plan.call.element.value < (1U << 30U) &&
             plan.call.count < (std::uint64_t{1} << 50U) / plan.call.element.value,
         "a plan for messages of that length");
  plan.call.commutative = json.at("commutative").get<bool>();
  plan.irregular = json.at("irregular").get<bool>();
  plan.name = json.at("name").get<std::string>();
  if (const Json& predicted = json.at("predicted_ps"); !predicted.is_null()) {
    plan.predicted = Time{predicted.get<std::int64_t>()};
  }
  for (const Json& hash : json.at("programs")) {
    const auto text = hash.get<std::string>();
    demand(text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos,
           "\"programs\" are 16 hexadecimal digits each");
    plan.programs.push_back(std::stoull(text, nullptr, 16));
  }
  demand(plan.programs.size() == plan.call.size, "a plan needs a program for each process");
  return plan;
}

std::vector<Message> messages_from(const Json& json, std::size_t size) {
  const Json& from = json.at("from");
  const std::size_t count = from.size();
  for (const char* name :
       {"from", "to", "tag", "bytes", "send_begin", "send_end", "recv_begin", "recv_end"}) {
    demand(json.at(name).is_array() && json.at(name).size() == count,
           fmt::format("\"{}\" of messages has not as many items as \"from\"", name));
  }
  std::vector<Message> result(count);
  for (std::size_t m = 0; m < count; ++m) {
    Message& one = result[m];
    one.from = rank_below(from[m], size, "a message from process");
    one.to = rank_below(json["to"][m], size, "a message to process");
    one.tag = json["tag"][m].get<std::uint32_t>();
    one.bytes = json["bytes"][m].get<std::uint64_t>();
    one.send_begin = instant(json["send_begin"][m]);
    one.send_end = instant(json["send_end"][m]);
    one.recv_begin = instant(json["recv_begin"][m]);
    one.recv_end = instant(json["recv_end"][m]);
  }
  return result;
}

Call call_from(const Json& json, const Trace& trace) {
  Call call;
  call.communicator = json.at("communicator").get<std::uint32_t>();
  call.plan = json.at("plan").get<std::uint32_t>();
  call.number = json.at("number").get<std::uint64_t>();
  demand(call.communicator < trace.communicators.size(), "a call on a communicator not listed");
  demand(call.plan < trace.plans.size(), "a call along a plan not listed");
  const std::size_t size = trace.communicators[call.communicator].members.size();
  demand(trace.plans[call.plan].call.size == size, "a plan for another number of processes");
  call.begin = instants(json.at("begin"), size, "begin");
  call.end = instants(json.at("end"), size, "end");
  call.messages = messages_from(json.at("messages"), size);
  return call;
}

Trace trace_from(const Json& json) {
  const std::string format = json.is_object() ? json.value("format", "") : "";
  if (format != kTraceFormat) {
    const std::string readers = is_other_version(format, kTraceFormat) ? "" : who_reads(format);
    throw Wrong{fmt::format("its format is not \"{}\"", kTraceFormat),
                readers.empty() ? std::string(kHint) : readers};
  }
  Trace trace;
  trace.program = json.at("program").get<std::string>();
  for (const Json& host : json.at("hosts")) trace.hosts.push_back(host.get<std::string>());
  demand(!trace.hosts.empty(), "no processes");
  trace.clocks.kernels = json.at("clock").at("kernels").get<std::uint32_t>();
  trace.clocks.residual = json.at("clock").at("residual_ns").get<std::int64_t>();
  trace.dropped = json.at("dropped_calls").get<std::uint64_t>();
  const Json* native = json.find("native_calls");
  if (native != nullptr && !native->is_null()) trace.native = native->get<std::uint64_t>();
  trace.untraced = json.value("untraced_calls", std::uint64_t{0});
  for (const Json& one : json.at("communicators")) {
    trace.communicators.push_back(communicator_from(one, trace.hosts.size()));
  }
  for (const Json& one : json.at("plans")) trace.plans.push_back(plan_from(one));
  for (const Json& one : json.at("calls")) trace.calls.push_back(call_from(one, trace));
  return trace;
}

}  // namespace

Expected<Trace> read_json(std::string_view json, const std::string& name) {
  try {
    const auto read = Json::read(json);
    if (!read) return Error{name, read.error().what, kHint};
    return trace_from(*read);
  } catch (const Wrong& wrong) {
    return Error{name, wrong.what, wrong.hint};
  } catch (const JsonError& error) {
    return Error{name, fmt::format("no trace: {}", error.what()), kHint};
  }
}

Expected<Trace> read_file(const std::string& path) {
  ReadRules rules;
  rules.most = kMostTraceBytes;
  rules.signs = kTraceSigns;
  rules.takes_pipes = true;
  if (path.empty())
    return Error{"TRACE", "no trace is named", "name a file of espalier run --trace"};
  auto text = read_named_file(path, rules);
  if (!text) return text.error();
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{path == "-" ? "standard input" : path, "the file is empty",
                 "a trace is what espalier run --trace writes"};
  }
  return read_json(*text, path == "-" ? "standard input" : path);
}

}  // namespace espalier::trace

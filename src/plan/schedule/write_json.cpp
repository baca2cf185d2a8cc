#include <fmt/format.h>

#include <iterator>

#include "base/contract.hpp"
#include "base/json.hpp"
#include "schedule/json.hpp"
#include "schedule/json_names.hpp"

namespace espalier::schedule {
namespace {

std::string as_json(std::string_view text) { return Json(text).dump(); }

/// Appends to one text; programs of a large plan have a million lines.
class Writer {
 public:
  std::string write(const Schedule& schedule) {
    add("{{\n  \"format\": \"{}\",\n  \"algorithm\": {},\n", kScheduleFormat,
        as_json(schedule.algorithm));
    call(schedule.call);
    text_ += "  \"programs\": [\n";
    for (std::size_t i = 0; i < schedule.programs.size(); ++i) {
      program(schedule.programs[i]);
      text_ += i + 1 < schedule.programs.size() ? ",\n" : "\n";
    }
    text_ += "  ]\n}\n";
    return std::move(text_);
  }

 private:
  template <typename... T>
  void add(fmt::format_string<T...> format, T&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(arguments)...);
  }

  void call(const Collective& call) {
    add("  \"call\": {{\"operation\":\"{}\",\"ranks\":{},\"root\":{},\"count\":{},"
        "\"element_bytes\":{},\"commutative\":{}",
        name_of(call.operation), call.size, call.root, call.count, call.element.value,
        call.commutative);
    if (call.irregular()) add(",\"counts\":[{}]", fmt::join(call.counts, ","));
    text_ += "},\n";
  }

  void program(const Program& program) {
    expects(!program.sets.empty() && program.sets[0] == IndexSet::single(0),
            "write_json: set 0 of a program is not {0}");
    add("    {{\"rank\":{},\"scratch\":{}", program.rank, program.scratch_units);
    if (program.sets.size() > 1) {
      text_ += ",\"sets\":[";
      for (std::size_t s = 1; s < program.sets.size(); ++s) {
        if (s > 1) text_ += ',';
        set(program.sets[s]);
      }
      text_ += ']';
    }
    text_ += ",\"ops\":[";
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      text_ += i == 0 ? "\n      " : ",\n      ";
      op(program, program.ops[i]);
    }
    text_ += "]}";
  }

  void set(const IndexSet& set) {
    text_ += '[';
    for (std::size_t i = 0; i < set.runs().size(); ++i) {
      const IndexRun& run = set.runs()[i];
      add("{}[{},{},{}]", i > 0 ? "," : "", run.first, run.count, run.step);
    }
    text_ += ']';
  }

  /// Only what differs from an Op as it is made: what is left out is read back as that.
  void op(const Program& program, const Op& op) {
    const bool message = op.kind == OpKind::Send || op.kind == OpKind::Recv;
    add("{{\"op\":\"{}\"", name_in(kOpNames, op.kind));
    if (op.peer != kNoRank) add(",\"peer\":{}", op.peer);
    if (op.peers != 0 || (message && op.peer == kNoRank)) add(",\"peers\":{}", op.peers);
    if (op.peer_stride != 0) add(",\"peer_stride\":{}", op.peer_stride);
    if (message || op.tag != 0) add(",\"tag\":{}", op.tag);
    if (op.kind == OpKind::Reduce || op.operands != Operands::FromThenTo) {
      add(",\"operands\":\"{}\"", name_in(kOperandsNames, op.operands));
    }
    region("from", op.from);
    region("to", op.to);
    if (op.takes != Time{0}) add(",\"takes_ps\":{}", op.takes.picoseconds);
    if (op.dep_count > 0) add(",\"after\":[{}]", fmt::join(program.deps_of(op), ","));
    text_ += '}';
  }

  void region(std::string_view key, const Region& region) {
    if (region == Region{}) return;
    add(",\"{}\":[\"{}\",{},{}", key, name_in(kBufferNames, region.buffer), region.offset,
        region.length);
    if (region.outer != Axis{} || region.inner != Axis{}) {
      add(",[{},{}],[{},{}]", region.outer.set, region.outer.stride, region.inner.set,
          region.inner.stride);
    }
    text_ += ']';
  }

  std::string text_;
};

}  // namespace

std::string write_json(const Schedule& schedule) { return Writer().write(schedule); }

}  // namespace espalier::schedule

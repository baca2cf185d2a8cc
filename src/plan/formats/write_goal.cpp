#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "formats/block_bytes.hpp"
#include "formats/load_schedule.hpp"
#include "verify/checks.hpp"
#include "verify/verify.hpp"

namespace espalier::formats {
namespace {

using schedule::Op;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using schedule::Schedule;
using Label = std::uint64_t;

class RankWriter {
 public:
  RankWriter(const Schedule& schedule, const Program& program, const GoalOptions& options,
             const BlockBytes* bytes, std::string& text)
      : schedule_(schedule),
        program_(program),
        options_(options),
        bytes_(bytes),
        text_(text),
        awaited_(program.ops.size()),
        labels_(program.ops.size()) {
    for (const Op& op : program.ops) {
      for (const std::uint32_t dep : program.deps_of(op)) awaited_[dep] = true;
    }
  }

  void write() {
    add("\nrank {} {{\n", program_.rank);
    for (std::uint32_t id = 0; id < program_.ops.size(); ++id) labels_[id] = write_op(id);
    text_ += "}\n";
  }

 private:
  template <typename... T>
  void add(fmt::format_string<T...> format, T&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(arguments)...);
  }
  Label calc(std::uint64_t nanoseconds) {
    add("l{}: calc {}\n", ++last_, nanoseconds);
    return last_;
  }
  void require(Label op, Label other) { add("l{} requires l{}\n", op, other); }
  void require(Label op, const std::vector<Label>& others) {
    for (const Label other : others) require(op, other);
  }

  /// The label whose end is that of the op.
  Label write_op(std::uint32_t id) {
    const Op& op = program_.ops[id];
    std::vector<Label> deps;
    for (const std::uint32_t dep : program_.deps_of(op)) deps.push_back(labels_[dep]);
    if (op.kind == OpKind::Send || op.kind == OpKind::Recv) return write_messages(id, deps);
    const Label label = calc(duration(id));
    require(label, deps);
    return label;
  }

  /// Whole nanoseconds, rounded up.
  [[nodiscard]] std::uint64_t duration(std::uint32_t id) const {
    const Op& op = program_.ops[id];
    Time time = op.takes;
    if (op.kind != OpKind::Compute) {
      const auto found = bytes_ == nullptr
                             ? program_.units(op.from) * schedule_.call.element.value
                             : bytes_->local.at(BlockBytes::op_key(program_.rank, id));
      time = transfer_time({found}, op.kind == OpKind::Reduce ? options_.reduce : options_.copy);
    }
    return (static_cast<std::uint64_t>(time.picoseconds) + 999) / 1000;
  }

  /// The members of a family wait for one joint before them, and are joined behind: k messages and
  /// d dependencies are k + d lines.
  Label write_messages(std::uint32_t id, std::vector<Label> deps) {
    const Op& op = program_.ops[id];
    const std::uint64_t size = op.peer != kNoRank ? 1 : program_.sets[op.peers].size();
    if (size > 1 && deps.size() > 1) {
      const Label joint = calc(0);
      require(joint, deps);
      deps = {joint};
    }
    std::vector<Label> members;
    for_each_message(program_, op, [&](Rank peer, const Region& region) {
      const std::uint64_t bytes =
          bytes_ == nullptr ? program_.units(region) * schedule_.call.element.value
                            : bytes_->messages.at({BlockBytes::op_key(program_.rank, id), peer});
      const bool sends = op.kind == OpKind::Send;
      add("l{}: {} {}b {} {} tag {}\n", ++last_, sends ? "send" : "recv", bytes,
          sends ? "to" : "from", peer, op.tag);
      members.push_back(last_);
      require(last_, deps);
    });
    if (size == 1) return members[0];
    if (!awaited_[id] && size > 0) return members.back();  // nobody asks
    const Label joint = calc(0);
    require(joint, size > 0 ? members : deps);
    return joint;
  }

  const Schedule& schedule_;
  const Program& program_;
  const GoalOptions& options_;
  const BlockBytes* bytes_;
  std::string& text_;
  std::vector<bool> awaited_;  // whether other ops wait for each op
  std::vector<Label> labels_;
  Label last_ = 0;
};

/// Bytes must stay within 64 bits; units do, in a sound structure.
std::optional<Error> look_at(const Schedule& schedule) {
  const verify::Verdict verdict = verify::verify_structure(schedule);
  if (!verdict.ok()) return refusal("not a sound schedule", to_string(verdict.findings[0]));
  using Wide = unsigned __int128;
  for (const Program& program : schedule.programs) {
    for (const Op& op : program.ops) {
      for (const Region& region : {op.from, op.to}) {
        const Wide bytes = Wide{program.units(region)} * schedule.call.element.value;
        if (bytes >> 62U == 0) continue;
        return Error{"schedule", "a message of more than 2^62 bytes", "take smaller elements"};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Expected<WrittenSchedule> write_goal(const Schedule& schedule, const GoalOptions& options) {
  if (auto error = look_at(schedule)) return *error;
  std::optional<BlockBytes> bytes;
  if (schedule.call.irregular()) {
    auto found = block_bytes(schedule);
    if (!found) return found.error();
    bytes = *std::move(found);
  }
  WrittenSchedule written;
  written.text = fmt::format("num_ranks {}\n", schedule.call.size);
  for (const Program& program : schedule.programs) {
    RankWriter(schedule, program, options, bytes ? &*bytes : nullptr, written.text).write();
  }
  if (schedule.call.operation != schedule::Operation::Unknown) {
    written.notes.emplace_back(
        "GOAL keeps messages, bytes and waits, not what they mean: read back, the data cannot be "
        "verified any more");
  }
  return written;
}

}  // namespace espalier::formats

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "formats/load_schedule.hpp"
#include "formats/msccl_blocks.hpp"
#include "formats/msccl_text.hpp"

namespace espalier::formats {
namespace {

using schedule::Collective;
using schedule::Op;
using schedule::Operation;
using schedule::OpKind;
using schedule::Program;
using schedule::Schedule;
using Space = ThreadStep::Space;

/// What MSCCL cannot say.
std::optional<Error> refusal_of(const Schedule& schedule) {
  const Collective& call = schedule.call;
  const auto refuse = [](std::string what, std::string hint) {
    return Error{"schedule", std::move(what), std::move(hint)};
  };
  if (msccl_name(call.operation).empty()) {
    return refuse(fmt::format("MSCCL has no {}", name_of(call.operation)),
                  "write it as json or goal");
  }
  if (call.irregular()) {
    return refuse("MSCCL's chunks are all of one length, those of a v form are not",
                  "write it as json or goal");
  }
  if (!call.commutative) {
    return refuse("MSCCL's reductions all commute, this one does not",
                  "plan it without --ordered, or write it as json or goal");
  }
  if (call.count == 0) return refuse("an empty call: MSCCL's have chunks", "plan for some bytes");
  for (const Program& program : schedule.programs) {
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::Compute || op.takes == Time{0}) continue;
      return refuse("MSCCL has no step that computes", "write it as json or goal");
    }
  }
  return std::nullopt;
}

/// Units of a chunk: the largest that divides every offset and length.
std::uint64_t chunk_of(const Collective& call, const std::vector<BlockProgram>& programs) {
  std::uint64_t chunk = call.count;
  for (const BlockProgram& program : programs) {
    for (const ThreadBlock& block : program.blocks) {
      for (const ThreadStep& step : block.steps) {
        for (const std::uint64_t n : {step.src.offset, step.dst.offset, step.count}) {
          chunk = std::gcd(chunk, n);
        }
      }
    }
  }
  return chunk;
}

class Writer {
 public:
  Writer(const Schedule& schedule, const std::vector<BlockProgram>& programs, std::uint64_t chunk)
      : schedule_(schedule), programs_(programs), chunk_(chunk) {
    call_ = schedule.call;
    call_.count /= chunk;
  }

  std::string write() {
    const std::uint64_t loop = msccl_chunks_per_loop(call_);
    const bool in_place = call_.operation == Operation::Broadcast;
    using Wide = unsigned __int128;
    const Wide bytes = Wide{loop} * chunk_ * call_.element.value;
    const std::uint64_t size = bytes >> 62U == 0 ? static_cast<std::uint64_t>(bytes) : 0;
    add("<algo name=\"{}\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"{}\" "
        "coll=\"{}\" inplace=\"{}\" outofplace=\"{}\" minBytes=\"{}\" maxBytes=\"{}\"{}>\n",
        escaped(schedule_.algorithm), loop, call_.size, msccl_name(call_.operation),
        in_place ? 1 : 0, in_place ? 0 : 1, size, size, root());
    for (Rank rank = 0; rank < call_.size; ++rank) gpu(rank);
    text_ += "</algo>\n";
    return std::move(text_);
  }

 private:
  template <typename... T>
  void add(fmt::format_string<T...> format, T&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(arguments)...);
  }
  static std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
      const bool plain = c != '<' && c != '>' && c != '&' && c != '"' && c >= ' ';
      safe += plain ? c : '_';
    }
    return safe;
  }
  /// Not MSCCL's, which ignores it: its broadcasts and reductions do not tell their root.
  [[nodiscard]] std::string root() const {
    switch (call_.operation) {
      case Operation::Broadcast:
      case Operation::Reduce:
      case Operation::Gather:
      case Operation::Scatter:
        return fmt::format(" root=\"{}\"", call_.root);
      default:
        return "";
    }
  }

  void gpu(Rank rank) {
    const BlockProgram& program = programs_[rank];
    add("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank,
        msccl_input_chunks(call_), msccl_output_chunks(call_),
        own_scratch(rank) + program.temporary / chunk_);
    for (std::size_t b = 0; b < program.blocks.size(); ++b) {
      const ThreadBlock& block = program.blocks[b];
      add("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", b, block.send, block.recv);
      for (std::size_t s = 0; s < block.steps.size(); ++s) step(rank, block, block.steps[s], s);
      text_ += "    </tb>\n";
    }
    text_ += "  </gpu>\n";
  }
  /// Temporary comes behind it.
  [[nodiscard]] std::uint64_t own_scratch(Rank rank) const {
    return (schedule_.programs[rank].scratch_units + chunk_ - 1) / chunk_;
  }

  void step(Rank rank, const ThreadBlock& block, const ThreadStep& step, std::size_t number) {
    constexpr std::string_view kNames[] = {"s", "r", "re", "cpy", "nop"};
    add("      <step s=\"{}\" type=\"{}\"", number, kNames[static_cast<std::size_t>(step.kind)]);
    if (step.kind == ThreadStep::Kind::Nothing) {
      text_ += " srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\"";
    } else {
      // A message's other end lies in the peer's buffers.
      const bool sends = step.kind == ThreadStep::Kind::Send;
      const bool receives = step.kind == ThreadStep::Kind::Recv;
      slice("src", step.src, receives ? static_cast<Rank>(block.recv) : rank);
      slice("dst", step.dst, sends ? static_cast<Rank>(block.send) : rank);
    }
    add(" cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n", step.count / chunk_,
        step.dep_block, step.dep_step, step.announced ? 1 : 0);
  }
  void slice(std::string_view end, const ThreadStep::Slice& slice, Rank rank) {
    constexpr std::string_view kBuffers = "ioss";
    const std::uint64_t before = slice.space == Space::Temporary ? own_scratch(rank) : 0;
    add(" {}buf=\"{}\" {}off=\"{}\"", end, kBuffers[static_cast<std::size_t>(slice.space)], end,
        before + slice.offset / chunk_);
  }

  const Schedule& schedule_;
  const std::vector<BlockProgram>& programs_;
  std::uint64_t chunk_;
  Collective call_;  // lengths in chunks
  std::string text_;
};

/// Limits of MSCCL's runtime as published (msccl.h); a build of it may have others.
std::vector<std::string> notes_on(const std::vector<BlockProgram>& programs, std::uint64_t chunk) {
  std::size_t blocks = 0;
  std::size_t steps = 0;
  std::uint64_t count = 0;
  for (const BlockProgram& program : programs) {
    blocks = std::max(blocks, program.blocks.size());
    for (const ThreadBlock& block : program.blocks) {
      steps = std::max(steps, block.steps.size());
      for (const ThreadStep& step : block.steps) count = std::max(count, step.count / chunk);
    }
  }
  std::vector<std::string> notes;
  const auto note = [&](std::uint64_t found, std::uint64_t most, std::string_view what) {
    if (found <= most) return;
    notes.push_back(fmt::format("up to {} {}; MSCCL as published takes {}", found, what, most));
  };
  note(blocks, 216, "thread blocks a GPU");
  note(steps, 256, "steps a thread block");
  note(count, 71, "chunks a step");
  return notes;
}

}  // namespace

Expected<WrittenSchedule> write_msccl(const Schedule& schedule) {
  if (auto error = refusal_of(schedule)) return *error;
  // Operand order only shows where all ranks must have the same bits.
  const auto programs = thread_blocks(schedule, schedule.call.operation == Operation::Allreduce);
  if (!programs) return programs.error();
  const std::uint64_t chunk = chunk_of(schedule.call, *programs);
  Collective in_chunks = schedule.call;
  in_chunks.count /= chunk;
  constexpr std::uint64_t kMostChunks = 0x7fffffff;
  for (const Program& program : schedule.programs) {
    const std::uint64_t scratch = program.scratch_units / chunk + 1;
    if (std::max(scratch, msccl_input_chunks(in_chunks)) > kMostChunks ||
        msccl_output_chunks(in_chunks) > kMostChunks) {
      return Error{"schedule",
                   fmt::format("its slices have no larger common part than {} elements, which "
                               "makes more than 2^31 chunks",
                               chunk),
                   "plan for a size that the ranks divide evenly"};
    }
  }
  return WrittenSchedule{Writer(schedule, *programs, chunk).write(), notes_on(*programs, chunk)};
}

}  // namespace espalier::formats

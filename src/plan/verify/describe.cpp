#include "verify/describe.hpp"

#include <fmt/format.h>

namespace espalier::verify {
namespace {

using namespace schedule;

std::string describe_region(const Program& program, const Region& region) {
  const IndexSet& outer = program.sets[region.outer.set];
  const IndexSet& inner = program.sets[region.inner.set];
  if (region.length == 0 || outer.size() == 0 || inner.size() == 0) return "nothing";
  const std::uint64_t first = region.offset + outer.runs()[0].first * region.outer.stride +
                              inner.runs()[0].first * region.inner.stride;
  const std::string slice = describe(region.buffer, first, first + region.length);
  const std::uint64_t slices = outer.size() * inner.size();
  return slices == 1 ? slice : fmt::format("{} and {} more slices", slice, slices - 1);
}

std::string describe_peer(const Program& program, const Op& op) {
  if (op.peer != kNoRank) return fmt::format("{}", op.peer);
  return fmt::format("{} peers", program.sets[op.peers].size());
}

}  // namespace

const char* name_of(Buffer buffer) {
  switch (buffer) {
    case Buffer::In:
      return "In";
    case Buffer::Out:
      return "Out";
    default:
      return "Scratch";
  }
}

std::string describe(Buffer buffer, std::uint64_t begin, std::uint64_t end) {
  return fmt::format("{}[{}, {})", name_of(buffer), begin, end);
}

std::string describe(const Program& program, const Op& op) {
  switch (op.kind) {
    case OpKind::Send:
      return fmt::format("send to {}, tag {}, of {}", describe_peer(program, op), op.tag,
                         describe_region(program, op.from));
    case OpKind::Recv:
      return fmt::format("recv from {}, tag {}, into {}", describe_peer(program, op), op.tag,
                         describe_region(program, op.to));
    case OpKind::Reduce:
      return fmt::format("reduce of {} {} {}", describe_region(program, op.from),
                         op.operands == Operands::FromThenTo ? "on the left of" : "on the right of",
                         describe_region(program, op.to));
    case OpKind::Compute:
      return fmt::format("compute for {} ps", op.takes.picoseconds);
    default:
      return fmt::format("copy of {} to {}", describe_region(program, op.from),
                         describe_region(program, op.to));
  }
}

}  // namespace espalier::verify

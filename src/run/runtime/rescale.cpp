#include "runtime/rescale.hpp"

namespace espalier::runtime {

void rescale(PreparedProgram& prepared, std::uint64_t from, std::uint64_t to) {
  const auto change = [&](std::uint64_t& units) {
    if (units != 0) units = units == from ? to : units / from * to;
  };
  const auto change_region = [&](schedule::Region& region) {
    change(region.offset);
    change(region.length);
    change(region.outer.stride);
    change(region.inner.stride);
  };
  change(prepared.program.scratch_units);
  for (schedule::Op& op : prepared.program.ops) {
    change_region(op.from);
    change_region(op.to);
    change(op.peer_stride);
  }
  for (Message& message : prepared.messages) change_region(message.region);
  for (SequentialStep& step : prepared.steps) {
    change(step.offset);
    change(step.length);
  }
  change(prepared.longest);
}

}  // namespace espalier::runtime

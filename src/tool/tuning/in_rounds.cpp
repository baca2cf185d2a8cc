#include "tuning/in_rounds.hpp"

#include <algorithm>
#include <vector>

namespace espalier::tuning {

using schedule::Op;
using schedule::OpKind;
using schedule::Program;

Program in_rounds(const Program& program) {
  Program result = program;
  result.deps.clear();
  std::vector<std::uint32_t> round;  // the last Send, and what was received since
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const auto data = program.deps_of(program.ops[i]);
    Op& op = result.ops[i];
    std::vector<std::uint32_t> waits(data.begin(), data.end());
    if (op.kind == OpKind::Send) {
      waits.insert(waits.end(), round.begin(), round.end());
      std::sort(waits.begin(), waits.end());
      waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
      round = {i};
    } else if (op.kind == OpKind::Recv) {
      round.push_back(i);
    }
    op.first_dep = static_cast<std::uint32_t>(result.deps.size());
    op.dep_count = static_cast<std::uint32_t>(waits.size());
    result.deps.insert(result.deps.end(), waits.begin(), waits.end());
  }
  return result;
}

}  // namespace espalier::tuning

#include "cli/reproduce_on_lab.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/measure_on_lab.hpp"
#include "cli/output.hpp"
#include "lab/lab.hpp"
#include "measure/wire_bound.hpp"

namespace espalier::cli {
namespace {

Expected<measure::Bench> measure_all(const lab::StateFolder& folder,
                                     const reproduce::LabRequest& request) {
  if (auto up = lab::up(folder, request.machine, {}, own_path().string()); !up) {
    return up.error();
  }
  auto lab = lab::open_lab(folder);
  if (!lab) return lab.error();
  measure::Bench bench{request.calls, {}, request.stacks, {}, measure::Clocks::Shared};
  for (const measure::MeasuredCall& call : bench.calls) {
    bench.bounds.push_back(measure::wire_bound(lab->machine, call));
  }
  for (const measure::Stack& stack : bench.stacks) {
    if (!is_built(stack)) {
      return Error{"reproduce", fmt::format("{} is not built", library_path(stack).string()), ""};
    }
    write_message(fmt::format("reproduce: {} ranks, {}, {} calls\n", lab->machine.size(),
                              stack.title, bench.calls.size()));
    auto measured = measure_on_lab(*lab, stack, bench.calls, bench.clocks, request.repeats);
    if (!measured) return measured.error();
    bench.measured.push_back(*std::move(measured));
  }
  return bench;
}

}  // namespace

Expected<measure::Bench> measure_in_own_lab(const reproduce::LabRequest& request) {
  auto folder = lab::state_folder(fmt::format("/run/espalier-reproduce.{}", ::getpid()));
  if (!folder) return folder.error();
  auto bench = measure_all(*folder, request);
  if (auto down = lab::down(*folder); !down && bench) return down.error();
  return bench;
}

}  // namespace espalier::cli

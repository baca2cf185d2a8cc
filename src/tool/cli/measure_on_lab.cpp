#include "cli/measure_on_lab.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "lab/run.hpp"

namespace espalier::cli {

std::filesystem::path own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::filesystem::path library_path(const measure::Stack& stack) {
  return own_path().parent_path().parent_path() / "lib" / stack.library;
}

bool is_built(const measure::Stack& stack) {
  if (stack.is_peer()) return true;
  const std::filesystem::path front = library_path(stack);
  return std::filesystem::exists(front) &&
         std::filesystem::exists(front.parent_path() / fmt::format("libespalier-{}.so", stack.mpi));
}

Expected<std::string> output_on_lab(const lab::OpenLab& lab, lab::LaunchRequest request,
                                    const std::string& who) {
  auto whole = lab::completed(std::move(request), lab, own_path().string());
  if (!whole) return whole.error();
  const auto launch = lab::launch(*whole, lab.machine, lab.plan);
  if (!launch) return launch.error();
  const std::string output = fmt::format("{}/measured.{}", lab.folder.path, ::getpid());
  const auto code = lab::run_launch(lab, *whole, *launch, output);
  auto text = lab::read_text(output);
  (void)remove_own_file(output);
  if (!code) return code.error();
  if (*code != 0) return Error{who, fmt::format("ended with exit code {}", *code), ""};
  return text;
}

Expected<std::vector<measure::MeasuredTimes>> measure_on_lab(
    const lab::OpenLab& lab, const measure::Stack& stack,
    const std::vector<measure::MeasuredCall>& calls, measure::Clocks clocks, int repeats) {
  const std::filesystem::path tool = own_path();
  const std::string program = (tool.parent_path() / ("espalier-measure." + stack.mpi)).string();
  if (!std::filesystem::exists(program)) {
    return Error{"bench", fmt::format("{} is not built", program), "build it (make)"};
  }
  auto mpi = lab::mpi_called(stack.mpi);
  if (!mpi) return mpi.error();
  lab::LaunchRequest request;
  request.mpi = *mpi;
  request.ranks = lab.machine.size();
  request.mpiexec_arguments = stack.mpiexec_arguments;
  request.environment = stack.environment;
  if (!stack.is_peer()) request.preloads.push_back(library_path(stack).string());
  request.program = {program, name_of(clocks), std::to_string(repeats)};
  for (const measure::MeasuredCall& c : calls) request.program.push_back(argument_of(c));
  const auto text = output_on_lab(lab, std::move(request), "bench: " + stack.key);
  if (!text) return text.error();
  if (!stack.is_peer() && !measure::has_library(*text)) {
    return Error{"bench",
                 fmt::format("{} took no call of {}", library_path(stack).string(), program),
                 "espalier doctor " + program + " says why"};
  }
  return measure::read_measured(*text, calls);
}

}  // namespace espalier::cli

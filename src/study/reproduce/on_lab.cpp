#include "reproduce/on_lab.hpp"

#include <algorithm>

namespace espalier::reproduce {

bool wants(const LabStudyOptions& options, std::string_view part) {
  return options.parts.empty() ||
         std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
}

std::string title_of_mpi(const std::string& mpi) { return mpi == "openmpi" ? "Open MPI" : "MPICH"; }

measure::Stack native_stack(const std::string& mpi) {
  return {"native", title_of_mpi(mpi), mpi, {}, "", {}};
}

measure::Stack espalier_stack(std::string key, std::string title, const std::string& mpi,
                              const std::string& algorithm) {
  return held_stack(std::move(key), std::move(title), mpi,
                    algorithm.empty() ? "" : "broadcast=" + algorithm);
}

measure::Stack held_stack(std::string key, std::string title, const std::string& mpi,
                          const std::string& algorithms) {
  // Forced: from the first call on, also where native is predicted to be as fast.
  std::vector<std::string> environment{"ESPALIER_FORCE=1"};
  if (!algorithms.empty()) environment.push_back("ESPALIER_ALGORITHM=" + algorithms);
  return {std::move(key), std::move(title), mpi, {}, measure::kLibrary, environment};
}

report::Cell time_cell(const measure::MeasuredTimes& measured, double unit_us) {
  if (measured.wrong != 0) return {"WRONG", report::Style::Bad};
  return report::Decimal{measured.summary.median / unit_us, unit_us > 1 ? 2 : 0};
}

}  // namespace espalier::reproduce

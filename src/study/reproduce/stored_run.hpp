#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "reproduce/exhibit.hpp"
#include "reproduce/report.hpp"

namespace espalier::reproduce {

/// Where and when exhibits were measured with real MPI.
struct MeasuredRun {
  std::string date;     ///< "2026-11-17"
  std::string place;    ///< "lab" or "here"
  std::string mpi;      ///< "mpich" or "openmpi"
  std::string command;  ///< the whole command line
  std::string version;  ///< version of the tool
  unsigned cores = 0;   ///< cores of the computer
};

/// The document "espalier-reproduce-1" of docs/formats.md, of figures that were measured: also what
/// is needed to show them elsewhere later (headings, pictures).
[[nodiscard]] std::string to_json(const std::string& paper, const std::vector<Exhibit>& exhibits,
                                  const MeasuredRun& measured);

/// The exhibits of such a document, for the report. @param file name for messages
Expected<std::vector<ReportedPart>> stored_parts(const std::string& text, const std::string& file);

}  // namespace espalier::reproduce

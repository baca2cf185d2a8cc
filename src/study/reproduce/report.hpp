#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "base/json.hpp"
#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// An exhibit of the report, as it is kept in a file until all are there.
struct ReportedPart {
  std::string paper;    ///< key of the paper: "karonis"
  std::string key;      ///< key of the part: "figure7"
  std::string command;  ///< the command line that makes this exhibit alone
  std::string date;     ///< "2026-11-17"
  std::string version;  ///< version of the tool that made it
  double seconds = 0;
  std::string title;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;  ///< rows as people read them
  std::string figures;                         ///< the same as JSON, as programs read them
  std::vector<std::string> notes;
  std::string svg;
  std::vector<Comparison> comparisons;
  std::string mpi;  ///< measured in a lab with this MPI: "mpich"; empty: computed
};

/// Numbers that the paper states beside those of its exhibit: columns "paper_X" beside "X", and
/// those that stand in its text (stated_numbers.cpp). Exhibit::stated has others.
[[nodiscard]] std::vector<Comparison> compare(std::string_view paper, std::string_view part,
                                              const Json& rows);

/// What our numbers are beside the paper's, in a sentence that is computed from them; empty without
/// numbers of the paper.
[[nodiscard]] std::string verdict(const std::vector<Comparison>& comparisons);

/// Why an exhibit has no number of the paper beside it; empty: it should have one.
[[nodiscard]] std::string why_without_numbers(std::string_view paper, std::string_view part);
/// verdict(), or why there is none. Never empty.
[[nodiscard]] std::string verdict_of(const ReportedPart& part);

/// @param about says where and when: command, date, version, seconds
[[nodiscard]] ReportedPart reported(const Exhibit& exhibit, ReportedPart about);

/// A part as text for its file, and back (espalier-reproduce-part-1).
[[nodiscard]] std::string to_text(const ReportedPart& part);
Expected<ReportedPart> part_from_text(const std::string& text, const std::string& file);

/// Both, with each measured exhibit behind the computed one of the same key, or behind all of its
/// paper if there is none.
[[nodiscard]] std::vector<ReportedPart> arranged(std::vector<ReportedPart> computed,
                                                 const std::vector<ReportedPart>& measured);

/// All papers in one page that needs nothing else, and as JSON (espalier-report-1).
[[nodiscard]] std::string report_html(const std::vector<ReportedPart>& parts);
[[nodiscard]] std::string report_json(const std::vector<ReportedPart>& parts);

}  // namespace espalier::reproduce

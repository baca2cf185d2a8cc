#include "reproduce/stored_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "report/plain_svg.hpp"

namespace espalier::reproduce {
namespace {

constexpr std::string_view kFormat = "espalier-reproduce-1";
constexpr const char* kHint = "take what espalier reproduce PAPER --on lab --json wrote";

/// Headings of columns that programs read under another name.
Json headings_of(const report::Table& table) {
  Json headings = Json::object();
  for (const report::Column& column : table.columns) {
    if (!column.key.empty() && !column.title.empty()) headings[column.key] = column.title;
  }
  return headings;
}

std::string shown(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Whether every row has a cell for each heading.
bool is_rectangular(const ReportedPart& part) {
  return std::all_of(part.rows.begin(), part.rows.end(),
                     [&](const auto& row) { return row.size() == part.headings.size(); });
}

/// Key of the paper that is cited so; empty: none.
std::string paper_cited(const std::string& citation) {
  for (const Paper& one : papers()) {
    if (one.citation == citation) return std::string(one.key);
  }
  return "";
}

void take_rows(const Json& exhibit, ReportedPart& part) {
  const Json headings = exhibit.value("headings", Json::object());
  part.figures = exhibit.at("rows").dump();
  for (const Json& row : exhibit.at("rows")) {
    std::vector<std::string>& cells = part.rows.emplace_back();
    for (const auto& [key, value] : row.items()) {
      if (part.rows.size() == 1) part.headings.push_back(headings.value(key, key));
      cells.push_back(shown(value));
    }
  }
}

ReportedPart part_of(const Json& run, const Json& exhibit) {
  ReportedPart part;
  part.key = exhibit.at("key").get<std::string>();
  part.command = run.at("command").get<std::string>();
  part.date = run.at("date").get<std::string>();
  part.version = run.at("version").get<std::string>();
  part.mpi = run.at("mpi").get<std::string>();
  part.title = exhibit.at("title").get<std::string>();
  part.notes = exhibit.at("notes").get<std::vector<std::string>>();
  part.svg = exhibit.value("svg", "");
  take_rows(exhibit, part);
  return part;
}

}  // namespace

std::string to_json(const std::string& paper, const std::vector<Exhibit>& exhibits,
                    const MeasuredRun& measured) {
  Json json = {
      {"format", kFormat},           {"paper", paper},          {"date", measured.date},
      {"on", measured.place},        {"mpi", measured.mpi},     {"command", measured.command},
      {"version", measured.version}, {"cores", measured.cores}, {"exhibits", Json::array()}};
  for (const Exhibit& exhibit : exhibits) {
    json["exhibits"].push_back({{"key", exhibit.key},
                                {"title", exhibit.title},
                                {"headings", headings_of(exhibit.table)},
                                {"rows", report::to_json(exhibit.table)},
                                {"notes", exhibit.notes},
                                {"svg", exhibit.svg}});
  }
  return json.dump(2) + "\n";
}

Expected<std::vector<ReportedPart>> stored_parts(const std::string& text, const std::string& file) {
  const auto read = Json::read(text);
  if (!read) return Error{file, read.error().what, kHint};
  try {
    const Json& run = *read;
    if (run.at("format") != kFormat) return Error{file, "no stored run", kHint};
    if (!run.contains("date")) {
      return Error{file, "computed exhibits, which are no stored run", kHint};
    }
    const auto citation = run.at("paper").get<std::string>();
    const std::string paper = paper_cited(citation);
    if (paper.empty()) return Error{file, fmt::format("no paper \"{}\"", citation), kHint};
    std::vector<ReportedPart> parts;
    for (const Json& exhibit : run.at("exhibits")) {
      parts.push_back(part_of(run, exhibit));
      if (!parts.back().svg.empty() && !report::is_plain_svg(parts.back().svg)) {
        return Error{file, fmt::format("the picture of \"{}\" is none of ours", parts.back().key),
                     kHint};
      }
      parts.back().paper = paper;
      parts.back().comparisons = compare(paper, parts.back().key, exhibit.at("rows"));
      if (!is_rectangular(parts.back())) {
        return Error{file, fmt::format("rows of \"{}\" differ in length", parts.back().key), kHint};
      }
    }
    return parts;
  } catch (const JsonError&) {
    return Error{file, "no stored run", kHint};
  }
}

}  // namespace espalier::reproduce

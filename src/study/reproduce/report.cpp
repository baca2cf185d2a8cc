#include "reproduce/report.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "report/plain_svg.hpp"

namespace espalier::reproduce {
namespace {

constexpr std::string_view kPartFormat = "espalier-reproduce-part-1";

std::vector<Comparison> comparisons_from(const Json& list) {
  std::vector<Comparison> all;
  for (const Json& one : list) {
    all.push_back({one.at("what").get<std::string>(), one.at("ours").get<double>(),
                   one.at("paper").get<double>()});
  }
  return all;
}

}  // namespace

ReportedPart reported(const Exhibit& exhibit, ReportedPart part) {
  part.title = exhibit.title;
  part.notes = exhibit.notes;
  part.svg = exhibit.svg;
  const Json rows = report::to_json(exhibit.table);
  part.figures = rows.dump();
  part.comparisons = compare(part.paper, part.key, rows);
  part.comparisons.insert(part.comparisons.end(), exhibit.stated.begin(), exhibit.stated.end());
  for (const report::Column& column : exhibit.table.columns) {
    part.headings.push_back(column.title.empty() ? column.key : column.title);
  }
  for (const auto& row : exhibit.table.rows) {
    std::vector<std::string>& shown = part.rows.emplace_back();
    for (const report::Cell& cell : row) {
      std::string text;
      for (const report::Span& span : cell.shown()) text += span.text;
      shown.push_back(text.empty() ? cell.raw() : text);
    }
  }
  return part;
}

std::string to_text(const ReportedPart& part) {
  return Json{{"format", kPartFormat},     {"paper", part.paper},
              {"key", part.key},           {"command", part.command},
              {"date", part.date},         {"version", part.version},
              {"seconds", part.seconds},   {"title", part.title},
              {"headings", part.headings}, {"rows", part.rows},
              {"figures", part.figures},   {"notes", part.notes},
              {"svg", part.svg},           {"comparisons", comparisons_json(part.comparisons)}}
             .dump() +
         "\n";
}

Expected<ReportedPart> part_from_text(const std::string& text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kPartFormat) return Error{file, "no part of a report", ""};
    ReportedPart part;
    part.paper = json.at("paper").get<std::string>();
    part.key = json.at("key").get<std::string>();
    part.command = json.at("command").get<std::string>();
    part.date = json.at("date").get<std::string>();
    part.version = json.at("version").get<std::string>();
    part.seconds = json.at("seconds").get<double>();
    part.title = json.at("title").get<std::string>();
    part.headings = json.at("headings").get<std::vector<std::string>>();
    part.rows = json.at("rows").get<std::vector<std::vector<std::string>>>();
    part.figures = json.at("figures").get<std::string>();
    static_cast<void>(Json::parse(part.figures));
    part.notes = json.at("notes").get<std::vector<std::string>>();
    part.svg = json.at("svg").get<std::string>();
    part.comparisons = comparisons_from(json.at("comparisons"));
    if (!part.svg.empty() && !report::is_plain_svg(part.svg)) {
      return Error{file, "its picture is none of ours", "remove it, and it is made again"};
    }
    return part;
  } catch (const JsonError&) {
    return Error{file, "no part of a report", "remove it, and it is made again"};
  }
}

std::vector<ReportedPart> arranged(std::vector<ReportedPart> computed,
                                   const std::vector<ReportedPart>& measured) {
  for (const ReportedPart& one : measured) {
    const auto last = [&](const auto& is_before) {
      return std::find_if(computed.rbegin(), computed.rend(), is_before).base();
    };
    auto place = last(
        [&](const ReportedPart& part) { return part.paper == one.paper && part.key == one.key; });
    if (place == computed.begin()) {
      place = last([&](const ReportedPart& part) { return part.paper == one.paper; });
    }
    computed.insert(place == computed.begin() ? computed.end() : place, one);
  }
  return computed;
}

std::string report_json(const std::vector<ReportedPart>& parts) {
  Json list = Json::array();
  for (const ReportedPart& part : parts) {
    list.push_back({{"paper", part.paper},
                    {"key", part.key},
                    {"title", part.title},
                    {"command", part.command},
                    {"date", part.date},
                    {"seconds", part.seconds},
                    {"mpi", part.mpi.empty() ? Json() : Json(part.mpi)},
                    {"verdict", verdict_of(part)},
                    {"comparisons", comparisons_json(part.comparisons)},
                    {"rows", Json::parse(part.figures)},
                    {"notes", part.notes}});
  }
  return Json{{"format", "espalier-report-1"}, {"exhibits", list}}.dump(1) + "\n";
}

}  // namespace espalier::reproduce

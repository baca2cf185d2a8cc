#include "reproduce/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace espalier::reproduce {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kPartFormat = "espalier-reproduce-part-1";

OrderedJson comparisons_json(const std::vector<Comparison>& comparisons) {
  OrderedJson list = OrderedJson::array();
  for (const Comparison& one : comparisons) {
    list.push_back(
        {{"what", one.what}, {"ours", one.ours}, {"paper", one.paper}, {"ratio", one.ratio()}});
  }
  return list;
}

}  // namespace

ReportedPart reported(const Exhibit& exhibit, ReportedPart part) {
  part.title = exhibit.title;
  part.notes = exhibit.notes;
  part.svg = exhibit.svg;
  const OrderedJson rows = report::to_json(exhibit.table);
  part.figures = rows.dump();
  part.comparisons = compare(part.paper, part.key, rows);
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
  return OrderedJson{
             {"format", kPartFormat},   {"paper", part.paper},     {"key", part.key},
             {"command", part.command}, {"date", part.date},       {"version", part.version},
             {"seconds", part.seconds}, {"title", part.title},     {"headings", part.headings},
             {"rows", part.rows},       {"figures", part.figures}, {"notes", part.notes},
             {"svg", part.svg}}
             .dump() +
         "\n";
}

Expected<ReportedPart> part_from_text(const std::string& text, const std::string& file) {
  try {
    const OrderedJson json = OrderedJson::parse(text);
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
    part.notes = json.at("notes").get<std::vector<std::string>>();
    part.svg = json.at("svg").get<std::string>();
    part.comparisons = compare(part.paper, part.key, OrderedJson::parse(part.figures));
    return part;
  } catch (const OrderedJson::exception& error) {
    return Error{file, "no part of a report", "remove it, and it is made again"};
  }
}

Expected<std::vector<ReportedPart>> stored_parts(const std::string& text, const std::string& file,
                                                 const std::string& date) {
  constexpr const char* kHint = "take what espalier reproduce PAPER --on lab --json wrote";
  try {
    const OrderedJson json = OrderedJson::parse(text);
    if (json.at("format") != "espalier-reproduce-1") return Error{file, "no stored run", kHint};
    const auto citation = json.at("paper").get<std::string>();
    std::string paper;
    for (const Paper& one : papers()) {
      if (one.citation == citation) paper = one.key;
    }
    if (paper.empty()) return Error{file, fmt::format("no paper \"{}\"", citation), kHint};
    std::vector<ReportedPart> parts;
    for (const OrderedJson& exhibit : json.at("exhibits")) {
      ReportedPart& part = parts.emplace_back();
      part.paper = paper;
      part.key = exhibit.at("key").get<std::string>();
      part.command =
          fmt::format("espalier reproduce {} --on lab --part {} --json", paper, part.key);
      part.date = json.value("date", date);
      part.title = exhibit.at("title").get<std::string>() + " (measured)";
      part.notes = exhibit.at("notes").get<std::vector<std::string>>();
      part.figures = exhibit.at("rows").dump();
      for (const OrderedJson& row : exhibit.at("rows")) {
        std::vector<std::string>& shown = part.rows.emplace_back();
        for (const auto& [key, value] : row.items()) {
          if (part.rows.size() == 1) part.headings.push_back(key);
          shown.push_back(value.is_null()     ? ""
                          : value.is_string() ? value.get<std::string>()
                                              : value.dump());
        }
      }
    }
    return parts;
  } catch (const OrderedJson::exception& error) {
    return Error{file, "no stored run", kHint};
  }
}

std::string report_json(const std::vector<ReportedPart>& parts) {
  OrderedJson list = OrderedJson::array();
  for (const ReportedPart& part : parts) {
    list.push_back({{"paper", part.paper},
                    {"key", part.key},
                    {"title", part.title},
                    {"command", part.command},
                    {"date", part.date},
                    {"seconds", part.seconds},
                    {"verdict", verdict(part.comparisons)},
                    {"comparisons", comparisons_json(part.comparisons)},
                    {"rows", OrderedJson::parse(part.figures)},
                    {"notes", part.notes}});
  }
  return OrderedJson{{"format", "espalier-report-1"}, {"exhibits", list}}.dump(1) + "\n";
}

}  // namespace espalier::reproduce

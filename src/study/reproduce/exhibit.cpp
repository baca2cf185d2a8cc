#include "reproduce/exhibit.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"

namespace espalier::reproduce {
namespace {

report::Table for_the_terminal(const Exhibit& exhibit) {
  if (exhibit.shown.empty()) return exhibit.table;
  report::Table table{exhibit.table.columns, {}};
  for (const std::size_t row : exhibit.shown) table.rows.push_back(exhibit.table.rows[row]);
  return table;
}

}  // namespace

double Comparison::off() const { return std::abs(paper == 0 ? ours : ratio() - 1); }

void add_notes(Exhibit& exhibit, const std::vector<std::string>& notes) {
  exhibit.notes.insert(exhibit.notes.end(), notes.begin(), notes.end());
}

std::string to_text(const std::vector<Exhibit>& exhibits, const report::Canvas& canvas) {
  std::string text;
  for (const Exhibit& exhibit : exhibits) {
    if (!text.empty()) text += "\n";
    text += report::paint(exhibit.title, report::Style::Bold, canvas) + "\n\n";
    text += report::to_text(for_the_terminal(exhibit), canvas);
    if (!exhibit.shown.empty()) {
      text += fmt::format("({} of {} rows; --json and --folder give all)\n", exhibit.shown.size(),
                          exhibit.table.rows.size());
    }
    for (const std::string& note : exhibit.notes) {
      text += "\n" + report::wrapped(note, canvas.width, "  ");
      if (!text.ends_with('\n')) text += "\n";
    }
  }
  return text;
}

Json comparisons_json(const std::vector<Comparison>& comparisons) {
  Json list = Json::array();
  for (const Comparison& one : comparisons) {
    list.push_back({{"what", one.what},
                    {"ours", one.ours},
                    {"paper", one.paper},
                    {"ratio", one.paper == 0 ? Json() : Json(one.ratio())}});
  }
  return list;
}

std::string to_json(const std::string& paper, const std::vector<Exhibit>& exhibits) {
  Json json = {{"format", "espalier-reproduce-1"}, {"paper", paper}};
  json["exhibits"] = Json::array();
  for (const Exhibit& exhibit : exhibits) {
    json["exhibits"].push_back({{"key", exhibit.key},
                                {"title", exhibit.title},
                                {"rows", report::to_json(exhibit.table)},
                                {"notes", exhibit.notes}});
    if (!exhibit.stated.empty()) {
      json["exhibits"].back()["stated"] = comparisons_json(exhibit.stated);
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace espalier::reproduce

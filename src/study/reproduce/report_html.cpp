// The report as one page: no script, no other file, light or dark as the reader's system.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reproduce/report.hpp"

namespace espalier::reproduce {
namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ink:#1c1e21;--soft:#5b626b;--line:#d9dde2;--ground:#fff;--card:#f6f7f9;--good:#0a6e4a;--off:#a34a00}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#a3abb5;--line:#3a4048;--ground:#16181b;--card:#1f2226;--good:#5fc79a;--off:#f0a35e}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);margin:0}
main{max-width:70rem;margin:0 auto;padding:2rem 1.25rem 5rem}
h1{font-size:1.9rem;margin:.2em 0}
h2{margin:3.5rem 0 .3rem;border-top:2px solid var(--line);padding-top:1.5rem}
h3{margin:2.2rem 0 .5rem}
p{max-width:48rem}
.about,.where{color:var(--soft);font-size:.9rem}
.verdict{border-left:4px solid var(--off);padding:.1rem 0 .1rem .8rem}
.verdict.same{border-color:var(--good)}
.verdict.none{border-color:var(--line);color:var(--soft)}
.wide{overflow-x:auto}
figure{margin:1rem 0;background:#fff;border:1px solid var(--line);border-radius:8px;padding:.75rem;max-width:52rem;overflow-x:auto}
figure svg{max-width:100%;height:auto;display:block;margin:auto}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;margin:.5rem 0}
th{text-align:left;color:var(--soft);font-weight:600;vertical-align:bottom}
th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right;white-space:nowrap}
td.off{color:var(--off);font-weight:600}
code{background:var(--card);border:1px solid var(--line);border-radius:4px;padding:.1rem .35rem;font-size:.85rem}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--soft)}
nav ul{columns:2;padding-left:1.2rem}
@media(max-width:40rem){nav ul{columns:1}}
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.,+-eE% ") == std::string_view::npos;
}

std::string anchor(const ReportedPart& part, std::size_t index) {
  return fmt::format("{}-{}-{}", part.paper, part.key, index);
}

std::string rows_html(const ReportedPart& part) {
  std::string text = "<div class=\"wide\"><table><thead><tr>";
  const auto is_right = [&](std::size_t c) {
    return std::all_of(part.rows.begin(), part.rows.end(),
                       [c](const auto& row) { return row[c].empty() || is_number(row[c]); });
  };
  std::vector<bool> right;
  for (std::size_t c = 0; c < part.headings.size(); ++c) {
    right.push_back(is_right(c));
    text += fmt::format("<th{}>{}</th>", right[c] ? " class=\"n\"" : "", escaped(part.headings[c]));
  }
  text += "</tr></thead><tbody>";
  for (const auto& row : part.rows) {
    text += "<tr>";
    for (std::size_t c = 0; c < row.size() && c < right.size(); ++c) {
      text += fmt::format("<td{}>{}</td>", right[c] ? " class=\"n\"" : "", escaped(row[c]));
    }
    text += "</tr>";
  }
  return text + "</tbody></table></div>";
}

std::string comparisons_html(const std::vector<Comparison>& all) {
  std::string text =
      "<div class=\"wide\"><table><thead><tr><th>stated by the paper</th><th class=\"n\">ours</th>"
      "<th class=\"n\">paper</th><th class=\"n\">ratio</th></tr></thead><tbody>";
  for (const Comparison& one : all) {
    text += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{:.4g}</td><td class=\"n\">{:.4g}</td><td class=\"n{}\">"
        "{}</td></tr>",
        escaped(one.what), one.ours, one.paper, one.is_same() ? "" : " off",
        one.paper == 0 ? std::string("&ndash;") : fmt::format("{:.3f}", one.ratio()));
  }
  return text + "</tbody></table></div>";
}

/// Long tables are folded.
std::string folded(const std::string& inside, std::size_t rows, std::string_view what) {
  constexpr std::size_t kShort = 16;
  if (rows <= kShort) return inside;
  return fmt::format("<details><summary>{}: {} rows</summary>{}</details>", what, rows, inside);
}

/// What was measured says so.
std::string full_title(const ReportedPart& part) {
  if (part.mpi.empty()) return part.title;
  return fmt::format("{}, measured with {}", part.title, title_of_mpi(part.mpi));
}

std::string part_html(const ReportedPart& part, std::size_t index) {
  std::string text =
      fmt::format("<section id=\"{}\"><h3>{}</h3>", anchor(part, index), escaped(full_title(part)));
  const bool is_same = std::all_of(part.comparisons.begin(), part.comparisons.end(),
                                   [](const Comparison& one) { return one.is_same(); });
  text += fmt::format("<p class=\"verdict{}\">{}</p>",
                      part.comparisons.empty() ? " none"
                      : is_same                ? " same"
                                               : "",
                      escaped(verdict_of(part)));
  if (!part.svg.empty()) text += fmt::format("<figure>{}</figure>", part.svg);
  if (!part.comparisons.empty()) {
    text +=
        folded(comparisons_html(part.comparisons), part.comparisons.size(), "ours and the paper's");
  }
  text += folded(rows_html(part), part.rows.size(), "all figures");
  for (const std::string& note : part.notes) text += fmt::format("<p>{}</p>", escaped(note));
  text += fmt::format("<p class=\"where\"><code>{}</code> &middot; {}{}", escaped(part.command),
                      part.mpi.empty() ? "" : "a stored run of ", escaped(part.date));
  if (part.seconds > 0) text += fmt::format(" &middot; {:.1f} s", part.seconds);
  return text + "</p></section>\n";
}

/// How many were measured, and when.
std::string measured_among(const std::vector<ReportedPart>& parts) {
  std::set<std::string> days;
  std::size_t count = 0;
  for (const ReportedPart& part : parts) {
    if (part.mpi.empty()) continue;
    ++count;
    days.insert(part.date);
  }
  if (count == 0) return "";
  return fmt::format(", {} of them measured with real MPI on emulated machines (stored runs of {})",
                     count, escaped(fmt::format("{}", fmt::join(days, ", "))));
}

}  // namespace

std::string report_html(const std::vector<ReportedPart>& parts) {
  std::size_t numbers = 0, same = 0;
  for (const ReportedPart& part : parts) {
    numbers += part.comparisons.size();
    for (const Comparison& one : part.comparisons) same += one.is_same() ? 1 : 0;
  }
  std::string text = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>Espalier: papers reproduced</title>"
      "<style>{}</style></head><body><main><h1>Papers, reproduced</h1><p class=\"about\">{} "
      "exhibits{}; {} numbers that papers state, {} of them within 5 % of ours.</p><nav><ul>",
      kStyle, parts.size(), measured_among(parts), numbers, same);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += fmt::format("<li><a href=\"#{}\">{}: {}</a></li>", anchor(parts[i], i),
                        escaped(parts[i].paper), escaped(full_title(parts[i])));
  }
  text += "</ul></nav>\n";
  for (const Paper& paper : papers()) {
    text += fmt::format("<h2>{}</h2><p class=\"about\">{}</p>\n", escaped(paper.key),
                        escaped(paper.about));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].paper == paper.key) text += part_html(parts[i], i);
    }
  }
  return text + "</main></body></html>\n";
}

}  // namespace espalier::reproduce

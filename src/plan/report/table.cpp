#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>

#include "base/contract.hpp"
#include "base/json.hpp"
#include "base/units.hpp"

namespace espalier::report {
namespace {

constexpr std::size_t kGap = 2;  // blanks between two columns

std::string fixed(Decimal d) { return fmt::format("{:.{}f}", d.value, d.places); }

/// Columns that have a title and at least one value.
std::vector<std::size_t> shown_columns(const Table& table) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool used = std::any_of(table.rows.begin(), table.rows.end(),
                                  [&](const auto& row) { return !row[c].is_blank(); });
    if (used && !table.columns[c].title.empty()) kept.push_back(c);
  }
  return kept;
}

std::vector<std::size_t> natural_widths(const Table& table, const std::vector<std::size_t>& kept) {
  std::vector<std::size_t> widths;
  for (const std::size_t c : kept) {
    std::size_t widest = display_width(table.columns[c].title);
    for (const auto& row : table.rows) {
      widest = std::max(widest, row[c].width());
    }
    widths.push_back(widest);
  }
  return widths;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  if (widths.empty()) return 0;
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

/// Takes columns away from the widest one that may shrink, until the line fits or none is left.
void shrink(const Table& table, const std::vector<std::size_t>& kept,
            std::vector<std::size_t>& widths, std::size_t limit) {
  while (total(widths) > limit) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::size_t narrowest = table.columns[kept[i]].shrinks_to;
      if (narrowest == 0 || widths[i] <= narrowest) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

/// Indexes of `kept`, for each part of the table.
std::vector<std::vector<std::size_t>> parts_of(const Table& table,
                                               const std::vector<std::size_t>& kept,
                                               const std::vector<std::size_t>& widths,
                                               const Canvas& canvas) {
  std::vector<std::size_t> all(kept.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (!canvas.folds || total(widths) <= canvas.width) return {all};
  const auto is_note = [&](std::size_t i) { return table.columns[kept[i]].title == " "; };
  std::vector<std::vector<std::size_t>> parts{{0}};
  std::size_t used = widths[0];
  for (const std::size_t i : all) used += is_note(i) ? kGap + widths[i] : 0;
  for (std::size_t i = 1; i < kept.size(); ++i) {
    if (is_note(i)) continue;
    if (used + kGap + widths[i] > canvas.width && parts.back().size() > 1) {
      parts.push_back({0});
      used = widths[0];
    }
    parts.back().push_back(i);
    used += kGap + widths[i];
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(parts.front()), is_note);
  return parts;
}

std::string padded(const Spans& spans, Align align, std::size_t width, const Canvas& canvas) {
  const Spans cut = shortened(spans, width);
  std::string text;
  for (const Span& span : cut) text += paint(span.text, span.style, canvas);
  const std::size_t used = std::min(width, display_width(plain(cut)));
  const std::string space(width - used, ' ');
  return align == Align::Left ? text + space : space + text;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

Json json_of(const Cell& cell) {
  if (cell.kind() == Cell::Kind::Nothing) return nullptr;
  if (cell.kind() == Cell::Kind::Text) return cell.raw();
  const char* const end = cell.raw().data() + cell.raw().size();
  if (cell.raw().find('.') == std::string::npos) {
    std::int64_t whole = 0;
    std::from_chars(cell.raw().data(), end, whole);
    return whole;
  }
  double value = 0;
  std::from_chars(cell.raw().data(), end, value);
  return value;
}

/// Names come from files, and a terminal obeys what stands in them.
Spans for_people(Spans spans) {
  for (Span& span : spans) span.text = printable(span.text);
  return spans;
}

void expects_rectangular(const Table& table) {
  for (const auto& row : table.rows) {
    expects(row.size() == table.columns.size(), "Table: a row is not as long as the heading");
  }
}

}  // namespace

Cell::Cell(Kind kind, Spans shown, std::string raw)
    : kind_(kind),
      shown_(for_people(std::move(shown))),
      raw_(std::move(raw)),
      width_(display_width(plain(shown_))) {}

Cell::Cell(std::string text, Style style) : Cell(Kind::Text, {{text, style}}, text) {}
Cell::Cell(std::int64_t number, Style style)
    : Cell(Kind::Number, {{fmt::format("{}", number), style}}, fmt::format("{}", number)) {}
Cell::Cell(Decimal number, Style style)
    : Cell(Kind::Number, {{fixed(number), style}}, fixed(number)) {}
Cell::Cell(Time time, Style style)
    : Cell(Kind::Number, {{rounded(time), style}}, fmt::format("{}", time.picoseconds)) {}
Cell::Cell(const Spans& spans) : Cell(Kind::Text, spans, plain(spans)) {}

std::string to_text(const Table& table, const Canvas& canvas) {
  expects_rectangular(table);
  const std::vector<std::size_t> kept = shown_columns(table);
  std::vector<std::size_t> widths = natural_widths(table, kept);
  shrink(table, kept, widths, canvas.width);
  std::string out;
  for (const std::vector<std::size_t>& part : parts_of(table, kept, widths, canvas)) {
    const auto append_row = [&](auto cell) {
      std::string line;
      for (const std::size_t i : part) {
        if (!line.empty()) line.append(kGap, ' ');
        line += padded(cell(kept[i]), table.columns[kept[i]].align, widths[i], canvas);
      }
      append_line(out, line);
    };
    if (!out.empty()) out += "\n";
    append_row([&](std::size_t c) { return Spans{{table.columns[c].title, Style::Dim}}; });
    for (const auto& row : table.rows) append_row([&](std::size_t c) { return row[c].shown(); });
  }
  return out;
}

std::size_t free_width(const Table& table, const Canvas& canvas) {
  expects_rectangular(table);
  const std::vector<std::size_t> kept = shown_columns(table);
  std::vector<std::size_t> widths = natural_widths(table, kept);
  shrink(table, kept, widths, canvas.width);
  const std::size_t used = total(widths) + kGap;
  return used < canvas.width ? canvas.width - used : 0;
}

std::string to_csv(const Table& table) {
  expects_rectangular(table);
  std::string out;
  const auto append_row = [&](auto field) {
    std::string line;
    bool first = true;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].key.empty()) continue;
      if (!first) line += ',';
      first = false;
      line += csv_field(field(c));
    }
    out += line + "\n";
  };
  append_row([&](std::size_t c) { return table.columns[c].key; });
  for (const auto& row : table.rows) append_row([&](std::size_t c) { return row[c].raw(); });
  return out;
}

Json to_json(const Table& table) {
  expects_rectangular(table);
  auto rows = Json::array();
  for (const auto& row : table.rows) {
    Json object;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].key.empty()) object[table.columns[c].key] = json_of(row[c]);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace espalier::report

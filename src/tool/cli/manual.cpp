#include "cli/manual.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "report/text.hpp"

namespace espalier::cli {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr std::size_t kWidestPage = 100;

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// A line of two columns. What is too long for it goes on under the second.
std::string kept_line(std::string_view line, std::size_t width, std::string_view indent) {
  const std::size_t gap = line.rfind("  ");
  if (gap == std::string_view::npos || indent.size() + report::display_width(line) <= width) {
    return fmt::format("{}{}\n", indent, line);
  }
  const std::string before = fmt::format("{}{}", indent, line.substr(0, gap + 2));
  std::string filled =
      report::wrapped(line.substr(gap + 2), width, std::string(before.size(), ' '));
  return filled.replace(0, before.size(), before);
}

/// Paragraphs are filled; lines that start with a space are kept.
std::string body(std::string_view text, std::size_t width, std::string_view indent = kIndent) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.empty()) {
      out += "\n";
    } else if (line.front() == ' ') {
      out += kept_line(line.substr(1), width, indent);
    } else {
      out += report::wrapped(line, width, indent);
    }
  }
  return out;
}

std::string section(std::string_view title, std::string_view text) {
  return fmt::format("{}\n{}\n", title, text);
}

/// Later lines of one call stand under its first option; no line breaks within brackets.
std::string synopsis(std::string_view text, std::size_t width) {
  constexpr char kGlue = '\x1f';
  std::string out;
  while (!text.empty()) {
    std::string line = fmt::format("espalier {}", next_line(text));
    int open = 0;
    for (char& c : line) {
      open += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ' ' && open > 0) c = kGlue;
    }
    std::string filled = report::wrapped(line, width, "            ");
    std::replace(filled.begin(), filled.end(), kGlue, ' ');
    filled.replace(0, 12, kIndent);
    out += filled;
  }
  return out;
}

std::string option_lines(const CLI::Option& option, std::size_t width,
                         std::string_view action = "") {
  const bool positional = option.nonpositional() ? false : option.get_positional();
  std::string names = option.get_name(positional, !positional);
  for (std::size_t comma = names.find(','); comma != std::string::npos;
       comma = names.find(',', comma + 2)) {
    names.insert(comma + 1, " ");
  }
  if (!positional && option.get_items_expected_max() > 0) names += " " + option.get_type_name();
  return fmt::format("{}{}{}\n{}", kIndent, action, names,
                     report::wrapped(option.get_description(), width, "        "));
}

std::string options(const CLI::App& app, std::size_t width) {
  std::string out;
  for (const CLI::App* from = &app; from != nullptr; from = from->get_parent()) {
    for (const CLI::Option* option : from->get_options()) {
      const bool repeated = from != &app && (option == from->get_help_ptr() ||
                                             option->get_name().starts_with("--version"));
      if (!repeated) out += option_lines(*option, width);
    }
  }
  return out;
}

/// Of a command's actions, as "up MACHINE"; what several of them have is told once.
std::string action_options(const CLI::App& app, std::size_t width) {
  std::string out;
  std::set<std::string> told;
  for (const CLI::App* action : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : action->get_options()) {
      if (option == action->get_help_ptr()) continue;
      const std::string lines = option_lines(*option, width);
      const bool shared = option->get_name() == "--state";
      if (shared && !told.insert(lines).second) continue;
      out += option_lines(*option, width, shared ? "" : action->get_name() + " ");
    }
  }
  return out;
}

constexpr std::string_view kExitStatus =
    "0  all went well\n"
    "1  an internal failure: a bug, no memory, output that could not be written;\n"
    "   of verify also: the schedule is refused; of doctor: there is a problem\n"
    "2  arguments or input that cannot be worked with; standard error says which\n"
    "130  ended by Ctrl-C, after what was there was shown\n"
    "run, lab run and lab exec end as the command that they start.";

constexpr std::string_view kEnvironment =
    "NO_COLOR  set and not empty: no colours, unless --color always\n"
    "TERM      dumb or not set: no colours, unless --color always\n"
    "COLUMNS   the width of drawings where standard output is no terminal; else 100";

/// Commands are to be copied.
std::string as_they_are(std::string_view lines) {
  std::string out;
  while (!lines.empty()) out += fmt::format("{}{}\n", kIndent, next_line(lines));
  return out;
}

std::string kept(std::string_view lines) {
  std::string out;
  while (!lines.empty()) out += fmt::format(" {}\n", next_line(lines));
  return out;
}

}  // namespace

std::string manual_page(const Manual& manual, const CLI::App& app, std::size_t width) {
  width = std::min(width, kWidestPage);
  const std::string dash_name = manual.name.empty() ? "" : " " + manual.name;
  std::string page =
      section("NAME", fmt::format("{}espalier{} - {}\n", kIndent, dash_name, manual.tagline)) +
      section("SYNOPSIS", synopsis(manual.synopsis, width)) +
      section("DESCRIPTION", body(manual.description, width));
  if (manual.name.empty()) {
    std::string list;
    for (const Command& c : commands()) {
      list += fmt::format(" {:<9} {}\n", c.manual.name, c.manual.tagline);
    }
    page += section("COMMANDS", body(list, width) + "\n" +
                                    body("espalier COMMAND --help tells about each.", width));
  }
  page += section("OPTIONS",
                  (manual.name.empty() ? "" : action_options(app, width)) + options(app, width));
  for (const Section& s : manual.sections) page += section(s.title, body(s.text, width));
  page += section("EXAMPLES", as_they_are(manual.examples));
  page += section("EXIT STATUS", body(kept(kExitStatus), width));
  page += section("ENVIRONMENT", body(kept(kEnvironment), width));
  page.pop_back();
  return page;
}

}  // namespace espalier::cli

#include "cli/usage.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "cli/command.hpp"
#include "launch/command_line.hpp"

namespace espalier::cli {
namespace {

bool is_tool(const CLI::App& app) { return app.get_parent() == nullptr; }

/// "espalier lab run"
std::string whole_name(const CLI::App& app) {
  return is_tool(app) ? "espalier" : whole_name(*app.get_parent()) + " " + app.get_name();
}

/// Actions have no page of their own: their command's tells about all.
std::string help_of(const CLI::App& app) {
  const bool is_action = !is_tool(app) && !is_tool(*app.get_parent());
  return whole_name(is_action ? *app.get_parent() : app) + " --help";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* from = &app; from != nullptr; from = from->get_parent()) {
    for (const CLI::Option* option : from->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

/// The option or argument of this name, of the command or of those above it; null if none.
const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* from = &app; from != nullptr; from = from->get_parent()) {
    if (const CLI::Option* found = from->get_option_no_throw(name)) return found;
  }
  return nullptr;
}

/// How to write what is missing: the option with its value, or what an argument may be.
std::string way_to_give(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = option_named(app, name);
  if (option == nullptr) return "";
  if (name.starts_with("-")) {
    return fmt::format("write {} {}; see {}", name, option->get_type_name(), help_of(app));
  }
  return fmt::format("{}: {} See {}", name, option->get_description(), help_of(app));
}

std::vector<std::string> action_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* action : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(action->get_name());
  }
  return names;
}

/// What other tools call it.
struct Synonym {
  std::string_view other;
  std::string_view ours;
};
constexpr std::array kSynonyms{
    Synonym{"stop", "down"},    Synonym{"halt", "down"},   Synonym{"destroy", "down"},
    Synonym{"remove", "down"},  Synonym{"start", "up"},    Synonym{"create", "up"},
    Synonym{"ps", "status"},    Synonym{"list", "status"}, Synonym{"draw", "show"},
    Synonym{"check", "verify"}, Synonym{"help", "--help"}};

/// Options by the names that other tools have for them. A name may come again: the first of ours
/// that the command has is meant.
constexpr std::array kOptionSynonyms{
    Synonym{"--hostfile", "--inventory"},    Synonym{"--hosts", "--inventory"},
    Synonym{"--machinefile", "--inventory"}, Synonym{"--hostlist", "--inventory"},
    Synonym{"--machine", "--inventory"},     Synonym{"--dry-run", "--print"},
    Synonym{"--against", "--mpi"},           Synonym{"--versus", "--mpi"},
    Synonym{"--topology", "--machine"},      Synonym{"--bytes", "--size"},
    Synonym{"--length", "--size"},           Synonym{"--ranks", "--processes"},
    Synonym{"--np", "--processes"},          Synonym{"--out", "--output"},
    Synonym{"--file", "--output"},           Synonym{"--algo", "--algorithm"},
    Synonym{"--op", "--operation"}};

/// What says here what other tools have an option for; empty if nothing does.
std::string said_otherwise(const CLI::App& app, const std::string& option) {
  constexpr std::array<std::string_view, 4> kCounts{"-n", "-np", "--np", "--ranks"};
  const bool is_count = std::find(kCounts.begin(), kCounts.end(), option) != kCounts.end();
  if (is_count && app.get_name() == "run" && whole_name(app) == "espalier run") {
    return "the launcher is told, behind \"--\": espalier run -- mpiexec -n 4 ./program";
  }
  if (is_count && option_named(app, "--machine") != nullptr &&
      option_named(app, "--processes") == nullptr) {
    return "the machine says how many: --machine \"node:2(50us) proc:4(1us)\"";
  }
  const bool is_operation = option == "-o" || option == "--operation" || option == "--op";
  if (is_operation && option_named(app, "OPERATION") != nullptr) {
    return fmt::format("the operation is a word of its own: {} broadcast", whole_name(app));
  }
  if (option == "--disable" && option_named(app, "--espalier") != nullptr) {
    return "leave out --espalier: all calls are then the MPI library's own";
  }
  return "";
}

std::string meant_option(const std::string& option, const std::vector<std::string>& known) {
  for (const Synonym& one : kOptionSynonyms) {
    const bool is_here = std::find(known.begin(), known.end(), one.ours) != known.end();
    if (one.other == option && is_here) return std::string(one.ours);
  }
  return nearest(option, known);
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  std::string near = nearest(word, known);
  if (!near.empty()) return near;
  for (const Synonym& one : kSynonyms) {
    const bool is_here =
        one.ours.starts_with('-') || std::find(known.begin(), known.end(), one.ours) != known.end();
    if (one.other == word && is_here) return std::string(one.ours);
  }
  return "";
}

Failure no_such_word(const CLI::App& app, std::string_view kind, const std::string& word,
                     const std::vector<std::string>& known) {
  const std::string near = meant(word, known);
  return usage(app, fmt::format("there is no {} \"{}\"", kind, word),
               near.empty() ? ""
                            : fmt::format("did you mean {}{}?",
                                          is_tool(app) ? "" : whole_name(app) + " ", near));
}

/// The same line with "--" in front of the word.
std::string with_dashes(const std::string& word, std::span<const char* const> line) {
  std::vector<std::string> words{"espalier"};
  bool is_put = false;
  for (const char* one : line.subspan(1)) {
    if (!is_put && one == word) words.emplace_back("--");
    is_put = is_put || one == word;
    words.emplace_back(one);
  }
  return launch::to_text(words);
}

}  // namespace

Failure usage(const CLI::App& app, std::string what, std::string suggestion) {
  return {{whole_name(app), std::move(what),
           suggestion.empty() ? fmt::format("see {}", help_of(app)) : std::move(suggestion)}};
}

namespace {

Failure takes_no_value(const CLI::App& app, const std::string& name) {
  return usage(app, fmt::format("{} takes no value", name),
               fmt::format("write {} alone; see {}", name, help_of(app)));
}

/// What to do instead of giving both.
std::string instead_of(std::string_view one, std::string_view other) {
  const auto are = [&](std::string_view a, std::string_view b) {
    return (one == a && other == b) || (one == b && other == a);
  };
  if (!are("--counts", "--svg")) return "leave one of them out";
  return "espalier simulate OPERATION --svg FILE draws the chosen plan: give it the same "
         "--machine, --counts, --size, --root, --memory and --model";
}

}  // namespace

Failure not_parsed(const CLI::App& app, const CLI::ParseError& error) {
  std::string what = error.what();
  if (const std::size_t at = what.find(" excludes "); at != std::string::npos) {
    const std::string one = what.substr(0, at), other = what.substr(at + 10);
    return usage(app, fmt::format("{} and {} do not go together", one, other),
                 instead_of(one, other));
  }
  if (const std::size_t at = what.find(" requires "); at != std::string::npos) {
    return usage(app, fmt::format("{} needs {} too", what.substr(0, at), what.substr(at + 10)));
  }
  if (const std::size_t at = what.find(": 1 required "); at != std::string::npos) {
    const std::string option = what.substr(0, at);
    const std::string type = what.substr(at + 13, what.rfind(" missing") - at - 13);
    return usage(app, fmt::format("{} has no value", option),
                 fmt::format("write {} {}; see {}", option, type, help_of(app)));
  }
  if (const std::size_t at = what.find(": At Most 1 required"); at != std::string::npos) {
    return usage(app, fmt::format("{} is given more than once", what.substr(0, at)),
                 "give it once");
  }
  if (const std::size_t at = what.find(" is required"); at != std::string::npos) {
    const std::string name = what.substr(0, at);
    return usage(app, fmt::format("{} is missing", name), way_to_give(app, name));
  }
  constexpr std::string_view kNotConverted = "Could not convert: ";
  if (const std::size_t at = what.find(" = "); what.starts_with(kNotConverted) && at != what.npos) {
    const std::string name = what.substr(kNotConverted.size(), at - kNotConverted.size());
    const CLI::Option* option = option_named(app, name);
    if (option != nullptr && option->get_items_expected_max() == 0) {
      return takes_no_value(app, name);
    }
    return usage(app, fmt::format("{}: \"{:.40}\" cannot be read", name, what.substr(at + 3)),
                 way_to_give(app, name));
  }
  if (const std::size_t at = what.find(" was given a disallowed flag override"); at != what.npos) {
    const std::string name = what.substr(0, at);  // without dashes
    return takes_no_value(app, (name.size() == 1 ? "-" : "--") + name);
  }
  return usage(app, std::move(what));
}

Failure unexpected(const CLI::App& app, const std::string& word, std::span<const char* const> line,
                   bool runs_others) {
  if (word.starts_with("-")) {
    const std::string option = word.substr(0, word.find('='));
    const std::vector<std::string> known = option_names(app);
    if (std::find(known.begin(), known.end(), option) != known.end()) {
      return usage(app, fmt::format("{} stands before \"{}\"", option, app.get_name()),
                   fmt::format("write it after \"{}\"", app.get_name()));
    }
    if (auto hint = said_otherwise(app, option); !hint.empty()) {
      return usage(app, fmt::format("there is no option \"{}\"", word), std::move(hint));
    }
    const std::string near = meant_option(option, known);
    return usage(app, fmt::format("there is no option \"{}\"", word),
                 near.empty() ? "" : fmt::format("did you mean {}?", near));
  }
  const std::vector<std::string> actions = action_names(app);
  if (!actions.empty())
    return no_such_word(app, is_tool(app) ? "command" : "action", word, actions);
  if (runs_others) {
    return usage(
        app, fmt::format("\"{}\" stands where options do: the command comes after \"--\"", word),
        "write: " + with_dashes(word, line));
  }
  const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
  const bool writes = !is_number && option_named(app, "--output") != nullptr;
  return usage(app, fmt::format("there is no place for the argument \"{}\"", word),
               writes ? fmt::format("to write to a file: --output {}", word) : "");
}

}  // namespace espalier::cli

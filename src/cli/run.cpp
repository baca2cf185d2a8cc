#include "cli/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string_view>

#include "base/contract.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/nearest.hpp"
#include "cli/output.hpp"
#include "cli/version.hpp"

namespace espalier::cli {
namespace {

/// One command as CLI11 knows it, and what it does.
struct Declared {
  Manual manual;
  CLI::App* app;
  std::function<Outcome()> work;
  bool takes_other_command;
};

std::string help_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? "espalier --help"
                                     : fmt::format("espalier {} --help", app.get_name());
}

Failure usage(const CLI::App& app, std::string what, std::string suggestion = "") {
  const std::string where =
      app.get_parent() == nullptr ? "espalier" : fmt::format("espalier {}", app.get_name());
  return {{where, std::move(what),
           suggestion.empty() ? fmt::format("see {}", help_of(app)) : std::move(suggestion)}};
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

/// A word that nobody asked for, and what it may have been meant to be.
Failure unexpected(const CLI::App& app, const std::string& word) {
  const bool is_option = word.starts_with("-");
  const bool is_command = !is_option && app.get_parent() == nullptr;
  std::vector<std::string> known;
  if (is_command) {
    for (const Command& c : commands()) known.push_back(c.manual.name);
  } else if (is_option) {
    known = option_names(app);
  }
  const std::string near = nearest(word.substr(0, word.find('=')), known);
  return usage(app,
               fmt::format("there is no {} \"{}\"",
                           is_command  ? "command"
                           : is_option ? "option"
                                       : "place for the argument",
                           word),
               near.empty() ? "" : fmt::format("did you mean {}?", near));
}

class Tool {
 public:
  Tool() : app_("", "espalier") {
    app_.allow_extras();
    app_.set_help_flag("-h,--help", "Print this page.");
    app_.set_version_flag("--version", version_line(), "Print the version.");
    app_.add_option("--color", globals_.canvas.color,
                    "Colours: auto (on a terminal), always, never. Default: auto.")
        ->type_name("WHEN");
    app_.add_option("--width", globals_.canvas.width,
                    "Columns to draw in. Default: those of the terminal, else 100.")
        ->type_name("COLUMNS");
    for (Command& command : commands()) {
      CLI::App* sub = app_.add_subcommand(command.manual.name, "");
      sub->fallthrough();
      sub->allow_extras();
      auto work = command.declare(*sub, globals_);
      declared_.push_back(
          {std::move(command.manual), sub, std::move(work), command.takes_other_command});
    }
  }

  Outcome run(int argc, const char* const* argv) {
    const char* const* end = argv + argc;
    const auto* const dashes =
        std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
    if (dashes != end) globals_.other_command.assign(dashes + 1, end);
    try {
      app_.parse(static_cast<int>(dashes - argv), argv);
    } catch (const CLI::CallForVersion&) {
      return write_output("-", version_line() + "\n");
    } catch (const CLI::CallForHelp&) {
      return help();
    } catch (const CLI::ParseError& error) {
      return usage(chosen(), error.what());
    }
    std::vector<std::string> extras = app_.remaining(true);
    std::erase(extras, "--");  // CLI11 keeps it, though it has obeyed it
    if (!extras.empty()) return unexpected(chosen(), extras.front());
    for (const Declared& d : declared_) {
      if (!d.app->parsed()) continue;
      if (dashes != end && !d.takes_other_command) return unexpected(*d.app, "--");
      return d.work();
    }
    return usage(app_, "no command is given");
  }

 private:
  [[nodiscard]] const CLI::App& chosen() const {
    for (const Declared& d : declared_) {
      if (d.app->parsed()) return *d.app;
    }
    return app_;
  }

  [[nodiscard]] Outcome help() const {
    auto canvas = choose_canvas(globals_.canvas, look_around());
    if (!canvas) return Failure{canvas.error()};
    for (const Declared& d : declared_) {
      if (d.app->parsed()) return write_output("-", manual_page(d.manual, *d.app, canvas->width));
    }
    return write_output("-", manual_page(tool_manual(), app_, canvas->width));
  }

  Globals globals_;
  CLI::App app_;
  std::vector<Declared> declared_;
};

int report(const Failure& failure) {
  write_message(to_string(failure.error) + "\n");
  return failure.exit_code;
}

int report_bug(const char* what) {
  return report({{"espalier", fmt::format("internal failure: {}", what),
                  "this is a bug in espalier; please report it with the command line and, if "
                  "possible, the machine"},
                 kExitInternal});
}

}  // namespace

int run(int argc, const char* const* argv) noexcept {
  try {
    prepare_streams();
    const Outcome outcome = Tool().run(argc, argv);
    return outcome ? report(*outcome) : kExitOk;
  } catch (const std::bad_alloc&) {
    write_message("espalier: error: out of memory\n");
  } catch (const std::exception& e) {
    return report_bug(e.what());
  }
  return kExitInternal;
}

}  // namespace espalier::cli

#include "cli/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string_view>

#include "base/contract.hpp"
#include "base/progress.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/usage.hpp"

namespace espalier::cli {
namespace {

/// One command as CLI11 knows it, and what it does.
struct DeclaredCommand {
  Manual manual;
  CLI::App* app;
  std::function<Outcome()> work;
  bool takes_other_command;
};

/// The words to be parsed, "--svg=" as "--svg" and "": CLI11 would take the next word for its
/// value, and mostly the value is a variable that is not set.
std::vector<std::string> with_empty_values(const char* const* begin, const char* const* end) {
  std::vector<std::string> words;
  for (const char* const* at = begin; at != end; ++at) {
    const std::string_view word = *at;
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1) {
      words.emplace_back(word.substr(0, word.size() - 1));
      words.emplace_back();
    } else {
      words.emplace_back(word);
    }
  }
  return words;
}

class Tool {
 public:
  Tool() : app_("", "espalier") {
    app_.allow_extras();
    app_.set_help_flag("-h,--help", "Print this page.");
    app_.set_version_flag("--version", version_line(), "Print the version.");
    App front_of_all(app_);
    front_of_all
        .add_option("--color", globals_.canvas.color,
                    "Colours: auto (on a terminal), always, never. Default: auto.")
        .type_name("WHEN");
    front_of_all
        .add_option("--width", globals_.canvas.width,
                    "Columns to draw in. Default: those of the terminal, else 100.")
        .type_name("COLUMNS");
    front_of_all.add_flag("--quiet", globals_.quiet, "Say nothing of how far long work has come.");
    for (Command& command : commands()) {
      CLI::App* sub = app_.add_subcommand(command.manual.name, "");
      sub->fallthrough();
      sub->allow_extras();
      App front(*sub);
      auto work = command.declare(front, globals_);
      declared_.push_back(
          {std::move(command.manual), sub, std::move(work), command.takes_other_command});
    }
  }

  Outcome run(int argc, const char* const* argv) {
    std::vector<const char*> asked(argv, argv + argc);
    if (argc > 2 && std::string_view(argv[1]) == "help") {  // espalier help plan
      asked = {argv[0], argv[2], "--help"};
      argc = 3;
      argv = asked.data();
    }
    const char* const* end = argv + argc;
    const auto* const dashes =
        std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
    if (dashes != end) globals_.other_command.assign(dashes + 1, end);
    const std::vector<std::string> words = with_empty_values(argv, dashes);
    std::vector<const char*> parsed;
    for (const std::string& word : words) parsed.push_back(word.c_str());
    try {
      app_.parse(static_cast<int>(parsed.size()), parsed.data());
    } catch (const CLI::CallForVersion&) {
      return write_output("-", version_line() + "\n");
    } catch (const CLI::CallForHelp&) {
      return help();
    } catch (const CLI::RequiredError& error) {
      // What is missing may be there, misspelt.
      for (const std::string& word : app_.remaining(true)) {
        if (word.starts_with("-") && word != "--")
          return unexpected(chosen(), word, {argv, end}, false);
      }
      return not_parsed(chosen(), error);
    } catch (const CLI::ParseError& error) {
      return not_parsed(chosen(), error);
    }
    std::vector<std::string> extras = app_.remaining(true);
    std::erase(extras, "--");  // CLI11 has obeyed it, and yet keeps it among the words
    if (!extras.empty()) {
      return unexpected(chosen(), extras.front(), {argv, end}, dashes == end && runs_others());
    }
    for (const DeclaredCommand& d : declared_) {
      if (!d.app->parsed()) continue;
      if (dashes != end && !d.takes_other_command) {
        return usage(*d.app, "there is no option \"--\"", "this command runs no other");
      }
      if (globals_.quiet) be_quiet();
      return d.work();
    }
    return usage(app_, "no command is given");
  }

 private:
  /// The command, or its action, if one is named.
  [[nodiscard]] const CLI::App& chosen() const {
    for (const DeclaredCommand& d : declared_) {
      if (!d.app->parsed()) continue;
      const auto actions = d.app->get_subcommands();  // actions that the command line names
      return actions.empty() ? *d.app : *actions.front();
    }
    return app_;
  }

  /// Whether the command itself, not one of its actions, starts what stands behind "--".
  [[nodiscard]] bool runs_others() const {
    return std::any_of(declared_.begin(), declared_.end(), [](const DeclaredCommand& d) {
      return d.app->parsed() && d.takes_other_command && d.app->get_subcommands({}).empty();
    });
  }

  [[nodiscard]] Outcome help() const {
    auto canvas = choose_canvas(globals_.canvas, look_around());
    if (!canvas) return Failure{canvas.error()};
    for (const DeclaredCommand& d : declared_) {
      if (d.app->parsed()) return write_output("-", manual_page(d.manual, *d.app, canvas->width));
    }
    return write_output("-", manual_page(tool_manual(), app_, canvas->width));
  }

  Globals globals_;
  CLI::App app_;
  std::vector<DeclaredCommand> declared_;
};

int report(const Failure& failure) {
  if (failure.error != Error{}) write_message(to_string(failure.error) + "\n");
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
    remember_words({argv, static_cast<std::size_t>(argc)});
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

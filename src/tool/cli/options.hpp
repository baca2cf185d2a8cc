#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace espalier::cli {

/// An option of a command, to say more about it. A handle: copies are the same option.
///
/// This header is a thin front of CLI11, whose own takes seconds to compile: commands include this
/// one.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// What help pages call its value: "FILE".
  Option& type_name(std::string_view name);
  Option& required(bool yes = true);
  /// It may be given several times, each with one value.
  Option& repeated();
  /// It may be given without a value, and then has this one.
  Option& optional_value(std::string_view value);
  /// Refuses what is no whole number from `low` to `high`, in our words. Help pages do not show it:
  /// say the range in the option's description where it matters.
  Option& whole_number(std::int64_t low, std::int64_t high);
  /// The environment variable that counts if the option is not given.
  Option& envname(std::string_view variable);
  Option& excludes(const Option& other);
  Option& needs(const Option& other);

 private:
  CLI::Option* option_;
};

/// A command, or one of its actions, whose options are declared. A handle: copies are the same
/// command.
///
/// Names are "-s,--size", or "MACHINE" of an argument without dashes. Values are written when the
/// command line is parsed, so they have to live until then. An option's value is never empty: a
/// string that is empty was not given.
class App {
 public:
  explicit App(CLI::App& app) : app_(&app) {}

  Option add_option(std::string_view names, std::string& value, std::string_view description);
  Option add_option(std::string_view names, std::vector<std::string>& values,
                    std::string_view description);
  Option add_option(std::string_view names, int& value, std::string_view description);
  Option add_flag(std::string_view names, bool& value, std::string_view description);
  /// The option that was declared by this name ("--size"), if one was.
  [[nodiscard]] std::optional<Option> find_option(std::string_view name) const;

  /// Whether the command line has this option, or its variable is set.
  [[nodiscard]] bool is_given(std::string_view name) const;

  /// "up" of `espalier lab up`. Options of its command may stand behind it too.
  App add_action(std::string_view name, std::string_view description);
  /// Whether the command line named this command or action.
  [[nodiscard]] bool parsed() const;

 private:
  CLI::App* app_;
};

}  // namespace espalier::cli

#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace espalier::cli {

Option& Option::type_name(std::string_view name) {
  option_->type_name(std::string(name));
  return *this;
}

Option& Option::required(bool yes) {
  option_->required(yes);
  return *this;
}

Option& Option::repeated() {
  option_->expected(1)->take_all();
  return *this;
}

Option& Option::optional_value(std::string_view value) {
  option_->expected(0, 1)->default_str(std::string(value));
  return *this;
}

Option& Option::whole_number(std::int64_t low, std::int64_t high) {
  CLI::Validator validator;
  validator.operation([low, high](std::string& text) -> std::string {
    std::int64_t n = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool is_whole = code == std::errc() && end == text.data() + text.size();
    if (is_whole && n >= low && n <= high) return "";
    return fmt::format("\"{:.40}\" is not a whole number from {} to {}", text, low, high);
  });
  option_->check(std::move(validator));
  return *this;
}

Option& Option::envname(std::string_view variable) {
  option_->envname(std::string(variable));
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

namespace {

/// `--svg ""` is a mistake, most often of a variable that is not set. Arguments without dashes say
/// themselves what is missing.
CLI::Option& never_empty(CLI::Option& option) {
  if (option.get_positional() && !option.nonpositional()) return option;
  CLI::Validator validator;
  validator.operation(
      [](std::string& text) -> std::string { return text.empty() ? "its value is empty" : ""; });
  option.check(std::move(validator));
  return option;
}

}  // namespace

Option App::add_option(std::string_view names, std::string& value, std::string_view description) {
  return Option(
      never_empty(*app_->add_option(std::string(names), value, std::string(description))));
}

Option App::add_option(std::string_view names, std::vector<std::string>& values,
                       std::string_view description) {
  return Option(
      never_empty(*app_->add_option(std::string(names), values, std::string(description))));
}

Option App::add_option(std::string_view names, int& value, std::string_view description) {
  return Option(*app_->add_option(std::string(names), value, std::string(description)));
}

Option App::add_flag(std::string_view names, bool& value, std::string_view description) {
  CLI::Option* flag = app_->add_flag(std::string(names), value, std::string(description));
  return Option(*flag->disable_flag_override());  // "--json=no" is no way to say no
}

std::optional<Option> App::find_option(std::string_view name) const {
  CLI::Option* found = app_->get_option_no_throw(std::string(name));
  return found == nullptr ? std::nullopt : std::optional(Option(*found));
}

bool App::is_given(std::string_view name) const {
  const CLI::Option* found = app_->get_option_no_throw(std::string(name));
  return found != nullptr && found->count() > 0;
}

App App::add_action(std::string_view name, std::string_view description) {
  CLI::App* action = app_->add_subcommand(std::string(name), std::string(description));
  action->fallthrough();
  action->allow_extras();
  return App(*action);
}

bool App::parsed() const { return app_->parsed(); }

}  // namespace espalier::cli

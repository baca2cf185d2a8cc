#include "cli/constraint_options.hpp"

#include <fmt/format.h>

#include "cli/rank_list.hpp"

namespace espalier::cli {

Expected<std::uint32_t> count_from(const std::string& text, const std::string& where) {
  constexpr Rank kMost = 1U << 20;
  auto n = parse_rank(text, kMost + 1);
  if (n && *n > 0) return *n;
  return Error{where, fmt::format("\"{:.40}\" is no number from 1 to {}", text, kMost),
               "write 4, say"};
}

Expected<map::Constraints> constraints_from(const ConstraintOptions& options) {
  map::Constraints constraints;
  constraints.exclude = options.exclude;
  if (!options.per_node.empty()) {
    auto n = count_from(options.per_node, "--per-node");
    if (!n) return n.error();
    constraints.per_node = *n;
  }
  for (const std::string& pin : options.pins) {
    const std::size_t equals = pin.find('=');
    auto rank = parse_rank(pin.substr(0, equals), 1U << 20);
    if (equals == std::string::npos || equals + 1 == pin.size() || !rank) {
      return Error{"--pin", fmt::format("\"{}\" is not RANK=HOST", pin), "write 0=n1, say"};
    }
    constraints.pins.emplace_back(*rank, pin.substr(equals + 1));
  }
  return constraints;
}

void declare_constraints(App& app, ConstraintOptions& options, bool of_run) {
  const auto about = [&](std::string text) {
    if (!of_run) return text;
    text.front() = 'a';  // all of them begin with "A"
    return "With --place: " + text;
  };
  app.add_option("--exclude", options.exclude,
                 about("A host or cluster not to be used; may be repeated."))
      .type_name("HOST")
      .repeated();
  app.add_option("--pin", options.pins,
                 about("A process that has to be on a host; may be repeated."))
      .type_name("RANK=HOST")
      .repeated();
  app.add_option("--per-node", options.per_node,
                 about("At most so many processes on a host. Default: its slots."))
      .type_name("K");
}

}  // namespace espalier::cli

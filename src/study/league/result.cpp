#include "league/result.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "base/json.hpp"

namespace espalier::league {
namespace {

constexpr std::string_view kBeginOfLine = R"({"machine":)";
constexpr std::array kStates{ResultState::Right, ResultState::Wrong, ResultState::Failed,
                             ResultState::TooLong};

std::optional<ResultState> state_named(const std::string& name) {
  for (const ResultState state : kStates) {
    if (name == name_of(state)) return state;
  }
  return std::nullopt;
}

std::optional<Result> read_line(const std::string& line) {
  const auto json = Json::read(line);
  if (!json || !json->is_object()) return std::nullopt;
  const auto text = [&](const char* key) {
    const Json* found = json->find(key);
    return found != nullptr && found->is_string() ? found->get<std::string>() : "";
  };
  const auto operation = schedule::operation_named(text("operation"));
  const auto state = state_named(text("state"));
  const Json* bytes = json->find("bytes");
  const Json* time = json->find("us");
  if (!operation || !state || bytes == nullptr || !bytes->is_natural() || time == nullptr ||
      !time->is_number() || text("machine").empty() || text("team").empty()) {
    return std::nullopt;
  }
  return Result{{text("machine"), text("placement"), *operation, bytes->get<std::uint64_t>()},
                text("team"),
                *state,
                time->get<double>(),
                text("plan"),
                text("stamp")};
}

/// Whether a line that ends without a newline is the beginning of one of ours.
bool is_piece(const std::string& line) {
  return kBeginOfLine.starts_with(line.substr(0, kBeginOfLine.size())) && !Json::read(line);
}

}  // namespace

const char* name_of(ResultState state) {
  constexpr std::array kNames{"right", "wrong", "failed", "too long"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string to_line(const Result& result) {
  return Json{{"machine", result.event.machine},
              {"placement", result.event.placement},
              {"operation", name_of(result.event.operation)},
              {"bytes", result.event.bytes},
              {"team", result.contender},
              {"state", name_of(result.state)},
              {"us", result.microseconds},
              {"plan", result.plan},
              {"stamp", result.stamp}}
      .dump();
}

Expected<std::vector<Result>> read_lines(const std::string& text, const std::string& file) {
  std::vector<Result> results;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const bool is_last = end == std::string::npos;
    if (is_last && !results.empty() && is_piece(line)) break;
    const auto result = read_line(line);
    if (!result) {
      return Error{fmt::format("{}:{}", file, number), "this is no result of the league",
                   "name another file, or delete this one"};
    }
    results.push_back(*result);
    if (is_last) break;
    at = end + 1;
  }
  return results;
}

std::size_t piece_at_end(const std::string& text) {
  const std::string last = text.substr(text.rfind('\n') + 1);
  return is_piece(last) ? last.size() : 0;
}

std::uint64_t bytes_of_all_ranks(const LeagueEvent& event, Rank ranks) {
  const schedule::Collective call{event.operation, ranks, 0, event.bytes, Bytes{1}, true, {}};
  std::uint64_t sum = 0;
  for (Rank r = 0; r < ranks; ++r) sum += units_in(call, r) + units_out(call, r);
  return sum;
}

}  // namespace espalier::league

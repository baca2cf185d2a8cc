#include "league/cell.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

namespace espalier::league {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kStates{State::Right, State::Wrong, State::Failed, State::TooLong};

std::optional<State> state_named(const std::string& name) {
  for (const State state : kStates) {
    if (name == name_of(state)) return state;
  }
  return std::nullopt;
}

std::optional<Cell> read_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto text = [&](const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_string() ? it->get<std::string>() : "";
  };
  const auto operation = schedule::operation_named(text("operation"));
  const auto state = state_named(text("state"));
  const auto bytes = json.find("bytes");
  const auto time = json.find("us");
  if (!operation || !state || bytes == json.end() || !bytes->is_number_unsigned() ||
      time == json.end() || !time->is_number() || text("machine").empty() || text("team").empty()) {
    return std::nullopt;
  }
  return Cell{{text("machine"), text("placement"), *operation, bytes->get<std::uint64_t>()},
              text("team"),
              *state,
              time->get<double>(),
              text("plan"),
              text("stamp")};
}

}  // namespace

const char* name_of(State state) {
  constexpr std::array kNames{"right", "wrong", "failed", "too long"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string to_line(const Cell& cell) {
  return Json{{"machine", cell.event.machine},
              {"placement", cell.event.placement},
              {"operation", name_of(cell.event.operation)},
              {"bytes", cell.event.bytes},
              {"team", cell.contender},
              {"state", name_of(cell.state)},
              {"us", cell.microseconds},
              {"plan", cell.plan},
              {"stamp", cell.stamp}}
      .dump();
}

Expected<std::vector<Cell>> read_lines(const std::string& text, const std::string& file) {
  std::vector<Cell> cells;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    const auto cell = read_line(text.substr(at, end - at));
    if (!cell) {
      return Error{fmt::format("{}:{}", file, number), "this is no result of the league",
                   "name another file, or delete this one"};
    }
    cells.push_back(*cell);
    at = end + 1;
  }
  return cells;
}

std::uint64_t bytes_of_all_ranks(const Event& event, Rank ranks) {
  const schedule::Collective call{event.operation, ranks, 0, event.bytes, Bytes{1}, true, {}};
  std::uint64_t sum = 0;
  for (Rank r = 0; r < ranks; ++r) sum += units_in(call, r) + units_out(call, r);
  return sum;
}

}  // namespace espalier::league

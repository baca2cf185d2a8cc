#include "model/parse_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "model/logp_models.hpp"
#include "model/machine_models.hpp"
#include "model/node_costs.hpp"
#include "model/pair_models.hpp"

namespace espalier::model {
namespace {

using Made = Expected<std::unique_ptr<CostModel>>;

/// "key=value,key=value"; every key is asked for once, and what nobody asked for is refused.
class Settings {
 public:
  explicit Settings(std::string_view text) {
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      const std::string_view item = text.substr(0, comma);
      const std::size_t equals = std::min(item.find('='), item.size());
      items_.push_back({item.substr(0, equals), item.substr(std::min(equals + 1, item.size()))});
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  }

  template <typename T, typename Parse>
  T get(std::string_view key, std::optional<T> fallback, Parse parse) {
    const auto it = std::find_if(items_.begin(), items_.end(),
                                 [&](const Item& item) { return item.key == key; });
    if (it == items_.end()) {
      if (!fallback) note({"", fmt::format("\"{}\" is missing", key), "see --model in the help"});
      return fallback.value_or(T{});
    }
    auto value = parse(it->value);
    items_.erase(it);
    if (!value) {
      note({"", fmt::format("\"{}\": {}", key, value.error().what), value.error().hint});
      return fallback.value_or(T{});
    }
    return *value;
  }
  Time time(std::string_view key, std::optional<Time> fallback = {}) {
    return get<Time>(key, fallback, [](std::string_view t) { return parse_time(t); });
  }
  Bandwidth bandwidth(std::string_view key, std::optional<Bandwidth> fallback = {}) {
    return get<Bandwidth>(key, fallback, [](std::string_view t) { return parse_bandwidth(t); });
  }

  /// The first thing that was wrong, also a key that nobody knows.
  std::optional<Error> problem() {
    if (!problem_ && !items_.empty()) {
      note({"", fmt::format("unknown setting \"{}\"", items_.front().key.substr(0, 40)),
            "see --model in the help"});
    }
    return problem_;
  }

 private:
  struct Item {
    std::string_view key, value;
  };
  void note(Error error) {
    if (!problem_) problem_ = std::move(error);
  }
  std::vector<Item> items_;
  std::optional<Error> problem_;
};

Made make_postal(Settings& settings, Rank ranks) {
  const Time unit = settings.time("unit", microseconds(1));
  const auto lambda = settings.get<std::uint64_t>(
      "lambda", std::nullopt, [](std::string_view t) -> Expected<std::uint64_t> {
        auto value = parse_millionths(t);
        if (value && (*value < 1'000'000 || *value > 1'000'000'000'000)) {
          return Error{"", fmt::format("lambda is {}", t), "it is between 1 and 1000000"};
        }
        return value;
      });
  if (auto problem = settings.problem()) return *problem;
  const auto exact = static_cast<__int128>(unit.picoseconds) * static_cast<__int128>(lambda);
  if (exact / 1'000'000 >= kForever.picoseconds)
    return Error{"", "unit x lambda is too long", "give a shorter unit, or a smaller lambda"};
  const Time delivered{static_cast<std::int64_t>(exact / 1'000'000)};
  return std::unique_ptr<CostModel>(std::make_unique<Postal>(ranks, unit, delivered));
}

Made make(std::string_view kind, Settings& settings, const topology::Machine& machine, Bytes size) {
  std::unique_ptr<CostModel> model;
  if (kind == "levels") {
    model = std::make_unique<Levels>(machine);
  } else if (kind == "node-initiation") {
    model = std::make_unique<NodeInitiation>(send_costs(machine, size));
  } else if (kind == "lmo") {
    model = std::make_unique<MachineLmo>(machine);
  } else if (kind == "loggp") {
    const Time latency = settings.time("L");
    const Time overhead = settings.time("o");
    const Time gap = settings.time("g", overhead);
    const LogGPParameters p{latency, overhead, gap, settings.bandwidth("bandwidth", kUnlimited)};
    model = std::make_unique<LogGP>(machine.size(), p);
  } else {
    const std::vector<std::string> known{"levels", "node-initiation", "hockney",
                                         "lmo",    "loggp",           "postal"};
    return Error{"", "there is no such model",
                 fmt::format("{}models: {}", did_you_mean(kind, known), model_names())};
  }
  if (auto problem = settings.problem()) return *problem;
  return model;
}

}  // namespace

std::string_view model_names() {
  return "levels, node-initiation, hockney[:alpha=50us,bandwidth=1Gbit/s], lmo, "
         "loggp:L=5us,o=1us[,g=2us,bandwidth=1Gbit/s], postal:lambda=2.5[,unit=1us]";
}

Made parse_model(std::string_view text, const topology::Machine& machine, Bytes size) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  Settings settings(rest);
  Made made = [&]() -> Made {
    if (kind == "postal") return make_postal(settings, machine.size());
    if (kind != "hockney") return make(kind, settings, machine, size);
    if (rest.empty()) return std::unique_ptr<CostModel>(std::make_unique<MachineHockney>(machine));
    const Time alpha = settings.time("alpha");
    const Bandwidth bandwidth = settings.bandwidth("bandwidth");
    if (auto problem = settings.problem()) return *problem;
    return std::unique_ptr<CostModel>(std::make_unique<Hockney>(machine.size(), alpha, bandwidth));
  }();
  if (made) return made;
  const Error& error = made.error();
  return Error{"model", fmt::format("\"{}\": {}", text.substr(0, 60), error.what),
               error.hint.empty() ? fmt::format("models: {}", model_names()) : error.hint};
}

}  // namespace espalier::model

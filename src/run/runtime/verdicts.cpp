#include "runtime/verdicts.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.hpp"
#include "base/json.hpp"

namespace espalier::runtime {
namespace {

constexpr const char* kFormat = "espalier-verdicts-2";
constexpr std::size_t kMost = 100000;

}  // namespace

std::optional<std::string> Verdicts::find(std::uint64_t where, const CallClass& calls) const {
  const auto found = candidates_.find({where, calls});
  return found == candidates_.end() ? std::nullopt : std::optional(found->second);
}

void Verdicts::set(std::uint64_t where, const CallClass& calls, std::string candidate) {
  if (candidates_.size() < kMost || candidates_.contains({where, calls})) {
    candidates_[{where, calls}] = std::move(candidate);
  }
}

std::string Verdicts::to_text() const {
  Json all = Json::array();
  for (const auto& [key, candidate] : candidates_) {
    const CallClass& calls = key.second;
    all.push_back({{"where", fmt::format("{:016x}", key.first)},
                   {"operation", std::string(schedule::name_of(calls.operation))},
                   {"root", calls.root},
                   {"size_class", calls.size_class},
                   {"commutative", calls.commutative},
                   {"irregular", calls.irregular},
                   {"unequal", calls.unequal},
                   {"gaps", calls.gaps},
                   {"way", candidate}});
  }
  return Json{{"format", kFormat}, {"verdicts", all}}.dump(1) + "\n";
}

Expected<Verdicts> Verdicts::from_text(const std::string& text, const std::string& file) try {
  const Json json = Json::parse(text);
  if (json.at("format") != kFormat) {
    return Error{file, "it holds no verdicts of trials", "name another file, or remove it"};
  }
  Verdicts verdicts;
  for (const Json& one : json.at("verdicts")) {
    const auto operation = schedule::operation_named(one.at("operation").get<std::string>());
    if (!operation) return Error{file, "it names an operation that there is none of", "remove it"};
    const CallClass calls{*operation,
                          one.at("root").get<Rank>(),
                          one.at("size_class").get<std::uint32_t>(),
                          one.at("commutative").get<bool>(),
                          one.at("irregular").get<bool>(),
                          one.at("unequal").get<bool>(),
                          one.value("gaps", false)};
    const auto where = std::stoull(one.at("where").get<std::string>(), nullptr, 16);
    verdicts.set(where, calls, one.at("way").get<std::string>());
  }
  return verdicts;
} catch (const std::exception&) {  // JsonError, and std::stoull's
  return Error{file, "it is broken", "remove it: it is written anew"};
}

Expected<Verdicts> read_verdicts(const std::string& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0 && errno == ENOENT) return Verdicts{};
  const auto text = read_named_file(file, {.refuses_foreign = true});
  if (!text) return text.error();
  return Verdicts::from_text(*text, file);
}

std::optional<Error> write_verdicts(const Verdicts& verdicts, const std::string& file) {
  return replace_named_file(file, verdicts.to_text(), 0600);
}

}  // namespace espalier::runtime

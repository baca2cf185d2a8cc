#include "runtime/verdicts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace espalier::runtime {
namespace {

constexpr const char* kFormat = "espalier-verdicts-1";
constexpr std::size_t kMost = 100000;

}  // namespace

std::optional<std::string> Verdicts::find(std::uint64_t where, const CallClass& calls) const {
  const auto found = ways_.find({where, calls});
  return found == ways_.end() ? std::nullopt : std::optional(found->second);
}

void Verdicts::set(std::uint64_t where, const CallClass& calls, std::string way) {
  if (ways_.size() < kMost || ways_.contains({where, calls})) {
    ways_[{where, calls}] = std::move(way);
  }
}

std::string Verdicts::to_text() const {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [key, way] : ways_) {
    const CallClass& calls = key.second;
    all.push_back({{"where", fmt::format("{:016x}", key.first)},
                   {"operation", std::string(schedule::name_of(calls.operation))},
                   {"root", calls.root},
                   {"size_class", calls.size_class},
                   {"commutative", calls.commutative},
                   {"irregular", calls.irregular},
                   {"unequal", calls.unequal},
                   {"way", way}});
  }
  return nlohmann::json{{"format", kFormat}, {"verdicts", all}}.dump(1) + "\n";
}

Expected<Verdicts> Verdicts::from_text(const std::string& text, const std::string& file) try {
  const nlohmann::json json = nlohmann::json::parse(text);
  if (json.at("format") != kFormat) {
    return Error{file, "it holds no verdicts of trials", "name another file, or remove it"};
  }
  Verdicts verdicts;
  for (const nlohmann::json& one : json.at("verdicts")) {
    const auto operation = schedule::operation_named(one.at("operation").get<std::string>());
    if (!operation) return Error{file, "it names an operation that there is none of", "remove it"};
    const CallClass calls{*operation,
                          one.at("root").get<Rank>(),
                          one.at("size_class").get<std::uint32_t>(),
                          one.at("commutative").get<bool>(),
                          one.at("irregular").get<bool>(),
                          one.at("unequal").get<bool>()};
    const auto where = std::stoull(one.at("where").get<std::string>(), nullptr, 16);
    verdicts.set(where, calls, one.at("way").get<std::string>());
  }
  return verdicts;
} catch (const std::exception&) {  // nlohmann's, and std::stoull's
  return Error{file, "it is broken", "remove it: it is written anew"};
}

Expected<Verdicts> read_verdicts(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    if (errno == ENOENT) return Verdicts{};
    return Error{file, std::strerror(errno), "name a file that can be read and written"};
  }
  std::ostringstream text;
  text << in.rdbuf();
  return Verdicts::from_text(text.str(), file);
}

std::optional<Error> write_verdicts(const Verdicts& verdicts, const std::string& file) {
  const std::string text = verdicts.to_text();
  const std::string beside = fmt::format("{}.{}", file, ::getpid());
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool written = fd >= 0;
  for (std::size_t at = 0; written && at < text.size();) {
    const ssize_t put = ::write(fd, text.data() + at, text.size() - at);
    written = put > 0;
    at += written ? static_cast<std::size_t>(put) : 0;
  }
  if (fd >= 0) written = ::close(fd) == 0 && written;
  if (written && std::rename(beside.c_str(), file.c_str()) == 0) return std::nullopt;
  const int why = errno;
  ::unlink(beside.c_str());
  return Error{file, std::strerror(why), "name a file that can be written"};
}

}  // namespace espalier::runtime

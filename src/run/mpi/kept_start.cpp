#include "mpi/kept_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text_hash.hpp"
#include "discover/cache.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {
namespace {

constexpr const char* kKeptFormat = "espalier-start-2";
constexpr std::uint64_t kLongestFile = std::uint64_t{1} << 20U;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string kept_file(const runtime::Settings& settings, std::span<const std::uint64_t> nodes) {
  const std::string folder =
      discover::cache_folder(from_environment("XDG_CACHE_HOME"), from_environment("HOME"));
  if (folder.empty() || !settings.cache) return "";
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  TextHash hash;
  hash.add(ESPALIER_VERSION).add(version).add(to_text(planning_settings(settings)));
  for (const std::uint64_t node : nodes) hash.add(fmt::format("{:016x}", node));
  return fmt::format("{}/start-{:016x}.json", folder, hash.value());
}

std::string read_kept(const std::string& file) {
  if (file.empty()) return "";
  auto text = read_own_file(file, kLongestFile);
  if (!text || !*text) return "";
  const nlohmann::json value = nlohmann::json::parse(**text, nullptr, false);
  if (!value.is_object()) return "";
  const std::int64_t age = std::time(nullptr) - value.value("made", std::int64_t{0});
  return age >= 0 && age <= discover::kCacheSeconds ? **text : "";
}

std::string program_key() {
  ReadRules rules;
  rules.most = kLongestFile;
  rules.takes_binary = true;  // a byte of 0 ends each argument
  const auto words = read_named_file("/proc/self/cmdline", rules);
  TextHash hash;
  hash.add(words ? *words : "");
  return fmt::format("{:016x}", hash.value());
}

runtime::PastRuns past_runs_in(const std::string& text) try {
  runtime::PastRuns runs;
  const nlohmann::json value = nlohmann::json::parse(text);
  if (value.at("format") != kKeptFormat) return runs;
  for (const auto& [program, seconds] : value.at("runs").items()) {
    runs.note(program, seconds.get<double>());
  }
  return runs;
} catch (const std::exception&) {
  return {};
}

std::optional<KeptStart> kept_from(const std::string& text, int size) try {
  const nlohmann::json value = nlohmann::json::parse(text);
  if (value.at("format") != kKeptFormat) return std::nullopt;
  auto verdicts = runtime::Verdicts::from_text(value.at("verdicts").get<std::string>(), "");
  if (!verdicts) return std::nullopt;
  KeptStart kept{{},
                 value.at("words").get<std::vector<std::string>>(),
                 std::move(*verdicts),
                 past_runs_in(text)};
  const auto text_of_machine = value.at("machine").get<std::string>();
  if (text_of_machine.empty()) return kept;
  auto machine = topology::read_json(text_of_machine, "an earlier run");
  if (!machine || machine->size() != static_cast<Rank>(size)) return std::nullopt;
  kept.machine = std::move(*machine);
  return kept;
} catch (const std::exception&) {
  return std::nullopt;
}

void write_kept(const std::string& file, const KeptStart& kept) {
  if (file.empty()) return;
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path folder = fs::path(file).parent_path();
  if (fs::create_directories(folder, failed)) {
    fs::permissions(folder, fs::perms::owner_all, failed);
  }
  const nlohmann::json value{{"format", kKeptFormat},
                             {"made", std::int64_t{std::time(nullptr)}},
                             {"words", kept.words},
                             {"machine", kept.machine ? topology::write_json(*kept.machine) : ""},
                             {"verdicts", kept.verdicts.to_text()},
                             {"runs", kept.runs.all()}};
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  static_cast<void>(replace_own_file(file, text, 0600, Keep::Durably));
}

KeptDelivery::KeptDelivery(MPI_Comm over, int root, const std::string& text, std::size_t length)
    : text_(text) {
  PMPI_Comm_size(over, &size_);
  text_.resize(length);
  if (PMPI_Ibcast(text_.data(), static_cast<int>(length), MPI_CHAR, root, over, &request_) !=
      MPI_SUCCESS) {
    request_ = MPI_REQUEST_NULL;
    text_.clear();
  }
}

KeptDelivery::~KeptDelivery() { PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

std::optional<KeptStart> KeptDelivery::finish() {
  PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  return kept_from(text_, size_);
}

}  // namespace espalier::mpi

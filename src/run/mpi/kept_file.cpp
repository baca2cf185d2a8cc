#include "mpi/kept_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "base/file.hpp"
#include "base/text_hash.hpp"
#include "discover/cache.hpp"
#include "mpi/environment.hpp"
#include "runtime/told_to_mpi.hpp"

namespace espalier::mpi {

std::string cache_folder() {
  return discover::cache_folder(environment("XDG_CACHE_HOME").value_or(""),
                                environment("HOME").value_or(""));
}

std::string kept_file(const runtime::Settings& settings, std::span<const std::uint64_t> nodes) {
  const std::string folder = cache_folder();
  if (folder.empty() || !settings.cache) return "";
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  TextHash hash;
  hash.add(ESPALIER_VERSION).add(version).add(to_text(planning_settings(settings)));
  hash.add(runtime::told_to_mpi());
  for (const std::uint64_t node : nodes) hash.add(fmt::format("{:016x}", node));
  return fmt::format("{}/start-{:016x}.json", folder, hash.value());
}

runtime::YoungStart read_kept(const std::string& file) {
  if (file.empty()) return {};
  auto text = read_own_file(file, runtime::kLongestKept);
  if (!text || !*text) return {};
  return runtime::still_young(std::move(**text), std::time(nullptr));
}

std::string program_key() {
  ReadRules rules;
  rules.most = runtime::kLongestKept;
  rules.takes_binary = true;  // a byte of 0 ends each argument
  const auto words = read_named_file("/proc/self/cmdline", rules);
  TextHash hash;
  hash.add(words ? *words : "");
  return fmt::format("{:016x}", hash.value());
}

void write_kept(const std::string& file, const KeptStart& kept) {
  if (file.empty()) return;
  const std::int64_t now = std::time(nullptr);
  discover::prepare_folder_of(file, now);
  // Not durably: all ranks wait in MPI_Finalize, and a crash of the computer loses little.
  static_cast<void>(replace_own_file(file, to_text(kept, now), 0600, Keep::UntilReboot));
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
  return runtime::kept_from(text_, static_cast<Rank>(size_));
}

}  // namespace espalier::mpi

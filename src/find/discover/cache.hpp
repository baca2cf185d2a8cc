#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discover/experiment.hpp"
#include "topology/machine.hpp"

namespace espalier::discover {

/// A machine that was measured, now or before.
struct CachedMachine {
  topology::Machine machine;
  std::vector<std::string> words;
  std::int64_t made = 0;            ///< time of the measurement, in seconds since 1970
  bool complete = true;             ///< every part was measured in time
  std::vector<std::string> doubts;  ///< reasons why figures may be wrong, one sentence each
};

/// As text, for other processes, and back. @pre to_text() made it
[[nodiscard]] std::string to_text(const CachedMachine& machine);
[[nodiscard]] Expected<CachedMachine> cached_machine_from(const std::string& text);

inline constexpr std::int64_t kCacheSeconds = 7 * 24 * 3600;
/// What lacks something is better measured anew soon, when the computer may be less busy.
/// As text, for other processes, and back. @pre to_text() made it
[[nodiscard]] std::string to_text(const CachedMachine& machine);
[[nodiscard]] Expected<CachedMachine> cached_machine_from(const std::string& text);

inline constexpr std::int64_t kCacheSecondsIfIncomplete = 3600;

/// $XDG_CACHE_HOME/espalier, else $HOME/.cache/espalier; "" if neither is set to an absolute path.
[[nodiscard]] std::string cache_folder(const std::string& xdg_cache_home, const std::string& home);

/// The file for this key: all that the machine depends on, such as hosts, MPI and links.
[[nodiscard]] std::string cache_file(const std::string& folder, const std::string& key);

/// What the file holds for this key. Nothing if it is not there or too old. A file that is broken,
/// of another key, or that others may write to is an error, to be told and passed over.
Expected<std::optional<CachedMachine>> read_cache(const std::string& file, const std::string& key,
                                                  std::int64_t now);

/// Whole or not at all, mode 0600; makes the folder (0700) if need be.
Expected<bool> write_cache(const std::string& file, const std::string& key,
                           const CachedMachine& machine);

/// Makes the folder of this file (0700) if need be, and removes old files from it.
void prepare_folder_of(const std::string& file, std::int64_t now);

/// Removes what earlier runs kept in the folder and nobody will read any more: files with our
/// names, unfinished ones too, that were written longer ago than kCacheSeconds. Looks at some
/// hundred files at most. What goes wrong is passed over.
void remove_old_files(const std::string& folder, std::int64_t now);

/// Whether the network still answers as the machine says: one round trip across each level, within
/// half and twice of what is expected (or 100 us).
/// @param rank_of_node a rank on each node
Expected<bool> still_holds(Prober& prober, const topology::Machine& machine,
                           std::span<const Rank> rank_of_node);

}  // namespace espalier::discover

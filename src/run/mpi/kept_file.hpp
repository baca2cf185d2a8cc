#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/mpi_api.hpp"
#include "runtime/kept_start.hpp"
#include "runtime/settings.hpp"

namespace espalier::mpi {

using runtime::KeptStart;

/// Where what was found out is kept on this host; empty if there is no such place.
[[nodiscard]] std::string cache_folder();

/// A key of this process's program and its arguments.
[[nodiscard]] std::string program_key();

/// The file on rank 0's host for these nodes, this MPI, what it was told about links and
/// collectives (told_to_mpi()) and these planning settings; empty if nothing may be kept. Neither
/// measured figures nor logs belong to its name. Rank 0 alone uses it: environments may differ.
/// @param nodes a hash of each rank's node
[[nodiscard]] std::string kept_file(const runtime::Settings& settings,
                                    std::span<const std::uint64_t> nodes);

/// What the file holds, if it is ours; nothing that is older than a week.
[[nodiscard]] runtime::YoungStart read_kept(const std::string& file);
/// Writes the file whole or not at all, mode 0600. What goes wrong is passed over: the next run
/// finds out again.
void write_kept(const std::string& file, const KeptStart& kept);

/// Brings rank 0's text to all processes by a non-blocking broadcast.
class KeptDelivery {
 public:
  /// Begins. Collective over `over`, but waits for nobody. @param root rank of the text's owner
  /// @param length of the text; the same on all processes
  KeptDelivery(MPI_Comm over, int root, const std::string& text, std::size_t length);
  ~KeptDelivery();
  KeptDelivery(const KeptDelivery&) = delete;
  KeptDelivery& operator=(const KeptDelivery&) = delete;

  /// Waits for the text; all processes get the same.
  [[nodiscard]] std::optional<KeptStart> finish();
  /// Waits until MPI needs the communicator no more.
  void complete() { PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

 private:
  std::string text_;
  int size_ = 1;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace espalier::mpi

// The end: all recordings come to rank 0, which writes them in one piece or not at all.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/file.hpp"
#include "profile/json.hpp"
#include "record/recorder.hpp"

namespace espalier::record {
namespace {

constexpr int kTag = 1;

/// One after the other: together they may be longer than an int counts.
std::vector<std::vector<std::uint64_t>> gather(MPI_Comm comm, std::vector<std::uint64_t> mine) {
  int me = 0, size = 0;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_size(comm, &size);
  std::vector<std::vector<std::uint64_t>> all;
  if (me != 0) {
    int go = 0;  // ranks send one by one, not to flood rank 0
    PMPI_Recv(&go, 1, MPI_INT, 0, kTag, comm, MPI_STATUS_IGNORE);
    PMPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_UINT64_T, 0, kTag, comm);
    return all;
  }
  all.push_back(std::move(mine));
  for (int from = 1; from < size; ++from) {
    int go = 1, length = 0;
    MPI_Status status;
    PMPI_Send(&go, 1, MPI_INT, from, kTag, comm);
    PMPI_Probe(from, kTag, comm, &status);
    PMPI_Get_count(&status, MPI_UINT64_T, &length);
    all.emplace_back(static_cast<std::size_t>(length));
    PMPI_Recv(all.back().data(), length, MPI_UINT64_T, from, kTag, comm, MPI_STATUS_IGNORE);
  }
  return all;
}

/// The program's name, as the system has it.
std::string program_name() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string_view whole(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return std::string(whole.substr(whole.rfind('/') + 1));
}

std::string summary(const profile::Joined& joined, const std::string& file) {
  std::uint64_t messages = 0, executed = 0;
  for (const profile::Pair& pair : joined.profile.pairs) messages += pair.messages;
  for (const profile::Pair& pair : joined.profile.executed) executed += pair.messages;
  std::string text = fmt::format(
      "espalier: the profile of {} processes is in {}: {} messages point-to-point, about {} of "
      "collectives\n",
      joined.profile.size(), file, messages, executed);
  if (joined.cut_traces != 0) {
    text += fmt::format(
        "espalier: the traces of {} processes were too long and irregular to be kept: the profile "
        "has "
        "pairs alone\n",
        joined.cut_traces);
  }
  if (joined.left_out != 0) {
    text += fmt::format(
        "espalier: {} calls are not in it: collectives between groups or with processes of other "
        "worlds\n",
        joined.left_out);
  }
  return text;
}

}  // namespace

void write_profile(const Recorder& recorder) {
  const auto packed = gather(recorder.own_world, recorder.recording.pack());
  if (packed.empty()) return;
  const auto joined = profile::join(program_name(), packed);
  std::string text;
  if (!joined) {
    text = to_string(joined.error()) + "\n";
  } else if (const auto wrong =
                 replace_named_file(recorder.file, profile::write_json(joined->profile))) {
    text =
        fmt::format("{}: error: the profile cannot be written: {}\n", recorder.file, wrong->what);
  } else {
    text = summary(*joined, recorder.file);
  }
  std::fputs(text.c_str(), stderr);
}

}  // namespace espalier::record

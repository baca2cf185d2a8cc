// The end: all recordings come to rank 0, which writes them in one piece or not at all.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <numeric>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "mpi/gather_tree.hpp"
#include "profile/json.hpp"
#include "record/recorder.hpp"

namespace espalier::record {
namespace {

constexpr int kTag = 1;
/// The traces of all processes together have no more items, or rank 0 would need more than 200 MB
/// for them and the profile would be as long.
constexpr std::uint64_t kMostItems = std::uint64_t{1} << 21;

/// Cuts all traces if one is cut already, or if they are too long together.
void cut_together(MPI_Comm comm, profile::Recording& recording) {
  const std::array<std::uint64_t, 2> mine{recording.is_cut() ? 1U : 0U, recording.items()};
  std::array<std::uint64_t, 2> all{};
  PMPI_Allreduce(mine.data(), all.data(), 2, MPI_UINT64_T, MPI_SUM, comm);
  if (all[0] != 0 || all[1] > kMostItems) recording.cut();
}

/// The words of all ranks at rank 0. Along a tree: rank 0 of a large job takes a few long messages,
/// not one of each rank in turn.
std::vector<std::vector<std::uint64_t>> gather(MPI_Comm comm,
                                               const std::vector<std::uint64_t>& mine) {
  int me = 0, size = 0;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_size(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  const std::string text(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof mine[0]);
  std::vector<std::vector<std::uint64_t>> all;
  for (const std::string& one :
       mpi::gather_in_tree(comm, ranks, static_cast<std::size_t>(me), text, kTag)) {
    all.emplace_back(one.size() / sizeof mine[0]);
    std::memcpy(all.back().data(), one.data(), one.size());
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
    text +=
        "espalier: the traces are too long and irregular to be kept: the profile has pairs "
        "alone\n";
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

void write_profile(Recorder& recorder) {
  cut_together(recorder.own_world, recorder.recording);
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
  write_message(text);
}

}  // namespace espalier::record

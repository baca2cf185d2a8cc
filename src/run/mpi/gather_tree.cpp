#include "mpi/gather_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "mpi/wait_asleep.hpp"

namespace espalier::mpi {
namespace {

constexpr std::uint64_t kPart = std::uint64_t{1} << 30U;  // MPI counts in int

/// A text behind its length, one after the other.
void append_text(std::string& bundle, const std::string& text) {
  const std::uint64_t length = text.size();
  bundle.append(reinterpret_cast<const char*>(&length), sizeof length);
  bundle += text;
}

std::vector<std::string> texts_of(const std::string& bundle) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bundle.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, bundle.data() + at, sizeof length);
    texts.push_back(bundle.substr(at + sizeof length, length));
    at += sizeof length + length;
  }
  return texts;
}

void send_bundle(const std::string& bundle, int to, int tag, MPI_Comm comm) {
  const std::uint64_t length = bundle.size();
  PMPI_Send(&length, 1, MPI_UINT64_T, to, tag, comm);
  for (std::uint64_t at = 0; at < length; at += kPart) {
    PMPI_Send(bundle.data() + at, static_cast<int>(std::min(kPart, length - at)), MPI_CHAR, to, tag,
              comm);
  }
}

void receive_bundle(std::string& bundle, int from, int tag, MPI_Comm comm) {
  std::uint64_t length = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(&length, 1, MPI_UINT64_T, from, tag, comm, &request);
  wait_asleep(request);
  std::size_t at = bundle.size();
  bundle.resize(at + length);
  while (at < bundle.size()) {
    const std::uint64_t now = std::min<std::uint64_t>(kPart, bundle.size() - at);
    PMPI_Irecv(bundle.data() + at, static_cast<int>(now), MPI_CHAR, from, tag, comm, &request);
    wait_asleep(request);
    at += now;
  }
}

}  // namespace

std::vector<std::string> gather_in_tree(MPI_Comm comm, std::span<const int> ranks,
                                        std::size_t position, const std::string& text, int tag) {
  const TreePlace place = place_in_tree(position, ranks.size(), kTellingFan);
  std::string bundle;
  append_text(bundle, text);
  for (const TreeStretch& child : place.children) {
    receive_bundle(bundle, ranks[child.begin], tag, comm);
  }
  if (position == 0) return texts_of(bundle);
  send_bundle(bundle, ranks[place.parent], tag, comm);
  return {};
}

}  // namespace espalier::mpi

#pragma once

#include <span>
#include <string>

#include "base/expected.hpp"
#include "lab/link_cells.hpp"

namespace espalier::lab {

/// Counters of the router: how punctual it is.
struct RouterCell {
  std::atomic<std::uint64_t> released{0};   ///< number of frames passed on
  std::atomic<std::uint64_t> late_ns{0};    ///< sum of how late frames were passed on
  std::atomic<std::uint64_t> latest_ns{0};  ///< longest that a frame was late
  std::atomic<std::uint64_t> refused{0};  ///< number of frames that a host's interface did not take
  std::atomic<std::int64_t> longest_queue_ns{0};
};

/// The cells of all links in a file that several processes map. It outlives the router, so that a
/// new one goes on with what was set and counted.
class LinkBoard {
 public:
  /// Makes the file with what the plan says.
  static Expected<LinkBoard> create(const std::string& path, std::span<const LabLink> links,
                                    Time longest_queue);
  /// Refuses a file that does not have so many links.
  static Expected<LinkBoard> open(const std::string& path, std::size_t links);

  LinkBoard(LinkBoard&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), links_(other.links_) {}
  LinkBoard& operator=(LinkBoard&&) = delete;
  LinkBoard(const LinkBoard&) = delete;
  LinkBoard& operator=(const LinkBoard&) = delete;
  ~LinkBoard();

  [[nodiscard]] std::span<LinkCell> cells();
  [[nodiscard]] RouterCell& router();

 private:
  struct Header;
  LinkBoard(void* memory, std::size_t links) : memory_(memory), links_(links) {}
  static Expected<LinkBoard> map(const std::string& path, int fd, std::size_t links);
  void* memory_;
  std::size_t links_;
};

}  // namespace espalier::lab

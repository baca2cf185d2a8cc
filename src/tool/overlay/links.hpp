#pragma once

#include <string>
#include <vector>

#include "overlay/overlay.hpp"

namespace espalier::overlay {

/// "site0 - site2", the lower part first: what joins two ranks.
[[nodiscard]] std::string link_name(const topology::Machine& machine, Rank a, Rank b);

/// Collects what messages took beyond their simulation, by link.
class LinkSums {
 public:
  /// @return index of the link, in the order in which they came
  std::uint32_t add(const std::string& name, std::uint32_t level, Time excess);
  [[nodiscard]] std::vector<Link> links() const;

 private:
  struct Sum {
    std::string name;
    std::uint32_t level;
    std::vector<Time> excess;
  };
  std::vector<Sum> sums_;
};

}  // namespace espalier::overlay

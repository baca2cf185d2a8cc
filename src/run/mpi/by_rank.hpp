#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/types.hpp"

namespace espalier::mpi {

/// A value for each rank of a communicator. Most ranks talk to few others: values come in pages of
/// 64 ranks, made when one of them is first asked for. An untouched page costs a pointer.
template <typename T>
class ByRank {
 public:
  explicit ByRank(std::size_t ranks) : ranks_(ranks), pages_((ranks + kPage - 1) / kPage) {}

  [[nodiscard]] std::size_t size() const { return ranks_; }
  /// The value of a rank; made now if it is the first of its page.
  [[nodiscard]] T& operator[](Rank rank) {
    std::unique_ptr<Page>& page = pages_[rank / kPage];
    if (page == nullptr) [[unlikely]] {
      page = std::make_unique<Page>();
    }
    return (*page)[rank % kPage];
  }
  /// The value of a rank, or nullptr if its page was never asked for.
  [[nodiscard]] const T* find(Rank rank) const {
    const Page* const page = pages_[rank / kPage].get();
    return page == nullptr ? nullptr : &(*page)[rank % kPage];
  }
  /// Pages that are there.
  [[nodiscard]] std::size_t pages() const {
    std::size_t made = 0;
    for (const auto& page : pages_) made += page != nullptr ? 1 : 0;
    return made;
  }

 private:
  static constexpr std::size_t kPage = 64;
  using Page = std::array<T, kPage>;
  std::size_t ranks_;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace espalier::mpi

#pragma once

// An Agreement of ranks in one address space, for tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "runtime/agreement.hpp"

namespace espalier::runtime {

/// What all members of a communicator hand in, in one address space.
struct Meeting {
  explicit Meeting(std::size_t members) : size(members) {}
  std::size_t size;
  std::map<int, std::vector<std::vector<double>>>
      rounds;  // numbers handed in, by number of the agreement
};

class Member : public Agreement {
 public:
  explicit Member(Meeting& meeting) : meeting_(meeting) {}
  void start(std::span<const double> mine) override {
    meeting_.rounds[++round_].emplace_back(mine.begin(), mine.end());
  }
  std::vector<double> finish() override {
    EXPECT_TRUE(all_have_started()) << "it would wait here";
    std::vector<double> largest = meeting_.rounds[round_].front();
    for (const auto& one : meeting_.rounds[round_]) {
      for (std::size_t i = 0; i < one.size(); ++i) largest[i] = std::max(largest[i], one[i]);
    }
    return largest;
  }
  [[nodiscard]] bool all_have_started() const {
    return meeting_.rounds[round_].size() == meeting_.size;
  }

 private:
  Meeting& meeting_;
  int round_ = 0;
};

}  // namespace espalier::runtime

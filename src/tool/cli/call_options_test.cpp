#include "cli/call_options.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::cli {
namespace {

using schedule::Collective;
using schedule::Operation;

/// Who has entered is remembered for each message of a barrier, a bit for each rank.
TEST(IsVerified, CountsRanksTimesMessagesOfBarriers) {
  const auto barrier = [](Rank ranks, std::uint64_t messages) {
    return is_verified(Collective{Operation::Barrier, ranks, 0, 0, Bytes{1}, true, {}}, messages);
  };
  EXPECT_TRUE(barrier(256, 1'000'000));
  EXPECT_TRUE(barrier(8192, 13 * 8192));
  EXPECT_TRUE(barrier(16'384, 2 * 16'383));
  EXPECT_FALSE(barrier(32'768, 2 * 32'767));
  EXPECT_FALSE(barrier(131'072, 2 * 131'071));
}

TEST(CallFrom, RefusesMoreBytesThanCanBeCounted) {
  const topology::Machine machine = *topology::parse_synthetic("proc:256");
  const auto takes = [&](const std::string& operation, const std::string& size) {
    CallOptions options;
    options.operation = operation;
    options.size = size;
    return call_from(options, machine).has_value();
  };
  EXPECT_TRUE(takes("broadcast", "100TiB"));
  EXPECT_TRUE(takes("alltoall", "60TiB"));
  EXPECT_FALSE(takes("alltoall", "100TiB"));
  EXPECT_FALSE(takes("broadcast", "1000TiB"));
}

}  // namespace
}  // namespace espalier::cli

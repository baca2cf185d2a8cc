// What a channel keeps for each rank of a large communicator.
#include "mpi/by_rank.hpp"

#include <gtest/gtest.h>

#include "fake_mpi/fake_mpi.hpp"
#include "mpi/channel.hpp"

namespace espalier::mpi {
namespace {

TEST(ByRank, MakesPagesOfThoseThatWereAskedFor) {
  ByRank<int> values(100'000);
  EXPECT_EQ(values.size(), 100'000U);
  EXPECT_EQ(values.pages(), 0U);
  EXPECT_EQ(values.find(99'999), nullptr);
  values[99'999] = 3;
  values[0] = 1;
  values[63] = 2;
  EXPECT_EQ(values.pages(), 2U);
  EXPECT_EQ(*values.find(99'999), 3);
  EXPECT_EQ(*values.find(63), 2);
  EXPECT_EQ(*values.find(1), 0);
  EXPECT_EQ(values.find(64), nullptr);
}

TEST(Channel, MaySendToRanksThatItNeverSentTo) {
  fake::World world(2);
  Channel channel(MPI_COMM_WORLD, 0, 100'000, runtime::Tags(32767), {});
  EXPECT_EQ(channel.size(), 100'000U);
  EXPECT_TRUE(channel.may_send_to(77'777, 0));
  EXPECT_TRUE(channel.count_unconfirmed(77'777, 0, 8, /*must=*/true));
  EXPECT_TRUE(channel.count_unconfirmed(77'777, 0, 8, /*must=*/true));
  EXPECT_FALSE(channel.may_send_to(77'777, 0));
  EXPECT_TRUE(channel.may_send_to(77'776, 0));
  channel.confirm(77'777, 0);
  EXPECT_TRUE(channel.may_send_to(77'777, 0));
}

}  // namespace
}  // namespace espalier::mpi

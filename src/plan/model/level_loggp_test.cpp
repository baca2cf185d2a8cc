#include "model/level_loggp.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"

namespace espalier::model {
namespace {

LogGPParameters latency(int us) { return {microseconds(us), nanoseconds(100), Time{}, kUnlimited}; }

TEST(LevelLogGP, TakesTheInnermostLevelThatJoinsTwoRanks) {
  const LevelLogGP model(64, {{4, latency(1)}, {16, latency(5)}, {64, latency(30)}});
  EXPECT_EQ(model.cost(0, 3, Bytes{1}), LogGP(64, latency(1)).cost(0, 3, Bytes{1}));
  EXPECT_EQ(model.cost(3, 4, Bytes{1}), LogGP(64, latency(5)).cost(3, 4, Bytes{1}));
  EXPECT_EQ(model.cost(15, 16, Bytes{9}), LogGP(64, latency(30)).cost(15, 16, Bytes{9}));
}

TEST(LevelLogGP, RefusesSpansThatDoNotGrow) {
  EXPECT_THROW(LevelLogGP(4, {}), ContractViolation);
  EXPECT_THROW(LevelLogGP(4, {{4, {}}, {4, {}}}), ContractViolation);
}

}  // namespace
}  // namespace espalier::model

#include "league/result.hpp"

#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"

namespace espalier::league {
namespace {

using schedule::Operation;

Result some_result(Random& random) {
  const auto pick = [&](std::uint64_t below) { return random.below(below); };
  return {{"machine \"" + std::to_string(pick(9)) + "\"", pick(2) == 0 ? "block" : "cyclic",
           static_cast<Operation>(pick(schedule::kOperationCount)), pick(1U << 20U)},
          "bcast:NTSL",
          static_cast<ResultState>(pick(4)),
          static_cast<double>(pick(1'000'000)) / 1000,
          "multilevel, \\ 4 KiB",
          std::to_string(pick(1'000'000))};
}

TEST(CellProperty, IsReadAsItWasWritten) {
  for_all_seeds(200, [](Random& random) {
    const std::vector<Result> results{some_result(random), some_result(random)};
    const auto read = read_lines(to_line(results[0]) + "\n" + to_line(results[1]) + "\n", "file");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, results);
  });
}

TEST(Cell, ThatIsCutOffAtTheEndIsLeftOut) {
  Random random(1);
  const Result result = some_result(random);
  const std::string line = to_line(result);
  for (std::size_t cut = 0; cut < line.size(); ++cut) {
    const std::string text = line + "\n" + line.substr(0, cut);
    const auto read = read_lines(text, "file");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, std::vector<Result>{result});
    EXPECT_EQ(piece_at_end(text), cut);
  }
  const auto whole = read_lines(line + "\n" + line, "file");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->size(), 2U) << "only its newline is missing";
  EXPECT_EQ(piece_at_end(line + "\n" + line), 0U);
}

TEST(Cell, APieceOfSomethingElseAtTheEndIsRefused) {
  Random random(1);
  const std::string good = to_line(some_result(random)) + "\n";
  EXPECT_FALSE(read_lines("{", "file")) << "nothing tells that it is ours";
  EXPECT_FALSE(read_lines(R"({"machine": "x", "years of)", "file"));
  for (const char* bad :
       {"one line", "{}", "[1", R"({"machines)", R"({"machine": "x", "years": "of work"})"}) {
    EXPECT_FALSE(read_lines(bad, "file")) << bad;
    EXPECT_FALSE(read_lines(good + bad, "file")) << bad;
  }
}

TEST(Cell, OfSomethingElseIsRefusedWithItsLine) {
  Random random(1);
  const std::string good = to_line(some_result(random)) + "\n";
  for (const char* bad : {"", "{", "[]", "{}", R"({"machine": 3})",
                          R"({"machine":"m","team":"t","operation":"jump","bytes":1,"us":1})"}) {
    std::string text = good;
    text.append(bad).append("\n").append(good);
    const auto read = read_lines(text, "results");
    ASSERT_FALSE(read.has_value()) << bad;
    EXPECT_EQ(read.error().where, "results:2");
  }
}

TEST(BytesOfAllRanks, CountBothBuffersOfEveryRank) {
  EXPECT_EQ(bytes_of_all_ranks({"m", "block", Operation::Alltoall, 8}, 4), 2U * 4 * 4 * 8);
  EXPECT_EQ(bytes_of_all_ranks({"m", "block", Operation::Gather, 8}, 4), 4U * 8 + 4 * 8);
  EXPECT_EQ(bytes_of_all_ranks({"m", "block", Operation::Barrier, 0}, 4), 0U);
}

}  // namespace
}  // namespace espalier::league

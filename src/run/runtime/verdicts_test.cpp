#include "runtime/verdicts.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace espalier::runtime {
namespace {

CallClass some_calls(std::uint32_t size_class) {
  return {schedule::Operation::Allreduce, 0, size_class, true, false, false};
}

class VerdictsFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("verdicts-" + std::to_string(::getpid()));
  std::string file_ = (folder_ / "verdicts.json").string();
};

TEST_F(VerdictsFile, KeepsWhatWasSaidForItsPlaceAndClass) {
  std::filesystem::create_directories(folder_);
  Verdicts verdicts;
  verdicts.set(0xfedcba9876543210, some_calls(4), "native");
  verdicts.set(7, some_calls(20), "multilevel exchange");
  CallClass with_gaps = some_calls(20);
  with_gaps.gaps = true;
  verdicts.set(7, with_gaps, "binomial");
  EXPECT_FALSE(write_verdicts(verdicts, file_).has_value());
  const auto read = read_verdicts(file_);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->find(0xfedcba9876543210, some_calls(4)), "native");
  EXPECT_EQ(read->find(7, some_calls(20)), "multilevel exchange");
  EXPECT_EQ(read->find(7, with_gaps), "binomial");
  EXPECT_FALSE(read->find(7, some_calls(4)).has_value());
  EXPECT_EQ(std::filesystem::status(file_).permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "left behind";
}

TEST_F(VerdictsFile, MissingIsEmptyBrokenIsRefused) {
  std::filesystem::create_directories(folder_);
  ASSERT_TRUE(read_verdicts(file_).has_value());
  EXPECT_TRUE(read_verdicts(file_)->empty());
  for (const char* text : {"", "{", "[]", "{\"format\": \"else\"}",
                           "{\"format\": \"espalier-verdicts-2\", \"verdicts\": [{}]}",
                           "{\"format\": \"espalier-verdicts-2\", \"verdicts\": 3}"}) {
    std::ofstream(file_) << text;
    EXPECT_FALSE(read_verdicts(file_).has_value()) << text;
  }
  EXPECT_TRUE(write_verdicts({}, "/no/such/folder/verdicts").has_value());
}

TEST_F(VerdictsFile, FollowsNoLinkThatOthersPutBesideIt) {
  std::filesystem::create_directories(folder_);
  const std::string victim = (folder_ / "thesis").string();
  std::ofstream(victim) << "years of work";
  std::filesystem::create_symlink(victim, file_ + "." + std::to_string(::getpid()));
  Verdicts verdicts;
  verdicts.set(7, some_calls(4), "native");
  EXPECT_FALSE(write_verdicts(verdicts, file_).has_value());
  EXPECT_TRUE(read_verdicts(file_).has_value());
  std::ifstream in(victim);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "years of work");
}

TEST_F(VerdictsFile, ThatIsAFifoHoldsUpNobody) {
  std::filesystem::create_directories(folder_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_FALSE(read_verdicts(file_).has_value());
}

}  // namespace
}  // namespace espalier::runtime

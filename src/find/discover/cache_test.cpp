#include "discover/cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "discover/node_record.hpp"
#include "discover/simulated_prober.hpp"
#include "topology/readers.hpp"

namespace espalier::discover {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("espalier-cache-" + std::to_string(::getpid()));
    file_ = cache_file(folder_ / "espalier", "key");
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] static CachedMachine some(std::int64_t made) {
    return {
        *topology::parse_synthetic("site:2(10ms) host:1|2(250us)"), {"2 sites"}, made, true, {}};
  }

  fs::path folder_;
  std::string file_;
};

TEST_F(Cache, GivesBackWhatWasKept) {
  ASSERT_TRUE(write_cache(file_, "key", some(1'000)));
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  const auto found = read_cache(file_, "key", 2'000);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->machine, some(0).machine);
  EXPECT_EQ((*found)->words, some(0).words);
  ASSERT_TRUE(write_cache(file_, "key", some(3'000)));  // over the old one
  EXPECT_EQ((*read_cache(file_, "key", 3'000))->made, 3'000);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "espalier"), {}), 1);
}

TEST_F(Cache, ForgetsWhatIsOldOrFromTheFuture) {
  ASSERT_TRUE(write_cache(file_, "key", some(1'000)));
  EXPECT_FALSE(*read_cache(file_, "key", 1'001 + kCacheSeconds));
  EXPECT_FALSE(*read_cache(file_, "key", 999));
  EXPECT_FALSE(*read_cache(file_ + ".none", "key", 1'000));
}

TEST_F(Cache, RemovesWhatNobodyReadsAnyMoreAndNothingElse) {
  const fs::path folder = folder_ / "espalier";
  fs::create_directories(folder);
  for (const char* name :
       {"machine-0000000000000001.json", "start-00000000000000ff.json",
        ".start-00000000000000ff.json.0123456789abcdef.new", "notes.json", "start-x.json",
        "machine-of-our-institute.json", "machine-1.txt", ".machine-of-mine"}) {
    std::ofstream(folder / name) << "{}";
    fs::last_write_time(folder / name, fs::file_time_type::clock::now() -
                                           std::chrono::seconds(kCacheSeconds + 100));
  }
  fs::create_directory_symlink("/", folder / "machine-0000000000000002.json");
  std::ofstream(folder / "start-0000000000000003.json") << "{}";
  remove_old_files(folder, std::time(nullptr));
  std::set<std::string> left;
  for (const auto& one : fs::directory_iterator(folder)) left.insert(one.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{"notes.json", "start-x.json",
                                         "machine-of-our-institute.json", "machine-1.txt",
                                         ".machine-of-mine", "machine-0000000000000002.json",
                                         "start-0000000000000003.json"}));
  remove_old_files(folder_ / "none", std::time(nullptr));
}

TEST_F(Cache, ForgetsWhatLacksSomethingSooner) {
  CachedMachine incomplete = some(1'000);
  incomplete.complete = false;
  incomplete.doubts = {"uncertain: it was busy"};
  ASSERT_TRUE(write_cache(file_, "key", incomplete));
  const auto found = read_cache(file_, "key", 1'000 + kCacheSecondsIfIncomplete);
  ASSERT_TRUE(found && *found);
  EXPECT_FALSE((*found)->complete);
  EXPECT_EQ((*found)->doubts, incomplete.doubts);
  EXPECT_FALSE(*read_cache(file_, "key", 1'001 + kCacheSecondsIfIncomplete));
}

TEST_F(Cache, RefusesFilesThatAreBrokenForeignOrOpenToOthers) {
  ASSERT_TRUE(write_cache(file_, "key", some(1'000)));
  EXPECT_FALSE(read_cache(file_, "another key", 1'000));
  ::chmod(file_.c_str(), 0666);
  EXPECT_FALSE(read_cache(file_, "key", 1'000));
  ::chmod(file_.c_str(), 0600);
  for (const char* text : {"", "{", "[]", "{\"format\": 1}", "\0\1\2"}) {
    std::ofstream(file_, std::ios::trunc) << text;
    EXPECT_FALSE(read_cache(file_, "key", 1'000)) << text;
  }
  fs::remove(file_);
  fs::create_symlink("/etc/passwd", file_);
  EXPECT_FALSE(read_cache(file_, "key", 1'000));
}

TEST_F(Cache, ThatIsAFifoHoldsUpNobodyAndStays) {
  fs::create_directories(folder_ / "espalier");
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_FALSE(read_cache(file_, "key", 1'000));
  EXPECT_FALSE(write_cache(file_, "key", some(1'000)));
  EXPECT_TRUE(fs::is_fifo(file_));
}

TEST(CacheFolder, FollowsXdg) {
  EXPECT_EQ(cache_folder("/x", "/home/a"), "/x/espalier");
  EXPECT_EQ(cache_folder("", "/home/a"), "/home/a/.cache/espalier");
  EXPECT_EQ(cache_folder("relative", ""), "");
}

TEST(StillHolds, SeesThatALinkIsNotWhatItWas) {
  const auto before = topology::parse_synthetic("site:2(10ms) host:2|3(250us,send=5us)");
  const auto after = topology::parse_synthetic("site:2(30ms) host:2|3(250us,send=5us)");
  const std::vector<Rank> ranks{0, 1, 2, 3, 4};
  SimulatedProber same(*before, {.seed = 1, .noise_percent = 10});
  EXPECT_TRUE(*still_holds(same, *before, ranks));
  EXPECT_EQ(same.experiments(), 2U);
  SimulatedProber other(*after, {.seed = 1, .noise_percent = 10});
  EXPECT_FALSE(*still_holds(other, *before, ranks));
}

TEST(NodeRecord, ComesBackAsItWas) {
  const NodeRecord record{"host", "a/b", {3, 1}, {{0, 1}, {2}}, "{}", nanoseconds(7), 2.5, 2};
  EXPECT_EQ(*node_record_from(to_text(record)), record);
  EXPECT_FALSE(node_record_from("nonsense"));
  EXPECT_FALSE(node_record_from("{}"));
}

TEST(PlaceOf, TakesLabelsBeforeSlurmBeforeSubnets) {
  EXPECT_EQ(place_of("anl", "m1", "s0.s1.n7", "10.0.0.0"), "anl/m1");
  EXPECT_EQ(place_of("anl", "", "", "10.0.0.0"), "anl");
  EXPECT_EQ(place_of("", "", "s0.s1.n7", "10.0.0.0"), "s0/s1");
  EXPECT_EQ(place_of("", "", "", "10.0.0.0"), "10.0.0.0");
}

}  // namespace
}  // namespace espalier::discover

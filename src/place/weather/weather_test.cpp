#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "support/for_all_seeds.hpp"
#include "weather/history.hpp"
#include "weather/probe.hpp"

namespace espalier::weather {
namespace {

/// A file of its own, gone afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() /
               ("espalier-" + std::to_string(getpid()) + name))
                  .string()) {}
  ~TemporaryFile() {
    for (const char* end : {"", ".corrupt", "-journal"}) {
      std::error_code error;
      std::filesystem::remove(path_ + end, error);
    }
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Of ours by its first page alone.
const std::string kOnceAHistory = std::string("SQLite format 3\0", 16) + std::string(4000, 'x') +
                                  "CREATE TABLE sample (time INTEGER)" + std::string(1000, 'x');

void run_sql(const std::string& file, const char* text) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

TEST(Forecast, OfAConstantIsThatConstantWithoutError) {
  const std::vector<double> values(20, 3.0);
  const Forecast f = forecast(values);
  EXPECT_DOUBLE_EQ(f.value, 3.0);
  EXPECT_DOUBLE_EQ(f.mean_error, 0.0);
  EXPECT_EQ(f.method, "last");
}

TEST(Forecast, OfARampIsTheLastValueAndOfSpikesAMedian) {
  std::vector<double> ramp;
  for (int i = 0; i < 60; ++i) ramp.push_back(i);
  EXPECT_EQ(forecast(ramp).method, "last");
  EXPECT_DOUBLE_EQ(forecast(ramp).mean_error, 1.0);
  std::vector<double> spikes;
  for (int i = 0; i < 60; ++i) spikes.push_back(i % 7 == 3 ? 100 : 1);
  EXPECT_EQ(forecast(spikes).method.substr(0, 6), "median");
  EXPECT_DOUBLE_EQ(forecast(spikes).value, 1);
}

TEST(ForecastProperty, TheChosenMethodHasTheLeastErrorAndStaysWithinTheSeries) {
  for_all_seeds(200, [](Random& rng) {
    std::vector<double> values;
    const auto count = 1 + rng.below(80);
    for (std::uint64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<double>(rng.between(1, 1000)));
    }
    const Forecast chosen = forecast(values);
    for (const MethodError& m : try_methods(values)) EXPECT_LE(chosen.mean_error, m.mean_error);
    EXPECT_GE(chosen.value, *std::min_element(values.begin(), values.end()) - 1e-9);
    EXPECT_LE(chosen.value, *std::max_element(values.begin(), values.end()) + 1e-9);
  });
}

TEST(ForecastProperty, MethodsSeeWhatIsInTheirWindows) {
  for_all_seeds(100, [](Random& rng) {
    std::vector<double> values;
    const auto count = 1 + rng.below(80);
    for (std::uint64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<double>(rng.between(1, 9)));
    }
    std::vector<double> last(
        values.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, 11)), values.end());
    std::sort(last.begin(), last.end());
    const std::size_t half = last.size() / 2;
    const double median = last.size() % 2 == 1 ? last[half] : (last[half - 1] + last[half]) / 2;
    double sum = 0;
    for (const double v : values) sum += v;
    std::map<std::string, double> next;
    for (const MethodError& m : try_methods(values)) next[m.method] = m.next;
    EXPECT_DOUBLE_EQ(next["median of 11"], median);
    EXPECT_DOUBLE_EQ(next["mean of all"], sum / static_cast<double>(count));
    EXPECT_DOUBLE_EQ(next["last"], values.back());
  });
}

TEST(History, RefusesWhatNoLinkHas) {
  const TemporaryFile file("bounds");
  const auto taken = [&](double latency, double bandwidth) {
    return add_samples(file.path(), std::vector<Sample>{{1, "a", "b", latency, bandwidth}})
        .has_value();
  };
  EXPECT_TRUE(taken(1e6, 8e18));
  EXPECT_FALSE(taken(1.1e6, 0));
  EXPECT_FALSE(taken(1e300, 0));
  EXPECT_FALSE(taken(0.1, 9e18));
  EXPECT_FALSE(taken(std::nan(""), 0));
  EXPECT_FALSE(taken(0.1, std::nan("")));
  EXPECT_FALSE(taken(0.1, HUGE_VAL));
  run_sql(file.path(), "INSERT INTO sample VALUES (2, 'a', 'b', 1e300, 0)");
  EXPECT_EQ(read_history(file.path()).samples.size(), 1U);
}

TEST(History, GivesBackWhatWasAdded) {
  const TemporaryFile file("add");
  const std::vector<Sample> samples{{10, "B", "A", 0.01, 1e7}, {20, "A", "B", 0.02, 0}};
  ASSERT_TRUE(add_samples(file.path(), samples).has_value());
  const HistoryRead read = read_history(file.path());
  ASSERT_EQ(read.samples.size(), 2U);
  EXPECT_TRUE(read.notes.empty());
  EXPECT_EQ(read.samples[0].a, "A");
  const auto links = forecast_links(read.samples, 0);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].samples, 2U);
  EXPECT_DOUBLE_EQ(links[0].bandwidth.value, 1e7);
  EXPECT_TRUE(forecast_links(read.samples, 1000).empty());
}

TEST(History, ThatIsMissingOrCorruptIsSaidAndSurvived) {
  const TemporaryFile file("corrupt");
  EXPECT_TRUE(read_history(file.path()).wrong);
  std::ofstream(file.path()) << kOnceAHistory;
  const HistoryRead read = read_history(file.path());
  EXPECT_TRUE(read.samples.empty());
  EXPECT_TRUE(read.wrong);
  const auto notes = add_samples(file.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}});
  ASSERT_TRUE(notes.has_value());
  EXPECT_EQ(notes->size(), 1U);
  EXPECT_EQ(read_history(file.path()).samples.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(file.path() + ".corrupt"));
}

TEST(History, ThatNeverWasOneStays) {
  const TemporaryFile file("thesis");
  std::ofstream(file.path()) << "years of work";
  EXPECT_FALSE(add_samples(file.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}}));
  std::ifstream in(file.path());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "years of work");
}

TEST(History, LeavesDatabasesOfOthersAlone) {
  const TemporaryFile broken("others");
  const std::string others = std::string("SQLite format 3\0", 16) + std::string(5000, 'x');
  std::ofstream(broken.path()) << others;
  EXPECT_FALSE(add_samples(broken.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}}));
  std::ifstream in(broken.path());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), others);
  EXPECT_FALSE(std::filesystem::exists(broken.path() + ".corrupt"));
  const TemporaryFile healthy("healthy");
  run_sql(healthy.path(), "CREATE TABLE thesis (word TEXT)");
  const auto refused = add_samples(healthy.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("of another program"), std::string::npos)
      << refused.error().what;
}

TEST(History, IsPutAsideWithoutReplacingAnother) {
  const TemporaryFile file("aside");
  std::ofstream(file.path()) << kOnceAHistory;
  std::ofstream(file.path() + ".corrupt") << "an earlier one";
  ASSERT_TRUE(add_samples(file.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}}));
  std::ifstream in(file.path() + ".corrupt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "an earlier one");
  EXPECT_TRUE(std::filesystem::remove(file.path() + ".corrupt.2"));
}

TEST(History, WhoseTableIsAnEndlessViewEnds) {
  const TemporaryFile file("view");
  run_sql(
      file.path(),
      "CREATE VIEW sample AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
      "SELECT n AS time, 'a' AS a, 'b' AS b, 0.1 AS latency, 0 AS bandwidth, n AS rowid FROM c");
  const HistoryRead read = read_history(file.path());
  EXPECT_TRUE(read.samples.empty());
  ASSERT_TRUE(read.wrong);
  EXPECT_NE(read.wrong->what.find("no plain table"), std::string::npos) << read.wrong->what;
  EXPECT_FALSE(add_samples(file.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}}));
}

TEST(History, WhoseTableWorksThingsOutIsRefused) {
  const TemporaryFile file("generated");
  run_sql(file.path(),
          "CREATE TABLE sample (time INTEGER, a TEXT, b TEXT, latency REAL, "
          "bandwidth REAL AS (length(a)))");
  EXPECT_TRUE(read_history(file.path()).wrong);
}

TEST(History, DoesNotRunTriggers) {
  const TemporaryFile file("trigger");
  ASSERT_TRUE(add_samples(file.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}}));
  run_sql(file.path(), "CREATE TRIGGER t AFTER INSERT ON sample BEGIN DELETE FROM sample; END");
  ASSERT_TRUE(add_samples(file.path(), std::vector<Sample>{{2, "a", "b", 0.1, 0}}));
  EXPECT_EQ(read_history(file.path()).samples.size(), 2U);
}

TEST(History, ThatIsAFifoHoldsUpNobody) {
  const TemporaryFile file("fifo");
  ASSERT_EQ(mkfifo(file.path().c_str(), 0600), 0);
  EXPECT_TRUE(read_history(file.path()).wrong);
  EXPECT_FALSE(add_samples(file.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}}));
}

TEST(History, OfAFolderThatIsLockedIsNotWaitedForWithoutEnd) {
  const std::string folder = testing::TempDir() + "weather_lock_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string file = folder + "/h";
  ASSERT_TRUE(add_samples(file, std::vector<Sample>{{1, "a", "b", 0.1, 0}}));
  const int held = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  constexpr std::chrono::milliseconds kShort{1};
  EXPECT_FALSE(add_samples(file, std::vector<Sample>{{1, "a", "b", 0.1, 0}}, kShort));
  const HistoryRead read = read_history(file, kShort);
  EXPECT_TRUE(read.samples.empty());
  ASSERT_TRUE(read.wrong);
  EXPECT_NE(read.wrong->what.find("locked this folder"), std::string::npos);
  close(held);
  EXPECT_EQ(read_history(file, kShort).samples.size(), 1U);
  std::filesystem::remove_all(folder);
}

TEST(History, RefusesWhatIsNoMeasurement) {
  const TemporaryFile file("refuse");
  for (const Sample& bad :
       {Sample{1, "a", "a", 0.1, 0}, Sample{1, "", "b", 0.1, 0}, Sample{1, "a", "b", 0, 0},
        Sample{1, "a", "b", std::nan(""), 0}, Sample{1, "a", "b", 0.1, -1}}) {
    EXPECT_FALSE(add_samples(file.path(), std::vector<Sample>{bad}).has_value());
  }
  EXPECT_FALSE(add_samples("/no/such/folder/h", std::vector<Sample>{{1, "a", "b", 1, 1}}));
}

TEST(History, IsPutAsideOnceHoweverManyWritersFindItCorrupt) {
  for (int round = 0; round < 5; ++round) {
    const TemporaryFile file("race" + std::to_string(round));
    const std::string& noise = kOnceAHistory;
    std::ofstream(file.path()) << noise;
    constexpr int kWriters = 5, kEach = 2;
    std::vector<std::thread> writers;
    std::atomic<std::size_t> notes{0};
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&, w] {
        for (int i = 0; i < kEach; ++i) {
          const std::vector<Sample> one{{i, "a", "b" + std::to_string(w), 0.1, 0}};
          const auto added = add_samples(file.path(), one);
          ASSERT_TRUE(added.has_value()) << added.error();
          notes += added->size();
        }
      });
    }
    for (std::thread& t : writers) t.join();
    EXPECT_EQ(notes, 1U);
    EXPECT_EQ(read_history(file.path()).samples.size(), std::size_t{kWriters * kEach});
    std::ifstream aside(file.path() + ".corrupt");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(aside), {}), noise);
  }
}

TEST(History, OfWritersAtTheSameTimeLosesNothing) {
  const TemporaryFile file("writers");
  constexpr int kWriters = 4, kEach = 12;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&file, w] {
      for (int i = 0; i < kEach; ++i) {
        const std::vector<Sample> one{{i, "a", "b" + std::to_string(w), 0.1, 0}};
        EXPECT_TRUE(add_samples(file.path(), one).has_value());
      }
    });
  }
  for (std::thread& t : writers) t.join();
  EXPECT_EQ(read_history(file.path()).samples.size(), std::size_t{kWriters * kEach});
}

/// As a scan of ports makes one.
TEST(Probes, ASilentConnectionHoldsUpOthersForLessThanTheyWait) {
  std::atomic<std::uint16_t> port{0};
  std::thread answering([&port] {
    const auto note = [](std::uint16_t found, void* context) {
      static_cast<std::atomic<std::uint16_t>*>(context)->store(found);
    };
    EXPECT_TRUE(answer_probes(0, 2, note, &port));
  });
  while (port.load() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int silent = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port.load());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(silent, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto probed = probe("127.0.0.1", port.load(), ProbeLimits{.round_trips = 1, .bytes = 0});
  EXPECT_TRUE(probed) << probed.error();
  ::close(silent);
  answering.join();
}

}  // namespace
}  // namespace espalier::weather

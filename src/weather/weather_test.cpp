#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/for_all_seeds.hpp"
#include "weather/forecast.hpp"
#include "weather/history.hpp"

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
  EXPECT_EQ(read_history(file.path()).notes.size(), 1U);
  std::ofstream(file.path()) << std::string(5000, 'x');
  const HistoryRead read = read_history(file.path());
  EXPECT_TRUE(read.samples.empty());
  EXPECT_EQ(read.notes.size(), 1U);
  const auto notes = add_samples(file.path(), std::vector<Sample>{{1, "a", "b", 0.1, 0}});
  ASSERT_TRUE(notes.has_value());
  EXPECT_EQ(notes->size(), 1U);
  EXPECT_EQ(read_history(file.path()).samples.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(file.path() + ".corrupt"));
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
    const std::string noise(5000, 'x');
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

}  // namespace
}  // namespace espalier::weather

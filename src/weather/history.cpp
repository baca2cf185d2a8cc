#include "weather/history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

namespace espalier::weather {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

/// Other writers are waited for this long.
constexpr int kPatienceMs = 30'000;
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS sample (time INTEGER NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, "
    "latency REAL NOT NULL, bandwidth REAL NOT NULL)";

struct Opened {
  Database db;
  int code = SQLITE_OK;
};

Opened open(const std::string& file, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Opened opened{Database(raw), code};
  if (code == SQLITE_OK) sqlite3_busy_timeout(raw, kPatienceMs);
  return opened;
}

bool is_corrupt(int code) { return code == SQLITE_CORRUPT || code == SQLITE_NOTADB; }

int run(sqlite3* db, const char* text) { return sqlite3_exec(db, text, nullptr, nullptr, nullptr); }

Statement prepare(sqlite3* db, const char* text, int& code) {
  sqlite3_stmt* raw = nullptr;
  code = sqlite3_prepare_v2(db, text, -1, &raw, nullptr);
  return Statement(raw);
}

bool makes_sense(const Sample& s) {
  return !s.a.empty() && !s.b.empty() && s.a != s.b && std::isfinite(s.latency) && s.latency > 0 &&
         std::isfinite(s.bandwidth) && s.bandwidth >= 0;
}

/// All or nothing.
int insert(sqlite3* db, std::span<const Sample> samples) {
  if (int code = run(db, "BEGIN IMMEDIATE"); code != SQLITE_OK) return code;
  int code = run(db, kTable);
  if (code == SQLITE_OK) {
    const Statement add = prepare(db, "INSERT INTO sample VALUES (?1, ?2, ?3, ?4, ?5)", code);
    for (const Sample& s : samples) {
      if (code != SQLITE_OK) break;
      const auto& [low, high] = std::minmax(s.a, s.b);
      sqlite3_bind_int64(add.get(), 1, s.when);
      sqlite3_bind_text(add.get(), 2, low.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(add.get(), 3, high.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_double(add.get(), 4, s.latency);
      sqlite3_bind_double(add.get(), 5, s.bandwidth);
      const int done = sqlite3_step(add.get());
      if (done != SQLITE_DONE) code = done;
      sqlite3_reset(add.get());
    }
  }
  if (code == SQLITE_OK) code = run(db, "COMMIT");
  if (code != SQLITE_OK) run(db, "ROLLBACK");
  return code;
}

int try_to_insert(const std::string& file, std::span<const Sample> samples) {
  const Opened opened = open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  return opened.code == SQLITE_OK ? insert(opened.db.get(), samples) : opened.code;
}

/// Who has a history of this folder open shares its lock, and who puts one aside has it alone: a
/// file that is renamed while others have it open would be taken for the owner of the new one's
/// journal, which goes by name. Where the folder cannot be locked it is as if it were.
class FolderLock {
 public:
  /// @param how LOCK_SH or LOCK_EX
  FolderLock(const std::string& file, int how) {
    std::error_code error;
    const auto folder = std::filesystem::absolute(file, error).parent_path();
    fd_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd_ >= 0 && ::flock(fd_, how) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

Error refused(const std::string& file, int code) {
  return {file, fmt::format("cannot be written: {}", sqlite3_errstr(code)),
          "name a file that you may write to"};
}

std::string text_of(sqlite3_stmt* row, int column) {
  const unsigned char* text = sqlite3_column_text(row, column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

Expected<std::vector<std::string>> add_samples(const std::string& file,
                                               std::span<const Sample> samples) {
  for (const Sample& s : samples) {
    if (makes_sense(s)) continue;
    return Error{fmt::format("{},{}", s.a, s.b),
                 fmt::format("a latency of {} s and a bandwidth of {} bit/s between \"{}\" and "
                             "\"{}\" are no measurement",
                             s.latency, s.bandwidth, s.a, s.b),
                 "two clusters, a positive latency, a bandwidth or 0"};
  }
  std::vector<std::string> notes;
  int code = SQLITE_OK;
  {
    const FolderLock lock(file, LOCK_SH);
    code = try_to_insert(file, samples);
  }
  if (is_corrupt(code)) {
    // Who finds it corrupt may come late: another writer may have begun a new one, which must stay.
    const FolderLock lock(file, LOCK_EX);
    code = try_to_insert(file, samples);
    if (is_corrupt(code)) {
      std::error_code error;
      std::filesystem::rename(file, file + ".corrupt", error);
      if (error) return refused(file, code);
      notes.push_back(
          fmt::format("{} was no history any more; it is {}.corrupt now, and a new one "
                      "is begun",
                      file, file));
      code = try_to_insert(file, samples);
    }
  }
  if (code != SQLITE_OK) return refused(file, code);
  return notes;
}

HistoryRead read_history(const std::string& file) {
  HistoryRead read;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    read.notes.push_back(fmt::format("there is no history {} yet", file));
    return read;
  }
  const FolderLock lock(file, LOCK_SH);
  const Opened opened = open(file, SQLITE_OPEN_READONLY);
  int code = opened.code;
  std::size_t senseless = 0;
  if (code == SQLITE_OK) {
    const Statement all = prepare(opened.db.get(),
                                  "SELECT time, a, b, latency, bandwidth FROM sample "
                                  "ORDER BY time, rowid",
                                  code);
    while (code == SQLITE_OK && (code = sqlite3_step(all.get())) == SQLITE_ROW) {
      Sample s;
      s.when = sqlite3_column_int64(all.get(), 0);
      s.a = text_of(all.get(), 1);
      s.b = text_of(all.get(), 2);
      s.latency = sqlite3_column_double(all.get(), 3);
      s.bandwidth = sqlite3_column_double(all.get(), 4);
      if (makes_sense(s)) {
        read.samples.push_back(std::move(s));
      } else {
        ++senseless;
      }
      code = SQLITE_OK;
    }
    if (code == SQLITE_DONE) code = SQLITE_OK;
  }
  if (code != SQLITE_OK) {
    read.notes.push_back(fmt::format("{} cannot be read to its end ({}); {} measurements were",
                                     file, sqlite3_errstr(code), read.samples.size()));
  }
  if (senseless > 0) {
    read.notes.push_back(fmt::format("{}: {} rows are no measurements", file, senseless));
  }
  return read;
}

std::vector<LinkForecast> forecast_links(std::span<const Sample> samples, std::int64_t oldest) {
  struct Series {
    std::vector<double> latency, bandwidth;
    std::int64_t last = 0;
  };
  std::map<std::pair<std::string, std::string>, Series> links;
  for (const Sample& s : samples) {
    if (s.when < oldest) continue;
    Series& series = links[std::minmax(s.a, s.b)];
    series.latency.push_back(s.latency);
    if (s.bandwidth > 0) series.bandwidth.push_back(s.bandwidth);
    series.last = std::max(series.last, s.when);
  }
  std::vector<LinkForecast> result;
  for (const auto& [names, series] : links) {
    LinkForecast link{names.first, names.second,          forecast(series.latency),
                      {},          series.latency.size(), series.last};
    if (!series.bandwidth.empty()) link.bandwidth = forecast(series.bandwidth);
    result.push_back(std::move(link));
  }
  return result;
}

}  // namespace espalier::weather

#include "weather/history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"

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
/// Of SQLite's machine, for one command: a second or two hold tens of millions.
constexpr int kStepsAtATime = 1'000'000;
constexpr int kMostTimes = 2'000;
constexpr std::size_t kMostSamples = 10'000'000;
constexpr int kLongestValue = 1 << 20;
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS sample (time INTEGER NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, "
    "latency REAL NOT NULL, bandwidth REAL NOT NULL)";

struct Opened {
  Database db;
  int code = SQLITE_OK;
  std::unique_ptr<int> times = std::make_unique<int>(0);  ///< number of calls of stop_at_last()
};

int stop_at_last(void* times) { return ++*static_cast<int*>(times) > kMostTimes ? 1 : 0; }

/// The file may be anybody's: what it says is to be run (views, triggers, functions in its schema)
/// is not, and nothing goes on without end.
void distrust(Opened& opened) {
  sqlite3* db = opened.db.get();
  for (const auto& [what, on] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1}, std::pair{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        std::pair{SQLITE_DBCONFIG_ENABLE_VIEW, 0}, std::pair{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}}) {
    sqlite3_db_config(db, what, on, nullptr);
  }
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_progress_handler(db, kStepsAtATime, stop_at_last, opened.times.get());
}

Opened open(const std::string& file, int flags) {
  sqlite3* raw = nullptr;
  // A name that SQLite has a meaning for (":memory:") is a file's here.
  const std::string name = file.starts_with('/') ? file : "./" + file;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  Opened opened{Database(raw), code};
  if (code != SQLITE_OK) return opened;
  sqlite3_busy_timeout(raw, kPatienceMs);
  distrust(opened);
  return opened;
}

bool is_corrupt(int code) { return code == SQLITE_CORRUPT || code == SQLITE_NOTADB; }

int run(sqlite3* db, const char* text) { return sqlite3_exec(db, text, nullptr, nullptr, nullptr); }

Statement prepare(sqlite3* db, const char* text, int& code) {
  sqlite3_stmt* raw = nullptr;
  code = sqlite3_prepare_v2(db, text, -1, &raw, nullptr);
  return Statement(raw);
}

/// SQLITE_OK if "sample" is a plain table or not there, SQLITE_SCHEMA if it is something else: a
/// view, a virtual table, one with columns that are worked out.
int check_table(sqlite3* db) {
  int code = SQLITE_OK;
  const Statement odd =
      prepare(db,
              "SELECT 1 FROM sqlite_master WHERE name = 'sample' COLLATE NOCASE AND "
              "(type <> 'table' OR rootpage = 0) "
              "UNION ALL SELECT 1 FROM pragma_table_xinfo('sample') WHERE hidden <> 0",
              code);
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(odd.get());
  if (code == SQLITE_ROW) return SQLITE_SCHEMA;
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/// SQLITE_OK unless it has tables, and none of them is ours: then SQLITE_AUTH.
int check_owner(sqlite3* db) {
  int code = SQLITE_OK;
  const Statement others = prepare(db,
                                   "SELECT sum(name = 'sample' COLLATE NOCASE), count(*) "
                                   "FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'",
                                   code);
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(others.get());
  if (code != SQLITE_ROW) return code == SQLITE_DONE ? SQLITE_OK : code;
  const bool is_foreign =
      sqlite3_column_int64(others.get(), 1) > 0 && sqlite3_column_int64(others.get(), 0) == 0;
  return is_foreign ? SQLITE_AUTH : SQLITE_OK;
}

std::string reason(int code) {
  if (code == SQLITE_AUTH) return "it is a database of another program";
  if (code == SQLITE_SCHEMA) return "what it calls \"sample\" is no plain table of measurements";
  if (code == SQLITE_INTERRUPT) return "it takes too long";
  return sqlite3_errstr(code);
}

bool makes_sense(const Sample& s) {
  return !s.a.empty() && !s.b.empty() && s.a != s.b && s.latency > 0 && s.latency <= kMostLatency &&
         s.bandwidth >= 0 && s.bandwidth <= kMostBandwidth;
}

/// All or nothing.
int insert(sqlite3* db, std::span<const Sample> samples) {
  if (int code = check_table(db); code != SQLITE_OK) return code;
  if (int code = check_owner(db); code != SQLITE_OK) return code;
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
/// journal, which goes by name. Where the folder cannot be locked it is as if it were. Anybody who
/// can read the folder can lock it: nobody is waited for without end.
class FolderLock {
 public:
  /// @param how LOCK_SH or LOCK_EX
  FolderLock(const std::string& file, int how, std::chrono::milliseconds patience) {
    std::error_code error;
    folder_ = std::filesystem::absolute(file, error).parent_path().string();
    fd_ = FileDescriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    is_held_ = fd_ && !lock_within(fd_.get(), how, patience) && errno == EWOULDBLOCK;
  }

  /// Why it was not taken.
  [[nodiscard]] std::optional<Error> held_by_others() const {
    if (!is_held_) return std::nullopt;
    return Error{folder_, "another program has locked this folder, and does not let go",
                 "see which: fuser -v " + folder_};
  }

 private:
  std::string folder_;
  FileDescriptor fd_;
  bool is_held_ = false;
};

Error refused(const std::string& file, int code) {
  return {file, fmt::format("cannot be written: {}", reason(code)),
          "name a file that you may write to"};
}

/// SQLite would wait for a FIFO.
std::optional<Error> why_no_history(const std::string& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode)) {
    return Error{file, "it is no file", "name a file, or one that is not there yet"};
  }
  return std::nullopt;
}

/// Only what was a history once is put aside, under a name that nothing has yet.
/// @return that name
Expected<std::string> put_aside(const std::string& file) {
  using namespace std::string_view_literals;
  constexpr std::size_t kSchema = 65536;  // its first page, which lists the tables
  const std::string begin = beginning_of_file(file, kSchema);
  const bool is_ours = begin.starts_with("SQLite format 3\0"sv) &&
                       begin.find("CREATE TABLE sample") != std::string::npos;
  if (!is_ours) {
    return Error{file, "it is no history of links, and never was one: it stays as it is",
                 "name another file"};
  }
  constexpr int kMostAside = 100;
  for (int n = 1; n <= kMostAside; ++n) {
    const std::string aside = file + ".corrupt" + (n == 1 ? "" : fmt::format(".{}", n));
    if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) == 0) {
      return aside;
    }
    if (errno != EEXIST) break;
  }
  return refused(file, SQLITE_CORRUPT);
}

std::string text_of(sqlite3_stmt* row, int column) {
  const unsigned char* text = sqlite3_column_text(row, column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

Expected<std::vector<std::string>> add_samples(const std::string& file,
                                               std::span<const Sample> samples,
                                               std::chrono::milliseconds patience) {
  for (const Sample& s : samples) {
    if (makes_sense(s)) continue;
    return Error{fmt::format("{},{}", s.a, s.b),
                 fmt::format("a latency of {} s and a bandwidth of {} bit/s between \"{}\" and "
                             "\"{}\" are no measurement",
                             s.latency, s.bandwidth, s.a, s.b),
                 "two clusters, a positive latency of at most 1,000,000 s, a bandwidth of at most "
                 "1e18 byte/s or 0"};
  }
  if (auto wrong = why_no_history(file)) return *std::move(wrong);
  if (auto foreign = why_foreign(file)) return *std::move(foreign);
  std::vector<std::string> notes;
  int code = SQLITE_OK;
  {
    const FolderLock lock(file, LOCK_SH, patience);
    if (auto held = lock.held_by_others()) return *std::move(held);
    code = try_to_insert(file, samples);
  }
  if (is_corrupt(code)) {
    // Who finds it corrupt may come late: another writer may have begun a new one, which must stay.
    const FolderLock lock(file, LOCK_EX, patience);
    if (auto held = lock.held_by_others()) return *std::move(held);
    code = try_to_insert(file, samples);
    if (is_corrupt(code)) {
      auto aside = put_aside(file);
      if (!aside) return aside.error();
      notes.push_back(fmt::format(
          "{} was no history any more; it is {} now, and a new one is begun", file, *aside));
      code = try_to_insert(file, samples);
    }
  }
  if (code != SQLITE_OK) return refused(file, code);
  return notes;
}

HistoryRead read_history(const std::string& file, std::chrono::milliseconds patience) {
  HistoryRead read;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    read.wrong = Error{file, "there is no such history", "espalier weather record begins one"};
    return read;
  }
  const FolderLock lock(file, LOCK_SH, patience);
  read.wrong = lock.held_by_others() ? lock.held_by_others() : why_no_history(file);
  if (read.wrong) return read;
  const Opened opened = open(file, SQLITE_OPEN_READONLY);
  int code = opened.code;
  if (code == SQLITE_OK) code = check_table(opened.db.get());
  std::size_t senseless = 0;
  if (code == SQLITE_OK) {
    const Statement all = prepare(opened.db.get(),
                                  "SELECT time, a, b, latency, bandwidth FROM sample "
                                  "ORDER BY time, rowid",
                                  code);
    while (code == SQLITE_OK && read.samples.size() < kMostSamples &&
           (code = sqlite3_step(all.get())) == SQLITE_ROW) {
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
    read.wrong = Error{file,
                       fmt::format("it cannot be read to its end ({}); {} measurements were",
                                   reason(code), read.samples.size()),
                       "espalier weather record puts a broken history aside and begins a new one"};
  }
  if (read.samples.size() >= kMostSamples) {
    read.notes.push_back(fmt::format("{}: only the first {} are taken", file, kMostSamples));
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

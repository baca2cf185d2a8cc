#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "verify/checks.hpp"
#include "verify/describe.hpp"
#include "verify/interval_map.hpp"

namespace espalier::verify {
namespace {

using namespace schedule;
using LocalOp = std::uint32_t;

struct Stretch {
  std::uint64_t begin, end;
};

/// Whose use of a stretch later ops may have to wait for.
struct Use {
  LocalOp writer = kNoOp;
  std::vector<LocalOp> readers;  // since
  friend bool operator==(const Use&, const Use&) = default;
};

/// An earlier op that this one shares units with.
struct Conflict {
  LocalOp op;
  Buffer buffer;
  std::uint64_t begin, end;
};

/// Sorted by begin.
std::vector<Stretch> stretches(const Program& program, const Op& op, const Region& region) {
  std::vector<Stretch> found;
  const auto add = [&](const Region& one) {
    for_each_stretch(program, one, [&](std::uint64_t offset, std::uint64_t length) {
      found.push_back({offset, offset + length});
    });
  };
  if (op.kind == OpKind::Send || op.kind == OpKind::Recv) {
    for_each_message(program, op, [&](Rank, const Region& one) { add(one); });
  } else {
    add(region);
  }
  const auto by_begin = [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; };
  if (!std::is_sorted(found.begin(), found.end(), by_begin)) {
    std::sort(found.begin(), found.end(), by_begin);
  }
  return found;
}

/// Sorted stretches without the parts that lie in earlier ones; true if there were such.
bool join_overlapping(std::vector<Stretch>& sorted) {
  bool overlap = false;
  std::vector<Stretch> joined;
  for (const Stretch& s : sorted) {
    if (!joined.empty() && s.begin <= joined.back().end) {
      overlap |= s.begin < joined.back().end;
      joined.back().end = std::max(joined.back().end, s.end);
    } else {
      joined.push_back(s);
    }
  }
  sorted = std::move(joined);
  return overlap;
}

/// @pre both sorted, without overlaps
bool share_a_unit(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].begin < b[j].end && b[j].begin < a[i].end) return true;
    a[i].end <= b[j].end ? ++i : ++j;
  }
  return false;
}

class RaceCheck {
 public:
  RaceCheck(const Program& program, Findings& findings)
      : program_(program), findings_(findings), reached_by_(program.ops.size(), kNoOp) {}

  void run() {
    for (LocalOp id = 0; id < program_.ops.size(); ++id) {
      const Op& op = program_.ops[id];
      conflicts_.clear();
      std::vector<Stretch> read, written;
      if (op.kind != OpKind::Recv) read = stretches(program_, op, op.from);
      join_overlapping(read);
      if (op.kind != OpKind::Send) written = stretches(program_, op, op.to);
      if (join_overlapping(written)) {
        report_overlap(id, "writes a unit more than once", "slices that do not overlap");
      }
      if (op.from.buffer == op.to.buffer && share_a_unit(read, written)) {
        report_overlap(id, "reads a unit that it also writes", "operands that do not overlap");
      }
      note_read(id, op.from.buffer, read);
      if (op.kind == OpKind::Reduce) note_read(id, op.to.buffer, written);
      note_write(id, op.to.buffer, written);
      check_order(id);
    }
  }

 private:
  void note_read(LocalOp id, Buffer buffer, const std::vector<Stretch>& where) {
    if (buffer == Buffer::In) return;  // nobody writes it
    for (const Stretch& s : where) {
      uses(buffer).update(s.begin, s.end, [&](std::uint64_t begin, std::uint64_t end, Use& use) {
        if (use.writer != kNoOp) conflicts_.push_back({use.writer, buffer, begin, end});
        if (use.readers.empty() || use.readers.back() != id) use.readers.push_back(id);
      });
    }
  }

  void note_write(LocalOp id, Buffer buffer, const std::vector<Stretch>& where) {
    for (const Stretch& s : where) {
      uses(buffer).for_each(s.begin, s.end,
                            [&](std::uint64_t begin, std::uint64_t end, const Use* use) {
                              if (use == nullptr) return;
                              // Readers came after the writer, so who comes after a reader comes
                              // after it, too.
                              bool others = false;
                              for (const LocalOp reader : use->readers) {
                                if (reader == id) continue;
                                others = true;
                                conflicts_.push_back({reader, buffer, begin, end});
                              }
                              if (!others && use->writer != kNoOp) {
                                conflicts_.push_back({use->writer, buffer, begin, end});
                              }
                            });
      uses(buffer).assign(s.begin, s.end, Use{id, {}});
    }
  }

  /// Every op that this one conflicts with must be among its ancestors.
  void check_order(LocalOp id) {
    if (conflicts_.empty()) return;
    LocalOp oldest = id;
    for (const LocalOp dep : program_.deps_of(program_.ops[id])) reached_by_[dep] = id;
    for (const Conflict& c : conflicts_) {
      if (reached_by_[c.op] != id) oldest = std::min(oldest, c.op);
    }
    if (oldest == id) return;  // all are waited for directly
    search_back(id, oldest);
    std::stable_sort(conflicts_.begin(), conflicts_.end(),
                     [](const Conflict& a, const Conflict& b) { return a.op < b.op; });
    LocalOp reported = kNoOp;
    for (const Conflict& c : conflicts_) {
      if (reached_by_[c.op] == id || c.op == reported) continue;
      reported = c.op;
      report_race(id, c);
    }
  }

  /// Marks the ancestors of an op down to `oldest`; those before cannot lead there.
  void search_back(LocalOp id, LocalOp oldest) {
    const auto direct = program_.deps_of(program_.ops[id]);
    stack_.assign(direct.begin(), direct.end());
    while (!stack_.empty()) {
      const LocalOp at = stack_.back();
      stack_.pop_back();
      if (at < oldest) continue;
      for (const LocalOp dep : program_.deps_of(program_.ops[at])) {
        if (dep < oldest || reached_by_[dep] == id) continue;
        reached_by_[dep] = id;
        stack_.push_back(dep);
      }
    }
  }

  void report_race(LocalOp id, const Conflict& c) {
    findings_.add(FindingKind::Race, program_.rank, id, [&] {
      return Findings::Words{
          fmt::format("{} and op {}, {}, both use {} and may run at the same time",
                      describe(program_, program_.ops[id]), c.op,
                      describe(program_, program_.ops[c.op]), describe(c.buffer, c.begin, c.end)),
          fmt::format("op {} to wait for op {}, directly or through others", id, c.op)};
    });
  }

  void report_overlap(LocalOp id, const char* what, const char* expected) {
    findings_.add(FindingKind::Overlap, program_.rank, id, [&] {
      return Findings::Words{fmt::format("{} {}", describe(program_, program_.ops[id]), what),
                             expected};
    });
  }

  IntervalMap<Use>& uses(Buffer buffer) { return uses_[static_cast<std::size_t>(buffer)]; }

  const Program& program_;
  Findings& findings_;
  std::array<IntervalMap<Use>, 3> uses_;
  std::vector<Conflict> conflicts_;
  std::vector<LocalOp> reached_by_;  // the last op of which this one was found an ancestor
  std::vector<LocalOp> stack_;
};

}  // namespace

void check_races(const Program& program, Findings& findings) { RaceCheck(program, findings).run(); }

}  // namespace espalier::verify

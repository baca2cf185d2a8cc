#include <fmt/format.h>

#include <algorithm>

#include "base/json_reader.hpp"
#include "schedule/json.hpp"
#include "schedule/json_names.hpp"

namespace espalier::schedule {
namespace {

using Wide = unsigned __int128;

/// Small enough that sums and products of a few of them stay within 64 bits.
constexpr std::uint64_t kMaxUnits = std::uint64_t{1} << 62;
/// Indices of one set: more than there are ranks, blocks or segments.
constexpr std::uint64_t kMaxIndices = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxElementBytes = std::uint64_t{1} << 40;
/// A rank has no more memory than this many units for what it holds for others.
constexpr std::uint64_t kMaxScratchUnits = std::uint64_t{1} << 48;

class Reader : public JsonReader {
 public:
  explicit Reader(const std::string& file)
      : JsonReader(file, kScheduleFormat, "see docs/formats.md, espalier-schedule-1") {}

  Schedule schedule(const LocatedJson& json) {
    expect_kind(json, Kind::Object, "the schedule");
    check_format(json);
    refuse_unknown(json, {"format", "algorithm", "call", "programs"});
    Schedule schedule;
    if (const LocatedJson* name = json.find("algorithm")) {
      expect_kind(*name, Kind::String, "\"algorithm\"");
      schedule.algorithm = name->text;
    }
    schedule.call = call(member(json, "call"));
    ranks_ = schedule.call.size;
    const LocatedJson& programs = array(member(json, "programs"), "\"programs\"");
    if (programs.items.size() != ranks_) {
      refuse(programs, fmt::format("{} programs for {} ranks", programs.items.size(), ranks_),
             "give each rank its program, in order");
    }
    schedule.programs.reserve(programs.items.size());
    for (const LocatedJson& item : programs.items) schedule.programs.push_back(program(item));
    return schedule;
  }

 private:
  std::uint64_t number_or(const LocatedJson& json, std::string_view key, std::uint64_t fallback,
                          std::uint64_t most) const {
    const LocatedJson* item = json.find(key);
    return item == nullptr ? fallback : number(*item, fmt::format("\"{}\"", key), most);
  }
  template <typename Enum, std::size_t N>
  Enum word(const LocatedJson& json, std::string_view name,
            const std::array<std::string_view, N>& words) const {
    expect_kind(json, Kind::String, name);
    const auto value = value_in<Enum>(words, json.text);
    if (!value) {
      refuse(json, fmt::format("{}: there is no \"{}\"", name, json.text.substr(0, 60)),
             fmt::format("it is one of {}", fmt::join(words, ", ")));
    }
    return *value;
  }

  Collective call(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "\"call\"");
    refuse_unknown(
        json, {"operation", "ranks", "root", "count", "element_bytes", "commutative", "counts"});
    Collective call;
    call.operation = operation(member(json, "operation"));
    call.size = static_cast<Rank>(number(member(json, "ranks"), "\"ranks\"", kMaxScheduleRanks));
    if (call.size == 0) refuse(json, "no ranks", "a call has at least one");
    call.root = static_cast<Rank>(number_or(json, "root", 0, call.size - 1));
    call.count = number_or(json, "count", 0, kMaxUnits / call.size);
    call.element.value = number_or(json, "element_bytes", 1, kMaxElementBytes);
    if (call.element.value == 0) {
      refuse(member(json, "element_bytes"), "elements of 0 bytes", "an element has at least 1");
    }
    if (const LocatedJson* commutative = json.find("commutative")) {
      expect_kind(*commutative, Kind::Boolean, "\"commutative\"");
      call.commutative = commutative->text == "true";
    }
    if (const LocatedJson* counts = json.find("counts")) read_counts(*counts, call);
    if (call.operation == Operation::Unknown && (call.count != 0 || call.irregular())) {
      refuse(json, "an unknown operation with a count", "it has no In and no Out: leave it out");
    }
    return call;
  }
  Operation operation(const LocatedJson& json) const {
    expect_kind(json, Kind::String, "\"operation\"");
    const std::string& text = json.text;
    if (text == name_of(Operation::Unknown)) return Operation::Unknown;
    if (const auto found = operation_named(text)) return *found;
    std::vector<std::string_view> names;
    for (int o = 0; o <= kOperationCount; ++o) names.push_back(name_of(static_cast<Operation>(o)));
    refuse(json, fmt::format("there is no operation \"{}\"", text.substr(0, 60)),
           fmt::format("the operations are: {}", fmt::join(names, ", ")));
  }
  void read_counts(const LocatedJson& json, Collective& call) const {
    array(json, "\"counts\"");
    const std::uint64_t blocks =
        call.operation == Operation::Alltoall ? std::uint64_t{call.size} * call.size : call.size;
    if (json.items.size() != blocks) {
      refuse(json, fmt::format("{} counts for {} blocks", json.items.size(), blocks),
             "give each block its number of elements, or leave \"counts\" out");
    }
    std::uint64_t sum = 0;
    for (const LocatedJson& item : json.items) {
      call.counts.push_back(number(item, "a count", kMaxUnits - sum));
      sum += call.counts.back();
    }
  }

  Program program(const LocatedJson& json) {
    expect_kind(json, Kind::Object, "a program");
    refuse_unknown(json, {"rank", "scratch", "sets", "ops"});
    Program program;
    program.rank = static_cast<Rank>(number(member(json, "rank"), "\"rank\"", ranks_ - 1));
    if (program.rank != next_rank_) {
      refuse(
          json,
          fmt::format("the program of rank {} at the place of rank {}", program.rank, next_rank_),
          "list the programs in the order of their ranks");
    }
    ++next_rank_;
    program.scratch_units = number_or(json, "scratch", 0, kMaxScratchUnits);
    largest_.assign(1, 0);
    if (const LocatedJson* sets = json.find("sets")) {
      for (const LocatedJson& item : array(*sets, "\"sets\"").items) {
        program.sets.push_back(set(item));
      }
    }
    for (const LocatedJson& item : array(member(json, "ops"), "\"ops\"").items) op(item, program);
    return program;
  }

  IndexSet set(const LocatedJson& json) {
    IndexSet set;
    Wide largest = 0;
    for (const LocatedJson& item : array(json, "a set").items) {
      if (array(item, "a run").items.size() != 3) {
        refuse(item, fmt::format("a run of {} numbers", item.items.size()),
               "a run is [first, count, step]");
      }
      const IndexRun run{number(item.items[0], "the first index", kMaxUnits),
                         number(item.items[1], "the count of a run", kMaxIndices),
                         number(item.items[2], "the step of a run", kMaxUnits)};
      if (run.count == 0) refuse(item, "a run of no indices", "leave it out");
      const Wide last = Wide{run.first} + Wide{run.count - 1} * run.step;
      if (last > kMaxUnits || set.size() + run.count > kMaxIndices) {
        refuse(item, "indices beyond what can be",
               fmt::format("at most {} of them, up to {}", kMaxIndices, kMaxUnits));
      }
      largest = std::max(largest, last);
      set.append(run);
    }
    largest_.push_back(static_cast<std::uint64_t>(largest));
    return set;
  }

  void op(const LocatedJson& json, Program& program) const {
    expect_kind(json, Kind::Object, "an op");
    refuse_unknown(json, {"op", "peer", "peers", "peer_stride", "tag", "operands", "from", "to",
                          "takes_ps", "after"});
    Op op;
    op.kind = word<OpKind>(member(json, "op"), "\"op\"", kOpNames);
    read_peers(json, program, op);
    op.tag = static_cast<std::uint32_t>(number_or(json, "tag", 0, ~std::uint32_t{0}));
    if (const LocatedJson* operands = json.find("operands")) {
      op.operands = word<Operands>(*operands, "\"operands\"", kOperandsNames);
    }
    const bool family = op.peer == kNoRank && is_message(op);
    const Wide shift = family ? Wide{largest_[op.peers]} * op.peer_stride : 0;
    if (const LocatedJson* from = json.find("from")) op.from = region(*from, program, shift);
    if (const LocatedJson* to = json.find("to")) op.to = region(*to, program, shift);
    op.takes = Time{static_cast<std::int64_t>(number_or(json, "takes_ps", 0, kMaxUnits))};
    op.first_dep = static_cast<std::uint32_t>(program.deps.size());
    if (const LocatedJson* after = json.find("after")) read_deps(*after, program);
    op.dep_count = static_cast<std::uint32_t>(program.deps.size()) - op.first_dep;
    program.ops.push_back(op);
  }
  static bool is_message(const Op& op) {
    return op.kind == OpKind::Send || op.kind == OpKind::Recv;
  }

  void read_peers(const LocatedJson& json, const Program& program, Op& op) const {
    const LocatedJson* peer = json.find("peer");
    const LocatedJson* peers = json.find("peers");
    if (is_message(op) && (peer == nullptr) == (peers == nullptr)) {
      refuse(json,
             fmt::format("a {} with {}", name_in(kOpNames, op.kind),
                         peer == nullptr ? "no peer" : "both \"peer\" and \"peers\""),
             "give one of \"peer\", a rank, and \"peers\", a set of ranks");
    }
    if (peer != nullptr) op.peer = static_cast<Rank>(number(*peer, "\"peer\"", ranks_ - 1));
    if (peers != nullptr) {
      op.peers = set_id(*peers, program);
      if (largest_[op.peers] >= ranks_ || program.sets[op.peers].size() > ranks_) {
        refuse(*peers, fmt::format("peers up to rank {}", largest_[op.peers]),
               fmt::format("ranks are below {}, and each is a peer once", ranks_));
      }
    }
    op.peer_stride = number_or(json, "peer_stride", 0, kMaxUnits);
  }
  SetId set_id(const LocatedJson& json, const Program& program) const {
    return static_cast<SetId>(number(json, "the number of a set", program.sets.size() - 1));
  }

  Region region(const LocatedJson& json, const Program& program, Wide shift) const {
    const std::size_t parts = array(json, "a region").items.size();
    if (parts != 3 && parts != 5) {
      refuse(json, fmt::format("a region of {} parts", parts),
             "[buffer, offset, length], or with [set, stride] for outer and inner");
    }
    Region region;
    region.buffer = word<Buffer>(json.items[0], "the buffer", kBufferNames);
    region.offset = number(json.items[1], "the offset", kMaxUnits);
    region.length = number(json.items[2], "the length", kMaxUnits);
    if (parts == 5) {
      region.outer = axis(json.items[3], program);
      region.inner = axis(json.items[4], program);
    }
    const Wide slices =
        Wide{program.sets[region.outer.set].size()} * program.sets[region.inner.set].size();
    // Each term is below 2^124, so that their sum cannot overflow either.
    const Wide end = Wide{region.offset} + region.length +
                     Wide{largest_[region.outer.set]} * region.outer.stride +
                     Wide{largest_[region.inner.set]} * region.inner.stride + shift;
    const bool too_many = slices > kMaxUnits || slices * region.length > kMaxUnits;
    if (too_many || end > kMaxUnits) {
      refuse(json, "a region beyond what any buffer can hold",
             fmt::format("slices end by unit {}", kMaxUnits));
    }
    return region;
  }
  Axis axis(const LocatedJson& json, const Program& program) const {
    if (array(json, "an axis").items.size() != 2) {
      refuse(json, fmt::format("an axis of {} parts", json.items.size()), "it is [set, stride]");
    }
    return {set_id(json.items[0], program), number(json.items[1], "the stride", kMaxUnits)};
  }

  void read_deps(const LocatedJson& json, Program& program) const {
    const std::size_t self = program.ops.size();
    for (const LocatedJson& item : array(json, "\"after\"").items) {
      const std::uint64_t dep = number(item, "an op in \"after\"", ~std::uint32_t{0});
      if (dep >= self) {
        refuse(item, fmt::format("op {} waits for op {}", self, dep),
               "an op waits for earlier ones only; they count from 0 in each program");
      }
      program.deps.push_back(static_cast<std::uint32_t>(dep));
    }
  }

  Rank ranks_ = 0;
  Rank next_rank_ = 0;
  std::vector<std::uint64_t> largest_;  // index of each set of the program that is read
};

}  // namespace

Expected<Schedule> read_json(std::string_view text, const std::string& file) {
  auto json = parse_located_json(text, file);
  if (!json) return json.error();
  try {
    return Reader(file).schedule(*json);
  } catch (const JsonReader::Refused& refused) {
    return refused.error;
  }
}

std::vector<std::vector<std::uint32_t>> op_lines(std::string_view text) {
  std::vector<std::vector<std::uint32_t>> lines;
  const auto json = parse_located_json(text, "");
  const LocatedJson* programs = json ? json->find("programs") : nullptr;
  if (programs == nullptr) return lines;
  for (const LocatedJson& program : programs->items) {
    std::vector<std::uint32_t>& own = lines.emplace_back();
    const LocatedJson* ops = program.find("ops");
    if (ops == nullptr) continue;
    for (const LocatedJson& op : ops->items) own.push_back(op.line);
  }
  return lines;
}

}  // namespace espalier::schedule

#include <fmt/format.h>

#include <algorithm>

#include "verify/checks.hpp"
#include "verify/describe.hpp"

namespace espalier::verify {
namespace {

using namespace schedule;
using Wide = unsigned __int128;

// Small enough that sums and products of a few of them stay within 64 bits.
constexpr std::uint64_t kMaxUnits = std::uint64_t{1} << 62;

struct Context {
  const Schedule& schedule;
  std::uint64_t max_slices;
  Findings& findings;
  Wide slices = 0;  // of all ops so far
};

bool check_call(const Schedule& schedule, Findings& findings) {
  const Collective& call = schedule.call;
  const auto refuse = [&](std::string found, std::string expected) {
    findings.add(FindingKind::Malformed, kNoRank, kNoOp, [&] {
      return Findings::Words{std::move(found), std::move(expected)};
    });
    return false;
  };
  if (call.size == 0 || call.size == kNoRank) {
    return refuse(fmt::format("{} ranks", call.size), "at least one");
  }
  if (call.root >= call.size) {
    return refuse(fmt::format("root {}", call.root), fmt::format("a rank below {}", call.size));
  }
  if (Wide{call.count} * call.size > kMaxUnits) {
    return refuse(fmt::format("{} blocks of {} units", call.size, call.count),
                  fmt::format("at most {} units", kMaxUnits));
  }
  if (is_neighbourhood(call.operation) &&
      (call.graph == nullptr || call.graph->size() != call.size || !is_consistent(*call.graph) ||
       !call.irregular())) {
    return refuse("a neighbourhood collective without its graph or lengths",
                  "a graph in which sources and destinations agree, and a length for each rank");
  }
  if (call.irregular()) {
    const bool has_v_form =
        call.operation == Operation::Gather || call.operation == Operation::Scatter ||
        call.operation == Operation::Allgather || call.operation == Operation::Alltoall ||
        call.operation == Operation::ReduceScatter || is_neighbourhood(call.operation);
    if (!has_v_form) {
      return refuse(fmt::format("{} with counts", schedule::name_of(call.operation)),
                    "counts for gather, scatter, allgather, alltoall or reduce-scatter only");
    }
    const Wide blocks =
        call.operation == Operation::Alltoall ? Wide{call.size} * call.size : Wide{call.size};
    if (call.counts.size() != blocks) {
      return refuse(fmt::format("{} counts", call.counts.size()),
                    fmt::format("{}, one for each block", static_cast<std::uint64_t>(blocks)));
    }
  }
  if (schedule.programs.size() != call.size) {
    return refuse(fmt::format("{} programs", schedule.programs.size()),
                  fmt::format("{}, one for each rank", call.size));
  }
  return true;
}

/// The largest index of a set, or kMaxUnits if it is beyond that.
std::uint64_t largest(const IndexSet& set) {
  std::uint64_t most = 0;
  for (const IndexRun& run : set.runs()) {
    const Wide last = Wide{run.first} + Wide{run.count - 1} * run.step;
    most = std::max(most, last > kMaxUnits ? kMaxUnits : static_cast<std::uint64_t>(last));
  }
  return most;
}

bool check_sets(Context& context, const Program& program) {
  for (std::size_t id = 0; id < program.sets.size(); ++id) {
    Wide size = 0;
    for (const IndexRun& run : program.sets[id].runs()) size += run.count;
    if (size > context.max_slices) {
      context.findings.add(FindingKind::Malformed, program.rank, kNoOp, [&] {
        return Findings::Words{fmt::format("set {} has more indices than can be looked at", id),
                               fmt::format("at most {}", context.max_slices)};
      });
      return false;
    }
  }
  if (program.sets.empty() || program.sets[0] != IndexSet::single(0)) {
    context.findings.add(FindingKind::Malformed, program.rank, kNoOp, [] {
      return Findings::Words{"set 0 is another than {0}", "{0}, which plain slices stand on"};
    });
    return false;
  }
  return true;
}

std::uint64_t units_of(const Context& context, const Program& program, Buffer buffer) {
  switch (buffer) {
    case Buffer::In:
      return units_in(context.schedule.call, program.rank);
    case Buffer::Out:
      return units_out(context.schedule.call, program.rank);
    default:
      return std::min(program.scratch_units, kMaxUnits);
  }
}

class OpCheck {
 public:
  OpCheck(Context& context, const Program& program, std::uint32_t id)
      : context_(context), program_(program), op_(program.ops[id]), id_(id) {}

  void run() {
    if (!deps_point_back() || !ids_exist()) return;
    const bool message = op_.kind == OpKind::Send || op_.kind == OpKind::Recv;
    if (message && !peers_exist()) return;
    if (op_.kind != OpKind::Recv && !region_fits(op_.from)) return;
    if (op_.kind != OpKind::Send) {
      if (!region_fits(op_.to)) return;
      if (op_.to.buffer == Buffer::In && program_.units(op_.to) > 0) {
        refuse(FindingKind::WritesInput, " writes the user's send buffer",
               "In to be read only: combine and receive in Out or Scratch");
      }
    }
    if (!message) check_local();
  }

 private:
  /// Always false, so that checks can return it.
  bool refuse(FindingKind kind, const std::string& what, const std::string& expected) {
    context_.findings.add(kind, program_.rank, id_, [&] {
      return Findings::Words{describe(program_, op_) + what, expected};
    });
    return false;
  }
  /// For ops that cannot even be described.
  bool malformed(std::string found, std::string expected) {
    context_.findings.add(FindingKind::Malformed, program_.rank, id_, [&] {
      return Findings::Words{std::move(found), std::move(expected)};
    });
    return false;
  }

  bool deps_point_back() {
    if (std::uint64_t{op_.first_dep} + op_.dep_count > program_.deps.size()) {
      return malformed("dependencies beyond the list of them", "a part of the list");
    }
    for (const std::uint32_t dep : program_.deps_of(op_)) {
      if (dep >= id_) {
        return malformed(fmt::format("waits for op {}", dep), "to wait for earlier ops only");
      }
    }
    return true;
  }

  bool ids_exist() {
    const std::size_t sets = program_.sets.size();
    for (const SetId set :
         {op_.peers, op_.from.outer.set, op_.from.inner.set, op_.to.outer.set, op_.to.inner.set}) {
      if (set >= sets) {
        return malformed(fmt::format("set {}", set), fmt::format("one of the {} sets", sets));
      }
    }
    return true;
  }

  bool peers_exist() {
    const Rank size = context_.schedule.call.size;
    std::uint64_t most = op_.peer;
    messages_ = 1;
    if (op_.peer == kNoRank) {
      most = largest(program_.sets[op_.peers]);
      messages_ = program_.sets[op_.peers].size();
    }
    if (most >= size || messages_ > size) {
      return refuse(FindingKind::Malformed, fmt::format(": peers up to {}", most),
                    fmt::format("ranks below {}, each once", size));
    }
    bool self = op_.peer == program_.rank;
    if (op_.peer == kNoRank) {
      program_.sets[op_.peers].for_each([&](std::uint64_t p) { self |= p == program_.rank; });
    }
    if (self) {
      return refuse(FindingKind::SelfMessage,
                    fmt::format(": rank {} is its own peer", program_.rank),
                    "a copy, which needs no partner");
    }
    return true;
  }

  bool region_fits(const Region& region) {
    const IndexSet& outer = program_.sets[region.outer.set];
    const IndexSet& inner = program_.sets[region.inner.set];
    const Wide slices = Wide{outer.size()} * inner.size() * messages_;
    context_.slices += slices;
    if (context_.slices > context_.max_slices) {
      return malformed("more slices than can be looked at",
                       fmt::format("at most {} in the whole schedule", context_.max_slices));
    }
    if (slices == 0 || region.length == 0) return true;
    if (region.length > kMaxUnits || slices * region.length > kMaxUnits) {
      return malformed("more units than any buffer has", "slices within buffers");
    }
    Wide end = Wide{region.offset} + region.length + Wide{largest(outer)} * region.outer.stride;
    if (end <= kMaxUnits) end += Wide{largest(inner)} * region.inner.stride;
    if (end <= kMaxUnits && op_.peer == kNoRank && is_message()) {
      end += Wide{largest(program_.sets[op_.peers])} * op_.peer_stride;
    }
    const std::uint64_t units = units_of(context_, program_, region.buffer);
    if (end <= units) return true;
    return refuse(FindingKind::OutOfBounds,
                  fmt::format(" reaches up to unit {} of {}",
                              static_cast<std::uint64_t>(std::min(end, Wide{kMaxUnits})),
                              name_of(region.buffer)),
                  fmt::format("at most its {} units", units));
  }

  void check_local() {
    if (program_.units(op_.from) != program_.units(op_.to)) {
      refuse(FindingKind::LengthMismatch,
             fmt::format(": {} units from, {} units to", program_.units(op_.from),
                         program_.units(op_.to)),
             "equal numbers");
    }
    const Operation operation = context_.schedule.call.operation;
    if (op_.kind == OpKind::Reduce && !reduces(operation) && program_.units(op_.to) > 0) {
      refuse(FindingKind::WrongReduction, fmt::format(" in {}", schedule::name_of(operation)),
             "no reduction in this operation");
    }
  }

  [[nodiscard]] bool is_message() const {
    return op_.kind == OpKind::Send || op_.kind == OpKind::Recv;
  }

  Context& context_;
  const Program& program_;
  const Op& op_;
  std::uint32_t id_;
  std::uint64_t messages_ = 1;
};

}  // namespace

void check_structure(const Schedule& schedule, std::uint64_t max_slices, Findings& findings) {
  if (!check_call(schedule, findings)) return;
  Context context{schedule, max_slices, findings};
  Wide ops = 0;
  for (Rank rank = 0; rank < schedule.call.size; ++rank) {
    const Program& program = schedule.programs[rank];
    ops += program.ops.size();
    if (program.rank != rank || ops >= kNoOp / 2) {
      findings.add(FindingKind::Malformed, rank, kNoOp, [&] {
        return Findings::Words{
            fmt::format("a program of {} ops for rank {}", program.ops.size(), program.rank),
            "each rank's program at its place, and less than 2^31 ops"};
      });
      continue;
    }
    if (!check_sets(context, program)) continue;
    for (std::uint32_t id = 0; id < program.ops.size(); ++id) OpCheck(context, program, id).run();
  }
}

void check_blocks(const Schedule& schedule, std::uint64_t most_blocks, Findings& findings) {
  if (!schedule.call.irregular()) return;
  Wide blocks = 0;
  for (const Program& program : schedule.programs) {
    blocks += program.scratch_units;
    for (const Op& op : program.ops) {
      const Wide messages = op.peer == kNoRank ? program.sets[op.peers].size() : 1;
      blocks += messages * (Wide{program.units(op.from)} + program.units(op.to));
    }
  }
  if (blocks <= most_blocks) return;
  findings.add(FindingKind::Malformed, kNoRank, kNoOp, [&] {
    return Findings::Words{"more blocks than can be followed one by one",
                           fmt::format("at most {} in scratch and all ops", most_blocks)};
  });
}

}  // namespace espalier::verify

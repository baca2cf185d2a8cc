#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include "support/schedules/editable.hpp"

namespace espalier::test_schedules {

/// Small changes to a schedule, most of which spoil it. Each returns false if there was nothing to
/// change.
namespace mutations {

using schedule::Buffer;
using schedule::Op;
using schedule::Operands;
using schedule::OpKind;
using schedule::Program;
using schedule::Region;
using schedule::Schedule;

inline bool is_message(const Op& op) { return op.kind == OpKind::Send || op.kind == OpKind::Recv; }
inline bool is_plain_message(const Op& op) { return is_message(op) && op.peer != kNoRank; }
/// The region that a message reads or writes; of local ops either.
inline Region& region_of(Op& op, Random& rng) {
  if (op.kind == OpKind::Send) return op.from;
  if (op.kind == OpKind::Recv) return op.to;
  return rng.chance(50) ? op.from : op.to;
}

struct OpPosition {
  Program* program = nullptr;
  std::uint32_t id = 0;
  [[nodiscard]] Op& op() const { return program->ops[id]; }
};

/// Any op with a property.
template <typename Wanted>
std::optional<OpPosition> any_op(Schedule& s, Random& rng, Wanted wanted) {
  std::vector<OpPosition> found;
  for (Program& program : s.programs) {
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      if (wanted(program.ops[i])) found.push_back({&program, i});
    }
  }
  if (found.empty()) return std::nullopt;
  return found[static_cast<std::size_t>(rng.below(found.size()))];
}
/// Another op of the same rank with a property.
template <typename Wanted>
std::optional<OpPosition> any_other(const OpPosition& here, Random& rng, Wanted wanted) {
  std::vector<OpPosition> found;
  for (std::uint32_t i = 0; i < here.program->ops.size(); ++i) {
    if (i != here.id && wanted(here.program->ops[i])) found.push_back({here.program, i});
  }
  if (found.empty()) return std::nullopt;
  return found[static_cast<std::size_t>(rng.below(found.size()))];
}
/// The other end of a message that is no family.
inline std::optional<OpPosition> partner_of(Schedule& s, const OpPosition& here) {
  const Op& op = here.op();
  if (op.peer >= s.programs.size()) return std::nullopt;
  Program& there = s.programs[op.peer];
  for (std::uint32_t i = 0; i < there.ops.size(); ++i) {
    const Op& other = there.ops[i];
    if (is_plain_message(other) && other.kind != op.kind && other.peer == here.program->rank &&
        other.tag == op.tag) {
      return OpPosition{&there, i};
    }
  }
  return std::nullopt;
}

inline bool change_peer(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, is_plain_message);
  if (!at) return false;
  at->op().peer = static_cast<Rank>(rng.below(s.call.size));
  return true;
}
inline bool swap_peers(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, is_plain_message);
  if (!at) return false;
  const auto other = any_other(
      *at, rng, [&](const Op& o) { return is_plain_message(o) && o.kind == at->op().kind; });
  if (!other) return false;
  std::swap(at->op().peer, other->op().peer);
  return true;
}
inline bool swap_regions(Schedule& s, Random& rng, OpKind kind) {
  const auto wanted = [&](const Op& o) { return o.kind == kind; };
  const auto at = any_op(s, rng, wanted);
  if (!at) return false;
  const auto other = any_other(*at, rng, wanted);
  if (!other) return false;
  std::swap(at->op().from, other->op().from);
  std::swap(at->op().to, other->op().to);
  return true;
}
inline bool drop_op(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op&) { return true; });
  if (!at) return false;
  Editable edit(*at->program);
  edit.drop(at->id, rng.chance(50));
  edit.put_back(*at->program);
  return true;
}
inline bool drop_message(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, is_plain_message);
  if (!at) return false;
  const auto other = partner_of(s, *at);
  if (!other) return false;
  for (const OpPosition& end : {*at, *other}) {
    Editable edit(*end.program);
    edit.drop(end.id, true);
    edit.put_back(*end.program);
  }
  return true;
}
inline bool drop_dependency(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op& o) { return o.dep_count > 0; });
  if (!at) return false;
  Editable edit(*at->program);
  auto& deps = edit.steps[at->id].deps;
  deps.erase(deps.begin() + static_cast<std::ptrdiff_t>(rng.below(deps.size())));
  edit.put_back(*at->program);
  return true;
}
inline bool add_dependency(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op&) { return true; });
  if (!at || at->id == 0) return false;
  Editable edit(*at->program);
  edit.steps[at->id].deps.push_back(static_cast<std::uint32_t>(rng.below(at->id)));
  edit.put_back(*at->program);
  return true;
}
/// One after the other, as if all were blocking.
inline bool serialise(Schedule& s, Random& rng) {
  const auto one = static_cast<std::size_t>(rng.below(s.programs.size()));
  const bool all = rng.chance(50);
  for (std::size_t r = 0; r < s.programs.size(); ++r) {
    if (!all && r != one) continue;
    Editable edit(s.programs[r]);
    for (std::uint32_t i = 1; i < edit.steps.size(); ++i) edit.steps[i].deps.push_back(i - 1);
    edit.put_back(s.programs[r]);
  }
  return true;
}
inline bool reorder(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op&) { return true; });
  if (!at) return false;
  Editable edit(*at->program);
  if (!edit.swap_with_next(at->id)) return false;
  edit.put_back(*at->program);
  return true;
}
/// One after the other, and not in the order in which it was written.
inline bool post_otherwise(Schedule& s, Random& rng) {
  for (Program& program : s.programs) {
    Editable edit(program);
    for (std::uint64_t swaps = rng.below(4); swaps > 0 && !edit.steps.empty(); --swaps) {
      edit.swap_with_next(static_cast<std::uint32_t>(rng.below(edit.steps.size())));
    }
    edit.put_back(program);
  }
  return serialise(s, rng);
}
/// A send waits for a receive that it did not need.
inline bool send_after_receive(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op& o) { return o.kind == OpKind::Send; });
  if (!at) return false;
  const auto other = any_other(*at, rng, [](const Op& o) { return o.kind == OpKind::Recv; });
  if (!other) return false;
  Editable edit(*at->program);
  std::uint32_t send = at->id;
  std::uint32_t recv = other->id;
  while (send < recv && edit.swap_with_next(send)) ++send;
  if (send < at->id || (send < recv && recv == other->id)) return false;
  if (send > at->id) recv = send - 1;  // they have changed places
  edit.steps[send].deps.push_back(recv);
  edit.put_back(*at->program);
  return true;
}
inline bool shift_slice(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op&) { return true; });
  if (!at) return false;
  Region& region = region_of(at->op(), rng);
  const std::uint64_t by = 1 + rng.below(3);
  region.offset = rng.chance(50) || region.offset < by ? region.offset + by : region.offset - by;
  return true;
}
inline bool resize(Region& region, Random& rng) {
  if (region.length == 0 || rng.chance(20)) {
    ++region.length;
    return true;
  }
  region.length = rng.below(region.length);
  if (rng.chance(50)) ++region.offset;
  return true;
}
inline bool resize_slice(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op&) { return true; });
  return at && resize(region_of(at->op(), rng), rng);
}
/// Shorter at both ends of a message, or in both operands.
inline bool shorten_both(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op& o) {
    return o.kind == OpKind::Send ? o.peer != kNoRank && o.from.length > 0
                                  : o.kind != OpKind::Recv && o.from.length > 0;
  });
  if (!at) return false;
  const std::uint64_t length = rng.below(at->op().from.length);
  at->op().from.length = length;
  OpPosition to = *at;
  if (at->op().kind == OpKind::Send) {
    const auto other = partner_of(s, *at);
    if (!other) return false;
    to = *other;
  }
  to.op().to.length = length;
  return true;
}
inline bool change_buffer(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op&) { return true; });
  if (!at) return false;
  region_of(at->op(), rng).buffer = static_cast<Buffer>(rng.below(3));
  return true;
}
inline bool change_tag(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, is_message);
  if (!at) return false;
  at->op().tag = static_cast<std::uint32_t>(rng.below(4));
  return true;
}
/// Two messages of one pair of ranks trade tags, at one end or at both.
inline bool swap_tags(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, is_plain_message);
  if (!at) return false;
  const auto other = any_other(*at, rng, [&](const Op& o) {
    return is_plain_message(o) && o.kind == at->op().kind && o.peer == at->op().peer;
  });
  if (!other) return false;
  const auto p = partner_of(s, *at), q = partner_of(s, *other);
  std::swap(at->op().tag, other->op().tag);
  if (p && q && rng.chance(30)) std::swap(p->op().tag, q->op().tag);
  return true;
}
/// Both ends of a message take the tag of another.
inline bool merge_tags(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, is_plain_message);
  if (!at) return false;
  const auto other = partner_of(s, *at);
  if (!other) return false;
  at->op().tag = other->op().tag = static_cast<std::uint32_t>(rng.below(4));
  return true;
}
inline bool swap_operands(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op& o) { return o.kind == OpKind::Reduce; });
  if (!at) return false;
  at->op().operands =
      at->op().operands == Operands::FromThenTo ? Operands::ToThenFrom : Operands::FromThenTo;
  return true;
}
inline bool repeat_local(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op& o) { return !is_message(o); });
  if (!at) return false;
  Editable edit(*at->program);
  edit.repeat(at->id);
  edit.put_back(*at->program);
  return true;
}
inline bool change_local_kind(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op& o) { return !is_message(o); });
  if (!at) return false;
  at->op().kind = at->op().kind == OpKind::Copy ? OpKind::Reduce : OpKind::Copy;
  return true;
}
/// One op uses the memory of another.
inline bool share_memory(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op&) { return true; });
  if (!at) return false;
  const auto other = any_other(*at, rng, [](const Op&) { return true; });
  if (!other) return false;
  const Region theirs = region_of(other->op(), rng);
  Region& mine = region_of(at->op(), rng);
  mine.buffer = theirs.buffer;
  mine.offset = theirs.offset;
  return true;
}
inline bool change_family(Schedule& s, Random& rng) {
  const auto at = any_op(s, rng, [](const Op& o) {
    return (is_message(o) && o.peer == kNoRank) || o.from.outer.set != 0 || o.to.outer.set != 0;
  });
  if (!at) return false;
  Op& op = at->op();
  const std::size_t sets = at->program->sets.size();
  switch (rng.below(4)) {
    case 0:
      op.peer_stride += rng.chance(50) || op.peer_stride == 0 ? 1 : ~std::uint64_t{0};
      break;
    case 1:
      region_of(op, rng).outer.stride += 1;
      break;
    case 2:
      region_of(op, rng).outer.set = static_cast<schedule::SetId>(rng.below(sets));
      break;
    default:
      op.peers = static_cast<schedule::SetId>(rng.below(sets));
  }
  return true;
}
inline bool less_scratch(Schedule& s, Random& rng) {
  Program& program = s.programs[static_cast<std::size_t>(rng.below(s.programs.size()))];
  if (program.scratch_units == 0) return false;
  program.scratch_units = rng.below(program.scratch_units);
  return true;
}
inline bool change_call(Schedule& s, Random& rng) {
  if (rng.chance(50)) {
    s.call.root = static_cast<Rank>(rng.below(s.call.size));
  } else {
    s.call.commutative = false;
  }
  return true;
}

}  // namespace mutations

struct Mutation {
  std::string_view name;
  std::function<bool(schedule::Schedule&, Random&)> apply;
};

inline const std::vector<Mutation>& all_mutations() {
  namespace m = mutations;
  using schedule::OpKind;
  const auto swap_regions = [](OpKind kind) {
    return [kind](schedule::Schedule& s, Random& rng) { return m::swap_regions(s, rng, kind); };
  };
  static const std::vector<Mutation> kAll{
      {"change peer", m::change_peer},
      {"swap peers", m::swap_peers},
      {"swap sends", swap_regions(OpKind::Send)},
      {"swap receives", swap_regions(OpKind::Recv)},
      {"swap reductions", swap_regions(OpKind::Reduce)},
      {"drop op", m::drop_op},
      {"drop message", m::drop_message},
      {"drop dependency", m::drop_dependency},
      {"add dependency", m::add_dependency},
      {"serialise", m::serialise},
      {"reorder", m::reorder},
      {"post otherwise", m::post_otherwise},
      {"send after receive", m::send_after_receive},
      {"shift slice", m::shift_slice},
      {"resize slice", m::resize_slice},
      {"shorten both ends", m::shorten_both},
      {"change buffer", m::change_buffer},
      {"change tag", m::change_tag},
      {"swap tags", m::swap_tags},
      {"merge tags", m::merge_tags},
      {"swap operands", m::swap_operands},
      {"repeat copy or reduce", m::repeat_local},
      {"copy for reduce", m::change_local_kind},
      {"share memory", m::share_memory},
      {"change family", m::change_family},
      {"less scratch", m::less_scratch},
      {"change call", m::change_call},
  };
  return kAll;
}

}  // namespace espalier::test_schedules

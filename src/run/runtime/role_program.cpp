#include "runtime/role_program.hpp"

#include "base/contract.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::runtime {

using schedule::Buffer;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// The root's blocks lie by rank.
Region place_at_root(ProgramBuilder& program, Roles roles) {
  std::vector<Rank> ranks;
  for (const RoleEntry& role : roles) ranks.push_back(role.rank);
  Region region = slice(Buffer::Out, 0, 1);
  region.inner = {program.set(schedule::IndexSet(ranks)), 1};
  return region;
}

}  // namespace

schedule::Program gather_program(Roles roles, Rank parent) {
  expects(!roles.empty(), "gather_program: nobody");
  ProgramBuilder program(roles.front().rank);
  const bool is_root = parent == kNoRank;
  const bool is_leaf = roles.size() == 1;
  const Region own = slice(Buffer::In, 0, 1);
  if (is_leaf && !is_root) {
    program.send(parent, own);
    return std::move(program).build();
  }
  if (!is_root) program.scratch(roles.size());
  const auto place = [&](Roles part) {
    if (is_root) return place_at_root(program, part);
    return slice(Buffer::Scratch, static_cast<std::uint64_t>(part.data() - roles.data()),
                 part.size());
  };
  program.copy(own, place(roles.first(1)));
  for_each_child(roles, [&](Roles child) { program.recv(child.front().rank, place(child)); });
  if (!is_root) program.send(parent, place(roles));
  return std::move(program).build();
}

}  // namespace espalier::runtime

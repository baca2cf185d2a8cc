#include "runtime/role_header.hpp"

#include "base/contract.hpp"
#include "runtime/block_header.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::runtime {

using schedule::Buffer;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// Whether each sub-tree ends within those that it lies in.
bool is_nested(Roles roles) {
  std::vector<std::size_t> ends{roles.size()};
  for (std::size_t at = 0; at < roles.size(); ++at) {
    while (ends.back() == at) ends.pop_back();
    const std::size_t tree = roles[at].tree;
    if (tree == 0 || tree > ends.back() - at || (at == 0 && tree != roles.size())) return false;
    ends.push_back(at + tree);
  }
  return true;
}

}  // namespace

void append_role_header(std::uint64_t call, Roles roles, std::vector<std::byte>& bytes) {
  std::vector<std::uint64_t> numbers{call, roles.size()};
  numbers.reserve(2 + 3 * roles.size());
  for (const RoleEntry& role : roles) {
    numbers.insert(numbers.end(), {role.rank, role.bytes, role.tree});
  }
  append_block_header(numbers, bytes);
}

namespace {

/// The number of the call and that of the entries.
std::optional<Numbers> read_start(std::span<const std::byte> bytes, Rank ranks) {
  auto start = read_numbers(bytes, 2);
  if (!start || start->numbers[1] == 0 || start->numbers[1] > ranks) return std::nullopt;
  return start;
}

}  // namespace

std::optional<std::uint64_t> most_role_header_bytes(std::span<const std::byte> bytes, Rank ranks) {
  const auto start = read_start(bytes, ranks);
  if (!start) return std::nullopt;
  return start->size + start->numbers[1] * kMaxRoleEntryBytes;
}

std::optional<RoleHeader> read_role_header(std::span<const std::byte> bytes, Rank ranks) {
  const auto head = read_start(bytes, ranks);
  if (!head) return std::nullopt;
  RoleHeader header;
  header.call = head->numbers[0];
  const auto count = static_cast<std::size_t>(head->numbers[1]);
  const auto body = read_numbers(bytes.subspan(head->size), 3 * count);
  if (!body) return std::nullopt;
  header.size = head->size + body->size;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t* const entry = &body->numbers[3 * i];
    if (entry[0] >= ranks || entry[1] > ~std::uint64_t{0} - header.total || entry[2] > count) {
      return std::nullopt;
    }
    header.roles.push_back(
        {static_cast<Rank>(entry[0]), entry[1], static_cast<std::uint32_t>(entry[2])});
    header.total += entry[1];
  }
  if (!is_nested(header.roles)) return std::nullopt;
  return header;
}

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

schedule::Program scatter_program(Roles roles, Rank from, bool has_data) {
  expects(!roles.empty(), "scatter_program: nobody");
  ProgramBuilder program(roles.front().rank);
  program.scratch(roles.size());
  if (from != kNoRank) program.recv(from, slice(Buffer::Scratch, 0, roles.size()));
  for_each_child(roles, [&](Roles child) {
    const auto at = static_cast<std::uint64_t>(child.data() - roles.data());
    program.send(child.front().rank, slice(Buffer::Scratch, at, child.size()));
  });
  if (has_data) program.copy(slice(Buffer::Scratch, 0, 1), slice(Buffer::Out, 0, 1));
  return std::move(program).build();
}

}  // namespace espalier::runtime

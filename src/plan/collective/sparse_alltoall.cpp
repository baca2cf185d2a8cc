#include <algorithm>
#include <numeric>
#include <vector>

#include "base/contract.hpp"
#include "collective/alltoall.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::slice;

schedule::Program sparse_alltoall(const schedule::Collective& call, Rank rank) {
  expects(call.operation == schedule::Operation::Alltoall &&
              call.counts.size() == std::size_t{call.size} * call.size,
          "sparse_alltoall: no alltoallv");
  const auto sent = [&](Rank from, Rank to) {
    return call.counts[std::size_t{from} * call.size + to];
  };
  schedule::ProgramBuilder program(rank);
  if (sent(rank, rank) > 0) program.copy(slice(Buffer::In, rank, 1), slice(Buffer::Out, rank, 1));
  std::vector<Rank> others(call.size);
  std::iota(others.begin(), others.end(), Rank{0});
  std::erase(others, rank);
  for (const Rank from : others) {
    if (sent(from, rank) > 0) program.recv(from, slice(Buffer::Out, from, 1));
  }
  // Of equally long ones, each rank begins with another.
  const auto distance = [&](Rank to) { return (to + call.size - rank) % call.size; };
  std::sort(others.begin(), others.end(), [&](Rank a, Rank b) {
    return std::pair(sent(rank, b), distance(a)) < std::pair(sent(rank, a), distance(b));
  });
  for (const Rank to : others) {
    if (sent(rank, to) > 0) program.send(to, slice(Buffer::In, to, 1));
  }
  return std::move(program).build();
}

}  // namespace espalier::collective

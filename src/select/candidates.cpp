#include "select/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "collective/flat_algorithms.hpp"
#include "collective/links.hpp"
#include "collective/tree_broadcast.hpp"
#include "collective/tree_reduce.hpp"
#include "tree/algorithm.hpp"
#include "tree/binomial.hpp"
#include "tree/chain.hpp"
#include "tree/flat.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using collective::Top;
using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using schedule::Program;
using schedule::ProgramBuilder;

bool moves_a_vector(Operation operation) {
  return operation == Operation::Broadcast || operation == Operation::Reduce ||
         operation == Operation::Allreduce;
}

/// Segment sizes worth trying, in units: whole, and powers of four from 4 KiB on.
std::vector<std::uint64_t> segments_for(const Collective& call) {
  std::vector<std::uint64_t> segments{0};
  if (!moves_a_vector(call.operation) || call.element.value == 0) return segments;
  const std::uint64_t bytes = call.count * call.element.value;
  for (std::uint64_t segment = 4096; segment < bytes && segment <= (1U << 20U); segment *= 4) {
    segments.push_back(std::max<std::uint64_t>(1, segment / call.element.value));
  }
  return segments;
}

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::Flat:
      return "flat";
    case Shape::Chain:
      return "chain";
    case Shape::Binary:
      return "binary";
    case Shape::Binomial:
      return "binomial";
  }
  return "?";
}

std::string with_segment(std::string name, std::uint64_t segment, const Collective& call) {
  if (segment == 0) return name;
  return fmt::format("{} {}", name, to_string(Bytes{segment * call.element.value}));
}

/// The outermost level in each shape, the levels below in each, one segment size for all.
void add_multilevel(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                    const Collective& call) {
  if (!collective::multilevel_supports(call)) return;
  const std::size_t levels = hierarchy.machine().levels().size();
  const bool rootless = call.operation == Operation::Allreduce ||
                        call.operation == Operation::Barrier ||
                        call.operation == Operation::Allgather;
  for (const Top top : {Top::Tree, Top::Exchange}) {
    if (top == Top::Exchange && (!rootless || !call.commutative)) continue;
    for (const Shape outer : {Shape::Flat, Shape::Chain, Shape::Binomial}) {
      if (top == Top::Exchange && outer != Shape::Flat) continue;  // it has no tree there
      for (const Shape inner : {Shape::Flat, Shape::Chain, Shape::Binary, Shape::Binomial}) {
        if (levels == 1 && inner != outer) continue;
        for (const std::uint64_t segment : segments_for(call)) {
          MultilevelChoice choice{std::vector<LevelChoice>(levels, {inner, segment}), top};
          choice.levels.front().shape = outer;
          const std::string_view first = top == Top::Exchange ? "exchange" : name_of(outer);
          all.push_back(
              {with_segment(fmt::format("multilevel {}/{}", first, name_of(inner)), segment, call),
               "level by level over the masters of each cluster", true,
               [&hierarchy, &call, choice](Rank rank) {
                 return multilevel_program(hierarchy, choice, call, rank);
               }});
        }
      }
    }
  }
}

/// One tree over all ranks by number: what MPI libraries do.
void add_blind_trees(std::vector<Candidate>& all, const Collective& call) {
  const bool down = call.operation == Operation::Broadcast;
  const bool up = call.operation == Operation::Reduce && call.commutative;
  if (!down && !up) return;
  const tree::Participants who = tree::everybody(call.size, call.root);
  const std::pair<const char*, tree::CommTree> trees[] = {
      {"flat", tree::flat(who)}, {"chain", tree::chain(who)}, {"binomial", tree::binomial(who)}};
  for (const auto& [name, shape] : trees) {
    for (const std::uint64_t segment : segments_for(call)) {
      all.push_back({with_segment(name, segment, call), "one tree over all ranks by number", false,
                     [&call, down, segment, shape = shape](Rank rank) {
                       ProgramBuilder program(rank);
                       const auto links = collective::links_of(shape, rank, segment);
                       const auto out = slice(Buffer::Out, 0, units_out(call, rank));
                       if (down) {
                         tree_broadcast(program, links, out);
                       } else {
                         tree_reduce(program, links, slice(Buffer::In, 0, units_in(call, rank)),
                                     out);
                       }
                       return std::move(program).build();
                     }});
    }
  }
}

void add_classical(std::vector<Candidate>& all, const Collective& call) {
  for (const collective::FlatAlgorithm& algorithm : collective::flat_algorithms()) {
    if (algorithm.operation != call.operation || !algorithm.applicable(call)) continue;
    if (!call.commutative && !algorithm.keeps_rank_order) continue;
    all.push_back({std::string(algorithm.name), std::string(algorithm.source), false,
                   [&call, &algorithm](Rank rank) { return algorithm.build(call, rank); }});
  }
}

}  // namespace

std::vector<Candidate> candidates(const Hierarchy& hierarchy, const Collective& call) {
  expects(call.size == hierarchy.machine().size(), "candidates: call and machine differ in size");
  std::vector<Candidate> all;
  add_multilevel(all, hierarchy, call);
  add_blind_trees(all, call);
  add_classical(all, call);
  return all;
}

schedule::Schedule schedule_of(const Candidate& candidate, const Collective& call) {
  schedule::Schedule schedule{call, candidate.name, {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(candidate.program_of(r));
  return schedule;
}

}  // namespace espalier::select

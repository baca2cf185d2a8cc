#pragma once

#include "schedule/program_builder.hpp"

namespace espalier::collective {

// Both ends know how long a block is, so neither tells the other that there is nothing: with fewer
// elements than ranks most messages of a ring are empty. Not for barriers, whose messages are all
// empty and meant.

inline void send_unless_empty(schedule::ProgramBuilder& program, Rank to,
                              const schedule::Region& from) {
  if (from.length > 0) program.send(to, from);
}

inline void recv_unless_empty(schedule::ProgramBuilder& program, Rank from,
                              const schedule::Region& to) {
  if (to.length > 0) program.recv(from, to);
}

inline void copy_unless_empty(schedule::ProgramBuilder& program, const schedule::Region& from,
                              const schedule::Region& to) {
  if (from.length > 0) program.copy(from, to);
}

inline void reduce_unless_empty(schedule::ProgramBuilder& program, const schedule::Region& from,
                                const schedule::Region& to, schedule::Operands operands) {
  if (from.length > 0) program.reduce(from, to, operands);
}

}  // namespace espalier::collective

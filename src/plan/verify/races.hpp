#pragma once

#include "schedule/schedule.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

/// Any two ops of a rank that share a unit, one of them writing it, must be ordered by the rank's
/// DAG, directly or through others: an op reads and writes at any time between its begin and its
/// end, a receive in flight writes, a send in flight reads. Within one op, what is written must
/// not overlap, with itself or with what is read from.
///
/// Only the rank's own dependencies count: an order that comes about through another rank's answer
/// is none, since a buffer may not be touched before its own request has ended.
///
/// One pass over the ops, each compared with the last writer of every stretch and its readers
/// since; those came after all writers before. O(slices log slices) where ops wait directly for
/// those they conflict with, else a search back through the DAG for each.
/// @pre check_structure found nothing
void check_races(const schedule::Program& program, Findings& findings);

}  // namespace espalier::verify

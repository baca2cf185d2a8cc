#pragma once

#include <string>

#include "tuning/decide.hpp"

namespace espalier::tuning {

/// Decisions for Open MPI's coll/han and coll/tuned together: a broadcast, reduction, allreduce or
/// barrier among all ranks goes by hosts where that is faster than one algorithm over all of them.
/// By hosts it is a call of coll/tuned inside each host and one among the leaders of hosts, one
/// after the other; their times are added up.
/// @param flat decide_open_mpi() of the machine, whose rules these calls go by
/// @post of rows that go by hosts `by_host` is set, `choice` is that of the leaders
[[nodiscard]] Tuning decide_han(const topology::Machine& machine, const Tuning& flat);

/// The rules file of coll/han that Open MPI 4.1 and 5 read. It leaves all calls that do not go by
/// hosts to coll/tuned. @param tuning of decide_han()
[[nodiscard]] std::string han_rules(const Tuning& tuning);

}  // namespace espalier::tuning

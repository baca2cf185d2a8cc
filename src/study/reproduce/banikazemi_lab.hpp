#pragma once

#include "reproduce/on_lab.hpp"

namespace espalier::reproduce {

/// Figures 4 to 6 of banikazemi1998 with real MPI: 16 hosts of one local network, 2, 4 or 8 of them
/// fast, the others with sends that cost 2.15 times as much; broadcasts among all and multicasts
/// among 8, and among 4 of which half are fast, by the MPI itself, along SPOC and along FNF. Part
/// "ack": some of them measured as in the paper, too: by acknowledgements, the least of all.
Expected<std::vector<Exhibit>> banikazemi_on_lab(const LabStudyOptions& options,
                                                 const MeasureOnLab& measure);

/// Multicasts among 8 of those hosts by Communicator::multicast(), beside broadcasts on a
/// communicator of the 8: the MPI's own, and Espalier's held to FNF.
Expected<Exhibit> banikazemi_multicasts_on_lab(const LabStudyOptions& options,
                                               const MeasureOnLab& measure);

/// The machine of 16 hosts, of which `fast` are fast.
[[nodiscard]] topology::Machine lab_testbed(const std::vector<Rank>& fast);

/// One placement of fast hosts, and who takes part in what.
struct Placement {
  std::vector<Rank> fast;  ///< fast hosts, ascending
  std::vector<Rank>
      members;  ///< the 8 hosts of the multicast, ascending; half of the fast ones are here
  std::vector<Rank> four;  ///< 4 of the members, the fast source among them, half of them fast
  Rank fast_source = 0;    ///< a fast member
  Rank random_source = 0;  ///< any member
};
/// @pre fast_count is 2, 4 or 8
[[nodiscard]] Placement random_placement(std::uint64_t seed, Rank fast_count);

}  // namespace espalier::reproduce

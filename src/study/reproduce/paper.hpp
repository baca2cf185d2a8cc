#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "reproduce/exhibit.hpp"
#include "reproduce/on_here.hpp"
#include "reproduce/on_lab.hpp"
#include "reproduce/on_smpi.hpp"

namespace espalier::reproduce {

/// How many random cases the experiments draw.
struct PaperOptions {
  std::uint64_t seed = 1;
  unsigned cases = 10'000;         ///< banikazemi: cases in each row of Table 2, as in the paper
  unsigned large_cases = 10'000;   ///< banikazemi: cases in each row beyond 9 nodes
  unsigned testbed_cases = 2'000;  ///< banikazemi: placements of fast nodes in figures 4 to 6
  unsigned multiple_cases = 20;    ///< banikazemi: cases for each point of figure 10
  Rank most_processes = 131'072;   ///< langer: the largest world, as in the paper
  Rank busy_processes = 8192;      ///< langer: the world of `many`; of `traffic` a quarter
  std::uint32_t trials = 60;       ///< dichev: steps of the search for our plan, in each row
  unsigned size_step = 1;          ///< karonis: sizes of figures 7 to 9 grow by this power of two
  std::uint64_t search_steps = 1'000'000;  ///< park: steps of the search for our placement
};

/// One table or figure of a paper, by the name that --part takes.
struct PaperPart {
  std::string_view key;
  std::string_view title;
  Exhibit (*run)(const PaperOptions&);
};

/// A part that can also be measured with real MPI, in a lab or on this computer.
struct LabPart {
  std::string_view key;
  std::string_view title;
};

/// A paper whose experiments are done again.
struct Paper {
  std::string_view key;       ///< "banikazemi"
  std::string_view citation;  ///< "banikazemi1998"
  std::string_view about;     ///< authors, title, venue, year
  std::vector<PaperPart> parts;
  std::vector<LabPart> lab_parts = {};  ///< parts that --on lab can measure; often none
  Expected<std::vector<Exhibit>> (*on_lab)(const LabStudyOptions&, const LabAccess&) = nullptr;
  std::vector<LabPart> here_parts = {};  ///< parts that --on here can measure; often none
  Expected<std::vector<Exhibit>> (*on_here)(const HereOptions&, const HereAccess&) = nullptr;
  std::vector<LabPart> smpi_parts = {};  ///< parts that --on smpi can run; often none
  Expected<std::vector<Exhibit>> (*on_smpi)(const SmpiStudyOptions&, const RunOnSmpi&) = nullptr;
  /// What is said before --on lab begins if it may take more than 15 minutes; "" if it does not.
  std::string (*takes_long)(const LabStudyOptions&) = nullptr;
  bool has_random_cases = true;      ///< it has random cases, which --seed changes
  bool lab_takes_processes = false;  ///< --processes says how many run in the lab
};

/// All papers that are reproduced, in the order of docs/papers.
[[nodiscard]] const std::vector<Paper>& papers();

/// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
/// networks of workstations", ICPP 1998.
[[nodiscard]] Paper banikazemi();

/// K. Dichev, V. Rychkov, A. Lastovetsky: "Two algorithms of irregular scatter/gather operations
/// for heterogeneous platforms", EuroMPI 2010: both experiments of section 3, simulated.
[[nodiscard]] Paper dichev();

/// N. Karonis, B. de Supinski, I. Foster, W. Gropp, E. Lusk, J. Bresnahan: "Exploiting hierarchy in
/// parallel computer networks to optimize collective operation performance", IPDPS 2000: the three
/// experiments of section 4, simulated.
[[nodiscard]] Paper karonis();

/// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
/// trees on system-ranked process groups", EuroMPI 2012: section 6, simulated, and what it left
/// open.
[[nodiscard]] Paper langer();

/// K.-L. Park et al.: "Dynamic topology selection for high performance MPI in the Grid
/// environments", 2004: figure 4's worked example, and figures 5 and 6 predicted by replay on a
/// pinned machine, since the paper states no figures of its network.
[[nodiscard]] Paper park();

}  // namespace espalier::reproduce

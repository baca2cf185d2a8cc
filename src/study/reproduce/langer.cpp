#include "reproduce/langer.hpp"

#include "reproduce/langer_figures.hpp"
#include "reproduce/langer_here.hpp"
#include "reproduce/langer_tables.hpp"

namespace espalier::reproduce {

Paper langer() {
  return {"langer",
          "langer2012",
          "A. Langer, R. Venkataraman, L. Kale, \"Scalable algorithms for constructing balanced "
          "spanning trees on system-ranked process groups\", EuroMPI 2012",
          {{"figure3", "time over processes and the fraction of members", langer_figure3},
           {"figure4", "message counts over the fraction", langer_figure4},
           {"messages", "the counts of section 6, by kind", langer_messages},
           {"table1", "against MPI_Comm_split, over the colours", langer_table1},
           {"table2", "growth of space, time and messages", langer_table2},
           {"many", "many groups at once (not in the paper)", langer_many},
           {"traffic", "under other traffic (not in the paper)", langer_traffic}},
          {},
          nullptr,
          {{"table1", "MPI_Comm_split, an allgather and a sort, and Rank-and-Hash"}},
          langer_here};
}

}  // namespace espalier::reproduce

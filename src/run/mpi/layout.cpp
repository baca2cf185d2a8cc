#include "mpi/layout.hpp"

#include <array>
#include <vector>

#include "mpi/thread_block.hpp"

// Of MPI 4. Open MPI and older versions of MPICH have none: its address is null there.
extern "C" [[gnu::weak]] int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count*, MPI_Count*,
                                                      MPI_Count*, MPI_Count*, int*);

namespace espalier::mpi {
namespace {

struct Envelope {
  int integers = 0;
  int addresses = 0;
  int combiner = MPI_COMBINER_NAMED;
  bool is_large = false;  ///< made by a function with large counts (MPI_Type_vector_c)
};

/// MPICH refuses to tell of types with large counts where counts are ints.
Envelope envelope_of(MPI_Datatype type) {
  Envelope e;
  if (&PMPI_Type_get_envelope_c != nullptr) {
    MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &types, &e.combiner);
    e.integers = static_cast<int>(integers);
    e.addresses = static_cast<int>(addresses);
    e.is_large = large > 0;
    return e;
  }
  int types = 0;
  PMPI_Type_get_envelope(type, &e.integers, &e.addresses, &types, &e.combiner);
  return e;
}

/// Types that MPI hands out by size or range belong to it.
bool comes_with_mpi(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/// What an element is made of, if it is that alone, side by side: of a contiguous run of dense
/// elements, of a copy of a type. Structs and vectors may have gaps or another order; they are sent
/// as they are.
bool is_dense(MPI_Datatype type, std::int64_t size, std::int64_t true_extent) {
  const Envelope e = envelope_of(type);
  if (comes_with_mpi(e.combiner)) return size == true_extent;
  if (e.combiner != MPI_COMBINER_CONTIGUOUS && e.combiner != MPI_COMBINER_DUP) return false;
  if (e.is_large) return false;
  std::vector<int> integers(static_cast<std::size_t>(e.integers));
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(e.addresses));
  std::array<MPI_Datatype, 1> inner{};
  PMPI_Type_get_contents(type, e.integers, e.addresses, 1, integers.data(), addresses.data(),
                         inner.data());
  const bool dense = layout_of(inner[0]).dense;
  if (!is_named(inner[0])) PMPI_Type_free(inner.data());
  return dense;
}

Layout measure(MPI_Datatype type) {
  Layout layout;
  layout.type = type;
  MPI_Count size = 0;
  MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent(type, &lb, &extent);
  PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
  layout.size = size;
  layout.lb = lb;
  layout.extent = extent;
  layout.true_lb = true_lb;
  layout.true_extent = true_extent;
  layout.dense = size == extent && size == true_extent && is_dense(type, size, true_extent);
  return layout;
}

}  // namespace

bool is_named(MPI_Datatype type) { return comes_with_mpi(envelope_of(type).combiner); }

Layout layout_of(MPI_Datatype type) {
  // Programs use few types, and those that come with MPI stay what they are.
  struct Known {
    std::array<Layout, 8> layouts{};
    std::size_t next = 0;
  };
  Known& known = of_thread<Known, kLayoutsPart>();
  for (const Layout& layout : known.layouts) {
    if (layout.type == type) return layout;
  }
  Layout layout = measure(type);
  layout.named = is_named(type);
  if (layout.named) known.layouts[known.next++ % known.layouts.size()] = layout;
  return layout;
}

// Not MPI_Type_dup, which would call the program's attribute callbacks.
Layout kept_layout(Layout layout, std::vector<OwnedType>& types) {
  if (layout.type == MPI_DATATYPE_NULL || is_named(layout.type)) return layout;
  PMPI_Type_contiguous(1, layout.type, &layout.type);
  PMPI_Type_commit(&layout.type);
  types.emplace_back(layout.type);
  return layout;
}

}  // namespace espalier::mpi

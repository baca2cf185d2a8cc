#include "mpi/sections/layouts.hpp"

#include <array>
#include <cstring>
#include <numeric>

namespace espalier::sections {
namespace {

class Maker {
 public:
  MPI_Datatype add(const char* name, MPI_Datatype type, bool overlaps = false,
                   bool is_huge = false) {
    MPI_Type_commit(&type);
    Layout one;
    static_cast<mpi_test::TestType&>(one) = mpi_test::measured(name, type);
    one.ints = static_cast<int>(one.size / 4);
    if (one.size == 0) one.true_lb = one.true_extent = 0;  // an MPI may say anything there
    one.overlaps = overlaps;
    one.is_huge = is_huge;
    made.push_back(one);
    return type;
  }
  std::vector<Layout> made;
};

void add_plain(Maker& maker) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_dup(MPI_INT, &type);
  maker.add("dup", type);
  MPI_Type_contiguous(3, MPI_INT, &type);
  maker.add("contiguous", type);
}

void add_strided(Maker& maker) {
  MPI_Datatype type = MPI_DATATYPE_NULL, strided = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 2, 4, MPI_INT, &type);
  strided = maker.add("vector", type);
  MPI_Type_create_resized(strided, 0, 64, &type);
  maker.add("resized", type);
  MPI_Type_create_hvector(3, 1, -12, MPI_INT, &type);
  maker.add("backward", type);
  MPI_Type_create_resized(strided, -8, 20000, &type);
  maker.add("wide", type);
  MPI_Type_create_resized(strided, 0, MPI_Aint{1} << 33, &type);
  maker.add("huge", type, false, true);
  MPI_Type_vector(3, 2, 1, MPI_INT, &type);
  maker.add("overlapping", type, true);
  MPI_Type_contiguous(6, MPI_INT, &strided);
  MPI_Type_create_resized(strided, 0, 4, &type);
  maker.add("overlapping elements", type, true);
  MPI_Type_free(&strided);
  MPI_Type_create_resized(MPI_INT, 0, 0, &type);
  maker.add("no extent", type, true);
}

void add_indexed(Maker& maker) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const std::array<int, 3> lengths{2, 1, 3}, at{7, 0, 3};
  MPI_Type_indexed(3, lengths.data(), at.data(), MPI_INT, &type);
  maker.add("indexed", type);
  const std::array<int, 3> starts{4, 0, 2};
  MPI_Type_create_indexed_block(3, 1, starts.data(), MPI_INT, &type);
  maker.add("indexed block", type);
  const std::array<int, 2> two{1, 2};
  const std::array<MPI_Aint, 2> bytes{-16, 4};
  MPI_Type_create_hindexed(2, two.data(), bytes.data(), MPI_INT, &type);
  const MPI_Datatype negative = maker.add("negative bound", type);
  MPI_Type_create_resized(negative, -24, 40, &type);
  maker.add("negative bound, resized", type);
  MPI_Type_contiguous(2, negative, &type);
  const MPI_Datatype nested = maker.add("nested", type);
  const std::array<int, 2> once{1, 0};
  const std::array<MPI_Aint, 2> offsets{60, 0};
  const std::array<MPI_Datatype, 2> types{negative, nested};
  MPI_Type_create_struct(2, once.data(), offsets.data(), types.data(), &type);
  maker.add("struct", type);
}

void add_arrays(Maker& maker) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const std::array<int, 2> sizes{4, 5}, parts{2, 3}, starts{1, 1};
  MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_INT,
                           &type);
  maker.add("subarray", type);
  const std::array<int, 2> whole{6, 4}, kinds{MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
      arguments{1, MPI_DISTRIBUTE_DFLT_DARG}, grid{2, 2};
  MPI_Type_create_darray(4, 1, 2, whole.data(), kinds.data(), arguments.data(), grid.data(),
                         MPI_ORDER_FORTRAN, MPI_INT, &type);
  maker.add("darray", type);
}

std::vector<Layout> make_empty_layouts() {
  Maker maker;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &type);
  maker.add("contiguous of nothing", type);
  MPI_Type_indexed(0, nullptr, nullptr, MPI_INT, &type);
  maker.add("indexed of nothing", type);
  const std::array<int, 2> lengths{0, 0}, at{3, -7};
  MPI_Type_indexed(2, lengths.data(), at.data(), MPI_INT, &type);
  maker.add("indexed of empty blocks", type);
#ifndef OPEN_MPI  // without the library, 4.1.4 was seen to crash with these on 3 and 5 ranks
  MPI_Type_create_resized(maker.made[0].type, 0, 8, &type);
  maker.add("nothing in 8 bytes", type);
  MPI_Type_create_resized(maker.made[0].type, -40, 100, &type);
  maker.add("nothing with a negative bound", type);
#endif
  MPI_Type_vector(4, 0, 3, MPI_DOUBLE, &type);
  maker.add("vector of nothing", type);
  return maker.made;
}

std::vector<Layout> make_layouts() {
  Maker maker;
  add_plain(maker);
  add_strided(maker);
  add_indexed(maker);
  add_arrays(maker);
  std::erase_if(maker.made, [](const Layout& one) { return one.ints == 0 || 6 % one.ints != 0; });
  return maker.made;
}

std::vector<Layout>& kept_layouts() {
  static std::vector<Layout> all = make_layouts();
  return all;
}
std::vector<Layout>& kept_empty_layouts() {
  static std::vector<Layout> all = make_empty_layouts();
  return all;
}

std::vector<int> counts_of(const Layout& layout, const std::vector<int>& ints) {
  std::vector<int> counts(ints);
  if (layout.ints == 0) return counts;
  for (int& one : counts) one /= layout.ints;
  return counts;
}

/// Elements in all, with a gap of up to 3 behind every block.
int place(const std::vector<int>& counts, std::vector<int>& displs, Random& random) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  displs.resize(counts.size());
  int next = 0;
  for (const std::size_t block : order) {
    displs[block] = next;
    next += counts[block] + static_cast<int>(random.below(3));
  }
  return next + 1;
}

}  // namespace

const std::vector<Layout>& layouts() { return kept_layouts(); }
const std::vector<Layout>& empty_layouts() { return kept_empty_layouts(); }

void free_layouts() {
  for (auto* all : {&kept_layouts(), &kept_empty_layouts()}) {
    for (Layout& one : *all) MPI_Type_free(&one.type);
    all->clear();
  }
}

namespace {
int element_ints = 0;  // of the layouts that are picked; 0: any
}

void agree_on_elements([[maybe_unused]] Random& shared) {
#ifdef OPEN_MPI
  constexpr std::array<int, 5> kInts{1, 3, 3, 6, 6};
  element_ints = kInts[shared.below(kInts.size())];
#endif
}

const Layout& pick_layout(Random& random, int ints, bool to_send, bool huge) {
  for (;;) {
    const Layout& one = layouts()[random.below(layouts().size())];
    if (element_ints != 0 && one.ints != element_ints) continue;
    if (one.overlaps && !to_send) continue;
    if (one.is_huge && (!huge || ints != one.ints)) continue;
    if (one.extent > 10000 && ints > 40 * kUnit) continue;  // memory
    return one;
  }
}

int pick_ints(Random& random) {
  switch (random.below(12)) {
    case 0:
      return 0;
    case 1:
      return kUnit * static_cast<int>(random.below(3000));
    case 2:
    case 3:
      return kUnit * static_cast<int>(random.below(200));
    case 4:
    case 5:
    case 6:
      return kUnit;
    default:
      return kUnit * static_cast<int>(random.below(20));
  }
}

Blocks::Blocks(const Layout& layout, const std::vector<int>& ints, Random& random,
               std::uint64_t fill)
    : layout_(layout),
      counts_(counts_of(layout, ints)),
      below_(static_cast<int>(random.below(3))),
      memory_(layout, place(counts_, displs_, random) + below_, fill) {
  for (int& one : displs_) one -= below_;
}

MixedBlocks::MixedBlocks(const std::vector<const Layout*>& layouts, const std::vector<int>& counts,
                         std::uint64_t fill)
    : counts_(counts) {
  MPI_Aint next = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Layout& one = *layouts[i];
    types_.push_back(one.type);
    displs_.push_back(static_cast<int>(next - one.true_lb));
    if (counts[i] > 0) next += (counts[i] - 1) * one.extent + one.true_extent;
    next = (next + 7) / 8 * 8;
  }
  bytes_.resize(static_cast<std::size_t>(next) + 8);
  Random random(fill);
  for (std::size_t i = 0; i < bytes_.size(); i += 8) {  // a multiple of 8
    const std::uint64_t word = random.next();
    std::memcpy(bytes_.data() + i, &word, 8);
  }
}

}  // namespace espalier::sections

// Input and result at one address, which is right if their types describe other bytes: types with
// an offset, and types that hold addresses at MPI_BOTTOM. The root of a gather or a scatter may do
// so alone.
#include <algorithm>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kBlock = 3;

/// A block of ints `offset` ints behind where it is said to be; blocks follow each other closely.
MPI_Datatype block_behind(MPI_Aint offset) {
  MPI_Datatype block = MPI_DATATYPE_NULL, spaced = MPI_DATATYPE_NULL;
  const int count = kBlock;
  const MPI_Aint bytes = offset * static_cast<MPI_Aint>(sizeof(int));
  MPI_Type_create_hindexed(1, &count, &bytes, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, kBlock * static_cast<MPI_Aint>(sizeof(int)), &spaced);
  MPI_Type_commit(&spaced);
  MPI_Type_free(&block);
  return spaced;
}

class SameAddress {
 public:
  SameAddress() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const auto all = static_cast<std::size_t>(kBlock * size_);
    data_.resize(2 * all);
    half_ = kBlock * size_;
  }

  int run() {
    for (const bool at_bottom : {false, true}) {
      MPI_Aint start = 0;
      MPI_Get_address(data_.data(), &start);
      start /= static_cast<MPI_Aint>(sizeof(int));
      const MPI_Aint from = at_bottom ? start : 0;
      front_ = block_behind(from);
      back_ = block_behind(from + half_);
      void* const base = at_bottom ? MPI_BOTTOM : data_.data();
      for (int root = 0; root < size_; ++root) each(base, root, at_bottom ? "MPI_BOTTOM" : "");
      MPI_Type_free(&front_);
      MPI_Type_free(&back_);
    }
    reductions();
    return failures_.exit_code();
  }

 private:
  void each(void* base, int root, const std::string& where) {
    const bool is_root = rank_ == root;
    const std::string of = " " + where + ", root " + std::to_string(root);
    fill();
    MPI_Gather(base, 1, front_, is_root ? base : nullptr, 1, back_, root, MPI_COMM_WORLD);
    for (int r = 0; is_root && r < size_; ++r) expect(r, value(r, 0), "gather" + of);
    fill();
    MPI_Scatter(is_root ? base : nullptr, 1, front_, base, 1, back_, root, MPI_COMM_WORLD);
    expect(0, value(root, rank_), "scatter" + of);
    fill();
    MPI_Allgather(base, 1, front_, base, 1, back_, MPI_COMM_WORLD);
    for (int r = 0; r < size_; ++r) expect(r, value(r, 0), "allgather" + of);
    fill();
    MPI_Alltoall(base, 1, front_, base, 1, back_, MPI_COMM_WORLD);
    for (int r = 0; r < size_; ++r) expect(r, value(r, rank_), "alltoall" + of);
  }

  /// Forbidden, but Open MPI takes it, from some ranks alone too.
  void reductions() {
#ifdef OPEN_MPI
    const std::vector<int> counts = [this] {
      std::vector<int> all(static_cast<std::size_t>(size_), 1);
      all[1] = 0;
      return all;
    }();
    const std::vector<int> ones(counts.size(), 1);
    std::vector<int> both = ones;
    MPI_Reduce_scatter(both.data(), both.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank_ != 1) failures_.expect(both[0] == size_, "reduce-scatter of one buffer");
    both = ones;
    std::vector<int> apart(ones.size());
    const bool is_alone = rank_ == 1;
    MPI_Scan(is_alone ? both.data() : ones.data(), is_alone ? both.data() : apart.data(), 1,
             MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    failures_.expect((is_alone ? both[0] : apart[0]) == rank_ + 1, "scan of one buffer");
    both = ones;
    MPI_Allreduce(is_alone ? both.data() : ones.data(), is_alone ? both.data() : apart.data(), 1,
                  MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    failures_.expect((is_alone ? both[0] : apart[0]) == size_, "allreduce of one buffer");
    both = ones;
    MPI_Reduce(is_alone ? both.data() : ones.data(), is_alone ? both.data() : apart.data(), 2,
               MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    if (is_alone) failures_.expect(both[0] == size_, "reduce of one buffer");
    nothing_at_bottom();
#endif
  }

  /// Rank 0 of an exscan gets nothing, so its null is no result at the address of its input.
  void nothing_at_bottom() {
    int own = rank_ + 1, before = -1;
    MPI_Aint place = 0;
    MPI_Get_address(&own, &place);
    const int count = 1;
    MPI_Datatype there = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(1, &count, &place, MPI_INT, &there);
    MPI_Type_commit(&there);
    // Types at MPI_BOTTOM need an operation that knows them: none is applied to what rank 0 gives
    // to rank 1, the only one that gets one value.
    MPI_Op last = MPI_OP_NULL;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &last);
    MPI_Comm two = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ < 2 ? 0 : MPI_UNDEFINED, rank_, &two);
    if (two != MPI_COMM_NULL) {
      if (rank_ == 0) {
        MPI_Exscan(MPI_BOTTOM, nullptr, 1, there, last, two);
      } else {
        MPI_Exscan(&own, &before, 1, MPI_INT, last, two);
        failures_.expect(before == 1, "exscan from MPI_BOTTOM");
      }
      MPI_Comm_free(&two);
    }
    MPI_Op_free(&last);
    MPI_Type_free(&there);
  }

  /// The first int of block `block` in the front half of rank `rank`.
  [[nodiscard]] static int value(int rank, int block) { return 1000 * rank + kBlock * block; }

  void fill() {
    std::fill(data_.begin(), data_.end(), -1);
    std::iota(data_.begin(), data_.begin() + half_, 1000 * rank_);
  }

  /// Block `block` of the back half counts from `first`.
  void expect(int block, int first, const std::string& what) {
    for (int i = 0; i < kBlock; ++i) {
      const int got = data_[static_cast<std::size_t>(half_ + kBlock * block + i)];
      failures_.expect(got == first + i,
                       what + ": " + std::to_string(got) + ", not " + std::to_string(first + i));
    }
  }

  int rank_ = 0, size_ = 1, half_ = 0;
  std::vector<int> data_;
  MPI_Datatype front_ = MPI_DATATYPE_NULL, back_ = MPI_DATATYPE_NULL;
  Failures failures_;
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv,
                                       [] { return espalier::mpi_test::SameAddress().run(); });
}

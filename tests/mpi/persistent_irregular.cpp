// Persistent collectives of unequal blocks along plans, started again and again. With --native 1
// the same, natively.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "mpi/persistent.hpp"

namespace espalier::mpi_test {
namespace {

bool is_native = false;

/// The irregular forms: rank r gives each rank r + 1 numbers, or none. In alltoallw each second of
/// them lies behind a gap. The program may free its types at once.
struct Irregular {
  explicit Irregular(const Members& of) : all(of), from(room(), -1), to(room(), -1) {
    for (int r = 0; r < all.size; ++r) {
      theirs.push_back(r == 1 ? 0 : r + 1);
      mine.push_back(all.rank == 1 ? 0 : all.rank + 1);
      places.push_back(r * kWidest);
      byte_places.push_back(r * kWidest * static_cast<int>(sizeof(int)));
    }
  }
  static constexpr int kWidest = 40;
  [[nodiscard]] std::size_t room() const { return static_cast<std::size_t>(all.size * kWidest); }
  [[nodiscard]] int own() const { return mine.front(); }
  /// What rank `r` gives in round `i`, of which this is number `k`.
  static int value(int r, int i, int k) { return 1000 * r + 100 * i + k; }
  /// Fills the blocks that this rank sends, `stride` apart.
  void fill(int i, bool to_all, int stride = 1) {
    std::fill(from.begin(), from.end(), -1);
    std::fill(to.begin(), to.end(), -1);
    for (int r = 0; r < (to_all ? all.size : 1); ++r) {
      for (int k = 0; k < own(); ++k) at(from, r, k * stride) = value(all.rank, i, k);
    }
  }
  [[nodiscard]] bool is_all_there(int i, int stride = 1) {
    for (int r = 0; r < all.size; ++r) {
      for (int k = 0; k < kWidest; ++k) {
        const bool is_data = k % stride == 0 && k / stride < theirs[static_cast<std::size_t>(r)];
        if (at(to, r, k) != (is_data ? value(r, i, k / stride) : -1)) return false;
      }
    }
    return true;
  }
  static int& at(std::vector<int>& of, int block, int k) {
    return of[static_cast<std::size_t>(block * kWidest + k)];
  }

  Members all;
  std::vector<int> from, to;
  std::vector<int> theirs, mine;  // numbers of each rank's block, and of this rank's
  std::vector<int> places, byte_places;
};

void irregular_again_and_again(Failures& failures) {
  const Members all;
  const MPI_Comm comm = all.comm;
  const MPI_Info none = MPI_INFO_NULL;
  Irregular v(all);
  MPI_Datatype second = MPI_DATATYPE_NULL, spaced = MPI_DATATYPE_NULL;
  MPI_Type_vector(1, 1, 1, MPI_INT, &second);
  MPI_Type_create_resized(second, 0, 2 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(all.size), spaced);
  struct Kind {
    std::string name;
    std::function<void(MPI_Request*)> init;
    std::function<void(int)> fill;
    std::function<bool(int)> is_right;
  };
  const auto here = [&](int i) { v.fill(i, false); };
  const auto to_all = [&](int i) { v.fill(i, true); };
  const auto own_of_root = [&](int i) {  // what the root of a scatterv gives this rank
    for (int k = 0; k < v.own(); ++k) {
      if (v.to[static_cast<std::size_t>(k)] != Irregular::value(0, i, k)) return false;
    }
    return true;
  };
  const std::vector<Kind> kinds{
      {"gatherv",
       [&](MPI_Request* r) {
         PERSISTENT(Gatherv)
         (v.from.data(), v.own(), MPI_INT, v.to.data(), v.theirs.data(), v.places.data(), MPI_INT,
          0, comm, none, r);
       },
       here, [&](int i) { return all.rank != 0 || v.is_all_there(i); }},
      {"scatterv",
       [&](MPI_Request* r) {
         PERSISTENT(Scatterv)
         (v.from.data(), v.theirs.data(), v.places.data(), MPI_INT, v.to.data(), v.own(), MPI_INT,
          0, comm, none, r);
       },
       [&](int i) {
         v.fill(i, true);
         for (int r = 0; r < all.size && all.rank == 0; ++r) {
           for (int k = 0; k < Irregular::kWidest; ++k) {
             Irregular::at(v.from, r, k) = Irregular::value(0, i, k);
           }
         }
       },
       own_of_root},
      {"allgatherv",
       [&](MPI_Request* r) {
         PERSISTENT(Allgatherv)
         (v.from.data(), v.own(), MPI_INT, v.to.data(), v.theirs.data(), v.places.data(), MPI_INT,
          comm, none, r);
       },
       here, [&](int i) { return v.is_all_there(i); }},
      {"allgatherv in place",
       [&](MPI_Request* r) {
         PERSISTENT(Allgatherv)
         (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v.to.data(), v.theirs.data(), v.places.data(),
          MPI_INT, comm, none, r);
       },
       [&](int i) {
         v.fill(i, false);
         for (int k = 0; k < v.own(); ++k) {
           Irregular::at(v.to, all.rank, k) = Irregular::value(all.rank, i, k);
         }
       },
       [&](int i) { return v.is_all_there(i); }},
      {"alltoallv",
       [&](MPI_Request* r) {
         PERSISTENT(Alltoallv)
         (v.from.data(), v.mine.data(), v.places.data(), MPI_INT, v.to.data(), v.theirs.data(),
          v.places.data(), MPI_INT, comm, none, r);
       },
       to_all, [&](int i) { return v.is_all_there(i); }},
      {"alltoallw",
       [&](MPI_Request* r) {
         PERSISTENT(Alltoallw)
         (v.from.data(), v.mine.data(), v.byte_places.data(), types.data(), v.to.data(),
          v.theirs.data(), v.byte_places.data(), types.data(), comm, none, r);
       },
       [&](int i) { v.fill(i, true, 2); }, [&](int i) { return v.is_all_there(i, 2); }}};
  std::vector<MPI_Request> requests(kinds.size(), MPI_REQUEST_NULL);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    kinds[k].init(&requests[k]);
    if (!is_native) failures.expect(last_was_planned(), kinds[k].name + ": " + last_text());
  }
  if (!is_native) {  // Open MPI's own calls look at them later
    MPI_Type_free(&spaced);
    std::fill(types.begin(), types.end(), MPI_DATATYPE_NULL);
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (int i = 0; i < 6; ++i) {
      kinds[k].fill(i);
      MPI_Start(&requests[k]);
      wait(requests[k]);
      failures.expect(kinds[k].is_right(i), kinds[k].name + " " + std::to_string(i));
    }
    MPI_Request_free(&requests[k]);
  }
  if (is_native) MPI_Type_free(&spaced);
  MPI_Type_free(&second);
}

/// In place the input is what the last start brought, so each start hands the blocks back.
void alltoallv_in_place(Failures& failures) {
  const Members all;
  std::vector<int> blocks(static_cast<std::size_t>(all.size));
  const std::vector<int> counts(blocks.size(), 1);
  std::vector<int> places(blocks.size());
  std::iota(places.begin(), places.end(), 0);
  for (int r = 0; r < all.size; ++r) {
    blocks[static_cast<std::size_t>(r)] = 100 * all.rank + r;
  }
  const std::vector<int> before = blocks;
  MPI_Request request = MPI_REQUEST_NULL;
  PERSISTENT(Alltoallv)
  (MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, blocks.data(), counts.data(), places.data(),
   MPI_INT, all.comm, MPI_INFO_NULL, &request);
  if (!is_native) failures.expect(last_was_planned(), last_text());
  for (int i = 0; i < 4; ++i) {
    MPI_Start(&request);
    wait(request);
    for (int r = 0; r < all.size; ++r) {
      const int expected = i % 2 == 0 ? 100 * r + all.rank : 100 * all.rank + r;
      failures.expect(blocks[static_cast<std::size_t>(r)] == expected, "block");
    }
  }
  failures.expect(blocks == before, "handed back");
  MPI_Request_free(&request);
}

int run(int argc, char** argv) {
  Failures failures;
  is_native = option(argc, argv, "--native", 0) != 0;
  irregular_again_and_again(failures);
  alltoallv_in_place(failures);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}

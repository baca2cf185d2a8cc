#pragma once

// A section: a short random MPI program on a communicator of its own. All ranks derive its steps
// from the seed and the section's number. What it computes is folded into a hash, and the classes
// of errors are listed: both must be the same with the library and without.
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "mpi/harness.hpp"

namespace espalier::sections {

/// A seed that depends on both numbers.
inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
  return Random(seed * 0x9e3779b97f4a7c15ULL + number).next();
}

/// FNV-1a over everything that was added, in order.
class Digest {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3ULL;
  }
  void add(std::uint64_t number) { add(&number, sizeof number); }
  template <typename T>
  void add(const std::vector<T>& items) {
    add(items.size());
    add(items.data(), items.size() * sizeof(T));
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

/// A non-blocking call under way, with its buffers.
struct Pending {
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<int> sent, received, counts, displs;
  std::vector<MPI_Datatype> types;
  bool is_defined = true;  ///< whether MPI says what is received here
};

class Section {
 public:
  explicit Section(bool tells) : tells_(tells) {}

  MPI_Comm comm = MPI_COMM_NULL;  ///< null where this rank has no part in it
  int rank = 0, size = 1;
  int thread_level = MPI_THREAD_SINGLE;  ///< of this process
  std::uint64_t turn = 0;                ///< data of the same step differ from turn to turn
  Digest digest;
  std::vector<std::unique_ptr<Pending>> pending;

  void use(MPI_Comm other);
  /// Runs `body` on another communicator, and comes back.
  template <typename Body>
  void on(MPI_Comm other, const Body& body) {
    const MPI_Comm before = comm;
    use(other);
    if (comm != MPI_COMM_NULL) body();
    use(before);
  }
  [[nodiscard]] int pick_rank(Random& random) const {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
  }
  /// A seed that differs from rank to rank, and from turn to turn.
  [[nodiscard]] std::uint64_t own_seed(std::uint64_t shared) const {
    return mixed(turn == 0 ? shared : mixed(shared, turn), static_cast<std::uint64_t>(rank) + 1);
  }

  /// Takes down a call's code: errors by their class.
  void note(int code);
  /// Says on rank 0 what is done, with --trace.
  void say(const std::string& what) const;
  /// Waits for all non-blocking calls, and takes down what they brought.
  void complete();
  [[nodiscard]] std::string errors() const;

 private:
  bool tells_;
  std::vector<int> error_classes_;
};

/// Makes a communicator used up, also if the user's callbacks are called.
void free_communicator(MPI_Comm& comm);

/// One or two ranks come late, now and then: they sleep or compute.
void come_late(const Section& section, Random& random);

}  // namespace espalier::sections

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/mpi_api.hpp"
#include "pmpi/registers.hpp"
#include "profile/recording.hpp"
#include "record/notes.hpp"

namespace espalier::record {

/// A communicator of the program, as the recorder needs it. Requests on it may outlive it.
struct Communicator : std::enable_shared_from_this<Communicator> {
  bool is_inter = false;
  int me = 0;                        ///< this process's rank in it
  std::vector<Rank> members;         ///< ranks in MPI_COMM_WORLD; kNoRank: outside it
  std::vector<Rank> peers;           ///< whom messages go to: the members, or the other group
  std::uint32_t number = 0;          ///< number of the communicator in the recording
  bool is_ours = false;              ///< all members belong to MPI_COMM_WORLD
  std::vector<Rank> sources, dests;  ///< neighbours, for neighbourhood collectives
  bool knows_neighbours = false;

  [[nodiscard]] Rank peer(std::intptr_t rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < peers.size()
               ? peers[static_cast<std::size_t>(rank)]
               : kNoRank;
  }
};

struct Message {
  Rank peer = 0;
  std::uint64_t bytes = 0;
};

/// A request whose completion, or start, says something: a receive, a collective, a persistent
/// send. Others are not kept.
struct Request {
  bool is_receive = false;
  bool is_persistent = false;
  bool is_active = true;
  bool is_cancelled = false;                 ///< cancelled, or asked to be
  std::shared_ptr<const Communicator> comm;  ///< only for a receive
  int source = 0;                            ///< only for a receive; maybe MPI_ANY_SOURCE
  std::uint64_t room = 0;                    ///< bytes that a receive has room for
  bool in_collective = false;
  /// Messages of a collective or a persistent send: `sends` count when it starts, `receives` when
  /// it is complete.
  std::vector<Message> sends, receives;
};

/// The recorder of this process, between begin() and end(). Locked if the program has several
/// threads: see Locked.
struct Recorder {
  Recorder(MPI_Comm own, Rank me, Rank size, std::string path);

  MPI_Comm own_world;  ///< our copy of MPI_COMM_WORLD, used at the end
  std::string file;
  profile::Recording recording;
  bool has_threads = false;
  bool counts_processor_time = false;  ///< more processes than cores: the clock would count others
  std::int64_t began = 0;              ///< nanoseconds of the clock behind MPI_Init
  int keyval = MPI_KEYVAL_INVALID;
  std::mutex mutex;
  std::unordered_map<std::intptr_t, std::shared_ptr<Communicator>> communicators;   // never walked
  std::unordered_map<std::intptr_t, Request> requests;                              // never walked
  std::unordered_map<std::intptr_t, std::shared_ptr<const Communicator>> messages;  // never walked
  std::intptr_t last_handle = 0;
  Communicator* last = nullptr;

  /// What is known of a communicator; nullptr for MPI_COMM_NULL.
  Communicator* find(MPI_Comm comm);
  void learn_neighbours(MPI_Comm comm, Communicator& known) const;
  /// Computation of this thread since its last call goes before the next action.
  void take_computation();
  /// The present call of this thread runs, starts or completes a collective.
  static void is_in_collective();
  void complete(std::intptr_t handle, const MPI_Status& status);
};

/// The one global.
extern std::atomic<Recorder*> the_recorder;

/// Held while the recorder is looked at; costs nothing where there is one thread.
class Locked {
 public:
  Locked() : recorder_(the_recorder.load(std::memory_order_acquire)) {
    if (recorder_ != nullptr && recorder_->has_threads) recorder_->mutex.lock();
  }
  ~Locked() {
    if (recorder_ != nullptr && recorder_->has_threads) recorder_->mutex.unlock();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  Recorder* operator->() const { return recorder_; }
  Recorder& operator*() const { return *recorder_; }
  explicit operator bool() const { return recorder_ != nullptr; }

 private:
  Recorder* recorder_;
};

using pmpi::as;
using pmpi::in_register;

[[nodiscard]] inline std::uint64_t bytes_of(std::intptr_t count, MPI_Datatype type) {
  MPI_Count size = 0;  // types may be longer than an int tells
  if (count > 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size_x(type, &size);
  return count > 0 && size > 0
             ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size)
             : 0;
}

/// A handle in an array of the program's requests.
[[nodiscard]] inline std::intptr_t handle_at(std::intptr_t requests, std::size_t i,
                                             Language language) {
  if (language == Language::C) return in_register(as<const MPI_Request*>(requests)[i]);
  return in_register(PMPI_Request_f2c(as<const MPI_Fint*>(requests)[i]));
}

/// Gathers all recordings and writes the profile; rank 0 says what came of it.
void write_profile(Recorder& recorder);

}  // namespace espalier::record

// Point-to-point messages: blocking ones, requests, and what completes them.
#include <array>
#include <cstring>

#include "record/ignored_statuses.hpp"
#include "record/notes.hpp"
#include "record/recorder.hpp"

namespace espalier::record {
namespace {

void receive(Recorder& recorder, const Communicator& comm, int source, const MPI_Status& status) {
  const Rank from = comm.peer(source == MPI_ANY_SOURCE ? status.MPI_SOURCE : source);
  if (from == kNoRank) return;
  MPI_Count bytes = 0;  // an int does not tell more than 2 GiB
  MPI_Status copy = status;
  PMPI_Get_elements_x(&copy, MPI_BYTE, &bytes);
  recorder.take_computation();
  recorder.recording.recv(from, bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0);
}

/// A receive that is not from just anybody.
void post(Recorder& recorder, const Communicator& comm, std::intptr_t source, std::uint64_t room) {
  const Rank from = source == MPI_ANY_SOURCE ? kNoRank : comm.peer(source);
  if (from == kNoRank || room < profile::kMarkedBytes) return;
  recorder.take_computation();
  recorder.recording.post(from, room);
}

void started(Recorder& recorder, Request& request) {
  request.is_active = true;
  if (request.is_receive) post(recorder, *request.comm, request.source, request.room);
  recorder.take_computation();
  for (const Message& m : request.sends) {
    recorder.recording.send(m.peer, m.bytes, request.in_collective);
  }
}

}  // namespace

void note_send(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm,
               bool waits) {
  const Locked recorder;
  if (!recorder) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  const Rank to = known == nullptr ? kNoRank : known->peer(dest);
  if (to == kNoRank) return;
  const std::uint64_t bytes = bytes_of(count, as<MPI_Datatype>(type));
  recorder->take_computation();
  recorder->recording.send(to, bytes);
  if (waits) recorder->recording.sent(to, bytes);
}

void note_sent(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm) {
  const Locked recorder;
  if (!recorder) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  const Rank to = known == nullptr ? kNoRank : known->peer(dest);
  if (to != kNoRank) recorder->recording.sent(to, bytes_of(count, as<MPI_Datatype>(type)));
}

void note_post(std::intptr_t count, std::intptr_t type, std::intptr_t source, std::intptr_t comm) {
  const Locked recorder;
  if (!recorder) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  if (known == nullptr) return;
  post(*recorder, *known, source, bytes_of(count, as<MPI_Datatype>(type)));
}

void note_isend(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm,
                std::intptr_t request, Language language) {
  const Locked recorder;
  if (!recorder) return;
  const std::uint64_t bytes = bytes_of(count, as<MPI_Datatype>(type));
  if (bytes < profile::kMarkedBytes) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  const Rank to = known == nullptr ? kNoRank : known->peer(dest);
  if (to == kNoRank) return;
  // MPICH has one handle for all sends that are over at once.
  recorder->requests[handle_at(request, 0, language)].sends.push_back({to, bytes});
}

void note_send_init(std::intptr_t count, std::intptr_t type, std::intptr_t dest, std::intptr_t comm,
                    std::intptr_t request, Language language) {
  const Locked recorder;
  if (!recorder) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  const Rank to = known == nullptr ? kNoRank : known->peer(dest);
  if (to == kNoRank) return;
  Request made;
  made.is_persistent = true;
  made.is_active = false;
  made.sends.push_back({to, bytes_of(count, as<MPI_Datatype>(type))});
  recorder->requests[handle_at(request, 0, language)] = std::move(made);
}

void note_irecv(std::intptr_t count, std::intptr_t type, std::intptr_t source, std::intptr_t comm,
                std::intptr_t request, bool persistent, Language language) {
  const Locked recorder;
  if (!recorder) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  if (known == nullptr || source == MPI_PROC_NULL) return;
  Request made;
  made.is_receive = true;
  made.is_persistent = persistent;
  made.is_active = !persistent;
  made.comm = known->shared_from_this();
  made.source = static_cast<int>(source);
  made.room = bytes_of(count, as<MPI_Datatype>(type));
  if (!persistent) post(*recorder, *known, source, made.room);
  recorder->requests[handle_at(request, 0, language)] = std::move(made);
}

void note_start(std::intptr_t count, std::intptr_t requests, Language language) {
  const Locked recorder;
  if (!recorder) return;
  for (std::intptr_t i = 0; i < count; ++i) {
    const auto at =
        recorder->requests.find(handle_at(requests, static_cast<std::size_t>(i), language));
    if (at != recorder->requests.end()) started(*recorder, at->second);
  }
}

void note_free(std::intptr_t request, Language language) {
  const Locked recorder;
  if (recorder) recorder->requests.erase(handle_at(request, 0, language));
}

void note_cancel(std::intptr_t request, Language language) {
  const Locked recorder;
  if (!recorder) return;
  const auto at = recorder->requests.find(handle_at(request, 0, language));
  if (at != recorder->requests.end()) at->second.is_cancelled = true;
}

Statuses::Statuses(std::intptr_t count, std::intptr_t address, Language language)
    : address_(address) {
  if (!is_ignored_status(address, language)) return;
  if (count <= 1) {
    address_ = in_register(&one_[0]);
    return;
  }
  many_ = std::make_unique<std::uint64_t[]>(
      (static_cast<std::size_t>(count) * sizeof(MPI_Status) + 7) / 8);
  address_ = in_register(many_.get());
}
Statuses::~Statuses() = default;

void note_recv(std::intptr_t source, std::intptr_t comm, std::intptr_t status) {
  const Locked recorder;
  if (!recorder) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  if (known == nullptr || source == MPI_PROC_NULL) return;
  MPI_Status told;
  std::memcpy(&told, as<const void*>(status), sizeof told);
  receive(*recorder, *known, static_cast<int>(source), told);
}

std::intptr_t message_of(std::intptr_t message, Language language) {
  if (language == Language::C) return in_register(*as<const MPI_Message*>(message));
  return in_register(PMPI_Message_f2c(*as<const MPI_Fint*>(message)));
}

void note_mprobe(std::intptr_t comm, std::intptr_t message, std::intptr_t flag, Language language) {
  if (flag != 0 && *as<const int*>(flag) == 0) return;
  const std::intptr_t handle = message_of(message, language);
  const Locked recorder;
  if (!recorder || handle == in_register(MPI_MESSAGE_NO_PROC)) return;
  const Communicator* known = recorder->find(as<MPI_Comm>(comm));
  recorder->messages[handle] = known != nullptr ? known->shared_from_this() : nullptr;
}

void note_mrecv(std::intptr_t message, std::intptr_t status) {
  const Locked recorder;
  if (!recorder) return;
  const auto at = recorder->messages.find(message);
  if (at == recorder->messages.end()) return;
  MPI_Status told;
  std::memcpy(&told, as<const void*>(status), sizeof told);
  if (at->second != nullptr) receive(*recorder, *at->second, MPI_ANY_SOURCE, told);
  recorder->messages.erase(at);
}

void note_imrecv(std::intptr_t message, std::intptr_t request, Language language) {
  const Locked recorder;
  if (!recorder) return;
  const auto at = recorder->messages.find(message);
  if (at == recorder->messages.end()) return;
  Request made;
  made.is_receive = true;
  made.comm = at->second;
  made.source = MPI_ANY_SOURCE;
  recorder->messages.erase(at);
  if (made.comm != nullptr) recorder->requests[handle_at(request, 0, language)] = std::move(made);
}

void Recorder::complete(std::intptr_t handle, const MPI_Status& status) {
  const auto at = requests.find(handle);
  if (at == requests.end() || !at->second.is_active) return;
  Request& request = at->second;
  if (request.in_collective) is_in_collective();
  int is_cancelled = 0;
  MPI_Status copy = status;
  if (request.is_cancelled) PMPI_Test_cancelled(&copy, &is_cancelled);
  if (request.is_receive && is_cancelled == 0)
    receive(*this, *request.comm, request.source, status);
  if (!request.receives.empty()) take_computation();
  for (const Message& m : request.receives) recording.recv(m.peer, m.bytes);
  for (const Message& m : request.sends) {
    if (m.bytes >= profile::kMarkedBytes && !request.in_collective) take_computation();
    if (!request.in_collective) recording.sent(m.peer, m.bytes);
  }
  request.is_active = request.is_cancelled = false;
  if (!request.is_persistent) requests.erase(at);
}

}  // namespace espalier::record

#include "fake_mpi/fake_mpi.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace espalier::fake {
namespace {

World* the_world = nullptr;
constexpr std::uintptr_t kFirstRequest = 0x1000;  // handles below stand for no request
using Stretches = std::vector<std::pair<std::int64_t, std::size_t>>;

template <typename Handle>
std::uintptr_t number_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
template <typename Handle>
Handle handle_of(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr): as in MPI
}
std::size_t total(const Stretches& stretches) {
  std::size_t sum = 0;
  for (const auto& [at, bytes] : stretches) sum += bytes;
  return sum;
}

std::vector<std::byte> gathered(const std::byte* address, const Stretches& stretches) {
  std::vector<std::byte> data;
  for (const auto& [at, bytes] : stretches) {
    data.insert(data.end(), address + at, address + at + bytes);
  }
  return data;
}

}  // namespace

World& world() { return *the_world; }

World::World(int ranks, std::size_t eager)
    : size_(ranks), eager_(eager), next_agreed_(static_cast<std::size_t>(ranks), 0) {
  the_world = this;
}
World::~World() { the_world = nullptr; }

std::vector<std::pair<int, int>> World::on_the_wire() const {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& [pair, messages] : wire_) {
    if (!messages.empty()) pairs.push_back(pair);
  }
  return pairs;
}

std::size_t World::unexpected() const { return arrived_.size(); }

std::size_t World::posted() const {
  return static_cast<std::size_t>(std::count_if(
      posted_.begin(), posted_.end(), [](const auto& receive) { return !receive->is_freed; }));
}

std::uint64_t World::held(int from, int to, std::uint64_t envelope) const {
  std::uint64_t sum = 0;
  const auto add = [&](const Message& message) {
    sum += envelope + (message.stays ? 0 : message.bytes);
  };
  const auto found = wire_.find({from, to});
  if (found != wire_.end()) std::for_each(found->second.begin(), found->second.end(), add);
  for (const Message& message : arrived_) {
    if (message.from == from && message.to == to) add(message);
  }
  return sum;
}

void World::match(Message message, const std::shared_ptr<Request>& receive) {
  if (message.stays) message.data = gathered(message.address, message.stretches);
  std::size_t done = 0;
  for (const auto& [at, bytes] : receive->stretches) {
    const std::size_t now = std::min(bytes, message.data.size() - done);
    if (now > 0) std::memcpy(receive->address + at, message.data.data() + done, now);
    done += now;
  }
  receive->status.MPI_SOURCE = message.from;
  receive->status.MPI_TAG = message.tag;
  receive->status.MPI_ERROR =
      message.data.size() > total(receive->stretches) ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  receive->status.MPI_internal[0] = static_cast<int>(done);
  receive->is_complete = true;
  if (message.request) message.request->is_complete = true;
}

void World::deliver(int from, int to) {
  auto& queue = wire_.at({from, to});
  Message message = std::move(queue.front());
  queue.pop_front();
  const auto wanted = std::find_if(posted_.begin(), posted_.end(), [&](const auto& receive) {
    return !receive->is_freed && receive->to == to && receive->tag == message.tag &&
           (receive->from == from || receive->from == MPI_ANY_SOURCE);
  });
  if (wanted == posted_.end()) return arrived_.push_back(std::move(message));
  const std::shared_ptr<Request> receive = *wanted;
  posted_.erase(wanted);
  match(std::move(message), receive);
}

void World::deliver_all() {
  for (auto pairs = on_the_wire(); !pairs.empty(); pairs = on_the_wire()) {
    for (const auto& [from, to] : pairs) deliver(from, to);
  }
}

/// What MPI's functions do.
struct Calls {
  static Stretches stretches(int count, MPI_Datatype type) {
    World& w = world();
    ++w.calls;
    if (type == MPI_BYTE) return {{0, static_cast<std::size_t>(count)}};
    if (type == MPI_INT64_T) return {{0, 8 * static_cast<std::size_t>(count)}};
    return w.types_.at(number_of(type));  // made for one piece
  }
  static MPI_Request add(std::shared_ptr<Request> request) {
    World& w = world();
    w.requests_.push_back(std::move(request));
    return handle_of<MPI_Request>(kFirstRequest + w.requests_.size() - 1);
  }
  /// What a handle stands for.
  static std::shared_ptr<Request>& request_of(MPI_Request handle) {
    return world().requests_.at(number_of(handle) - kFirstRequest);
  }
  static int send(const void* address, int count, MPI_Datatype type, int to, int tag,
                  bool synchronous, MPI_Request* handle) {
    World& w = world();
    auto request = std::make_shared<Request>();
    Message message;
    message.from = w.me;
    message.to = to;
    message.tag = tag;
    message.address = static_cast<const std::byte*>(address);
    message.stretches = stretches(count, type);
    message.bytes = total(message.stretches);
    message.stays = message.bytes > w.eager_;
    if (!message.stays) message.data = gathered(message.address, message.stretches);
    request->is_complete = !message.stays && !synchronous;
    if (!request->is_complete) message.request = request;
    w.wire_[{w.me, to}].push_back(std::move(message));
    *handle = add(std::move(request));
    return MPI_SUCCESS;
  }
  static int receive(void* address, int count, MPI_Datatype type, int from, int tag,
                     MPI_Request* handle) {
    World& w = world();
    auto request = std::make_shared<Request>();
    request->is_receive = true;
    request->from = from;
    request->to = w.me;
    request->tag = tag;
    request->address = static_cast<std::byte*>(address);
    request->stretches = stretches(count, type);
    w.room += total(request->stretches);
    const auto there = std::find_if(w.arrived_.begin(), w.arrived_.end(), [&](const Message& m) {
      return m.to == w.me && m.tag == tag && (m.from == from || from == MPI_ANY_SOURCE);
    });
    if (there != w.arrived_.end()) {
      Message message = std::move(*there);
      w.arrived_.erase(there);
      w.match(std::move(message), request);
    } else {
      w.posted_.push_back(request);
    }
    *handle = add(std::move(request));
    return MPI_SUCCESS;
  }
  /// Whether the request is complete, or none; then it is gone.
  static bool take(MPI_Request* handle, MPI_Status* status) {
    World& w = world();
    ++w.tested;
    if (*handle == MPI_REQUEST_NULL) return true;
    std::shared_ptr<Request>& request = request_of(*handle);
    if (!request->is_complete) return false;
    if (status != MPI_STATUS_IGNORE) *status = request->status;
    request.reset();
    *handle = MPI_REQUEST_NULL;
    return true;
  }
  static int test_some(int n, MPI_Request* handles, int* completed, int* indices,
                       MPI_Status* statuses) {
    ++world().calls;
    *completed = 0;
    bool has_error = false;
    for (int i = 0; i < n; ++i) {
      if (handles[i] == MPI_REQUEST_NULL || !take(&handles[i], &statuses[*completed])) continue;
      has_error |= statuses[*completed].MPI_ERROR != MPI_SUCCESS;
      indices[(*completed)++] = i;
    }
    return has_error ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
  }
  static int free(MPI_Request* handle) {
    World& w = world();
    std::shared_ptr<Request>& request = request_of(*handle);
    request->is_freed = true;
    while (!w.posted_.empty() && w.posted_.front()->is_freed) w.posted_.pop_front();
    request.reset();
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
  static int allreduce(const double* mine, double* largest, int count, MPI_Request* handle) {
    World& w = world();
    const std::size_t which = w.next_agreed_[static_cast<std::size_t>(w.me)]++;
    if (which == w.agreements_.size()) w.agreements_.emplace_back();
    World::Agreement& all = w.agreements_[which];
    if (all.largest.empty()) all.largest.assign(mine, mine + count);
    if (std::cmp_not_equal(all.largest.size(), count)) {
      throw std::logic_error("two different allreduces meet");
    }
    for (int i = 0; i < count; ++i) {
      auto& most = all.largest[static_cast<std::size_t>(i)];
      most = std::max(most, mine[i]);
    }
    auto request = std::make_shared<Request>();
    all.members.emplace_back(largest, request);
    *handle = add(request);
    if (static_cast<int>(all.members.size()) < w.size_) return MPI_SUCCESS;
    for (auto& [where, waiting] : all.members) {
      std::copy(all.largest.begin(), all.largest.end(), where);
      waiting->is_complete = true;
    }
    return MPI_SUCCESS;
  }
  static int new_type(Stretches stretches, MPI_Datatype* made) {
    World& w = world();
    const std::uintptr_t number = w.next_type_++;
    w.types_.emplace(number, std::move(stretches));
    *made = handle_of<MPI_Datatype>(number);
    return MPI_SUCCESS;
  }
  static bool is_there(int from, int tag, MPI_Status* status) {
    world().before_look();
    for (const Message& m : world().arrived_) {
      if (m.to != world().me || (from != MPI_ANY_SOURCE && m.from != from)) continue;
      if (tag != MPI_ANY_TAG && tag != m.tag) continue;
      status->MPI_SOURCE = m.from;
      status->MPI_TAG = m.tag;
      return true;
    }
    return false;
  }
};

}  // namespace espalier::fake

using espalier::fake::Calls;
using espalier::fake::world;

extern "C" {

int PMPI_Isend(const void* address, int count, MPI_Datatype type, int to, int tag, MPI_Comm,
               MPI_Request* request) {
  return Calls::send(address, count, type, to, tag, false, request);
}
int PMPI_Issend(const void* address, int count, MPI_Datatype type, int to, int tag, MPI_Comm,
                MPI_Request* request) {
  return Calls::send(address, count, type, to, tag, true, request);
}
int PMPI_Send(const void* address, int count, MPI_Datatype type, int to, int tag, MPI_Comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  Calls::send(address, count, type, to, tag, false, &request);
  return Calls::take(&request, MPI_STATUS_IGNORE) ? MPI_SUCCESS : MPI_ERR_INTERN;  // would block
}
int PMPI_Irecv(void* address, int count, MPI_Datatype type, int from, int tag, MPI_Comm,
               MPI_Request* request) {
  return Calls::receive(address, count, type, from, tag, request);
}
int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  ++world().calls;
  *flag = Calls::take(request, status) ? 1 : 0;
  return MPI_SUCCESS;
}
int PMPI_Testsome(int n, MPI_Request* requests, int* completed, int* indices,
                  MPI_Status* statuses) {
  return Calls::test_some(n, requests, completed, indices, statuses);
}
int PMPI_Testall(int n, MPI_Request* requests, int* flag, MPI_Status*) {
  *flag = 1;
  for (int i = 0; i < n; ++i) {
    if (!Calls::take(&requests[i], MPI_STATUS_IGNORE)) *flag = 0;
  }
  return MPI_SUCCESS;
}
int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  return Calls::take(request, status) ? MPI_SUCCESS : MPI_ERR_INTERN;  // would block
}
int PMPI_Waitany(int, MPI_Request*, int*, MPI_Status*) { return MPI_ERR_INTERN; }
int PMPI_Cancel(MPI_Request*) { return MPI_SUCCESS; }
int PMPI_Request_free(MPI_Request* request) { return Calls::free(request); }
int PMPI_Iprobe(int from, int tag, MPI_Comm, int* flag, MPI_Status* status) {
  *flag = Calls::is_there(from, tag, status) ? 1 : 0;
  return MPI_SUCCESS;
}
int PMPI_Iallreduce(const void* mine, void* largest, int count, MPI_Datatype, MPI_Op, MPI_Comm,
                    MPI_Request* request) {
  return Calls::allreduce(static_cast<const double*>(mine), static_cast<double*>(largest), count,
                          request);
}
int PMPI_Get_count(const MPI_Status* status, MPI_Datatype, int* count) {
  *count = status->MPI_internal[0];
  return MPI_SUCCESS;
}
int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype, MPI_Count* count) {
  *count = status->MPI_internal[0];
  return MPI_SUCCESS;
}
int PMPI_Error_class(int code, int* error_class) {
  *error_class = code;
  return MPI_SUCCESS;
}
double PMPI_Wtime() { return 0; }
int PMPI_Reduce_local(const void* from, void* to, int count, MPI_Datatype, MPI_Op) {
  for (int i = 0; i < count; ++i) {  // sums of 64-bit numbers
    static_cast<std::int64_t*>(to)[i] += static_cast<const std::int64_t*>(from)[i];
  }
  return MPI_SUCCESS;
}
int PMPI_Type_create_hindexed(int n, const int* lengths, const MPI_Aint* at, MPI_Datatype type,
                              MPI_Datatype* made) {
  std::vector<std::pair<std::int64_t, std::size_t>> stretches;
  const int width = type == MPI_INT64_T ? 8 : 1;
  for (int i = 0; i < n; ++i) {
    stretches.emplace_back(at[i], static_cast<std::size_t>(lengths[i] * width));
  }
  return Calls::new_type(std::move(stretches), made);
}
int PMPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }
int PMPI_Type_free(MPI_Datatype*) { return MPI_SUCCESS; }

// Only for data with gaps, which these tests have none of.
int PMPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype*) { return MPI_ERR_INTERN; }
int PMPI_Type_create_struct(int, const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Datatype*) {
  return MPI_ERR_INTERN;
}
int PMPI_Type_get_contents(MPI_Datatype, int, int, int, int*, MPI_Aint*, MPI_Datatype*) {
  return MPI_ERR_INTERN;
}
int PMPI_Type_get_envelope(MPI_Datatype, int*, int*, int*, int*) { return MPI_ERR_INTERN; }
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*) { return MPI_ERR_INTERN; }
int PMPI_Type_get_true_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*) { return MPI_ERR_INTERN; }
int PMPI_Type_size_x(MPI_Datatype, MPI_Count*) { return MPI_ERR_INTERN; }
int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm) { return MPI_ERR_INTERN; }
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm) {
  return MPI_ERR_INTERN;
}
int PMPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                  MPI_Comm, MPI_Status*) {
  return MPI_ERR_INTERN;
}
}

#include "mpi/world_nodes.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "discover/node_record.hpp"
#include "mpi/environment.hpp"
#include "mpi/gather_tree.hpp"
#include "mpi/probe_tasks.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/seconds_now.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {
namespace {

/// "10.1.2.0" of the first interface that is up and not the loopback; "" if there is none.
std::string subnet() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* one = all; one != nullptr && found.empty(); one = one->ifa_next) {
    const bool is_usable = one->ifa_addr != nullptr && one->ifa_netmask != nullptr &&
                           one->ifa_addr->sa_family == AF_INET &&
                           (one->ifa_flags & IFF_LOOPBACK) == 0 && (one->ifa_flags & IFF_UP) != 0;
    if (!is_usable) continue;
    in_addr net = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    net.s_addr &= reinterpret_cast<const sockaddr_in*>(one->ifa_netmask)->sin_addr.s_addr;
    char text[INET_ADDRSTRLEN] = "";
    if (::inet_ntop(AF_INET, &net, text, sizeof text) != nullptr) found = text;
  }
  ::freeifaddrs(all);
  return found;
}

/// CPUs that this process may run on, as bits; all zero if that is not known.
using CpuBits = std::vector<unsigned char>;
CpuBits own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CpuBits bits(CPU_SETSIZE / 8);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return bits;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) bits[cpu / 8] |= static_cast<unsigned char>(1U << (cpu % 8));
  }
  return bits;
}

/// Cores by process, and the node's description, if that tells anything.
void look_inside(const std::vector<unsigned char>& all_bits, discover::NodeRecord& record) {
  const std::size_t each = CPU_SETSIZE / 8;
  const std::size_t count = all_bits.size() / each;
  const auto part = [&](std::size_t p) {
    const auto begin = all_bits.begin() + static_cast<std::ptrdiff_t>(p * each);
    return std::vector<unsigned char>(begin, begin + static_cast<std::ptrdiff_t>(each));
  };
  bool alike = true;
  for (std::size_t p = 1; p < count; ++p) alike &= part(p) == part(0);
  if (alike) return;
  auto node = topology::local_node_with_cpus();
  if (!node) return;
  record.bound.resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    const auto bits = part(p);
    for (std::size_t cpu = 0; cpu < node->leaf_of_cpu.size() && cpu < CPU_SETSIZE; ++cpu) {
      const bool may_run = (bits[cpu / 8] >> (cpu % 8) & 1U) != 0;
      if (may_run && node->leaf_of_cpu[cpu] != topology::kNoLeaf) {
        record.bound[p].push_back(node->leaf_of_cpu[cpu]);
      }
    }
  }
  record.cores = topology::write_json(node->machine);
}

/// Half of the least of some round trips between the first two processes of a node.
Time memory_latency(MPI_Comm node, int rank, int size) {
  if (size < 2 || rank > 1) return Time{};
  Time best = kForever;
  for (int i = 0; i < 20; ++i) {
    const Time start = probe_clock();
    if (rank == 0) PMPI_Send(nullptr, 0, MPI_CHAR, 1, 1, node);
    PMPI_Recv(nullptr, 0, MPI_CHAR, 1 - rank, 1, node, MPI_STATUS_IGNORE);
    if (rank == 1) PMPI_Send(nullptr, 0, MPI_CHAR, 0, 1, node);
    best = std::min(best, Time{(probe_clock() - start).picoseconds / 2});
  }
  return best;
}

OwnedComm split(MPI_Comm comm, int color, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  if (comm != MPI_COMM_NULL) PMPI_Comm_split(comm, color, key, &made);
  return made == MPI_COMM_NULL ? OwnedComm() : OwnedComm(made);
}

/// Whether all processes say so. Collective.
bool all_say(bool is_so, MPI_Comm comm) {
  int all = is_so ? 1 : 0;
  return PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all != 0;
}

constexpr int kNodes = 21, kWelcome = 22;  // tags

/// All processes in the order of MPI_COMM_WORLD. Not split: that would gather keys as well. None,
/// on all of them, if MPI has no communicator left: the last ones belong to the program.
OwnedComm own_world(MPI_Comm over, MPI_Group group) {
  const ReturnedErrors returned(over);
  MPI_Comm made = MPI_COMM_NULL;
  const bool is_made = PMPI_Comm_create(over, group, &made) == MPI_SUCCESS && made != MPI_COMM_NULL;
  OwnedComm own = is_made ? OwnedComm(made) : OwnedComm();
  if (is_made) PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return all_say(is_made, over) ? std::move(own) : OwnedComm();
}

/// Those of this rank's node, as MPI says. Collective over them only.
OwnedComm said_node(MPI_Comm world, MPI_Group group, std::span<const int> leaders, int rank) {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < leaders.size(); ++r) {
    if (leaders[r] == leaders[static_cast<std::size_t>(rank)]) ranks.push_back(static_cast<int>(r));
  }
  MPI_Group here = MPI_GROUP_NULL;
  PMPI_Group_incl(group, static_cast<int>(ranks.size()), ranks.data(), &here);
  const OwnedGroup own_here(here);
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_create_group(world, here, kNodes, &made);
  return made == MPI_COMM_NULL ? OwnedComm() : OwnedComm(made);
}

/// The ranks that lead what MPI calls a node, rising; rank 0 comes first.
std::vector<int> leading_ranks(std::span<const int> leaders) {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < leaders.size(); ++r) {
    if (leaders[r] == static_cast<int>(r)) ranks.push_back(leaders[r]);
  }
  return ranks;
}

/// Those that lead a node and tell each other something along a tree send each other something at
/// once, so that connections are made both ways at the same time, not one after the other.
class Welcome {
 public:
  Welcome(std::span<const int> leading, std::size_t position, MPI_Comm world) {
    const TreePlace place = place_in_tree(position, leading.size(), kTellingFan);
    if (position != 0) {
      requests_.emplace_back();
      PMPI_Irecv(nullptr, 0, MPI_CHAR, leading[place.parent], kWelcome, world, &requests_.back());
    }
    for (const TreeStretch& child : place.children) {
      requests_.emplace_back();
      PMPI_Isend(nullptr, 0, MPI_CHAR, leading[child.begin], kWelcome, world, &requests_.back());
    }
  }
  ~Welcome() {
    PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  Welcome(const Welcome&) = delete;
  Welcome& operator=(const Welcome&) = delete;

 private:
  std::vector<MPI_Request> requests_;
};

/// How long it took to come together, in nanoseconds: the program's language may write fractions
/// otherwise. Then a line for each node: the rank that leads it and its record. @return the first
double add_nodes(const std::string& lines, std::vector<NodeText>& nodes) {
  std::size_t at = lines.find('\n');
  const double entered = 1e-9 * static_cast<double>(std::stoll(lines.substr(0, at)));
  for (++at; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    const std::size_t space = lines.find(' ', at);
    nodes.push_back(
        {std::stoi(lines.substr(at, space - at)), lines.substr(space + 1, end - space - 1)});
    at = end + 1;
  }
  return entered;
}

/// What is known of a node, by its processes; on the first of them.
discover::NodeRecord look_at_node(MPI_Comm node, int world_rank) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &size);
  discover::NodeRecord record;
  record.ranks.resize(static_cast<std::size_t>(size));
  PMPI_Gather(&world_rank, 1, MPI_INT, record.ranks.data(), 1, MPI_INT, 0, node);
  const CpuBits mine = own_cpus();
  std::vector<unsigned char> all(rank == 0 ? mine.size() * record.ranks.size() : 0);
  PMPI_Gather(mine.data(), static_cast<int>(mine.size()), MPI_UNSIGNED_CHAR, all.data(),
              static_cast<int>(mine.size()), MPI_UNSIGNED_CHAR, 0, node);
  record.memory_latency = memory_latency(node, rank, size);
  if (rank != 0) return record;
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) == 0) record.name = name;
  record.place = discover::place_of(environment("ESPALIER_SITE").value_or(""),
                                    environment("ESPALIER_LAN").value_or(""),
                                    environment("SLURM_TOPOLOGY_ADDR").value_or(""), subnet());
  look_inside(all, record);
  if (::getloadavg(&record.load, 1) != 1) record.load = 0;
  record.cpu_count = static_cast<std::uint32_t>(std::max(0L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  return record;
}

}  // namespace

Expected<WorldNodes> find_nodes(MPI_Comm over, std::span<const int> leaders) {
  const Error none_left{"discovery", "MPI has no communicator left", "free some that are not used"};
  const double begin = seconds_now();
  int world_rank = 0, said_rank = 0, rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  const OwnedGroup own_group(group);
  WorldNodes result;
  result.world = own_world(over, group);
  if (!result.world) return none_left;
  const double entered = seconds_now() - begin;  // least on the rank that came last
  const std::vector<int> leading = leading_ranks(leaders);
  const auto position = static_cast<std::size_t>(
      std::lower_bound(leading.begin(), leading.end(), world_rank) - leading.begin());
  std::optional<Welcome> welcome;
  if (leaders[static_cast<std::size_t>(world_rank)] == world_rank) {
    welcome.emplace(leading, position, result.world.get());
  }
  const OwnedComm said = said_node(result.world.get(), group, leaders, world_rank);
  if (said) PMPI_Comm_rank(said.get(), &said_rank);
  const bool is_with_first = said && shares_memory_with_first(said.get());
  const OwnedComm node =
      split(said ? said.get() : MPI_COMM_NULL, is_with_first ? 0 : said_rank, world_rank);
  if (!all_say(static_cast<bool>(node), result.world.get())) return none_left;
  PMPI_Comm_rank(node.get(), &rank);
  result.is_leader = rank == 0;
  const discover::NodeRecord record = look_at_node(node.get(), world_rank);
  std::string lines;
  if (result.is_leader) lines = std::to_string(world_rank) + " " + to_text(record) + "\n";
  int said_size = 1;
  PMPI_Comm_size(said.get(), &said_size);
  std::vector<int> all_said(static_cast<std::size_t>(said_size));
  std::iota(all_said.begin(), all_said.end(), 0);
  const std::vector<std::string> texts =
      gather_in_tree(said.get(), all_said, static_cast<std::size_t>(said_rank), lines, kNodes);
  if (said_rank != 0) return result;
  lines = fmt::format("{}\n", std::llround(1e9 * entered));
  for (const std::string& text : texts) lines += text;
  const auto all = gather_in_tree(result.world.get(), leading, position, lines, kNodes);
  double least = entered;
  for (const std::string& one : all) least = std::min(least, add_nodes(one, result.nodes));
  result.waited = entered - least;
  return result;
}

}  // namespace espalier::mpi

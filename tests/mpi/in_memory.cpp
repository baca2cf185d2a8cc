// Calls through the memory of a node, and ends of all kinds. in_memory_test.py looks at what is
// left.
//
//   in_memory end | abort | kill [RANK] | many [NUMBER] | limited | refused [tried] | unseen |
//   tried | fork | threads | pairs | blocks | unread [RANK]
//
// end: a few calls, then MPI_Finalize. abort, kill: rank 1, or RANK, ends the program so in the
// midst of calls. many: communicators that are made, used and freed one after the other, root
// first. While the first call makes what it needs: limited: files may not be long. refused: the
// system refuses memfd_create, as filters of containers may. unseen: rank 0 lets nobody look into
// it. tried: as many calls as trials need. fork: children of fork() come and go between calls, also
// in the midst of trials. threads: as tried, with MPI_THREAD_MULTIPLE. pairs: as tried, with
// reductions that memory does not serve. blocks: long blocks, with one buffer after the other, as
// often as trials need. unread: likewise, few of them; in all processes, or in that of RANK from
// the second call on, the system refuses to read other processes' memory.
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

/// Instead of the MPI library's own: whether it takes buffers on devices.
extern "C" __attribute__((visibility("default"))) int MPIX_Query_cuda_support() {
  return std::getenv("IN_MEMORY_OF_DEVICES") != nullptr ? 1 : 0;
}
/// The same question as MPICH has it.
extern "C" __attribute__((visibility("default"))) int MPIX_GPU_query_support(int /*kind*/,
                                                                             int* answer) {
  *answer = MPIX_Query_cuda_support();
  return MPI_SUCCESS;
}

namespace {

int rank = 0, size = 1;

/// Calls of several lengths, more steps than there are slots. @return whether all results are right
bool calls_are_right(MPI_Comm comm) {
  bool are_right = true;
  for (const int count : {1, 1000, 200000}) {
    const auto n = static_cast<std::size_t>(count);
    std::vector<int> data(n, rank == 1 ? 7 : 0), sums(n);
    MPI_Bcast(data.data(), count, MPI_INT, 1, comm);
    are_right &= data.front() == 7 && data.back() == 7;
    MPI_Allreduce(data.data(), sums.data(), count, MPI_INT, MPI_SUM, comm);
    are_right &= sums.front() == 7 * size && sums.back() == 7 * size;
  }
  for (int i = 0; i < 30; ++i) MPI_Bcast(&i, 1, MPI_INT, 0, comm);
  return are_right;
}

bool many_communicators(int number) {
  bool are_right = true;
  for (int i = 0; i < number; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int value = rank == 0 ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    are_right &= value == i;
    MPI_Comm_free(&comm);  // the root frees while others may still read
  }
  return are_right;
}

/// Calls that trials compare, on communicators of the same ranks one after the other: the second
/// one uses the memory of the first again.
bool tried_calls_are_right() {
  bool are_right = true;
  for (int i = 0; i < 2; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<int> data(256);
    for (int call = 0; call < 3000; ++call) {
      data.assign(data.size(), rank == 0 ? call : -1);
      MPI_Bcast(data.data(), 256, MPI_INT, 0, comm);
      are_right &= data.front() == call && data.back() == call;
      int sum = rank;
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
      are_right &= sum == size * (size - 1) / 2;
    }
    MPI_Comm_free(&comm);
  }
  return are_right;
}

/// Likewise, with calls that never go through memory: a type with gaps, and unequal blocks.
bool unserved_calls_are_right() {
  struct Pair {
    double value;
    int index;
  };
  bool are_right = true;
  std::vector<int> counts, ones;
  for (int r = 0; r < size; ++r) counts.push_back(r + 1);
  ones.assign(static_cast<std::size_t>(size * (size + 1) / 2), 1);
  std::vector<int> sums(static_cast<std::size_t>(size));
  for (int call = 0; call < 6000; ++call) {
    const Pair own{static_cast<double>(rank), rank};
    Pair largest{};
    MPI_Allreduce(&own, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    are_right &= largest.index == size - 1;
    MPI_Reduce_scatter(ones.data(), sums.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    are_right &= sums.front() == size && sums[static_cast<std::size_t>(rank)] == size;
  }
  return are_right;
}

/// From now on this call of the system fails in this process.
bool refuse(int call) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// Calls that move long blocks. The program writes to what it gave as soon as a call is over.
bool blocks_are_right(int call) {
  constexpr int kCount = 20000;
  const auto n = static_cast<std::size_t>(kCount), ranks = static_cast<std::size_t>(size);
  const int root = call % size;
  bool are_right = true;
  std::vector<int> own(n, 10 * call + rank), all(n * ranks), back(n, -1), to_all(n * ranks);
  MPI_Gather(own.data(), kCount, MPI_INT, all.data(), kCount, MPI_INT, root, MPI_COMM_WORLD);
  own.assign(n, -2);
  for (std::size_t i = 0; rank == root && i < all.size(); ++i) {
    are_right &= all[i] == 10 * call + static_cast<int>(i / n);
  }
  MPI_Scatter(all.data(), kCount, MPI_INT, back.data(), kCount, MPI_INT, root, MPI_COMM_WORLD);
  all.assign(all.size(), -3);
  are_right &= back.front() == 10 * call + rank && back.back() == 10 * call + rank;
  MPI_Allgather(back.data(), kCount, MPI_INT, all.data(), kCount, MPI_INT, MPI_COMM_WORLD);
  back.assign(n, -4);
  for (std::size_t i = 0; i < all.size(); ++i) {
    are_right &= all[i] == 10 * call + static_cast<int>(i / n);
  }
  MPI_Alltoall(all.data(), kCount, MPI_INT, to_all.data(), kCount, MPI_INT, MPI_COMM_WORLD);
  all.assign(all.size(), -5);
  for (const int value : to_all) are_right &= value == 10 * call + rank;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to_all.data(), kCount, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < to_all.size(); ++i) {
    are_right &= to_all[i] == 10 * call + static_cast<int>(i / n);
  }
  MPI_Bcast(to_all.data(), size * kCount, MPI_INT, root, MPI_COMM_WORLD);
  are_right &= to_all.front() == 10 * call && to_all.back() == 10 * call + size - 1;
  to_all.assign(to_all.size(), -6);
  return are_right;
}

/// @param refused rank that may not read others' memory any more after the first call
bool unread_blocks_are_right(int refused) {
  bool are_right = true;
  for (int call = 0; call < 4; ++call) {
    are_right &= blocks_are_right(call);
    if (call == 0 && rank == refused) are_right &= refuse(SYS_process_vm_readv);
  }
  return are_right;
}

/// Every third child runs another program.
bool calls_beside_children_are_right() {
  bool are_right = true;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (i % 3 == 0) execl("/bin/true", "true", nullptr);
      _exit(0);
    }
    are_right &= calls_are_right(MPI_COMM_WORLD);
    for (int call = 0; call < 100; ++call) {
      int sum = call + rank;
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      are_right &= sum == size * call + size * (size - 1) / 2;
    }
    int status = -1;
    are_right &= child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }
  return are_right;
}

/// The first call makes hidden communicator and segment, if plans are forced.
void make_segment() { MPI_Barrier(MPI_COMM_WORLD); }

void make_segment_with_short_files() {
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit low{4096, usual.rlim_max};
  setrlimit(RLIMIT_FSIZE, &low);
  make_segment();
  setrlimit(RLIMIT_FSIZE, &usual);
}

/// Root may look into every process.
void look_into_every_process(bool may) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  if (syscall(SYS_capget, &header, data) != 0) return;
  auto& part = data[CAP_TO_INDEX(CAP_SYS_PTRACE)];
  const __u32 bit = CAP_TO_MASK(CAP_SYS_PTRACE);
  part.effective = may ? part.effective | (part.permitted & bit) : part.effective & ~bit;
  syscall(SYS_capset, &header, data);
}

void make_segment_that_nobody_sees() {
  if (rank == 0) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  } else {
    look_into_every_process(false);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  make_segment();
  PMPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  } else {
    look_into_every_process(true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "end";
  const int number = argc > 2 ? std::atoi(argv[2]) : -1;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, how == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (how == "limited") make_segment_with_short_files();
  if (how == "refused" && !refuse(SYS_memfd_create)) std::printf("no filter can be set\n");
  if (how == "unseen") make_segment_that_nobody_sees();
  if (how == "unread" && number < 0 && !refuse(SYS_process_vm_readv)) {
    std::printf("no filter can be set\n");
  }
  bool is_right = calls_are_right(MPI_COMM_WORLD);
  if (how == "unread") is_right = unread_blocks_are_right(number) && is_right;
  for (int call = 0; how == "blocks" && call < 1000; ++call) {
    is_right = blocks_are_right(call) && is_right;
  }
  if (how == "many") is_right = many_communicators(number < 0 ? 150 : number) && is_right;
  const bool is_tried = how == "tried" || how == "threads" || (how == "refused" && argc > 2);
  if (is_tried) is_right = tried_calls_are_right() && is_right;
  if (how == "pairs") is_right = unserved_calls_are_right() && is_right;
  if (how == "fork") is_right = calls_beside_children_are_right() && is_right;
  if (rank == 1 && how == "abort") {
    MPI_Abort(MPI_COMM_WORLD, 3);
    for (;;) pause();  // MPICH 4.2 may come back until the launcher ends the process
  }
  if (rank == (number < 0 ? 1 : number) && how == "kill") raise(SIGKILL);
  if (how == "abort" || how == "kill") MPI_Barrier(MPI_COMM_WORLD);
  int wrong = is_right ? 0 : 1, all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("wrong %d\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}

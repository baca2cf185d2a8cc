// What the skeletons of the NAS parallel benchmarks share: how they are called, messages that can
// be checked, computation that takes its time, and the last line that they print.
//
//   mpiexec -n 16 lu W [--steps PERCENT] [--heavy N] [--asleep MFLOPS[,MFLOPS...]]
//
// The classes are S, W, A, B and C. --steps runs part of the time steps only. --asleep spends the
// time of computation asleep, at that many million operations a second: where many hosts are
// emulated on few cores, computing would take longer than on hosts of their own. Of several values
// each rank takes its own; the last one holds for all further ranks.
#pragma once

#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#ifdef ESPALIER_SMPI
#include <smpi/smpi.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <vector>

namespace npb {

using Count = std::uint64_t;

/// One process of a run.
class Job {
 public:
  Job(const char* name, int argc, char** argv) : name_(name) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const char* const classes = "SWABC";
    const char* at =
        argc > 1 && std::strlen(argv[1]) == 1 ? std::strchr(classes, *argv[1]) : nullptr;
    if (at == nullptr) refuse("the first argument is the class: S, W, A, B or C");
    letter_ = *at;
    scale_ = static_cast<int>(at - classes);
    for (int i = 2; i + 1 < argc; i += 2) {
      if (std::strcmp(argv[i], "--steps") == 0) percent_ = std::strtoull(argv[i + 1], nullptr, 10);
      if (std::strcmp(argv[i], "--heavy") == 0) heavy_ = std::strtoull(argv[i + 1], nullptr, 10);
      if (std::strcmp(argv[i], "--asleep") == 0) mflops_ = own_of(argv[i + 1]);
    }
    start();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] Count heavy() const { return heavy_; }
  [[nodiscard]] Count of(const Count (&per_class)[5]) const { return per_class[scale_]; }
  /// Time steps that are run.
  [[nodiscard]] Count steps(const Count (&per_class)[5]) const {
    const Count wanted = of(per_class) * percent_ / 100;
    return wanted == 0 ? 1 : wanted;
  }
  [[nodiscard]] bool is_power_of_two() const { return (size_ & (size_ - 1)) == 0; }

  [[noreturn]] void refuse(const char* why) {
    if (rank_ == 0) std::fprintf(stderr, "%s: %s\n", name_, why);
    MPI_Finalize();
    std::exit(2);
  }

  /// So many floating-point operations. Simulated ones take 5 ns each on a host of speed 1 (1 Gf).
  void compute(Count flops) {
#ifdef ESPALIER_SMPI
    smpi_execute_flops(5.0 * static_cast<double>(flops));
#else
    if (mflops_ > 0) {
      sleep_off(static_cast<double>(flops) / mflops_ / 1e6);
      return;
    }
    for (Count i = 0; i < flops / 2; ++i) worked_ = worked_ * 0.999999 + 1e-6;
    if (worked_ > 2) ++wrong_;
#endif
  }

  void expect(bool holds) { wrong_ += holds ? 0 : 1; }

  void send(int to, Count bytes) {
    fill(out_, to, bytes);
    MPI_Send(out_.data(), static_cast<int>(bytes), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }
  void receive(int from, Count bytes) {
    in_.assign(bytes + 1, 0);
    MPI_Status status;
    MPI_Recv(in_.data(), static_cast<int>(bytes), MPI_BYTE, from, 0, MPI_COMM_WORLD, &status);
    check(in_.data(), from, bytes, status);
  }
  /// Both ways at once.
  void exchange(int with, Count bytes) {
    fill(out_, with, bytes);
    in_.assign(bytes + 1, 0);
    MPI_Status status;
    MPI_Sendrecv(out_.data(), static_cast<int>(bytes), MPI_BYTE, with, 0, in_.data(),
                 static_cast<int>(bytes), MPI_BYTE, with, 0, MPI_COMM_WORLD, &status);
    check(in_.data(), with, bytes, status);
  }
  /// With several, as LU does it: all receives are posted, then it sends to one after the other.
  struct Face {
    int peer;
    Count bytes;
  };
  void exchange(const std::vector<Face>& faces) {
    const std::size_t count = faces.size();
    std::vector<std::vector<unsigned char>> came(count);
    std::vector<MPI_Request> requests(count);
    std::vector<MPI_Status> statuses(count);
    for (std::size_t i = 0; i < count; ++i) {
      came[i].resize(faces[i].bytes + 1);
      MPI_Irecv(came[i].data(), static_cast<int>(faces[i].bytes), MPI_BYTE, faces[i].peer, 0,
                MPI_COMM_WORLD, &requests[i]);
    }
    for (const Face& face : faces) send(face.peer, face.bytes);
    MPI_Waitall(static_cast<int>(count), requests.data(), statuses.data());
    for (std::size_t i = 0; i < count; ++i) {
      check(came[i].data(), faces[i].peer, faces[i].bytes, statuses[i]);
    }
  }

  /// Rank 0 prints the time and how much was wrong anywhere; the exit code.
  int finish() {
    int sum = 0;
    double mine = MPI_Wtime() - started_, all = 0;
    MPI_Reduce(&wrong_, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank_ == 0) {
      std::printf("%s.%c on %d: %.6f s, %d wrong\n", name_, letter_, size_, all, sum);
    }
    MPI_Finalize();
    return rank_ == 0 && sum != 0 ? 1 : 0;
  }

 private:
  /// "200,100": the value of this rank.
  [[nodiscard]] double own_of(const char* list) const {
    for (int rank = 0; rank < rank_; ++rank) {
      const char* const next = std::strchr(list, ',');
      if (next == nullptr) break;
      list = next + 1;
    }
    return std::strtod(list, nullptr);
  }
  /// Sleeps as soon as a tenth of a millisecond is owed; what it overslept is paid back.
  void sleep_off(double seconds) {
    owed_ += seconds;
    if (owed_ < 1e-4) return;
    const double before = MPI_Wtime();
    const timespec nap{
        static_cast<time_t>(owed_),
        static_cast<long>((owed_ - static_cast<double>(static_cast<time_t>(owed_))) * 1e9)};
    nanosleep(&nap, nullptr);
    owed_ -= MPI_Wtime() - before;
  }
  /// Simulated processes leave MPI_Init up to milliseconds apart: all begin at one moment.
  void start() {
#ifdef ESPALIER_SMPI
    started_ = 10;
    const double left = started_ - MPI_Wtime();
    const timespec nap{static_cast<time_t>(left), static_cast<long>(left * 1e9) % 1'000'000'000};
    if (left < 0 || smpi_nanosleep(&nap, nullptr) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
#else
    if (mflops_ > 0) {  // all have started, and are connected along a tree
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    started_ = MPI_Wtime();
#endif
  }
  /// Byte i of the n-th message from one process to another.
  static unsigned char byte(int from, int to, Count n, Count i) {
    return static_cast<unsigned char>(static_cast<Count>(from) * 7 + static_cast<Count>(to) * 31 +
                                      n + i * 13);
  }
  /// The first and last bytes tell which message it is; the rest is as it was.
  static Count marked(Count bytes) { return bytes < 16 ? bytes : 16; }
  void fill(std::vector<unsigned char>& data, int to, Count bytes) {
    const Count n = sent_[to]++;
    if (data.size() < bytes + 1) data.resize(bytes + 1);
    for (Count i = 0; i < marked(bytes); ++i) {
      data[i] = byte(rank_, to, n, i);
      data[bytes - 1 - i] = byte(rank_, to, n, bytes - 1 - i);
    }
  }
  void check(const unsigned char* data, int from, Count bytes, const MPI_Status& status) {
    MPI_Status copy = status;
    int count = 0;
    MPI_Get_count(&copy, MPI_BYTE, &count);
    const Count n = received_[from]++;
    bool right = count == static_cast<int>(bytes);
    for (Count i = 0; i < marked(bytes) && right; ++i) {
      right = data[bytes - 1 - i] == byte(from, rank_, n, bytes - 1 - i);
    }
    expect(right);
  }

  const char* name_;
  char letter_ = 'S';
  int scale_ = 0, rank_ = 0, size_ = 0, wrong_ = 0;
  Count percent_ = 100, heavy_ = 0;
  double started_ = 0, worked_ = 1;
  double mflops_ = 0, owed_ = 0;  // --asleep, and seconds still to be slept
  std::map<int, Count> sent_, received_;
  std::vector<unsigned char> out_, in_;
};

/// Of a grid for so many processes, rows <= columns, as square as can be.
inline int rows_of(int processes) {
  int rows = 1;
  for (int r = 1; r * r <= processes; ++r) {
    if (processes % r == 0) rows = r;
  }
  return rows;
}
inline Count divided(Count n, int parts) {
  return (n + static_cast<Count>(parts) - 1) / static_cast<Count>(parts);
}

}  // namespace npb

// Random sections of MPI, the same with the library and without (sections_test.py compares).
//
//   sections --seed S --out DIR [--first N] [--count N] [--kinds A,B] [--drop 0,3] [--trace]
//            [--levels single|funneled|serialized|multiple|mixed]
//
// Every rank writes a line for each section to DIR/result.RANK, and where it is to
// DIR/progress.RANK.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "mpi/sections/kinds.hpp"
#include "mpi/sections/layouts.hpp"

namespace espalier::sections {
namespace {

std::string text_option(int argc, char** argv, const std::string& name, const std::string& usual) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (name == argv[i]) return argv[i + 1];
  }
  return usual;
}

bool has_option(int argc, char** argv, const std::string& name) {
  return std::any_of(argv + 1, argv + argc, [&](const char* one) { return name == one; });
}

struct Launch {
  std::uint64_t seed = 1, first = 0, count = 100;
  std::vector<Kind> kinds;
  std::vector<int> dropped;
  bool traces = false;
  int thread_level = MPI_THREAD_SINGLE;
};

/// Two numbers in a file that the driver reads when ranks hang: section and step.
class Progress {
 public:
  explicit Progress(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, 16) != 0) return;
    void* at = mmap(nullptr, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (at != MAP_FAILED) where_ = static_cast<volatile std::uint64_t*>(at);
  }
  void tell(std::uint64_t section, std::uint64_t step) {
    if (where_ == nullptr) return;
    where_[0] = section + 1;
    where_[1] = step;
  }

 private:
  volatile std::uint64_t* where_ = nullptr;
};

const Kind& pick_kind(const Launch& launch, Random& random) {
  std::uint64_t sum = 0;
  for (const Kind& one : launch.kinds) sum += one.weight;
  std::uint64_t drawn = random.below(sum);
  for (const Kind& one : launch.kinds) {
    if (drawn < one.weight) return one;
    drawn -= one.weight;
  }
  return launch.kinds.back();
}

/// The section's communicators, the newest last; all but the newest may be freed at any time.
class Communicators {
 public:
  explicit Communicators(bool world) : is_world_(world) {
    MPI_Comm base = MPI_COMM_WORLD;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!world) MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &base);
    all_.push_back(base);
  }
  void add(MPI_Comm comm, bool frees_the_last) {
    if (frees_the_last && all_.size() > 1) free_communicator(all_.back());
    all_.push_back(comm);
  }
  [[nodiscard]] MPI_Comm newest() const { return all_.back(); }
  void free_all(bool newest_first) {
    if (newest_first) std::reverse(all_.begin(), all_.end());
    for (MPI_Comm& one : all_) {
      if (!is_world_) free_communicator(one);
    }
  }

 private:
  bool is_world_;
  std::vector<MPI_Comm> all_;
};

class Runner {
 public:
  Runner(const Launch& launch, const std::string& folder, int rank)
      : launch_(launch),
        progress_(folder + "/progress." + std::to_string(rank)),
        results_(std::fopen((folder + "/result." + std::to_string(rank)).c_str(), "w")) {}
  ~Runner() {
    if (results_ != nullptr) std::fclose(results_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  [[nodiscard]] bool is_ready() const { return results_ != nullptr; }

  void run(std::uint64_t number) {
    const std::uint64_t seed = mixed(launch_.seed, number);
    Random random(seed);
    const Kind& kind = pick_kind(launch_, random);
    const std::uint64_t makers = kind.on_world ? 0 : random.below(3);
    const std::uint64_t steps = makers + 1 + random.below(5);
    const bool newest_first = random.chance(50), frees_early = random.chance(50);
    progress_.tell(number, 1000);
    Section section(launch_.traces);
    section.thread_level = launch_.thread_level;
    Communicators communicators(kind.on_world);
    section.use(communicators.newest());
    section.say("section " + std::to_string(number) + ", " + kind.name);
    for (std::uint64_t i = 0; i < steps && section.comm != MPI_COMM_NULL; ++i) {
      if (is_dropped(i)) continue;
      progress_.tell(number, i);
      section.say("  step " + std::to_string(i));
      Random own(mixed(seed, i + 1));
      come_late(section, own);
      if (i < makers) {
        communicators.add(derived_communicator(section, own), frees_early);
        section.use(communicators.newest());
      } else if (kind.step != nullptr && (i == makers || own.chance(40))) {
        kind.step(section, own);
      } else {
        any_step(section, own);
      }
    }
    progress_.tell(number, 1001);
    section.complete();
    communicators.free_all(newest_first);
    std::fprintf(results_, "section %llu kind %s hash %016llx error-classes %s\n",
                 static_cast<unsigned long long>(number), kind.name,
                 static_cast<unsigned long long>(section.digest.value()), section.errors().c_str());
    std::fflush(results_);
  }

 private:
  [[nodiscard]] bool is_dropped(std::uint64_t step) const {
    return std::count(launch_.dropped.begin(), launch_.dropped.end(), static_cast<int>(step)) > 0;
  }

  const Launch& launch_;
  Progress progress_;
  std::FILE* results_;
};

/// Before MPI_Init, as launchers tell it.
std::uint64_t rank_to_be() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (const char* value = std::getenv(name)) return std::strtoull(value, nullptr, 10);
  }
  return 0;
}

int wanted_level(const std::string& name, std::uint64_t seed) {
  constexpr int kLevels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                             MPI_THREAD_MULTIPLE};
  if (name == "funneled") return kLevels[1];
  if (name == "serialized") return kLevels[2];
  if (name == "multiple") return kLevels[3];
  if (name == "mixed") return kLevels[Random(mixed(seed, rank_to_be())).below(4)];
  return kLevels[0];
}

Launch launch_of(int argc, char** argv) {
  Launch launch;
  launch.seed = mpi_test::option(argc, argv, "--seed", 1);
  launch.first = mpi_test::option(argc, argv, "--first", 0);
  launch.count = mpi_test::option(argc, argv, "--count", 100);
  launch.kinds = kinds_named(text_option(argc, argv, "--kinds", "plain"));
  launch.traces = has_option(argc, argv, "--trace");
  std::istringstream dropped(text_option(argc, argv, "--drop", ""));
  for (std::string one; std::getline(dropped, one, ',');) launch.dropped.push_back(std::stoi(one));
  return launch;
}

int run(const Launch& launch, const std::string& folder) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Runner runner(launch, folder, rank);
  if (!runner.is_ready() || launch.kinds.empty()) {
    std::fprintf(stderr, "sections: no folder \"%s\", or no such kinds\n", folder.c_str());
    return 2;
  }
  for (std::uint64_t i = 0; i < launch.count; ++i) runner.run(launch.first + i);
  free_layouts();
  if (rank == 0 && mpi_test::library_is_there()) {
    std::printf("planned %llu\n", static_cast<unsigned long long>(espalier_query_count("planned")));
  }
  return 0;
}

}  // namespace
}  // namespace espalier::sections

int main(int argc, char** argv) {
  using namespace espalier::sections;
  Launch launch = launch_of(argc, argv);
  const std::string levels = text_option(argc, argv, "--levels", "");
  if (levels.empty()) {
    MPI_Init(&argc, &argv);
  } else {
    MPI_Init_thread(&argc, &argv, wanted_level(levels, launch.seed), &launch.thread_level);
  }
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  int code = 0;
  if (parent != MPI_COMM_NULL) {
    spawned_part(parent);
  } else {
    code = run(launch, text_option(argc, argv, "--out", "."));
  }
  MPI_Finalize();
  return code;
}

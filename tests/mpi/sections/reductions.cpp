// Broadcasts and reductions.
#include <cstring>

#include "mpi/operations.hpp"
#include "mpi/sections/layouts.hpp"
#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

using mpi_test::Exactness;
using mpi_test::TestOperation;

const std::vector<TestOperation>& operations() {
  static const std::vector<TestOperation> all = mpi_test::make_operations();
  return all;
}

/// Small whole numbers: their sums are exact in any order.
template <typename Float>
void make_whole(std::vector<char>& data) {
  for (std::size_t i = 0; i + sizeof(Float) <= data.size(); i += sizeof(Float)) {
    const auto value = static_cast<Float>(static_cast<unsigned char>(data[i]) % 100);
    std::memcpy(data.data() + i, &value, sizeof value);
  }
}

void tame(const TestOperation& operation, std::vector<char>& data) {
  if (operation.exactness == Exactness::Float) {
    make_whole<float>(data);
  } else if (operation.exactness == Exactness::Double) {
    make_whole<double>(data);
  } else if (operation.tame != nullptr) {
    operation.tame(data);
  }
}

enum class Form { Reduce, Allreduce, Scan, Exscan, ScatterBlock, Scatter };

struct Reduction {
  Form form;
  const TestOperation& operation;
  int root;
  bool in_place;
  std::vector<int> counts;  ///< of reduce-scatter, for each rank
};

const char* name_of(Form form) {
  constexpr const char* kNames[] = {
      "reduce", "allreduce", "scan", "exscan", "reduce_scatter_block", "reduce_scatter"};
  return kNames[static_cast<int>(form)];
}

int call(const Reduction& what, const void* from, void* to, int count, const Section& section) {
  const MPI_Datatype type = what.operation.type.type;
  const MPI_Op op = what.operation.op;
  switch (what.form) {
    case Form::Reduce:
      return MPI_Reduce(from, to, count, type, op, what.root, section.comm);
    case Form::Allreduce:
      return MPI_Allreduce(from, to, count, type, op, section.comm);
    case Form::Scan:
      return MPI_Scan(from, to, count, type, op, section.comm);
    case Form::Exscan:
      return MPI_Exscan(from, to, count, type, op, section.comm);
    case Form::ScatterBlock:
      return MPI_Reduce_scatter_block(from, to, what.counts[0], type, op, section.comm);
    default:
      return MPI_Reduce_scatter(from, to, what.counts.data(), type, op, section.comm);
  }
}

/// Where the result is, and how long it is; 0 where there is none.
int result_length(const Reduction& what, const Section& section, int count) {
  switch (what.form) {
    case Form::Reduce:
      return section.rank == what.root ? count : 0;
    case Form::Exscan:
      return section.rank == 0 ? 0 : count;
    case Form::ScatterBlock:
    case Form::Scatter:
      return what.counts[static_cast<std::size_t>(section.rank)];
    default:
      return count;
  }
}

void reduce(Section& section, const Reduction& what, int count, std::uint64_t seed) {
  const auto& type = what.operation.type;
  Memory input(type, count, section.own_seed(seed)), output(type, count, seed);
  std::vector<char> data = input.packed(type, count);
  tame(what.operation, data);
  input.unpack(type, count, data);
  const bool has_result = what.form != Form::Reduce || section.rank == what.root;
  const bool in_place = what.in_place && has_result;
  if (in_place) output.unpack(type, count, data);
  section.note(call(what, in_place ? MPI_IN_PLACE : input.address(),
                    has_result ? output.address() : nullptr, count, section));
  const int length = result_length(what, section, count);
  section.digest.add(output.packed(type, length));
}

}  // namespace

void step_broadcast(Section& section, Random& random) {
  const int ints = pick_ints(random), root = section.pick_rank(random);
  const std::uint64_t seed = random.next();
  agree_on_elements(random);
  Random own(section.own_seed(seed));  // ranks may describe one message differently
  const Layout& layout = pick_layout(own, ints, section.rank == root);
  section.say("broadcast of " + std::to_string(ints) + " ints from " + std::to_string(root) +
              ", here as " + layout.name);
  Memory memory(layout, ints / layout.ints, section.own_seed(seed));
  section.note(MPI_Bcast(memory.address(), ints / layout.ints, layout.type, root, section.comm));
  section.digest.add(memory.bytes());
}

void step_reduction(Section& section, Random& random) {
  const TestOperation& operation = operations()[random.below(operations().size())];
  // Without the library, reduce-scatters of MPICH 4.0.2 on 2 and 4 ranks were seen to give other
  // results and to abort: an operation that does not commute, a type with a negative lower bound.
  const auto form = static_cast<Form>(random.below(operation.type.true_lb < 0 ? 4 : 6));
  int commutes = 0;
  MPI_Op_commutative(operation.op, &commutes);
  int count = pick_ints(random);
  // Without the library, MPI_Reduce of MPICH 4.0.2 was seen to crash in place: from 2 KiB on, and
  // with operations that do not commute.
  const bool is_safe = form != Form::Reduce || (commutes != 0 && count < 100);
  const bool in_place = random.chance(30) && is_safe;
  Reduction what{form, operation, section.pick_rank(random), in_place, {}};
  if (form == Form::ScatterBlock || form == Form::Scatter) {
    const auto share = static_cast<std::uint64_t>(count / section.size) + 1;
    count = 0;
    for (int i = 0; i < section.size; ++i) {
      const bool fixed = form == Form::ScatterBlock && i > 0;
      what.counts.push_back(fixed ? what.counts[0] : static_cast<int>(random.below(share)));
      count += what.counts.back();
    }
  }
  section.say(std::string(name_of(form)) + ", " + operation.name + ", " + std::to_string(count) +
              " elements, root " + std::to_string(what.root) + (in_place ? ", in place" : ""));
  reduce(section, what, count, random.next());
}

void step_repeated(Section& section, Random& random) {
  const int calls = 20 + static_cast<int>(random.below(150));
  const int count = 1 + static_cast<int>(random.below(random.chance(20) ? 2000 : 16));
  const int root = section.pick_rank(random);
  const bool reduces = random.chance(60), sums_at_root = random.chance(30);
  section.say(std::to_string(calls) + " calls of " + std::to_string(count) + " ints, " +
              (reduces ? (sums_at_root ? "reduce" : "allreduce") : "broadcast") + ", root " +
              std::to_string(root));
  std::vector<int> data(static_cast<std::size_t>(count)), sum(data.size());
  for (int i = 0; i < calls; ++i) {
    for (std::size_t k = 0; k < data.size(); ++k) {
      data[k] = static_cast<int>(k) * 7 + i * 31 + section.rank;
    }
    if (!reduces) {
      section.note(MPI_Bcast(data.data(), count, MPI_INT, root, section.comm));
      section.digest.add(data);
      continue;
    }
    section.note(
        sums_at_root
            ? MPI_Reduce(data.data(), sum.data(), count, MPI_INT, MPI_SUM, root, section.comm)
            : MPI_Allreduce(data.data(), sum.data(), count, MPI_INT, MPI_SUM, section.comm));
    if (!sums_at_root || section.rank == root) section.digest.add(sum);
  }
}

}  // namespace espalier::sections

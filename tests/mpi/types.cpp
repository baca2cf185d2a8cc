#include "mpi/types.hpp"

#include <array>

namespace espalier::mpi_test {

TestType measured(std::string name, MPI_Datatype type) {
  TestType t;
  t.name = std::move(name);
  t.type = type;
  int size = 0;
  MPI_Aint lb = 0;
  MPI_Type_size(type, &size);
  t.size = size;
  MPI_Type_get_extent(type, &lb, &t.extent);
  MPI_Type_get_true_extent(type, &t.true_lb, &t.true_extent);
  return t;
}

std::vector<TestType> make_types() {
  std::vector<TestType> all{measured("int", MPI_INT), measured("double", MPI_DOUBLE),
                            measured("char", MPI_CHAR), measured("double_int", MPI_DOUBLE_INT)};
  const auto add = [&all](const char* name, MPI_Datatype type) {
    MPI_Type_commit(&type);
    all.push_back(measured(name, type));
    return type;
  };
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(5, MPI_DOUBLE, &made);
  add("contiguous", made);
  MPI_Type_vector(3, 2, 4, MPI_INT, &made);
  const MPI_Datatype vector = add("vector", made);
  MPI_Type_create_resized(vector, 0, 64, &made);
  add("resized vector", made);
  {
    const std::array<int, 3> lengths{2, 1, 3};
    const std::array<int, 3> at{0, 5, 7};
    MPI_Type_indexed(3, lengths.data(), at.data(), MPI_INT, &made);
    add("indexed", made);
  }
  {
    const std::array<int, 3> lengths{1, 2, 1};
    const std::array<MPI_Aint, 3> at{0, 8, 25};
    const std::array<MPI_Datatype, 3> types{MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(3, lengths.data(), at.data(), types.data(), &made);
    add("struct", made);
  }
  {
    const std::array<int, 2> lengths{1, 1};
    const std::array<MPI_Aint, 2> at{4, 0};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
    MPI_Type_create_struct(2, lengths.data(), at.data(), types.data(), &made);
    add("out of order", made);
  }
  {
    const std::array<int, 2> lengths{1, 2};
    const std::array<MPI_Aint, 2> at{-16, 4};
    MPI_Type_create_hindexed(2, lengths.data(), at.data(), MPI_INT, &made);
    const MPI_Datatype negative = add("negative lower bound", made);
    MPI_Type_create_resized(negative, -24, 40, &made);
    add("negative lower bound, resized", made);
    MPI_Type_contiguous(3, negative, &made);
    add("contiguous of negative", made);
  }
  MPI_Type_dup(MPI_INT, &made);
  add("dup of int", made);
  {
    MPI_Datatype five = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &five);
    add("empty", five);
  }
#if MPI_VERSION >= 4
  // MPICH tells of these by functions with large counts alone.
  MPI_Type_contiguous_c(6, MPI_INT, &made);
  add("contiguous, large count", made);
  MPI_Type_vector_c(3, 2, 4, MPI_INT, &made);
  add("vector, large count", made);
#endif
  for (TestType& type : all) {
    type.is_of_ints = type.name != "double" && type.name != "char" && type.name != "double_int" &&
                      type.name != "contiguous" && type.name != "struct" && type.name != "empty";
  }
  return all;
}

Memory::Memory(const TestType& type, int count, std::uint64_t seed) {
  constexpr std::ptrdiff_t kMargin = 128;
  const std::ptrdiff_t reach = count > 0 ? (count - 1) * type.extent + type.true_extent : 0;
  bytes_.resize(static_cast<std::size_t>(reach + 2 * kMargin));
  offset_ = kMargin - type.true_lb;
  Random random(seed);
  for (std::size_t i = 0; i < bytes_.size(); i += 8) {
    const std::uint64_t word = random.next();
    for (std::size_t b = 0; b < 8 && i + b < bytes_.size(); ++b) {
      bytes_[i + b] = static_cast<unsigned char>(word >> (8 * b));
    }
  }
}

std::vector<char> Memory::packed(const TestType& type, int count) {
  std::vector<char> data(static_cast<std::size_t>(type.size * count));
  if (data.empty()) return data;
  int position = 0;
  MPI_Pack(address(), count, type.type, data.data(), static_cast<int>(data.size()), &position,
           MPI_COMM_SELF);
  return data;
}

void Memory::unpack(const TestType& type, int count, const std::vector<char>& data) {
  if (data.empty()) return;
  int position = 0;
  MPI_Unpack(data.data(), static_cast<int>(data.size()), &position, address(), count, type.type,
             MPI_COMM_SELF);
}

}  // namespace espalier::mpi_test

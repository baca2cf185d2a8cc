#include "mpi/operations.hpp"

#include <array>
#include <cstring>

namespace espalier::mpi_test {
namespace {

/// Values that neither overflow nor cancel to nothing: 1 .. 1000 by their bytes.
template <typename Float>
void tame_floats(std::vector<char>& data) {
  for (std::size_t i = 0; i + sizeof(Float) <= data.size(); i += sizeof(Float)) {
    std::uint32_t raw = 0;
    std::memcpy(&raw, data.data() + i, sizeof raw);
    const Float value = static_cast<Float>(raw % 1000000) / Float{1000} - Float{300};
    std::memcpy(data.data() + i, &value, sizeof value);
  }
}

/// Few values, so that there are ties.
template <typename Value>
void tame_pairs(std::vector<char>& data) {
  const std::size_t size = sizeof(Value) + sizeof(int);
  for (std::size_t i = 0; i + size <= data.size(); i += size) {
    std::uint32_t raw = 0;
    std::memcpy(&raw, data.data() + i, sizeof raw);
    const auto value = static_cast<Value>(raw % 5);
    const int index = static_cast<int>(raw / 5 % 100);
    std::memcpy(data.data() + i, &value, sizeof value);
    std::memcpy(data.data() + i + sizeof value, &index, sizeof index);
  }
}

void tame_bools(std::vector<char>& data) {
  for (char& c : data) c = static_cast<char>(c & 1);
}

/// x -> a x + b over 32-bit integers that wrap round: composing is associative, not commutative.
struct Affine {
  std::uint32_t a, b;
};
Affine compose(const Affine& f, const Affine& g) { return {f.a * g.a, f.a * g.b + f.b}; }

/// Elements of 8 bytes side by side.
void affine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const Affine*>(in);
  auto* to = static_cast<Affine*>(inout);
  for (int i = 0; i < *count; ++i) to[i] = compose(from[i], to[i]);
}

/// The same with a before its address and b behind, 24 bytes apart.
void affine_apart(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(*type, &lb, &extent);
  auto* from = static_cast<char*>(in);
  auto* to = static_cast<char*>(inout);
  for (int i = 0; i < *count; ++i, from += extent, to += extent) {
    Affine f{}, g{};
    std::memcpy(&f.a, from - 8, 4);
    std::memcpy(&f.b, from + 4, 4);
    std::memcpy(&g.a, to - 8, 4);
    std::memcpy(&g.b, to + 4, 4);
    const Affine h = compose(f, g);
    std::memcpy(to - 8, &h.a, 4);
    std::memcpy(to + 4, &h.b, 4);
  }
}

void xor_ints(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const std::uint32_t*>(in);
  auto* to = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *count; ++i) to[i] = (to[i] ^ from[i]);
}

}  // namespace

std::vector<TestOperation> make_operations() {
  std::vector<TestOperation> all;
  const auto add = [&all](const char* name, MPI_Op op, const char* type_name, MPI_Datatype type,
                          Exactness exactness = Exactness::Bits,
                          void (*tame)(std::vector<char>&) = nullptr, bool gaps = true) {
    all.push_back({std::string(name) + " of " + type_name, op, measured(type_name, type), exactness,
                   gaps, tame});
  };
  add("sum", MPI_SUM, "int", MPI_INT);
  add("sum", MPI_SUM, "uint64", MPI_UINT64_T);
  add("prod", MPI_PROD, "unsigned", MPI_UNSIGNED);
  add("max", MPI_MAX, "short", MPI_SHORT);
  add("min", MPI_MIN, "long long", MPI_LONG_LONG);
  add("band", MPI_BAND, "byte", MPI_BYTE);
  add("bor", MPI_BOR, "uint16", MPI_UINT16_T);
  add("bxor", MPI_BXOR, "long", MPI_LONG);
  add("land", MPI_LAND, "int", MPI_INT);
  add("lor", MPI_LOR, "bool", MPI_C_BOOL, Exactness::Bits, tame_bools);
  add("sum", MPI_SUM, "float", MPI_FLOAT, Exactness::Float, tame_floats<float>);
  add("sum", MPI_SUM, "double", MPI_DOUBLE, Exactness::Double, tame_floats<double>);
  add("max", MPI_MAX, "double", MPI_DOUBLE, Exactness::Bits, tame_floats<double>);
  add("min", MPI_MIN, "float", MPI_FLOAT, Exactness::Bits, tame_floats<float>);
  add("maxloc", MPI_MAXLOC, "2int", MPI_2INT, Exactness::Bits, tame_pairs<int>);
  add("minloc", MPI_MINLOC, "double_int", MPI_DOUBLE_INT, Exactness::Bits, tame_pairs<double>,
      false);
  add("maxloc", MPI_MAXLOC, "float_int", MPI_FLOAT_INT, Exactness::Bits, tame_pairs<float>);

  MPI_Op made = MPI_OP_NULL;
  MPI_Op_create(xor_ints, 1, &made);
  add("user's xor", made, "int", MPI_INT);
  MPI_Op_create(affine, 0, &made);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
  MPI_Type_commit(&pair);
  add("affine", made, "two ints", pair);
  MPI_Op_create(affine_apart, 0, &made);
  MPI_Datatype apart = MPI_DATATYPE_NULL, resized = MPI_DATATYPE_NULL;
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> at{-8, 4};
  MPI_Type_create_hindexed(2, lengths.data(), at.data(), MPI_UINT32_T, &apart);
  MPI_Type_create_resized(apart, -8, 24, &resized);
  MPI_Type_commit(&resized);
  add("affine", made, "ints apart", resized);
  return all;
}

}  // namespace espalier::mpi_test

#include "mpi/topology_attributes.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace espalier::mpi {
namespace {

/// What stands in front of an attribute's value: pointers, and then the numbers they point to.
/// Depths have numbers alone.
struct alignas(alignof(std::max_align_t)) Extent {
  std::size_t pointers = 0;
  std::size_t numbers = 0;
};

Extent& extent_of(void* value) { return *(static_cast<Extent*>(value) - 1); }
int** pointers_of(void* value) { return static_cast<int**>(value); }
int* numbers_of(void* value) {
  return reinterpret_cast<int*>(pointers_of(value) + extent_of(value).pointers);
}

std::size_t bytes_of(const Extent& extent) {
  return extent.pointers * sizeof(int*) + extent.numbers * sizeof(int);
}

void* make_value(const Extent& extent) {
  auto* front = static_cast<Extent*>(std::malloc(sizeof(Extent) + bytes_of(extent)));
  if (front == nullptr) throw std::bad_alloc();
  *front = extent;
  return front + 1;
}

int copy_value(MPI_Comm /*from*/, int /*keyval*/, void* /*state*/, void* old, void* made,
               int* is_copied) noexcept {
  *is_copied = 0;
  const Extent extent = extent_of(old);
  auto* front = static_cast<Extent*>(std::malloc(sizeof(Extent) + bytes_of(extent)));
  if (front == nullptr) return MPI_SUCCESS;  // the copy has no attribute then
  *front = extent;
  void* value = front + 1;
  std::memcpy(value, old, bytes_of(extent));
  for (std::size_t i = 0; i < extent.pointers; ++i) {
    pointers_of(value)[i] = numbers_of(value) + (pointers_of(old)[i] - numbers_of(old));
  }
  *static_cast<void**>(made) = value;
  *is_copied = 1;
  return MPI_SUCCESS;
}

int delete_value(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*state*/) noexcept {
  std::free(static_cast<Extent*>(value) - 1);
  return MPI_SUCCESS;
}

void* depths_value(std::span<const std::vector<int>> colours) {
  void* value = make_value({0, colours.size()});
  int* depth = numbers_of(value);
  for (const std::vector<int>& own : colours) *depth++ = static_cast<int>(own.size());
  return value;
}

void* colours_value(std::span<const std::vector<int>> colours) {
  Extent extent{colours.size(), 0};
  for (const std::vector<int>& own : colours) extent.numbers += own.size();
  void* value = make_value(extent);
  int* next = numbers_of(value);
  for (std::size_t r = 0; r < colours.size(); ++r) {
    pointers_of(value)[r] = next;
    for (const int colour : colours[r]) *next++ = colour;
  }
  return value;
}

void set(MPI_Comm comm, int keyval, void* value) {
  if (PMPI_Comm_set_attr(comm, keyval, value) != MPI_SUCCESS) {
    delete_value(comm, keyval, value, nullptr);
  }
}

}  // namespace

TopologyAttributes::~TopologyAttributes() {
  // Values that are attached still stay with their communicators.
  if (keyvals_.depths == MPI_KEYVAL_INVALID) return;
  PMPI_Comm_free_keyval(&keyvals_.depths);
  PMPI_Comm_free_keyval(&keyvals_.colours);
}

TopologyAttributes::Keyvals TopologyAttributes::keyvals() {
  const std::lock_guard lock(mutex_);
  if (keyvals_.depths == MPI_KEYVAL_INVALID) {
    PMPI_Comm_create_keyval(copy_value, delete_value, &keyvals_.depths, nullptr);
    PMPI_Comm_create_keyval(copy_value, delete_value, &keyvals_.colours, nullptr);
  }
  return keyvals_;
}

void TopologyAttributes::attach(MPI_Comm comm, std::span<const std::vector<int>> colours) {
  const Keyvals both = keyvals();
  set(comm, both.depths, depths_value(colours));
  set(comm, both.colours, colours_value(colours));
}

}  // namespace espalier::mpi

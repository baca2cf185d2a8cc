// What include/espalier/group.h declares, on top of the C++ interface.
#include <espalier/group.h>

#include <cstddef>
#include <espalier/group.hpp>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

struct espalier_group {
  espalier::Group group;
  espalier_groups* owner = nullptr;  ///< null once the groups are closed
};
struct espalier_groups {
  std::optional<espalier::Groups> groups;
  espalier_group all;
  std::set<espalier_group*> made;  ///< handles that are not freed yet
};

namespace espalier {
namespace {

/// No exception leaves a C function.
template <typename Work>
int coded(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return MPI_ERR_OTHER;
  } catch (const std::exception&) {
    return MPI_ERR_ARG;
  }
}

/// Does something on a group that the caller is in.
template <typename Work>
int on_members(espalier_group* group, const Work& work) noexcept {
  if (group == nullptr || !group->group.member()) return MPI_ERR_ARG;
  return coded([&] {
    work(group->group);
    return group->owner->groups->error();
  });
}

int made_from(espalier_group* group, espalier_group** made, bool needs_member,
              const auto& make) noexcept {
  if (group == nullptr || made == nullptr) return MPI_ERR_ARG;
  if (needs_member && !group->group.member()) return MPI_ERR_ARG;
  return coded([&] {
    espalier_groups* owner = group->owner;
    auto handle = std::make_unique<espalier_group>(espalier_group{make(group->group), owner});
    owner->made.insert(handle.get());
    *made = handle.release();
    return owner->groups->error();
  });
}

/// The bytes of a message of a type without gaps; -1 for others.
long message_bytes(int count, MPI_Datatype type) {
  int size = 0;
  MPI_Aint first = 0, extent = 0;
  const bool is_known = count >= 0 && type != MPI_DATATYPE_NULL &&
                        PMPI_Type_size(type, &size) == MPI_SUCCESS &&
                        PMPI_Type_get_extent(type, &first, &extent) == MPI_SUCCESS;
  if (!is_known || (count > 0 && (first != 0 || extent != size))) return -1;
  return static_cast<long>(count) * size;
}

}  // namespace
}  // namespace espalier

using espalier::coded;
using espalier::Group;
using espalier::GroupRank;
using espalier::made_from;
using espalier::on_members;

extern "C" {

#define ESPALIER_C [[gnu::visibility("default")]]

ESPALIER_C int espalier_groups_open(MPI_Comm comm, int degree, const char* machine,
                                    espalier_groups** groups) {
  if (groups == nullptr) return MPI_ERR_ARG;
  return coded([&] {
    espalier::GroupsOptions options;
    // A wrong degree is refused on all members alike, if one of them has it.
    constexpr unsigned kWrong = 255;
    options.degree = degree < 0 ? kWrong : static_cast<unsigned>(degree);
    if (machine != nullptr) options.machine = machine;
    auto opened = std::make_unique<espalier_groups>();
    opened->groups.emplace(comm, options);
    opened->all = {opened->groups->all(), opened.get()};
    *groups = opened.release();
    return (*groups)->groups->error();
  });
}

ESPALIER_C int espalier_groups_close(espalier_groups** groups) {
  if (groups == nullptr) return MPI_ERR_ARG;
  return coded([&] {
    if (*groups == nullptr) return MPI_SUCCESS;
    for (espalier_group* left : (*groups)->made) *left = {};  // size 0, and still to be freed
    delete *groups;
    *groups = nullptr;
    return MPI_SUCCESS;
  });
}

ESPALIER_C espalier_group* espalier_groups_all(espalier_groups* groups) {
  return groups == nullptr ? nullptr : &groups->all;
}

ESPALIER_C int espalier_group_split(espalier_group* group, int colour, espalier_group** made) {
  return made_from(group, made, true, [&](const Group& of) { return of.split(colour); });
}

ESPALIER_C int espalier_group_along_topology(espalier_group* group, espalier_group** made) {
  return made_from(group, made, true, [](const Group& of) { return of.along_topology(); });
}

ESPALIER_C int espalier_group_free(espalier_group** group) {
  if (group == nullptr || *group == nullptr) return MPI_ERR_ARG;
  espalier_groups* owner = (*group)->owner;
  if (owner != nullptr && *group == &owner->all) return MPI_ERR_ARG;
  return coded([&] {
    if ((*group)->group.member()) (*group)->group.free();
    if (owner != nullptr) owner->made.erase(*group);
    delete *group;
    *group = nullptr;
    return MPI_SUCCESS;
  });
}

ESPALIER_C int espalier_group_size(const espalier_group* group) {
  return group != nullptr && group->group.member() ? static_cast<int>(group->group.size()) : 0;
}

ESPALIER_C int espalier_group_rank(const espalier_group* group) {
  return group != nullptr && group->group.member() ? static_cast<int>(group->group.rank()) : -1;
}

ESPALIER_C int espalier_group_barrier(espalier_group* group) {
  return on_members(group, [](const Group& of) { of.barrier(); });
}

ESPALIER_C int espalier_group_broadcast(espalier_group* group, void* data, int count,
                                        MPI_Datatype type, int root) {
  const long bytes = espalier::message_bytes(count, type);
  if (bytes < 0 || root < 0 || root >= espalier_group_size(group)) return MPI_ERR_ARG;
  return on_members(group, [&](const Group& of) {
    of.broadcast(std::span(static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)),
                 static_cast<GroupRank>(root));
  });
}

ESPALIER_C int espalier_group_reduce(espalier_group* group, void* data, int count,
                                     MPI_Datatype type, MPI_Op operation, int root) {
  if (count < 0 || root < 0 || root >= espalier_group_size(group)) return MPI_ERR_ARG;
  return on_members(group, [&](const Group& of) {
    of.ireduce(data, count, type, operation, static_cast<GroupRank>(root)).wait();
  });
}

ESPALIER_C int espalier_group_allreduce(espalier_group* group, void* data, int count,
                                        MPI_Datatype type, MPI_Op operation) {
  if (count < 0) return MPI_ERR_ARG;
  return on_members(group,
                    [&](const Group& of) { of.iallreduce(data, count, type, operation).wait(); });
}

ESPALIER_C int espalier_groups_open_f(MPI_Fint comm, int degree, const char* machine,
                                      espalier_groups** groups) {
  return espalier_groups_open(PMPI_Comm_f2c(comm), degree, machine, groups);
}

ESPALIER_C int espalier_group_broadcast_f(espalier_group* group, void* data, int count,
                                          MPI_Fint type, int root) {
  return espalier_group_broadcast(group, data, count, PMPI_Type_f2c(type), root);
}

ESPALIER_C int espalier_group_reduce_f(espalier_group* group, void* data, int count, MPI_Fint type,
                                       MPI_Fint operation, int root) {
  return espalier_group_reduce(group, data, count, PMPI_Type_f2c(type), PMPI_Op_f2c(operation),
                               root);
}

ESPALIER_C int espalier_group_allreduce_f(espalier_group* group, void* data, int count,
                                          MPI_Fint type, MPI_Fint operation) {
  return espalier_group_allreduce(group, data, count, PMPI_Type_f2c(type), PMPI_Op_f2c(operation));
}

#undef ESPALIER_C

}  // extern "C"

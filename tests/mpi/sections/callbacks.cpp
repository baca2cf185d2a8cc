// Attributes whose copy and delete functions call collectives.
#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

struct Attribute {
  Section* section;
  std::uint64_t seed;
  bool copies, talks_when_copied, talks_when_deleted;
};

void talk(MPI_Comm comm, const Attribute& attribute, std::uint64_t which) {
  Section& section = *attribute.section;
  section.on(comm, [&] {
    Random random(attribute.seed + which);
    any_blocking_step(section, random);
  });
}

int copy_attribute(MPI_Comm comm, int, void*, void* in, void* out, int* flag) {
  auto& attribute = *static_cast<Attribute*>(in);
  *flag = attribute.copies ? 1 : 0;
  *static_cast<void**>(out) = in;
  attribute.section->say("  the copy function");
  if (attribute.talks_when_copied) talk(comm, attribute, 1);
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm comm, int, void* value, void*) {
  auto& attribute = *static_cast<Attribute*>(value);
  attribute.section->say("  the delete function");
  if (attribute.talks_when_deleted) talk(comm, attribute, 2);
  return MPI_SUCCESS;
}

/// A communicator with such an attribute is made, used, copied and freed.
void with_attribute(Section& section, Random& random, bool talks_when_deleted) {
  Attribute attribute{&section, random.next(), random.chance(60), random.chance(80),
                      talks_when_deleted};
  const bool used_before = random.chance(60), deleted = random.chance(30),
             set_again = random.chance(30), copied = !talks_when_deleted || random.chance(60);
  const std::uint64_t seed = random.next();
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm comm = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  section.say(std::string("an attribute") + (talks_when_deleted ? ", talks when deleted" : ""));
  MPI_Comm_split(section.comm, 0, section.rank, &comm);
  section.on(comm, [&] {
    Random inner(seed);
    if (used_before) any_blocking_step(section, inner);
    section.note(MPI_Comm_set_attr(comm, key, &attribute));
    any_blocking_step(section, inner);
    if (copied) section.note(MPI_Comm_dup(comm, &copy));
    if (set_again) section.note(MPI_Comm_set_attr(comm, key, &attribute));
    if (deleted) section.note(MPI_Comm_delete_attr(comm, key));
    any_blocking_step(section, inner);
  });
  section.on(copy, [&] {
    Random inner(seed + 1);
    any_blocking_step(section, inner);
  });
  MPI_Comm_free_keyval(&key);
  if (random.chance(50)) std::swap(comm, copy);
  free_communicator(comm);
  free_communicator(copy);
  // Handles are used again.
  MPI_Comm_split(section.comm, 0, section.rank, &comm);
  section.on(comm, [&] {
    Random inner(seed + 2);
    any_blocking_step(section, inner);
  });
  MPI_Comm_free(&comm);
}

}  // namespace

void step_copy_callback(Section& section, Random& random) {
  with_attribute(section, random, false);
}
void step_delete_callback(Section& section, Random& random) {
  with_attribute(section, random, true);
}

}  // namespace espalier::sections

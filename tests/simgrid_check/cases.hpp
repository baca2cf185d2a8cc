#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/machine.hpp"

namespace espalier::simgrid_check {

struct Case {
  std::string machine_name;
  std::string size;
  const topology::Machine* machine = nullptr;
  schedule::Schedule plan;
};

struct NamedMachine {
  std::string name;
  topology::Machine machine;
};

[[nodiscard]] std::vector<NamedMachine> machines();

/// Six schedules in four sizes on each machine, which must outlive them.
[[nodiscard]] std::vector<Case> cases(const std::vector<NamedMachine>& machines);

}  // namespace espalier::simgrid_check

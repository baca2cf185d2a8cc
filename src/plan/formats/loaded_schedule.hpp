#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace espalier::formats {

/// A schedule that was read, and what its reader wants to tell about it.
struct LoadedSchedule {
  schedule::Schedule schedule;
  std::vector<std::string> notes;
};

/// The text of a schedule, and what the form could not say or its users may not like.
struct WrittenSchedule {
  std::string text;
  std::vector<std::string> notes;
};

}  // namespace espalier::formats

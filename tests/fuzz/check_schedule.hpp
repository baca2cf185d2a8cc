#pragma once

#include "formats/load_schedule.hpp"
#include "fuzz/check_loaded.hpp"
#include "schedule/json.hpp"
#include "verify/verify.hpp"

namespace espalier::fuzz {

/// What was accepted can be written and read back, verified and written in the other forms. Not
/// everything that can be read can be looked at in a fuzzer's time.
inline void check_schedule(const schedule::Schedule& schedule) {
  require(schedule.programs.size() == schedule.call.size, "a program for each rank");
  const auto again = schedule::read_json(schedule::write_json(schedule), kFile);
  require(again.has_value() && *again == schedule, "what is written is read back exactly");
  require(hash_of(*again) == hash_of(schedule), "and has the same hash");
  verify::Limits limits;
  limits.slices = 1U << 12U;
  const verify::Verdict verdict = verify::verify(schedule, limits);
  const verify::Verdict progress = verify::verify_progress(schedule, limits);
  require(progress.ok() || !verdict.ok(), "no data are right without progress");
  if (!progress.ok()) return;
  const auto goal = formats::write_goal(schedule);
  if (goal) {
    const auto read = formats::read_goal(goal->text, kFile);
    require(read.has_value(), "GOAL that is written is read");
    require(verify::verify(read->schedule).ok(), "GOAL keeps progress");
  }
  const auto msccl = formats::write_msccl(schedule);
  if (msccl && verdict.ok()) {
    const auto read = formats::read_msccl(msccl->text, kFile);
    require(read.has_value(), "MSCCL-XML that is written is read");
    require(verify::verify(read->schedule).ok(), "MSCCL-XML keeps results");
  }
}

inline void check_read(const Expected<formats::LoadedSchedule>& read, std::string_view text) {
  if (read) {
    check_schedule(read->schedule);
  } else {
    check_error(read.error(), text);
  }
}

}  // namespace espalier::fuzz

#include "runtime/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "base/units.hpp"
#include "select/chooser.hpp"

namespace espalier::runtime {

using schedule::Operation;

std::string_view name_of(Reason reason) {
  static constexpr std::array<std::string_view, kReasonCount> kNames{
      "one process",
      "intercommunicator",
      "processes outside MPI_COMM_WORLD",
      "all ranks are equally near",
      "no gain predicted",
      "no plan for it",
      "type and operation unknown to us",
      "arguments left to the MPI library's checks",
      "first calls on a communicator",
      "ranks or resources do not agree",
      "switched off by its info",
      "non-blocking",
      "persistent",
      "neighbourhood collective",
      "large counts",
      "the machine is not known yet",
      "timed beside the plans",
      "no plan was clearly faster, measured",
      "communicator is being freed",
      "non-blocking, with MPI_THREAD_MULTIPLE",
      "named by ESPALIER_ALGORITHM",
      "non-blocking, no blocking call was planned on its communicator before",
      "non-blocking, no link is far",
      "non-blocking, there are no trials to compare it",
      "non-blocking, the trial of blocking calls has not ended",
      "non-blocking, blocking calls gain too little",
      "non-blocking, the ranks have not yet agreed on its trial",
      "non-blocking, blocking calls go through shared memory",
      "an earlier call failed here",
  };
  return kNames[static_cast<std::size_t>(reason)];
}

const CallCounts::ByReason& CallCounts::native(Operation operation) const {
  static constexpr ByReason kNone{};
  const auto& calls = native_[static_cast<std::size_t>(operation)];
  return calls == nullptr ? kNone : *calls;
}

void CallCounts::add(const CallCounts& other) {
  for (std::size_t o = 0; o < planned.size(); ++o) {
    planned[o] += other.planned[o];
    if (other.native_[o] == nullptr) continue;
    for (std::size_t r = 0; r < kReasonCount; ++r) {
      native(static_cast<Operation>(o), static_cast<Reason>(r)) += (*other.native_[o])[r];
    }
  }
}

std::uint64_t CallCounts::planned_calls() const {
  return std::accumulate(planned.begin(), planned.end(), std::uint64_t{0});
}

std::uint64_t CallCounts::native_calls() const {
  std::uint64_t sum = 0;
  for (const auto& calls : native_) {
    if (calls != nullptr) sum = std::accumulate(calls->begin(), calls->end(), sum);
  }
  return sum;
}

void CallLog::add(const CallRecord& record) {
  Key key{record.operation, record.size_class, record.communicator, record.plan, record.why};
  if (!records_.contains(key) && records_.size() >= kMaxRecords) std::get<2>(key) = "others";
  auto [it, is_new] = records_.try_emplace(key, record);
  if (is_new) {
    it->second.communicator = std::get<2>(key);
    return;
  }
  it->second.calls += record.calls;
  it->second.measured_us += record.measured_us;
}

void CallLog::merge(const CallLog& other) {
  for (const auto& [key, record] : other.records_) add(record);
}

std::vector<CallRecord> CallLog::records() const {
  std::vector<CallRecord> all;
  all.reserve(records_.size());
  for (const auto& [key, record] : records_) all.push_back(record);
  return all;
}

std::string size_class_text(std::uint32_t size_class) {
  const std::uint64_t low = select::least_of_class(size_class).value;
  const std::uint64_t next = select::least_of_class(size_class + 1).value;
  if (next == low + 1) return fmt::format("{} B", low);
  if (low < 1024) return fmt::format("{} - {} B", low, next - 1);
  for (const auto& [unit, name] :
       {std::pair{30, "GiB"}, std::pair{20, "MiB"}, std::pair{10, "KiB"}}) {
    const auto one = static_cast<double>(std::uint64_t{1} << unit);
    if (low >> unit == 0) continue;
    return fmt::format("{} - {} {}", static_cast<double>(low) / one,
                       static_cast<double>(next) / one, name);
  }
  return "";
}

std::string time_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  const double us = seconds * 1e6;
  if (us < 1e3) return fmt::format("{:.{}f} us", us, us < 9.995 ? 2 : us < 99.95 ? 1 : 0);
  const double ms = us / 1e3;
  if (ms < 1e3) return fmt::format("{:.{}f} ms", ms, ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0);
  return fmt::format("{:.2f} s", ms / 1e3);
}

namespace {

std::string footprint_text(const Footprint& footprint) {
  std::string text;
  if (footprint.discover_ms > 0) {
    text = fmt::format("  the machine was found in {:.1f} ms\n", footprint.discover_ms);
  }
  for (const std::string& sentence : footprint.found) text += fmt::format("    {}\n", sentence);
  if (!footprint.came_in.empty()) {
    text += fmt::format("  the machine came in {}\n", footprint.came_in);
  }
  if (footprint.ran_seconds > 0) {
    const double both = footprint.own_seconds + footprint.regret_seconds;
    text += fmt::format("  own work: {}, trials {}, of the {} that the program ran ({:.2f} %)\n",
                        time_text(footprint.own_seconds), time_text(footprint.regret_seconds),
                        time_text(footprint.ran_seconds), 100 * both / footprint.ran_seconds);
  }
  if (footprint.held_back_bytes > 0) {
    text += fmt::format(
        "  memory: a far link carries {} in a round trip, but at most {} may be on their way to a "
        "rank (half of ESPALIER_MEMORY)\n",
        to_string(Bytes{footprint.held_back_bytes}), to_string(Bytes{footprint.leaving_bytes}));
  }
  if (footprint.shared_bytes > 0) {
    text += fmt::format("  shared memory: at most {} of each process\n",
                        to_string(Bytes{footprint.shared_bytes}));
  }
  for (const std::string& sentence : footprint.without_shared) {
    text += fmt::format("  shared memory: {}\n", sentence);
  }
  return text + fmt::format(
                    "  own cost: start {:.2f} ms and {}; plans {}, copies at most {}, hidden "
                    "communicators at "
                    "most {}\n",
                    footprint.start_ms,
                    to_string(Bytes{static_cast<std::uint64_t>(
                        std::max<std::int64_t>(0, footprint.start_bytes))}),
                    to_string(Bytes{footprint.plan_bytes}),
                    to_string(Bytes{footprint.staging_bytes}), footprint.hidden);
}

/// Whether no rank can leave a call before all have come: what it takes may be compared with the
/// prediction both ways. Roots and leaves of others may be done long before the last rank.
bool ends_together(Operation operation) {
  switch (operation) {
    case Operation::Allreduce:
    case Operation::Barrier:
    case Operation::Allgather:
    case Operation::Alltoall:
    case Operation::ReduceScatter:
      return true;
    default:
      return false;
  }
}

/// What a row says of a measured time that has nothing to do with the predicted one.
std::string_view mark_of(const CallRecord& record, double measured_us) {
  constexpr double kFarOff = 10;
  if (record.predicted_us <= 0 || measured_us <= 0) return "";
  if (measured_us > kFarOff * record.predicted_us) {
    return " <- far from the prediction: late ranks, a busy host, or a machine that is not as "
           "described?";
  }
  if (ends_together(record.operation) && kFarOff * measured_us < record.predicted_us) {
    return " <- far below the prediction: is the machine as described?";
  }
  return "";
}

/// Columns are as wide as what stands in them: communicators have the names that programs give.
std::string call_table(std::span<const CallRecord> records) {
  std::size_t operation = 14, name = 20, size = 14;
  for (const CallRecord& r : records) {
    operation = std::max(operation, schedule::name_of(r.operation).size());
    name = std::max(name, r.communicator.size());
    size = std::max(size, size_class_text(r.size_class).size());
  }
  const std::string row = fmt::format(
      "  {{:<{}}} {{:<{}}} {{:<{}}} {{:>8}} {{:>9}} {{:>9}}  {{}}\n", operation, size, name);
  std::string text = fmt::format(fmt::runtime(row), "operation", "size", "communicator", "calls",
                                 "predicted", "measured", "plan (why)");
  for (const CallRecord& r : records) {
    const double calls = static_cast<double>(std::max<std::uint64_t>(1, r.calls));
    const double measured_us = r.measured_us / calls;
    text += fmt::format(fmt::runtime(row), schedule::name_of(r.operation),
                        size_class_text(r.size_class), r.communicator, r.calls,
                        time_text(r.predicted_us / 1e6), time_text(measured_us / 1e6),
                        fmt::format("{} ({}){}", r.plan, r.why, mark_of(r, measured_us)));
  }
  const bool has_untimed = std::any_of(records.begin(), records.end(),
                                       [](const CallRecord& r) { return r.measured_us < 0; });
  return text +
         fmt::format(
             "  predicted: until the last rank is done; measured: the mean time of rank 0 in "
             "the call{}\n",
             has_untimed ? "; -: it does not block, and is not timed" : "");
}

}  // namespace

std::string explain_text(const CallCounts& counts, std::span<const PassedCalls> passed,
                         const CallLog& log, const Footprint& footprint) {
  std::uint64_t native = counts.native_calls();
  for (const PassedCalls& one : passed) native += one.calls;
  std::string text =
      fmt::format("espalier: {} calls planned, {} native\n", counts.planned_calls(), native);
  text += footprint_text(footprint);
  bool is_any_near = false;
  for (std::size_t o = 0; o < schedule::kAnyOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    const CallCounts::ByReason& calls = counts.native(operation);
    is_any_near |= calls[static_cast<std::size_t>(Reason::OneLevel)] > 0 &&
                   !schedule::is_neighbourhood(operation);  // those are planned over far links only
    for (std::size_t r = 0; r < calls.size(); ++r) {
      if (calls[r] == 0) continue;
      text += fmt::format("  native {}: {} ({})\n", schedule::name_of(operation), calls[r],
                          name_of(static_cast<Reason>(r)));
    }
  }
  if (is_any_near && footprint.first_trial > 0) {
    text += fmt::format(
        "  where all ranks are equally near, plans are tried from the {}th call of a kind on "
        "(operation, size, root, communicator)\n",
        footprint.first_trial);
  }
  for (const auto& [function, calls] : passed) {
    if (calls == 0) continue;
    text += fmt::format("  native {}: {} ({})\n", function.name, calls, name_of(function.why));
  }
  const std::vector<CallRecord> records = log.records();
  if (records.empty()) return text;
  return text + "\n" + call_table(records);
}

void write_explanation(const std::string& where, std::string_view text) {
  if (where == "1") {
    write_message(text);
  } else if (const auto wrong = write_named_file(where, text)) {
    write_message(fmt::format("espalier: ESPALIER_EXPLAIN: cannot write \"{:.200}\": {}\n", where,
                              wrong->what));
  }
}

}  // namespace espalier::runtime

#include "mpi/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <numeric>

#include "base/file_descriptor.hpp"
#include "mpi/kept_file.hpp"
#include "mpi/link_changes.hpp"
#include "runtime/class_policy.hpp"

namespace espalier::mpi {
namespace {

constexpr std::size_t kMostTrialsTold = 1000;

}  // namespace

Ledger::Ledger(std::span<const runtime::PassedFunction> passed, const World& world)
    : functions_(passed),
      passed_(passed.size() * runtime::kReasonCount),
      world_(world),
      verdicts_(*world.verdicts) {}

void Ledger::note_start(double seconds, std::int64_t bytes) {
  footprint_.start_ms = seconds * 1e3;
  footprint_.start_bytes = bytes;
}

void Ledger::add(std::vector<LevelCount>& sum, std::span<const LevelCount> more) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t l = 0; l < more.size(); ++l) {
    sum[l].messages += more[l].messages;
    sum[l].bytes += more[l].bytes;
  }
}

void Ledger::note_plan_bytes(std::uint64_t bytes) {
  footprint_.plan_bytes = std::max(footprint_.plan_bytes, bytes);
}

void Ledger::close(const Communicator& comm) {
  footprint_.staging_bytes = std::max(footprint_.staging_bytes, comm.staging_bytes);
  const ChannelCounts& counts = comm.hidden().counts();
  footprint_.held_back_bytes = std::max(footprint_.held_back_bytes, counts.held_back);
  most_unconfirmed_ = std::max(most_unconfirmed_, counts.most_unconfirmed);
  add(sent_, counts.sent);
  const bool are_kept = !world_.settings.verdicts.empty() || world_.learns_late;
  const std::vector<std::string>& changes = comm.machine().changes();
  links_changed_ |= !changes.empty();
  // The next run may find the network as it was at first.
  if (world_.rank == 0 && are_kept && changes.empty()) comm.plans().policies().add_to(verdicts_);
  footprint_.regret_seconds += comm.plans().policies().regret();
  counts_.add(comm.counts);
  log_.merge(comm.log);
  if (comm.keeps_log() && trials_.size() < kMostTrialsTold) {
    const auto trials = comm.plans().trials();
    trials_.insert(trials_.end(), trials.begin(), trials.end());
    const auto starts = comm.plans().start_trials().records(comm.name());
    starts_.insert(starts_.end(), starts.begin(), starts.end());
    for (const std::string& words : changes) {
      footprint_.found.push_back(comm.name() + ": " + words + "; plans were made anew");
    }
  }
}

std::vector<runtime::PassedCalls> Ledger::passed() const {
  std::vector<runtime::PassedCalls> result;
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    const std::uint64_t calls = passed_[i].load(std::memory_order_relaxed);
    if (calls == 0) continue;
    const auto why = static_cast<runtime::Reason>(i % runtime::kReasonCount);
    result.push_back({{functions_[i / runtime::kReasonCount].name, why}, calls});
  }
  return result;
}

void Ledger::explain(const HiddenShare& share) {
  footprint_.shared_bytes = share.memory.most();
  footprint_.without_shared = share.memory.refusals();
  footprint_.hidden = share.most();
  if (runtime::may_try(world_.settings)) footprint_.first_trial = runtime::kCallsUntilTrial + 1;
  const ChannelOptions options = channel_options(world_.settings);
  footprint_.leaving_bytes = std::max(options.most_synchronous_after, options.synchronous_after);
  const runtime::Account& account = world_.account;
  footprint_.own_seconds = account.own() + account.waited();
  footprint_.ran_seconds = world_.clock();
  if (const KnownMachine* known = world_.known()) {
    footprint_.discover_ms = known->discover_seconds * 1e3;
    footprint_.found = known->words;
    footprint_.came_in = known->came_in;
  }
  const std::string text = declined_text(world_) +
                           explain_text(counts_, passed(), log_, footprint_) +
                           trials_text(trials_) + starts_text(starts_);
  runtime::write_explanation(world_.settings.explain, text);
}

void Ledger::keep_verdicts(const std::string& start) const {
  const KnownMachine* known = world_.known();
  if (known != nullptr && !start.empty()) {
    const std::int64_t now = std::time(nullptr);
    KeptStart kept;
    kept.verdicts = verdicts_;
    kept.decided = decided_ != 0 ? decided_ : now;
    kept.measured = known->measured != 0 ? known->measured : now;
    if (known->is_certain && !links_changed_) {
      kept.machine = *known->machine;
      kept.words = known->words;
      std::erase(kept.words, "known from before");
    }
    // Near machines need no time for plans, so the next run need not know.
    if (!far_pairs(*known->machine).empty()) {
      kept.runs = read_kept(start).runs;
      kept.runs.note(program_key(), world_.clock());
    }
    if (kept.machine || !verdicts_.empty() || !kept.runs.all().empty()) write_kept(start, kept);
  }
  if (verdicts_.empty() || world_.settings.verdicts.empty() || !world_.may_write_verdicts) return;
  if (const auto wrong = write_verdicts(verdicts_, world_.settings.verdicts)) {
    write_message(
        fmt::format("espalier: ESPALIER_VERDICTS: {:.200}: {}\n", wrong->where, wrong->what));
  }
}

std::uint64_t Ledger::count(const std::string& name,
                            std::span<const Communicator* const> live) const {
  runtime::CallCounts counts;
  counts.add(counts_);
  std::vector<LevelCount> sent = sent_;
  std::uint64_t undecided = 0, most_unconfirmed = most_unconfirmed_;
  for (const Communicator* one : live) {
    undecided += one->plans().policies().undecided();
    most_unconfirmed = std::max(most_unconfirmed, one->hidden().counts().most_unconfirmed);
    counts.add(one->counts);
    add(sent, one->hidden().counts().sent);
  }
  if (name == "planned") return counts.planned_calls();
  if (name == "undecided") return undecided;
  if (name == "most unconfirmed") return most_unconfirmed;
  if (name == "native") {
    std::uint64_t sum = counts.native_calls();
    for (const runtime::PassedCalls& one : passed()) sum += one.calls;
    return sum;
  }
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return 0;
  const std::string kind = name.substr(0, dot), rest = name.substr(dot + 1);
  if (rest.starts_with("MPI")) {
    std::uint64_t sum = 0;
    for (const runtime::PassedCalls& one : passed()) {
      if (one.function.name == rest) sum += one.calls;
    }
    return sum;
  }
  if (kind == "planned" || kind == "native") {
    const auto operation = schedule::called_operation_named(rest);
    if (!operation) return 0;
    if (kind == "planned") return counts.planned[static_cast<std::size_t>(*operation)];
    const auto& calls = counts.native(*operation);
    return std::accumulate(calls.begin(), calls.end(), std::uint64_t{0});
  }
  const auto level = static_cast<std::size_t>(std::strtoul(rest.c_str(), nullptr, 10));
  if (level >= sent.size()) return 0;
  return kind == "messages" ? sent[level].messages : kind == "bytes" ? sent[level].bytes : 0;
}

}  // namespace espalier::mpi

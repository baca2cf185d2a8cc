#include "verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/json.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/schedule_files.hpp"
#include "report/json_text.hpp"
#include "report/simulated_plan.hpp"
#include "report/text.hpp"
#include "schedule/json.hpp"

namespace espalier::cli {
namespace {

using schedule::Collective;
using schedule::Operation;
using schedule::Schedule;
using verify::Verdict;

struct VerifyOptions {
  std::string schedule;
  std::string findings = "16";
  bool json = false;
};

bool known(const Collective& call) { return call.operation != Operation::Unknown; }

/// The names of the stages that ran.
std::vector<std::string_view> checked(const Verdict& verdict) {
  std::vector<std::string_view> names;
  for (const verify::Stage stage : verdict.stages) names.push_back(name_of(stage));
  return names;
}

std::string_view word_of(const Verdict& verdict) {
  if (!verdict.ok()) return "refused";
  return verdict.data_checked ? "verified" : "progress-only";
}

std::string describe(const Schedule& schedule) {
  const Collective& call = schedule.call;
  std::string name = schedule.algorithm.empty() ? "" : ": " + schedule.algorithm;
  for (char& c : name) {  // a file must not command the terminal
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  if (!known(call)) return fmt::format("messages among {} ranks{}", call.size, name);
  std::string size;
  if (!call.irregular() && call.operation != Operation::Barrier) {
    size = fmt::format(" of {} x {}", report::grouped(call.count), to_string(call.element));
  }
  return fmt::format("{}{} among {} ranks{}{}", report::operation_in_words(call), size, call.size,
                     call.commutative || !reduces(call.operation) ? "" : ", in rank order", name);
}

/// The line of each op in the file, as [rank][op]; nothing if its form does not tell.
using Lines = std::vector<std::vector<std::uint32_t>>;

/// 0: not known, or there is no op.
std::uint32_t line_of(const verify::Finding& finding, const Lines& lines) {
  const bool is_known = finding.op != verify::kNoOp && finding.rank < lines.size() &&
                        finding.op < lines[finding.rank].size();
  return is_known ? lines[finding.rank][finding.op] : 0;
}

std::string where_of(const verify::Finding& finding) {
  if (finding.rank == kNoRank) return "the call";
  if (finding.op == verify::kNoOp) return fmt::format("rank {}", finding.rank);
  return fmt::format("rank {}, op {}", finding.rank, finding.op);
}

/// "rank 0, op 2 (line 9)"
std::string where_of(const verify::Finding& finding, const Lines& lines) {
  const std::uint32_t line = line_of(finding, lines);
  return where_of(finding) + (line == 0 ? "" : fmt::format(" (line {})", line));
}

/// How to find an op in a file of a form that does not tell its line; empty: nobody needs it.
std::string_view how_ops_count(const Verdict& verdict, const Lines& lines) {
  const bool is_wanted =
      std::any_of(verdict.findings.begin(), verdict.findings.end(), [&](const auto& finding) {
        return finding.op != verify::kNoOp && line_of(finding, lines) == 0;
      });
  return is_wanted ? "\nops of a rank count from 0: espalier convert shows them, one a line\n" : "";
}

/// One statement for people: what is so, or what is wrong.
std::string summary(const Verdict& verdict) {
  if (!verdict.ok()) {
    const std::uint64_t all = verdict.findings.size() + verdict.left_off;
    return fmt::format("refused: {} finding{}", report::grouped(all), all == 1 ? "" : "s");
  }
  if (verdict.data_checked) {
    return "verified: every rank ends with the right data, in every order and under any buffering";
  }
  return "progress only: every message has its partner and nothing waits for ever; what the data "
         "mean is not known";
}

std::string verdict_text(const Schedule& schedule, const Verdict& verdict, const Lines& lines) {
  std::string text = fmt::format("{}\n{}\n\n", describe(schedule), summary(verdict));
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  {:<10} {}\n", key, value);
  };
  line("checked", fmt::format("{}", fmt::join(checked(verdict), ", ")));
  const verify::Statistics& s = verdict.statistics;
  if (verdict.ok()) {
    line("ops", report::grouped(s.ops));
    line("messages", fmt::format("{}, {}", report::grouped(s.messages), to_string(s.bytes)));
    if (s.reduced_units > 0) line("combined", report::grouped(s.reduced_units) + " elements");
    if (verdict.data_checked && reduces(schedule.call.operation)) {
      line("bits", fmt::format("{:016x}, {}", verdict.association,
                               verdict.one_association ? "every element in the same order"
                                                       : "not every element in the same order"));
    }
  }
  line("hash", fmt::format("{:016x}", hash_of(schedule)));
  for (const verify::Finding& finding : verdict.findings) {
    text += fmt::format("\n{}: {}\n  found     {}\n  expected  {}\n", where_of(finding, lines),
                        name_of(finding.kind), finding.found, finding.expected);
  }
  text += how_ops_count(verdict, lines);
  if (verdict.left_off > 0) {
    text += fmt::format("\n({} more; --findings shows them)\n", report::grouped(verdict.left_off));
  }
  return text;
}

Json verdict_json(const Schedule& schedule, formats::Form form, const Verdict& verdict,
                  const Lines& lines) {
  const verify::Statistics& s = verdict.statistics;
  Json findings = Json::array();
  for (const verify::Finding& finding : verdict.findings) {
    const std::uint32_t line = line_of(finding, lines);
    findings.push_back({{"kind", name_of(finding.kind)},
                        {"rank", finding.rank == kNoRank ? Json(nullptr) : Json(finding.rank)},
                        {"op", finding.op == verify::kNoOp ? Json(nullptr) : Json(finding.op)},
                        {"line", line == 0 ? Json(nullptr) : Json(line)},
                        {"found", finding.found},
                        {"expected", finding.expected}});
  }
  Json json{{"format", "espalier-verdict-1"},
            {"form", formats::name_of(form)},
            {"operation", name_of(schedule.call.operation)},
            {"ranks", schedule.call.size},
            {"algorithm", schedule.algorithm},
            {"hash", fmt::format("{:016x}", hash_of(schedule))},
            {"verdict", word_of(verdict)},
            {"checked", checked(verdict)},
            {"ops", nullptr},
            {"messages", nullptr},
            {"sent_bytes", nullptr},
            {"association", nullptr},
            {"one_association", nullptr},
            {"findings", std::move(findings)},
            {"findings_left_off", verdict.left_off}};
  if (verdict.ok()) {
    json["ops"] = s.ops;
    json["messages"] = s.messages;
    json["sent_bytes"] = s.bytes.value;
    if (verdict.data_checked && reduces(schedule.call.operation)) {
      json["association"] = fmt::format("{:016x}", verdict.association);
      json["one_association"] = verdict.one_association;
    }
  }
  return json;
}

Expected<verify::Limits> limits_from(const VerifyOptions& options) {
  verify::Limits limits;
  const std::string& text = options.findings;
  const char* end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, limits.findings);
  constexpr std::size_t kMost = 1'000'000;
  if (code == std::errc() && at == end && limits.findings >= 1 && limits.findings <= kMost) {
    return limits;
  }
  return Error{"--findings", fmt::format("\"{}\" is not a number of findings", text),
               "write a number from 1 on"};
}

Outcome verify_file(const VerifyOptions& options) {
  const auto limits = limits_from(options);
  if (!limits) return Failure{limits.error()};
  const auto file = schedule_from(options.schedule, "SCHEDULE");
  if (!file) return Failure{file.error()};
  const Schedule& schedule = file->loaded.schedule;
  const Verdict verdict = verify::verify(schedule, *limits);
  Lines lines;
  if (!verdict.ok() && file->form == formats::Form::Json) lines = schedule::op_lines(file->text);
  const std::string text =
      options.json ? report::json_text(verdict_json(schedule, file->form, verdict, lines))
                   : verdict_text(schedule, verdict, lines);
  if (auto failed = write_output("-", text)) return failed;
  if (verdict.ok()) return {};
  const verify::Finding& first = verdict.findings.front();
  const std::uint32_t line = line_of(first, lines);
  const std::string name = options.schedule == "-" ? "standard input" : options.schedule;
  return Failure{
      {name + (line == 0 ? "" : fmt::format(":{}", line)),
       fmt::format("refused: {}: {}: {}", where_of(first), name_of(first.kind), first.found),
       "docs/verification.md says what is proven, and how"},
      kExitRefused};
}

constexpr std::string_view kVerifyDescription =
    "Proves that a schedule does what its collective asks for, in every order of execution that "
    "its programs allow and under any buffering of messages, or says what is wrong: which rank, "
    "which op, what was found, what was expected. Slices within their buffers; every send with its "
    "receive; no deadlock; no race; every output element the right input, or the right reduction "
    "in the right order; the same bits on all ranks of an allreduce.\n\n"
    "A GOAL file does not tell what its bytes mean: of it, only messages, waits and the absence of "
    "deadlock are checked, and the verdict says so.\n\n"
    "The exit status is 0 if the schedule is right, 1 if it is refused, 2 if it cannot be read.";

constexpr std::string_view kVerifyExamples =
    "espalier verify plan.json\n"
    "espalier verify allreduce_ring.xml --json\n"
    "espalier plan allreduce -m grid.json --schedule plan.json; espalier verify plan.json";

}  // namespace

Command verify_command() {
  Manual manual{.name = "verify",
                .tagline = "prove that a schedule is right, or say what is wrong",
                .synopsis = "verify SCHEDULE [--findings N] [--json]",
                .description = std::string(kVerifyDescription),
                .sections = {schedules_section()},
                .examples = std::string(kVerifyExamples)};
  return {std::move(manual), [](App& app, const Globals&) {
            const auto options = std::make_shared<VerifyOptions>();
            app.add_option("SCHEDULE", options->schedule, "The schedule: see SCHEDULES.");
            app.add_option("--findings", options->findings,
                           "Tell at most so many; further ones are counted. Default: 16.")
                .type_name("N");
            app.add_flag("--json", options->json,
                         "Write the verdict as JSON (espalier-verdict-1).");
            return [options] { return verify_file(*options); };
          }};
}

}  // namespace espalier::cli

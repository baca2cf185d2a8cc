// espalier doctor: what stands in the way of programs along plans, and what helps.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/json.hpp"
#include "cli/command.hpp"
#include "cli/example_machines.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"
#include "doctor/checks.hpp"
#include "launch/inside.hpp"
#include "overlay/otf2.hpp"
#include "report/json_text.hpp"
#include "report/text.hpp"
#include "view/page.hpp"

namespace espalier::cli {
namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::Severity;

struct DoctorOptions {
  std::vector<std::string> programs;
  bool json = false;
};

struct Area {
  std::string_view name;
  std::string_view title;
};
constexpr Area kAreas[] = {{"mpi", "MPI"},
                           {"program", "Programs"},
                           {"preload", "Preloaded libraries"},
                           {"settings", "Settings"},
                           {"node", "This node"},
                           {"network", "Network"},
                           {"launch", "Other hosts"},
                           {"commands", "What other commands need"},
                           {"cache", "What was measured before"}};

/// What this build can do without or not at all.
Findings check_build() {
  Findings all;
  if (view::page().empty()) {
    all.push_back(
        {"commands", Severity::Note, "page",
         fmt::format("not in this build ({}): espalier view does not work", view::why_no_page()),
         "docs/howto/view.md says how to build it"});
  } else {
    all.push_back({"commands", Severity::Ok, "page", "in this build; for espalier view", ""});
  }
  if (overlay::can_write_otf2()) {
    all.push_back(
        {"commands", Severity::Ok, "OTF2", "in this build; for espalier trace --otf2", ""});
  } else {
    all.push_back({"commands", Severity::Note, "OTF2",
                   "not in this build: espalier trace --otf2 does not work",
                   "install it (Debian: libotf2-trace-dev), and build again"});
  }
  if (example_machines().empty()) {
    all.push_back({"commands", Severity::Warning, "example machines",
                   "not there: commands do not know them by name",
                   "install espalier whole, or run it from its sources"});
  }
  return all;
}

Findings examine(const DoctorOptions& options, doctor::Asked asked) {
  const doctor::Environment environment = doctor::own_environment();
  Findings all = doctor::check_mpis(environment);
  for (const std::string& program : options.programs) {
    append(all, doctor::check_program(program, environment));
  }
  append(all, doctor::check_preloads(environment, launch::text_of("/etc/ld.so.preload")));
  append(all, doctor::check_settings(environment));
  append(all, doctor::check_node(environment));
  append(all, doctor::check_network(doctor::own_interfaces()));
  append(all, doctor::check_launching(environment));
  append(all, doctor::check_commands(environment, asked));
  append(all, check_build());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  append(all, doctor::check_caches(environment,
                                   std::chrono::duration_cast<std::chrono::seconds>(now).count()));
  return all;
}

std::string findings_json(const Findings& findings) {
  Json document{{"format", "espalier-doctor-1"}, {"version", version_line()}};
  for (const Severity level :
       {Severity::Problem, Severity::Warning, Severity::Note, Severity::Ok}) {
    document["counts"][std::string(name_of(level))] = count(findings, level);
  }
  document["findings"] = Json::array();
  for (const Finding& finding : findings) {
    document["findings"].push_back({{"area", finding.area},
                                    {"level", name_of(finding.level)},
                                    {"subject", report::printable(finding.subject)},
                                    {"what", report::printable(finding.what)},
                                    {"cure", report::printable(finding.cure)}});
  }
  return report::json_text(document);
}

report::Style style_of(Severity level) {
  switch (level) {
    case Severity::Ok:
      return report::Style::Good;
    case Severity::Note:
      return report::Style::Dim;
    case Severity::Warning:
      return report::Style::Level1;
    case Severity::Problem:
      return report::Style::Bad;
  }
  return report::Style::Plain;
}

std::string findings_text(const Finding& finding, const report::Canvas& canvas) {
  constexpr std::string_view kIndent = "            ";
  const std::string word = fmt::format("  {:<10}", name_of(finding.level));
  std::string text =
      report::wrapped(report::printable(fmt::format("{}: {}", finding.subject, finding.what)),
                      canvas.width, kIndent);
  text.replace(0, kIndent.size(), paint(word, style_of(finding.level), canvas));
  if (!finding.cure.empty()) {
    text += report::wrapped(report::printable("-> " + finding.cure), canvas.width, kIndent);
  }
  return text;
}

/// Asked about programs, what is in order around them is one line only.
bool is_folded(const Finding& finding, doctor::Asked asked) {
  return asked == doctor::Asked::AboutPrograms && finding.area != "program" &&
         finding.level == Severity::Ok;
}

std::string findings_text(const Findings& findings, doctor::Asked asked,
                          const report::Canvas& canvas) {
  std::string text;
  std::size_t folded = 0;
  for (const Area& area : kAreas) {
    std::string part;
    for (const Finding& finding : findings) {
      if (finding.area != area.name) continue;
      if (is_folded(finding, asked)) {
        ++folded;
      } else {
        part += findings_text(finding, canvas);
      }
    }
    if (part.empty()) continue;
    text += fmt::format("{}\n{}\n", paint(area.title, report::Style::Bold, canvas), part);
  }
  if (folded > 0) {
    text +=
        fmt::format("ok: {} about this installation and node; \"espalier doctor\" lists all\n\n",
                    report::counted(folded, "other finding"));
  }
  return text + fmt::format("{}, {}, {}\n",
                            report::counted(count(findings, Severity::Problem), "problem"),
                            report::counted(count(findings, Severity::Warning), "warning"),
                            report::counted(count(findings, Severity::Note), "note"));
}

Outcome see_doctor(const DoctorOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  const doctor::Asked asked =
      options.programs.empty() ? doctor::Asked::AboutAll : doctor::Asked::AboutPrograms;
  const Findings findings = examine(options, asked);
  if (auto failed = write_output(
          "-", options.json ? findings_json(findings) : findings_text(findings, asked, *canvas))) {
    return failed;
  }
  const std::size_t problems = count(findings, Severity::Problem);
  if (problems == 0) return {};
  return Failure{{}, kExitRefused};  // empty error: the findings are printed already
}

constexpr std::string_view kDoctorDescription =
    "Looks at all that programs need to run along plans, and says what it found: the MPIs here and "
    "which of them Espalier's libraries serve; what each PROGRAM is linked with, whether a library "
    "can be preloaded into it, and which of its collectives can be planned; other preloaded "
    "libraries; ESPALIER_* variables that are misspelt or cannot be; shared memory, caches, "
    "network interfaces, ssh and Slurm; what espalier run --profile, discover, lab, bench, "
    "reproduce, view and trace look for. Below each finding stands what to do about it. Where "
    "PROGRAM is given, only the number is told of all else that is ok. Nothing is "
    "changed, and PROGRAM is not run; launchers, Python and Slurm are asked about themselves.";

constexpr std::string_view kLevels =
    " ok       as it should be\n"
    " note     worth knowing; nothing is wrong\n"
    " warning  may go wrong, or does less than one may think\n"
    " problem  keeps programs from running along plans\n\n"
    "The exit status is 1 if there is a problem, else 0.";

}  // namespace

Command doctor_command() {
  Manual manual{.name = "doctor",
                .tagline = "find what keeps programs from running along plans",
                .synopsis = "doctor [PROGRAM...] [--json]",
                .description = std::string(kDoctorDescription),
                .sections = {{"FINDINGS", std::string(kLevels)}},
                .examples =
                    "espalier doctor\n"
                    "espalier doctor ./solver\n"
                    "espalier doctor --json ./solver solver.py"};
  return {std::move(manual), [](App& app, const Globals& globals) {
            const auto options = std::make_shared<DoctorOptions>();
            app.add_option("PROGRAM", options->programs, "Programs or scripts to look at.");
            app.add_flag("--json", options->json,
                         "Write the findings as JSON (espalier-doctor-1).");
            return [options, &globals] { return see_doctor(*options, globals); };
          }};
}

}  // namespace espalier::cli

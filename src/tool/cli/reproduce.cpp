#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/nearest.hpp"
#include "base/progress.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "cli/reproduce_all.hpp"
#include "cli/reproduce_measured.hpp"
#include "cli/run.hpp"
#include "lab/launch.hpp"
#include "reproduce/paper.hpp"
#include "reproduce/stored_run.hpp"

namespace espalier::cli {
namespace {

using reproduce::Exhibit;
using reproduce::Paper;
using reproduce::PaperOptions;
using reproduce::PaperPart;

struct ReproduceOptions {
  std::string paper;
  std::vector<std::string> parts;
  std::string seed = "1";
  std::string folder;
  std::string on;
  std::string mpi = "mpich";
  std::string processes;
  std::vector<std::string> measured;
  bool quick = false;
  bool json = false;
};

Error unknown(std::string where, const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest(name, known);
  return {std::move(where), fmt::format("there is no \"{}\"", name),
          fmt::format("{}known: {}", near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near),
                      fmt::join(known, ", "))};
}

Expected<const Paper*> paper_named(const std::string& name) {
  std::vector<std::string> known;
  for (const Paper& paper : reproduce::papers()) {
    if (paper.key == name) return &paper;
    known.emplace_back(paper.key);
  }
  known.emplace_back("all");
  return unknown("PAPER", name, known);
}

/// Those of `parts`, of one kind or the other, that were asked for; all if none were.
template <typename Part>
Expected<std::vector<Part>> chosen_parts(const std::vector<Part>& parts,
                                         const ReproduceOptions& options) {
  if (options.parts.empty()) return parts;
  std::vector<std::string> known;
  for (const Part& part : parts) known.emplace_back(part.key);
  std::vector<Part> chosen;
  for (const std::string& key : options.parts) {
    const auto it = std::find(known.begin(), known.end(), key);
    if (it == known.end()) return unknown("--part", key, known);
    chosen.push_back(parts[static_cast<std::size_t>(it - known.begin())]);
  }
  return chosen;
}

Expected<PaperOptions> sizes_of(const ReproduceOptions& options) {
  PaperOptions sizes;
  const char* end = options.seed.data() + options.seed.size();
  const auto [at, code] = std::from_chars(options.seed.data(), end, sizes.seed);
  if (code != std::errc() || at != end) {
    return Error{"--seed", fmt::format("\"{}\" is not a whole number of 64 bits", options.seed),
                 "write 7, say"};
  }
  if (options.quick) {
    sizes.cases = 500;
    sizes.large_cases = 500;
    sizes.testbed_cases = 200;
    sizes.multiple_cases = 2;
    sizes.most_processes = 8192;
    sizes.busy_processes = 2048;
    sizes.trials = 10;
    sizes.size_step = 5;
    sizes.search_steps = 100'000;
  }
  return sizes;
}

/// Every exhibit as a CSV file, and as a picture where it has one.
Outcome write_folder(const std::string& folder, std::string_view paper,
                     const std::vector<Exhibit>& exhibits) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Failure{{folder, fmt::format("cannot be made: {}", error.message()),
                    "name a folder that you may write to"}};
  }
  for (const Exhibit& exhibit : exhibits) {
    const std::string stem = fmt::format("{}/{}-{}", folder, paper, exhibit.key);
    if (Outcome bad = write_output(stem + ".csv", report::to_csv(exhibit.table))) return bad;
    if (exhibit.svg.empty()) continue;
    if (Outcome bad = write_output(stem + ".svg", exhibit.svg)) return bad;
  }
  return {};
}

/// --processes, or what there is without it.
Expected<std::optional<Rank>> processes_of(const ReproduceOptions& options) {
  if (options.processes.empty()) return std::optional<Rank>();
  auto processes = parse_rank(options.processes, 65);
  if (!processes || *processes == 0) {
    return Error{"--processes", fmt::format("\"{}\" is not 1 to 64", options.processes),
                 "write 8, say"};
  }
  return std::optional<Rank>(*processes);
}

Expected<std::vector<Exhibit>> exhibits_from_here(const Paper& paper,
                                                  const ReproduceOptions& options) {
  if (paper.on_here == nullptr) {
    return Error{"--on", fmt::format("{} is not measured on this computer", paper.key),
                 "langer is"};
  }
  auto parts = chosen_parts(paper.here_parts, options);
  if (!parts) return parts.error();
  if (auto known = lab::mpi_called(options.mpi); !known) return known.error();
  auto processes = processes_of(options);
  if (!processes) return processes.error();
  reproduce::HereOptions here;
  here.parts = options.parts;
  here.mpi = options.mpi;
  here.cores = std::max(1U, std::thread::hardware_concurrency());
  // MPICH's ranks poll for ever, each until its time slice is over; Open MPI's give way.
  const Rank a_core = options.mpi == "mpich" ? 4 : 16;
  here.most_processes = processes->value_or(std::min(64U, options.quick ? 8 : a_core * here.cores));
  here.quick = options.quick;
  return paper.on_here(here, {time_splits_here, run_program_here});
}

Expected<std::vector<Exhibit>> exhibits_from_smpi(const Paper& paper,
                                                  const ReproduceOptions& options) {
  if (paper.on_smpi == nullptr) {
    return Error{"--on", fmt::format("{} is not run under SMPI", paper.key), "langer is"};
  }
  auto parts = chosen_parts(paper.smpi_parts, options);
  if (!parts) return parts.error();
  auto sizes = sizes_of(options);
  if (!sizes) return sizes.error();
  return paper.on_smpi({options.parts, sizes->seed, options.quick}, run_groups_on_smpi);
}

Expected<std::vector<Exhibit>> measured_exhibits(const Paper& paper,
                                                 const ReproduceOptions& options) {
  if (options.on == "here") return exhibits_from_here(paper, options);
  if (options.on == "smpi") return exhibits_from_smpi(paper, options);
  if (options.on != "lab") {
    return Error{"--on", fmt::format("\"{}\" is nowhere to measure", options.on),
                 "--on lab, --on here or --on smpi"};
  }
  if (paper.on_lab == nullptr) {
    return Error{"--on", fmt::format("{} is not measured in a lab", paper.key),
                 "leave it out: its figures are computed"};
  }
  auto parts = chosen_parts(paper.lab_parts, options);
  if (!parts) return parts.error();
  if (auto known = lab::mpi_called(options.mpi); !known) return known.error();
  auto sizes = sizes_of(options);
  if (!sizes) return sizes.error();
  reproduce::LabStudyOptions lab;
  lab.parts = options.parts;
  lab.mpi = options.mpi;
  lab.cores = std::max(1U, std::thread::hardware_concurrency());
  lab.seed = sizes->seed;
  lab.quick = options.quick;
  auto processes = processes_of(options);
  if (!processes) return processes.error();
  lab.processes = *processes;
  const std::string takes_long = paper.takes_long == nullptr ? "" : paper.takes_long(lab);
  if (!takes_long.empty()) write_message(fmt::format("reproduce: note: {}\n", takes_long));
  return paper.on_lab(lab, {measure_in_own_lab, run_in_own_lab});
}

Expected<std::vector<Exhibit>> computed_exhibits(const Paper& paper,
                                                 const ReproduceOptions& options) {
  auto parts = chosen_parts(paper.parts, options);
  if (!parts) return parts.error();
  auto sizes = sizes_of(options);
  if (!sizes) return sizes.error();
  std::vector<Exhibit> exhibits;
  Progress progress("reproducing", parts->size());
  for (const PaperPart& part : *parts) {
    progress.name(fmt::format("reproducing {} {}", paper.key, part.key));
    exhibits.push_back(part.run(*sizes));
    progress.step();
  }
  return exhibits;
}

Outcome report_of_all(const ReproduceOptions& options) {
  if (!options.on.empty()) {
    return Failure{{"--on", "all papers are computed; what a lab measured is stored",
                    "give its file: --measured FILE"}};
  }
  if (!options.parts.empty()) {
    return Failure{{"--part", "all papers have all their parts", "leave it out, or name a paper"}};
  }
  auto sizes = sizes_of(options);
  if (!sizes) return Failure{sizes.error()};
  return reproduce_all({options.folder.empty() ? "report" : options.folder, options.measured,
                        options.quick, options.json},
                       *sizes);
}

/// Where and when: what a stored run says of itself.
reproduce::MeasuredRun measured_run_of(const ReproduceOptions& options) {
  std::string command = fmt::format("espalier reproduce {} --on {}", options.paper, options.on);
  if (options.on != "smpi") command += " --mpi " + options.mpi;
  for (const std::string& part : options.parts) command += " --part " + part;
  if (options.seed != "1") command += " --seed " + options.seed;
  if (!options.processes.empty()) command += " --processes " + options.processes;
  if (options.quick) command += " --quick";
  return {day_of(std::time(nullptr)),
          options.on,
          options.on == "smpi" ? options.on : options.mpi,
          command + " --json",
          version_line(),
          std::max(1U, std::thread::hardware_concurrency())};
}

/// Options that change nothing are refused, not passed over.
std::optional<Error> changes_nothing(const ReproduceOptions& options, const Paper& paper,
                                     const App& app) {
  const auto refuse = [](const char* option, std::string why) {
    return Error{option, std::move(why), "leave it out"};
  };
  for (const char* name : {"--mpi", "--processes"}) {
    if (options.on == "smpi" && app.is_given(name)) {
      return refuse(name, "it means nothing to --on smpi");
    }
  }
  if (options.on == "lab" && app.is_given("--processes") && !paper.lab_takes_processes) {
    return refuse("--processes", fmt::format("the lab of {} has a fixed size", paper.key));
  }
  if (app.is_given("--seed") && (!paper.has_random_cases || options.on == "here")) {
    return refuse("--seed", fmt::format("{} has no random cases{}", paper.key,
                                        options.on == "here" ? " with --on here" : ""));
  }
  return std::nullopt;
}

Outcome reproduce_paper(const ReproduceOptions& options, const Globals& globals, const App& app) {
  if (options.paper == "all") return report_of_all(options);
  if (!options.measured.empty()) {
    return Failure{{"--measured", "stored runs are for the report of all papers",
                    "espalier reproduce all --measured FILE"}};
  }
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto paper = paper_named(options.paper);
  if (!paper) return Failure{paper.error()};
  if (auto sizes = sizes_of(options); !sizes) return Failure{sizes.error()};
  if (auto wrong = changes_nothing(options, **paper, app)) return Failure{*std::move(wrong)};
  auto made = options.on.empty() ? computed_exhibits(**paper, options)
                                 : measured_exhibits(**paper, options);
  if (!made) return Failure{made.error()};
  const std::vector<Exhibit>& exhibits = *made;
  if (!options.folder.empty()) {
    if (Outcome bad = write_folder(options.folder, (*paper)->key, exhibits)) return bad;
  }
  if (options.json) {
    const std::string citation((*paper)->citation);
    return write_output("-", options.on.empty()
                                 ? to_json(citation, exhibits)
                                 : to_json(citation, exhibits, measured_run_of(options)));
  }
  return write_output("-", to_text(exhibits, *canvas));
}

Section papers_section() {
  std::string text;
  for (const Paper& paper : reproduce::papers()) {
    text += fmt::format("{}: {}.\n\n", paper.key, paper.about);
    for (const PaperPart& part : paper.parts) {
      text += fmt::format(" {:<12} {}\n", part.key, part.title);
    }
    for (const reproduce::LabPart& part : paper.lab_parts) {
      text += fmt::format(" {:<12} --on lab: {}\n", part.key, part.title);
    }
    for (const reproduce::LabPart& part : paper.here_parts) {
      text += fmt::format(" {:<12} --on here: {}\n", part.key, part.title);
    }
    for (const reproduce::LabPart& part : paper.smpi_parts) {
      text += fmt::format(" {:<12} --on smpi: {}\n", part.key, part.title);
    }
    text += "\n";
  }
  return {"PAPERS AND THEIR PARTS", text};
}

constexpr std::string_view kReproduceDescription =
    "Computes the tables and figures of a paper again and puts them beside what the paper states, "
    "with "
    "the reason where they differ. The same seed gives the same figures on every computer. One "
    "paper takes about a minute; --quick draws far fewer random cases, or makes smaller ones.\n\n"
    "With --on lab a paper is measured: real MPI programs in a lab (see espalier lab) that is up "
    "only meanwhile, the MPI's own calls beside Espalier's library held to the trees of the paper, "
    "groups beside communicators, or programs under policies of placement. It needs root and TUN, "
    "and some minutes; --quick takes a few sizes and rounds.\n\n"
    "espalier reproduce all makes every exhibit of every paper and writes one page, index.html, "
    "that needs no other file: figure or table, our numbers beside those that the paper states, "
    "their ratio, and the command that makes the exhibit; report.json has the same for programs. "
    "Exhibits are kept in the folder as they are made: the same command after Ctrl-C goes on. "
    "What a lab measured stands beside it, from stored runs with their date and command: those "
    "that "
    "come with the tool, or others (--measured).\n\n"
    "With --on here langer is: splits of MPI_COMM_WORLD, schemes and collectives of groups with "
    "real MPI on this computer, up to --processes ranks. With --on smpi the groups' own code runs "
    "on thousands of simulated ranks "
    "under SimGrid's SMPI; figures are the same in every run.";

constexpr std::string_view kReproduceExamples =
    "espalier reproduce karonis\n"
    "espalier reproduce all --folder report\n"
    "espalier reproduce karonis --on lab --json >lab.json; espalier reproduce all --measured "
    "lab.json\n"
    "espalier reproduce banikazemi\n"
    "espalier reproduce banikazemi --part table2 --quick\n"
    "espalier reproduce langer --part messages\n"
    "espalier reproduce langer --on here --mpi openmpi\n"
    "espalier reproduce langer --on smpi --part figure3\n"
    "espalier reproduce park --part figure4\n"
    "espalier reproduce karonis --on lab --mpi openmpi --part figure9 --quick\n"
    "espalier reproduce banikazemi --json --folder figures >figures.json";

}  // namespace

Command reproduce_command() {
  Manual manual{.name = "reproduce",
                .tagline = "the tables and figures of a paper, computed again",
                .synopsis =
                    "reproduce PAPER [--part PART]... [--seed N] [--quick] [--json] [--folder DIR] "
                    "[--on lab|here|smpi [--mpi NAME] [--processes N]]\n"
                    "reproduce all [--folder DIR] [--measured FILE]... [--seed N] [--quick] "
                    "[--json]",
                .description = std::string(kReproduceDescription),
                .sections = {papers_section()},
                .examples = std::string(kReproduceExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<ReproduceOptions>();
        app.add_option("PAPER", options->paper,
                       "The paper: karonis, banikazemi, dichev, langer or park; or all.")
            .required();
        app.add_option("-p,--part", options->parts, "Only this part; may be repeated.")
            .type_name("PART")
            .repeated();
        app.add_option("--seed", options->seed, "Of the random cases. Default: 1.").type_name("N");
        app.add_flag("--quick", options->quick, "Far fewer cases.");
        app.add_flag("--json", options->json, "Write all tables as JSON (espalier-reproduce-1).");
        app.add_option("--folder", options->folder,
                       "Also write each table as CSV, and pictures, into this folder. Of all: the "
                       "report's own folder. Default for all: report.")
            .type_name("DIR");
        app.add_option("--measured", options->measured,
                       "Of all: exhibits that reproduce PAPER --on lab --json wrote; may be "
                       "repeated. Default: those that come with the tool.")
            .type_name("FILE")
            .repeated();
        const Option on =
            app.add_option("--on", options->on, "Measure with real MPI: lab, here or smpi.")
                .type_name("PLACE");
        app.add_option("--mpi", options->mpi, "mpich or openmpi. Default: mpich.")
            .type_name("NAME")
            .needs(on);
        app.add_option("--processes", options->processes,
                       "On each machine of karonis (default: the paper's 16, or as many as the "
                       "cores bear) and of langer's lab (6); of langer --on here, at most "
                       "(default: 4 a core with MPICH, whose "
                       "ranks poll, 16 with Open MPI).")
            .type_name("N")
            .needs(on);
        return [options, &globals, app] { return reproduce_paper(*options, globals, app); };
      }};
}

}  // namespace espalier::cli

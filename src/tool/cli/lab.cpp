#include <cstdlib>
#include <memory>

#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/lab_actions.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"

namespace espalier::cli {
namespace {

constexpr std::string_view kLabDescription =
    "A lab is a machine that exists only on this computer, for real MPI programs: each computer of "
    "the MACHINE is a set of Linux namespaces (network, hostname, IPC, mounts), and a router "
    "between them delays every frame and holds every link to its rate as the machine says. The "
    "same file serves espalier show, plan and simulate. It needs root and TUN, and leaves nothing "
    "behind.\n\n"
    " up      brings it up, or repairs one that broke\n"
    " run     runs an MPI program on it, ranks where the machine has them\n"
    " exec    runs a command on one host\n"
    " status  says what is there; fails if something is missing\n"
    " set     changes a link or a host while programs run\n"
    " stats   what passed each link\n"
    " down    removes it\n\n"
    "A channel's latency is the delay one way. Rates are those of Ethernet: 94 % of them are TCP's "
    "payload. What is inside a host is real memory and has no figures. Hosts have a /tmp of their "
    "own: what programs write there is gone afterwards.";

constexpr std::string_view kLinks =
    "LINK is a channel of the machine (wan: the latency of all its ways, the bandwidth of its "
    "members' uplinks), a part (anl, anl.m1: its uplinks), two parts of one cluster (sdsc>anl one "
    "way, sdsc<>anl both ways), or the whole name of a link as stats --all prints it. A change "
    "holds from the next frame on, and until down.\n\n"
    "Bad links: --loss, --jitter and --reorder are those of the ways, --cross of the uplinks. With "
    "lab up they are those of the outermost channel. Frames that are delayed stay in order but for "
    "the share of --reorder.\n\n"
    "HOST is a host as status names it, a part of the machine (all hosts in it), or machine (all). "
    "The machine's send and speed are where they start.";

constexpr std::string_view kRanks =
    "Both MPIs poll while they wait, which would make 12 ranks on 2 cores measure the scheduler. "
    "run preloads a small library that lets waiting ranks sleep (at most 200 us), gives them "
    "priority over what is not a rank, keeps MPICH 4.0 from hanging in MPI_Finalize, and adds the "
    "machine's send costs to what each rank sends over the network. With --poll ranks neither "
    "sleep nor have priority.";

constexpr std::string_view kLabExamples =
    "espalier lab up \"site:2(10ms,100Mbit/s,name=wan) machine:1|2(250us,1Gbit/s) proc:4\"\n"
    "espalier lab exec site0-machine0 -- ping -c 3 site1-machine0\n"
    "espalier lab run -- ./my_mpi_program its arguments\n"
    "espalier lab run --espalier --explain -- ./my_mpi_program its arguments\n"
    "espalier lab run --trace run.trace -- ./my_mpi_program its arguments\n"
    "espalier lab run --with \"--mca coll_han_priority 100\" -- ./program.openmpi\n"
    "espalier lab set wan --latency 30ms --bandwidth 1Gbit/s\n"
    "espalier lab set wan --loss 0.1% --jitter 2ms --reorder 1% --cross 20Mbit/s\n"
    "espalier lab set site1-machine0 --cpu 47% --send 1480us\n"
    "espalier lab stats --reset\n"
    "espalier lab down";

/// An action of the lab: `espalier lab NAME`.
App add_action(App& lab, const char* name, const char* description, LabOptions& options) {
  App action = lab.add_action(name, description);
  action
      .add_option("--state", options.state,
                  "The lab's folder, one for each lab. Default: "
                  "$ESPALIER_LAB, or /run/espalier-lab.")
      .type_name("DIR");
  return action;
}

/// What can be wrong with a link.
void declare_bad_links(App& action, LabOptions& options) {
  action.add_option("--loss", options.loss, "Share of packets that are lost: 0.1% or 0.001.")
      .type_name("SHARE");
  action.add_option("--jitter", options.jitter, "Longest time added to each frame's delay.")
      .type_name("TIME");
  action.add_option("--reorder", options.reorder, "Share of frames that later ones overtake.")
      .type_name("SHARE");
  action.add_option("--cross", options.cross, "Mean rate of other traffic on uplinks, or none.")
      .type_name("RATE");
}

void declare_up(App& up, LabOptions& options) {
  up.add_option("MACHINE", options.machine, "The machine: see MACHINES.").required();
  up.add_option("--hosts", options.hosts,
                "Put the ranks on these hosts, one a line: what espalier place --format "
                "openmpi-hostfile (or mpich-machinefile) wrote. Default: as the machine says.")
      .type_name("FILE");
  up.add_option("--queue", options.queue,
                "How long a frame may wait for a link before it is lost. Default: 200ms.")
      .type_name("TIME");
  up.add_option("--slow-by", options.slow_by,
                "Who holds slow hosts to their share of processor time: kernel (cgroups; the "
                "default where they are permitted) or library (in the ranks).")
      .type_name("WHO");
  declare_bad_links(up, options);
}

void declare_run(App& run, LabOptions& options) {
  run.add_option("-n", options.ranks, "The first N ranks of the machine only.").type_name("N");
  run.add_option("--mpi", options.mpi, "mpich or openmpi. Default: the one it is linked with.")
      .type_name("NAME");
  run.add_flag("--espalier", options.espalier,
               "With Espalier's library in the ranks, and the lab's machine told to it.");
  run.add_option("--explain", options.explain,
                 "Say at the end which calls ran along which plan and why, on standard error or to "
                 "--explain=FILE. With --espalier.")
      .type_name("[FILE]")
      .optional_value("1");
  run.add_option("--trace", options.trace,
                 "Take down when each message of planned calls began and ended, for espalier trace "
                 "and espalier view. With --espalier.")
      .type_name("FILE");
  run.add_option("--profile", options.profile,
                 "Record how the program communicates, for espalier place.")
      .type_name("FILE");
  run.add_option("--preload", options.preloads, "A library for the ranks; may be repeated.")
      .type_name("LIB")
      .repeated();
  run.add_option("--env", options.environment, "A variable for the ranks; may be repeated.")
      .type_name("NAME=VALUE")
      .repeated();
  run.add_option(
         "--with", options.with,
         "Words for mpiexec; may be repeated. Not those that say where ranks run: up --hosts does.")
      .type_name("WORDS")
      .repeated();
  run.add_flag("--poll", options.poll, "Let waiting ranks poll, as they do elsewhere.");
  run.add_flag("--print", options.print, "Only print the command that would be run.");
  run.add_option("PROGRAM", options.command, "The program and its arguments, after --.");
}

void declare_exec(App& exec, LabOptions& options) {
  exec.add_option("HOST", options.host, "A host, as status names it.").required();
  exec.add_option("COMMAND", options.command, "The command and its arguments, after --.");
}

void declare_set(App& set, LabOptions& options) {
  set.add_option("LINK", options.link, "The link, or the host: see LINKS.").required();
  set.add_option("--latency", options.latency, "One way.").type_name("TIME");
  set.add_option("--bandwidth", options.bandwidth, "Or unlimited.").type_name("RATE");
  declare_bad_links(set, options);
  const Option cut = set.add_flag("--cut", options.cut, "Nothing passes any more.");
  set.add_flag("--mend", options.mend, "The end of a cut.").excludes(cut);
  set.add_option("--send", options.send, "Of a host: what each send costs its ranks, 20us+1GB/s.")
      .type_name("COST");
  set.add_option("--cpu", options.cpu, "Of a host: its share of processor time, 47% or 0.47.")
      .type_name("SHARE");
}

void declare_stats(App& stats, LabOptions& options) {
  stats.add_flag("--all", options.all, "Also links that nothing passed.");
  stats.add_flag("--reset", options.reset, "Count from 0 again, after printing.");
  stats.add_flag("--json", options.json, "Write JSON (espalier-lab-stats-1).");
}

/// What stands after --, for the actions that run something.
Outcome take_command(bool runs, const Globals& globals, LabOptions& options) {
  if (!runs && !globals.other_command.empty()) {
    return Failure{{"--", "nothing is run here", "only lab run and lab exec take a command"}};
  }
  options.command.insert(options.command.end(), globals.other_command.begin(),
                         globals.other_command.end());
  if (!runs || !options.command.empty()) return {};
  return Failure{{"lab", "nothing to run", "give the program and its arguments after --"}};
}

}  // namespace

Command lab_command() {
  Manual manual{.name = "lab",
                .tagline = "real MPI programs on an emulated machine, on this computer",
                .synopsis =
                    "lab up MACHINE [--hosts FILE] [--queue TIME] [--slow-by kernel|library] "
                    "[--loss SHARE] [--jitter TIME] [--reorder SHARE] [--cross RATE]\n"
                    "lab run [-n N] [--mpi NAME] [--espalier] [--explain[=FILE]] [--trace FILE] "
                    "[--profile FILE] [--preload LIB]... [--env NAME=VALUE]... "
                    "[--with WORDS]... [--poll] [--print] -- PROGRAM [ARGUMENTS]\n"
                    "lab exec HOST -- COMMAND [ARGUMENTS]\n"
                    "lab status [--json]\n"
                    "lab set LINK [--latency TIME] [--bandwidth RATE] [--loss SHARE] [--jitter "
                    "TIME] [--reorder SHARE] [--cross RATE] [--cut|--mend]\n"
                    "lab set HOST [--send COST] [--cpu SHARE]\n"
                    "lab stats [--all] [--reset] [--json]\n"
                    "lab down",
                .description = std::string(kLabDescription),
                .sections = {{"LINKS", std::string(kLinks)},
                             {"WAITING RANKS", std::string(kRanks)},
                             machines_section()},
                .examples = std::string(kLabExamples)};
  return {
      std::move(manual),
      [](App& lab, const Globals& globals) {
        const auto options = std::make_shared<LabOptions>();
        App up = add_action(lab, "up", "bring it up", *options);
        App run = add_action(lab, "run", "run an MPI program", *options);
        App exec = add_action(lab, "exec", "run a command on a host", *options);
        App status = add_action(lab, "status", "what is there", *options);
        App set = add_action(lab, "set", "change a link or a host", *options);
        App stats = add_action(lab, "stats", "what passed", *options);
        const App down = add_action(lab, "down", "remove it", *options);
        declare_up(up, *options);
        declare_run(run, *options);
        declare_exec(exec, *options);
        status.add_flag("--json", options->json, "Write JSON (espalier-lab-1).");
        declare_set(set, *options);
        declare_stats(stats, *options);
        return [=, &globals]() -> Outcome {
          // Not Option::envname(): it would set what all actions share once more for those that
          // were not named, over what --state said.
          const char* const told = std::getenv("ESPALIER_LAB");
          if (options->state.empty() && told != nullptr) options->state = told;
          const bool runs = run.parsed() || exec.parsed();
          if (auto failed = take_command(runs, globals, *options)) return failed;
          if (up.parsed()) return lab_up(*options);
          if (run.parsed()) return lab_run(*options);
          if (exec.parsed()) return lab_exec(*options);
          if (status.parsed()) return lab_status(*options, globals);
          if (set.parsed()) return lab_set(*options);
          if (stats.parsed()) return lab_stats(*options, globals);
          if (down.parsed()) return lab_down(*options);
          return Failure{{"espalier lab", "no action is given",
                          "up, run, exec, status, set, stats or down: see espalier lab --help"}};
        };
      },
      /*takes_other_command=*/true};
}

}  // namespace espalier::cli

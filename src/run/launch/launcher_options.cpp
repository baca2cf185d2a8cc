#include "launch/launcher_options.hpp"

#include <algorithm>
#include <array>

#include "launch/ask.hpp"

namespace espalier::launch {
namespace {

struct Option {
  std::string_view name;
  std::size_t values;
};

// From `mpiexec.hydra -help` of MPICH 4.0 and 4.2 and `mpiexec --help all` of Open MPI 4.1. Flags
// of which the next word is most often the program are told too; the rest of them need not be
// known.
constexpr Option kMpich[] = {{"genv", 2},
                             {"env", 2},
                             {"f", 1},
                             {"hosts", 1},
                             {"host", 1},
                             {"hostfile", 1},
                             {"machinefile", 1},
                             {"machine", 1},
                             {"machines", 1},
                             {"machinelist", 1},
                             {"hostlist", 1},
                             {"wdir", 1},
                             {"configfile", 1},
                             {"genvlist", 1},
                             {"envlist", 1},
                             {"n", 1},
                             {"np", 1},
                             {"launcher", 1},
                             {"launcher-exec", 1},
                             {"bootstrap", 1},
                             {"bootstrap-exec", 1},
                             {"rmk", 1},
                             {"topolib", 1},
                             {"bind-to", 1},
                             {"map-by", 1},
                             {"membind", 1},
                             {"demux", 1},
                             {"iface", 1},
                             {"ppn", 1},
                             {"prepend-pattern", 1},
                             {"outfile-pattern", 1},
                             {"errfile-pattern", 1},
                             {"outfile", 1},
                             {"errfile", 1},
                             {"output-from", 1},
                             {"binding", 1},
                             {"g", 1},
                             {"gpu-subdevs-per-proc", 1},
                             {"nameserver", 1},
                             {"order-nodes", 1},
                             {"localhost", 1},
                             {"usize", 1},
                             {"gpus-per-proc", 1},
                             {"rankmap", 1},
                             {"memory-alloc-kinds", 1},
                             {"path", 1},
                             {"genvall", 0},
                             {"genvnone", 0},
                             {"envall", 0},
                             {"envnone", 0},
                             {"enable-x", 0},
                             {"disable-x", 0},
                             {"verbose", 0},
                             {"v", 0},
                             {"info", 0},
                             {"print-all-exitcodes", 0},
                             {"profile", 0},
                             {"prepend-rank", 0},
                             {"l", 0},
                             {"disable-auto-cleanup", 0},
                             {"disable-hostname-propagation", 0},
                             {"enable-auto-cleanup", 0},
                             {"enable-hostname-propagation", 0},
                             {"debug", 0},
                             {"hybrid-hosts", 0},
                             {"pmi-port", 0},
                             {"skip-launch-node", 0}};
constexpr Option kOpenMpi[] = {{"mca", 2},
                               {"gmca", 2},
                               {"am", 1},
                               {"app", 1},
                               {"bind-to", 1},
                               {"c", 1},
                               {"np", 1},
                               {"n", 1},
                               {"cf", 1},
                               {"cartofile", 1},
                               {"cpu-list", 1},
                               {"cpu-set", 1},
                               {"cpus-per-proc", 1},
                               {"cpus-per-rank", 1},
                               {"debugger", 1},
                               {"default-hostfile", 1},
                               {"H", 1},
                               {"host", 1},
                               {"hnp", 1},
                               {"hostfile", 1},
                               {"launch-agent", 1},
                               {"machinefile", 1},
                               {"map-by", 1},
                               {"max-restarts", 1},
                               {"max-vm-size", 1},
                               {"N", 1},
                               {"npernode", 1},
                               {"npersocket", 1},
                               {"ompi-server", 1},
                               {"output-filename", 1},
                               {"path", 1},
                               {"personality", 1},
                               {"ppr", 1},
                               {"prefix", 1},
                               {"preload-files", 1},
                               {"rank-by", 1},
                               {"report-events", 1},
                               {"report-pid", 1},
                               {"report-uri", 1},
                               {"rf", 1},
                               {"rankfile", 1},
                               {"stdin", 1},
                               {"timeout", 1},
                               {"tune", 1},
                               {"wd", 1},
                               {"wdir", 1},
                               {"x", 1},
                               {"xml-file", 1},
                               {"xterm", 1},
                               {"allow-run-as-root", 0},
                               {"oversubscribe", 0},
                               {"nooversubscribe", 0},
                               {"report-bindings", 0},
                               {"tag-output", 0},
                               {"timestamp-output", 0},
                               {"display-map", 0},
                               {"display-allocation", 0},
                               {"q", 0},
                               {"v", 0},
                               {"use-hwthread-cpus", 0},
                               {"bynode", 0},
                               {"byslot", 0},
                               {"pernode", 0}};
template <std::size_t N>
std::optional<std::size_t> find(const Option (&options)[N], std::string_view name) {
  const auto* const it = std::find_if(std::begin(options), std::end(options),
                                      [name](const Option& option) { return option.name == name; });
  return it == std::end(options) ? std::nullopt : std::optional(it->values);
}

}  // namespace

std::string_view without_dashes(std::string_view option) {
  option.remove_prefix(option.starts_with("--") ? 2 : 1);
  return option;
}

std::optional<std::size_t> values_of(Launcher launcher, std::string_view option,
                                     std::string_view next) {
  const std::string_view name = without_dashes(option);
  if (name.find('=') != std::string_view::npos) return 0;
  if (is_slurm(launcher)) return values_in_slurm(launcher, option);
  if (launcher == Launcher::Hydra) {
    const bool is_setting = name == "genv" || name == "env";
    return is_setting && next.find('=') != std::string_view::npos ? 1 : find(kMpich, name);
  }
  if (launcher == Launcher::Prrte) return values_in_prrte(name);
  // It may be PRRTE that was not asked: what Open MPI 4 does not know, Open MPI 5 may.
  const auto values = find(kOpenMpi, name);
  return values ? values : values_in_prrte(name);
}

Launcher launcher_kind(Mpi mpi, const std::string& launcher, std::string_view version) {
  if (mpi == Mpi::Mpich) return Launcher::Hydra;
  const std::string file = file_name(launcher);
  if (file.starts_with("prterun") || file.starts_with("prun")) return Launcher::Prrte;
  if (version.find("(PRRTE)") != std::string_view::npos) return Launcher::Prrte;
  constexpr std::string_view kOpenMpi = "(Open MPI) ";
  const std::size_t at = version.find(kOpenMpi);
  if (at == std::string_view::npos) return Launcher::OpenMpi;
  const std::string_view number = version.substr(at + kOpenMpi.size());
  // "4.1.4" and older have ORTE; there will be a "10.0".
  const bool is_old = number.size() > 1 && number[0] >= '1' && number[0] <= '4' && number[1] == '.';
  return is_old ? Launcher::OpenMpi : Launcher::Prrte;
}

}  // namespace espalier::launch

#include "tuning/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuning/han.hpp"
#include "tuning/mpich.hpp"
#include "tuning/write_open_mpi.hpp"

namespace espalier::tuning {
namespace {

struct FormatName {
  Format format;
  std::string_view name;
};
constexpr std::array<FormatName, 4> kFormats{{{Format::OpenMpi, "openmpi"},
                                              {Format::OpenMpiHan, "openmpi-han"},
                                              {Format::OpenMpiJson, "openmpi-json"},
                                              {Format::Mpich, "mpich"}}};

// Two names, so that files for both libraries can be in one folder. Neither has a "-": Open
// MPI 5.0.7 refuses a rankfile with one in its path.
constexpr std::string_view kRankFile = "ranks.txt";
constexpr std::string_view kHostsFile = "hosts.txt";

/// The path of a file for variables and options of the library, which may be read in another
/// folder.
std::string whole_path(const ExportRequest& request, std::string_view file) {
  const bool is_whole = request.folder.starts_with('/') || request.folder.starts_with("'/");
  return fmt::format("{}{}{}", is_whole ? "" : "$PWD/", request.folder, file);
}

std::string order_note(const topology::Machine& machine, std::string_view rank_file) {
  const auto leaves = machine.placement();
  if (std::is_sorted(leaves.begin(), leaves.end())) return "";
  return fmt::format(
      "The ranks do not lie in the order of the machine, so trees by number cross between hosts "
      "often. With --block the rules are for ranks in that order{}.",
      rank_file.empty() ? "" : fmt::format(", and {} starts them so", rank_file));
}

/// @param option of the launcher, that names the file
/// @return the option with the file, or nothing where the hosts are too many for names
std::string add_rank_file(Export& result, const topology::Machine& machine,
                          const ExportRequest& request, std::string_view option) {
  std::string text = rank_order_file(machine, result.tuning.mpi);
  if (text.empty()) return "";
  const std::string_view name = request.format == Format::Mpich ? kHostsFile : kRankFile;
  if (const std::string first = counted_host_name(machine); !first.empty()) {
    result.notes.push_back(
        fmt::format("The machine does not say what its hosts are called: {} and so on in {} are "
                    "made up. Put in "
                    "the names of yours.",
                    first, name));
  }
  result.files.push_back({std::string(name), std::move(text)});
  return fmt::format(" {} {}{}", option, request.folder, name);
}

/// Says which operations have no rules because the ranks of a call might take different ones.
std::string left_out_note(const Tuning& tuning) {
  std::string text;
  const auto add = [&text](const ScopeRules& scope, std::string_view members) {
    for (const OperationRules& rules : scope.operations) {
      if (!rules.is_left_out) continue;
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", schedule::name_of(rules.operation),
                          members);
    }
  };
  for (const ScopeRules& scope : tuning.scopes) add(scope, name_of(scope.members));
  for (const Tuning& first : tuning.of_first) {
    add(first.scopes.front(), fmt::format("the first {} ranks", first.ranks));
  }
  if (text.empty()) return text;
  return fmt::format(
      "Left as without the file: {}. Open MPI looks up rules of gather and scatter with arguments "
      "that mean nothing on some ranks (MPI_IN_PLACE, counts away from the root). With rules by "
      "size the ranks of one call would take different algorithms and wait for ever, so there is "
      "a rule only where one algorithm is taken for all sizes.",
      text);
}

/// "4, 8 and 16"
std::string in_words(const std::vector<Rank>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
    text += std::to_string(numbers[i]);
  }
  return text;
}

/// Says whom the rules of fewer ranks are made for, and who takes them.
std::string first_note(const Tuning& tuning) {
  if (tuning.of_first.empty()) return "";
  std::vector<Rank> numbers;
  for (const Tuning& first : tuning.of_first) numbers.push_back(first.ranks);
  std::string text = fmt::format(
      "Rules for {0} ranks are made for the first {0} ranks of the machine, as they lie on its "
      "hosts.",
      in_words(numbers));
  if (tuning.mpi == select::NativeMpi::OpenMpi) {
    text += " Communicators of as many ranks take them, wherever their ranks are.";
  }
  return text;
}

/// Says for which of the first ranks nothing is known of what MPICH does by hosts.
std::string uneven_note(const Tuning& tuning) {
  std::vector<Rank> numbers;
  for (const Tuning& first : tuning.of_first) {
    if (first.hosts == 0) numbers.push_back(first.ranks);
  }
  if (numbers.empty()) return "";
  return fmt::format(
      "The first {} ranks do not lie evenly on hosts: what MPICH does by hosts is left as it is "
      "there, and times of native calls are those over all of them at once.",
      in_words(numbers));
}

/// Says that MPICH has an own way inside a host that no rule changes.
std::string shared_memory_note(const Tuning& tuning) {
  std::vector<Rank> numbers;
  for (const Tuning& first : tuning.of_first) {
    if (first.hosts == 1) numbers.push_back(first.ranks);
  }
  if (numbers.empty()) return "";
  return fmt::format(
      "The first {} ranks are on one host. There MPICH soon takes shared memory for broadcasts, "
      "reductions, allreduces and barriers, whatever the rules are; the times are those of "
      "messages.",
      in_words(numbers));
}

/// Says whose rules leaders of hosts take where as many first ranks have rules too.
/// @param is_told the file tells leaders from other ranks
std::string leaders_note(const Tuning& tuning, bool is_told) {
  const auto by_size = rules_by_size(tuning);
  for (const ScopeRules& scope : tuning.scopes) {
    if (scope.members != Members::OneOfEachHost || by_size.at(scope.ranks) == &scope) continue;
    return fmt::format("Communicators of one rank of each host have {0} ranks, too, and {1}.",
                       scope.ranks,
                       is_told ? "keep rules of their own"
                               : fmt::format("take the rules of the first {} ranks", scope.ranks));
  }
  return "";
}

/// Whether ranks of one host get rules of other ranks although the file tells one rank of each host
/// from them: rules of the first ranks hold for all communicators of their size.
bool first_are_as_many_as_a_host(const Tuning& tuning) {
  return std::any_of(tuning.of_first.begin(), tuning.of_first.end(),
                     [&](const Tuning& first) { return first.ranks == tuning.ranks_of_host; });
}

void add_note(Export& result, std::string note) {
  if (!note.empty()) result.notes.push_back(std::move(note));
}

/// Variables of Open MPI with their values, as options of mpiexec and as words for export.
struct OpenMpiSettings {
  std::string options;
  std::string variables;
  void add(std::string_view name, std::string_view value) {
    options += fmt::format("--mca {} {} ", name, value);
    variables += fmt::format(" OMPI_MCA_{}={}", name, value);
  }
};

/// Adds the rules of coll/han, and the settings that make it read them.
void add_han(Export& result, const topology::Machine& machine, const ExportRequest& request,
             OpenMpiSettings& settings) {
  constexpr std::string_view kFile = "openmpi-han.conf";
  result.tuning = decide_han(machine, result.tuning);
  result.files.push_back({std::string(kFile), han_rules(result.tuning)});
  settings.add("coll_han_priority", "100");
  settings.add("coll_han_use_dynamic_file_rules", "1");
  settings.add("coll_han_dynamic_rules_filename", whole_path(request, kFile));
  // One call inside hosts and one among leaders, both by the rules of coll/tuned, instead of
  // segments of a fixed length by non-blocking calls.
  for (const char* operation : {"bcast", "reduce", "allreduce"}) {
    settings.add(fmt::format("coll_han_use_simple_{}", operation), "1");
  }
  add_note(result, result.tuning.scopes.size() < 2
                       ? "There are no hosts with equally many ranks, two and more: HAN is left "
                         "out of all calls."
                       : "HAN makes the calls whose algorithm is told as of the leaders of hosts, "
                         "in communicators of all ranks; all others are left to coll/tuned.");
  add_note(result,
           "Where operators do not commute HAN leaves reductions to coll/tuned, and so where hosts "
           "have different numbers of ranks.");
}

Export open_mpi_export(const topology::Machine& machine, const ExportRequest& request) {
  const bool is_json = request.format == Format::OpenMpiJson;
  const bool is_han = request.format == Format::OpenMpiHan;
  Export result{
      std::string(name_of(request.format)), decide_open_mpi(machine, request.rules), {}, {}, {}};
  const std::string file = is_json ? "openmpi-rules.json" : "openmpi-rules.conf";
  result.files.push_back(
      {file, is_json ? open_mpi_json(result.tuning) : open_mpi_rules(result.tuning)});
  if (is_json && !first_are_as_many_as_a_host(result.tuning)) result.tuning.host_losses.clear();
  OpenMpiSettings settings;
  settings.add("coll_tuned_use_dynamic_rules", "1");
  settings.add("coll_tuned_dynamic_rules_filename", whole_path(request, file));
  if (is_han) add_han(result, machine, request, settings);
  const std::string ranks = add_rank_file(result, machine, request, "--rankfile");
  result.settings = fmt::format("  mpiexec {}{}...\n  export{}\n", settings.options,
                                ranks.empty() ? "" : ranks.substr(1) + " ", settings.variables);
  if (is_json) {
    result.notes.emplace_back("Open MPI reads this form from 6.0 on.");
  } else {
    result.notes.push_back(
        fmt::format("Open MPI 4.1 and 5 read {}, and say nothing of one they "
                    "cannot read.",
                    is_han ? "these files" : "this file"));
  }
  if (!is_han) {
    result.notes.emplace_back(
        "Open MPI 5 and later prefer HAN to the rules between hosts: add --mca coll_han_priority "
        "0.");
  }
  add_note(result, first_note(result.tuning));
  add_note(result, leaders_note(result.tuning, is_json));
  add_note(result, left_out_note(result.tuning));
  if (request.rules.ordered) {
    result.notes.emplace_back(
        "Open MPI's rules do not know operators: chains, pipelines, trees and rings combine ranks "
        "out of order, which is wrong for operators that do not commute. They are left out; "
        "--commutative takes them, for programs without such operators.");
  } else {
    result.notes.emplace_back(
        "Only for programs whose operators all commute (--commutative): reductions with others "
        "would give wrong results without a word.");
  }
  return result;
}

Expected<Export> mpich_export(const topology::Machine& machine, const ExportRequest& request) {
  const std::string library = request.library.empty() ? usual_mpich_library() : request.library;
  if (library.empty()) {
    return Error{"--library", "no library of MPICH is found",
                 "a file for MPICH replaces all its rules, so it begins with those of the library: "
                 "name its libmpich.so.12"};
  }
  const auto rules = read_mpich_rules(library);
  if (!rules) return rules.error();
  Export result{std::string(name_of(request.format)),
                decide_mpich(machine, request.rules, *rules),
                {},
                {},
                {}};
  result.files.push_back({"mpich-collectives.json", mpich_collectives(result.tuning, *rules)});
  std::string compositions = mpich_compositions(result.tuning, *rules);
  result.settings = fmt::format("  export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={}\n",
                                whole_path(request, "mpich-collectives.json"));
  if (!compositions.empty()) {
    result.files.push_back({"mpich-compositions.json", std::move(compositions)});
    result.settings += fmt::format("  export MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE={}\n",
                                   whole_path(request, "mpich-compositions.json"));
  }
  const std::string ranks = add_rank_file(result, machine, request, "-f");
  result.settings += fmt::format("  mpiexec -n {}{} ...\n", machine.size(), ranks);
  result.notes.push_back(fmt::format(
      "Made from the rules in {}: another release may have other names and ends with an assertion.",
      library));
  if (result.tuning.scopes.size() < 2 && result.tuning.ranks_of_host != 1) {
    result.notes.emplace_back(
        "There are no hosts with equally many ranks: what MPICH does by hosts is left as it is, "
        "and "
        "times of native calls are those over all ranks at once.");
  }
  add_note(result, uneven_note(result.tuning));
  add_note(result, shared_memory_note(result.tuning));
  add_note(result, first_note(result.tuning));
  result.notes.emplace_back(
      result.tuning.of_first.empty()
          ? "Rules hold for communicators of all ranks, and of one rank of each host; those inside "
            "a host keep the library's own."
          : "Rules hold for communicators of all ranks, of the numbers of --ranks, and of one rank "
            "of each host; others keep the library's own.");
  return result;
}

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatName& one : kFormats) names.emplace_back(one.name);
  return names;
}

std::optional<Format> format_named(std::string_view name) {
  for (const FormatName& one : kFormats) {
    if (one.name == name) return one.format;
  }
  return std::nullopt;
}

std::string_view name_of(Format format) {
  for (const FormatName& one : kFormats) {
    if (one.format == format) return one.name;
  }
  return "";
}

std::vector<Operation> tuned_operations(Format format) {
  std::vector<Operation> all{Operation::Broadcast, Operation::Reduce,    Operation::Allreduce,
                             Operation::Barrier,   Operation::Allgather, Operation::Alltoall};
  if (format != Format::Mpich) {
    all.insert(all.end(), {Operation::Gather, Operation::Scatter});
  }
  return all;
}

Expected<Export> make_export(const topology::Machine& machine, const ExportRequest& request) {
  Expected<Export> result = request.format == Format::Mpich
                                ? mpich_export(machine, request)
                                : Expected<Export>(open_mpi_export(machine, request));
  if (!result) return result;
  const auto rank_file = std::find_if(
      result->files.begin(), result->files.end(),
      [](const auto& file) { return file.name == kRankFile || file.name == kHostsFile; });
  const std::string note =
      order_note(machine, rank_file == result->files.end() ? std::string_view() : rank_file->name);
  if (!note.empty()) result->notes.push_back(note);
  return result;
}

}  // namespace espalier::tuning

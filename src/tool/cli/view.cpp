#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/view_subject.hpp"
#include "schedule/operation_names.hpp"
#include "view/api.hpp"
#include "view/grid.hpp"
#include "view/page.hpp"
#include "view/server.hpp"

namespace espalier::cli {
namespace {

/// What the page shows first.
Expected<view::Query> first_query(const ViewOptions& options, const view::Subject& subject) {
  CallOptions asked = options;
  if (asked.operation.empty()) asked.operation = "broadcast";
  if (is_irregular(asked.operation)) {
    return Error{"--operation", "the page shows calls whose blocks are of one length",
                 fmt::format("espalier simulate {} --counts ... --svg FILE draws it",
                             schedule::usual_name(asked.operation))};
  }
  const bool has_data = schedule::operation_called(asked.operation) != schedule::Operation::Barrier;
  if (asked.size.empty() && has_data) asked.size = "64KiB";
  auto call = call_from(asked, subject.machine);
  if (!call) {
    Error error = call.error();
    if (error.where == "OPERATION") error.where = "--operation";  // a word of its own elsewhere
    return error;
  }
  view::Query query;
  query.operation = call->operation;
  query.size = Bytes{std::max<std::uint64_t>(1, call->count * call->element.value)};
  query.root = call->root;
  query.plan = options.algorithm;
  if (subject.schedule) {
    query.plan = view::Answers::kFromFile;
    const schedule::Collective& own = subject.schedule->call;
    if (own.operation != schedule::Operation::Unknown) {
      query.operation = own.operation;
      query.size = Bytes{std::max<std::uint64_t>(1, own.count * own.element.value)};
      query.root = has_root(own.operation) ? own.root : 0;
    }
  }
  return query;
}

/// Refuses to replace what is no page of ours, and a folder that is not there: before all is
/// planned.
std::optional<Error> why_not_replaced(const ViewOptions& options) {
  if (options.html != "-" && !is_writable_file(options.html)) {
    std::error_code error;
    return Error{options.html,
                 std::filesystem::exists(options.html, error)
                     ? "cannot write: it is not yours to write to"
                     : "cannot write: its folder is not there, or not yours to write to",
                 "name a file in another folder"};
  }
  std::error_code none;
  const bool is_new_or_device = !std::filesystem::is_regular_file(options.html, none);
  if (options.force || options.html == "-" || is_new_or_device ||
      std::filesystem::file_size(options.html, none) == 0) {
    return {};
  }
  const std::string begin = beginning_of_file(options.html, view::kPageMark.size());
  if (begin == view::kPageMark) return {};
  return Error{options.html, "there is such a file, and it is no page of espalier view",
               "name another file, or give --force"};
}

/// A note if the page cannot draw the messages of what it shows first; empty: it can.
Expected<std::string> why_without_timeline(view::Answers& answers) {
  const view::Query& first = answers.subject().first;
  const auto shown = answers.shown(first);
  if (!shown) return shown.error();
  if (shown->has_timeline && shown->messages <= view::kMostDrawn) return std::string();
  if (!first.plan.empty()) {
    return fmt::format(
        "note: {} has too many messages for a page; the chosen plan is shown instead\n",
        first.plan);
  }
  return fmt::format(
      "note: the chosen plan has more than {} messages: the page shows its time, not its "
      "messages\n",
      view::kMostDrawn);
}

Outcome write_page(const ViewOptions& options, view::Answers& answers) {
  if (auto error = why_not_replaced(options)) return Failure{*error};
  view::GridOptions grid;
  if (answers.subject().measured) {
    grid.operations = {answers.subject().first.operation};
    grid.sizes = {answers.subject().first.size};
  }
  if (!options.operation.empty()) grid.operations = {answers.subject().first.operation};
  if (grid.sizes.empty()) {
    // The size that was asked for is one of the points.
    for (const std::uint64_t size : view::kUsualSizes) grid.sizes.push_back(Bytes{size});
    grid.sizes.push_back(answers.subject().first.size);
    std::sort(grid.sizes.begin(), grid.sizes.end());
    grid.sizes.erase(std::unique(grid.sizes.begin(), grid.sizes.end()), grid.sizes.end());
  }
  const auto note = why_without_timeline(answers);
  if (!note) return Failure{note.error()};
  write_message(*note);
  const std::string text = view::page_with(view::page(), view::grid_document(answers, grid));
  if (options.html == "-") return write_output("-", text);
  return replace_output(options.html, text);
}

Outcome serve_page(const ViewOptions& options, view::Answers& answers) {
  auto server = view::Server::open(static_cast<std::uint16_t>(options.port));
  if (!server) return Failure{server.error()};
  auto token = view::random_token();
  if (!token) return Failure{token.error(), kExitInternal};
  const view::Gate gate{*token, server->port()};
  const Interruptible interruptible;
  if (auto failed = write_output("-", gate.address() + "\n")) return failed;
  write_message("open this address in a browser on this host; Ctrl-C ends\n");
  server->serve([&](const view::HttpRequest& request) { return answer(answers, gate, request); },
                [] { return Interruptible::is_interrupted(); });
  return {};
}

Outcome view_subject(const ViewOptions& options) {
  if (view::page().empty()) {
    return Failure{{"view", fmt::format("this build has no page: {}", view::why_no_page()),
                    "docs/howto/view.md says how to build it; espalier simulate and espalier plan "
                    "draw without it"}};
  }
  auto subject = subject_from(options);
  if (!subject) return Failure{subject.error()};
  auto query =
      subject->measured ? Expected<view::Query>(subject->first) : first_query(options, *subject);
  if (!query) return Failure{query.error()};
  subject->first = *query;
  view::Answers answers(*std::move(subject));
  if (!query->plan.empty()) {  // a name that does not exist is told now, not in the browser
    const auto shown = answers.shown(*query);
    if (!shown) return Failure{{"--algorithm", shown.error().what, "see espalier plan --all"}};
    if (shown->never_ends) {
      write_message(fmt::format("note: the schedule never ends: espalier verify {} says why\n",
                                options.subject));
    }
  }
  return options.html.empty() ? serve_page(options, answers) : write_page(options, answers);
}

constexpr std::string_view kViewDescription =
    "Shows a machine and the plans for a collective on it as a page: nested boxes that fold, the "
    "tree over them, messages that move, the critical path, all candidates beside the lower bound. "
    "What if: latencies, bandwidths and costs of nodes can be dragged, ranks can change places, "
    "and the plan follows. Two plans can stand side by side.\n\n"
    "The page is served on 127.0.0.1 only, under an address with a random token that is printed as "
    "one line. Who does not know the token gets nothing. No browser is started, since command "
    "lines "
    "are seen by all users of a host.\n\n"
    "--html writes one file instead, which needs no server and no network. Its controls "
    "snap to points that were computed: operations, sizes, the best plans, latencies of the "
    "outermost level.\n\n"
    "TRACE is a file of espalier run --trace: one call of it, measured and simulated on one axis. "
    "Without --call it is the one with the message that differs most; the first call along a plan, "
    "which opens connections, does not count if there are others. "
    "SCHEDULE is a file that espalier verify reads; --machine says where it runs. PLACEMENT is a "
    "file of espalier place --json, shown on the hosts that it uses; --machine is the inventory "
    "that it was made for. All files may be pipes, or - for standard input. Without an "
    "argument a machine of two sites is shown.";

constexpr std::string_view kViewExamples =
    "espalier view three-machines\n"
    "espalier view \"site:2(30ms,100Mbit/s) proc:16(5us)\" --operation allreduce --size 64KiB\n"
    "espalier view solver.trace --call 3\n"
    "espalier view placement.json --machine hosts\n"
    "espalier plan broadcast -m grid.json --schedule - | espalier view - -m grid.json\n"
    "espalier view three-machines --html page.html";

}  // namespace

Command view_command() {
  Manual manual{.name = "view",
                .tagline = "a live page: machine, plans, messages over time, what if",
                .synopsis =
                    "view [MACHINE] [--operation NAME] [--size BYTES] [--root RANK] [--algorithm "
                    "NAME] [--port PORT|--html FILE [--force]]\n"
                    "view SCHEDULE --machine MACHINE [--port PORT|--html FILE [--force]]\n"
                    "view PLACEMENT --machine INVENTORY [--operation NAME] [--size BYTES] [--root "
                    "RANK] [--algorithm NAME] [--port PORT|--html FILE [--force]]\n"
                    "view TRACE [--call N] [--port PORT|--html FILE [--force]]",
                .description = std::string(kViewDescription),
                .sections = {machines_section()},
                .examples = std::string(kViewExamples)};
  return {std::move(manual), [](App& app, const Globals&) {
            const auto options = std::make_shared<ViewOptions>();
            app.add_option("SUBJECT", options->subject,
                           "A machine (see MACHINES), a schedule, a trace or a placement.");
            app.add_option("--call", options->call, "Of a trace: the call of this number.")
                .type_name("N")
                .whole_number(0, 1'000'000'000);
            app.add_option("-m,--machine", options->machine,
                           "The machine of a schedule, the inventory of a placement.")
                .type_name("MACHINE");
            app.add_option("-o,--operation", options->operation,
                           "What to show first; with --html, the only operation. Default: "
                           "broadcast; with --html, all.")
                .type_name("NAME");
            app.add_option("-s,--size", options->size,
                           "Of the message or block that is shown first. Default: 64KiB.")
                .type_name("BYTES");
            app.add_option("-r,--root", options->root,
                           "Of operations with a root, or its place: Lyon, Lyon.n1.0. Default: 0.")
                .type_name("RANK");
            app.add_option("-a,--algorithm", options->algorithm,
                           "A plan as the table of espalier plan --all names it. Default: the "
                           "chosen one.")
                .type_name("NAME");
            const Option port = app.add_option("--port", options->port,
                                               "Serve on this port. Default: one that is free.")
                                    .type_name("PORT")
                                    .whole_number(0, 65535);
            const Option html = app.add_option("--html", options->html,
                                               "Write one file instead; - is standard output.")
                                    .type_name("FILE")
                                    .excludes(port);
            app.add_flag("--force", options->force,
                         "Replace FILE even if it is no page of espalier view.")
                .needs(html);
            return [options] { return view_subject(*options); };
          }};
}

}  // namespace espalier::cli

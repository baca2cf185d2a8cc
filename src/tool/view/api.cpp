#include "view/api.hpp"

#include <exception>

#include "base/json.hpp"
#include "view/page.hpp"

namespace espalier::view {
namespace {

constexpr std::string_view kJson = "application/json; charset=utf-8";

HttpResponse json_response(std::string text, int status = 200) {
  return {status, std::string(kJson), std::move(text)};
}

HttpResponse error_response(const Error& error, int status = 422) {
  return json_response(Json{{"error", error.what}, {"hint", error.hint}}.dump(), status);
}

HttpResponse answer_query(Answers& answers, const HttpRequest& request) {
  const auto query = read_query(request.body, answers.subject().machine);
  if (!query) return error_response(query.error());
  auto document = answers.plan(*query);
  if (!document) return error_response(document.error());
  return json_response(*std::move(document));
}

HttpResponse answer_checked(Answers& answers, const std::string& path, const HttpRequest& request) {
  const bool is_api = path == "api/overview" || path == "api/plan";
  if (!is_api && !path.empty())
    return {404, "text/plain; charset=utf-8", "There is no such page.\n"};
  if (request.method != (is_api ? "POST" : "GET")) {
    return {405, "text/plain; charset=utf-8", is_api ? "POST only.\n" : "GET only.\n"};
  }
  if (!is_api && page().empty()) {
    return {404, "text/plain; charset=utf-8", std::string(why_no_page()) + "\n"};
  }
  if (!is_api) return {200, "text/html; charset=utf-8", page_with(page(), {})};
  return path == "api/plan" ? answer_query(answers, request) : json_response(answers.overview());
}

}  // namespace

HttpResponse answer(Answers& answers, const Gate& gate, const HttpRequest& request) {
  if (auto refused = refusal(gate, request)) return *refused;
  try {
    return answer_checked(answers, inner_path(gate, request), request);
  } catch (const std::exception& bug) {
    return error_response({"view", bug.what(), "this is a bug in espalier; please report it"}, 500);
  }
}

}  // namespace espalier::view

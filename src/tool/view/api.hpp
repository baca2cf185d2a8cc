#pragma once

#include "view/answers.hpp"
#include "view/gate.hpp"
#include "view/http.hpp"

namespace espalier::view {

/// Answers a request of the page:
///   GET  ""               the page
///   POST "api/overview"   Answers::overview()
///   POST "api/plan"       Answers::plan(); the body is a query (query.hpp)
/// Errors of a query are {"error": ..., "hint": ...} with status 422.
[[nodiscard]] HttpResponse answer(Answers& answers, const Gate& gate, const HttpRequest& request);

}  // namespace espalier::view

#pragma once

#include <string>

#include "base/expected.hpp"
#include "cli/call_options.hpp"
#include "view/api.hpp"

namespace espalier::cli {

struct ViewOptions : CallOptions {
  std::string subject;
  std::string algorithm;
  std::string html;
  int call = -1;
  int port = 0;
  bool force = false;
};

/// What the page shows: a machine, a call of a trace, a schedule on --machine, or a placement on
/// the --machine that it was made for. Files are told apart by what is in them, and read once: they
/// may be pipes or standard input. Of a call that ran its query is set.
Expected<view::Subject> subject_from(const ViewOptions& options);

}  // namespace espalier::cli

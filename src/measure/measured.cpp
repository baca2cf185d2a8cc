#include "measure/measured.hpp"

#include <fmt/format.h>

#include <sstream>

namespace espalier::measure {
namespace {

using schedule::Operation;

Error unreadable(const std::string& line) {
  return {"bench", fmt::format("cannot read what was measured: \"{}\"", line), ""};
}

Expected<Measured> read_line(const std::string& line) {
  std::istringstream in(line);
  std::string measured;
  std::string operation;
  std::string wrong;
  std::string first;
  std::string times;
  Measured m;
  in >> measured >> operation >> m.call.size.value >> m.call.root >> wrong >> m.wrong >> first >>
      m.first_us >> times;
  const auto known = schedule::operation_named(operation);
  if (!in || !known || wrong != "wrong" || first != "first_us" || times != "times_us") {
    return unreadable(line);
  }
  m.call.operation = *known;
  for (double t = 0; in >> t;) m.times_us.push_back(t);
  if (m.times_us.empty() || !in.eof()) return unreadable(line);
  m.summary = summarize(m.times_us);
  return m;
}

}  // namespace

std::string argument_of(const MeasuredCall& call) {
  return fmt::format("{}:{}:{}", name_of(call.operation), call.size.value, call.root);
}

Expected<std::vector<Measured>> read_measured(const std::string& text,
                                              const std::vector<MeasuredCall>& asked) {
  std::vector<Measured> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("measured ")) continue;
    auto measured = read_line(line);
    if (!measured) return measured.error();
    if (all.size() == asked.size() || measured->call != asked[all.size()]) return unreadable(line);
    all.push_back(*std::move(measured));
  }
  if (all.size() == asked.size()) return all;
  return Error{"bench", fmt::format("{} of {} calls were measured", all.size(), asked.size()), ""};
}

bool has_root(Operation operation) {
  return operation == Operation::Broadcast || operation == Operation::Reduce ||
         operation == Operation::Gather || operation == Operation::Scatter;
}

std::vector<MeasuredCall> all_calls(const std::vector<Operation>& operations,
                                    const std::vector<Bytes>& sizes,
                                    const std::vector<Rank>& roots) {
  std::vector<MeasuredCall> calls;
  for (const Operation operation : operations) {
    if (operation == Operation::Barrier) {
      calls.push_back({operation, Bytes{0}, 0});
      continue;
    }
    for (const Bytes size : sizes) {
      if (!has_root(operation)) {
        calls.push_back({operation, size, 0});
        continue;
      }
      for (const Rank root : roots) calls.push_back({operation, size, root});
    }
  }
  return calls;
}

}  // namespace espalier::measure

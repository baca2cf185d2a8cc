#include "tuning/mpich_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"

namespace espalier::tuning {
namespace {

constexpr std::string_view kBegin = "{\"collective=";
constexpr std::size_t kLongestRules = std::size_t{1} << 20U;

/// The JSON object that begins here; empty if it does not end.
std::string_view object_at(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < std::min(text.size(), kLongestRules); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return text.substr(0, i + 1);
  }
  return {};
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::set<std::string, std::less<>> algorithms_in(std::string_view text) {
  constexpr std::string_view kKey = "algorithm=";
  std::set<std::string, std::less<>> names;
  for (std::size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    std::size_t end = at + kKey.size();
    while (end < text.size() && is_name(text[end])) ++end;
    names.emplace(text.substr(at + kKey.size(), end - at - kKey.size()));
  }
  return names;
}

/// Whether "NAME<=5", "NAME<5", "NAME<pow2", "NAME=any" and their like hold for a value.
std::optional<bool> compared(std::string_view key, std::string_view name, std::uint64_t value,
                             Rank ranks) {
  if (!key.starts_with(name)) return std::nullopt;
  std::string_view rest = key.substr(name.size());
  if (rest == "=any") return true;
  if (rest == "=pow2") return std::has_single_bit(value);
  if (rest == "<pow2") return value < std::bit_floor(ranks);
  const bool or_equal = rest.starts_with("<=");
  if (!rest.starts_with("<")) return std::nullopt;
  rest.remove_prefix(or_equal ? 2 : 1);
  std::uint64_t limit = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), limit);
  if (read.ec != std::errc{}) return std::nullopt;
  return or_equal ? value <= limit : value < limit;
}

bool holds(std::string_view key, const CallFacts& facts) {
  constexpr std::string_view kTrue[]{"comm_type=intra",        "is_op_built_in=yes",
                                     "is_commutative=yes",     "is_sendbuf_inplace=no",
                                     "is_block_regular=yes",   "is_multi_threaded=no",
                                     "is_node_consecutive=yes"};
  if (std::find(std::begin(kTrue), std::end(kTrue), key) != std::end(kTrue)) return true;
  if (key == "comm_size=node_comm_size") return facts.hierarchy == "node";
  if (key.starts_with("comm_hierarchy=")) {
    const std::string_view kind = key.substr(std::string_view("comm_hierarchy=").size());
    return kind == "any" || kind == facts.hierarchy;
  }
  const std::pair<std::string_view, std::uint64_t> values[]{
      {"comm_size", facts.ranks},
      {"comm_avg_ppn", facts.ranks_of_host},
      {"avg_msg_size", facts.bytes},
      {"per_proc_msg_size", facts.bytes},
      {"total_msg_size", facts.bytes * facts.ranks},
      {"count", facts.count}};
  for (const auto& [name, value] : values) {
    if (const auto result = compared(key, name, value, facts.ranks)) return *result;
  }
  return false;
}

}  // namespace

Expected<MpichRules> read_mpich_rules(const std::string& library) {
  auto text = read_named_file(library, {.takes_binary = true});
  if (!text) return text.error();
  MpichRules rules;
  for (std::size_t at = text->find(kBegin); at != text->npos; at = text->find(kBegin, at + 1)) {
    const std::string_view object = object_at(std::string_view(*text).substr(at));
    if (object.empty() || !Json::read(object)) continue;
    if (object.find("composition=") != object.npos) {
      rules.compositions = object;
    } else if (object.find("MPIR_Bcast_intra_binomial") != object.npos) {
      rules.collectives = object;
    }
  }
  if (rules.collectives.empty()) {
    return Error{library, "has no selection rules of MPICH 4 in it",
                 "name the libmpich.so (or libmpi.so.12) that programs are linked with"};
  }
  rules.algorithms = algorithms_in(*text);
  return rules;
}

std::optional<std::string> selected(const Json& rules, const CallFacts& facts) {
  const Json* node = &rules;
  while (node->is_object()) {
    const Json* next = nullptr;
    for (const auto& [key, value] : node->items()) {
      for (const std::string_view leaf : {"algorithm=", "composition="}) {
        if (key.starts_with(leaf)) return key.substr(leaf.size());
      }
      if (next == nullptr && holds(key, facts)) next = &value;
    }
    if (next == nullptr) return std::nullopt;
    node = next;
  }
  return std::nullopt;
}

std::string usual_mpich_library() {
  namespace fs = std::filesystem;
  std::vector<std::string> places;
  std::error_code failed;
  for (const char* root :
       {"/usr/lib", "/usr/local/lib", "/usr/lib64/mpich/lib", "/opt/mpich/lib"}) {
    places.emplace_back(root);
  }
  for (const auto& entry : fs::directory_iterator("/usr/lib", failed)) {
    if (entry.is_directory(failed)) places.push_back(entry.path().string());
  }
  std::sort(places.begin(), places.end());
  for (const std::string& place : places) {
    const std::string file = place + "/libmpich.so.12";
    if (fs::exists(file, failed)) return file;
  }
  return "";
}

}  // namespace espalier::tuning

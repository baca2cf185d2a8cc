#include "discover/node_record.hpp"

#include <map>

#include "base/json.hpp"
#include "topology/readers.hpp"

namespace espalier::discover {

std::string to_text(const NodeRecord& record) {
  const Json value{{"name", record.name},   {"place", record.place},
                   {"ranks", record.ranks}, {"bound", record.bound},
                   {"cores", record.cores}, {"memory_ps", record.memory_latency.picoseconds},
                   {"load", record.load},   {"cpus", record.cpu_count}};
  return value.dump();
}

Expected<NodeRecord> node_record_from(const std::string& text) try {
  const Json value = Json::parse(text);
  NodeRecord record;
  record.name = value.at("name").get<std::string>();
  record.place = value.at("place").get<std::string>();
  record.ranks = value.at("ranks").get<std::vector<Rank>>();
  record.bound = value.at("bound").get<std::vector<std::vector<topology::Leaf>>>();
  record.cores = value.at("cores").get<std::string>();
  record.memory_latency = Time{value.at("memory_ps").get<std::int64_t>()};
  record.load = value.at("load").get<double>();
  record.cpu_count = value.at("cpus").get<std::uint32_t>();
  return record;
} catch (const JsonError& wrong) {
  return Error{"a node", wrong.what(), "all hosts need the same version of Espalier"};
}

std::vector<NodeInfo> node_infos(std::span<const NodeRecord> records) {
  std::vector<NodeInfo> infos;
  std::map<std::string, std::optional<topology::Machine>> known;  // most nodes are alike
  for (const NodeRecord& record : records) {
    NodeInfo info{record.name, record.place, record.ranks,
                  plain_inside(static_cast<std::uint32_t>(record.ranks.size())),
                  record.memory_latency};
    if (!record.cores.empty()) {
      auto [at, is_new] = known.try_emplace(record.cores);
      if (is_new) {
        if (auto read = topology::read_json(record.cores, record.name)) at->second = *read;
      }
      const bool fits = at->second && record.bound.size() == record.ranks.size();
      if (fits) info.inside = inside_of(*at->second, record.bound);
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

std::string place_of(const std::string& site, const std::string& lan, const std::string& slurm,
                     const std::string& subnet) {
  if (!site.empty() || !lan.empty()) return lan.empty() ? site : site + "/" + lan;
  const std::size_t dot = slurm.rfind('.');
  if (dot == std::string::npos) return subnet;
  std::string place = slurm.substr(0, dot);
  for (char& c : place) {
    if (c == '.') c = '/';
  }
  return place;
}

}  // namespace espalier::discover
